"""Going over what is remembered: what has expired, and what was never needed for a long time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from harness.errors import InputError
from harness.memory.forgetting import REVIEWED
from harness.memory.memories import Memories
from harness.ports import MemoryEntry, MemoryFilter
from harness.state.memory import MemoryItem

BATCH = 200


@dataclass(frozen=True, slots=True)
class Review:
    """What a review found.

    Attributes:
        expired: past their time, whatever their status: shown no more, and still stored.
        unused: active, and neither said nor put into a prompt for ``days`` days. Constraints, pinned items and what stands in
            files are never among them.
    """

    days: int
    expired: tuple[MemoryItem, ...] = ()
    unused: tuple[MemoryItem, ...] = ()


async def review(memories: Memories, *, days: int, where: MemoryFilter | None = None) -> Review:
    """Look through memory, or the part of it for which ``where`` holds.

    Raises:
        InputError: ``days`` is less than one.
    """
    if days < 1:
        raise InputError(f"A review looks back at least one day, not {days!r}.")
    now = memories.clock.now()
    before = now - timedelta(days=days)
    expired: list[MemoryItem] = []
    unused: list[MemoryItem] = []
    async for item in memories.all(where):
        if item.source == "file" and item.origin:
            continue  # the file is the truth
        if item.expires_at is not None and item.expires_at <= now:
            expired.append(item)
        elif item.status == "active" and not item.pinned and item.kind != "constraint" and _idle(item, before):
            unused.append(item)
    return Review(days, tuple(expired), tuple(unused))


def _idle(item: MemoryItem, before: datetime) -> bool:
    times = [at for at in (item.at, item.last_used_at) if at is not None]
    return bool(times) and max(times) < before


async def archive(memories: Memories, items: tuple[MemoryItem, ...]) -> int:
    """Put items away: stored still, and found no more. Gives how many there were."""
    for start in range(0, len(items), BATCH):
        entries = [
            MemoryEntry(
                item.model_copy(update={"status": "archived", "put_away": REVIEWED}),
                memories.terms_of(item),
                read_as=item.status,
            )
            for item in items[start : start + BATCH]
        ]
        await memories.shared.store.put(entries)
    return len(items)


async def restore(memories: Memories, item: MemoryItem) -> MemoryItem:
    """Take an item that was put away back. Raises InputError: it is not put away."""
    if item.status != "archived":
        raise InputError(f"{item.id!r} is not put away; it is {item.status}.")
    back = item.model_copy(update={"status": "active", "put_away": ""})
    await memories.shared.store.put([MemoryEntry(back, memories.terms_of(back), read_as=item.status)])
    return back


async def sweep(memories: Memories, *, where: MemoryFilter | None = None) -> int:
    """Remove for good what has expired. Gives how many there were."""
    now = memories.clock.now()
    gone = [item.id async for item in memories.all(where) if item.expires_at is not None and item.expires_at <= now]
    for start in range(0, len(gone), BATCH):
        await memories.delete(gone[start : start + BATCH])
    return len(gone)
