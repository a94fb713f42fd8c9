"""kill -9 of the Redis server in the middle of turns: what the user saw is there, nothing is there twice, and all agrees with
the journal once it is back.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from harness.adapters.memories.ram import InProcessMemoryStore
from harness.adapters.redis.options import RedisOptions
from harness.adapters.short_term.ram import InProcessShortTerm
from harness.adapters.stores.redis import RedisSessionStore
from harness.app import Harness
from harness.errors import HarnessError, StoreError
from harness.ports import MemoryFilter, Ports
from harness.session import initial_state, rebuild
from harness.settings import Loaded, load
from harness.testing import ScriptedModel
from harness.testing.conformance.samples import sample_info
from harness.turn import MACHINE, Turn
from tests._redis_server import RedisServer
from tests.fault.programs import finish, kill_after, start

EVERYTHING = MemoryFilter(everything=True, statuses=())
PERSONAS = {"en": "mia", "zh": "lin"}
TOLD = {
    "en": ["My name is Nora.", "I have a dog.", "I live in Porto.", "I am allergic to nuts.", "It rained all day."],
    "zh": ["我叫诺拉。", "我养了一只狗。", "我住在苏州。", "我对坚果过敏。", "今天下了一天雨。"],
}
REPLY = {"en": "All right then.", "zh": "好，我知道了。"}
MOMENTS = ("before the reply", "at any time", "in bookkeeping")
ROUNDS = 2 * len(MOMENTS)
"""Each moment once with the same process going on afterwards, and once with another one taking over."""


@pytest.fixture(params=["en", "zh"])
def code(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=["no", "always"])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RedisServer]:
    """A server of the test's own, which keeps an append-only file. (With ``everysec`` it holds writing back while the disk
    is still busy with the last sync, so that even a kill of the process alone may lose up to two seconds.)
    """
    arguments = ("--appendonly", "yes", "--appendfsync", request.param, "--save", "")
    made = RedisServer(tmp_path / "redis", arguments=arguments)
    made.start()
    yield made
    made.stop()


class Killer:
    """Steps that kill the server when a turn gets there, once for each time it is told to."""

    def __init__(self, server: RedisServer) -> None:
        self.server = server
        self.at = ""
        before, after = self.step(MOMENTS[0]), self.step(MOMENTS[2])
        self.machine = MACHINE.inserting("before", before, after="compose").inserting(
            "after", after, after="extract_facts"
        )

    def step(self, moment: str) -> Callable[[Turn, Ports], Awaitable[Turn]]:
        async def work(turn: Turn, ports: Ports) -> Turn:
            del ports
            if self.at == moment:
                self.at = ""
                self.server.kill()
            return turn

        return work


def settings_of(server: RedisServer, tmp_path: Path, **changed: Any) -> Loaded:
    overrides = {
        "storage.backend": "redis",
        "storage.url": server.url,
        "storage.path": str(tmp_path / "sessions.db"),
        # A server that was killed refuses at once; one on a busy machine takes its time.
        "storage.timeout_s": "30",
        "memory.timeout_s": "30",
        "harness.turn_timeout_s": "300",
        "memory.backend": "redis",
        "memory.url": server.url,
        "short_term.backend": "redis",
        "short_term.url": server.url,
        "harness.analysis": "rules",
        "harness.max_revisions": "0",
    }
    return load(start=tmp_path, environ={}, overrides={**overrides, **changed})


def harness_of(settings: Loaded, code: str, **parts: Any) -> Harness:
    return Harness(settings, model=ScriptedModel(REPLY[code]), **parts)


async def items_of(store: Any) -> list[tuple[Any, ...]]:
    """What memory holds, without what reading it changed."""
    found = await store.browse(EVERYTHING, limit=10_000)
    return [(one.id, one.layer, one.kind, one.text, one.turn_id, one.place, one.status) for one in found]


async def check_against_the_journal(settings: Loaded, code: str) -> int:
    """Compare every store with the journal; gives the number of turns."""
    async with harness_of(settings, code) as app:
        session = await app.open(session="s")
        state, branch = await session.state(), await session.branch()
        assert state.phase == "done"
        assert [record.number for record in branch] == list(range(1, state.turn_count + 1)), "each turn once"
        assert rebuild(initial_state(await app.store().info("s")), branch) == state
        said = [message.text for message in state.messages]
        memory = app.memory_store()
        assert memory is not None
        assert await memory.followed("s") == (branch[-1].id if branch else None)
        items, recent = await items_of(memory), await app.short_term().recent("s")
        stats = await memory.stats()
        assert stats.items == len(items)
    # The same journal, read by a memory and a short-term list that begin with nothing.
    fresh, list_of_it = InProcessMemoryStore(), InProcessShortTerm(max_tokens=2000)
    async with harness_of(settings, code, memory=fresh, short_term=list_of_it) as app:
        await (await app.open(session="s")).settled()
        assert await items_of(fresh) == items, "memory agrees with the journal"
        assert await list_of_it.recent("s") == recent, "so do the short-term messages"
        assert [one.message.text for one in recent][-len(said) :] == said[-len(recent) :]
    return state.turn_count


async def test_killed_at_any_moment_it_loses_nothing_and_has_nothing_twice(
    server: RedisServer, code: str, tmp_path: Path
) -> None:
    settings = settings_of(server, tmp_path)
    chance = random.Random(5)
    seen = failed = resumed = 0
    killer = Killer(server)
    app = harness_of(settings, code, machine=killer.machine)
    session = await app.open(PERSONAS[code], session="s")
    for number in range(ROUNDS):
        killer.at = moment = MOMENTS[number % len(MOMENTS)]
        saying = asyncio.create_task(session.say(f"{TOLD[code][number % 5]} ({number})"))
        if moment == "at any time":
            await asyncio.sleep(chance.choice([0.0, 0.005, 0.02, 0.05, 0.1]) * chance.random())
            server.kill()
        (answer,) = await asyncio.gather(saying, return_exceptions=True)
        assert moment != MOMENTS[0] or isinstance(answer, BaseException)
        assert moment != MOMENTS[2] or not isinstance(answer, BaseException), answer
        if isinstance(answer, BaseException):
            failed += 1
            assert isinstance(answer, StoreError), answer
            assert server.url in answer.message
        else:
            seen = answer.number
        with pytest.raises(StoreError):  # bookkeeping that was cut off is logged, and made good later
            await session.settled()
        assert not server.pid, "it was killed where it was meant to be"
        server.start()
        if number % 2:  # another process takes over; else the same one goes on, with the connections it had
            await app.close()
            app = harness_of(settings, code, machine=killer.machine)
            session = await app.open(session="s")
        await session.settled()
        resumed += any(event.kind == "resumed" for record in (await session.branch())[-1:] for event in record.events)
        turns = (await session.state()).turn_count
        assert turns in (seen, seen + 1), "the reply whose writing was cut off may have become durable"
        seen = turns
    reply = await session.say(TOLD[code][0])
    await app.close()
    assert await check_against_the_journal(settings, code) == reply.number
    assert failed >= 2, "both rounds before the reply"
    assert resumed >= 2, "both rounds in bookkeeping"


async def test_memory_and_short_term_that_are_away_cost_a_warning_and_are_caught_up_with(
    server: RedisServer, code: str, tmp_path: Path
) -> None:
    settings = settings_of(server, tmp_path, **{"storage.backend": "sqlite"})
    async with harness_of(settings, code) as app:
        session = await app.open(PERSONAS[code], session="s")
        await session.say(TOLD[code][0])
        await session.settled()
        server.kill()
        with capture_logs() as logs:
            for text in TOLD[code][1:3]:
                assert (await session.say(text)).text == REPLY[code]
            await session.settled()
        assert {entry["event"] for entry in logs} >= {"memory_failed", "short_term_failed"}
        context = (await session.report()).context
        assert context is not None
        assert any("cannot be reached" in warning for warning in context.warnings)
        server.start()
        await session.say(TOLD[code][3])
        await session.settled()
    assert await check_against_the_journal(settings, code) == 4


async def test_a_session_store_that_is_away_is_an_error_and_the_turn_can_be_repeated(
    server: RedisServer, code: str, tmp_path: Path
) -> None:
    settings = settings_of(server, tmp_path)
    async with harness_of(settings, code) as app:
        session = await app.open(PERSONAS[code], session="s")
        await session.say(TOLD[code][0])
        await session.settled()
        server.kill()
        for _ in range(2):
            with pytest.raises(StoreError, match="cannot be reached") as caught:
                await session.say(TOLD[code][1])
            assert "harness doctor" in caught.value.remedy
        server.start()
        assert (await session.say(TOLD[code][1])).number == 2
    assert await check_against_the_journal(settings, code) == 2


async def test_a_server_that_hangs_is_given_up(server: RedisServer, tmp_path: Path) -> None:
    settings = settings_of(server, tmp_path, **{"storage.timeout_s": "2", "memory.timeout_s": "2"})
    async with harness_of(settings, "en") as app:
        session = await app.open("mia", session="s")
        await session.say(TOLD["en"][0])
        await session.settled()
        server.pause()
        try:
            with pytest.raises(HarnessError, match="did not answer within"):
                await asyncio.wait_for(session.say(TOLD["en"][1]), 120)
        finally:
            server.resume()
        assert (await session.say(TOLD["en"][1])).number in (2, 3), "what the server had taken in before it hung counts"
    await check_against_the_journal(settings, "en")


# --- programs that share a server ----------------------------------------------------------------------------------

WRITER = "store_writer.py"


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[RedisServer]:
    made = RedisServer(tmp_path / "redis")
    made.start()
    yield made
    made.stop()


async def test_two_programs_in_one_session_lose_nothing(shared: RedisServer) -> None:
    store = RedisSessionStore(RedisOptions(shared.url))
    await store.create(sample_info("s1"))
    programs = [start(WRITER, "compete", shared.url, name) for name in ("a", "b")]
    said = [line for program in programs for line in await asyncio.to_thread(finish, program)]
    versions = [int(line[2]) for line in said if line[0] == "appended"]
    assert sorted(versions) == list(range(1, 81)), "each version was given once"
    branch = await store.branch("s1", (await store.info("s1")).head)
    assert sorted(record.id for record in branch) == sorted(f"{name}-{n}" for name in "ab" for n in range(40))
    assert [record.number for record in branch] == list(range(1, 81))
    await store.close()


async def test_a_program_that_is_killed_while_writing_loses_nothing_acknowledged(shared: RedisServer) -> None:
    acknowledged: list[list[str]] = []
    for round_number, lines in enumerate((4, 40, 23)):
        program = start(WRITER, "loop", shared.url, f"r{round_number}")
        acknowledged += (await asyncio.to_thread(kill_after, program, lines))[1:]
        store = RedisSessionStore(RedisOptions(shared.url))
        info = await store.info("s1")
        stored = {record.id: record for record in await store.records("s1")}
        for word, turn_id, version in acknowledged:
            assert turn_id in stored
            assert word == "appended" or stored[turn_id].phase == "done"
            assert int(version) <= info.version
        assert info.version <= len(acknowledged) + round_number + 1, "at most one write of a round was not told"
        assert [record.id for record in await store.branch("s1", info.head)] == list(stored)
        await store.close()
