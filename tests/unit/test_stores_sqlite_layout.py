# ruff: noqa: ASYNC240 - what is on the disk is what these tests are about
"""Layout migrations of the SQLite store, and documents in it that are newer, altered or of the wrong shape."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harness.adapters.stores import _sqlite_layout
from harness.adapters.stores.sqlite import SQLiteSessionStore
from harness.errors import CorruptStore, NewerSchema, StoreError
from harness.state.dialogue import SCHEMA_VERSION
from harness.testing.conformance.samples import sample_state
from tests.unit._sqlite_files import fill, sql

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sessions.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SQLiteSessionStore]:
    store = SQLiteSessionStore(path, busy_timeout_s=0.2)
    yield store
    await store.close()


async def test_newer_layout_is_refused_and_left_untouched(path: Path) -> None:
    store = SQLiteSessionStore(path)
    await fill(store)
    await store.close()
    sql(path, "PRAGMA user_version = 99")
    before = path.read_bytes()
    store = SQLiteSessionStore(path)
    for _ in range(2):
        with pytest.raises(NewerSchema, match="layout 99") as raised:
            await store.sessions()
        assert raised.value.details["path"] == str(path)
    await store.close()
    assert path.read_bytes() == before


async def test_layout_is_brought_up_to_date_once_and_keeps_the_data(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SQLiteSessionStore(path)
    await fill(store)
    await store.close()
    second = ("ALTER TABLE sessions ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0", "CREATE TABLE extra (x INTEGER)")
    connect = _sqlite_layout.connect

    def connect_newer(place: Path | str, **options: Any) -> sqlite3.Connection:
        return connect(place, **options, layouts=(*_sqlite_layout.LAYOUTS, second))

    monkeypatch.setattr("harness.adapters.stores.sqlite.connect", connect_newer)
    for _ in range(2):
        store = SQLiteSessionStore(path)
        assert [info.id for info in await store.sessions()] == ["s1"]
        assert len(await store.records("s1")) == 3
        await store.close()
    assert sql(path, "PRAGMA user_version") == [(len(_sqlite_layout.LAYOUTS) + 1,)]
    assert sql(path, "SELECT pinned FROM sessions") == [(0,)]


async def test_layout_migration_that_fails_changes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SQLiteSessionStore(path)
    await fill(store)
    await store.close()
    broken = ("CREATE TABLE extra (x INTEGER)", "ALTER TABLE nowhere ADD COLUMN x")
    connect = _sqlite_layout.connect
    with monkeypatch.context() as patch:
        patch.setattr(
            "harness.adapters.stores.sqlite.connect",
            lambda place, **options: connect(place, **options, layouts=(*_sqlite_layout.LAYOUTS, broken)),
        )
        store = SQLiteSessionStore(path)
        with pytest.raises(StoreError, match="nowhere"):
            await store.sessions()
        await store.close()
    assert sql(path, "SELECT count(*) FROM sqlite_master WHERE name = 'extra'") == [(0,)]
    store = SQLiteSessionStore(path)
    assert len(await store.records("s1")) == 3
    await store.close()


async def rewrite(path: Path, statement: str, document: str, *values: object) -> None:
    import zlib

    sql(path, statement, zlib.crc32(document.encode()), document, *values)


async def test_newer_document_is_refused_and_left_untouched(store: SQLiteSessionStore, path: Path) -> None:
    await fill(store)
    newer = '{"schema_version": 77, "hologram": true}'
    await rewrite(path, "UPDATE records SET checksum = ?, document = ? WHERE id = ?", newer, "t2")
    for call in (lambda: store.record("s1", "t2"), lambda: store.records("s1"), lambda: store.branch("s1", "t3")):
        with pytest.raises(NewerSchema, match="77") as raised:
            await call()
        assert "'t2'" in str(raised.value)
        assert raised.value.details["path"] == str(path)
    assert len(await store.branch("s1", "t3", after="t2")) == 1
    assert sql(path, "SELECT document FROM records WHERE id = 't2'") == [(newer,)]
    await rewrite(path, "UPDATE session_documents SET checksum = ?, document = ?", newer)
    with pytest.raises(NewerSchema, match="77"):
        await store.sessions()
    assert await store.version("s1") == 3


async def test_failed_read_does_not_pin_an_old_view_of_the_file(store: SQLiteSessionStore, path: Path) -> None:
    version = await fill(store)
    sql(path, "UPDATE records SET checksum = 0")
    sql(path, "UPDATE session_documents SET checksum = 0")
    kept = []  # an error keeps its traceback alive, and with it every local variable of the failed call
    for call in (lambda: store.records("s1"), store.sessions, lambda: store.branch("s1", "t3")):
        with pytest.raises(CorruptStore) as raised:
            await call()
        kept.append(raised)
    other = SQLiteSessionStore(path)
    await other.move_head("s1", "t1", expected_version=version)
    await other.close()
    assert await store.version("s1") == version + 1
    await store.move_head("s1", "t3", expected_version=version + 1)


async def test_document_of_the_wrong_shape_is_corrupt(store: SQLiteSessionStore, path: Path) -> None:
    await fill(store)
    await rewrite(path, "UPDATE records SET checksum = ?, document = ? WHERE id = 't2'", '{"schema_version": 1}')
    with pytest.raises(CorruptStore, match="'t2'") as raised:
        await store.records("s1")
    assert raised.value.details["path"] == str(path)
    assert (await store.record("s1", "t3")).id == "t3"


async def test_altered_text_is_noticed(store: SQLiteSessionStore, path: Path) -> None:
    await fill(store)
    assert await store.check() == ()
    sql(path, "UPDATE records SET document = replace(document, 'say t2', 'say t9') WHERE id = 't2'")
    with pytest.raises(CorruptStore, match="checksum"):
        await store.record("s1", "t2")
    assert await store.check() == ("records: row 2 was altered",)


async def test_check_reports_dangling_references(store: SQLiteSessionStore, path: Path) -> None:
    await fill(store)
    sql(path, "DELETE FROM records WHERE id = 't2'")
    assert any("records" in problem for problem in await store.check())
    with pytest.raises(CorruptStore, match="'t2'"):
        await store.branch("s1", "t3")
    assert (await store.record("s1", "t3")).id == "t3"


async def test_hidden_turn_and_missing_persona_are_noticed(store: SQLiteSessionStore, path: Path) -> None:
    await fill(store)
    sql(path, "DELETE FROM records WHERE id = 't3'")
    with pytest.raises(CorruptStore, match="only 2 of the 3 turns"):
        await store.records("s1")
    sql(path, "DELETE FROM session_documents")
    for call in (store.sessions, lambda: store.info("s1")):
        with pytest.raises(CorruptStore, match="persona"):
            await call()


async def test_exchanged_records_are_noticed(store: SQLiteSessionStore, path: Path) -> None:
    await fill(store)
    sql(path, "UPDATE records SET id = 'x' WHERE id = 't3'")
    with pytest.raises(CorruptStore, match="holds turn 't3'"):
        await store.record("s1", "x")
    sql(path, "UPDATE records SET id = 't3', parent = 't1' WHERE id = 'x'")
    with pytest.raises(CorruptStore, match="hangs below 't1'"):
        await store.branch("s1", "t3")


@pytest.mark.parametrize(
    "document",
    [
        "",
        "{",
        '{"schema_version": 77}',
        sample_state(9).model_copy(update={"schema_version": SCHEMA_VERSION + 1}).model_dump_json(),
    ],
)
async def test_unreadable_snapshot_counts_as_none(store: SQLiteSessionStore, path: Path, document: str) -> None:
    await fill(store)
    await store.save_snapshot("s1", "t1", sample_state(1))
    await store.save_snapshot("s1", "t3", sample_state(3))
    await rewrite(path, "UPDATE snapshots SET checksum = ?, document = ? WHERE turn_id = 't3'", document)
    assert await store.snapshot("s1", "t3") == ("t1", sample_state(1))
    await rewrite(path, "UPDATE snapshots SET checksum = ?, document = ?", document)
    assert await store.snapshot("s1", "t3") is None


async def test_altered_snapshot_counts_as_none(store: SQLiteSessionStore, path: Path) -> None:
    await fill(store)
    await store.save_snapshot("s1", "t3", sample_state(3))
    sql(path, "UPDATE snapshots SET document = replace(document, '苏州', '杭州')")
    assert await store.snapshot("s1", "t3") is None
