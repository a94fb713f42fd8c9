"""The FAISS index beside a memory file: kept, brought up to date, made anew, and rid of what was removed."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from harness.adapters.memories import MEMORY_BACKENDS, MemoryOptions
from harness.adapters.memories._faiss_index import FaissIndex
from harness.adapters.memories.faiss import FaissMemoryStore
from harness.adapters.memories.sqlite import SQLiteMemoryStore
from harness.errors import MissingExtra, StoreError
from harness.ports import EmbeddingSpace, MemoryEntry, MemoryFilter, MemoryQuery
from harness.state.memory import MemoryItem

faiss = pytest.importorskip("faiss")
np = pytest.importorskip("numpy")

EVERYTHING = MemoryFilter(everything=True, statuses=())
SPACE = EmbeddingSpace("compass", 4)
TEXTS = {"north": "a walk in the hills", "east": "晚上去看电影", "south": "tea at noon", "west": "苏州的园林"}
POINTS = dict(zip(TEXTS, np.eye(4, dtype=np.float32).tolist(), strict=True))
QUERY = MemoryQuery(EVERYTHING, (), (0.8, 0.6, 0.0, 0.0), limit=2)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def extended(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many vectors were added to an index at a time."""
    found: list[int] = []
    extend = FaissIndex.extend

    def counted(self: FaissIndex, docs: Any, groups: Any, vectors: bytes) -> None:
        found.append(len(docs))
        extend(self, docs, groups, vectors)

    monkeypatch.setattr(FaissIndex, "extend", counted)
    return found


def entry(name: str, **fields: Any) -> MemoryEntry:
    item = MemoryItem(id=name, layer="L2", kind="message", text=TEXTS.get(name, name), **fields)
    return MemoryEntry(item, (name,), POINTS.get(name))


async def fill(path: Path, *names: str) -> None:
    store = FaissMemoryStore(path)
    await store.embed(SPACE, {})
    await store.put([entry(name) for name in names or TEXTS])
    await nearest(store)
    await store.close()


async def nearest(store: SQLiteMemoryStore) -> list[str]:
    found = await store.search(QUERY)
    return [hit.item.id for hit in sorted(found.hits, key=lambda hit: hit.vector_rank or 0)]


async def test_the_index_is_a_file_of_faiss_and_is_used_again(path: Path, extended: list[int]) -> None:
    await fill(path)
    index = faiss.read_index(str(path.with_name("memory.db.faiss")))
    assert (index.ntotal, index.d) == (4, 4)
    assert sorted(file.name for file in path.parent.iterdir()) == [
        "memory.db",
        "memory.db.faiss",
        "memory.db.faiss.json",
    ]
    extended.clear()
    store = FaissMemoryStore(path)
    assert await nearest(store) == ["north", "east"]
    assert extended == []
    await store.put([entry("near")])
    await store.embed(SPACE, {"near": (0.6, 0.8, 0.0, 0.0)})
    assert await nearest(store) == ["near", "north"]
    assert extended == [1]
    await store.close()


async def test_an_index_that_is_behind_is_brought_up_to_date(path: Path, extended: list[int]) -> None:
    await fill(path, "north", "south")
    store = SQLiteMemoryStore(path)  # without the index, as a killed program leaves it
    await store.put([entry("east"), entry("north", session="s2")])
    await store.delete(["south"])
    await store.close()
    extended.clear()
    again = FaissMemoryStore(path)
    assert await nearest(again) == ["north", "east"]
    assert sum(extended) <= 2
    await again.close()
    assert faiss.read_index(str(path.with_name("memory.db.faiss"))).ntotal == 2


@pytest.mark.parametrize("damage", ["gone", "note gone", "cut", "flipped", "no index", "other items", "note nonsense", "older items"])  # fmt: skip
async def test_an_index_that_cannot_be_used_is_made_anew(path: Path, extended: list[int], damage: str) -> None:
    index, note = path.with_name("memory.db.faiss"), path.with_name("memory.db.faiss.json")
    if damage == "older items":
        await fill(path, "north", "south")
        shutil.copy(path, path.with_name("older.db"))
        await fill(path)
        path.with_name("older.db").replace(path)
    else:
        await fill(path)
    content = bytearray(index.read_bytes())
    if damage == "gone":
        index.unlink()
    elif damage == "note gone":
        note.unlink()
    elif damage == "cut":
        index.write_bytes(content[:-3])
    elif damage == "flipped":
        content[-1] ^= 1
        index.write_bytes(content)
    elif damage == "no index":
        import zlib

        index.write_bytes(b"something else")
        note.write_text(json.dumps({**json.loads(note.read_text()), "checksum": zlib.crc32(b"something else")}))
    elif damage == "other items":
        other = path.parent / "other" / "memory.db"
        POINTS["north"], POINTS["east"] = POINTS["east"], POINTS["north"]
        try:
            await fill(other)
        finally:
            POINTS["north"], POINTS["east"] = POINTS["east"], POINTS["north"]
        for file in (index, note):
            shutil.copy(other.with_name(file.name), file)
    elif damage == "note nonsense":
        note.write_text("{}")
    extended.clear()
    store = FaissMemoryStore(path)
    assert await nearest(store) == (["north", "south"] if damage == "older items" else ["north", "east"])
    assert sum(extended) == (2 if damage == "older items" else 4)
    await store.close()
    mended = FaissMemoryStore(path)
    extended.clear()
    assert len(await nearest(mended)) == 2
    assert extended == []
    await mended.close()


