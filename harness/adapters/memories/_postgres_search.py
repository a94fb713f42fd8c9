"""Finding items by words and by vectors in PostgreSQL."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from harness.adapters.memories._bm25 import K1, B, Ranking, distinct, rarest
from harness.adapters.memories._entries import check_dimensions, floats
from harness.adapters.memories._postgres_approximate import Extent
from harness.adapters.memories._postgres_vectors import Nearest
from harness.adapters.memories._postgres_where import Condition, admitted_extents, fitting, number_of, of_groups
from harness.ports.memories import EmbeddingSpace, MemoryHit, MemoryHits, MemoryQuery, Vector

if TYPE_CHECKING:
    from harness.adapters.memories._postgres_items import Items
    from harness.adapters.memories._postgres_vectors import Vectors
    from harness.adapters.stores._postgres_server import Sql

BUDGET = 10_000
"""Entries of the index that are looked at before the more common words of a query only add to what the rarer ones found."""
_MORE = 4
_CANDIDATES = 2
"""How many times more documents than asked for are looked at in full when some words were left out."""
# OFFSET 0: word by word through the index, whatever the planner thinks of tables it has not analysed yet.
# Rounded, so that the order in which a sum was made up decides no tie; then the newer one comes first.
_SCORED = f"""(SELECT p.doc, sum(w.idf * p.tally * {K1 + 1} / (p.tally + {K1} * ({1 - B} + {B} * p.length / %s)))
    AS score FROM unnest(%s::bigint[], %s::float8[]) AS w (term, idf) CROSS JOIN LATERAL (SELECT doc, tally, length
    FROM harness_memory_postings AS p WHERE p.term = w.term AND {{groups}} OFFSET 0) AS p GROUP BY p.doc)"""
# One round trip: where processors are busy, each costs more than what the server does in it.
_TOLD = """SELECT items, tokens, model, dimensions, ARRAY(SELECT ARRAY[term, sum(items)::bigint] FROM harness_memory_terms
    WHERE term = ANY (%s) AND {groups} GROUP BY term) FROM harness_memory_totals"""
_ORDER = "ORDER BY floor(score * 1e9 + 0.5) DESC, doc DESC LIMIT %s"


@dataclass(frozen=True, slots=True)
class _Asked:
    """A query, with what the store says about it.

    Attributes:
        words: by the number of the term.
        counted: of docs that were counted, how often they have each term of the query, and how many terms they have.
    """

    groups: list[int] | None
    fitting: Condition
    limit: int
    ranking: Ranking
    words: Mapping[int, str]
    extent: Extent
    counted: dict[int, tuple[dict[str, int], int]] = field(default_factory=dict)


class Search:
    """Searches a store; each runs inside a transaction of the caller."""

    def __init__(self, items: Items, vectors: Vectors) -> None:
        self._items = items
        self._vectors = vectors

    async def find(self, sql: Sql, query: MemoryQuery) -> MemoryHits:
        """The best by words and the best by vectors."""
        words = {number_of(word): word for word in distinct(query.terms)}
        extents = await admitted_extents(sql, query.where)
        groups = None if extents is None else list(extents)
        seen = of_groups(groups, "grp")
        told = await sql.rows(_TOLD.format(groups=seen.sql), list(words), *seen.values)
        documents, tokens, model, dimensions, known = told[0]
        stored = documents
        if extents is not None:
            documents, tokens = (sum(part) for part in zip((0, 0), *extents.values(), strict=True))
        frequencies = {**dict.fromkeys(words.values(), 0), **{words[term]: int(items) for term, items in known}}
        space = None if model is None else EmbeddingSpace(model, dimensions)
        asked = _Asked(
            groups=groups,
            fitting=fitting(query.where),
            limit=max(query.limit, 0),
            ranking=Ranking.of(frequencies, documents, tokens),
            words=words,
            extent=Extent(documents, stored),
        )
        lexical = await self._by_words(sql, asked, frequencies)
        nearest = await self._by_vector(sql, asked, query.vector, space, lexical)
        by_words = {doc: place for place, doc in enumerate(lexical, start=1)}
        by_vector = {doc: place for place, doc in enumerate(nearest.docs, start=1)}
        docs = list(dict.fromkeys((*lexical, *nearest.docs)))
        counted = await _counted(sql, asked, docs)
        items = await self._items.by_doc(sql, docs) if docs else {}
        hits = tuple(
            MemoryHit(
                item,
                lexical=asked.ranking.score(*counted[doc]) if doc in counted else 0.0,
                cosine=nearest.cosines.get(doc),
                matched=frozenset(counted[doc][0]) if doc in counted else frozenset(),
                lexical_rank=by_words.get(doc),
                vector_rank=by_vector.get(doc),
            )
            for doc, item in items.items()
        )
        return MemoryHits(hits, documents, frequencies, nearest.mean, nearest.deviation, nearest.number)

    async def _by_words(self, sql: Sql, asked: _Asked, frequencies: Mapping[str, int]) -> list[int]:
        """The best docs, best first."""
        if not asked.limit or not asked.ranking.idfs:
            return []
        numbers = {word: term for term, word in asked.words.items()}
        budget = BUDGET
        while True:
            kept, left = rarest(frequencies, budget)
            limit = asked.limit * (_CANDIDATES if left else 1)
            docs = await _passing(sql, asked, [numbers[word] for word in kept], limit)
            if len(docs) >= asked.limit or not left:
                counted = await _counted(sql, asked, docs)
                exact = {doc: asked.ranking.score(*counted[doc]) for doc in docs}
                return sorted(docs, key=lambda doc: (exact[doc], doc), reverse=True)[: asked.limit]
            budget *= _MORE

    async def _by_vector(
        self, sql: Sql, asked: _Asked, vector: Vector | None, space: EmbeddingSpace | None, lexical: Collection[int]
    ) -> Nearest:
        if vector is None or space is None:
            return Nearest()
        query = floats(vector, "query")
        check_dimensions(query, space, "query")
        return await self._vectors.nearest(
            sql,
            query,
            space,
            groups=asked.groups,
            fitting=asked.fitting,
            limit=asked.limit,
            lexical=lexical,
            extent=asked.extent,
        )


async def _passing(sql: Sql, asked: _Asked, terms: Sequence[int], limit: int) -> list[int]:
    """The best docs that have some of the terms and pass the filter."""
    idfs = [asked.ranking.idfs[asked.words[term]] for term in terms]
    groups = of_groups(asked.groups, "p.grp")
    scored = _SCORED.format(groups=groups.sql)
    values = (asked.ranking.average, list(terms), idfs, *groups.values)
    count = limit * _MORE
    rows = await sql.rows(
        f"SELECT doc, (SELECT {asked.fitting.sql} FROM harness_memory_items AS i WHERE i.doc = best.doc) "
        f"FROM (SELECT doc, score FROM {scored} AS s {_ORDER}) AS best {_ORDER}",
        *asked.fitting.values,
        *values,
        count,
        count,
    )
    docs = [doc for doc, fits in rows if fits]
    if len(docs) < limit and len(rows) == count:
        rows = await sql.rows(
            f"SELECT doc FROM {scored} AS s JOIN harness_memory_items AS i USING (doc) WHERE {asked.fitting.sql} {_ORDER}",
            *values,
            *asked.fitting.values,
            limit,
        )
        docs = [row[0] for row in rows]
    return docs[:limit]


async def _counted(sql: Sql, asked: _Asked, docs: Collection[int]) -> dict[int, tuple[dict[str, int], int]]:
    """How often each term of the query is in a doc, and how many terms that has; without docs that have none of them."""
    uncounted = [doc for doc in docs if doc not in asked.counted]
    if not uncounted or not asked.words:
        return asked.counted
    rows = await sql.rows(
        "SELECT i.doc, p.term, p.tally, p.length FROM harness_memory_items AS i JOIN harness_memory_postings AS p "
        "ON p.term = ANY (%s) AND p.grp = i.grp AND p.doc = i.doc WHERE i.doc = ANY (%s)",
        list(asked.words),
        uncounted,
    )
    counts: dict[int, dict[str, int]] = defaultdict(dict)
    lengths: dict[int, int] = {}
    for doc, term, tally, length in rows:
        counts[doc][asked.words[term]] = tally
        lengths[doc] = length
    asked.counted.update((doc, (found, lengths[doc])) for doc, found in counts.items())
    return asked.counted
