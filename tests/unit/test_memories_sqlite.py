# ruff: noqa: ASYNC240 - what is in the file is what these tests are about
"""What is the SQLite memory store's own: the file, what is left in it, and what it says when something is wrong."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
import unicodedata
import zlib
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from harness.adapters.memories import MEMORY_BACKENDS, MemoryOptions, _sqlite_layout, _sqlite_search
from harness.adapters.memories._sqlite_where import Condition
from harness.adapters.memories.sqlite import SQLiteMemoryStore
from harness.adapters.stores._sqlite_layout import connect
from harness.adapters.stores.sqlite import SQLiteSessionStore
from harness.errors import CorruptStore, MissingExtra, NewerSchema, SettingsError, StoreError
from harness.ports.memories import EmbeddingSpace, MemoryEntry, MemoryFilter, MemoryQuery
from harness.state.memory import MemoryItem, Scope

EVERYTHING = MemoryFilter(everything=True, statuses=())
SPACE = EmbeddingSpace("one", 2)
SECRETS = ("zanzibar", "桑给巴尔", "قهوةسرية")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


def entry(name: str, *terms: str, **fields: Any) -> MemoryEntry:
    vector = fields.pop("vector", None)
    made: dict[str, Any] = {"layer": "L2", "kind": "message", "text": " ".join(terms) or name, **fields}
    return MemoryEntry(MemoryItem(id=name, **made), terms, vector)


def raw(path: Path) -> bytes:
    """All bytes of the file and what lies beside it."""
    return b"".join(found.read_bytes() for found in sorted(path.parent.glob(f"{path.name}*")))


async def test_what_is_deleted_is_in_no_file(path: Path) -> None:
    store = SQLiteMemoryStore(path)
    await store.embed(SPACE, {})
    secret = [
        entry(
            f"gone-{number}-{word}",
            *(word, f"{word}{number}", "common"),
            scope=Scope(user=f"{word}-user"),
            subject=word,
            speaker=word,
            attribute=word,
            value=word,
            key=word,
            quote=word,
            vector=(0.6, 0.8),
        )
        for number in range(60)
        for word in SECRETS
    ]
    kept = [entry(f"kept-{number}", "harbour", f"harbour{number}", "common") for number in range(200)]
    for start in range(0, 60, 20):
        await store.put([*secret[start * 3 : start * 3 + 60], *kept[start : start + 20]])
    await store.put(kept)
    for word in SECRETS:
        assert word.encode() in raw(path)
    assert await store.delete([found.item.id for found in secret[:90]]) == 90
    for word in SECRETS:
        assert await store.forget(MemoryFilter(Scope(user=f"{word}-user"), statuses=())) == 30
    for word in SECRETS:
        assert word.encode() not in raw(path)
    assert b"harbour" in raw(path)
    assert await store.check() == ()
    await store.close()
    for word in SECRETS:
        assert word.encode() not in raw(path)


async def test_what_is_replaced_is_in_no_file(path: Path) -> None:
    store = SQLiteMemoryStore(path)
    await store.put(
        [entry(f"i{number}", "zanzibar", f"zanzibar{number}", scope=Scope(user="zanzibar")) for number in range(80)]
    )
    await store.put([entry(f"i{number}", "harbour", scope=Scope(user="ann")) for number in range(80)])
    await store.delete(["nobody"])
    assert b"zanzibar" not in raw(path)
    await store.close()


async def test_words_of_all_scripts_are_whole(path: Path) -> None:
    words = [
        char
        for block in (0x00E0, 0x0430, 0x0627, 0x0905, 0x0E01, 0x3042, 0x4E00, 0xAC00, 0x20000)
        for char in map(chr, range(block, block + 24))
        if unicodedata.category(char)[0] == "L"
    ]
    store = SQLiteMemoryStore(path)
    await store.put([entry(f"{number:03}", word, word * 2) for number, word in enumerate(words)])
    for number, word in enumerate(words):
        found = await store.search(MemoryQuery(EVERYTHING, (word,)))
        assert [hit.item.id for hit in found.hits] == [f"{number:03}"], word
        assert found.frequencies == {word: 1}
    await store.close()


async def test_another_programs_file_is_refused_and_untouched(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE theirs (a)")
        other.commit()
    before = path.read_bytes()
    store = SQLiteMemoryStore(path)
    with pytest.raises(CorruptStore, match=r"memory store.*another program"):
        await store.stats()
    await store.close()
    assert path.read_bytes() == before


async def test_sessions_and_memory_keep_out_of_each_others_files(path: Path) -> None:
    memory, sessions = SQLiteMemoryStore(path), SQLiteSessionStore(path)
    await memory.put([entry("a", "tea")])
    with pytest.raises(CorruptStore, match=r"session store.*another program"):
        await sessions.sessions()
    assert await memory.check() == ()
    await memory.close()
    await sessions.close()


async def test_a_newer_layout_is_refused_and_untouched(path: Path) -> None:
    store = SQLiteMemoryStore(path)
    await store.put([entry("a", "tea")])
    await store.close()
    with closing(sqlite3.connect(path)) as newer:
        newer.execute(f"PRAGMA user_version = {len(_sqlite_layout.LAYOUTS) + 1}")
    before = path.read_bytes()
    store = SQLiteMemoryStore(path)
    with pytest.raises(NewerSchema, match="memory store"):
        await store.get(["a"])
    await store.close()
    assert path.read_bytes() == before


async def test_an_item_of_a_newer_schema_is_refused(path: Path) -> None:
    store = SQLiteMemoryStore(path)
    await store.put([entry("a", "tea", schema_version=1), entry("b", "tea")])
    document = entry("a", "tea").item.model_dump_json().replace('"schema_version":1', '"schema_version":99')
    await _alter(path, "UPDATE items SET document = ?, checksum = ? WHERE id = 'a'", document, _crc(document))
    with pytest.raises(NewerSchema, match=r"'a'.*99"):
        await store.get(["a"])
    assert [found.id for found in await store.get(["b"])] == ["b"]
    await store.close()


@pytest.mark.parametrize(
    ("statement", "match"),
    [
        ("UPDATE items SET document = replace(document, 'tea', 'tee') WHERE id = 'a'", "altered"),
        ("UPDATE items SET id = 'c' WHERE id = 'a'", "holds item 'a'"),
        ("UPDATE items SET last_used = 'never' WHERE id = 'a'", "cannot be read"),
    ],
)
async def test_altered_items_are_never_shown(path: Path, statement: str, match: str) -> None:
    store = SQLiteMemoryStore(path)
    await store.put([entry("a", "tea")])
    await _alter(path, statement)
    for call in (store.search(MemoryQuery(EVERYTHING, ("tea",))), store.browse(EVERYTHING), store.get(["a", "c"])):
        with pytest.raises(CorruptStore, match=match):
            await call
    await store.close()


@pytest.mark.parametrize(
    ("statement", "match"),
    [
        ("UPDATE totals SET items = 7", "totals"),
        ("UPDATE groups SET items = 7", "groups"),
        ("UPDATE terms SET items = 7 WHERE word = 'tea'", "terms"),
        ("DELETE FROM postings WHERE term = 1", "postings"),
        ("UPDATE postings SET entries = x'0000000000000000'", "postings"),
        ("UPDATE items SET document = '{}'", "altered"),
        ("UPDATE items SET grp = 99", "refers to nothing"),
        ("UPDATE vectors SET vector = x'00'", "vectors"),
    ],
)
async def test_check_finds(path: Path, statement: str, match: str) -> None:
    store = SQLiteMemoryStore(path)
    await store.embed(SPACE, {})
    await store.put([entry("a", "tea", "milk", vector=(0.0, 1.0)), entry("b", "tea")])
    assert await store.check() == ()
    await _alter(path, statement)
    assert match in " ".join(await store.check())
    await store.close()


async def test_vectors_without_numpy_name_the_extra(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SQLiteMemoryStore(path)
    await store.embed(SPACE, {})
    await store.put([entry("a", "tea", vector=(0.0, 1.0))])
    await store.close()
    monkeypatch.setitem(sys.modules, "numpy", None)
    store = SQLiteMemoryStore(path)
    with pytest.raises(MissingExtra, match=r"dialogue-harness\[vectors\]"):
        await store.search(MemoryQuery(EVERYTHING, ("tea",), (0.0, 1.0)))
    with pytest.raises(MissingExtra):
        await store.embed(SPACE, {"a": (0.0, 1.0)})
    found = await store.search(MemoryQuery(EVERYTHING, ("tea",)))
    assert [hit.item.id for hit in found.hits] == ["a"]
    await store.put([entry("b", "tea")])
    await store.close()


async def test_many_words_are_found_without_numpy(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SQLiteMemoryStore(path)
    await store.put([entry(f"{number:05}", "tea", *["more"] * (number % 50)) for number in range(3000)])
    with_numpy = await store.search(MemoryQuery(EVERYTHING, ("tea", "more"), limit=20))
    monkeypatch.setitem(sys.modules, "numpy", None)
    without = await store.search(MemoryQuery(EVERYTHING, ("tea", "more"), limit=20))
    scores = [sorted(round(hit.lexical, 9) for hit in found.hits) for found in (with_numpy, without)]
    assert scores[0] == scores[1]
    await store.close()


async def test_the_commonest_words_still_count_in_scores(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SQLiteMemoryStore(path)
    await store.put([entry(f"{number:04}", "the", "of", f"w{number % 40}") for number in range(400)])
    await store.put([entry("both", "the", "w7", "of", "the"), entry("one", "w7", "and", "but", "or")])
    query = MemoryQuery(EVERYTHING, ("the", "of", "w7"), limit=5)
    exact = await store.search(query)
    monkeypatch.setattr(_sqlite_search, "BUDGET", 5)
    found = await store.search(query)
    assert {hit.item.id: (round(hit.lexical, 9), hit.lexical_rank) for hit in found.hits} == {
        hit.item.id: (round(hit.lexical, 9), hit.lexical_rank) for hit in exact.hits
    }
    await store.close()


async def test_a_locked_file_is_a_clear_error(path: Path) -> None:
    store = SQLiteMemoryStore(path, busy_timeout_s=0.05)
    await store.put([entry("a", "tea")])
    with closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match=r"memory store.*lock|lock.*memory store"):
            await store.put([entry("b", "tea")])
        assert len(await store.browse(EVERYTHING)) == 1
        other.execute("ROLLBACK")
    await store.put([entry("b", "tea")])
    await store.close()


async def test_wrong_options_are_refused() -> None:
    with pytest.raises(SettingsError, match="synchronous"):
        SQLiteMemoryStore(":memory:", synchronous="SOMETIMES")  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="busy_timeout_s"):
        SQLiteMemoryStore(":memory:", busy_timeout_s=-1)


async def test_open_makes_the_file_and_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "down" / "memory.db"
    store = MEMORY_BACKENDS["sqlite"].open(MemoryOptions(path=path))
    assert isinstance(store, SQLiteMemoryStore)
    await store.open()
    await store.open()
    assert path.exists()
    await store.close()


async def test_numbers_beyond_sqlite_are_refused(path: Path) -> None:
    store = SQLiteMemoryStore(path)
    with pytest.raises(StoreError, match="cannot be stored"):
        await store.put([entry("a", "tea", place=2**70)])
    with pytest.raises(StoreError, match="cannot be stored"):
        await store.get(["\ud800"])
    assert await store.browse(EVERYTHING) == ()
    await store.put(
        [entry("late", at=datetime.max.replace(tzinfo=UTC)), entry("early", at=datetime.min.replace(tzinfo=UTC))]
    )
    found = await store.browse(MemoryFilter(since=datetime(2026, 1, 1, tzinfo=UTC)))
    assert [item.id for item in found] == ["late"]
    await store.close()


async def test_the_layout_is_what_earlier_versions_wrote(path: Path) -> None:
    """A file of the first layout opens; later layouts are appended, never changed."""
    with closing(
        connect(
            path,
            synchronous="NORMAL",
            busy_timeout_s=1,
            layouts=_sqlite_layout.LAYOUTS[:1],
            application=_sqlite_layout.APPLICATION_ID,
            what="memory store",
        )
    ):
        pass
    store = SQLiteMemoryStore(path)
    await store.put([entry("a", "tea")])
    assert await store.check() == ()
    await store.close()


async def test_a_rolled_back_removal_takes_no_vector_away(path: Path) -> None:
    store = SQLiteMemoryStore(path)
    await store.embed(SPACE, {})
    await store.put([entry("a", "tea", vector=(0.0, 1.0)), entry("b", "tea", vector=(1.0, 0.0))])
    query = MemoryQuery(EVERYTHING, vector=(0.0, 1.0))
    assert len((await store.search(query)).hits) == 2

    def fail(file: Any) -> None:
        with file._transaction("IMMEDIATE"):
            file._items.remove(Condition("id = ?", ("a",)))
            raise StoreError("no")

    with pytest.raises(StoreError, match="no"):
        await store._file.run(fail)
    assert len((await store.search(query)).hits) == 2
    await store.delete(["b"])
    assert [hit.item.id for hit in (await store.search(query)).hits] == ["a"]
    await store.close()


async def test_calls_run_in_order(path: Path) -> None:
    store = SQLiteMemoryStore(path)
    await asyncio.gather(*(store.put([entry("a", f"word{number}")]) for number in range(20)))
    assert (await store.get(["a"]))[0].text == "word19"
    await store.close()


def _crc(document: str) -> int:
    return zlib.crc32(document.encode())


async def _alter(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute(statement, values)
        other.commit()
