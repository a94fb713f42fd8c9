"""Memory items kept in this process only. Plain on purpose: it is what the other stores are compared with."""

from __future__ import annotations

import heapq
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from operator import mul
from typing import TYPE_CHECKING

from harness.adapters.memories._bm25 import Ranking, distinct
from harness.adapters.memories._entries import Prepared, check_dimensions, closed, floats, kept, prepare, slot_key
from harness.adapters.memories._filters import doomed, matches
from harness.ports.memories import EmbeddingSpace, MemoryFilter, MemoryHit, MemoryHits, MemoryStats

if TYPE_CHECKING:
    from array import array

    from harness.ports.memories import MemoryEntry, MemoryQuery, Slot, Vector
    from harness.state.memory import MemoryItem


@dataclass(slots=True)
class _Held:
    """An item and what it is found by. ``serial``: raised with each change of what it is found by; the newer wins a tie."""

    entry: Prepared
    serial: int

    @property
    def item(self) -> MemoryItem:
        return self.entry.item


class InProcessMemoryStore:
    """A :class:`~harness.ports.memories.MemoryStore` that forgets everything when it is closed.

    Meant for up to some ten thousand items: every search looks at all of them. No method awaits anything, so each call
    is atomic within an event loop. Use it from one thread.
    """

    def __init__(self) -> None:
        self._held: dict[str, _Held] = {}
        self._having: dict[str, set[str]] = defaultdict(set)
        self._serial = 0
        self._followed: dict[str, str] = {}
        self._space: EmbeddingSpace | None = None
        self._closed = False

    async def put(self, entries: Sequence[MemoryEntry]) -> None:
        """Store items, each in place of the one with its id. Raises StoreError."""
        self._check_open()
        self._put(self._prepared(entries))

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
        self._check_open()
        self._put(self._prepared(put))
        for held in self._held.values():
            item = held.item
            if item.session != session:
                continue
            if item.turn_id in hide and item.status == "active":
                held.entry = _changed(held.entry, status="hidden")
            if item.turn_id in show and held.item.status == "hidden":
                held.entry = _changed(held.entry, status="active")
        self._followed[session] = turn_id or ""

    async def followed(self, session: str) -> str | None:
        """The turn that memory stands at."""
        self._check_open()
        return self._followed.get(session)

    async def all_followed(self) -> tuple[str, ...]:
        """See :class:`~harness.ports.NamesFollowed`."""
        return tuple(self._followed)

    async def unfollow(self, sessions: Collection[str]) -> None:
        """Remove where memory stands in sessions that were deleted."""
        self._check_open()
        for session in sessions:
            self._followed.pop(session, None)

    async def get(self, ids: Sequence[str]) -> tuple[MemoryItem, ...]:
        """Items by id, each once, in that order."""
        self._check_open()
        return tuple(self._held[name].item for name in dict.fromkeys(ids) if name in self._held)

    async def search(self, query: MemoryQuery) -> MemoryHits:
        """The best by words and the best by vectors. Raises StoreError for a vector of other dimensions."""
        self._check_open()
        admitted = self._admitted(query.where)
        frequencies = {term: len(admitted.keys() & self._having.get(term, ())) for term in distinct(query.terms)}
        ranking = Ranking.of(frequencies, len(admitted), sum(held.entry.length for held in admitted.values()))
        lexical, seen = self._lexical(query, ranking), self._cosines(query, admitted)
        cosines = {name: value for name, value in seen.items() if matches(self._held[name].item, query.where)}
        by_words = self._places(lexical, query.limit)
        by_vectors = self._places(cosines, query.limit)
        values = list(seen.values())
        return MemoryHits(
            tuple(
                MemoryHit(
                    self._held[name].item,
                    lexical=lexical.get(name, 0.0),
                    cosine=cosines.get(name),
                    matched=frozenset(term for term in frequencies if name in self._having.get(term, ())),
                    lexical_rank=by_words.get(name),
                    vector_rank=by_vectors.get(name),
                )
                for name in by_words | by_vectors
            ),
            documents=len(admitted),
            frequencies=frequencies,
            cosine_mean=statistics.fmean(values) if values else None,
            cosine_deviation=statistics.pstdev(values) if values else None,
            vectors=len(values),
        )

    async def around(self, places: Mapping[str, Collection[int]], where: MemoryFilter) -> tuple[MemoryItem, ...]:
        """Messages by session and place, in this order."""
        found = self._items(where, lambda item: item.kind == "message" and item.place in places.get(item.session, ()))
        return tuple(sorted(found, key=lambda item: (item.session, item.place, item.id)))

    async def of_slots(self, slots: Collection[Slot], where: MemoryFilter) -> tuple[MemoryItem, ...]:
        """Items that state the same facts, in order of their ids."""
        wanted = {slot_key(slot) for slot in slots}
        return self._items(where, lambda item: item.slot() is not None and slot_key(item.slot()) in wanted)

    async def with_keys(self, keys: Collection[str], where: MemoryFilter) -> tuple[MemoryItem, ...]:
        """Items that say the same, in order of their ids."""
        return self._items(where, lambda item: bool(item.key) and item.key in keys)

    async def browse(self, where: MemoryFilter, *, after: str = "", limit: int = 100) -> tuple[MemoryItem, ...]:
        """Items in order of their ids, those behind the id ``after``."""
        return self._items(where, lambda item: item.id > after)[: max(limit, 0)]

    async def used(self, ids: Collection[str], at: datetime) -> None:
        """Count one use of each item; the same moment counts once."""
        self._check_open()
        for name in set(ids) & self._held.keys():
            held = self._held[name]
            last = held.item.last_used_at
            if last != at:
                latest = at if last is None or last < at else last
                held.entry = _changed(held.entry, uses=held.item.uses + 1, last_used_at=latest)

    async def delete(self, ids: Collection[str]) -> int:
        """Remove items; gives how many there were."""
        self._check_open()
        return sum(self._drop(name) for name in set(ids))

    async def forget(self, where: MemoryFilter) -> int:
        """Remove what the filter, its scope taken exactly, holds for; gives how many there were."""
        self._check_open()
        return sum(self._drop(name) for name in [name for name, held in self._held.items() if doomed(held.item, where)])

    async def space(self) -> EmbeddingSpace | None:
        """The space that was set last; None before."""
        self._check_open()
        return self._space

    async def embed(self, space: EmbeddingSpace, vectors: Mapping[str, Vector]) -> None:
        """Set the space and vectors of items; another space drops the vectors there are. Raises StoreError."""
        self._check_open()
        made = {name: floats(vector, f"memory item {name!r}") for name, vector in vectors.items()}
        for name, vector in made.items():
            check_dimensions(vector, space, f"memory item {name!r}")
        if self._space != space:
            for held in self._held.values():
                held.entry = replace(held.entry, vector=None)
        self._space = space
        for name in made.keys() & self._held.keys():
            held = self._held[name]
            held.entry = replace(held.entry, vector=made[name])

    async def vectors(self, ids: Collection[str]) -> Mapping[str, Vector]:
        """The vectors of items by id."""
        self._check_open()
        held = {name: self._held[name].entry.vector for name in set(ids) & self._held.keys()}
        return {name: vector for name, vector in held.items() if vector is not None}

    async def unembedded(self, *, limit: int = 100) -> tuple[MemoryItem, ...]:
        """Items without a vector, in order of their ids."""
        self._check_open()
        names = sorted(name for name, held in self._held.items() if held.entry.vector is None)
        return tuple(self._held[name].item for name in names[: max(limit, 0)])

    async def stats(self) -> MemoryStats:
        """What it holds; ``size_bytes`` counts texts, terms and vectors."""
        self._check_open()
        items = [held.item for held in self._held.values()]
        entries = [held.entry for held in self._held.values()]
        vectors = [entry.vector for entry in entries if entry.vector is not None]
        size = sum(len(entry.document) + sum(map(len, entry.counts)) for entry in entries)
        return MemoryStats(
            items=len(items),
            by_layer=Counter(item.layer for item in items),
            by_kind=Counter(item.kind for item in items),
            by_status=Counter(item.status for item in items),
            vectors=len(vectors),
            space=self._space,
            size_bytes=size + sum(4 * len(vector) for vector in vectors),
        )

    async def close(self) -> None:
        """Forget everything; later calls raise StoreError."""
        self._closed = True
        self._held = {}
        self._having = defaultdict(set)

    def _check_open(self) -> None:
        if self._closed:
            raise closed()

    def _prepared(self, entries: Sequence[MemoryEntry]) -> Iterable[Prepared]:
        made = prepare(entries)
        for entry in made:
            if entry.vector is not None:
                check_dimensions(entry.vector, self._space, f"memory item {entry.item.id!r}")
        return made

    def _put(self, entries: Iterable[Prepared]) -> None:
        for given in entries:
            entry, old = given, self._held.get(given.item.id)
            if old is None and entry.read_as is not None:
                continue
            serial = self._serial = self._serial + 1
            if old is not None:
                entry = kept(entry, old.item)
                if entry.vector is None and entry.item.text == old.item.text:
                    entry = replace(entry, vector=old.entry.vector)
                alike = (old.entry.counts, old.item.scope, old.item.layer)
                if alike == (entry.counts, entry.item.scope, entry.item.layer):
                    serial = old.serial
                self._drop(entry.item.id)
            self._held[entry.item.id] = _Held(entry, serial)
            for term in entry.counts:
                self._having[term].add(entry.item.id)

    def _drop(self, name: str) -> bool:
        held = self._held.pop(name, None)
        if held is None:
            return False
        for term in held.entry.counts:
            self._having[term].discard(name)
            if not self._having[term]:
                del self._having[term]
        return True

    def _items(self, where: MemoryFilter, wanted: Callable[[MemoryItem], bool]) -> tuple[MemoryItem, ...]:
        self._check_open()
        found = [held.item for held in self._held.values() if wanted(held.item) and matches(held.item, where)]
        return tuple(sorted(found, key=lambda item: item.id))

    def _lexical(self, query: MemoryQuery, ranking: Ranking) -> dict[str, float]:
        names = set().union(*(self._having[term] for term in ranking.idfs))
        return {
            name: ranking.score(self._held[name].entry.counts, self._held[name].entry.length)
            for name in names
            if matches(self._held[name].item, query.where)
        }

    def _admitted(self, where: MemoryFilter) -> dict[str, _Held]:
        """All that the scope and the layers of a filter admit, whatever the rest of it says."""
        seen = MemoryFilter(where.scope, where.everything, where.layers, statuses=())
        return {name: held for name, held in self._held.items() if matches(held.item, seen)}

    def _cosines(self, query: MemoryQuery, admitted: Mapping[str, _Held]) -> dict[str, float]:
        """Of all that the query's scope and layers admit."""
        if query.vector is None or self._space is None:
            return {}
        asked = floats(query.vector, "query")
        check_dimensions(asked, self._space, "query")
        return {
            name: _dot(asked, held.entry.vector) for name, held in admitted.items() if held.entry.vector is not None
        }

    def _places(self, scores: Mapping[str, float], limit: int) -> dict[str, int]:
        best = heapq.nlargest(max(limit, 0), scores, key=lambda name: (scores[name], self._held[name].serial))
        return {name: place for place, name in enumerate(best, start=1)}


def _dot(one: array[float], two: array[float]) -> float:
    return float(sum(map(mul, one, two)))


def _changed(entry: Prepared, **changes: object) -> Prepared:
    return replace(entry, item=entry.item.model_copy(update=changes))
