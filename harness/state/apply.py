"""``apply(state, operation)``: pure, total, and the only place where a DialogueState changes.

An operation either holds and gives a new state, or is refused with :class:`~harness.errors.OperationRejected`
and a reason; nothing is ever half-applied and no input raises anything else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from harness.errors import OperationRejected
from harness.state import apply_facts as facts, operations as ops
from harness.state.applying import (
    MAX_FACTS,
    MAX_TEXT,
    MAX_VALUE,
    Refused as _Refused,
    changed as _with,
    checked_text as _text,
    merged as _merge,
    next_id as _next_id,
    normal,
    refuse as _refuse,
)
from harness.state.commitments import Commitment, CommitmentStatus
from harness.state.dialogue import DialogueState, Note, Summary
from harness.state.entities import Entity
from harness.state.task import LISTS
from harness.state.topics import Topic, TopicStack

MAX_ENTITIES = 500
MAX_COMMITMENTS = 500
MAX_TOPICS = 12
MAX_PAST_TOPICS = 60
MAX_KEYWORDS = 24
MAX_TOOLS = 40
"""Results of tools that the state keeps; older ones are in the journal."""
SALIENCE_DECAY = 0.8
"""What is left of an entity's salience after one turn without a mention."""


# --- turns and messages -------------------------------------------------------------------------------------------


def _begin_turn(state: DialogueState, op: ops.BeginTurn) -> DialogueState:
    if op.turn != state.turn_count + 1:
        raise _refuse(f"turn {op.turn} cannot begin after turn {state.turn_count}")
    if state.phase != "done":
        raise _refuse(f"bookkeeping of turn {state.turn_count} is not finished (phase {state.phase})")
    return _with(state, turn_count=op.turn, phase="record")


def _finish_turn(state: DialogueState, op: ops.FinishTurn) -> DialogueState:
    if op.turn != state.turn_count or state.phase == "done":
        raise _refuse(f"turn {op.turn} is not open (turn {state.turn_count}, phase {state.phase})")
    return _with(state, phase="done", entities=fade(state.entities, op.turn))


def _add_message(state: DialogueState, op: ops.AddMessage) -> DialogueState:
    message = op.message
    if not message.text.strip():
        raise _refuse("message is empty")
    if message.turn != state.turn_count:
        raise _refuse(f"message of turn {message.turn} does not belong to turn {state.turn_count}")
    return _with(state, messages=(*state.messages, message))


def _summarize(state: DialogueState, op: ops.Summarize) -> DialogueState:
    _text(op.text, "summary", MAX_TEXT)
    if not state.messages:
        raise _refuse("there are no messages to summarize")
    if op.first_turn > op.last_turn:
        raise _refuse(f"summary covers turns {op.first_turn} to {op.last_turn}")
    if state.summary is not None and op.last_turn <= state.summary.last_turn:
        raise _refuse(f"turns up to {state.summary.last_turn} are summarized already")
    expected = state.summary.first_turn if state.summary else state.messages[0].turn
    if op.first_turn != expected:
        raise _refuse(f"summary must begin at turn {expected}, not {op.first_turn}")
    if op.last_turn > state.turn_count - max(op.keep_turns, 0):
        raise _refuse(f"summary reaches into the last {op.keep_turns} turns")
    kept = tuple(message for message in state.messages if message.turn > op.last_turn)
    if len(kept) == len(state.messages):
        raise _refuse(f"no message is as old as turn {op.last_turn}")
    summary = Summary(text=op.text, first_turn=op.first_turn, last_turn=op.last_turn)
    return _with(state, messages=kept, summary=summary)


# --- topics -------------------------------------------------------------------------------------------------------


def _stack(topics: TopicStack, opened: tuple[Topic, ...], past: tuple[Topic, ...]) -> TopicStack:
    overflow = opened[:-MAX_TOPICS] if len(opened) > MAX_TOPICS else ()
    return topics.model_copy(
        update={"open": opened[-MAX_TOPICS:], "past": (*past, *overflow)[-MAX_PAST_TOPICS:]},
    )


