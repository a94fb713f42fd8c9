"""Vectors of items in PostgreSQL: scanned by the extension pgvector where the database has it, else in memory."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from harness.adapters.memories._postgres_approximate import ApproximateSearch, Extent
from harness.adapters.memories._postgres_index import Hnsw, drop_all, indexes, lacking, literal, made, version_of
from harness.adapters.memories._postgres_where import Condition, of_groups
from harness.adapters.memories._sqlite_vectors import packed, unpacked
from harness.adapters.memories._vectors import Scan, VectorIndex, numpy_module
from harness.ports.memories import EmbeddingSpace, VectorSearch

if TYPE_CHECKING:
    from harness.adapters.stores._postgres_server import Sql

_REINDEX = "`harness memory reindex`"
_MORE = 4
"""How many times more vectors are looked at when a filter left too few; after that, what passes the filter is looked for first."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """What a query's vector finds.

    Attributes:
        cosines: by doc, of what was found and of the docs asked about. ``docs``: the best, best first.
        mean, deviation: of all that the groups hold, or of a sample; None without any. ``number``: how many they hold.
    """

    cosines: Mapping[int, float] = field(default_factory=dict)
    docs: tuple[int, ...] = ()
    mean: float | None = None
    deviation: float | None = None
    number: int = 0


class Vectors:
    """The vectors of a store. Without pgvector those of the server are read once, and after that only what has changed.

    Args:
        hnsw: search by an approximate index where there is one and it is worth it; None: compare all vectors.
    """

    def __init__(self, hnsw: Hnsw | None = None) -> None:
        self._hnsw = hnsw
        self._approximate: ApproximateSearch | None = None
        self._typed: bool | None = None
        self._index: VectorIndex | None = None
        self._of: EmbeddingSpace | None = None
        self._changes = self._removals = 0
        self._scanning = asyncio.Lock()

    async def typed(self, sql: Sql) -> bool:
        """Whether the vectors are of pgvector's type."""
        if self._typed is None:
            rows = await sql.rows(
                "SELECT atttypid::regtype::text FROM pg_attribute "
                "WHERE attrelid = 'harness_memory_vectors'::regclass AND attname = 'vector'"
            )
            self._typed = rows[0][0] != "bytea"
        return self._typed

    async def space(self, sql: Sql) -> EmbeddingSpace | None:
        """The space that was set last."""
        model, dimensions = (await sql.rows("SELECT model, dimensions FROM harness_memory_totals"))[0]
        return None if model is None else EmbeddingSpace(model, dimensions)

    async def set_space(self, sql: Sql, space: EmbeddingSpace) -> None:
        """Another space drops all vectors, and their index: it is built anew when the new ones are there."""
        known = await self.space(sql)
        if known != space:
            await sql.run("DELETE FROM harness_memory_vectors")
            if known is not None:
                await drop_all(sql)
            elif self._hnsw is not None and not await self.unindexable(sql, space):
                # The first ever: there is nothing to wait for.
                await sql.run(made(space.dimensions, concurrently=False))
            await sql.run(
                "UPDATE harness_memory_totals SET model = %s, dimensions = %s, removals = removals + 1",
                space.model,
                space.dimensions,
            )

    async def stored(self, sql: Sql, docs: Collection[int]) -> dict[int, array[float]]:
        """Those of the docs that have one."""
        if not docs:
            return {}
        rows = await sql.rows(
            f"SELECT doc, {'vector::text' if await self.typed(sql) else 'vector'} "
            "FROM harness_memory_vectors WHERE doc = ANY (%s)",
            list(docs),
        )
        if await self.typed(sql):
            return {doc: array("f", map(float, text[1:-1].split(","))) for doc, text in rows}
        return {doc: unpacked(blob) for doc, blob in rows}

    async def set(self, sql: Sql, vectors: Mapping[int, array[float]]) -> None:
        """Store the vectors of items that there are."""
        if not vectors:
            return
        rows = await sql.rows("UPDATE harness_memory_totals SET changes = changes + 1 RETURNING changes")
        typed = await self.typed(sql)
        made = "given.vector::vector" if typed else "given.vector"
        await sql.run(
            f"INSERT INTO harness_memory_vectors SELECT i.doc, i.grp, %s, {made} "
            f"FROM unnest(%s::bigint[], %s::{'text' if typed else 'bytea'}[]) AS given (doc, vector) "
            "JOIN harness_memory_items AS i ON i.doc = given.doc ON CONFLICT (doc) DO UPDATE "
            "SET grp = excluded.grp, change = excluded.change, vector = excluded.vector",
            rows[0][0],
            list(vectors),
            [literal(vector) if typed else packed(vector) for vector in vectors.values()],
        )

    async def drop(self, sql: Sql, docs: Collection[int]) -> None:
        """Remove the vectors of items."""
        count = await sql.run("DELETE FROM harness_memory_vectors WHERE doc = ANY (%s)", list(docs))
        if count:
            await sql.run("UPDATE harness_memory_totals SET removals = removals + 1")

    async def nearest(
        self,
        sql: Sql,
        query: array[float],
        space: EmbeddingSpace,
        *,
        groups: Collection[int] | None,
        fitting: Condition,
        limit: int,
        lexical: Collection[int],
        extent: Extent,
    ) -> Nearest:
        """The best of the groups that fit, and the cosines of what was found by words."""
        if await self.typed(sql):
            approximate = await self._by_index(sql)
            if approximate is not None and approximate.worth_it(extent, limit):
                quickly = await approximate.nearest(
                    sql, query, groups=groups, fitting=fitting, limit=limit, lexical=lexical, extent=extent
                )
                if quickly is not None:
                    return Nearest(quickly.cosines, quickly.docs, quickly.mean, quickly.deviation, quickly.number)
            return await _in_sql(sql, query, groups, fitting, limit, lexical)
        np = numpy_module()
        async with self._scanning:
            scan = (await self._caught_up(sql, space)).scan(query, groups)
            docs = await _passing(sql, scan, fitting & of_groups(groups), limit)
        wanted = {*docs, *lexical}
        found = await sql.rows("SELECT doc, vector FROM harness_memory_vectors WHERE doc = ANY (%s)", list(wanted))
        cosines: dict[int, float] = {}
        if found:
            matrix = np.frombuffer(b"".join(row[1] for row in found), "<f4").reshape(len(found), -1)
            values = np.vecdot(matrix, np.asarray(query, np.float32)).tolist()
            cosines = dict(zip((row[0] for row in found), values, strict=True))
        ordered = sorted((doc for doc in docs if doc in cosines), key=lambda doc: (cosines[doc], doc), reverse=True)
        return Nearest(cosines, tuple(ordered), scan.mean, scan.deviation, len(scan))

    async def search_used(self, sql: Sql, space: EmbeddingSpace | None) -> tuple[VectorSearch, str]:
        """How vectors are found now, ``exact`` or ``hnsw``, and what is to be said about it; empty for nothing."""
        there = await indexes(sql)
        if self._hnsw is None:
            size = sum(index.size_bytes for index in there) / 1_000_000
            unused = f"An index of {size:.1f} MB is not used and makes writing slow; {_REINDEX} drops it."
            return "exact", unused if there else ""
        if space is None:
            return "exact", ""
        if why := await self.unindexable(sql, space):
            return "exact", f"The search stays exact: {why}."
        if any(index.usable and index.dimensions == space.dimensions for index in there):
            return "hnsw", ""
        left = "was not built to its end" if there else "is not built yet"
        return (
            "exact",
            f"The search is exact: the index that memory.vector_index asks for {left}; {_REINDEX} builds it.",
        )

    async def unindexable(self, sql: Sql, space: EmbeddingSpace) -> str:
        """Why there can be no index; empty when there can."""
        if not await self.typed(sql):
            return "the vectors are stored as bytes, because the database had no pgvector when the tables were made"
        return lacking(await version_of(sql), space.dimensions)

    async def _by_index(self, sql: Sql) -> ApproximateSearch | None:
        if self._approximate is None and self._hnsw is not None:
            self._approximate = ApproximateSearch(self._hnsw, await version_of(sql))
        return self._approximate

    async def _caught_up(self, sql: Sql, space: EmbeddingSpace) -> VectorIndex:
        if self._index is None or self._of != space:
            self._index, self._of = VectorIndex(space.dimensions), space
            self._changes = self._removals = 0
        index = self._index
        changes, removals = (await sql.rows("SELECT changes, removals FROM harness_memory_totals"))[0]
        # A transaction that began before another one's may see less than is known already: nothing of that is shown, since
        # the items are looked up in the transaction.
        if removals > self._removals:
            if len(index):
                index.keep([row[0] for row in await sql.rows("SELECT doc FROM harness_memory_vectors")])
            self._removals = removals
        if changes > self._changes:
            rows = await sql.rows(
                "SELECT doc, grp, vector FROM harness_memory_vectors WHERE change > %s", self._changes
            )
            if rows:
                docs, groups, vectors = zip(*rows, strict=True)
                index.extend(docs, groups, b"".join(vectors))
            self._changes = changes
        return index


