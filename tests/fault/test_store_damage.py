# ruff: noqa: ASYNC240 - what is on the disk is what these tests are about
"""The SQLite store on files that are damaged, foreign or misplaced: a clear error, and the file as it was."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import pytest

from harness.adapters.stores.sqlite import SQLiteSessionStore
from harness.errors import CorruptStore, HarnessError, NewerSchema, StoreError
from harness.testing.conformance.samples import full_record, sample_info, sample_record, sample_state

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from harness.state.record import SessionInfo, TurnRecord

PAGE = 4096
HEADER = 100
JOURNAL_BYTES = (18, 19)
"""Of the header: the versions of the file format for writing and reading (sqlite.org, file format, 1.3.3)."""
TURNS = 8
UNCHECKED = ("version", "head", "turns", "updated_at")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sessions.db"


async def fill(path: Path) -> tuple[tuple[SessionInfo, ...], tuple[TurnRecord, ...]]:
    store = SQLiteSessionStore(path)
    await store.create(sample_info("s1"))
    for number in range(1, TURNS + 1):
        record = full_record(f"t{number}", f"t{number - 1}" if number > 1 else None, number)
        await store.append("s1", record, expected_version=number - 1)
    await store.save_snapshot("s1", "t2", sample_state(2))
    everything = (await store.sessions(), await store.records("s1"))
    await store.close()
    return everything


async def read(path: Path) -> tuple[tuple[SessionInfo, ...], tuple[TurnRecord, ...]]:
    """Everything there is, by every way of reading."""
    store = SQLiteSessionStore(path, busy_timeout_s=0.1)
    try:
        sessions = await store.sessions()
        records = await store.records("s1")
        assert await store.branch("s1", f"t{TURNS}") == records
        assert await store.snapshot("s1", "t3") in (None, ("t2", sample_state(2)))
        return sessions, records
    finally:
        await store.close()


async def refuses(path: Path, error: type[Exception] = CorruptStore) -> str:
    before = path.read_bytes()
    with pytest.raises(error) as raised:
        await read(path)
    assert path.read_bytes() == before
    assert isinstance(raised.value, HarnessError)
    assert raised.value.details["path"] == str(path)
    assert path.name in str(raised.value)
    return str(raised.value)


@pytest.mark.parametrize(
    "content",
    [
        b"\x00" * 10_000,
        random.Random(1).randbytes(50_000),
        b"SQLite format 3\x00" + random.Random(2).randbytes(20_000),
        b'{"sessions": []}\n',
        "会话\n".encode() * 100,
        b"x",
    ],
    ids=["zeros", "random", "random after the magic", "json", "chinese", "one byte"],
)
async def test_file_that_is_no_database_is_refused(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    message = await refuses(path)
    assert "untouched" in message
    assert "backup" in message


@pytest.mark.parametrize(
    "shorten",
    [lambda size: size - PAGE, lambda size: size // 2, lambda size: size - 1, lambda _: PAGE, lambda _: 99],
    ids=["a page less", "half", "a byte less", "one page", "part of the header"],
)
async def test_truncated_file_is_refused(path: Path, shorten: Callable[[int], int]) -> None:
    await fill(path)
    content = path.read_bytes()
    path.write_bytes(content[: shorten(len(content))])
    await refuses(path)


async def test_empty_file_is_a_new_store(path: Path) -> None:
    """As left behind by a program that was killed while it created the store, and by ``touch``."""
    path.touch()
    store = SQLiteSessionStore(path)
    assert await store.sessions() == ()
    await store.create(sample_info("s1"))
    await store.close()


async def test_flipped_page_is_never_read_as_something_else(path: Path) -> None:
    everything = await fill(path)
    content = path.read_bytes()
    noticed = 0
    for start in range(0, len(content), PAGE):
        damaged = bytearray(content)
        damaged[start : start + PAGE] = bytes(byte ^ 0xFF for byte in damaged[start : start + PAGE])
        path.write_bytes(damaged)
        try:
            # A page that holds an unused index or a snapshot may go unnoticed here; a wrong answer may not.
            assert await read(path) == everything
        except StoreError:
            noticed += 1
        assert path.read_bytes() == damaged
    assert noticed >= len(content) // PAGE // 2


async def test_flipped_byte_is_never_read_as_something_else(path: Path) -> None:
    everything = await fill(path)
    content = path.read_bytes()
    chance = random.Random(7)
    for place in (*range(100), *(chance.randrange(100, len(content)) for _ in range(150))):
        damaged = bytearray(content)
        damaged[place] ^= 1 << chance.randrange(8)
        path.write_bytes(damaged)
        with suppress(StoreError, NewerSchema):
            sessions, records = await read(path)
            assert records == everything[1], f"byte {place}"
            # Version, head, number of turns and time are the only things without a second witness in the file.
            same = sessions[0].model_copy(update={name: getattr(everything[0][0], name) for name in UNCHECKED})
            assert same == everything[0][0], f"byte {place}"
        left = path.read_bytes()
        # SQLite itself writes which of its journals a file has, when it opens one.
        rest = slice(HEADER if place in JOURNAL_BYTES else 0, None)
        assert left[rest] == damaged[rest], f"byte {place}"


async def test_database_of_another_program_is_refused(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE bookmarks (url TEXT)")
        other.commit()
    assert "another program" in await refuses(path)
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


async def test_newer_layout_is_refused(path: Path) -> None:
    await fill(path)
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA user_version = 12")
    assert "Update the package" in await refuses(path, NewerSchema)


# --- the log beside the file -------------------------------------------------------------------------------------


async def crashed(path: Path, place: Path) -> None:
    """Copy a store that is open, log and all: what a crash leaves."""
    store = SQLiteSessionStore(path)
    await store.create(sample_info("s1"))
    await store.append("s1", sample_record("t1"), expected_version=0)
    place.mkdir()
    for file in (path, path.with_name(f"{path.name}-wal")):
        shutil.copy(file, place / file.name)
    await store.close()


async def test_log_left_behind_is_read(path: Path, tmp_path: Path) -> None:
    await crashed(path, tmp_path / "copy")
    store = SQLiteSessionStore(tmp_path / "copy" / path.name)
    assert [record.id for record in await store.records("s1")] == ["t1"]
    assert await store.append("s1", sample_record("t2", "t1", 2), expected_version=1) == 2
    await store.close()


@pytest.mark.parametrize("empty", [True, False])
async def test_log_without_its_file_is_not_thrown_away(path: Path, tmp_path: Path, *, empty: bool) -> None:
    await crashed(path, tmp_path / "copy")
    orphan = tmp_path / "copy" / path.name
    orphan.unlink()
    if empty:
        orphan.touch()
    log = orphan.with_name(f"{path.name}-wal")
    before = log.read_bytes()
    store = SQLiteSessionStore(orphan)
    with pytest.raises(CorruptStore, match="log"):
        await store.sessions()
    await store.close()
    assert log.read_bytes() == before


async def test_meaningless_log_is_ignored(path: Path) -> None:
    everything = await fill(path)
    path.with_name(f"{path.name}-wal").write_bytes(random.Random(3).randbytes(30_000))
    assert await read(path) == everything


async def test_log_cut_off_in_the_middle_keeps_what_was_whole(path: Path, tmp_path: Path) -> None:
    await crashed(path, tmp_path / "copy")
    log = tmp_path / "copy" / f"{path.name}-wal"
    log.write_bytes(log.read_bytes()[:-2000])
    store = SQLiteSessionStore(tmp_path / "copy" / path.name)
    assert await store.records("s1") == ()
    assert await store.version("s1") == 0
    await store.close()


# --- misplaced ---------------------------------------------------------------------------------------------------


async def test_folder_instead_of_a_file(tmp_path: Path) -> None:
    store = SQLiteSessionStore(tmp_path)
    with pytest.raises(StoreError, match="is a folder") as raised:
        await store.sessions()
    assert "sessions.db" in str(raised.value)
    await store.close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", ["file/sessions.db", "file/deeper/sessions.db"])
async def test_file_where_a_folder_should_be(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("mine")
    store = SQLiteSessionStore(tmp_path / place)
    with pytest.raises(StoreError, match="cannot be used"):
        await store.sessions()
    await store.close()
    assert (tmp_path / "file").read_text() == "mine"


async def test_name_that_is_too_long(tmp_path: Path) -> None:
    store = SQLiteSessionStore(tmp_path / ("x" * 5000))
    with pytest.raises(StoreError, match="cannot be"):
        await store.sessions()
    await store.close()


async def test_name_that_no_system_takes() -> None:
    store = SQLiteSessionStore("a\0b")
    with pytest.raises(StoreError, match="cannot be"):
        await store.sessions()
    await store.close()


async def test_store_recovers_when_the_cause_is_gone(path: Path) -> None:
    path.mkdir()
    store = SQLiteSessionStore(path)
    with pytest.raises(StoreError):
        await store.create(sample_info("s1"))
    path.rmdir()
    await store.create(sample_info("s1"))
    assert await store.version("s1") == 0
    await store.close()
