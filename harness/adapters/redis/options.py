"""Where a Redis server is and how it is spoken to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from harness.errors import SettingsError

DEFAULT_PREFIX = "harness"


class _Place(Protocol):
    """The options of any backend, of which Redis is one."""

    @property
    def url(self) -> str: ...
    @property
    def timeout_s(self) -> float: ...
    @property
    def pool_size(self) -> int: ...
    @property
    def key_prefix(self) -> str: ...


@dataclass(frozen=True, slots=True)
class RedisOptions:
    """How to reach a server. Sentinels and clusters are not supported: all keys of one prefix live on one server.

    Attributes:
        url: ``redis://[user:password@]host[:port][/db]``, ``rediss://…`` for TLS, ``unix://path``.
        timeout_s: how long one answer may take, connecting included.
        pool_size: connections at most; a call that finds none free waits no longer than ``timeout_s``.
        prefix: every key begins with it and a colon.
    """

    url: str = field(repr=False)
    timeout_s: float = 5.0
    pool_size: int = 5
    prefix: str = DEFAULT_PREFIX

    @classmethod
    def of(cls, place: _Place) -> RedisOptions:
        """What the options of a backend say of its server."""
        return cls(place.url, place.timeout_s, place.pool_size, place.key_prefix)

    def __post_init__(self) -> None:
        if not self.url.startswith(("redis://", "rediss://", "unix://")):
            scheme = self.url.partition("://")[0] if "://" in self.url else ""
            raise SettingsError(
                "Expected the address of a Redis server, redis://HOST:PORT/DB (rediss:// with TLS), got "
                f"{f'one that begins with {scheme}://' if scheme else 'an empty one' if not self.url else 'something else'}.",
                remedy="Set storage.url (or memory.url, short_term.url), for instance to redis://localhost:6379/0.",
            )
        if not self.timeout_s > 0:
            raise SettingsError(f"Expected a timeout of more than 0 seconds, got {self.timeout_s!r}.")
        if self.pool_size < 1:
            raise SettingsError(f"Expected a pool of 1 or more connections, got {self.pool_size!r}.")
        if not self.prefix or not self.prefix.isprintable() or self.prefix != self.prefix.strip():
            raise SettingsError(
                f"Expected a key prefix of printable characters without blanks around it, got {self.prefix!r}."
            )