def _push_topic(state: DialogueState, op: ops.PushTopic) -> DialogueState:
    _text(op.label, "topic label")
    current = state.topics.current
    if current is not None and normal(current.label) == normal(op.label):
        raise _refuse(f"{current.id} is current already")
    serial, topic_id = _next_id(state, "t")
    topic = Topic(
        id=topic_id,
        label=op.label,
        entities=_merge(op.entities, limit=MAX_KEYWORDS),
        keywords=_merge(op.keywords, limit=MAX_KEYWORDS),
        first_turn=op.turn,
        last_turn=op.turn,
    )
    topics = _stack(state.topics, (*state.topics.open, topic), state.topics.past)
    return _with(state, topics=topics, serial=serial)


def _touch_topic(state: DialogueState, op: ops.TouchTopic) -> DialogueState:
    current = state.topics.current
    if current is None:
        raise _refuse("no topic is open")
    if op.label:
        _text(op.label, "topic label")
    topic = current.model_copy(
        update={
            "label": op.label or current.label,
            "entities": _merge(current.entities, op.entities, limit=MAX_KEYWORDS),
            "keywords": _merge(op.keywords, current.keywords, limit=MAX_KEYWORDS),
            "last_turn": max(op.turn, current.last_turn),
        }
    )
    return _with(state, topics=_stack(state.topics, (*state.topics.open[:-1], topic), state.topics.past))


def _return_topic(state: DialogueState, op: ops.ReturnTopic) -> DialogueState:
    topic = state.topics.find(op.topic_id)
    if topic is None:
        raise _refuse(f"no topic {op.topic_id!r}")
    if topic is state.topics.current:
        raise _refuse(f"{op.topic_id} is current already")
    back = topic.model_copy(update={"last_turn": max(op.turn, topic.last_turn)})
    opened = tuple(other for other in state.topics.open if other.id != topic.id)
    past = tuple(other for other in state.topics.past if other.id != topic.id)
    return _with(state, topics=_stack(state.topics, (*opened, back), past))


def _pop_topic(state: DialogueState, _op: ops.PopTopic) -> DialogueState:
    current = state.topics.current
    if current is None:
        raise _refuse("no topic is open")
    return _with(state, topics=_stack(state.topics, state.topics.open[:-1], (*state.topics.past, current)))


# --- emotion, entities, commitments, task, notes --------------------------------------------------------------------


def _set_emotion(state: DialogueState, op: ops.SetEmotion) -> DialogueState:
    _text(op.emotion.label, "emotion label")
    return _with(state, **{"emotion" if op.who == "character" else "user_emotion": op.emotion})


def _mention_entity(state: DialogueState, op: ops.MentionEntity) -> DialogueState:
    _text(op.name, "entity name")
    wanted = {normal(op.name), *(normal(alias) for alias in op.aliases)}
    found = next(
        (e for e in state.entities if wanted & {normal(e.name), *(normal(alias) for alias in e.aliases)}),
        None,
    )
    if found is not None:
        known = {normal(found.name), *(normal(alias) for alias in found.aliases)}
        fresh = tuple(name for name in (op.name, *op.aliases) if normal(name) not in known)
        entity = found.model_copy(
            update={
                "aliases": _merge(found.aliases, fresh, limit=MAX_KEYWORDS),
                "kind": op.kind if found.kind == "other" else found.kind,
                "last_turn": max(op.turn, found.last_turn),
                "mentions": found.mentions + 1,
                "salience": 1.0,
                "ordinal": op.ordinal or found.ordinal,
            }
        )
        return _with(state, entities=tuple(entity if e.id == found.id else e for e in state.entities))
    serial, entity_id = _next_id(state, "e")
    entity = Entity(
        id=entity_id,
        name=op.name,
        kind=op.kind,
        aliases=_merge((alias for alias in op.aliases if normal(alias) != normal(op.name)), limit=MAX_KEYWORDS),
        last_turn=op.turn,
        introduced_by=op.speaker,
        ordinal=op.ordinal,
    )
    entities = state.entities
    if len(entities) >= MAX_ENTITIES:
        faded = min(entities, key=lambda e: (e.last_turn, e.mentions))
        entities = tuple(e for e in entities if e.id != faded.id)
    return _with(state, entities=(*entities, entity), serial=serial)


