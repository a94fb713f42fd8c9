"""Each durable store beside the plain one: the same calls, drawn at random, give the same answers."""

from __future__ import annotations

import math
import random
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from harness.adapters.memories import (
    MEMORY_BACKENDS,
    MemoryOptions,
    _postgres_search,
    _redis_search,
    _sqlite_search,
    _vectors,
    redis,
)
from harness.adapters.memories.ram import InProcessMemoryStore
from harness.adapters.memories.redis import RedisMemoryStore
from harness.adapters.memories.sqlite import SQLiteMemoryStore
from harness.ports.memories import EmbeddingSpace, MemoryEntry, MemoryFilter, MemoryHits, MemoryQuery
from harness.state.memory import MemoryItem, Scope

if TYPE_CHECKING:
    from pathlib import Path

    from harness.ports.memories import MemoryStore
    from tests.conftest import Places

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
USERS, PERSONAS, SESSIONS = ("", "ann", "bob"), ("", "x"), ("s1", "s2", "s3")
WORDS = [*(f"w{number}" for number in range(40)), "苏州", "芒果", "过敏"]
SPACES = (EmbeddingSpace("one", 6), EmbeddingSpace("two", 6), EmbeddingSpace("two", 4))
STEPS = 120


class Drawn:
    """Calls drawn from a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.space = SPACES[0]

    def name(self) -> str:
        return f"i{self.random.randrange(150):03}"

    def names(self) -> list[str]:
        return [self.name() for _ in range(self.random.randrange(6))]

    def time(self) -> datetime | None:
        return NOON + timedelta(hours=self.random.randrange(100)) if self.random.random() < 0.6 else None

    def scope(self) -> Scope:
        return Scope(user=self.random.choice(USERS), persona=self.random.choice(PERSONAS))

    def vector(self) -> tuple[float, ...]:
        values = [self.random.gauss(0.2, 1) for _ in range(self.space.dimensions)]
        length = math.hypot(*values)
        return tuple(value / length for value in values)

    def terms(self, most: int) -> tuple[str, ...]:
        # The first words are the commonest.
        return tuple(
            WORDS[min(int(self.random.paretovariate(0.6)) - 1, len(WORDS) - 1)]
            for _ in range(self.random.randrange(most))
        )

    def entry(self) -> MemoryEntry:
        pick = self.random.choice
        terms = self.terms(12)
        item = MemoryItem(
            id=self.name(),
            layer=pick(("L2", "L2", "L3")),
            kind=pick(("message", "message", "fact", "rule")),
            text=" ".join(terms[:3]),
            scope=self.scope(),
            speaker=pick(("", "Ann", "ann")),
            subject=pick(("", "user", "Mei")),
            attribute=pick(("", "likes")),
            value=pick(("tea", "Tea", "猫")),
            session=pick(SESSIONS),
            turn_id=f"t{self.random.randrange(6)}",
            place=self.random.randrange(5),
            at=self.time(),
            when_at=self.time(),
            expires_at=self.time(),
            pinned=pick((True, False)),
            status=pick(("active", "active", "archived")),
            key=pick(("", "k1", "k2")),
        )
        return MemoryEntry(item, terms, self.vector() if self.random.random() < 0.6 else None)

    def where(self) -> MemoryFilter:
        def sometimes(value: Any, otherwise: Any) -> Any:
            return value if self.random.random() < 0.25 else otherwise

        pick = self.random.choice
        return MemoryFilter(
            scope=self.scope(),
            everything=sometimes(value=True, otherwise=False),
            layers=sometimes(("L3",), ()),
            kinds=sometimes(pick((("fact", "rule"), ("rule",))), ()),
            statuses=sometimes((), ("active",)),
            speaker=sometimes("ANN", ""),
            subject=sometimes("mei", ""),
            session=sometimes(pick(SESSIONS), ""),
            other_than=sometimes("s2", ""),
            pinned=sometimes(value=True, otherwise=None),
            since=sometimes(self.time(), None),
            until=sometimes(self.time(), None),
            now=sometimes(self.time(), None),
        )


def comparable(found: MemoryHits) -> Any:
    """A result without what may differ between stores: the order of hits, and last bits."""
    hits = [
        (
            hit.item,
            pytest.approx(hit.lexical, abs=1e-6),
            None if hit.cosine is None else pytest.approx(hit.cosine, abs=1e-5),
            hit.lexical_rank is not None,
            hit.vector_rank,
        )
        for hit in sorted(found.hits, key=lambda hit: hit.item.id)
    ]
    mean = None if found.cosine_mean is None else pytest.approx(found.cosine_mean, abs=1e-5)
    return hits, found.documents, dict(found.frequencies), mean


def plain(found: MemoryHits) -> Any:
    hits = [
        (hit.item, hit.lexical, hit.cosine, hit.lexical_rank is not None, hit.vector_rank)
        for hit in sorted(found.hits, key=lambda hit: hit.item.id)
    ]
    return hits, found.documents, dict(found.frequencies), found.cosine_mean


def ranks_hold(found: MemoryHits) -> bool:
    ranked = sorted((hit for hit in found.hits if hit.lexical_rank), key=lambda hit: hit.lexical_rank or 0)
    scores = [round(hit.lexical, 9) for hit in ranked]
    return scores == sorted(scores, reverse=True) and [hit.lexical_rank for hit in ranked] == list(
        range(1, len(ranked) + 1)
    )


async def both(stores: tuple[MemoryStore, MemoryStore], name: str, *values: Any, **named: Any) -> Any:
    """The call's result from the plain store, once it is known to be that of the other."""
    expected, found = [await getattr(store, name)(*values, **named) for store in stores]
    if isinstance(expected, MemoryHits):
        assert ranks_hold(expected)
        assert ranks_hold(found)
        assert plain(found) == comparable(expected)
    else:
        assert found == expected
    return expected