async def _passing(sql: Sql, scan: Scan, condition: Condition, limit: int) -> list[int]:
    """Docs of the best that pass the filter, best first."""
    count = limit
    while limit > 0:
        docs = scan.best(count)
        rows = await sql.rows(
            f"SELECT i.doc FROM harness_memory_items AS i WHERE i.doc = ANY (%s) AND {condition.sql}",
            list(docs),
            *condition.values,
        )
        fit = {row[0] for row in rows}
        if len(fit) >= limit or len(docs) >= len(scan):
            return [doc for doc in docs if doc in fit][:limit]
        count *= _MORE
    return []


async def _in_sql(
    sql: Sql,
    query: array[float],
    groups: Collection[int] | None,
    fitting: Condition,
    limit: int,
    lexical: Collection[int],
) -> Nearest:
    asked = literal(query)
    seen = of_groups(groups, "v.grp")
    scanned = (
        "WITH scanned AS MATERIALIZED (SELECT v.doc, -(v.vector <#> %s::vector) AS cosine "
        f"FROM harness_memory_vectors AS v WHERE {seen.sql}) "
    )
    rows = await sql.rows(
        f"{scanned} SELECT found.doc, found.cosine, {fitting.sql}, whole.mean, whole.deviation, whole.number "
        "FROM (SELECT avg(cosine) AS mean, stddev_pop(cosine) AS deviation, count(*) AS number FROM scanned) AS whole "
        "LEFT JOIN (SELECT * FROM scanned ORDER BY cosine DESC, doc DESC LIMIT %s) AS found ON true "
        "LEFT JOIN harness_memory_items AS i ON i.doc = found.doc",
        asked,
        *seen.values,
        *fitting.values,
        limit * _MORE,
    )
    mean, deviation, number = rows[0][3:]
    # Without any vector there is one row, of the mean only, and a filter that admits everything fits it.
    cosines = {doc: float(cosine) for doc, cosine, fits, *_ in rows if fits and doc is not None}
    if len(cosines) < limit and number > len(rows):
        some = await sql.rows(
            f"{scanned} SELECT doc, cosine FROM scanned JOIN harness_memory_items AS i USING (doc) WHERE {fitting.sql} "
            "ORDER BY cosine DESC, doc DESC LIMIT %s",
            asked,
            *seen.values,
            *fitting.values,
            limit,
        )
        cosines = {doc: float(cosine) for doc, cosine in some}
    docs = sorted(cosines, key=lambda doc: (cosines[doc], doc), reverse=True)[:limit]
    if missing := [doc for doc in lexical if doc not in cosines]:
        others = await sql.rows(
            "SELECT doc, -(vector <#> %s::vector) FROM harness_memory_vectors WHERE doc = ANY (%s)", asked, missing
        )
        cosines |= {doc: float(cosine) for doc, cosine in others}
    return Nearest(cosines, tuple(docs), mean, deviation, number)
