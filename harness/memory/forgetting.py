"""What was forgotten stays forgotten: marks without content, which the journal is held against when it is read again.

The journal of a session still has what was deleted from memory. When memory goes along to another turn, or a session is forked,
it must not learn it anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import product

from harness.memory.writing import Draft
from harness.ports import MemoryFilter, MemoryStats, MemoryStore
from harness.state.memory import MemoryItem, Scope

REVIEWED = "review"
"""What stands for the turn that put an item away when a person did."""
MARK = "gone."
NOWHERE = Scope(session="(nowhere)")
"""Scope of marks: no query is ever given it."""


def item_mark(item: MemoryItem, at: datetime) -> MemoryItem:
    """The mark of a deleted item. It holds for the copies of its turn in other sessions as well."""
    return _mark(_item_id(item), at)


def scope_mark(where: MemoryFilter, at: datetime) -> MemoryItem:
    """The mark of everything that belonged to a user, a character, a session, a project or a world until a moment."""
    named = where.scope
    return _mark(_scope_id(named.persona, named.user, where.session, named.project, named.world), at)


async def still_known(found: Sequence[Draft], store: MemoryStore) -> tuple[Draft, ...]:
    """Drafts without those that were forgotten, and without those that were changed by hand since they were written."""
    if not found:
        return ()
    wanted = [mark for draft in found for mark in _marks(draft.item)]
    ids = dict.fromkeys((*(draft.item.id for draft in found), *wanted))
    stored = {item.id: item for item in await store.get(list(ids))}
    return tuple(draft for draft in found if not _gone(draft.item, stored) and not _changed(draft.item, stored))


async def forgotten(items: Sequence[MemoryItem], store: MemoryStore) -> frozenset[str]:
    """Ids of those among items that were deleted or forgotten by hand."""
    wanted = dict.fromkeys(mark for item in items for mark in _marks(item))
    stored = {mark.id: mark for mark in await store.get(list(wanted))}
    return frozenset(item.id for item in items if _gone(item, stored))


def without_marks(stats: MemoryStats) -> MemoryStats:
    """What a store holds, marks left out: they have no content."""
    count = stats.by_kind.get("mark", 0)
    if not count:
        return stats
    mark = _mark("", datetime.min.replace(tzinfo=UTC))

    def less(counts: Mapping[str, int], name: str) -> dict[str, int]:
        return {key: left for key, number in counts.items() if (left := number - (count if key == name else 0))}

    return replace(
        stats,
        items=stats.items - count,
        by_kind=less(stats.by_kind, mark.kind),
        by_layer=less(stats.by_layer, mark.layer),
        by_status=less(stats.by_status, mark.status),
    )


def _gone(item: MemoryItem, stored: Mapping[str, MemoryItem]) -> bool:
    marks = [stored[mark] for mark in _marks(item) if mark in stored]
    return any(item.at is None or mark.at is None or item.at <= mark.at for mark in marks)


def _changed(item: MemoryItem, stored: Mapping[str, MemoryItem]) -> bool:
    known = stored.get(item.id)
    return known is not None and (known.source == "user" or known.pinned != item.pinned or known.put_away == REVIEWED)


def _marks(item: MemoryItem) -> Iterator[str]:
    yield _item_id(item)
    owners = (item.scope.persona, item.scope.user, item.session, item.scope.project, item.scope.world)
    for some in product(*(dict.fromkeys(("", owner)) for owner in owners)):
        if any(some):
            yield _scope_id(*some)


def _item_id(item: MemoryItem) -> str:
    return MARK + item.id.removeprefix(f"{item.session}.")


def _scope_id(persona: str, user: str, session: str, project: str, world: str) -> str:
    places = [project, world] if project or world else []  # ids of marks made before there were any stay the same
    named = json.dumps([persona, user, session, *places], ensure_ascii=False)
    return f"{MARK}scope.{hashlib.sha256(named.encode()).hexdigest()[:32]}"


def _mark(mark_id: str, at: datetime) -> MemoryItem:
    return MemoryItem(
        id=mark_id, layer="L2", kind="mark", text="", scope=NOWHERE, at=at, status="archived", source="user"
    )
