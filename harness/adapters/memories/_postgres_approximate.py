"""Finding vectors in PostgreSQL by an approximate index, where that is quicker than comparing all of them."""

from __future__ import annotations

from array import array
from collections import OrderedDict
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.adapters.memories._postgres_index import ITERATIVE, Hnsw, index_of, kind_of_index, literal
from harness.adapters.memories._postgres_where import Condition, of_groups

if TYPE_CHECKING:
    from harness.adapters.stores._postgres_server import Sql

_DRAWN = 1_024
"""Items by which mean and deviation of the cosines are measured."""
_FEWEST = 30
_DRIFT = 0.05
"""By which share a scope grows or shrinks before its sample is drawn anew."""
_SAMPLES = 256
"""Samples that are kept, of the scopes that were asked for last: 8 kB each."""
_SPARE = 2
"""How many times more are taken from the index than asked for, so that those with the same cosine come in their order."""
_MOST_CANDIDATES = 1_000
_MOST_TUPLES = 20_000


@dataclass(frozen=True, slots=True)
class Extent:
    """How many items the scopes of a query hold, and how many the store holds."""

    admitted: int
    stored: int


@dataclass(frozen=True, slots=True)
class Approximate:
    """What the index found: cosines of the best, and of the docs asked about; the rest is measured by a sample."""

    cosines: dict[int, float]
    docs: tuple[int, ...]
    mean: float
    deviation: float
    number: int


class ApproximateSearch:
    """Searches by the index of one store.

    Mean and deviation of all cosines cannot be had from an index. They are measured by a sample of the items in the scopes of the
    query: those for which a fixed mix of their number's bits is lowest, so that each program draws the same, and few change when items
    come and go. ``version``: of pgvector.
    """

    def __init__(self, hnsw: Hnsw, version: tuple[int, int]) -> None:
        self._hnsw = hnsw
        self._iterative = version >= ITERATIVE
        self._samples: OrderedDict[tuple[int, ...] | None, tuple[int, list[int]]] = OrderedDict()

    def worth_it(self, extent: Extent, limit: int) -> bool:
        """Whether the index is likely to be quicker than comparing all vectors: of a small part of the store it would have to
        look at many others.
        """
        if not extent.admitted or limit <= 0:
            return False
        return extent.admitted > self._hnsw.candidate_cost * self._candidates(extent, limit)

    async def nearest(
        self,
        sql: Sql,
        query: array[float],
        *,
        groups: Collection[int] | None,
        fitting: Condition,
        limit: int,
        lexical: Collection[int],
        extent: Extent,
    ) -> Approximate | None:
        """The best by the index. None where it is not there, or leaves fewer than asked for: then all are to be compared."""
        if not await self._ready(sql, len(query), extent, limit):
            return None
        asked = literal(query)
        kind = kind_of_index(len(query))
        seen = of_groups(groups, "v.grp")
        rows = await sql.rows(
            "SELECT v.doc, -(v.vector <#> %s::vector) FROM harness_memory_vectors AS v "
            f"JOIN harness_memory_items AS i ON i.doc = v.doc WHERE vector_dims(v.vector) = {len(query)} AND {seen.sql} "
            f"AND {fitting.sql} ORDER BY (v.vector::{kind}) <#> %s::{kind} LIMIT {limit * _SPARE}",
            asked,
            *seen.values,
            *fitting.values,
            asked,
        )
        if len(rows) < min(limit, extent.admitted):
            return None
        cosines = {int(doc): float(cosine) for doc, cosine in rows}
        docs = sorted(cosines, key=lambda doc: (cosines[doc], doc), reverse=True)[:limit]
        sample = await self._sample(sql, groups, extent.admitted)
        others = await sql.rows(
            "SELECT whole.mean, whole.deviation, whole.number, v.doc, -(v.vector <#> %s::vector) "
            "FROM (SELECT avg(cosine) AS mean, stddev_pop(cosine) AS deviation, count(*) AS number FROM "
            "(SELECT -(vector <#> %s::vector) AS cosine FROM harness_memory_vectors WHERE doc = ANY (%s)) AS drawn) AS whole "
            "LEFT JOIN harness_memory_vectors AS v ON v.doc = ANY (%s)",
            asked,
            asked,
            sample,
            [doc for doc in lexical if doc not in cosines],
        )
        mean, deviation, drawn = others[0][:3]
        if drawn < min(_FEWEST, extent.admitted):
            return None
        cosines |= {int(doc): float(cosine) for *_, doc, cosine in others if doc is not None}
        return Approximate(cosines, tuple(docs), mean, deviation, round(extent.admitted * drawn / len(sample)))

    def _candidates(self, extent: Extent, limit: int) -> float:
        """How many candidates are looked at until enough of them are of the scopes."""
        return max(self._hnsw.ef_search, limit * _SPARE * extent.stored / extent.admitted)

    async def _ready(self, sql: Sql, dimensions: int, extent: Extent, limit: int) -> bool:
        """Set the index up for the transaction; False when there is none, or none that is whole."""
        held = min(max(self._hnsw.ef_search, limit * _SPARE), _MOST_CANDIDATES)
        # Sorting, which is what all other plans come down to, is the exact search; when that is wanted it is asked for.
        said = {"hnsw.ef_search": str(held), "enable_sort": "off"}
        if self._iterative:
            cost = self._hnsw.candidate_cost
            most = extent.admitted / cost if cost else _MOST_TUPLES  # then comparing all would have been as quick
            said["hnsw.iterative_scan"] = "relaxed_order"
            said["hnsw.max_scan_tuples"] = str(int(min(max(most, held), _MOST_TUPLES)))
        rows = await sql.rows(
            f"SELECT CASE WHEN indisvalid THEN {', '.join(['set_config(%s, %s, true)'] * len(said)).join(('ARRAY[', ']'))} END "
            "FROM pg_index WHERE indexrelid = to_regclass(%s)",
            *(part for pair in said.items() for part in pair),
            index_of(dimensions),
        )
        return bool(rows) and rows[0][0] is not None

    async def _sample(self, sql: Sql, groups: Collection[int] | None, admitted: int) -> list[int]:
        key = None if groups is None else tuple(sorted(groups))
        known = self._samples.get(key)
        # A scope that is looked at as a whole is, each time: its figures are the exact ones.
        if known is not None and admitted > _DRAWN and abs(admitted - known[0]) <= _DRIFT * known[0]:
            self._samples.move_to_end(key)
            return known[1]
        seen = of_groups(groups)
        rows = await sql.rows(
            f"SELECT i.doc FROM harness_memory_items AS i WHERE {seen.sql} "
            # Knuth 1998, §6.4: multiplied by the golden ratio of 2 ** 32, neighbours are strewn evenly.
            f"ORDER BY ((i.doc & 2147483647) * 2654435761) & 4294967295, i.doc LIMIT {_DRAWN}",
            *seen.values,
        )
        drawn = [int(row[0]) for row in rows]
        self._samples[key] = (admitted, drawn)
        while len(self._samples) > _SAMPLES:
            self._samples.popitem(last=False)
        return drawn
