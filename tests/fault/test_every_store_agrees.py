"""A server, or our own process, killed with -9 in the middle of a turn: every store is what the journal says, nothing is lost and nothing
is there twice. What is compared is in :mod:`tests.fault._journal`: sessions with their snapshots, memory items, vectors, short-term
messages, the graph, artifacts.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import harness
from harness.app import Harness
from harness.errors import StoreError
from harness.ports import MemoryEntry, ModelReply, ModelRequest
from harness.testing.postgres import PostgresForTests
from harness.testing.scripted_model import ScriptedModel
from tests._graph_server import GraphServer
from tests._owners import answering, settings_for
from tests.fault._journal import ALL_EDGES, EVERYTHING, compare
from tests.fault._talking import machine, say

TALKER = Path(__file__).with_name("everything_talker.py")
ROOT = Path(harness.__file__).parents[1]
ROUNDS = 3
pytestmark = pytest.mark.timeout(600)
BOTH = pytest.mark.parametrize("code", ["en", "zh"])


# --- our own process -----------------------------------------------------------------------------------------------

EMBEDDED = {
    "sqlite": {"memory.backend": "sqlite", "graph.backend": "sqlite"},
    "faiss and ladybug": {"memory.backend": "faiss", "graph.backend": "ladybug"},
}


def talk_and_die(code: str, folder: Path, overrides: dict[str, Any], chance: random.Random) -> int:
    """Run the talker and kill it at some moment after its first reply; gives the last turn it showed as done."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    arguments = [code, str(folder), json.dumps(overrides)]
    program = subprocess.Popen(
        [sys.executable, str(TALKER), *arguments], stdout=subprocess.PIPE, text=True, encoding="utf-8", env=environment
    )
    assert program.stdout is not None
    first = program.stdout.readline()
    time.sleep(chance.uniform(0.0, 0.4))
    program.kill()
    rest, _ = program.communicate(timeout=60)
    return max(int(line) for line in (first, *rest.splitlines(keepends=True)) if line.endswith("\n"))


@BOTH
@pytest.mark.parametrize("where", EMBEDDED)
async def test_our_own_process_killed_in_mid_turn(tmp_path: Path, where: str, code: str) -> None:
    chance = random.Random(23)
    overrides = {**EMBEDDED[where], "storage.busy_timeout_s": "20"}
    for _ in range(ROUNDS):
        seen = await asyncio.to_thread(talk_and_die, code, tmp_path, overrides, chance)
        (branch,) = (await compare(tmp_path, overrides)).values()
        assert len(branch) in (seen, seen + 1), "the reply that was on its way may have become durable"


# --- servers -------------------------------------------------------------------------------------------------------


class Dying(ScriptedModel):
    """A model during whose answer something happens, once."""

    def __init__(self, answers: ScriptedModel) -> None:
        super().__init__(answers._answer)
        self.happens: Callable[[], None] | None = None

    async def complete(self, request: ModelRequest) -> ModelReply:
        happens, self.happens = self.happens, None
        if happens is not None:
            await asyncio.to_thread(happens)
        return await super().complete(request)


class Servers:
    """Those that a test kills together."""

    def __init__(self, overrides: dict[str, Any], *servers: Any) -> None:
        self.overrides, self.servers = overrides, servers

    def kill(self) -> None:
        for server in self.servers:
            server.kill()

    def start(self) -> None:
        for server in self.servers:
            server.start()


@pytest.fixture(params=["redis and falkordb", "postgres and bolt", "bolt", "falkordb"])
def servers(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Servers]:
    """All stores on one server that is a Redis with a graph; on PostgreSQL with the graph over Bolt; only the graph on a server."""
    kind = str(request.param)
    waits = {"storage.timeout_s": "3", "memory.timeout_s": "3", "graph.timeout_s": "3"}
    bolt = "bolt" in kind
    graph = GraphServer(tmp_path / "graph-server", bolt=bolt)
    waits |= {"graph.backend": "neo4j" if bolt else "falkordb", "graph.url": graph.url}
    if kind.startswith("redis"):
        made = Servers(waits | {f"{one}.backend": "redis" for one in ("storage", "memory", "short_term")}, graph)
        made.overrides["storage.url"] = graph.url
    elif kind.startswith("postgres"):
        postgres: PostgresForTests = request.getfixturevalue("postgres_server")
        place = {"storage.backend": "postgres", "storage.url": postgres.new_place(), "memory.backend": "postgres"}
        made = Servers(waits | place, postgres, graph)
    else:
        made = Servers(waits, graph)
    graph.start()
    yield made
    for server in made.servers:
        if isinstance(server, PostgresForTests):
            if not server.pid:
                server.start()
        else:
            server.stop()


