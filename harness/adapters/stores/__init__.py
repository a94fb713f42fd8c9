"""Where sessions are kept. ``BACKENDS`` is the table that the app builds from and the conformance suite runs over."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
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
    """

    path: Path | str = ":memory:"
    synchronous: Literal["OFF", "NORMAL", "FULL", "EXTRA"] = "NORMAL"
    busy_timeout_s: float = 5.0


@dataclass(frozen=True, slots=True)
class Backend:
    """A way to keep sessions. ``durable``: opening the same options again finds what was stored."""

    open: Callable[[StoreOptions], SessionStore]
    durable: bool


def _memory(options: StoreOptions) -> SessionStore:  # noqa: ARG001 - the signature all backends share
    from harness.adapters.stores.memory import MemorySessionStore

    return MemorySessionStore()


def _sqlite(options: StoreOptions) -> SessionStore:
    from harness.adapters.stores.sqlite import SQLiteSessionStore

    return SQLiteSessionStore(options.path, synchronous=options.synchronous, busy_timeout_s=options.busy_timeout_s)


BACKENDS: Mapping[str, Backend] = MappingProxyType(
    {"memory": Backend(_memory, durable=False), "sqlite": Backend(_sqlite, durable=True)}
)
"""Name in the settings → backend."""

__all__ = ["BACKENDS", "Backend", "StoreOptions"]
