"""The SQLite memory store when its program is killed, the disk is full, two programs write, or the file is damaged."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from harness.adapters.memories.sqlite import SQLiteMemoryStore
from harness.errors import CorruptStore, NewerSchema, StorageFull, StoreError
from harness.ports.memories import EmbeddingSpace, MemoryEntry, MemoryFilter, MemoryQuery
from harness.state.memory import MemoryItem, Scope
from tests.fault.programs import finish, kill_after, start

WRITER = "memory_writer.py"
EVERYTHING = MemoryFilter(everything=True, statuses=())
UNCHECKED = {"status", "uses", "last_used_at"}


async def test_killed_while_writing_loses_nothing_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    followed: set[int] = set()
    deleted: set[int] = set()
    for lines in (4, 50, 27):
        for action, number in (line for line in kill_after(start(WRITER, "loop", path, "s"), lines) if len(line) == 2):
            (followed if action == "followed" else deleted).add(int(number))

        store = SQLiteMemoryStore(path)
        assert await store.check() == ()
        stands = int((await store.followed("s") or "t0")[1:])
        turns: dict[str, int] = {}
        for item in await store.browse(EVERYTHING, limit=10_000):
            turns[item.turn_id] = turns.get(item.turn_id, 0) + 1
            assert item.status == ("active" if item.turn_id == f"t{stands}" else "hidden")
        await store.close()

        # At most one write was done without being acknowledged; each is whole.
        assert max(followed) <= stands <= max(followed) + 1
        followed.add(stands)
        assert set(turns.values()) == {3}
        missing = followed - {int(turn[1:]) for turn in turns}
        assert deleted <= missing
        assert len(missing - deleted) <= 1
        deleted |= missing


async def test_killed_while_creating_the_file_leaves_a_usable_place(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    for _ in range(3):
        kill_after(start(WRITER, "loop", path, "s"), 1)
    store = SQLiteMemoryStore(path)
    assert await store.check() == ()
    await store.close()


async def test_two_programs_write_one_file(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    store = SQLiteMemoryStore(path)
    await store.embed(EmbeddingSpace("m", 2), {})
    programs = [start(WRITER, "compete", path, name) for name in ("a", "b")]
    for program in programs:
        assert finish(program) == [["done"]]
    found = await store.search(MemoryQuery(EVERYTHING, ("word", "a7"), (0.6, 0.8), limit=1000))
    assert len(found.hits) == found.documents == found.frequencies["word"] == 240
    assert found.frequencies["a7"] == 3
    assert {hit.vector_rank for hit in found.hits} == set(range(1, 241))
    assert [await store.followed(name) for name in "ab"] == ["t39", "t39"]
    assert await store.check() == ()
    await store.close()


async def test_full_database_refuses_and_stays_whole(tmp_path: Path) -> None:
    store = SQLiteMemoryStore(tmp_path / "memory.db")
    await store.put([_entry(0, "tea")])
    pages = await store._file.run(lambda file: file._rows("PRAGMA page_count")[0][0])
    await store._file.run(lambda file: file._rows(f"PRAGMA max_page_count = {pages + 10}"))
    large = [_entry(number, "tea", text="x" * 20_000) for number in range(20)]
    with pytest.raises(StorageFull, match=r"memory store.*nothing was half-written"):
        await store.put(large)
    with pytest.raises(StorageFull):
        await store.follow("s", "t1", put=large)
    assert [item.id for item in await store.browse(EVERYTHING)] == ["i0"]
    assert await store.followed("s") is None
    assert await store.check() == ()
    await store._file.run(lambda file: file._rows("PRAGMA max_page_count = 1000000"))
    await store.put(large)
    assert len(await store.browse(EVERYTHING)) == 20
    await store.close()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on file size")
async def test_failed_file_growth_refuses_and_stays_whole(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    lines = finish(start(WRITER, "fill_up", path, "s"))
    followed = [int(line[1]) for line in lines if line[0] == "followed"]
    refused = next(line for line in lines if line[0] == "refused")
    readable = next(line for line in lines if line[0] == "readable")
    assert refused[1] == "StorageFull"
    assert followed == list(range(len(followed)))
    assert readable[1:] == [str(3 * (len(followed) - 1)), f"t{followed[-2]}"]
    store = SQLiteMemoryStore(path)
    assert (await store.stats()).items == 3 * len(followed)
    assert await store.check() == ()
    await store.close()


def _entry(number: int, *terms: str, text: str = "", user: str = "") -> MemoryEntry:
    item = MemoryItem(id=f"i{number}", layer="L2", kind="message", text=text or " ".join(terms), scope=Scope(user=user))
    return MemoryEntry(item, terms)


async def _filled(path: Path) -> dict[str, MemoryItem]:
    store = SQLiteMemoryStore(path)
    await store.embed(EmbeddingSpace("m", 2), {})
    await store.put(
        [_entry(number, "tea", f"w{number % 9}", "苏州", user=("ann", "bob")[number % 2]) for number in range(60)]
    )
    await store.embed(EmbeddingSpace("m", 2), {f"i{number}": (0.6, 0.8) for number in range(60)})
    items = {item.id: item for item in await store.browse(EVERYTHING, limit=1000)}
    await store.close()
    return items


async def _shown(path: Path) -> tuple[list[MemoryItem], bool]:
    """All that calls of Ann show, and whether one was refused."""
    ann = MemoryFilter(Scope(user="ann"))
    store = SQLiteMemoryStore(path)
    shown: list[MemoryItem] = []
    refused = False
    for way in ("words", "vector", "browse", "get"):
        try:
            if way == "words":
                shown += [hit.item for hit in (await store.search(MemoryQuery(ann, ("tea", "w3", "苏州")))).hits]
            elif way == "vector":
                shown += [hit.item for hit in (await store.search(MemoryQuery(ann, (), (0.6, 0.8)))).hits]
            elif way == "browse":
                shown += await store.browse(ann)
            else:
                shown += await store.get(["i0", "i2", "i4"])
        except (StoreError, NewerSchema):
            refused = True
    await store.close()
    return shown, refused


@pytest.mark.parametrize("whole_page", [False, True], ids=["byte", "page"])
async def test_damage_never_shows_something_else(tmp_path: Path, *, whole_page: bool) -> None:
    path = tmp_path / "memory.db"
    items = await _filled(path)
    sound = path.read_bytes()
    drawn = random.Random(7)
    refusals = 0
    for _ in range(40 if whole_page else 150):
        data = bytearray(sound)
        if whole_page:
            at = drawn.randrange(1, len(data) // 4096) * 4096
            data[at : at + 4096] = drawn.randbytes(4096)
        else:
            data[drawn.randrange(len(data))] ^= 1 << drawn.randrange(8)
        path.write_bytes(data)
        shown, refused = await _shown(path)
        refusals += refused
        for item in shown:
            assert item.model_dump(exclude=UNCHECKED) == items[item.id].model_dump(exclude=UNCHECKED)
        for left in path.parent.glob("memory.db-*"):
            left.unlink()
    assert refusals > 0


@pytest.mark.parametrize("content", [b"not a database, but long enough to be taken for one " * 40, b"short"])
async def test_what_is_no_database_is_refused_and_untouched(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "memory.db"
    path.write_bytes(content)
    store = SQLiteMemoryStore(path)
    with pytest.raises(CorruptStore, match="memory store"):
        await store.put([_entry(1, "tea")])
    await store.close()
    assert path.read_bytes() == content
