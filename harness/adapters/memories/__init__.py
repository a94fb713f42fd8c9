"""Where memory items are kept. ``MEMORY_BACKENDS`` is the table that the app builds from and the conformance suite runs over."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from harness.ports.memories import MemoryStore


@dataclass(frozen=True, slots=True)
class MemoryOptions:
    """What a backend may need to know; each takes what concerns it.

    Attributes:
        path: the file of a durable store.
        synchronous, busy_timeout_s: see :class:`~harness.adapters.memories.sqlite.SQLiteMemoryStore`.
        url: the address of a server, its password in it.
        timeout_s: seconds that a server may take for an answer. ``pool_size``: connections to it at most.
        key_prefix: what the keys on a Redis server begin with.
    """

    path: Path | str = ":memory:"
    synchronous: Literal["OFF", "NORMAL", "FULL", "EXTRA"] = "NORMAL"
    busy_timeout_s: float = 5.0
    url: str = field(default="", repr=False)
    timeout_s: float = 5.0
    pool_size: int = 5
    key_prefix: str = "harness"


@dataclass(frozen=True, slots=True)
class MemoryBackend:
    """A way to keep memory items.

    Attributes:
        durable: opening the same options again finds what was stored.
        server: the kind of server it needs (``redis``, ``postgres``), which ``url`` names; empty for none.
    """

    open: Callable[[MemoryOptions], MemoryStore]
    durable: bool
    server: str = ""


def _memory(options: MemoryOptions) -> MemoryStore:  # noqa: ARG001 - the signature all backends share
    from harness.adapters.memories.ram import InProcessMemoryStore

    return InProcessMemoryStore()


def _sqlite(options: MemoryOptions) -> MemoryStore:
    from harness.adapters.memories.sqlite import SQLiteMemoryStore

    return SQLiteMemoryStore(options.path, synchronous=options.synchronous, busy_timeout_s=options.busy_timeout_s)


def _postgres(options: MemoryOptions) -> MemoryStore:
    from harness.adapters.memories.postgres import PostgresMemoryStore

    return PostgresMemoryStore(options.url, timeout_s=options.timeout_s, pool_size=options.pool_size)


def _faiss(options: MemoryOptions) -> MemoryStore:
    from harness.adapters.memories.faiss import FaissMemoryStore

    return FaissMemoryStore(options.path, synchronous=options.synchronous, busy_timeout_s=options.busy_timeout_s)


def _redis(options: MemoryOptions) -> MemoryStore:
    from harness.adapters.memories.redis import RedisMemoryStore
    from harness.adapters.redis.options import RedisOptions

    return RedisMemoryStore(RedisOptions(options.url, options.timeout_s, options.pool_size, options.key_prefix))


MEMORY_BACKENDS: Mapping[str, MemoryBackend] = MappingProxyType(
    {
        "memory": MemoryBackend(_memory, durable=False),
        "sqlite": MemoryBackend(_sqlite, durable=True),
        "faiss": MemoryBackend(_faiss, durable=True),
        "postgres": MemoryBackend(_postgres, durable=True, server="postgres"),
        "redis": MemoryBackend(_redis, durable=True, server="redis"),
    }
)
"""Name in the settings → backend."""

__all__ = ["MEMORY_BACKENDS", "MemoryBackend", "MemoryOptions"]
