"""Memory items on a Redis server: shared between machines, each write whole."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any, get_args

from harness.adapters.memories._entries import check_dimensions, closed, floats, prepare, slot_key
from harness.adapters.memories._filters import doomed, instant, matches, named
from harness.adapters.memories._redis_rows import SCRIPT, arguments, compact, item_of, sifting, turn_key
from harness.adapters.memories._redis_search import RedisSearch
from harness.adapters.memories._redis_vectors import RedisVectors
from harness.adapters.memories._sqlite_vectors import packed
from harness.adapters.memories._vectors import numpy_module
from harness.adapters.redis.client import RedisClient
from harness.errors import StoreError
from harness.ports.memories import EmbeddingSpace, MemoryFilter, MemoryStats
from harness.state.memory import MemoryKind

if TYPE_CHECKING:
    from harness.adapters.memories._entries import Prepared
    from harness.adapters.redis.options import RedisOptions
    from harness.ports.memories import MemoryEntry, MemoryHits, MemoryQuery, Slot, Vector
    from harness.state.memory import MemoryItem

KINDS: tuple[str, ...] = get_args(MemoryKind)
_LOOK = 1_000
"""Rows that the server looks at in one call."""
_PAGE = 500
"""Items read in one call, so that going through all of them does not make the server and its other users wait."""


class RedisMemoryStore:
    """A :class:`~harness.ports.memories.MemoryStore` on a Redis server. The keys are described in ``_redis_memory.lua``.

    Words are found through lists of postings, vectors are kept as 32-bit floats and scanned in this process, for which the
    extra ``vectors`` must be installed; neither needs a module of the server. Writes are Lua scripts. One whose connection
    broke is repeated once the server answers, which changes nothing when it had been done. Cancelling a call that has begun
    completes it.

    Every method raises StoreError when the server does not answer in time, NewerSchema when a newer version of the package
    wrote what is read.
    """

    def __init__(self, options: RedisOptions) -> None:
        """Nothing is connected yet. Raises MissingExtra without the package redis."""
        self._client = RedisClient(options, closed=closed)
        self._vectors = RedisVectors(self._client)
        self._search = RedisSearch(self._client, self._vectors)

    async def put(self, entries: Sequence[MemoryEntry]) -> None:
        """Store items, each in place of the one with its id. Raises StoreError."""
        await self._write({}, prepare(entries))

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
        given = {
            "session": session,
            "turn": turn_id or "",
            "hide": [turn_key(session, turn) for turn in hide],
            "show": [turn_key(session, turn) for turn in show],
        }
        await self._write(given, prepare(put))

    async def followed(self, session: str) -> str | None:
        """The turn that memory stands at."""
        found = await self._client.read(lambda client: client.hget(self._key("followed"), session))
        return None if found is None else str(found.decode())

    async def all_followed(self) -> tuple[str, ...]:
        """See :class:`~harness.ports.NamesFollowed`."""
        names = await self._client.read(lambda client: client.hkeys(self._key("followed")))
        return tuple(name.decode() for name in names)

    async def unfollow(self, sessions: Collection[str]) -> None:
        """Remove where memory stands in sessions that were deleted."""
        names = sorted(set(sessions))
        if names and await self._ask("unfollow", {"sessions": names}):
            await self._client.tidy()

    async def get(self, ids: Sequence[str]) -> tuple[MemoryItem, ...]:
        """Items by id, each once, in that order."""
        return self._items(await self._ask("ids", {"ids": list(dict.fromkeys(ids))}))

    async def search(self, query: MemoryQuery) -> MemoryHits:
        """The best by words and the best by vectors. Raises StoreError for a vector of other dimensions, MissingExtra for
        vectors without numpy.
        """
        return await self._search.find(query)

    async def around(self, places: Mapping[str, Collection[int]], where: MemoryFilter) -> tuple[MemoryItem, ...]:
        """Messages by session and place, in this order."""
        wanted = {session: sorted(set(some)) for session, some in places.items() if some}
        found = self._fitting(await self._ask("around", {"places": wanted, **_sift(where)}), where)
        return tuple(sorted(found, key=lambda item: (item.session, item.place, item.id)))

    async def of_slots(self, slots: Collection[Slot], where: MemoryFilter) -> tuple[MemoryItem, ...]:
        """Items that state the same facts, in order of their ids."""
        return await self._of_sets([f"slot:{slot_key(slot)}" for slot in slots], where)

    async def with_keys(self, keys: Collection[str], where: MemoryFilter) -> tuple[MemoryItem, ...]:
        """Items that say the same, in order of their ids."""
        return await self._of_sets([f"key:{key}" for key in keys if key], where)

    async def browse(self, where: MemoryFilter, *, after: str = "", limit: int = 100) -> tuple[MemoryItem, ...]:
        """Items in order of their ids, those behind the id ``after``."""
        return await self._browsed(await self._listing(where), where, after, limit)

    async def used(self, ids: Collection[str], at: datetime) -> None:
        """Count one use of each item; the same moment counts once."""
        await self._ask("used", {"ids": sorted(set(ids)), "moment": str(instant(at)), "at": at.isoformat()})

    async def delete(self, ids: Collection[str]) -> int:
        """Remove items, and have the server write its files anew; gives how many there were."""
        removed = await self._delete(ids)
        if removed:
            await self._client.tidy()
        return removed

    async def forget(self, where: MemoryFilter) -> int:
        """Remove what the filter, its scope taken exactly, holds for, and have the server write its files anew; gives how
        many there were.
        """
        everyone = where.everything and not named(where.scope)
        names = ["ids"] if everyone else self._names(await self._search.groups(where, exactly=True), where)
        gone = [
            item.id async for items in self._pages(names, where, "", _PAGE) for item in items if doomed(item, where)
        ]
        removed = await self._delete(gone)
        if removed:
            await self._client.tidy()
        return removed

    async def space(self) -> EmbeddingSpace | None:
        """The space that was set last; None before."""
        model, dimensions = await self._client.read(
            lambda client: client.hmget(self._key("totals"), "model", "dimensions")
        )
        return None if model is None else EmbeddingSpace(model.decode(), int(dimensions))

    async def embed(self, space: EmbeddingSpace, vectors: Mapping[str, Vector]) -> None:
        """Set the space and vectors of items; another space drops the vectors there are. Raises StoreError, MissingExtra
        without numpy.
        """
        numpy_module()  # before anything is stored that could not be looked for
        made = {name: floats(vector, f"memory item {name!r}") for name, vector in vectors.items()}
        for name, vector in made.items():
            check_dimensions(vector, space, f"memory item {name!r}")
        flat = [part for name, vector in made.items() for part in (name, packed(vector))]
        await self._ask("embed", {"model": space.model, "dimensions": space.dimensions}, *flat)

    async def vectors(self, ids: Collection[str]) -> Mapping[str, Vector]:
        """The vectors of items by id."""
        names = sorted(set(ids))
        if not names:
            return {}
        docs = await self._client.read(lambda client: client.hmget(self._key("docs"), names))
        there = {int(doc): name for name, doc in zip(names, docs, strict=True) if doc is not None}
        return {there[doc]: vector for doc, vector in (await self._vectors.stored(there)).items()}

    async def unembedded(self, *, limit: int = 100) -> tuple[MemoryItem, ...]:
        """Items without a vector, in order of their ids."""
        return await self._browsed(["bare"], MemoryFilter(everything=True, statuses=()), "", limit)

    async def stats(self) -> MemoryStats:
        """What it holds; ``size_bytes`` is what the server needs for items, their words and vectors, about."""
        counts, totals, vectors = await self._client.together(
            lambda pipeline: (
                pipeline.hgetall(self._key("counts"))
                .hmget(self._key("totals"), "items", "model", "dimensions")
                .hlen(self._key("vectors"))
            )
        )
        by: dict[str, dict[str, int]] = {"layer": {}, "kind": {}, "status": {}}
        for name, count in counts.items():
            what, _, value = name.decode().partition(":")
            by[what][value] = int(count)
        items, model, dimensions = totals
        return MemoryStats(
            items=int(items or 0),
            by_layer=by["layer"],
            by_kind=by["kind"],
            by_status=by["status"],
            vectors=int(vectors),
            space=None if model is None else EmbeddingSpace(model.decode(), int(dimensions)),
            size_bytes=await self._size(),
        )

    async def close(self) -> None:
        """Finish what was begun and close the connections; later calls raise StoreError. May be called again."""
        await self._client.close()

    # --- asking -----------------------------------------------------------------------------------------------------

    def _key(self, name: str) -> str:
        return self._client.key("memory", name)

    async def _ask(self, op: str, given: Mapping[str, Any], *values: str | bytes) -> Any:
        return await self._client.script(SCRIPT, op, compact(given), *values)

    async def _write(self, given: dict[str, Any], entries: Sequence[Prepared]) -> None:
        if read_as := {entry.item.id: entry.read_as for entry in entries if entry.read_as is not None}:
            given = {**given, "read_as": read_as}
        having = [entry for entry in entries if entry.vector is not None]
        if having:
            space = await self.space()
            for entry in having:
                check_dimensions(entry.vector or (), space, f"memory item {entry.item.id!r}")
            given = {**given, "dimensions": space.dimensions if space is not None else 0}
        if await self._ask("write", given, *arguments(entries)) == b"space":
            message = "The embedding model of the memory store was changed elsewhere meanwhile; nothing was stored."
            raise StoreError(message, remedy="Repeat the action.")

    async def _delete(self, ids: Collection[str]) -> int:
        return int(await self._ask("delete", {"ids": sorted(set(ids))})) if ids else 0

    async def _of_sets(self, names: Collection[str], where: MemoryFilter) -> tuple[MemoryItem, ...]:
        if not names:
            return ()
        found = self._fitting(await self._ask("sets", {"sets": list(dict.fromkeys(names)), **_sift(where)}), where)
        return tuple(sorted(found, key=lambda item: item.id))

    async def _listing(self, where: MemoryFilter) -> list[str]:
        """The lists of ids that hold what the filter may let through."""
        if where.everything and not named(where.scope):
            return ["ids"]
        return self._names(await self._search.groups(where), where)

    @staticmethod
    def _names(groups: Collection[int], where: MemoryFilter) -> list[str]:
        if where.pinned:
            return [f"pinned:{group}" for group in groups]
        return [f"kinds:{group}:{kind}" for group in groups for kind in where.kinds or KINDS]

    async def _browsed(
        self, names: Sequence[str], where: MemoryFilter, after: str, limit: int
    ) -> tuple[MemoryItem, ...]:
        found: list[MemoryItem] = []
        if limit <= 0:
            return ()
        async for items in self._pages(names, where, after, min(limit, _PAGE)):
            found += [item for item in items if matches(item, where)]
            if len(found) >= limit:
                break
        return tuple(found[:limit])

    async def _pages(
        self, names: Sequence[str], where: MemoryFilter, after: str, size: int
    ) -> AsyncIterator[tuple[MemoryItem, ...]]:
        """Items of these lists, behind the id ``after``, that the filter may hold for: as many at a time."""
        sift = _sift(where)
        more, look = bool(names), size
        while more:
            given = {"names": names, "after": after, "limit": size, "look": look, **sift}
            last, more, flat = await self._ask("browse", given)
            after, size = last.decode(), _PAGE
            look = _LOOK if sift else size
            yield self._items(flat)

    def _items(self, flat: Sequence[bytes]) -> tuple[MemoryItem, ...]:
        pairs = [(flat[at], flat[at + 1]) for at in range(0, len(flat), 2)]
        return tuple(item_of(document, state, self._client.place) for document, state in pairs)

    def _fitting(self, flat: Sequence[bytes], where: MemoryFilter) -> list[MemoryItem]:
        return [item for item in self._items(flat) if matches(item, where)]

    async def _size(self) -> int | None:
        found = None
        # A hosted server may not allow it.
        with suppress(StoreError):
            sizes = await self._client.together(
                lambda pipeline: [pipeline.memory_usage(self._key(name)) for name in ("items", "rows", "vectors")]
            )
            found = sum(size or 0 for size in sizes)
        return found


def _sift(where: MemoryFilter) -> dict[str, Any]:
    conditions = sifting(where)
    return {"sift": conditions} if conditions else {}