@BOTH
@pytest.mark.parametrize("moment", ["the answer", "bookkeeping"])
async def test_a_server_killed_in_mid_turn(servers: Servers, tmp_path: Path, moment: str, code: str) -> None:
    model, left = Dying(answering(code)), [0]

    def in_bookkeeping() -> None:
        if moment == "bookkeeping" and left[0] == 1:
            servers.kill()
        left[0] -= 1

    settings = settings_for(tmp_path, servers.overrides)
    durable = "storage.backend" in servers.overrides
    async with Harness(settings, model=model, machine=machine(in_bookkeeping)) as app:
        for number in range(2):
            await say(app, number, code)
        await (await app.open(session="s")).settled()
        if moment == "the answer":
            model.happens = servers.kill
        else:
            left[0] = 1
        answered, turns = await _tried(app, 2, code), 2
        assert answered == (moment == "bookkeeping" or not durable)
        await asyncio.to_thread(servers.start)
        turns += answered
        for _ in range(3):
            await say(app, turns, code)
            turns += 1
        await (await app.open(session="s")).settled()
    (branch,) = (await compare(tmp_path, servers.overrides)).values()
    assert len(branch) == turns


async def _tried(app: Harness, number: int, code: str) -> bool:
    """Whether a turn got through, its bookkeeping cut off or not."""
    try:
        await say(app, number, code)
    except StoreError:
        return False
    with contextlib.suppress(StoreError):  # what was cut off is done when the session is next used
        await (await app.open(session="s")).settled()
    return True


# --- the comparison itself -----------------------------------------------------------------------------------------


async def _one_item(app: Harness) -> str:
    memory = app.memory_store()
    assert memory is not None
    items = await memory.browse(EVERYTHING, limit=100)
    return next(item.id for item in items if item.kind == "message")


async def lose_item(app: Harness) -> None:
    memory = app.memory_store()
    assert memory is not None
    await memory.delete([await _one_item(app)])


async def write_twice(app: Harness) -> None:
    memory = app.memory_store()
    assert memory is not None
    (item,) = await memory.get([await _one_item(app)])
    await memory.put([MemoryEntry(item.model_copy(update={"id": item.id + ".again"}))])


async def change_vector(app: Harness) -> None:
    memory = app.memory_store()
    assert memory is not None
    space = await memory.space()
    assert space is not None
    await memory.embed(space, {await _one_item(app): (1.0, *([0.0] * (space.dimensions - 1)))})


async def lose_edge(app: Harness) -> None:
    graph = app.graphs().graph
    await graph.delete([edge.id for edge in await graph.browse(ALL_EDGES, limit=1)])


async def change_short_term(app: Harness) -> None:
    recent = await app.short_term().recent("s")
    stands = await app.short_term().stands("s")
    await app.short_term().replace("s", stands or "", [*recent, recent[-1]])


async def lose_artifact(app: Harness) -> None:
    await app.artifacts().delete("s")


TAMPERED = [lose_item, write_twice, change_vector, lose_edge, change_short_term, lose_artifact]


@BOTH
@pytest.mark.parametrize("tamper", TAMPERED)
async def test_the_comparison_sees_a_difference_in_any_store(
    tmp_path: Path, tamper: Callable[[Harness], Awaitable[None]], code: str
) -> None:
    async with Harness(settings_for(tmp_path, {}), model=answering(code)) as app:
        for number in range(3):
            await say(app, number, code)
        await (await app.open(session="s")).settled()
    await compare(tmp_path, {})
    async with Harness(settings_for(tmp_path, {}), model=answering(code)) as app:
        await tamper(app)
    with pytest.raises(AssertionError):
        await compare(tmp_path, {})
