"""Memory items in a SQLite file: crash-safe, shared between programs, readable with any SQLite tool."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from harness.adapters.memories._entries import check_dimensions, closed, floats, prepare
from harness.adapters.memories._sqlite_file import MemoryFile, open_file
from harness.adapters.memories._sqlite_layout import WHAT
from harness.adapters.memories._vectors import numpy_module
from harness.adapters.stores._sqlite_layout import Synchronous
from harness.adapters.stores._sqlite_thread import SQLiteThread

if TYPE_CHECKING:
    from harness.ports.memories import (
        EmbeddingSpace,
        MemoryEntry,
        MemoryFilter,
        MemoryHits,
        MemoryQuery,
        MemoryStats,
        Slot,
        Vector,
    )
    from harness.state.memory import MemoryItem


class SQLiteMemoryStore:
    """A :class:`~harness.ports.memories.MemoryStore` in one SQLite file (WAL mode), or in ``:memory:``.

    Words are found through an inverted index in tables; vectors are stored as 32-bit floats and scanned in memory, for which
    the extra ``vectors`` must be installed. All SQL runs in one thread of the store's own, in the order of the calls.
    Cancelling a call that waits for its turn means it never happens; a call that has begun is completed. Several stores, in
    this program or others, may use the same file.

    The file is opened by the first call (or by :meth:`open`), its folder made when missing.

    Args:
        path: the file, or ``:memory:`` for one that ends with the store.
        synchronous: SQLite's setting. ``NORMAL`` survives a crash of the program whole; a power cut can take back the
            last writes, never tear one. ``FULL`` survives both, at the price of a disk flush per write.
        busy_timeout_s: how long a call waits for another program's lock.

    Every method raises StoreError (CorruptStore, StorageFull …) when the file cannot be used, NewerSchema when a newer
    version of the package wrote it.
    """

    def __init__(self, path: str | Path, *, synchronous: Synchronous = "NORMAL", busy_timeout_s: float = 5.0) -> None:
        self._file = SQLiteThread(
            path,
            self._opener(path, synchronous, busy_timeout_s),
            synchronous=synchronous,
            busy_timeout_s=busy_timeout_s,
            closed=closed,
            what=WHAT,
        )

    def _opener(
        self,
        path: str | Path,  # noqa: ARG002 - for stores that keep more than this file
        synchronous: Synchronous,
        busy_timeout_s: float,
    ) -> Callable[[Path | str], MemoryFile]:
        """What opens the file."""
        return partial(open_file, synchronous=synchronous, busy_timeout_s=busy_timeout_s)

    async def open(self) -> None:
        """Open the file now instead of at the first call. May be called again."""
        await self._file.run(lambda _: None)

    async def put(self, entries: Sequence[MemoryEntry]) -> None:
        """Store items, each in place of the one with its id. Raises StoreError."""
        prepared = prepare(entries)
        await self._file.run(lambda file: file.put(prepared))

    async def follow(
        self,
        session: str,
        turn_id: str | None,
        *,
        put: Sequence[MemoryEntry] = (),
        hide: Collection[str] = (),
        show: Collection[str] = (),
    ) -> None:
        """Store what a turn wrote, then hide and show what other turns wrote, and note the turn. Raises StoreError."""
        prepared = prepare(put)
        await self._file.run(lambda file: file.follow(session, turn_id or "", prepared, hide, show))

    async def followed(self, session: str) -> str | None:
        """The turn that memory stands at."""
        return await self._file.run(lambda file: file.followed(session))

    async def all_followed(self) -> tuple[str, ...]:
        """See :class:`~harness.ports.NamesFollowed`."""
        return await self._file.run(lambda file: file.all_followed())

    async def unfollow(self, sessions: Collection[str]) -> None:
        """Remove where memory stands in sessions that were deleted."""
        await self._file.run(lambda file: file.unfollow(sessions))

    async def get(self, ids: Sequence[str]) -> tuple[MemoryItem, ...]:
        """Items by id, each once, in that order."""
        return await self._file.run(lambda file: file.get(ids))

    async def search(self, query: MemoryQuery) -> MemoryHits:
        """The best by words and the best by vectors. Raises StoreError for a vector of other dimensions, MissingExtra for
        vectors without numpy.
        """
        return await self._file.run(lambda file: file.search(query))

    async def around(self, places: Mapping[str, Collection[int]], where: MemoryFilter) -> tuple[MemoryItem, ...]:
        """Messages by session and place, in this order."""
        return await self._file.run(lambda file: file.around(places, where))

    async def of_slots(self, slots: Collection[Slot], where: MemoryFilter) -> tuple[MemoryItem, ...]:
        """Items that state the same facts, in order of their ids."""
        return await self._file.run(lambda file: file.of_slots(slots, where))

    async def with_keys(self, keys: Collection[str], where: MemoryFilter) -> tuple[MemoryItem, ...]:
        """Items that say the same, in order of their ids."""
        return await self._file.run(lambda file: file.with_keys(keys, where))

    async def browse(self, where: MemoryFilter, *, after: str = "", limit: int = 100) -> tuple[MemoryItem, ...]:
        """Items in order of their ids, those behind the id ``after``."""
        return await self._file.run(lambda file: file.browse(where, after, limit))

    async def used(self, ids: Collection[str], at: datetime) -> None:
        """Count one use of each item; the same moment counts once."""
        await self._file.run(lambda file: file.used(ids, at))

    async def delete(self, ids: Collection[str]) -> int:
        """Remove items and overwrite their text in the file; gives how many there were."""
        return await self._file.run(lambda file: file.delete(ids))

    async def forget(self, where: MemoryFilter) -> int:
        """Remove what the filter, its scope taken exactly, holds for; gives how many there were."""
        return await self._file.run(lambda file: file.forget(where))

    async def space(self) -> EmbeddingSpace | None:
        """The space that was set last; None before."""
        return await self._file.run(lambda file: file.space())

    async def embed(self, space: EmbeddingSpace, vectors: Mapping[str, Vector]) -> None:
        """Set the space and vectors of items; another space drops the vectors there are. Raises StoreError,
        MissingExtra without numpy.
        """
        numpy_module()  # before anything is stored that could not be looked for
        made = {name: floats(vector, f"memory item {name!r}") for name, vector in vectors.items()}
        for name, vector in made.items():
            check_dimensions(vector, space, f"memory item {name!r}")
        await self._file.run(lambda file: file.embed(space, made))

    async def vectors(self, ids: Collection[str]) -> Mapping[str, Vector]:
        """The vectors of items by id."""
        return await self._file.run(lambda file: file.vectors(ids))

    async def unembedded(self, *, limit: int = 100) -> tuple[MemoryItem, ...]:
        """Items without a vector, in order of their ids."""
        return await self._file.run(lambda file: file.unembedded(limit))

    async def stats(self) -> MemoryStats:
        """What it holds; ``size_bytes`` is the file's, without its log."""
        return await self._file.run(lambda file: file.stats())

    async def check(self) -> tuple[str, ...]:
        """Read the whole file and list what is wrong with it; empty when it is sound. Takes a minute per gigabyte.

        Raises CorruptStore when the file is too damaged to be walked through.
        """
        return await self._file.run(lambda file: file.check())

    async def not_overwritten(self) -> tuple[str, ...]:
        """See :class:`~harness.ports.Overwrites`."""
        return await self._file.not_overwritten()

    async def close(self) -> None:
        """Finish what was begun and close the file; later calls raise StoreError. May be called again."""
        await self._file.close()
