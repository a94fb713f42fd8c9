"""What the tiers cost: a whole turn's understanding, from the engine's own timings, over long conversations of the project's own."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks._details import DETAILS
from tests.benchmarks._long_talk import PERSONAS, script
from tests.benchmarks._overhead import quick_harness, replying
from tests.benchmarks.measures.rows import TIERS, Row, Stopwatch, Tier

TURNS = 160
PHASES = ("consistency_check", "respond", "extract_facts", "update_topic")
"""Where messages and replies are read. The model answers at once, so ``respond`` is the check of the reply."""
LIMIT_MS = 3.0


def measure(data: Path) -> Iterator[Row]:
    """Median and 99th percentile of a turn, for each language and tier."""
    for language in DETAILS:
        for tier in TIERS:
            watch = asyncio.run(_talk(language, tier))
            for figure, share in (("median ms a turn", 0.5), ("p99 ms a turn", 0.99)):
                value = watch.quantile(share)
                median = share == 0.5
                yield Row(
                    data=f"cost ({language})",
                    part="own conversation",
                    items=TURNS,
                    figure=figure,
                    tier=tier,
                    value=value,
                    reach="< 3 (rules)" if median and tier == "rules" else "",
                    met=value < LIMIT_MS if median and tier == "rules" else None,
                    note="consistency check, check of the reply, facts, topics, emotion, entities and commitments together",
                )


async def _talk(language: str, tier: Tier) -> Stopwatch:
    watch = Stopwatch.new()
    analysis = "rules" if tier == "rules" else "classifier"
    with tempfile.TemporaryDirectory() as folder:
        name = Path(folder) / "cost.db"
        async with quick_harness(name, script=replying(language), analysis=analysis, check_tier=tier) as harness:
            session = await harness.open(PERSONAS[language], session="cost")
            for text in script(language, TURNS, every=2):
                await session.say(text)
                record = await session.report()
                watch.seconds.append(sum(t.seconds for t in record.timings if t.phase in PHASES))
    return watch
