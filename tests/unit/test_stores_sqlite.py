# ruff: noqa: ASYNC240 - what is on the disk is what these tests are about
"""What only the SQLite store does: its file, its thread, its locks, its cost."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harness.adapters.stores import BACKENDS, StoreOptions, _sqlite_journal, _sqlite_layout
from harness.adapters.stores._sqlite_journal import Journal
from harness.adapters.stores.memory import MemorySessionStore
from harness.adapters.stores.sqlite import SQLiteSessionStore
from harness.errors import SessionNotFound, SettingsError, StoreError, TurnNotFound
from harness.testing.conformance.samples import EVENING_IN_SHANGHAI, NOON, sample_info, sample_record, sample_state
from tests.unit._sqlite_files import fill, sql

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.conftest import Places


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sessions.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SQLiteSessionStore]:
    store = SQLiteSessionStore(path, busy_timeout_s=0.2)
    yield store
    await store.close()


# --- the table of backends ---------------------------------------------------------------------------------------


def test_backends_build_what_their_options_say(path: Path) -> None:
    assert {"memory", "sqlite"} <= set(BACKENDS)
    assert isinstance(BACKENDS["memory"].open(StoreOptions()), MemorySessionStore)
    assert isinstance(BACKENDS["sqlite"].open(StoreOptions(path=path)), SQLiteSessionStore)
    assert (BACKENDS["memory"].durable, BACKENDS["sqlite"].durable) == (False, True)


@pytest.mark.parametrize("options", [{"synchronous": "normal"}, {"synchronous": "1; DROP TABLE x"}])
def test_unknown_synchronous_setting_is_refused(path: Path, options: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match="NORMAL"):
        SQLiteSessionStore(path, **options)


@pytest.mark.parametrize("seconds", [-1.0, float("nan")])
def test_impossible_busy_timeout_is_refused(path: Path, seconds: float) -> None:
    with pytest.raises(SettingsError, match="busy_timeout_s"):
        SQLiteSessionStore(path, busy_timeout_s=seconds)


# --- the file ----------------------------------------------------------------------------------------------------


async def test_nothing_is_created_before_the_first_call(path: Path) -> None:
    store = SQLiteSessionStore(path)
    await store.close()
    assert not path.exists()


async def test_missing_folders_are_made(tmp_path: Path) -> None:
    store = SQLiteSessionStore(str(tmp_path / "a" / "会话" / "sessions.db"))
    await store.open()
    await store.open()
    await store.close()
    assert (tmp_path / "a" / "会话" / "sessions.db").is_file()


async def test_file_is_in_wal_mode_and_says_whose_it_is(store: SQLiteSessionStore, path: Path) -> None:
    await fill(store)
    assert sql(path, "PRAGMA journal_mode") == [("wal",)]
    assert sql(path, "PRAGMA application_id") == [(0x64686E73,)]
    assert sql(path, "PRAGMA user_version") == [(len(_sqlite_layout.LAYOUTS),)]


async def test_close_leaves_one_file_that_can_be_removed(store: SQLiteSessionStore, path: Path) -> None:
    await fill(store)
    await store.close()
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]
    path.unlink()


async def test_close_ends_the_thread(path: Path) -> None:
    store = SQLiteSessionStore(path)
    thread = await store._file.run(lambda _: threading.current_thread())
    assert thread.is_alive()
    await store.close()
    await asyncio.to_thread(thread.join, 5)
    assert not thread.is_alive()


async def test_deleted_words_are_gone_from_the_file(store: SQLiteSessionStore, path: Path) -> None:
    words = "the vault code is 90210"
    await fill(store)
    await store.append("s1", sample_record("x", None, 1, reply=words * 2000), expected_version=3)
    await store.amend("s1", sample_record("x", None, 1, reply=f"{words}!"), expected_version=4)
    await store.save_snapshot("s1", "x", sample_state(language=words))
    await store.create(sample_info("s2"))
    await store.delete("s1")
    files = list(path.parent.iterdir())
    assert path in files
    assert not [file.name for file in files if words.encode() in file.read_bytes()]


async def test_long_log_is_cut_back(store: SQLiteSessionStore, path: Path) -> None:
    await store.create(sample_info("s1"))
    text = "long " * 200_000
    for version in range(30):
        await store.append("s1", sample_record(f"t{version}", None, 1, reply=text), expected_version=version)
    assert path.with_name("sessions.db-wal").stat().st_size <= 16 * 1024 * 1024 + 2_000_000


# --- times -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BACKENDS)
async def test_time_of_last_change_is_that_of_the_record(name: str, tmp_path: Path, server_place: Places) -> None:
    place = server_place(BACKENDS[name].server, tmp_path)
    store = BACKENDS[name].open(StoreOptions(path=tmp_path / "sessions.db", **place))
    await store.create(sample_info("s1"))
    assert (await store.info("s1")).updated_at == NOON
    await store.append("s1", sample_record("t1"), expected_version=0)
    assert (await store.info("s1")).updated_at == NOON
    started = sample_record("t2", "t1", 2, started_at=EVENING_IN_SHANGHAI)
    await store.append("s1", started, expected_version=1)
    info = await store.info("s1")
    assert info.updated_at is not None
    assert info.updated_at.isoformat() == EVENING_IN_SHANGHAI.isoformat()
    await store.amend("s1", started.model_copy(update={"replied_at": NOON}), expected_version=2)
    assert (await store.info("s1")).updated_at == NOON
    assert (await store.info("s1")).created_at == NOON
    await store.close()


# --- the thread --------------------------------------------------------------------------------------------------


async def test_all_sql_runs_in_one_thread_that_is_not_the_callers(store: SQLiteSessionStore) -> None:
    names = {await store._file.run(lambda _: threading.current_thread().name) for _ in range(3)}
    assert len(names) == 1
    assert names != {threading.current_thread().name}


async def test_queued_call_that_is_cancelled_never_happens(store: SQLiteSessionStore) -> None:
    version = await fill(store)
    release = threading.Event()
    blocking = asyncio.create_task(store._file.run(lambda _: release.wait(5)))
    await asyncio.sleep(0.01)
    queued = asyncio.create_task(store.append("s1", sample_record("t4", "t3", 4), expected_version=version))
    await asyncio.sleep(0)
    queued.cancel()
    with pytest.raises(asyncio.CancelledError):
        await queued
    release.set()
    assert await blocking
    assert await store.version("s1") == version
    assert len(await store.records("s1")) == version


async def test_begun_call_that_is_cancelled_is_completed(
    store: SQLiteSessionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = await fill(store)
    begun, release = threading.Event(), threading.Event()
    current = Journal._current

    def slow(self: Journal, *values: Any) -> Any:
        begun.set()
        release.wait(5)
        return current(self, *values)

    monkeypatch.setattr(Journal, "_current", slow)
    writing = asyncio.create_task(store.append("s1", sample_record("t4", "t3", 4), expected_version=version))
    assert await asyncio.to_thread(begun.wait, 5)
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    release.set()
    assert await store.version("s1") == version + 1
    assert (await store.record("s1", "t4")).number == 4


async def test_error_inside_a_transaction_rolls_it_back(
    store: SQLiteSessionStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = await fill(store)

    def fail(*_: object, **__: object) -> int:
        message = "halfway"
        raise RuntimeError(message)

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "_changed", fail)
        with pytest.raises(RuntimeError, match="halfway"):
            await store.append("s1", sample_record("t4", "t3", 4), expected_version=version)
    assert await store.version("s1") == version
    with pytest.raises(TurnNotFound):
        await store.record("s1", "t4")
    assert sql(path, "BEGIN IMMEDIATE") == []


async def test_store_outlives_an_event_loop(path: Path) -> None:
    store = SQLiteSessionStore(path)
    await asyncio.to_thread(lambda: asyncio.run(store.create(sample_info("s1"))))
    assert (await store.info("s1")).id == "s1"
    await store.close()


async def test_cancelled_close_closes_all_the_same(path: Path) -> None:
    store = SQLiteSessionStore(path)
    await fill(store)
    closing_task = asyncio.create_task(store.close())
    await asyncio.sleep(0)
    closing_task.cancel()
    await asyncio.wait([closing_task])
    for _ in range(100):
        if not path.with_name("sessions.db-wal").exists():
            break
        await asyncio.sleep(0.01)
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


async def test_other_coroutines_run_while_the_store_waits_for_a_lock(store: SQLiteSessionStore, path: Path) -> None:
    version = await fill(store)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        writing = asyncio.create_task(store.move_head("s1", "t1", expected_version=version))
        started, ticks = time.monotonic(), 0
        while not writing.done() and time.monotonic() - started < 3:
            await asyncio.sleep(0.005)
            ticks += 1
        assert ticks > 5
        with pytest.raises(StoreError, match="lock"):
            await writing


# --- locks -------------------------------------------------------------------------------------------------------


async def test_lock_beyond_the_busy_timeout_is_a_clear_error(store: SQLiteSessionStore, path: Path) -> None:
    version = await fill(store)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match=r"more than 0\.2 s") as raised:
            await store.append("s1", sample_record("t4", "t3", 4), expected_version=version)
        assert "Close the other program" in str(raised.value)
        assert len(await store.records("s1")) == version
        other.execute("ROLLBACK")
    await store.append("s1", sample_record("t4", "t3", 4), expected_version=version)


async def test_lock_within_the_busy_timeout_is_waited_for(path: Path) -> None:
    store = SQLiteSessionStore(path, busy_timeout_s=5)
    version = await fill(store)
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        timer = threading.Timer(0.05, lambda: other.execute("ROLLBACK"))
        timer.start()
        assert await store.move_head("s1", "t1", expected_version=version) == version + 1
        timer.join()
    await store.close()


async def test_many_stores_may_create_the_same_file_at_once(path: Path) -> None:
    stores = [SQLiteSessionStore(path) for _ in range(8)]
    await asyncio.gather(*(store.create(sample_info(f"s{number}")) for number, store in enumerate(stores)))
    assert len(await stores[0].sessions()) == 8
    for store in stores:
        await store.close()


# --- cost --------------------------------------------------------------------------------------------------------


async def test_listing_and_short_branches_read_no_other_records(store: SQLiteSessionStore, path: Path) -> None:
    await fill(store, turns=5)
    sql(path, "UPDATE records SET document = 'unreadable' WHERE number <= 3")
    assert [info.turns for info in await store.sessions()] == [5]
    assert [record.id for record in await store.branch("s1", "t5", after="t3")] == ["t4", "t5"]


@pytest.mark.parametrize("statement", ["_BRANCH", "_SNAPSHOTS", "_DROP_SNAPSHOTS"])
async def test_walking_the_tree_scans_no_table(store: SQLiteSessionStore, statement: str) -> None:
    text = f"EXPLAIN QUERY PLAN {getattr(_sqlite_journal, statement)}"
    values = {"session": "s1", "turn": "t1", "after": None}
    plan = await store._file.run(lambda journal: journal._connection.execute(text, values).fetchall())
    scans = {row[3].split()[1] for row in plan if row[3].startswith("SCAN ")}
    assert scans.isdisjoint({"sessions", "records", "snapshots", "above"})
    assert any("USING" in row[3] for row in plan)


# --- places ------------------------------------------------------------------------------------------------------


async def test_memory_store_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    store = SQLiteSessionStore(":memory:")
    await fill(store)
    assert await store.check() == ()
    await store.close()
    assert list(tmp_path.iterdir()) == []


async def test_id_that_is_not_unicode_is_a_clear_error(store: SQLiteSessionStore) -> None:
    await store.open()
    with pytest.raises(StoreError, match="cannot be stored"):
        await store.info("\ud800")
    with pytest.raises(SessionNotFound):
        await store.info("s1")
