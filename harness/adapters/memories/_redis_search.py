"""Finding items by words and by vectors on a Redis server: lists are read in few round trips, scores are made here."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from harness.adapters.memories._bm25 import Ranking, distinct, rarest
from harness.adapters.memories._entries import check_dimensions, floats
from harness.adapters.memories._filters import matches, named
from harness.adapters.memories._redis_rows import SCRIPT, compact, counts_of, group_fits, group_keys, item_of, sifting
from harness.adapters.memories._redis_vectors import RedisVectors
from harness.adapters.memories._scores import Scored, added_up
from harness.adapters.redis.client import chunks
from harness.adapters.redis.failures import damaged
from harness.ports.memories import EmbeddingSpace, MemoryFilter, MemoryHit, MemoryHits, MemoryQuery, Vector

if TYPE_CHECKING:
    from harness.adapters.redis.client import RedisClient
    from harness.state.memory import MemoryItem

BUDGET = 10_000
"""Entries of lists that are looked at before the more common words of a query only add to what the rarer ones found."""
_MORE = 4
_CANDIDATES = 2
_AT_ONCE = 1_000


@dataclass(slots=True)
class _Asked:
    """A query with what the server says about it. ``rows``: item and row of each doc that was looked at; None for one gone."""

    where: MemoryFilter
    groups: Collection[int]
    limit: int
    ranking: Ranking
    words: Sequence[str]
    rows: dict[int, tuple[MemoryItem, bytes] | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Told:
    """What the server says of the groups of a query: items in them, terms of those together, how many have each word."""

    items: int
    tokens: int
    groups: Mapping[int, str]
    having: Sequence[int]
    space: EmbeddingSpace | None


class RedisSearch:
    """Searches a server."""

    def __init__(self, client: RedisClient, vectors: RedisVectors) -> None:
        self._client = client
        self._vectors = vectors

    async def find(self, query: MemoryQuery) -> MemoryHits:
        """The best by words and the best by vectors."""
        words, where = distinct(query.terms), query.where
        if where.everything:
            groups = await self.groups(where)
            whole = not named(where.scope) and not where.layers
            told = await self._told(words, None if whole else list(groups.values()))
        else:
            told = await self._told(words, group_keys(where))
            groups = dict(told.groups)
        frequencies = dict(zip(words, told.having, strict=True))
        ranking = Ranking.of(frequencies, told.items, told.tokens)
        asked = _Asked(where, list(groups), max(query.limit, 0), ranking, words)
        lexical = await self._by_words(asked, frequencies)
        cosines, places, mean, deviation, number = await self._by_vectors(asked, told.space, query.vector, lexical)
        by_words = {doc: place for place, doc in enumerate(lexical, start=1)}
        found = self._matched(asked, [*lexical, *(doc for doc in places if doc not in lexical)])
        hits = tuple(
            MemoryHit(
                item,
                lexical=lexical.get(doc, score),
                cosine=cosines.get(doc),
                matched=matched,
                lexical_rank=by_words.get(doc),
                vector_rank=places.get(doc),
            )
            for doc, item, score, matched in found
        )
        return MemoryHits(hits, told.items, frequencies, mean, deviation, number)

    async def groups(self, where: MemoryFilter, *, exactly: bool = False) -> dict[int, str]:
        """Number and name of each group that the query may see; ``exactly``: that ``forget`` means."""
        wanted = None if exactly else group_keys(where)
        if wanted is None:
            numbers = await self._client.read(lambda client: client.hgetall(self._key("groups")))
            names = {int(number): name.decode() for name, number in numbers.items()}
            return {number: name for number, name in names.items() if group_fits(name, where, exactly=exactly)}
        found = await self._client.read(lambda client: client.hmget(self._key("groups"), wanted))
        return {int(number): name for name, number in zip(wanted, found, strict=True) if number is not None}

    async def _told(self, words: Sequence[str], names: Sequence[str] | None) -> _Told:
        """What the server says about these words and groups, of one moment; without names, about all there is."""
        given: dict[str, object] = {"words": list(words)}
        if names is not None:
            given["groups"] = list(names)
        while (told := await self._client.script(SCRIPT, "told", compact(given))) is None:
            while await self._client.script(SCRIPT, "measure", "{}"):
                pass
        (items, tokens, model, dimensions), numbers, sizes, lengths, having = told
        there = zip(names or (), numbers, strict=True)
        return _Told(
            items=int(items or 0) if names is None else sum(int(size or 0) for size in sizes),
            tokens=int(tokens or 0) if names is None else sum(int(length or 0) for length in lengths),
            groups={int(number): name for name, number in there if number is not None},
            having=[int(count or 0) for count in having],
            space=EmbeddingSpace(model.decode(), int(dimensions)) if model is not None else None,
        )

    # --- by words ---------------------------------------------------------------------------------------------------

    async def _by_words(self, asked: _Asked, frequencies: Mapping[str, int]) -> dict[int, float]:
        """Docs and scores of the best, best first."""
        if not asked.limit or not asked.groups:
            return {}
        lists: dict[str, bytes] = {}
        budget = BUDGET
        while True:
            kept, left = rarest(frequencies, budget)
            lists |= await self._lists([word for word in kept if word not in lists], asked.groups)
            scored = added_up(lists, asked.ranking)
            if not left:
                docs = await self._passing(scored, asked, asked.limit)
                return dict(zip(docs, scored.of(docs), strict=True))
            docs = await self._passing(scored, asked, asked.limit * _CANDIDATES)
            if len(docs) >= asked.limit:
                exact = {doc: score for doc, _, score, _ in self._matched(asked, docs)}
                best = sorted(docs, key=lambda doc: (exact[doc], doc), reverse=True)[: asked.limit]
                return {doc: exact[doc] for doc in best}
            budget *= _MORE

    async def _lists(self, words: Sequence[str], groups: Collection[int]) -> dict[str, bytes]:
        """The entries of each word in these groups."""
        names = [self._key(f"words:{group}:{word}") for word in words for group in groups]
        if not names:
            return {}
        found = await self._client.read(lambda client: client.mget(names))
        lists = {}
        for place, word in enumerate(words):
            entries = b"".join(part or b"" for part in found[place * len(groups) : (place + 1) * len(groups)])
            if len(entries) % 8:
                raise damaged(self._client.place, "an entry of the index of words there is cut off")
            lists[word] = entries
        return lists

    def _matched(self, asked: _Asked, docs: Sequence[int]) -> list[tuple[int, MemoryItem, float, frozenset[str]]]:
        """Doc, item, BM25 by all words of the query, and the words it has."""
        found = []
        for doc in docs:
            known = asked.rows.get(doc)
            if known is not None:
                length, counts = counts_of(known[1], asked.words, self._client.place)
                found.append((doc, known[0], asked.ranking.score(counts, length), frozenset(counts)))
        return found

    # --- by vectors -------------------------------------------------------------------------------------------------

    async def _by_vectors(
        self, asked: _Asked, space: EmbeddingSpace | None, vector: Vector | None, lexical: Collection[int]
    ) -> tuple[dict[int, float], dict[int, int], float | None, float | None, int]:
        """Cosines of the best and of what was found by words; the places of the best; mean, deviation and number of all."""
        if vector is None or space is None:
            return {}, {}, None, None, 0
        query = floats(vector, "query")
        check_dimensions(query, space, "query")
        scan = await self._vectors.scan(space, query, asked.groups)
        candidates = await self._passing(scan, asked, asked.limit)
        cosines = await self._vectors.cosines(query, {*candidates, *lexical})
        ordered = sorted(
            (doc for doc in candidates if doc in cosines), key=lambda doc: (cosines[doc], doc), reverse=True
        )
        places = {doc: place for place, doc in enumerate(ordered[: asked.limit], start=1)}
        return cosines, places, scan.mean, scan.deviation, len(scan)

    # --- filtering --------------------------------------------------------------------------------------------------

    async def _passing(self, scored: Scored, asked: _Asked, limit: int) -> list[int]:
        """Docs of the best that pass the filter, best first."""
        passed: list[int] = []
        seen = 0
        count = limit
        while len(passed) < limit and seen < len(scored):
            docs = scored.best(count)
            # Where the best do not pass, the server says which of the others may: to read an item takes far longer.
            fresh = docs if not seen else await self._sifted(docs[seen:], asked)
            seen = len(docs)
            await self._look(asked, fresh)
            for doc in fresh:
                row = asked.rows[doc]
                # The whole filter, scope included: no damage to the index may show an item to whom it does not belong.
                if row is not None and matches(row[0], asked.where):
                    passed.append(doc)
            count *= _MORE
        return passed[:limit]

    async def _sifted(self, docs: Sequence[int], asked: _Asked) -> list[int]:
        """Those that the filter may hold for, in that order."""
        conditions = sifting(asked.where)
        if not conditions:
            return list(docs)
        kept: list[int] = []
        for some in chunks(docs, _AT_ONCE):
            given = compact({"sift": conditions, "docs": [str(doc) for doc in some]})
            kept += [some[place - 1] for place in await self._client.script(SCRIPT, "sift", given)]
        return kept

    async def _look(self, asked: _Asked, docs: Sequence[int]) -> None:
        """Read items that were not read yet."""
        for some in chunks([doc for doc in docs if doc not in asked.rows], _AT_ONCE):
            names = list(some)
            documents, states, rows = await self._client.together(
                lambda pipeline, names=names: [
                    pipeline.hmget(self._key(kind), names) for kind in ("items", "states", "rows")
                ]  # type: ignore[misc]  # bound per portion
            )
            for doc, document, state, row in zip(names, documents, states, rows, strict=True):
                gone = document is None or row is None
                asked.rows[doc] = None if gone else (item_of(document, state, self._client.place), row)

    def _key(self, name: str) -> str:
        return self._client.key("memory", name)
