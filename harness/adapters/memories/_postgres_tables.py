"""A memory store as SQL for PostgreSQL: one function per operation, each run inside a transaction of the caller."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from harness.adapters.memories._entries import Prepared, check_dimensions
from harness.adapters.memories._postgres_index import Hnsw, brought
from harness.adapters.memories._postgres_items import Items
from harness.adapters.memories._postgres_layout import TABLES
from harness.adapters.memories._postgres_search import Search
from harness.adapters.memories._postgres_vectors import Vectors
from harness.adapters.memories._postgres_where import Condition, doomed, fitting, inside, number_of, of_groups
from harness.adapters.memories._vectors import numpy_module
from harness.addresses import masked
from harness.errors import StoreError
from harness.ports.memories import EmbeddingSpace, MemoryStats

if TYPE_CHECKING:
    from harness.adapters.stores._postgres_server import Sql
    from harness.ports.memories import MemoryFilter, MemoryHits, MemoryQuery, VectorSearch
    from harness.state.memory import MemoryItem

# One writer at a time: counts and numbers that depend on each other are kept in many rows.
_LOCK = "SELECT 1 FROM harness_memory_totals FOR UPDATE"

_PORTION = 1000
"""Items in one statement, so that none takes long, however many are written in one call."""


class Tables:
    """What a store does on its server. ``url``: of the server, for errors. ``hnsw``: search by an index."""

    def __init__(self, url: str, hnsw: Hnsw | None = None) -> None:
        self._url = url
        self._hnsw = hnsw
        self._vectors = Vectors(hnsw)
        self._items = Items(url, self._vectors)
        self._search = Search(self._items, self._vectors)

    async def put(self, sql: Sql, entries: Sequence[Prepared]) -> None:
        """Insert or replace items."""
        await sql.rows(_LOCK)
        await self._put(sql, entries)

    async def follow(
        self,
        sql: Sql,
        session: str,
        turn_id: str,
        put: Sequence[Prepared],
        hide: Collection[str],
        show: Collection[str],
    ) -> None:
        """Store, hide and show items, and note the turn."""
        await sql.rows(_LOCK)
        await self._put(sql, put)
        for turns, before, after in ((hide, "active", "hidden"), (show, "hidden", "active")):
            if turns:
                await sql.run(
                    "UPDATE harness_memory_items SET status = %s WHERE session = %s AND turn_id = ANY (%s) AND status = %s",
                    after,
                    session.encode(),
                    [turn.encode() for turn in turns],
                    before,
                )
        await sql.run(
            "INSERT INTO harness_memory_followed VALUES (%s, %s) "
            "ON CONFLICT (session) DO UPDATE SET turn_id = excluded.turn_id",
            session.encode(),
            turn_id.encode(),
        )

    async def followed(self, sql: Sql, session: str) -> str | None:
        """The turn that was noted."""
        rows = await sql.rows("SELECT turn_id FROM harness_memory_followed WHERE session = %s", session.encode())
        return rows[0][0].decode() if rows else None

    async def all_followed(self, sql: Sql) -> tuple[str, ...]:
        """The sessions that turns were noted of."""
        return tuple(row[0].decode() for row in await sql.rows("SELECT session FROM harness_memory_followed"))

    async def unfollow(self, sql: Sql, sessions: Collection[str]) -> None:
        """Remove the turns that were noted."""
        names = [session.encode() for session in sessions]
        await sql.run("DELETE FROM harness_memory_followed WHERE session = ANY (%s)", names)

    async def get(self, sql: Sql, ids: Sequence[str]) -> tuple[MemoryItem, ...]:
        """Items by id, in that order."""
        wanted = [name.encode() for name in ids]
        found = {item.id: item for item in await self._items.get(sql, Condition("i.id = ANY (%s)", (wanted,)))}
        return tuple(found[name] for name in dict.fromkeys(ids) if name in found)

    async def search(self, sql: Sql, query: MemoryQuery) -> MemoryHits:
        """What a query finds."""
        return await self._search.find(sql, query)

    async def around(
        self, sql: Sql, places: Mapping[str, Collection[int]], where: MemoryFilter
    ) -> tuple[MemoryItem, ...]:
        """Messages by session and place."""
        condition = Condition("i.kind = 'message'") & await inside(sql, where)
        found = [
            item
            for session, wanted in places.items()
            for item in await self._items.get(
                sql, Condition("i.session = %s AND i.place = ANY (%s)", (session.encode(), list(wanted))) & condition
            )
        ]
        return tuple(sorted(found, key=lambda item: (item.session, item.place, item.id)))

    async def having(
        self, sql: Sql, column: str, texts: Collection[str], where: MemoryFilter
    ) -> tuple[MemoryItem, ...]:
        """Items whose slot or key has the number of one of the texts, and a few others perhaps."""
        wanted = Condition(f"i.{column} = ANY (%s)", ([number_of(text) for text in texts],))
        return await self._items.get(sql, wanted & await inside(sql, where))

    async def browse(self, sql: Sql, where: MemoryFilter, after: str, limit: int) -> tuple[MemoryItem, ...]:
        """Items behind an id."""
        behind = Condition("i.id > %s", (after.encode(),))
        return await self._items.get(sql, await inside(sql, where) & behind, limit=max(limit, 0))

    async def used(self, sql: Sql, ids: Collection[str], at: datetime) -> None:
        """Count one use; the same moment counts once."""
        await sql.rows(_LOCK)
        rows = await sql.rows(
            "SELECT doc, last_used FROM harness_memory_items WHERE id = ANY (%s)", [name.encode() for name in set(ids)]
        )
        latest: dict[int, str] = {}
        for doc, text in rows:
            last = datetime.fromisoformat(text) if text else None
            if last != at:
                latest[doc] = (at if last is None or last < at else last).isoformat()
        if latest:
            await sql.run(
                "UPDATE harness_memory_items AS i SET uses = i.uses + 1, last_used = given.at "
                "FROM unnest(%s::bigint[], %s::text[]) AS given (doc, at) WHERE i.doc = given.doc",
                list(latest),
                list(latest.values()),
            )

    async def delete(self, sql: Sql, ids: Collection[str]) -> int:
        """Remove items by id."""
        await sql.rows(_LOCK)
        return await self._items.remove(sql, Condition("i.id = ANY (%s)", ([name.encode() for name in ids],)))

    async def forget(self, sql: Sql, where: MemoryFilter) -> int:
        """Remove items by a filter."""
        await sql.rows(_LOCK)
        return await self._items.remove(sql, of_groups(await doomed(sql, where)) & fitting(where))

    async def space(self, sql: Sql) -> EmbeddingSpace | None:
        """The space of the vectors."""
        return await self._vectors.space(sql)

    async def embed(self, sql: Sql, space: EmbeddingSpace, vectors: Mapping[str, array[float]]) -> None:
        """Set vectors of items that there are."""
        if not await self._vectors.typed(sql):
            numpy_module()  # before anything is stored that could not be looked for
        await sql.rows(_LOCK)
        await self._vectors.set_space(sql, space)
        names = [name.encode() for name in vectors]
        for start in range(0, len(names), _PORTION):
            rows = await sql.rows(
                "SELECT id, doc FROM harness_memory_items WHERE id = ANY (%s)", names[start : start + _PORTION]
            )
            await self._vectors.set(sql, {doc: vectors[name.decode()] for name, doc in rows})

    async def index_vectors(self, sql: Sql) -> VectorSearch:
        """Build the index that is wanted, or drop one that is not; gives how vectors are found now. On a connection without a
        transaction. Raises StoreError.
        """
        space = await self._vectors.space(sql)
        dimensions = None
        if self._hnsw is not None and space is not None:
            if why := await self._vectors.unindexable(sql, space):
                message = f"There can be no approximate index of vectors at {masked(self._url)!r}: {why}."
                raise StoreError(
                    message, remedy='Set memory.vector_index to "exact", or see docs/backends.md, "PostgreSQL".'
                )
            dimensions = space.dimensions
        await brought(sql, dimensions, self._url)
        return "exact" if dimensions is None else "hnsw"

    async def vectors(self, sql: Sql, ids: Collection[str]) -> dict[str, array[float]]:
        """Vectors by id."""
        rows = await sql.rows(
            "SELECT id, doc FROM harness_memory_items WHERE id = ANY (%s)", [name.encode() for name in set(ids)]
        )
        stored = await self._vectors.stored(sql, [doc for _, doc in rows])
        return {name.decode(): stored[doc] for name, doc in rows if doc in stored}

    async def unembedded(self, sql: Sql, limit: int) -> tuple[MemoryItem, ...]:
        """Items without a vector."""
        without = Condition("NOT EXISTS (SELECT 1 FROM harness_memory_vectors AS v WHERE v.doc = i.doc)")
        return await self._items.get(sql, without, limit=max(limit, 0))

    async def stats(self, sql: Sql) -> MemoryStats:
        """What the tables hold."""
        layers = (
            "SELECT layer, count(*) FROM harness_memory_items JOIN harness_memory_groups USING (grp) GROUP BY layer"
        )
        space = await self._vectors.space(sql)
        search, notice = await self._vectors.search_used(sql, space)
        size = " + ".join(f"pg_total_relation_size('harness_memory_{name}')" for name in TABLES)
        return MemoryStats(
            items=(await sql.rows("SELECT items FROM harness_memory_totals"))[0][0],
            by_layer=dict(await sql.rows(layers)),
            by_kind=dict(await sql.rows("SELECT kind, count(*) FROM harness_memory_items GROUP BY kind")),
            by_status=dict(await sql.rows("SELECT status, count(*) FROM harness_memory_items GROUP BY status")),
            vectors=(await sql.rows("SELECT count(*) FROM harness_memory_vectors"))[0][0],
            space=space,
            size_bytes=(await sql.rows(f"SELECT {size}"))[0][0],
            vector_search=search,
            notice=notice,
        )

    async def _put(self, sql: Sql, entries: Sequence[Prepared]) -> None:
        space = await self._vectors.space(sql)
        for entry in entries:
            if entry.vector is not None:
                check_dimensions(entry.vector, space, f"memory item {entry.item.id!r}")
        for start in range(0, len(entries), _PORTION):
            await self._items.put(sql, entries[start : start + _PORTION])
