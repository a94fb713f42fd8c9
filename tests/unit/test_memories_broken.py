"""Memory stores broken on purpose: the suite notices each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from harness.adapters.memories.ram import InProcessMemoryStore
from harness.ports.memories import EmbeddingSpace, MemoryEntry, MemoryFilter, MemoryHits, MemoryQuery
from harness.state.memory import MemoryItem
from harness.testing.conformance.memories import (
    MEMORY_CHECKS,
    ConformanceError,
    check_memory_store,
    memory_storage_of,
    run_memory_check,
)


class IgnoresScopes(InProcessMemoryStore):
    async def browse(self, where: MemoryFilter, *, after: str = "", limit: int = 100) -> tuple[MemoryItem, ...]:
        return await super().browse(replace(where, everything=True), after=after, limit=limit)


class SearchesAcrossUsers(InProcessMemoryStore):
    async def search(self, query: MemoryQuery) -> MemoryHits:
        return await super().search(replace(query, where=replace(query.where, everything=True)))


class FiltersAfterwards(InProcessMemoryStore):
    async def search(self, query: MemoryQuery) -> MemoryHits:
        anything = MemoryFilter(everything=True, statuses=())
        found = await super().search(replace(query, where=anything, limit=query.limit * 4))
        seen = await super().search(replace(query, limit=100_000))
        fit = {hit.item.id for hit in seen.hits}
        return replace(found, hits=tuple(hit for hit in found.hits if hit.item.id in fit))


class ShowsTheExpired(InProcessMemoryStore):
    async def search(self, query: MemoryQuery) -> MemoryHits:
        return await super().search(replace(query, where=replace(query.where, now=None)))


class ForgetsUses(InProcessMemoryStore):
    async def put(self, entries: Sequence[MemoryEntry]) -> None:
        await self.delete([entry.item.id for entry in entries])
        await super().put(entries)


class StoresHalf(InProcessMemoryStore):
    async def put(self, entries: Sequence[MemoryEntry]) -> None:
        for entry in entries:
            await super().put([entry])


class CountsTwice(InProcessMemoryStore):
    async def used(self, ids: Collection[str], at: datetime) -> None:
        for name in ids:
            await super().used([name], at.replace(microsecond=(at.microsecond + 1) % 1000))
            await super().used([name], at)


class ShowsTheArchived(InProcessMemoryStore):
    async def follow(self, session: str, turn_id: str | None, **named: Any) -> None:
        await super().follow(session, turn_id, **named)
        for item in await self.browse(MemoryFilter(everything=True, statuses=("archived",)), limit=1000):
            if item.turn_id in named.get("show", ()):
                await self.put([MemoryEntry(item.model_copy(update={"status": "active"}))])


class HidesOtherSessions(InProcessMemoryStore):
    async def follow(self, session: str, turn_id: str | None, **named: Any) -> None:
        await super().follow(session, turn_id, **named)
        for other in {item.session for item in await self.browse(MemoryFilter(everything=True), limit=1000)}:
            before = await self.followed(other)
            await super().follow(other, before, hide=named.get("hide", ()))
            if before is None:
                del self._followed[other]


class ForgetsTheFollowed(InProcessMemoryStore):
    async def followed(self, session: str) -> str | None:
        return await super().followed(session) or None


class KeepsOldVectors(InProcessMemoryStore):
    async def embed(self, space: EmbeddingSpace, vectors: Any) -> None:
        held = {name: held.entry.vector for name, held in self._held.items()}
        await super().embed(space, vectors)
        for name, vector in held.items():
            entry = self._held[name].entry
            if entry.vector is None and vector is not None and len(vector) == space.dimensions:
                self._held[name].entry = replace(entry, vector=vector)


class TakesAnyVector(InProcessMemoryStore):
    async def search(self, query: MemoryQuery) -> MemoryHits:
        if query.vector is not None and self._space and len(query.vector) != self._space.dimensions:
            query = replace(query, vector=None)
        return await super().search(query)


class ForgetsTooMuch(InProcessMemoryStore):
    async def forget(self, where: MemoryFilter) -> int:
        return await super().forget(replace(where, kinds=()))


class FrequenciesOfTheFilter(InProcessMemoryStore):
    async def search(self, query: MemoryQuery) -> MemoryHits:
        found = await super().search(query)
        return replace(found, documents=len(await self.browse(query.where, limit=10_000)))


class NoRanks(InProcessMemoryStore):
    async def search(self, query: MemoryQuery) -> MemoryHits:
        found = await super().search(query)
        return replace(found, hits=tuple(replace(hit, lexical_rank=1) for hit in found.hits))


class SkipsInPages(InProcessMemoryStore):
    async def browse(self, where: MemoryFilter, *, after: str = "", limit: int = 100) -> tuple[MemoryItem, ...]:
        found = await super().browse(where, after=after, limit=limit + 1)
        return found[1:] if after else found[:limit]


BROKEN: tuple[Callable[[], InProcessMemoryStore], ...] = (
    IgnoresScopes,
    SearchesAcrossUsers,
    FiltersAfterwards,
    ShowsTheExpired,
    ForgetsUses,
    StoresHalf,
    CountsTwice,
    ShowsTheArchived,
    HidesOtherSessions,
    ForgetsTheFollowed,
    KeepsOldVectors,
    TakesAnyVector,
    ForgetsTooMuch,
    FrequenciesOfTheFilter,
    NoRanks,
    SkipsInPages,
)


SLOW = {"large_scan_is_exact", "many_common_words", "ids_and_texts_may_be_anything", "scopes_never_cross"}


@pytest.mark.parametrize("store", BROKEN, ids=lambda store: store.__name__)
async def test_a_broken_store_is_noticed(store: Callable[[], InProcessMemoryStore]) -> None:
    async def checked() -> None:
        for check in MEMORY_CHECKS:
            if check.__name__ not in SLOW:
                await run_memory_check(check, memory_storage_of(lambda _: store(), durable=False))

    with pytest.raises(AssertionError):  # the first of the checks that fail
        await checked()


async def test_all_failures_are_told_at_once() -> None:
    checks = [
        check for check in MEMORY_CHECKS if check.__name__ in {"put_keeps_uses", "uses_are_counted", "put_then_get"}
    ]
    await check_memory_store(memory_storage_of(lambda _: InProcessMemoryStore(), durable=False), checks=checks)
    with pytest.raises(ConformanceError, match="put_keeps_uses") as raised:
        await check_memory_store(memory_storage_of(lambda _: ForgetsUses(), durable=False), checks=checks)
    assert set(raised.value.failures) == {"put_keeps_uses"}