def _merge_entities(state: DialogueState, op: ops.MergeEntities) -> DialogueState:
    by_id = {entity.id: entity for entity in state.entities}
    if op.entity_id == op.merged_id or op.entity_id not in by_id or op.merged_id not in by_id:
        raise _refuse(f"cannot merge {op.merged_id!r} into {op.entity_id!r}")
    kept, gone = by_id[op.entity_id], by_id[op.merged_id]
    entity = kept.model_copy(
        update={
            "aliases": _merge(kept.aliases, (gone.name,), gone.aliases, limit=MAX_KEYWORDS),
            "kind": gone.kind if kept.kind == "other" else kept.kind,
            "mentions": kept.mentions + gone.mentions,
            "last_turn": max(kept.last_turn, gone.last_turn),
            "salience": max(kept.salience, gone.salience),
        }
    )
    entities = tuple(entity if e.id == kept.id else e for e in state.entities if e.id != gone.id)
    return facts.rename_subjects(_with(state, entities=entities), {gone.name, *gone.aliases}, kept.name)


def _open_commitment(state: DialogueState, op: ops.OpenCommitment) -> DialogueState:
    _text(op.by, "promiser")
    _text(op.to, "promisee")
    _text(op.text, "commitment", MAX_TEXT)
    for known in state.open_commitments():
        if (normal(known.by), normal(known.text)) == (normal(op.by), normal(op.text)):
            raise _refuse(f"already open as {known.id}")
    commitments = state.commitments
    if len(commitments) >= MAX_COMMITMENTS:
        closed = next((c for c in commitments if c.status is not CommitmentStatus.open), None)
        if closed is None:
            raise _refuse(f"{MAX_COMMITMENTS} commitments are open")
        commitments = tuple(c for c in commitments if c.id != closed.id)
    serial, commitment_id = _next_id(state, "c")
    commitment = Commitment(
        id=commitment_id,
        by=op.by,
        to=op.to,
        text=op.text,
        due=op.due[:MAX_VALUE],
        due_at=op.due_at,
        turn=op.turn,
        quote=op.quote[:MAX_VALUE],
    )
    return _with(state, commitments=(*commitments, commitment), serial=serial)


def _close_commitment(state: DialogueState, op: ops.CloseCommitment) -> DialogueState:
    found = next((c for c in state.commitments if c.id == op.commitment_id), None)
    if found is None:
        raise _refuse(f"no commitment {op.commitment_id!r}")
    if found.status is not CommitmentStatus.open:
        raise _refuse(f"{found.id} is {found.status.value}")
    if op.status is CommitmentStatus.open:
        raise _refuse("a commitment is closed as kept, broken or withdrawn")
    closed = found.model_copy(update={"status": op.status, "closed_turn": op.turn})
    return _with(state, commitments=tuple(closed if c.id == found.id else c for c in state.commitments))


def _set_task(state: DialogueState, op: ops.SetTask) -> DialogueState:
    if op.task is not None:
        _text(op.task.task_id, "task id")
        if op.task.goal:
            _text(op.task.goal, "goal", MAX_TEXT)
        for line in (line for name in LISTS for line in getattr(op.task, name)):
            _text(line, "task line", MAX_TEXT)
    elif state.task is None:
        raise _refuse("no task is set")
    task = op.task
    if task is not None and not task.since:
        same = state.task is not None and state.task.task_id == task.task_id
        since = state.task.since if same and state.task is not None else state.turn_count + 1
        task = task.model_copy(update={"since": since})
    return _with(state, task=task)


def _update_task(state: DialogueState, op: ops.UpdateTask) -> DialogueState:
    task = state.task
    if task is None or task.task_id != op.task_id:
        raise _refuse(f"the task at hand is {task.task_id if task else None!r}, not {op.task_id!r}")
    for line in (*op.add_confirmed, *op.add_done, *op.add_todo, *op.add_ruled_out, *op.add_artifacts):
        _text(line, "task line", MAX_TEXT)
    if op.goal:
        _text(op.goal, "goal", MAX_TEXT)
    done = _merge(task.done, op.add_done, limit=MAX_FACTS)
    finished = {normal(line) for line in op.add_done}
    changed = task.model_copy(
        update={
            "goal": task.goal if op.goal is None else op.goal,
            "confirmed_facts": _merge(task.confirmed_facts, op.add_confirmed, limit=MAX_FACTS),
            "done": done,
            "todo": tuple(
                line for line in _merge(task.todo, op.add_todo, limit=MAX_FACTS) if normal(line) not in finished
            ),
            "ruled_out": _merge(task.ruled_out, op.add_ruled_out, limit=MAX_FACTS),
            "artifacts": _merge(task.artifacts, op.add_artifacts, limit=MAX_FACTS),
        }
    )
    if changed == task:
        raise _refuse("nothing in the task changes")
    return _with(state, task=changed)


