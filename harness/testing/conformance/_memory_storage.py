"""What a check of a memory store works on, and the items it works with."""

from __future__ import annotations

import itertools
import math
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from harness.ports.memories import EmbeddingSpace, MemoryEntry, MemoryFilter, MemoryQuery, MemoryStore, Vector
from harness.state.memory import MemoryItem, Scope
from harness.testing.conformance._suite import StorageOn, fresh

ANYTHING = MemoryFilter(everything=True, statuses=())
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SPACE = EmbeddingSpace("compass", 4)


class MemoryStorage(StorageOn[MemoryStore]):
    """Fresh, empty storage and a store on it; see :class:`StorageOn`."""


MemoryStorageFactory = Callable[[], AbstractAsyncContextManager[MemoryStorage]]
MemoryCheck = Callable[[MemoryStorage], Awaitable[None]]


def memory_storage_of(make: Callable[[Path], MemoryStore], *, durable: bool) -> MemoryStorageFactory:
    """A factory that gives every check fresh storage.

    Args:
        make: builds a store; gets a new, empty folder for each check, which is removed afterwards. For a durable store,
            calling it again with the same folder opens the same data.
        durable: whether that is so.
    """
    return fresh(MemoryStorage, make, durable=durable)


def item(name: str, text: str = "", **fields: Any) -> MemoryItem:
    """A remembered message, unless told otherwise; its text is its id when none is given."""
    return MemoryItem.model_validate({"id": name, "layer": "L2", "kind": "message", "text": text or name, **fields})


def entry(name: str, text: str = "", *, vector: Vector | None = None, **fields: Any) -> MemoryEntry:
    """An item with the terms of its text."""
    made = item(name, text, **fields)
    return MemoryEntry(made, terms_of(made.text), vector)


def terms_of(text: str) -> tuple[str, ...]:
    """Words in lower case; of Chinese, pairs of characters. Enough for the suite, which must not need language packs."""
    found: list[str] = []
    for chinese, run in itertools.groupby(text.lower(), key=lambda char: "\u4e00" <= char <= "\u9fff"):
        part = "".join(run)
        if chinese:
            found += [part[start : start + 2] for start in range(max(len(part) - 1, 1))]
        else:
            found += "".join(char if char.isalnum() else " " for char in part).split()
    return tuple(found)


def point(*values: float) -> tuple[float, ...]:
    """A direction in the space of the suite, of length one; missing dimensions are 0."""
    length = math.hypot(*values)
    return tuple(value / length for value in (*values, 0.0, 0.0, 0.0, 0.0)[: SPACE.dimensions])


def later(**parts: float) -> datetime:
    """A moment after ``NOON``."""
    return NOON + timedelta(**parts)


def names(found: Iterable[MemoryItem]) -> list[str]:
    """Ids, in the order given."""
    return [item.id for item in found]


async def by_words(store: MemoryStore, text: str, where: MemoryFilter = ANYTHING, limit: int = 50) -> list[str]:
    """Ids of what a query finds by words, best first."""
    found = await store.search(MemoryQuery(where, terms_of(text), limit=limit))
    ranked = sorted((hit.lexical_rank, hit.item.id) for hit in found.hits if hit.lexical_rank is not None)
    return [name for _, name in ranked]


async def by_vector(store: MemoryStore, vector: Vector, where: MemoryFilter = ANYTHING, limit: int = 50) -> list[str]:
    """Ids of what a query finds by its vector, best first."""
    found = await store.search(MemoryQuery(where, vector=vector, limit=limit))
    ranked = sorted((hit.vector_rank, hit.item.id) for hit in found.hits if hit.vector_rank is not None)
    return [name for _, name in ranked]


def for_user(user: str, persona: str = "") -> MemoryFilter:
    """What a query of a user, perhaps with a character, may see."""
    return MemoryFilter(Scope(user=user, persona=persona))