@pytest.mark.parametrize("way", ["delete", "forget", "another text", "another space"])
async def test_what_is_removed_is_in_no_file_any_more(path: Path, way: str) -> None:
    secret = (0.1234567, 0.5, 0.5, float(np.sqrt(1 - 0.5 - 0.1234567**2)))
    store = FaissMemoryStore(path)
    await store.embed(SPACE, {})
    await store.put([entry("north"), entry("gone", session="s1")])
    await store.embed(SPACE, {"gone": secret})
    await nearest(store)
    await store.close()
    needle = np.asarray(secret, "<f4").tobytes()
    assert any(needle in file.read_bytes() for file in path.parent.iterdir() if file.suffix == ".faiss")
    store = FaissMemoryStore(path)
    if way == "delete":
        assert await store.delete(["gone"]) == 1
    elif way == "forget":
        assert await store.forget(MemoryFilter(everything=True, statuses=(), session="s1")) == 1
    elif way == "another text":
        await store.put([MemoryEntry(MemoryItem(id="gone", layer="L2", kind="message", text="new"), ("new",))])
    else:
        await store.embed(EmbeddingSpace("other", 4), {})
    assert not path.with_name("memory.db.faiss").exists()  # at once, and not only when it is closed
    await nearest(store)
    await store.close()
    assert all(needle not in file.read_bytes() for file in path.parent.iterdir())


async def test_what_a_killed_program_left_goes_with_the_index(path: Path) -> None:
    await fill(path)
    left = path.with_name("memory.db.faiss.4711.new")
    shutil.copy(path.with_name("memory.db.faiss"), left)
    store = FaissMemoryStore(path)
    assert await store.delete(["north"]) == 1
    assert not left.exists()
    await store.close()


async def test_a_removal_that_did_not_happen_leaves_the_index(path: Path) -> None:
    await fill(path)
    store = FaissMemoryStore(path)
    assert await store.delete(["nothing of this id"]) == 0
    assert path.with_name("memory.db.faiss").exists()
    assert await nearest(store) == ["north", "east"]
    await store.close()


@pytest.mark.parametrize("way", ["delete", "forget", "another text", "another space"])
async def test_an_index_that_cannot_be_removed_keeps_all_and_goes_the_next_time(
    path: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(path)
    index = path.with_name("memory.db.faiss")
    store = FaissMemoryStore(path)
    unlink = Path.unlink

    def refused(self: Path, *, missing_ok: bool = False) -> None:
        if self == index:
            raise PermissionError(13, "Permission denied")
        unlink(self, missing_ok=missing_ok)

    async def remove() -> int | None:
        if way == "delete":
            return await store.delete(["east"])
        if way == "forget":
            return await store.forget(EVERYTHING)
        if way == "another text":
            await store.put([MemoryEntry(MemoryItem(id="east", layer="L2", kind="message", text="new"))])
        else:
            await store.embed(EmbeddingSpace("other", 4), {})
        return None

    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", refused)
        with pytest.raises(StoreError, match=r"memory\.db\.faiss.*Nothing was removed") as told:
            await remove()
    assert told.value.details["path"] == str(index)
    assert await nearest(store) == ["north", "east"]
    assert (await store.stats()).vectors == 4
    assert await remove() == {"delete": 1, "forget": 4}.get(way)
    assert not index.exists()
    await store.close()


@pytest.mark.parametrize("way", ["delete", "another space"])
async def test_without_faiss_the_index_goes_too(path: Path, way: str) -> None:
    await fill(path)
    store = SQLiteMemoryStore(path)
    await store.put([entry("more")])
    assert path.with_name("memory.db.faiss").exists()
    await (store.delete(["north"]) if way == "delete" else store.embed(EmbeddingSpace("other", 4), {}))
    assert [file.name for file in path.parent.iterdir() if "faiss" in file.name] == []
    await store.close()


async def test_two_programs_share_the_file(path: Path) -> None:
    await fill(path, "north", "south")
    one, two = FaissMemoryStore(path), FaissMemoryStore(path)
    assert await nearest(one) == await nearest(two) == ["north", "south"]
    await one.put([entry("east")])
    assert await nearest(two) == ["north", "east"]
    await two.delete(["north"])
    await one.close()  # it still held what the other has removed
    index = faiss.read_index(str(path.with_name("memory.db.faiss")))
    assert sorted(index.reconstruct_n(0, index.ntotal).tolist()) == sorted([POINTS["south"], POINTS["east"]])
    assert await nearest(two) == ["east", "south"]
    await two.close()


async def test_an_index_that_cannot_be_written_costs_nothing_else(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: FaissIndex, path: Path, made: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(FaissIndex, "write", full)
    await fill(path)
    assert not path.with_name("memory.db.faiss").exists()
    store = FaissMemoryStore(path)
    assert await nearest(store) == ["north", "east"]
    await store.close()


@pytest.mark.parametrize("missing", [("faiss",), ("faiss", "numpy"), ("numpy",)])
def test_without_the_package_the_extra_is_named(
    path: Path, monkeypatch: pytest.MonkeyPatch, missing: tuple[str, ...]
) -> None:
    for name in missing:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtra, match=r"dialogue-harness\[faiss\]") as raised:
        MEMORY_BACKENDS["faiss"].open(MemoryOptions(path=path))
    assert raised.value.details["extra"] == "faiss"