def _observe_tool(state: DialogueState, op: ops.ObserveTool) -> DialogueState:
    result = op.result
    _text(result.name, "tool name")
    _text(result.text, "tool result", MAX_TEXT)
    if result.turn not in (state.turn_count, state.turn_count + 1):
        raise _refuse(f"a tool result of turn {result.turn} does not belong after turn {state.turn_count}")
    serial, result_id = _next_id(state, "r")
    task = state.task.task_id if state.task is not None else ""
    kept = result.model_copy(update={"id": result_id, "task": task})
    return _with(state, tools=(*state.tools, kept)[-MAX_TOOLS:], serial=serial)


def _set_note(state: DialogueState, op: ops.SetNote) -> DialogueState:
    _text(op.key, "note key")
    others = tuple(note for note in state.notes if note.key != op.key)
    if op.value is None:
        if len(others) == len(state.notes):
            raise _refuse(f"no note {op.key!r}")
        return _with(state, notes=others)
    if len(op.value) > MAX_TEXT:
        raise _refuse(f"note has {len(op.value)} characters, at most {MAX_TEXT} are kept")
    return _with(state, notes=(*others, Note(key=op.key, value=op.value)))


_HANDLERS: dict[type[Any], Callable[[DialogueState, Any], DialogueState]] = {
    ops.BeginTurn: _begin_turn,
    ops.FinishTurn: _finish_turn,
    ops.AddMessage: _add_message,
    ops.AssertFact: facts.assert_fact,
    ops.ReviseFact: facts.revise_fact,
    ops.RetractFact: facts.retract_fact,
    ops.DisputeFact: facts.dispute_fact,
    ops.MergeSubjects: facts.merge_subjects,
    ops.PinFact: facts.pin_fact,
    ops.PushTopic: _push_topic,
    ops.TouchTopic: _touch_topic,
    ops.ReturnTopic: _return_topic,
    ops.PopTopic: _pop_topic,
    ops.SetEmotion: _set_emotion,
    ops.MentionEntity: _mention_entity,
    ops.MergeEntities: _merge_entities,
    ops.OpenCommitment: _open_commitment,
    ops.CloseCommitment: _close_commitment,
    ops.SetTask: _set_task,
    ops.UpdateTask: _update_task,
    ops.ObserveTool: _observe_tool,
    ops.Summarize: _summarize,
    ops.SetNote: _set_note,
}


def apply(state: DialogueState, operation: ops.Operation) -> DialogueState:
    """The state after an operation.

    Raises:
        OperationRejected: the operation does not hold; ``details["reason"]`` says why. ``state`` is unchanged.
    """
    try:
        return _HANDLERS[type(operation)](state, operation)
    except _Refused as refused:
        reason = str(refused)
        raise OperationRejected(f"{operation.op} refused: {reason}.", reason=reason) from None


def fade(entities: tuple[Entity, ...], turn: int) -> tuple[Entity, ...]:
    """Entities with the salience of those not mentioned in ``turn`` decayed by one turn."""
    return tuple(
        entity
        if entity.last_turn >= turn
        else entity.model_copy(update={"salience": round(entity.salience * SALIENCE_DECAY, 4)})
        for entity in entities
    )


def fold(
    state: DialogueState, operations: Iterable[ops.Operation]
) -> tuple[DialogueState, tuple[ops.Operation, ...], tuple[tuple[ops.Operation, str], ...]]:
    """Apply operations in order, skipping those that do not hold.

    Returns:
        The state, the operations that were applied, and (operation, reason) of those that were not.
    """
    applied: list[ops.Operation] = []
    refused: list[tuple[ops.Operation, str]] = []
    for operation in operations:
        try:
            state = apply(state, operation)
        except OperationRejected as error:
            refused.append((operation, str(error.details["reason"])))
        else:
            applied.append(operation)
    return state, tuple(applied), tuple(refused)


__all__ = ["MAX_FACTS", "MAX_TEXT", "MAX_VALUE", "apply", "fade", "fold", "normal"]