async def step(stores: tuple[MemoryStore, MemoryStore], drawn: Drawn) -> None:
    pick = drawn.random.random()
    if pick < 0.35:
        await both(stores, "put", [drawn.entry() for _ in range(drawn.random.randrange(12))])
    elif pick < 0.45:
        turns = [{f"t{drawn.random.randrange(6)}" for _ in range(drawn.random.randrange(3))} for _ in range(2)]
        entries = [drawn.entry() for _ in range(drawn.random.randrange(3))]
        session = drawn.random.choice(SESSIONS)
        await both(
            stores, "follow", session, drawn.random.choice(("t1", None)), put=entries, hide=turns[0], show=turns[1]
        )
        await both(stores, "followed", session)
    elif pick < 0.55:
        await both(stores, "used", drawn.names(), drawn.time() or NOON)
    elif pick < 0.62:
        await both(stores, "delete", drawn.names())
    elif pick < 0.64:
        await both(stores, "forget", drawn.where())
    elif pick < 0.66:
        drawn.space = drawn.random.choice(SPACES)
        await both(stores, "embed", drawn.space, {})
    elif pick < 0.72:
        await both(stores, "embed", drawn.space, {name: drawn.vector() for name in drawn.names()})
    else:
        # No limit below the number of items: the two may break ties at the edge in their own ways.
        vector = drawn.vector() if drawn.random.random() < 0.7 else None
        await both(stores, "search", MemoryQuery(drawn.where(), drawn.terms(8), vector, limit=200))
        await both(stores, "search", MemoryQuery(drawn.where(), (), drawn.vector(), limit=3))
        await both(stores, "around", {"s1": [1, 2], "s2": [3]}, drawn.where())
        await both(stores, "of_slots", [("mei", "likes", "tea"), ("", "likes", "猫")], drawn.where())
        await both(stores, "with_keys", ["k1"], drawn.where())
        await both(stores, "browse", drawn.where(), after=drawn.name(), limit=7)
        await both(stores, "get", drawn.names())
        await both(stores, "unembedded", limit=5)


@pytest.mark.parametrize("small", [False, True], ids=["usual sizes", "every path"])
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("backend", [name for name, found in MEMORY_BACKENDS.items() if found.durable])
async def test_it_answers_as_the_plain_store(
    backend: str,
    server_place: Places,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
    *,
    small: bool,
) -> None:
    if small:  # so that a hundred items take the paths of a hundred thousand
        monkeypatch.setattr(_vectors, "SPLIT", 20)
        monkeypatch.setattr(_vectors, "_NEAR", 8)
        monkeypatch.setattr(_vectors, "_SPREAD", 8.0)
        monkeypatch.setattr(_sqlite_search, "BUDGET", 15)
        monkeypatch.setattr(_sqlite_search, "_FEW", 30)
        monkeypatch.setattr(_postgres_search, "BUDGET", 15)
        monkeypatch.setattr(_redis_search, "BUDGET", 15)
        monkeypatch.setattr(_redis_search, "_AT_ONCE", 7)
        monkeypatch.setattr(redis, "_PAGE", 3)
    drawn = Drawn(seed)
    made = MEMORY_BACKENDS[backend]
    options = MemoryOptions(path=tmp_path / "memory.db", **server_place(made.server, tmp_path))
    stores = (InProcessMemoryStore(), made.open(options))
    beside = made.open(options)
    await both(stores, "embed", drawn.space, {})
    for number in range(STEPS):
        await step(stores, drawn)
        if number % 10 == 9:  # what another program sees
            query = MemoryQuery(MemoryFilter(everything=True), drawn.terms(6), drawn.vector(), limit=200)
            assert plain(await beside.search(query)) == comparable(await stores[0].search(query))
    stats = [await store.stats() for store in stores]
    assert dict(stats[0].by_kind) == dict(stats[1].by_kind)
    assert (stats[0].items, stats[0].vectors, stats[0].space) == (stats[1].items, stats[1].vectors, stats[1].space)
    if isinstance(stores[1], SQLiteMemoryStore):
        assert await stores[1].check() == ()
    if isinstance(stores[1], RedisMemoryStore):
        await _nothing_is_left(stores[1], options.key_prefix)
    for store in (*stores, beside):
        await store.close()


async def _nothing_is_left(store: RedisMemoryStore, prefix: str) -> None:
    """When all items are deleted, all that was made of them is gone, whatever they went through."""
    await store.forget(MemoryFilter(everything=True, statuses=()))

    async def keys(client: Any) -> list[bytes]:
        return [key async for key in client.scan_iter(f"{prefix}:*")]

    left = {key.decode().removeprefix(f"{prefix}:memory:") for key in await store._client.read(keys)}
    assert left <= {"totals", "followed", "vgone"}
