"""PostgreSQL killed in mid-turn, restarted, silent, or full of other programs: nothing is lost, and nothing is written twice."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.adapters.memories.postgres import PostgresMemoryStore
from harness.adapters.stores.postgres import PostgresSessionStore
from harness.app import Harness
from harness.errors import ConflictError, StoreError
from harness.ports import MemoryEntry, MemoryFilter, MemoryQuery
from harness.session import initial_state, rebuild
from harness.settings import load
from harness.state.memory import MemoryItem
from harness.testing.conformance.samples import sample_info, sample_record
from harness.testing.postgres import PostgresForTests
from harness.testing.scripted_model import ScriptedModel

EVERYTHING = MemoryFilter(everything=True, statuses=())
TALK = {
    "en": ("mia", ["I have a cat named Biscuit.", "I live in Porto.", "I am allergic to nuts."], "Good to know."),
    "zh": ("lin", ["我养了一只猫，叫饼干。", "我住在苏州。", "我对坚果过敏。"], "知道了。"),
}


@pytest.fixture
def server(postgres_server: PostgresForTests) -> Iterator[PostgresForTests]:
    """The server of the worker, running again at the end."""
    yield postgres_server
    if not postgres_server.pid:
        postgres_server.start()


@pytest.fixture
async def sessions(server: PostgresForTests) -> AsyncIterator[PostgresSessionStore]:
    store = PostgresSessionStore(server.new_place(), timeout_s=2)
    await store.create(sample_info("s1"))
    yield store
    await store.close()


def harness_on(model: ScriptedModel, tmp_path: Path, **storage: Any) -> Harness:
    chosen = {
        "harness.analysis": "rules",
        "harness.summarize_with": "rules",
        "harness.seed": 7,
        "harness.background": "false",
        **storage,
    }
    return Harness(load(start=tmp_path, environ={}, overrides=chosen), model=model)


async def assert_equal_to_the_journal(harness: Harness, session_id: str) -> list[str]:
    """What the branch of the journal says is in memory, each once; and nothing else. Gives what the user said."""
    store, memory = harness.store(), harness.memory_store()
    assert memory is not None
    info = await store.info(session_id)
    branch = await store.branch(session_id, info.head)
    assert [record.phase for record in branch] == ["done"] * len(branch)
    assert [record.number for record in branch] == list(range(1, len(branch) + 1))
    assert await memory.followed(session_id) == info.head
    items = await memory.browse(EVERYTHING, limit=1000)
    written = {write.id for record in branch for write in record.memory}
    said = Counter(item.turn_id for item in items if item.kind == "message" and item.speaker == "user")
    assert said == Counter(record.id for record in branch)
    assert written <= {item.id for item in items}
    assert {item.status for item in items} == {"active"}
    state = rebuild(initial_state(info), branch)
    found = await memory.search(MemoryQuery(EVERYTHING, ("nothing",)))
    assert found.documents == len(items)
    assert {fact.value for fact in state.active_facts("user")} <= {item.value for item in items}
    return [record.user_text for record in branch]


@pytest.mark.parametrize("code", TALK)
async def test_killed_while_the_model_answers(tmp_path: Path, server: PostgresForTests, code: str) -> None:
    persona, texts, reply = TALK[code]
    place = server.new_place()
    calls: list[object] = []

    def answer(request: object) -> str:
        calls.append(request)
        if len(calls) == 2:
            server.kill()
        return reply

    on_server = {"storage.backend": "postgres", "storage.url": place, "storage.timeout_s": 2, "memory.timeout_s": 2}
    async with harness_on(ScriptedModel(answer), tmp_path, **on_server) as harness:
        session = await harness.open(persona, session="s")
        assert (await session.say(texts[0])).text == reply
        with pytest.raises(StoreError, match=r"cannot be reached|went away") as raised:
            await session.say(texts[1])
        assert "Start the server" in str(raised.value)
        with pytest.raises(StoreError, match="cannot be reached"):
            await session.say(texts[1])
        server.start()
        for text in texts[1:]:
            assert (await session.say(text)).text == reply
        assert await assert_equal_to_the_journal(harness, "s") == texts


@pytest.mark.parametrize("code", TALK)
async def test_killed_at_any_moment_of_a_turn(tmp_path: Path, server: PostgresForTests, code: str) -> None:
    persona, _, reply = TALK[code]
    place, chance = server.new_place(), random.Random(3)
    on_server = {"storage.backend": "postgres", "storage.url": place, "storage.timeout_s": 2, "memory.timeout_s": 2}
    failed, said = 0, list[str]()
    async with harness_on(ScriptedModel(reply), tmp_path, **on_server) as harness:
        session = await harness.open(persona, session="s")
        for _ in range(30):
            if failed >= 4:
                break
            killing = asyncio.create_task(asyncio.to_thread(_kill_soon, server, chance.uniform(0.0, 0.3)))
            while not killing.done():
                said.append(f"My locker number is {len(said)}." if code == "en" else f"我的柜子号码是{len(said)}号。")
                try:
                    await session.say(said[-1])
                except StoreError:
                    failed += 1
            await killing
            server.start()
        said.append("My sister is called Clara." if code == "en" else "我姐姐叫林芳。")
        await session.say(said[-1])
        kept = await assert_equal_to_the_journal(harness, "s")
        # At most what was answered with an error is not there; all is in its order, and nothing twice.
        assert [text for text in said if text in kept] == kept
        assert len(said) - len(kept) <= failed
    assert failed >= 4, "the server was hardly ever killed in the middle of a turn"


@pytest.mark.parametrize("code", TALK)
async def test_memory_away_is_a_warning_and_is_made_up_for(tmp_path: Path, server: PostgresForTests, code: str) -> None:
    persona, texts, reply = TALK[code]
    overrides = {
        "storage.path": str(tmp_path / "sessions.db"),
        "memory.backend": "postgres",
        "memory.url": server.new_place(),
        "memory.timeout_s": 2,
    }
    calls: list[object] = []

    def answer(request: object) -> str:
        calls.append(request)
        if len(calls) == 1:
            server.kill()
        return reply

    async with harness_on(ScriptedModel(answer), tmp_path, **overrides) as harness:
        session = await harness.open(persona, session="s")
        for text in texts[:2]:
            assert (await session.say(text)).text == reply
        branch = await session.branch()
        assert any(event.kind == "memory_failed" for event in branch[0].events)
        assert any("memory could not be read" in warning for warning in branch[1].context.warnings)
        server.start()
        assert (await session.say(texts[2])).text == reply
        memory = harness.memory_store()
        assert memory is not None
        assert await memory.followed("s") == (await session.branch())[-1].id
        said = [item.text for item in await memory.browse(EVERYTHING, limit=1000) if item.kind == "message"]
        for text in texts:
            assert sum(text in one for one in said) == 1


async def test_killed_while_writing_loses_nothing_acknowledged(server: PostgresForTests) -> None:
    place, chance = server.new_place(), random.Random(5)
    store = PostgresSessionStore(place, timeout_s=2)
    memory = PostgresMemoryStore(place, timeout_s=2)
    await store.create(sample_info("s1"))
    version, head, acknowledged = 0, None, list[str]()
    for _ in range(3):
        killing = asyncio.create_task(asyncio.to_thread(_kill_soon, server, chance.uniform(0.05, 0.4)))

        async def write(version: int, head: str | None, acknowledged: list[str]) -> None:
            while True:
                name = f"t{version}"
                record = sample_record(name, head, version + 1, reply="half a record would end in here " * 400)
                version = await store.append("s1", record, expected_version=version)
                head = name
                await memory.follow("s1", name, put=[_entry(name)], hide=[f"t{version - 2}"])
                acknowledged.append(name)

        with pytest.raises(StoreError):
            await write(version, head, acknowledged)
        await killing
        server.start()
        info = await store.info("s1")
        stored = [record.id for record in await store.branch("s1", info.head)]
        assert stored[: len(acknowledged)] == acknowledged
        assert len(stored) - len(acknowledged) in (0, 1)
        assert info.version == len(stored)
        followed = await memory.followed("s1")
        assert followed in stored[len(acknowledged) - 1 :]
        active = await memory.browse(MemoryFilter(everything=True), limit=1000)
        assert [item.id for item in active] == [followed]
        # As the engine does: what memory missed it gets from the journal.
        if followed != stored[-1]:
            await memory.follow("s1", stored[-1], put=[_entry(stored[-1])], hide=[str(followed)])
        version, head, acknowledged = info.version, info.head, stored
    found = await memory.search(MemoryQuery(EVERYTHING, ("word",), limit=10_000))
    assert len(found.hits) == found.documents == found.frequencies["word"] == len(acknowledged)
    await store.close()
    await memory.close()


async def test_restarted_between_calls_is_not_noticed(server: PostgresForTests) -> None:
    place = server.new_place()
    store, memory = PostgresSessionStore(place), PostgresMemoryStore(place)
    await store.create(sample_info("s1"))
    # Several connections, all of which the restart ends.
    await asyncio.gather(*(store.version("s1") for _ in range(8)), *(memory.followed("s1") for _ in range(8)))
    server.kill()
    server.start()
    assert await store.append("s1", sample_record("t1", None, 1), expected_version=0) == 1
    await memory.put([_entry("t1")])
    assert await asyncio.gather(*(store.version("s1") for _ in range(8))) == [1] * 8
    assert [item.id for item in await memory.browse(EVERYTHING)] == ["t1"]
    server.kill()
    server.start()
    # More calls at once than there are connections, all of which are lost.
    assert await asyncio.gather(*(store.version("s1") for _ in range(24))) == [1] * 24
    await store.close()
    await memory.close()


async def test_a_write_whose_answer_was_lost_is_not_written_twice(
    sessions: PostgresSessionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = sessions._server
    done = server._done
    lost = 0

    async def cut_off(connection: Any, *arguments: Any, again: bool) -> Any:
        nonlocal lost
        result = await done(connection, *arguments, again=again)
        if not again:
            lost += 1
            await connection.close()
            raise server.driver.OperationalError("server closed the connection unexpectedly")
        return result

    monkeypatch.setattr(server, "_done", cut_off)
    record = sample_record("t1", None, 1, phase="record")
    assert await sessions.append("s1", record, expected_version=0) == 1
    assert await sessions.amend("s1", record.model_copy(update={"phase": "done"}), expected_version=1) == 2
    assert await sessions.move_head("s1", None, expected_version=2) == 3
    await sessions.create(sample_info("s2"))
    await sessions.delete("s2")
    with pytest.raises(ConflictError):
        await sessions.append("s1", sample_record("t2", None, 1), expected_version=1)
    assert lost >= 5
    assert [found.id for found in await sessions.records("s1")] == ["t1"]
    assert await sessions.version("s1") == 3
    assert [info.id for info in await sessions.sessions()] == ["s1"]


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="a process cannot be stopped here")
async def test_a_server_that_hangs_is_given_up(sessions: PostgresSessionStore) -> None:
    ((pid,),) = await sessions._server.one(lambda sql: sql.rows("SELECT pg_backend_pid()"))
    sessions._server._timeout_s = 0.3
    os.kill(pid, signal.SIGSTOP)
    try:
        began = time.monotonic()
        with pytest.raises(StoreError, match="gave no answer within"):
            await sessions.version("s1")
        assert time.monotonic() - began < 15
    finally:
        os.kill(pid, signal.SIGCONT)
    sessions._server._timeout_s = 5
    assert await sessions.version("s1") == 0


async def test_a_statement_that_takes_too_long_is_given_up(server: PostgresForTests) -> None:
    store = PostgresSessionStore(server.new_place(), timeout_s=0.5)
    with pytest.raises(StoreError, match=r"gave no answer within 0\.5 s"):
        await store._server.one(lambda sql: sql.rows("SELECT pg_sleep(3)"))
    assert await store.sessions() == ()
    await store.close()


async def test_all_connections_in_use_is_said(server: PostgresForTests) -> None:
    store = PostgresSessionStore(server.new_place(), timeout_s=0.5, pool_size=1)
    await store.sessions()
    store._server._timeout_s = 5
    pool = await store._server._ready()
    connection = await pool.getconn()
    store._server._timeout_s = 0.3
    with pytest.raises(StoreError, match="All 1 connections") as raised:
        await store.sessions()
    assert "Raise pool_size" in str(raised.value)
    await pool.putconn(connection)
    assert await store.sessions() == ()
    await store.close()


async def test_many_programs_make_the_tables_at_once(server: PostgresForTests) -> None:
    place = server.new_place()
    stores = [PostgresMemoryStore(place, pool_size=1) for _ in range(12)]
    await asyncio.gather(*(store.put([_entry(f"i{number}")]) for number, store in enumerate(stores)))
    assert len(await stores[0].browse(EVERYTHING)) == 12
    found = await stores[1].search(MemoryQuery(EVERYTHING, ("word",)))
    assert (found.documents, found.frequencies["word"]) == (12, 12)
    for store in stores:
        await store.close()


async def test_two_writers_of_one_memory_keep_the_counts(server: PostgresForTests) -> None:
    place = server.new_place()
    stores = [PostgresMemoryStore(place) for _ in "ab"]

    async def work(store: PostgresMemoryStore, name: str) -> None:
        for number in range(20):
            await store.follow(name, f"t{number}", put=[_entry(f"{name}{number}"), _entry("shared", name)])
            if number % 5 == 4:
                await store.delete([f"{name}{number - 1}"])

    await asyncio.gather(*(work(store, name) for store, name in zip(stores, "ab", strict=True)))
    items = await stores[0].browse(EVERYTHING, limit=1000)
    assert len(items) == 2 * 16 + 1
    found = await stores[1].search(MemoryQuery(EVERYTHING, ("word", "a", "b"), limit=1000))
    assert found.documents == found.frequencies["word"] == len(found.hits) == len(items)
    assert found.frequencies["a"] + found.frequencies["b"] == 1
    for store in stores:
        await store.close()


def _kill_soon(server: PostgresForTests, seconds: float) -> None:
    time.sleep(seconds)
    server.kill()


def _entry(name: str, *terms: str) -> MemoryEntry:
    item = MemoryItem(id=name, layer="L2", kind="message", text=name, session="s1", turn_id=name)
    return MemoryEntry(item, ("word", *terms))
