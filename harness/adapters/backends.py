"""How the tables of backends are made, from which the app builds and over which the conformance suites run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Generic, Literal, TypeVar

Options = TypeVar("Options")
Opened = TypeVar("Opened")
Known = TypeVar("Known")
Synchronous = Literal["OFF", "NORMAL", "FULL", "EXTRA"]


@dataclass(frozen=True, slots=True)
class PlaceOptions:
    """What a backend may need to know of the place where it keeps things; each takes what concerns it.

    Attributes:
        path: the file of a durable one.
        synchronous, busy_timeout_s: of SQLite, see :class:`~harness.adapters.stores.sqlite.SQLiteSessionStore`.
        url: the address of a server, its password in it.
        timeout_s: seconds that a server may take for an answer. ``pool_size``: connections to it at most.
        key_prefix: what the keys on a Redis server begin with.
    """

    path: Path | str = ":memory:"
    synchronous: Synchronous = "NORMAL"
    busy_timeout_s: float = 5.0
    url: str = field(default="", repr=False)
    timeout_s: float = 5.0
    pool_size: int = 5
    key_prefix: str = "harness"


@dataclass(frozen=True, slots=True)
class AnyBackend(Generic[Options, Opened]):
    """A way to keep something.

    Attributes:
        open: makes one. What it needs is imported there, so that a table costs nothing to read.
        durable: opening the same options again finds what was stored.
        server: the kind of server it needs (``redis``, ``postgres``, ``falkordb``, ``bolt``), which ``url`` names; empty for none.
        suffix: of its file's name.
    """

    open: Callable[[Options], Opened]
    durable: bool
    server: str = ""
    suffix: str = "db"


def table(**backends: Known) -> Mapping[str, Known]:
    """Name in the settings → backend. Nobody can change it."""
    return MappingProxyType(backends)
