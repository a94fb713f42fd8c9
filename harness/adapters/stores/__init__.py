"""Where sessions are kept. ``BACKENDS`` is the table that the app builds from and the conformance suite runs over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.adapters.backends import AnyBackend, PlaceOptions, table

if TYPE_CHECKING:
    from harness.ports import SessionStore


@dataclass(frozen=True, slots=True)
class StoreOptions(PlaceOptions):
    """What a backend of sessions may need to know; each takes what concerns it."""


@dataclass(frozen=True, slots=True)
class Backend(AnyBackend[StoreOptions, "SessionStore"]):
    """A way to keep sessions."""


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

    return RedisSessionStore(RedisOptions.of(options))


BACKENDS = table(
    memory=Backend(_memory, durable=False),
    sqlite=Backend(_sqlite, durable=True),
    postgres=Backend(_postgres, durable=True, server="postgres"),
    redis=Backend(_redis, durable=True, server="redis"),
)
"""Name in the settings → backend."""

__all__ = ["BACKENDS", "Backend", "StoreOptions"]
