"""Where memory items are kept. ``MEMORY_BACKENDS`` is the table that the app builds from and the conformance suite runs over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from harness.adapters.backends import AnyBackend, PlaceOptions, table

if TYPE_CHECKING:
    from harness.ports.memories import MemoryStore


@dataclass(frozen=True, slots=True)
class MemoryOptions(PlaceOptions):
    """What a backend of memory items may need to know; each takes what concerns it.

    Attributes:
        vector_index: ``exact`` or ``hnsw``, of PostgreSQL. ``ef_search``: how many candidates a search by that index holds.
    """

    vector_index: Literal["exact", "hnsw"] = "exact"
    ef_search: int = 200


@dataclass(frozen=True, slots=True)
class MemoryBackend(AnyBackend[MemoryOptions, "MemoryStore"]):
    """A way to keep memory items."""


def _memory(options: MemoryOptions) -> MemoryStore:  # noqa: ARG001 - the signature all backends share
    from harness.adapters.memories.ram import InProcessMemoryStore

    return InProcessMemoryStore()


def _sqlite(options: MemoryOptions) -> MemoryStore:
    from harness.adapters.memories.sqlite import SQLiteMemoryStore

    return SQLiteMemoryStore(options.path, synchronous=options.synchronous, busy_timeout_s=options.busy_timeout_s)


def _postgres(options: MemoryOptions) -> MemoryStore:
    from harness.adapters.memories._postgres_index import Hnsw
    from harness.adapters.memories.postgres import PostgresMemoryStore

    hnsw = Hnsw(options.ef_search) if options.vector_index == "hnsw" else None
    return PostgresMemoryStore(options.url, timeout_s=options.timeout_s, pool_size=options.pool_size, hnsw=hnsw)


def _faiss(options: MemoryOptions) -> MemoryStore:
    from harness.adapters.memories.faiss import FaissMemoryStore

    return FaissMemoryStore(options.path, synchronous=options.synchronous, busy_timeout_s=options.busy_timeout_s)


def _redis(options: MemoryOptions) -> MemoryStore:
    from harness.adapters.memories.redis import RedisMemoryStore
    from harness.adapters.redis.options import RedisOptions

    return RedisMemoryStore(RedisOptions.of(options))


MEMORY_BACKENDS = table(
    memory=MemoryBackend(_memory, durable=False),
    sqlite=MemoryBackend(_sqlite, durable=True),
    faiss=MemoryBackend(_faiss, durable=True),
    postgres=MemoryBackend(_postgres, durable=True, server="postgres"),
    redis=MemoryBackend(_redis, durable=True, server="redis"),
)
"""Name in the settings → backend."""

__all__ = ["MEMORY_BACKENDS", "MemoryBackend", "MemoryOptions"]
