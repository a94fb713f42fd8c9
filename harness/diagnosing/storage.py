"""The faults that only the stores show: what was lost, and what is not this conversation's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from harness.diagnosing.report import Fault, Layer
from harness.diagnosing.talk import Talk, plain
from harness.memory.forgetting import forgotten
from harness.state.memory import MemoryItem, MemoryWrite, Scope

if TYPE_CHECKING:
    from harness.ports import MemoryStore, SessionStore
    from harness.state import DialogueState, TurnRecord

UNREADABLE = "memory could not be read"
"""How the warning of a prompt begins for which memory did not answer."""
FAILED = "memory_failed"
"""Kind of the event of a turn that could not be written into memory."""
MOSTLY = 0.5
"""Share of the L2 items of a branch that must be gone to speak of a loss; single ones may have expired or been put away."""


def other_projects(talk: Talk, asked: Scope) -> Iterator[Fault]:
    """Remembered items in the prompt whose scope the session was not given."""
    for seen in talk.turns:
        for layer, item in seen.items("memory"):
            known = talk.memory.get(item.id)
            task = seen.before.task.task_id if seen.before.task is not None else ""
            asked = asked.model_copy(update={"task": task})
            if known is None or known.scope.admits(asked):
                continue
            limits = ", ".join(f"{name} {own}" for name, own in known.scope if own and own != getattr(asked, name))
            yield Fault(
                "other_project",
                "L2" if layer == "L2" else "L3",
                "scopes of memory",
                (seen.number,),
                (f"{item.id} ({item.text}) is for {limits} only",),
                "Give it the right scope, or remove it: `harness memory show ID`, `harness memory delete ID`.",
            )


def lost_messages(talk: Talk) -> Iterator[Fault]:
    """Recent messages that the journal has and the prompt had not, though no budget kept them out."""
    for seen in talk.turns:
        if not seen.prompt or any("messages of turns" in reason for reason in seen.record.context.dropped):
            continue
        missing = [m for m in seen.before.messages if m.turn < seen.number and not seen.has(m.text)]
        if missing:
            yield Fault(
                "lost_after_restart",
                "L2",
                "recent messages",
                (seen.number,),
                tuple(
                    f"the prompt of turn {seen.number} lacks what the {m.speaker} said in turn {m.turn}: {plain(m.text)[:60]!r}"
                    for m in missing[:2]
                ),
                "The state the engine had was not that of the journal: run `harness diagnose` for the snapshot, `harness replay` for "
                "the turns.",
            )


async def stale_snapshot(talk: Talk, store: SessionStore) -> tuple[Fault, ...]:
    """A snapshot that lacks what the journal has; the session begins from it when it is next opened."""
    head = talk.info.head
    found = await store.snapshot(talk.info.id, head) if head is not None else None
    if found is None:
        return ()
    turn_id, state = found
    place = next((index for index, record in enumerate(talk.branch) if record.id == turn_id), None)
    if place is None:
        return ()
    lost = _lacking(state, talk.state_after(place))
    if not lost:
        return ()
    return (
        Fault(
            "lost_after_restart",
            "L2",
            "snapshot of the state",
            (talk.branch[place].number,),
            tuple(lost),
            "Export the session and import it again (`harness sessions export`, `import`): that makes it without snapshots.",
        ),
    )


def _lacking(state: DialogueState, journal: DialogueState) -> list[str]:
    """What a state lacks of the one that the journal gives."""
    lost = []
    if missing := [fact.id for fact in journal.facts if state.fact(fact.id) is None]:
        lost.append(f"the snapshot lacks the facts {', '.join(missing[:8])}")
    if missing_messages := [m for m in journal.messages if m not in state.messages]:
        lost.append(f"the snapshot lacks {len(missing_messages)} messages, first of turn {missing_messages[0].turn}")
    if journal.task is not None and state.task != journal.task:
        lost.append(f"the snapshot has another task than {journal.task.task_id}")
    if state.turn_count != journal.turn_count:
        lost.append(f"the snapshot stands at turn {state.turn_count}, the journal at {journal.turn_count}")
    return lost


async def lost_memory(talk: Talk, store: MemoryStore) -> tuple[Fault, ...]:
    """Memory stands behind the journal, or no longer has what the turns wrote."""
    faults = list(_unanswered(talk.branch))
    info, head = talk.info, talk.branch[-1] if talk.branch else None
    prefix = f"{info.id}."
    writes = [one for record in talk.branch for one in record.memory if one.kept and one.id.startswith(prefix)]
    stands = await store.followed(info.id)
    if head is not None and head.phase == "done" and stands != head.id and (stands is not None or writes):
        at = "nothing of it" if stands is None else f"it at {stands}"
        faults.append(
            Fault(
                "lost_after_restart",
                "L2",
                "memory store behind the journal",
                (0,),
                (f"the journal stands at {head.id} (turn {head.number}), memory knows {at}",),
                f"Open the session once, and memory catches up: `harness say … --session {info.id}`; see that memory.path is right.",
            )
        )
    faults += await _missing(talk, writes, store)
    return tuple(faults)


def _unanswered(branch: Sequence[TurnRecord]) -> Iterator[Fault]:
    """Turns for which memory did not answer."""
    for record in branch:
        said = [one for one in record.context.warnings if one.startswith(UNREADABLE)]
        said += [event.message for event in record.events if event.kind == FAILED]
        if said:
            yield Fault(
                "lost_after_restart",
                "L3",
                "memory store did not answer",
                (record.number,),
                tuple(said[:2]),
                "See that the store of memory.backend is there: `harness memory stats`, `harness doctor`.",
            )


async def _missing(talk: Talk, writes: Sequence[MemoryWrite], store: MemoryStore) -> list[Fault]:
    there = {item.id for item in await store.get([one.id for one in writes])} if writes else set()
    gone = [one for one in writes if one.id not in there]
    meant = await forgotten([_stand_in(talk, one) for one in gone], store) if gone else frozenset()
    gone = [one for one in gone if one.id not in meant]
    layers: tuple[Layer, ...] = ("L3", "L2")
    faults = []
    for layer in layers:
        lost = [one for one in gone if one.layer == layer]
        written = [one for one in writes if one.layer == layer]
        if not lost or (layer == "L2" and len(lost) <= MOSTLY * len(written)):
            continue
        ids = {one.id for one in lost}
        turns = sorted({record.number for record in talk.branch if any(one.id in ids for one in record.memory)})
        faults.append(
            Fault(
                "lost_after_restart",
                layer,
                "memory store lacks what was written",
                tuple(turns),
                (
                    f"{len(lost)} of {len(written)} items are gone and nobody deleted them",
                    *(f"{one.id} ({one.text})" for one in lost[:3]),
                ),
                "See that memory.path is the file of before, or restore it: `harness memory stats`, `harness memory import`.",
            )
        )
    return faults


def _stand_in(talk: Talk, write: MemoryWrite) -> MemoryItem:
    """An item that is gone, as far as it is still known."""
    info = talk.info
    record = next(record for record in talk.branch if any(one.id == write.id for one in record.memory))
    return MemoryItem(
        id=write.id,
        layer=write.layer,
        kind=write.kind,
        text=write.text,
        scope=Scope(persona=info.persona_ref.id, user=info.user, project=info.project, world=info.world),
        session=info.id,
        at=record.started_at,
    )
