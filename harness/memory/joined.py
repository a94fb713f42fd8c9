"""What conversations left and what stands in files, as one store: read together, written apart."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from harness.errors import StoreError
from harness.memory.background import Spread
from harness.memory.files import FILE_ID
from harness.ports import (
    EmbeddingSpace,
    IndexesVectors,
    MemoryEntry,
    MemoryFilter,
    MemoryHits,
    MemoryQuery,
    MemoryStats,
    MemoryStore,
    NamesFollowed,
    Slot,
    Vector,
    VectorSearch,
)
from harness.state.memory import MemoryItem


@dataclass(frozen=True, slots=True)
class JoinedStore:
    """A :class:`~harness.ports.MemoryStore` over two: every write and every count goes to ``own``; what is looked for is looked
    for in both.
    """

    own: MemoryStore
    files: MemoryStore

    def __getattr__(self, name: str) -> Any:
        """What only some stores can do, the own one may."""
        return getattr(self.own, name)

    async def put(self, entries: Sequence[MemoryEntry]) -> None:
        """Store items. Raises StoreError for one that stands in a file."""
        self._check(entries)
        await self.own.put(entries)

    async def follow(
        self,
        session: str,
        turn_id: str | None,
        *,
        put: Sequence[MemoryEntry] = (),
        hide: Collection[str] = (),
        show: Collection[str] = (),
    ) -> None:
        """Go along with a session."""
        self._check(put)
        await self.own.follow(session, turn_id, put=put, hide=hide, show=show)

    async def followed(self, session: str) -> str | None:
        """The turn that memory stands at."""
        return await self.own.followed(session)

    async def all_followed(self) -> tuple[str, ...]:
        """The sessions that memory notes a turn of, where its store can name them."""
        return await self.own.all_followed() if isinstance(self.own, NamesFollowed) else ()

    async def unfollow(self, sessions: Collection[str]) -> None:
        """Remove where memory stands in sessions that were deleted."""
        await self.own.unfollow(sessions)

    async def get(self, ids: Sequence[str]) -> tuple[MemoryItem, ...]:
        """Items by id, in that order."""
        found = {item.id: item for item in await self.own.get(ids)}
        if any(name.startswith(FILE_ID) for name in ids):
            found |= {item.id: item for item in await self.files.get(ids)}
        return tuple(found[name] for name in dict.fromkeys(ids) if name in found)

    async def search(self, query: MemoryQuery) -> MemoryHits:
        """The best of both."""
        own = query
        if query.vector is not None and await self.own.space() is None:
            own = replace(query, vector=None)
        first, second = await self.own.search(own), await self.files.search(query)
        if not second.documents:
            return first
        frequencies = dict(first.frequencies)
        for term, count in second.frequencies.items():
            frequencies[term] = frequencies.get(term, 0) + count
        mean, deviation = _pooled(first, second)
        return MemoryHits(
            (*first.hits, *second.hits),
            documents=first.documents + second.documents,
            frequencies=frequencies,
            cosine_mean=mean,
            cosine_deviation=deviation,
            vectors=first.vectors + second.vectors,
        )

    async def around(self, places: Mapping[str, Collection[int]], where: MemoryFilter) -> tuple[MemoryItem, ...]:
        """Messages by session and place; files hold none."""
        return await self.own.around(places, where)

    async def of_slots(self, slots: Collection[Slot], where: MemoryFilter) -> tuple[MemoryItem, ...]:
        """Items that state the same facts; files hold none."""
        return await self.own.of_slots(slots, where)

    async def with_keys(self, keys: Collection[str], where: MemoryFilter) -> tuple[MemoryItem, ...]:
        """Items that say the same; what a file says was not said."""
        return await self.own.with_keys(keys, where)

    async def browse(self, where: MemoryFilter, *, after: str = "", limit: int = 100) -> tuple[MemoryItem, ...]:
        """Items of both in order of their ids."""
        own = await self.own.browse(where, after=after, limit=limit)
        files = await self.files.browse(where, after=after, limit=limit)
        return tuple(sorted((*own, *files), key=lambda item: item.id))[:limit] if files else own

    async def used(self, ids: Collection[str], at: datetime) -> None:
        """Count one use of each item; of those in files while the program runs."""
        of_files = {name for name in ids if name.startswith(FILE_ID)}
        if of_files:
            await self.files.used(of_files, at)
        if rest := set(ids) - of_files:
            await self.own.used(rest, at)

    async def delete(self, ids: Collection[str]) -> int:
        """Remove items; what stands in a file stays."""
        return await self.own.delete(ids)

    async def forget(self, where: MemoryFilter) -> int:
        """Remove items by a filter; what stands in a file stays."""
        return await self.own.forget(where)

    async def space(self) -> EmbeddingSpace | None:
        """The space of what conversations left."""
        return await self.own.space()

    async def embed(self, space: EmbeddingSpace, vectors: Mapping[str, Vector]) -> None:
        """Set the space and vectors of what conversations left."""
        await self.own.embed(space, vectors)

    async def index_vectors(self) -> VectorSearch:
        """See to the index of the vectors of what conversations left, where their store has one."""
        return await self.own.index_vectors() if isinstance(self.own, IndexesVectors) else "exact"

    async def unembedded(self, *, limit: int = 100) -> tuple[MemoryItem, ...]:
        """Items of conversations without a vector."""
        return await self.own.unembedded(limit=limit)

    async def stats(self) -> MemoryStats:
        """What conversations left."""
        return await self.own.stats()

    async def close(self) -> None:
        """Release both."""
        await self.files.close()
        await self.own.close()

    @staticmethod
    def _check(entries: Sequence[MemoryEntry]) -> None:
        for entry in entries:
            if entry.item.id.startswith(FILE_ID):
                raise StoreError(
                    f"{entry.item.id!r} stands in a file and cannot be stored beside it.", remedy="Change the file."
                )


def _pooled(first: MemoryHits, second: MemoryHits) -> tuple[float | None, float | None]:
    """Mean and standard deviation of the cosines of both; counted alike where one does not tell how many it has."""
    if first.cosine_mean is None or second.cosine_mean is None:
        only = second if first.cosine_mean is None else first
        return only.cosine_mean, only.cosine_deviation
    told = first.vectors and second.vectors
    left, right = (
        Spread(one.cosine_mean or 0.0, one.cosine_deviation or 0.0, one.vectors if told else 1)
        for one in (first, second)
    )
    whole = left.and_others(right.mean, right.deviation, right.number)
    return whole.mean, whole.deviation
