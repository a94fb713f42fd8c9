"""Memory stores that an earlier version filled are brought to the present layout when they are opened, and lose nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from harness.adapters.memories import MEMORY_BACKENDS, MemoryOptions, _postgres_layout, _redis_rows, _sqlite_layout
from harness.adapters.memories.redis import RedisMemoryStore
from harness.ports.memories import EmbeddingSpace, MemoryEntry, MemoryFilter, MemoryQuery, MemoryStore
from harness.state.memory import MemoryItem, Scope
from tests.conftest import Places

SPACE = EmbeddingSpace("compass", 2)
TEXTS = {
    "en": ("the ferry is late", "a late ferry and a later train", "tea on the pier", "rain"),
    "zh": ("渡船 晚点 了", "晚点 的 渡船 和 火车", "码头 上 喝茶", "下雨"),
}
Earlier = Callable[[MemoryOptions, MemoryStore], Awaitable[None]]


def _entries(code: str) -> list[MemoryEntry]:
    found = []
    for user in ("ann", "bob", ""):
        for number, text in enumerate(TEXTS[code] * (3 if user == "bob" else 1)):
            item = MemoryItem(
                id=f"{user}{number}",
                layer="L3" if number % 2 else "L2",
                kind="message",
                text=text,
                scope=Scope(user=user),
                session=f"of-{user}",
                turn_id=f"t{number}",
            )
            vector = (0.6, 0.8) if number % 2 else (1.0, 0.0)
            found.append(MemoryEntry(item, tuple(text.split()), vector))
    return found


async def _sqlite(options: MemoryOptions, store: MemoryStore) -> None:
    await store.close()
    with closing(sqlite3.connect(options.path, isolation_level=None)) as sql:
        sql.execute("ALTER TABLE groups DROP COLUMN tokens")
        sql.execute("PRAGMA user_version = 1")


async def _postgres(options: MemoryOptions, store: MemoryStore) -> None:
    import psycopg

    await store.close()
    with psycopg.connect(options.url) as sql:
        sql.execute("ALTER TABLE harness_memory_groups DROP COLUMN tokens")
        sql.execute("DROP TABLE harness_memory_terms")
        sql.execute("CREATE TABLE harness_memory_terms (term bigint PRIMARY KEY, items bigint NOT NULL)")
        sql.execute("INSERT INTO harness_memory_terms SELECT term, count(*) FROM harness_memory_postings GROUP BY term")
        sql.execute("UPDATE harness_layout SET version = 1 WHERE kind = 'memories'")


async def _redis(options: MemoryOptions, store: MemoryStore) -> None:
    assert isinstance(store, RedisMemoryStore)

    async def undo(client: Any) -> None:
        await client.delete(f"{options.key_prefix}:memory:lengths")
        await client.hdel(f"{options.key_prefix}:memory:totals", "layout")

    await store._client.read(undo)
    await store.close()


EARLIER = {"sqlite": _sqlite, "faiss": _sqlite, "postgres": _postgres, "redis": _redis}


async def _all_of(store: MemoryStore, code: str) -> object:
    told: list[object] = []
    words = tuple(" ".join(TEXTS[code]).split())
    for where in (
        MemoryFilter(everything=True, statuses=()),
        *(MemoryFilter(Scope(user=user)) for user in ("ann", "bob")),
    ):
        found = await store.search(MemoryQuery(where, words, (0.8, 0.6)))
        hits = sorted((hit.item.id, round(hit.lexical, 9), round(hit.cosine or 0, 6)) for hit in found.hits)
        told.append((hits, found.documents, dict(found.frequencies), found.vectors))
        told.append(await store.browse(where))
    stands = [await store.followed(f"of-{user}") for user in ("ann", "bob", "nobody")]
    stats = await store.stats()
    return told, stands, stats.items, stats.vectors, stats.space


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize("name", EARLIER)
async def test_an_earlier_layout_is_brought_up_to_date(
    name: str, code: str, tmp_path: Path, server_place: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (len(_sqlite_layout.LAYOUTS), len(_postgres_layout.MEMORIES.steps)) == (2, 2), (
        "what undoes the newest is here"
    )
    backend = MEMORY_BACKENDS[name]
    options = MemoryOptions(path=tmp_path / "memory.db", **server_place(backend.server, tmp_path))
    store = backend.open(options)
    await store.embed(SPACE, {})
    await store.put(_entries(code))
    await store.follow("of-ann", "t3")
    await store.follow("of-bob", None)
    before = await _all_of(store, code)
    await EARLIER[name](options, store)

    store = backend.open(options)
    # Something goes, comes and moves before, or while, what was there is counted.
    await store.delete(["bob0", "ann0"])
    more = [one for one in _entries(code) if one.item.id in ("bob0", "ann0")]
    await store.put(more)
    assert await _all_of(store, code) == before
    await store.delete(["bob1"])
    await store.put([one for one in _entries(code) if one.item.id == "bob1"])
    assert await _all_of(store, code) == before
    if hasattr(store, "check"):
        assert await store.check() == ()
    await store.forget(MemoryFilter(everything=True, statuses=()))
    found = await store.search(MemoryQuery(MemoryFilter(Scope(user="ann")), tuple(TEXTS[code][0].split())))
    assert (found.hits, found.documents, set(found.frequencies.values())) == ((), 0, {0})
    await store.close()


async def test_redis_counts_an_earlier_layout_a_part_at_a_time(tmp_path: Path, server_place: Places) -> None:
    """A server is not kept from others for long; what is removed meanwhile is neither counted nor taken off twice."""
    options = MemoryOptions(path=tmp_path / "memory.db", **server_place("redis", tmp_path))
    store = MEMORY_BACKENDS["redis"].open(options)
    made = [
        MemoryEntry(
            MemoryItem(id=f"i{number}", layer="L2", kind="message", text="tea", scope=Scope(user="ann")),
            ("tea",) * (1 + number % 3),
        )
        for number in range(2500)
    ]
    await store.put(made)
    await _redis(options, store)
    store = MEMORY_BACKENDS["redis"].open(options)
    assert isinstance(store, RedisMemoryStore)
    await store.delete(["i5"])
    assert await store._client.script(_redis_rows.SCRIPT, "measure", "{}") == 1500
    await store.delete(["i7", "i1700"])
    await store.put([made[5]])
    query = MemoryQuery(MemoryFilter(Scope(user="ann")), ("tea",), limit=3)
    found = await store.search(query)

    fresh = MEMORY_BACKENDS["memory"].open(MemoryOptions(path=tmp_path / "x"))
    await fresh.put([one for number, one in enumerate(made) if number not in (5, 7, 1700)])
    await fresh.put([made[5]])
    expected = await fresh.search(query)
    assert found.documents == expected.documents == 2498
    scores = [sorted(round(hit.lexical, 9) for hit in one.hits) for one in (found, expected)]
    assert scores[0] == scores[1]
    await store.close()
