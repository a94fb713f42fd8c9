"""Where short-term messages are kept. ``SHORT_TERM_BACKENDS`` is the table that the app builds from and the conformance suite
runs over.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from harness.adapters.backends import AnyBackend, Synchronous, table

if TYPE_CHECKING:
    from harness.ports.short_term import ShortTerm


@dataclass(frozen=True, slots=True)
class ShortTermOptions:
    """What a backend may need to know; each takes what concerns it.

    Attributes:
        max_tokens: of the messages of one session together.
        ttl_seconds: how long a list lives after it was last written; 0: without end.
        path: the file of a durable store. ``synchronous``, ``busy_timeout_s``: SQLite's.
        url: the address of a server, its password in it.
        timeout_s: seconds that a server may take for an answer. ``pool_size``: connections to it at most.
        key_prefix: what the keys on a Redis server begin with.
        now: seconds since 1970, for those that have no clock of their own.
    """

    max_tokens: int = 2000
    ttl_seconds: int = 0
    path: Path | str = ":memory:"
    synchronous: Synchronous = "NORMAL"
    busy_timeout_s: float = 5.0
    url: str = field(default="", repr=False)
    timeout_s: float = 5.0
    pool_size: int = 5
    key_prefix: str = "harness"
    now: Callable[[], float] = time.time


@dataclass(frozen=True, slots=True)
class ShortTermBackend(AnyBackend[ShortTermOptions, "ShortTerm"]):
    """A way to keep short-term messages."""


def _memory(options: ShortTermOptions) -> ShortTerm:
    from harness.adapters.short_term.ram import InProcessShortTerm

    return InProcessShortTerm(max_tokens=options.max_tokens, ttl_seconds=options.ttl_seconds, now=options.now)


def _sqlite(options: ShortTermOptions) -> ShortTerm:
    from harness.adapters.short_term.sqlite import SQLiteShortTerm

    return SQLiteShortTerm(
        options.path,
        max_tokens=options.max_tokens,
        ttl_seconds=options.ttl_seconds,
        synchronous=options.synchronous,
        busy_timeout_s=options.busy_timeout_s,
        now=options.now,
    )


def _redis(options: ShortTermOptions) -> ShortTerm:
    from harness.adapters.redis.options import RedisOptions
    from harness.adapters.short_term.redis import RedisShortTerm

    server = RedisOptions.of(options)
    return RedisShortTerm(server, max_tokens=options.max_tokens, ttl_seconds=options.ttl_seconds)


SHORT_TERM_BACKENDS = table(
    memory=ShortTermBackend(_memory, durable=False),
    sqlite=ShortTermBackend(_sqlite, durable=True),
    redis=ShortTermBackend(_redis, durable=True, server="redis"),
)
"""Name in the settings → backend."""

__all__ = ["SHORT_TERM_BACKENDS", "ShortTermBackend", "ShortTermOptions"]
