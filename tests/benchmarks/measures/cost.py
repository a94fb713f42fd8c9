"""What the tiers cost: a whole turn's understanding, over long conversations of the project's own.

The clock is the processor time of the engine's thread: on a machine with other work the time on the wall says more about that work.
The time on the wall stands beside it.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from harness.ports import Ports
from harness.turn import MACHINE, Step, Turn, TurnMachine
from tests.benchmarks._details import DETAILS
from tests.benchmarks._long_talk import PERSONAS, script
from tests.benchmarks._overhead import quick_harness, replying
from tests.benchmarks.measures.rows import TIERS, Row, Stopwatch, Tier

TURNS = 160
PHASES = ("consistency_check", "respond", "extract_facts", "update_topic")
"""Where messages and replies are read. The model answers at once, so ``respond`` is the check of the reply."""
LIMIT_MS = 3.0
P99_MS = 15.0
NOTE = (
    "consistency check, check of the reply, facts, topics, emotion, entities, commitments and task together, after Session.ready; "
    "processor time of the thread, the time on the wall in the last column"
)


@dataclass(slots=True)
class _Turns:
    """Seconds of the phases above, turn by turn, by both clocks."""

    cpu: Stopwatch = field(default_factory=Stopwatch.new)
    wall: Stopwatch = field(default_factory=Stopwatch.new)

    def begin(self) -> None:
        self.cpu.seconds.append(0.0)
        self.wall.seconds.append(0.0)

    def timed(self, machine: TurnMachine) -> TurnMachine:
        """The machine with its phases timed."""
        for phase in PHASES:
            machine = machine.replacing(phase, self._timed(machine.steps[phase]))
        return machine

    def _timed(self, step: Step) -> Step:
        async def run(turn: Turn, ports: Ports) -> Turn:
            wall, cpu = time.perf_counter(), time.thread_time()
            try:
                return await step(turn, ports)
            finally:
                self.cpu.seconds[-1] += time.thread_time() - cpu
                self.wall.seconds[-1] += time.perf_counter() - wall

        return run


def measure(data: Path) -> Iterator[Row]:
    """Median and 99th percentile of a turn, for each language and tier."""
    for language in DETAILS:
        for tier in TIERS:
            turns = asyncio.run(_talk(language, tier))
            for figure, share, limit in (("median ms a turn", 0.5, LIMIT_MS), ("p99 ms a turn", 0.99, P99_MS)):
                value = turns.cpu.quantile(share)
                judged = tier == "rules"
                yield Row(
                    data=f"cost ({language})",
                    part="own conversation",
                    items=TURNS,
                    figure=figure,
                    tier=tier,
                    value=value,
                    reach=f"< {limit:g} (rules)" if judged else "",
                    met=value < limit if judged else None,
                    ms=turns.wall.quantile(share),
                    note=NOTE,
                )


async def _talk(language: str, tier: Tier) -> _Turns:
    turns = _Turns()
    analysis = "rules" if tier == "rules" else "classifier"
    with tempfile.TemporaryDirectory() as folder:
        async with quick_harness(
            Path(folder) / "cost.db",
            machine=turns.timed(MACHINE),
            script=replying(language),
            analysis=analysis,
            check_tier=tier,
        ) as harness:
            session = await harness.open(PERSONAS[language], session="cost")
            await session.ready()
            for text in script(language, TURNS, every=2):
                turns.begin()
                await session.say(text)
                await session.report()
    return turns
