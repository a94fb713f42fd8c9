"""Where memory items are kept. ``MEMORY_BACKENDS`` is the table that the app builds from and the conformance suite runs over."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
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
    """

    path: Path | str = ":memory:"
    synchronous: Literal["OFF", "NORMAL", "FULL", "EXTRA"] = "NORMAL"
    busy_timeout_s: float = 5.0


@dataclass(frozen=True, slots=True)
class MemoryBackend:
    """A way to keep memory items. ``durable``: opening the same options again finds what was stored."""

    open: Callable[[MemoryOptions], MemoryStore]
    durable: bool


def _memory(options: MemoryOptions) -> MemoryStore:  # noqa: ARG001 - the signature all backends share
    from harness.adapters.memories.ram import InProcessMemoryStore

    return InProcessMemoryStore()


def _sqlite(options: MemoryOptions) -> MemoryStore:
    from harness.adapters.memories.sqlite import SQLiteMemoryStore

    return SQLiteMemoryStore(options.path, synchronous=options.synchronous, busy_timeout_s=options.busy_timeout_s)


MEMORY_BACKENDS: Mapping[str, MemoryBackend] = MappingProxyType(
    {"memory": MemoryBackend(_memory, durable=False), "sqlite": MemoryBackend(_sqlite, durable=True)}
)
"""Name in the settings → backend."""

__all__ = ["MEMORY_BACKENDS", "MemoryBackend", "MemoryOptions"]
