"""What time does to memories: said again they grow, said often they last, and with their task they go or stay.

Whatever a turn does to older items it does by writing: copies of its own, or the older ones put away in its name. So going back
behind the turn undoes it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from harness.language import LanguagePacks
from harness.memory.gate import refused
from harness.memory.leaving import fate, of_task
from harness.memory.lexical import entry_terms
from harness.memory.policy import MemoryPolicy
from harness.memory.writing import Draft
from harness.ports import MemoryEntry, MemoryFilter, MemoryStore
from harness.state import SessionInfo, TaskState, TurnRecord
from harness.state.memory import MemoryItem, Scope

PAGE = 200
LONG = 5
"""Words of a message that is worth keeping once only; a shorter one ("yes, please") is the answer to what stands before it."""
FACTS = ("fact", "preference", "constraint")


def counted(
    found: Sequence[Draft], same: Sequence[MemoryItem], record: TurnRecord, policy: MemoryPolicy, packs: LanguagePacks
) -> list[Draft]:
    """Drafts with how often the same was said, those said often enough raised to L3.

    Args:
        same: items of the same keys, those put away included.
    """
    result = []
    for draft in found:
        item = draft.item
        if not (draft.kept and item.kind == "fact" and item.key):
            result.append(draft)
            continue
        others = [one for one in same if one.key == item.key and one.turn_id != record.id]
        turns = {one.turn_id for one in others}
        seen = len(turns) + 1
        item = item.model_copy(update={"seen": seen, **_uses(others)})
        reason = draft.reason
        if item.layer == "L2" and seen >= policy.recurrence and policy.layers["L3"].enabled:
            why_not = ""
            if policy.promotion_gate:
                tasks = {one.task for one in (*others, item)}
                why_not = refused(item, tasks=tasks, pack=packs.get(item.language), now=item.at)
            item = item if why_not else item.model_copy(update={"layer": "L3"})
            reason = f"said in {seen} turns" + (f", but not kept for long: {why_not}" if why_not else "")
        result.append(replace(draft, item=item, reason=reason))
    return result


def _uses(others: Sequence[MemoryItem]) -> dict[str, object]:
    """How often the same was shown already, so that saying it again does not make it new."""
    used = [one for one in others if one.uses]
    if not used:
        return {}
    times = [one.last_used_at for one in used if one.last_used_at is not None]
    return {"uses": max(one.uses for one in used), "last_used_at": max(times, default=None)}


def repeated(
    found: Sequence[Draft], same: Sequence[MemoryItem], record: TurnRecord, packs: LanguagePacks
) -> list[Draft]:
    """Older items of this session that a draft says in the same words: put away, since the newer one has their place."""
    result = []
    for old in same:
        if old.status != "active" or old.turn_id == record.id or old.pinned or old.source != "conversation":
            continue
        newer = next((draft for draft in found if draft.kept and _replaces(draft, old)), None)
        if newer is not None:
            result.append(put_away(old, record, packs, f"said again: {newer.item.id} has its place"))
    return result


def _replaces(draft: Draft, old: MemoryItem) -> bool:
    item = draft.item
    alike = (item.key, item.kind, item.speaker, item.session) == (old.key, old.kind, old.speaker, old.session)
    return alike and bool(item.key) and (item.kind in FACTS or len(draft.terms) >= LONG)


def after_task(
    items: Sequence[MemoryItem], task: TaskState, record: TurnRecord, policy: MemoryPolicy, packs: LanguagePacks
) -> list[Draft]:
    """What becomes of the items that were written while a task was at hand."""
    result = []
    for old in of_task(items, task.task_id):
        layer, reason = fate(old.importance, policy)
        if layer == "L3" and policy.layers["L3"].enabled:
            name = f"{old.session}.{record.id}.of.{old.id.removeprefix(f'{old.session}.')}"
            item = old.model_copy(
                update={"id": name, "layer": "L3", "turn_id": record.id, "expires_at": None, "place": 0}
            )
            result.append(Draft(item, entry_terms(old, packs), old.text, reason))
        elif layer is None:
            result.append(put_away(old, record, packs, reason))
    return result


def gated(
    found: Sequence[Draft], same: Sequence[MemoryItem], policy: MemoryPolicy, packs: LanguagePacks
) -> list[Draft]:
    """Drafts of a task that was left, those that do not pass the promotion gate kept only for as long as others."""
    if not policy.promotion_gate:
        return list(found)
    result = []
    for draft in found:
        item = draft.item
        why_not = ""
        if item.layer == "L3" and draft.reason.find("archived with its task") >= 0:
            tasks = {one.task for one in same if one.key == item.key} | {item.task}
            why_not = refused(item, tasks=tasks, pack=packs.get(item.language), now=item.at)
        if why_not:
            item = item.model_copy(update={"layer": "L2"})
            draft = replace(draft, item=item, reason=f"not kept for long: {why_not}")  # noqa: PLW2901 - the same one, changed
        result.append(draft)
    return result


def put_away(old: MemoryItem, record: TurnRecord, packs: LanguagePacks, reason: str) -> Draft:
    """An item archived in the name of a turn."""
    item = old.model_copy(update={"status": "archived", "put_away": record.id})
    return Draft(item, entry_terms(old, packs), old.text, reason)


async def brought_back(
    turns: Collection[str], scope: Scope, session: str, store: MemoryStore, packs: LanguagePacks
) -> list[MemoryEntry]:
    """Items that turns which are left now had put away."""
    if not turns:
        return []
    where = MemoryFilter(scope=scope, session=session, statuses=("archived",))
    return [
        MemoryEntry(item.model_copy(update={"status": "active", "put_away": ""}), entry_terms(item, packs))
        for item in await everything(store, where)
        if item.put_away in turns
    ]


async def everything(store: MemoryStore, where: MemoryFilter) -> list[MemoryItem]:
    """All items for which a filter holds."""
    found: list[MemoryItem] = []
    while page := await store.browse(where, after=found[-1].id if found else "", limit=PAGE):
        found.extend(page)
    return found


async def settled_drafts(
    found: Sequence[Draft],
    task: TaskState | None,
    record: TurnRecord,
    *,
    pending: Sequence[Draft],
    info: SessionInfo,
    scope: Scope,
    store: MemoryStore,
    policy: MemoryPolicy,
    packs: LanguagePacks,
) -> list[Draft]:
    """The drafts of a turn with what they do to older items.

    Args:
        task: the task that was left with this turn.
        pending: drafts of earlier turns that are not stored yet.
    """
    keys = {draft.item.key for draft in found if draft.item.key and draft.item.kind != "retraction"}
    where = MemoryFilter(scope=scope, statuses=("active", "archived"))
    stored = [item for item in await store.with_keys(keys, where) if item.kind != "mark"] if keys else []
    waiting = {draft.item.id: draft.item for draft in pending if draft.kept}
    same = [*(item for item in stored if item.id not in waiting), *(i for i in waiting.values() if i.key in keys)]
    result = counted(found, same, record, policy, packs)
    result += repeated(result, [one for one in same if one.session == info.id], record, packs)
    if task is not None:
        mine = replace(where, session=info.id, layers=("L2",), statuses=("active",))
        items = [item for item in await everything(store, mine) if item.id not in waiting]
        gone = {draft.item.id for draft in result}
        items = [one for one in (*items, *waiting.values()) if one.id not in gone and one.status == "active"]
        result += after_task(items, task, record, policy, packs)
    return gated(result, same, policy, packs)
