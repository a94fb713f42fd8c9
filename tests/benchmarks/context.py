"""What it costs to build the prompt, with much in memory; and that prompts stay as long as they are in a long talk.

python -m tests.benchmarks.context
python -m tests.benchmarks.context --items 1000 100000 --turns 300

The items are facts and messages of one user, written into SQLite; a session with facts, promises and a summary asks for some of
them. *Build* is :func:`harness.context.compose_prompt`: choosing facts and earlier lines, rendering, counting, the report. *Recall* is
the search in memory, which comes before it and has a benchmark of its own.
"""

import argparse
import asyncio
import tempfile
import time
from itertools import cycle
from pathlib import Path
from typing import Any

from harness.app import Harness
from harness.context import compose_prompt
from harness.language import load_packs
from harness.memory.lexical import index_terms
from harness.ports import MemoryEntry, Ports
from harness.settings import load
from harness.state.memory import MemoryItem, Scope
from harness.testing.scripted_model import ScriptedModel
from harness.turn import MACHINE, Turn
from tests.benchmarks._measuring import LINE, Samples, goal, machine, table, title
from tests.benchmarks._states import REPLIES, SMALL_TALK

BUILD_MS = 2.0
GROWTH = 1.1
PERSONAS = {"en": "mia", "zh": "lin"}
TOLD = {
    "en": ("I met {who} at the {place} and we talked about {what}.", ("Ada", "Jo", "Sam", "Lee"), ("harbour", "market", "library"), ("cheese", "tides", "chess", "kites")),
    "zh": ("我在{place}遇到{who}，我们聊了{what}。", ("小王", "老张", "阿丽", "小陈"), ("码头", "菜场", "图书馆"), ("奶酪", "潮水", "象棋", "风筝")),
}  # fmt: skip
ASKED = {"en": "What did Ada say about the tides at the harbour?", "zh": "小王在码头说潮水怎么样？"}


def items(count: int, code: str) -> list[MemoryEntry]:
    """Messages and facts of one user, as a session would have written them."""
    form, people, places, things = TOLD[code]
    packs = load_packs()
    scope = Scope(persona=PERSONAS[code], user="nora")
    made = []
    for number, who, place, what in zip(range(count), cycle(people), cycle(places), cycle(things), strict=False):
        text = form.format(who=who, place=f"{place} {number}", what=what)
        fact = number % 3 == 0
        item = MemoryItem(
            id=f"m{number}", layer="L3" if fact else "L2", kind="preference" if fact else "message", text=text, scope=scope,
            subject="user", attribute="likes" if fact else "", value=f"{what} {number}" if fact else "", speaker="user",
            session=f"s{number // 50}", place=number % 50, key=text, language=code,
        )  # fmt: skip
        made.append(MemoryEntry(item, tuple(index_terms(text, packs, code))))
    return made


class Timing:
    """The step ``compose``, which times the build a number of times."""

    def __init__(self, repetitions: int) -> None:
        self.repetitions = repetitions
        self.samples = Samples()

    async def __call__(self, turn: Turn, ports: Ports) -> Turn:
        done = await MACHINE.steps["compose"](turn, ports)
        for number in range(self.repetitions):
            # Another text each time: nothing of the message may be found in a cache.
            again = turn.with_(text=f"{turn.text} {number}", resolved=f"{turn.resolved} {number}")
            cpu, started = time.process_time(), time.perf_counter()
            compose_prompt(again, ports)
            self.samples.add(time.perf_counter() - started, time.process_time() - cpu)
        return done


def settings(folder: Path, **more: Any) -> Any:
    """Rules only, on SQLite."""
    engine = {"analysis": "rules", "summarize_with": "rules", "seed": 7, "max_revisions": 0, "background": "false"}
    chosen = {f"harness.{key}": value for key, value in engine.items()} | {"storage.path": str(folder / "s.db")}
    return load(start=folder, environ={}, overrides={**chosen, **more})


async def build(count: int, code: str, repetitions: int) -> tuple[Samples, float, int]:
    """Times of the build, seconds of the recall before it, and the tokens of the prompt."""
    timing = Timing(0)
    replies = cycle(REPLIES[code])
    with tempfile.TemporaryDirectory() as folder:
        harness = Harness(
            settings(Path(folder)),
            model=ScriptedModel(lambda _: next(replies)),
            machine=MACHINE.replacing("compose", timing),
        )
        async with harness:
            store = harness.memory_store()
            assert store is not None
            made = items(count, code)
            for start in range(0, len(made), 5000):
                await store.put(made[start : start + 5000])
            session = await harness.open(PERSONAS[code], session="now", user="nora")
            lines = cycle(SMALL_TALK[code])
            for _ in range(40):
                await session.say(next(lines))
            timing.repetitions = repetitions
            await session.say(ASKED[code])
            record = await session.report()
    recall = sum(one.seconds for one in record.timings if one.phase == "recall")
    return timing.samples, recall, record.context.total_tokens


async def flat(turns: int, code: str) -> tuple[list[int], list[int]]:
    """Tokens of every prompt of a long talk, as counted, and those of the layers that change."""
    replies = cycle(REPLIES[code])
    with tempfile.TemporaryDirectory() as folder:
        async with Harness(settings(Path(folder)), model=ScriptedModel(lambda _: next(replies))) as harness:
            session = await harness.open(PERSONAS[code], session="long", user="nora")
            lines = cycle(SMALL_TALK[code])
            whole, volatile = [], []
            for number in range(turns):
                await session.say(f"{next(lines)} ({number})")
                report = (await session.report()).context
                whole.append(report.total_tokens)
                volatile.append(sum(report.tokens_of(layer) for layer in ("L1", "L2", "L3")))
    return whole, volatile


async def main(given: argparse.Namespace) -> None:
    """Both parts, in both languages."""
    print(machine())
    title("Building the prompt; milliseconds")
    rows, worst = [], 0.0
    for count in given.items:
        for code in PERSONAS:
            samples, recall, tokens = await build(count, code, given.repetitions)
            rows.append((f"{count} items, {code}", *samples.line(), f"{recall * 1e3:.1f}", str(tokens)))
            if count == max(given.items):
                worst = max(worst, samples.median * 1e3)
    table(("", *LINE, "recall", "tokens"), rows)
    goal(f"build at {max(given.items)} items", worst, BUILD_MS, unit=" ms")
    title(f"Tokens of the prompt over {given.turns} turns")
    rows, growth = [], 0.0
    for code in PERSONAS:
        whole, volatile = await flat(given.turns, code)
        fifth = len(whole) // 5
        early, late = max(whole[fifth : 2 * fifth]), max(whole[-fifth:])
        growth = max(growth, late / early)
        rows.append((code, str(whole[0]), str(early), str(late), str(max(whole)), str(max(volatile[-fifth:]))))
    table(("", "first", "second fifth", "last fifth", "most", "L1 to L3 in the last fifth"), rows)
    goal("last fifth against the second", growth, GROWTH)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", nargs="+", type=int, default=(1_000, 100_000))
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--repetitions", type=int, default=200)
    asyncio.run(main(parser.parse_args()))
