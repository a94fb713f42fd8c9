"""Where sessions are kept. ``BACKENDS`` is the table that the app builds from and the conformance suite runs over."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from harness.ports import SessionStore


@dataclass(frozen=True, slots=True)
class StoreOptions:
    """What a backend may need to know; each takes what concerns it.

    Attributes:
        path: the file of a durable store.
        synchronous, busy_timeout_s: see :class:`~harness.adapters.stores.sqlite.SQLiteSessionStore`.
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
class Backend:
    """A way to keep sessions.

    Attributes:
        durable: opening the same options again finds what was stored.
        server: the kind of server it needs (``redis``, ``postgres``), which ``url`` names; empty for none.
    """

    open: Callable[[StoreOptions], SessionStore]
    durable: bool
    server: str = ""


def _memory(options: StoreOptions) -> SessionStore:  # noqa: ARG001 - the signature all backends share
    from harness.adapters.stores.memory import MemorySessionStore

    return MemorySessionStore()


def _sqlite(options: StoreOptions) -> SessionStore:
    from harness.adapters.stores.sqlite import SQLiteSessionStore

    return SQLiteSessionStore(options.path, synchronous=options.synchronous, busy_timeout_s=options.busy_timeout_s)


def _postgres(options: StoreOptions) -> SessionStore:
    from harness.adapters.stores.postgres import PostgresSessionStore

    return PostgresSessionStore(options.url, timeout_s=options.timeout_s, pool_size=options.pool_size)


def _redis(options: StoreOptions) -> SessionStore:
    from harness.adapters.redis.options import RedisOptions
    from harness.adapters.stores.redis import RedisSessionStore

    return RedisSessionStore(RedisOptions(options.url, options.timeout_s, options.pool_size, options.key_prefix))


BACKENDS: Mapping[str, Backend] = MappingProxyType(
    {
        "memory": Backend(_memory, durable=False),
        "sqlite": Backend(_sqlite, durable=True),
        "postgres": Backend(_postgres, durable=True, server="postgres"),
        "redis": Backend(_redis, durable=True, server="redis"),
    }
)
"""Name in the settings → backend."""

__all__ = ["BACKENDS", "Backend", "StoreOptions"]
