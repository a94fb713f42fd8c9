"""Memory items on a PostgreSQL server, shared by any number of programs and machines."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from harness.adapters.memories._entries import check_dimensions, closed, floats, prepare, slot_key
from harness.adapters.memories._postgres_index import Hnsw
from harness.adapters.memories._postgres_layout import MEMORIES
from harness.adapters.memories._postgres_tables import Tables
from harness.adapters.stores._postgres_server import PostgresServer

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
        VectorSearch,
    )
    from harness.state.memory import MemoryItem


class PostgresMemoryStore:
    """A :class:`~harness.ports.memories.MemoryStore` in tables of a PostgreSQL database; needs the extra ``postgres``.

    Words are found through an inverted index in a table, scored in SQL. Vectors are scanned by the extension pgvector where the
    database has it when the tables are made (``CREATE EXTENSION vector``); else they are stored as bytes and scanned in the
    memory of each program, for which the extra ``vectors`` must be installed. Either way the search is exact, unless ``hnsw`` is
    given and :meth:`index_vectors` was called, or the store was new.

    The tables (``harness_memory_items`` and others) are made by the first call, in the first schema of ``search_path``. Each
    write is one transaction; one program writes at a time. A connection that was lost is made again, and the call repeated.
    Use a store within one event loop.

    Args:
        url: ``postgresql://user:password@host:port/database``, with the parameters of libpq behind a ``?``.
        timeout_s: how long connecting, waiting for a connection, and a statement may take.
        pool_size: most connections at a time.
        hnsw: go by an approximate index of pgvector where that is quicker; None: compare all vectors.

    Every method raises StoreError (CorruptStore, StorageFull …) when the server cannot be used, NewerSchema when a newer
    version of the package made the tables. The constructor raises MissingExtra, and SettingsError for what is no address.
    """

    def __init__(self, url: str, *, timeout_s: float = 5.0, pool_size: int = 5, hnsw: Hnsw | None = None) -> None:
        self._server = PostgresServer(url, MEMORIES, timeout_s=timeout_s, pool_size=pool_size, closed=closed)
        self._tables = Tables(url, hnsw)
        self.hnsw = hnsw

    async def put(self, entries: Sequence[MemoryEntry]) -> None:
        """Store items, each in place of the one with its id. Raises StoreError."""
        prepared = prepare(entries)
        await self._server.write(lambda sql: self._tables.put(sql, prepared))

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
        await self._server.write(lambda sql: self._tables.follow(sql, session, turn_id or "", prepared, hide, show))

    async def followed(self, session: str) -> str | None:
        """The turn that memory stands at."""
        return await self._server.one(lambda sql: self._tables.followed(sql, session))

    async def all_followed(self) -> tuple[str, ...]:
        """See :class:`~harness.ports.NamesFollowed`."""
        return await self._server.one(self._tables.all_followed)

    async def unfollow(self, sessions: Collection[str]) -> None:
        """Remove where memory stands in sessions that were deleted."""
        await self._server.write(lambda sql: self._tables.unfollow(sql, sessions))

    async def get(self, ids: Sequence[str]) -> tuple[MemoryItem, ...]:
        """Items by id, each once, in that order."""
        return await self._server.one(lambda sql: self._tables.get(sql, ids))

    async def search(self, query: MemoryQuery) -> MemoryHits:
        """The best by words and the best by vectors. Raises StoreError for a vector of other dimensions, MissingExtra for
        vectors without pgvector and without numpy.
        """
        return await self._server.read(lambda sql: self._tables.search(sql, query))

    async def around(self, places: Mapping[str, Collection[int]], where: MemoryFilter) -> tuple[MemoryItem, ...]:
        """Messages by session and place, in this order."""
        return await self._server.read(lambda sql: self._tables.around(sql, places, where))

    async def of_slots(self, slots: Collection[Slot], where: MemoryFilter) -> tuple[MemoryItem, ...]:
        """Items that state the same facts, in order of their ids."""
        wanted = [str(slot_key(slot)) for slot in slots]
        found = await self._server.read(lambda sql: self._tables.having(sql, "slot", wanted, where))
        return tuple(item for item in found if slot_key(item.slot()) in wanted)

    async def with_keys(self, keys: Collection[str], where: MemoryFilter) -> tuple[MemoryItem, ...]:
        """Items that say the same, in order of their ids."""
        found = await self._server.read(lambda sql: self._tables.having(sql, "key", keys, where))
        return tuple(item for item in found if item.key and item.key in keys)

    async def browse(self, where: MemoryFilter, *, after: str = "", limit: int = 100) -> tuple[MemoryItem, ...]:
        """Items in order of their ids, those behind the id ``after``."""
        return await self._server.read(lambda sql: self._tables.browse(sql, where, after, limit))

    async def used(self, ids: Collection[str], at: datetime) -> None:
        """Count one use of each item; the same moment counts once."""
        await self._server.write(lambda sql: self._tables.used(sql, ids, at))

    async def delete(self, ids: Collection[str]) -> int:
        """Remove items; gives how many there were. Their bytes leave the server's files with the next VACUUM and the end of its
        log, as everything that is deleted there.
        """
        return await self._server.write(lambda sql: self._tables.delete(sql, ids))

    async def forget(self, where: MemoryFilter) -> int:
        """Remove what the filter, its scope taken exactly, holds for; gives how many there were."""
        return await self._server.write(lambda sql: self._tables.forget(sql, where))

    async def space(self) -> EmbeddingSpace | None:
        """The space that was set last; None before."""
        return await self._server.one(self._tables.space)

    async def embed(self, space: EmbeddingSpace, vectors: Mapping[str, Vector]) -> None:
        """Set the space and vectors of items; another space drops the vectors there are. Raises StoreError, MissingExtra
        without pgvector and without numpy.
        """
        made = {name: floats(vector, f"memory item {name!r}") for name, vector in vectors.items()}
        for name, vector in made.items():
            check_dimensions(vector, space, f"memory item {name!r}")
        await self._server.write(lambda sql: self._tables.embed(sql, space, made))

    async def index_vectors(self) -> VectorSearch:
        """Build the index that ``hnsw`` asks for, or drop the one there is without it; see :class:`~harness.ports.IndexesVectors`."""
        return await self._server.alone(self._tables.index_vectors)

    async def vectors(self, ids: Collection[str]) -> Mapping[str, Vector]:
        """The vectors of items by id."""
        return await self._server.read(lambda sql: self._tables.vectors(sql, ids))

    async def unembedded(self, *, limit: int = 100) -> tuple[MemoryItem, ...]:
        """Items without a vector, in order of their ids."""
        return await self._server.one(lambda sql: self._tables.unembedded(sql, limit))

    async def stats(self) -> MemoryStats:
        """What it holds; ``size_bytes`` is that of the tables and their indexes."""
        return await self._server.read(self._tables.stats)

    async def close(self) -> None:
        """Close the connections; later calls raise StoreError. May be called again."""
        await self._server.close()
