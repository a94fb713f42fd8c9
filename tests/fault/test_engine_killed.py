"""kill -9 while a reply streams or while bookkeeping runs: what the user saw is there, and nothing is counted twice."""

from __future__ import annotations

import random
from pathlib import Path

from harness.app import Harness
from harness.session import initial_state, rebuild
from harness.settings import load
from harness.testing import ScriptedModel
from tests.fault.programs import kill_after, start

ROUNDS = 5
MOST = 20
"""At least so many kills, and more until one of them fell into bookkeeping."""


def talk_and_die(folder: Path, chance: random.Random) -> int:
    """Run the talker, kill it at some moment after its first reply; gives the last turn it showed as done."""
    return max(int(turn) for (turn,) in kill_after(start("talker.py", folder), 1, chance.uniform(0.0, 0.25)))


async def test_kill_9_at_any_moment_loses_nothing_and_counts_nothing_twice(tmp_path: Path) -> None:
    chance = random.Random(11)
    resumed = 0
    for number in range(MOST):
        if number >= ROUNDS and resumed:
            break
        seen = talk_and_die(tmp_path, chance)
        overrides = {"harness.analysis": "rules", "storage.path": str(tmp_path / "sessions.db")}
        settings = load(start=tmp_path, environ={}, overrides=overrides)
        async with Harness(settings, model=ScriptedModel("Back.")) as harness:
            session = await harness.open(session="s")
            state, branch = await session.state(), await session.branch()
            assert state.phase == "done"
            assert state.turn_count in (seen, seen + 1), "the reply that was being shown may have become durable"
            assert [record.number for record in branch] == list(range(1, state.turn_count + 1))
            assert rebuild(initial_state(await harness.store().info("s")), branch) == state
            facts = {fact.attribute: fact.value for fact in state.active_facts("user")}
            assert all(facts[f"thing{n} code"] == f"{n}{n}" for n in range(1, state.turn_count + 1))
            resumed += any(event.kind == "resumed" for event in branch[-1].events)
    assert resumed > 0, "no round died in bookkeeping: the test is too kind"
