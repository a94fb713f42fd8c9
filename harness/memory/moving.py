"""Taking memory from one store to another: items, vectors, how often they were used, and which turns were followed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from harness.language import LanguagePacks
from harness.memory.lexical import entry_terms
from harness.ports import GivesVectors, MemoryEntry, MemoryFilter, MemoryStore, Vector
from harness.state.memory import MemoryItem

PAGE = 200
EVERYTHING = MemoryFilter(everything=True, statuses=())
OnMoved = Callable[[int, int], None]
"""Told how many of how many items were looked at."""


@dataclass(frozen=True, slots=True)
class Moved:
    """What was taken over.

    Attributes:
        items: how many the source has. ``copied``: now; ``present``: were there already.
        different: ids that both stores have and that say something else; the target's were left as they are.
        missing: ids that the target still lacks: they were written meanwhile.
        vectors: copied now. ``without_vector``: how many items of the target have none.
        followed: sessions whose place was taken over.
        notes: what a reader should know.
    """

    items: int = 0
    copied: int = 0
    present: int = 0
    different: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    vectors: int = 0
    without_vector: int = 0
    followed: int = 0
    notes: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether the target has all that the source has, in the same words."""
        return not self.missing and not self.different


async def move(
    source: MemoryStore,
    target: MemoryStore,
    *,
    packs: LanguagePacks,
    overwrite: bool = False,
    sessions: Collection[str] = (),
    progress: OnMoved | None = None,
) -> Moved:
    """Copy all that one store holds into another, and compare them afterwards. The source is not changed.

    What is in the target stays there; doing it again copies what is missing, so it may be interrupted at any moment.

    Args:
        overwrite: items that differ are replaced, instead of left as the target has them. How often they were used stays.
        sessions: ids besides those that items name, whose places are taken over too.

    Raises:
        StoreError: one of the stores does not answer; what was copied stays.
    """
    total = (await source.stats()).items
    takes_vectors, notes = await _prepare(source, target)
    seen: set[str] = set(sessions)
    done = copied = vectors = 0
    different: list[str] = []
    async for page in _pages(source):
        seen |= {item.session for item in page if item.session}
        there = {item.id: item for item in await target.get([item.id for item in page])}
        other = [item for item in page if item.id in there and not _same(item, there[item.id])]
        fresh = [item for item in page if item.id not in there] + (other if overwrite else [])
        different += [] if overwrite else [item.id for item in other]
        of_page = await _vectors(source, page) if takes_vectors else {}
        await target.put([_entry(item, packs, of_page.get(item.id)) for item in fresh])
        vectors += sum(item.id in of_page for item in fresh)
        vectors += await _complete(target, [item.id for item in page if item not in fresh], of_page)
        copied += len(fresh)
        done += len(page)
        if progress is not None:
            progress(done, max(total, done))
    followed = await _follow(source, target, seen)
    missing = [
        item.id
        async for page in _pages(source)
        for item in await _lacking(target, page)
    ]  # fmt: skip
    stats = await target.stats()
    return Moved(
        items=done,
        copied=copied,
        present=done - copied,
        different=tuple(different),
        missing=tuple(missing),
        vectors=vectors,
        without_vector=stats.items - stats.vectors,
        followed=followed,
        notes=notes,
    )


async def _prepare(source: MemoryStore, target: MemoryStore) -> tuple[bool, tuple[str, ...]]:
    """Whether vectors can be taken over, and why not."""
    space = await source.space()
    if space is None:
        return False, ()
    if not isinstance(source, GivesVectors):
        return False, ("The source does not give its vectors back; `harness memory reindex` makes them anew.",)
    there = await target.space()
    if there is None:
        await target.embed(space, {})
    elif there != space:
        why = f"The target's vectors were made by {there.model!r}, the source's by {space.model!r}: none were copied"
        return False, (f"{why}; `harness memory reindex` makes what is missing.",)
    return True, ()


async def _pages(store: MemoryStore) -> AsyncIterator[Sequence[MemoryItem]]:
    after = ""
    while page := await store.browse(EVERYTHING, after=after, limit=PAGE):
        yield page
        after = page[-1].id


async def _vectors(source: MemoryStore, page: Sequence[MemoryItem]) -> Mapping[str, Vector]:
    return await source.vectors([item.id for item in page]) if isinstance(source, GivesVectors) else {}


async def _complete(target: MemoryStore, ids: Sequence[str], vectors: Mapping[str, Vector]) -> int:
    """Give items that were there already the vectors they lack."""
    wanted = [name for name in ids if name in vectors]
    space = await target.space()
    if not wanted or space is None or not isinstance(target, GivesVectors):
        return 0
    known = await target.vectors(wanted)
    lacking = {name: vectors[name] for name in wanted if name not in known}
    if lacking:
        await target.embed(space, lacking)
    return len(lacking)


async def _follow(source: MemoryStore, target: MemoryStore, sessions: Collection[str]) -> int:
    """Take over at which turn memory stands. Last, so that an interrupted move is made good from the journal."""
    count = 0
    for session in sorted(sessions):
        stands = await source.followed(session)
        if stands is not None and await target.followed(session) is None:
            await target.follow(session, stands or None)
            count += 1
    return count


async def _lacking(target: MemoryStore, page: Sequence[MemoryItem]) -> Sequence[MemoryItem]:
    there = {item.id for item in await target.get([item.id for item in page])}
    return [item for item in page if item.id not in there]


def _same(one: MemoryItem, other: MemoryItem) -> bool:
    """Whether two items are one, however often each was used."""
    unused = {"uses": 0, "last_used_at": None}
    return one.model_copy(update=unused) == other.model_copy(update=unused)


def _entry(item: MemoryItem, packs: LanguagePacks, vector: Vector | None) -> MemoryEntry:
    return MemoryEntry(item, entry_terms(item, packs), vector)
