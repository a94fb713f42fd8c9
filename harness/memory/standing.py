"""Which of several statements of the same holds: the newest; the others are kept, and hidden from a list."""

from __future__ import annotations

from collections.abc import Sequence

from harness.ports import MemoryFilter, MemoryStore
from harness.state.memory import MemoryItem, Scope


def said_at(item: MemoryItem) -> tuple[float, int, str]:
    """The order in which things were said."""
    return (item.at.timestamp() if item.at is not None else 0.0, item.turn, item.id)


async def replaced_by(items: Sequence[MemoryItem], store: MemoryStore) -> dict[str, str]:
    """For facts of which there is a newer statement for the same persona, user and place: its id, by theirs. A retraction is one,
    too, and stands for nothing itself: it is its own.

    Raises:
        StoreError: the store does not answer.
    """
    by_scope: dict[Scope, list[MemoryItem]] = {}
    for item in items:
        if item.attribute and item.status == "active":
            by_scope.setdefault(item.scope, []).append(item)
    found: dict[str, str] = {}
    for scope, some in by_scope.items():
        slots = {slot for item in some if (slot := item.slot()) is not None}
        newest: dict[tuple[str, str, str], MemoryItem] = {}
        for item in await store.of_slots(slots, MemoryFilter(scope=scope, everything=True)):
            slot = item.slot()
            if item.scope == scope and slot is not None and (slot not in newest or said_at(item) > said_at(newest[slot])):  # fmt: skip
                newest[slot] = item
        for item in some:
            latest = newest.get(item.slot() or ("", "", ""))
            if latest is not None and (latest.id != item.id or item.kind == "retraction"):
                found[item.id] = latest.id
    return found
