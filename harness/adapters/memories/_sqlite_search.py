"""Finding items by words and by vectors in a memory file."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from harness.adapters.memories import _sqlite_postings as postings
from harness.adapters.memories._bm25 import Ranking, distinct, rarest
from harness.adapters.memories._entries import check_dimensions, floats
from harness.adapters.memories._scores import Scored, added_up
from harness.adapters.memories._sqlite_where import Condition, admitted, among, extent, fitting, of_groups
from harness.ports.memories import MemoryHit, MemoryHits, MemoryQuery, Vector

if TYPE_CHECKING:
    import sqlite3

    from harness.adapters.memories._sqlite_items import Items
    from harness.adapters.memories._sqlite_vectors import Vectors

BUDGET = 10_000
"""Entries of the index that are looked at before the more common words of a query only add to what the rarer ones found."""
_MORE = 4
"""How many times more documents are looked at when a filter left too few."""
_FEW = 20_000
"""Items that pass a filter which are worth to be listed, when among the best there were not enough of them."""
_PORTION = 5_000
"""Row numbers in one statement."""
_CANDIDATES = 2
"""How many times more documents than asked for are looked at in full when some words were left out."""
_DECIMALS = 6
"""Of a cosine of 32-bit floats."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """A query, with what the file says about it.

    Attributes:
        words: by the number of the term.
        forward: of each doc that was looked at, how many terms it has, and ``items.terms``.
        counted: of those that were counted, how many terms they have, and how often each term of the query.
    """

    groups: tuple[int, ...] | None
    fitting: Condition
    limit: int
    ranking: Ranking
    words: Mapping[int, str]
    forward: dict[int, tuple[int, bytes]] = field(default_factory=dict)
    counted: dict[int, tuple[int, dict[str, int]]] = field(default_factory=dict)


class Search:
    """Searches an open memory file; each runs inside a transaction of the caller."""

    def __init__(self, sql: sqlite3.Connection, items: Items, vectors: Vectors) -> None:
        self._sql = sql
        self._items = items
        self._vectors = vectors

    def find(self, query: MemoryQuery) -> MemoryHits:
        """The best by words and the best by vectors."""
        words = distinct(query.terms)
        known = postings.numbered(self._sql, words)
        groups = admitted(self._sql, query.where)
        frequencies = dict.fromkeys(words, 0) | postings.frequencies(self._sql, known, groups)
        documents, tokens = extent(self._sql, groups)
        asked = _Asked(
            groups=groups,
            fitting=fitting(query.where),
            limit=max(query.limit, 0),
            ranking=Ranking.of(frequencies, documents, tokens),
            words={term: word for word, (term, _) in known.items()},
        )
        lexical = self._by_words(asked, frequencies)
        cosines, places, mean, deviation, number = self._by_vectors(asked, query.vector, lexical)
        by_words = {doc: place for place, doc in enumerate(lexical, start=1)}
        docs = list(dict.fromkeys((*lexical, *places)))
        lexical |= self._exact(asked, [doc for doc in places if doc not in lexical])
        matched = {doc: frozenset(counts) for doc, _, counts in self._counted(asked, docs)}
        items = self._items.by_doc(docs)
        hits = tuple(
            MemoryHit(
                item,
                lexical=lexical.get(doc, 0.0),
                cosine=cosines.get(doc),
                matched=matched.get(doc, frozenset()),
                lexical_rank=by_words.get(doc),
                vector_rank=places.get(doc),
            )
            for doc, item in items.items()
        )
        return MemoryHits(hits, documents, frequencies, mean, deviation, number)

    def _by_words(self, asked: _Asked, frequencies: Mapping[str, int]) -> dict[int, float]:
        """Docs and scores of the best, best first."""
        if not asked.limit:
            return {}
        numbered = {word: term for term, word in asked.words.items()}
        lists: dict[str, bytes] = {}
        budget = BUDGET
        while True:
            kept, left = rarest(frequencies, budget)
            for word in kept:
                if word not in lists:
                    lists[word] = postings.entries(self._sql, numbered[word], asked.groups)
            scored = added_up(lists, asked.ranking)
            if not left:
                docs = self._passing(scored, asked, asked.limit)
                return dict(zip(docs, scored.of(docs), strict=True))
            docs = self._passing(scored, asked, asked.limit * _CANDIDATES)
            if len(docs) >= asked.limit:
                exact = self._exact(asked, docs)
                best = sorted(docs, key=lambda doc: (exact[doc], doc), reverse=True)[: asked.limit]
                return {doc: exact[doc] for doc in best}
            budget *= _MORE

    def _by_vectors(
        self, asked: _Asked, vector: Vector | None, lexical: Collection[int]
    ) -> tuple[dict[int, float], dict[int, int], float | None, float | None, int]:
        """Cosines of the best and of what was found by words; the places of the best; mean, deviation and number of all."""
        if vector is None or (space := self._vectors.space()) is None:
            return {}, {}, None, None, 0
        query = floats(vector, "query")
        check_dimensions(query, space, "query")
        index = self._vectors.index(space)
        scan = index.scan(query, asked.groups)
        candidates = self._passing(scan, asked, asked.limit)
        cosines = index.cosines(query, {*candidates, *lexical})
        ordered = sorted(
            (doc for doc in candidates if doc in cosines),
            # What differs in the last bits only is the same: the newer one first.
            key=lambda doc: (round(cosines[doc], _DECIMALS), doc),
            reverse=True,
        )
        places = {doc: place for place, doc in enumerate(ordered[: asked.limit], start=1)}
        return cosines, places, scan.mean, scan.deviation, len(scan)

    def _passing(self, scored: Scored, asked: _Asked, limit: int) -> list[int]:
        """Docs of the best that pass the filter, best first."""
        # The group again: no damage to the index may show an item to whom it does not belong. The plus keeps SQLite from going
        # through the whole group.
        condition = asked.fitting & of_groups(asked.groups, "+grp")
        passed = dict[int, None]()
        seen = set[int]()
        count = limit
        while len(passed) < limit and len(seen) < len(scored):
            if count == limit * _MORE * _MORE and (some := self._all_passing(asked)) is not None:
                return list(scored.among(some, limit))
            fresh = [doc for doc in scored.best(count) if doc not in seen]
            seen.update(fresh)
            for start in range(0, len(fresh), _PORTION):
                docs = fresh[start : start + _PORTION]
                here = among("doc", docs) & condition
                # Their terms are read along, because those that pass are counted next.
                columns = "doc, length, terms" if asked.words else "doc"
                rows = self._sql.execute(f"SELECT {columns} FROM items WHERE {here.sql}", here.values).fetchall()
                if asked.words:
                    asked.forward.update((doc, (length, forward)) for doc, length, forward in rows)
                fit = {row[0] for row in rows}
                passed.update((doc, None) for doc in docs if doc in fit)
            count *= _MORE
        return list(passed)[:limit]

    def _all_passing(self, asked: _Asked) -> list[int] | None:
        """All docs that pass the filter; None when they are many, so that going on from best to worst finds some soon."""
        condition = of_groups(asked.groups) & asked.fitting
        rows = self._sql.execute(
            f"SELECT doc FROM items WHERE {condition.sql} LIMIT ?", (*condition.values, _FEW + 1)
        ).fetchall()
        return [row[0] for row in rows] if len(rows) <= _FEW else None

    def _exact(self, asked: _Asked, docs: Sequence[int]) -> dict[int, float]:
        """BM25 by all terms of the query."""
        return {doc: asked.ranking.score(counts, length) for doc, length, counts in self._counted(asked, docs)}

    def _counted(self, asked: _Asked, docs: Sequence[int]) -> Iterator[tuple[int, int, dict[str, int]]]:
        """Doc, length, and how often each term of the query is in it."""
        if not asked.words:
            return
        unread = [doc for doc in docs if doc not in asked.forward]
        for start in range(0, len(unread), _PORTION):
            here = among("doc", unread[start : start + _PORTION])
            rows = self._sql.execute(f"SELECT doc, length, terms FROM items WHERE {here.sql}", here.values).fetchall()
            asked.forward.update((doc, (length, forward)) for doc, length, forward in rows)
        words = asked.words
        for doc in docs:
            if doc not in asked.counted and doc in asked.forward:
                length, forward = asked.forward[doc]
                entries = postings.unpack(forward)
                counts = {words[entry >> 32]: entry & 0xFFFFFFFF for entry in entries if entry >> 32 in words}
                asked.counted[doc] = length, counts
            if doc in asked.counted:
                yield doc, *asked.counted[doc]
