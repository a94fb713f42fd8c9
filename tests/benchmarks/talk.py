"""A conversation of twelve turns with a shipped character: is what was told at turn 2 right at turn 12?

    python -m tests.benchmarks.talk --model PATH --personas mia lin --out transcripts

At turn 2 the user tells a pet, a job and a number; at turn 12 they ask for all three at once (``--ask apart``: one by one at turns
10 to 12). In between they talk of other things and say the opposite of a fact of the character. Prints the transcript with a state
line for each turn, checks the answers, and writes one Markdown file per character.
"""

import argparse
import asyncio
import re
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from harness.cli.render import state_line
from harness.session import Session
from tests.benchmarks._embedded import Served, add_arguments, served
from tests.benchmarks._measuring import machine, title


@dataclass(frozen=True, slots=True)
class Script:
    """What the user says in twelve turns. ``needed``: what the answers have to hold, by what was asked for."""

    told: str
    between: tuple[str, ...]
    together: str
    apart: tuple[str, str, str]
    needed: tuple[tuple[str, str], ...]

    def messages(self, *, apart: bool) -> tuple[str, ...]:
        """All twelve."""
        if apart:
            return (self.between[0], self.told, *self.between[1:8], *self.apart)
        return (self.between[0], self.told, *self.between[1:10], self.together)


SCRIPTS = {
    "en": Script(
        told="I have a parrot called Captain, I work as an electrician, and my parking space is number 2718.",
        between=(
            "Hello! I'm Robin, I just moved to the neighbourhood.",
            "So what does an ordinary day look like for you?",
            "Did you always want to do this?",
            "My new kitchen is still full of boxes, I'm a bit worn out.",
            "What would you cook for someone who has only one pan?",
            "But didn't you tell me you have no pets at all?",
            "Fair enough. What's the nicest spot around here in the evening?",
            "I promised my neighbour to fix her doorbell tomorrow.",
            "Do you get on with your family?",
            "It's getting late, I should feed that bird.",
        ),
        together="Before I go, a little test: what's my parrot called, what do I do for a living, and what's my parking space number?",
        apart=("What's my parrot called?", "And what do I do for a living?", "And which parking space is mine?"),
        needed=(("pet", r"\bCaptain\b"), ("job", r"\belectrician\b"), ("number", r"\b2,?718\b")),
    ),
    "zh": Script(
        told="我养了一只鹦鹉叫船长，我是电工，我的车位号是2718。",
        between=(
            "你好，我叫小罗，刚搬到这附近。",
            "你平常一天都是怎么过的？",
            "你一直都想做这一行吗？",
            "我新家的厨房还堆满了箱子，有点累。",
            "只有一口锅的话，你会做点什么吃？",
            "可是你不是跟我说过，你什么宠物都没养吗？",
            "好吧。这附近晚上哪里最舒服？",
            "我答应邻居明天帮她修门铃。",
            "你跟家里人处得好吗？",
            "不早了，我得回去喂鸟了。",
        ),
        together="走之前考考你：我的鹦鹉叫什么，我是做什么工作的，我的车位号是多少？",
        apart=("我的鹦鹉叫什么？", "我是做什么工作的？", "我的车位号是多少？"),
        needed=(("pet", "船长"), ("job", "电工"), ("number", "2718")),
    ),
}


async def talk(session: Session, script: Script, *, apart: bool) -> tuple[list[str], dict[str, bool]]:
    """The lines of the transcript, and what was right at the end."""
    name = session.persona.name
    lines: list[str] = []
    answers: list[str] = []
    if session.persona.greeting:
        lines.append(f"**{name}:** {session.persona.greeting}\n")
    for number, text in enumerate(script.messages(apart=apart), 1):
        started = time.perf_counter()
        reply = await session.say(text)
        seconds = time.perf_counter() - started
        record, after = await session.report(), await session.state()
        answers.append(reply.text)
        line = f"{state_line(record, after)} · {record.candidates[record.chosen].form}"
        line += "".join(f" · {notice.kind}: {notice.truth or notice.claim}" for notice in record.notices)
        print(f"{number:2}  you: {text}\n    {name}: {reply.text}\n    [{line}] ({seconds:.1f} s)", flush=True)
        lines.append(f"**{number}. You:** {text}\n\n**{name}:** {reply.text}\n\n`{line}`\n")
    final = answers[-3:] if apart else [answers[-1]] * 3
    right = {
        what: bool(re.search(pattern, said, re.IGNORECASE))
        for (what, pattern), said in zip(script.needed, final, strict=True)
    }
    return lines, right


async def main(given: argparse.Namespace) -> None:
    print(machine())
    given.out.mkdir(parents=True, exist_ok=True)
    with served(given) as model, tempfile.TemporaryDirectory() as folder:
        verdicts = [await one(model, Path(folder), persona, given) for persona in given.personas]
    print()
    for verdict in verdicts:
        print(verdict)


async def one(model: Served, folder: Path, persona: str, given: argparse.Namespace) -> str:
    """Talk with one character and write the transcript."""
    async with model.harness(folder, seed=given.seed) as harness:
        session = await harness.open(persona)
        language = given.language or session.persona.language
        title(f"{session.persona.name}, {language}, seed {given.seed}")
        lines, right = await talk(session, SCRIPTS[language], apart=given.ask == "apart")
    told = ", ".join(f"{what} {'right' if good else 'WRONG'}" for what, good in right.items())
    verdict = f"{'met   ' if all(right.values()) else 'MISSED'}  {session.persona.name}: {told}"
    path = given.out / f"{persona}-{language}-seed{given.seed}.md"
    head = f"# Twelve turns with {session.persona.name}\n\n{model.name}, seed {given.seed}. At turn 12: {told}.\n"
    path.write_text("\n".join((head, *lines)), encoding="utf-8")
    print(f"{verdict}; transcript in {path}")
    return verdict


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    parser.add_argument("--personas", nargs="+", default=["mia", "lin"], help="ids of characters")
    parser.add_argument(
        "--language", choices=tuple(SCRIPTS), help="what the user speaks; by default what the character does"
    )
    parser.add_argument("--ask", choices=("together", "apart"), default="together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("transcripts"), help="folder for the transcripts")
    asyncio.run(main(parser.parse_args()))
