"""What a turn changed in the state, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.state import DialogueState, Emotion, Fact

_MOVED = 0.05
"""A dimension of the emotion that moved less is not worth a line."""


def fact_words(fact: Fact) -> str:
    """A fact in a few words: ``user pet: a cat``, ``user pet: not a dog``."""
    return f"{fact.subject} {fact.attribute}: {'' if fact.polarity else 'not '}{fact.value}"


def emotion_words(emotion: Emotion) -> str:
    """``joy (valence +0.6, arousal +0.2, dominance +0.1)``."""
    return (
        f"{emotion.label} (valence {emotion.valence:+.1f}, arousal {emotion.arousal:+.1f}, "
        f"dominance {emotion.dominance:+.1f})"
    )


def new_facts(state: DialogueState, turn: int) -> tuple[Fact, ...]:
    """The facts in force that were stated in this turn."""
    return tuple(fact for fact in state.active_facts() if fact.turn == turn and fact.speaker != "persona")


def changes(before: DialogueState, after: DialogueState) -> list[str]:
    """Every difference between two states, a line each. Empty when they say the same."""
    return [
        *_facts(before, after),
        *_topics(before, after),
        *_emotions(before, after),
        *_entities(before, after),
        *_commitments(before, after),
        *_task(before, after),
        *_tools(before, after),
        *_rest(before, after),
    ]


def _facts(before: DialogueState, after: DialogueState) -> Iterator[str]:
    old = {fact.id: fact for fact in before.facts}
    for fact in after.facts:
        known = old.pop(fact.id, None)
        words = f"[{fact.id}] {fact_words(fact)}"
        if known is None:
            instead = f", in place of [{fact.supersedes}]" if fact.supersedes else ""
            yield f"fact {words} (said by {fact.speaker}){instead}"
            continue
        if known.status != fact.status:
            yield f"fact {words} is now {fact.status}"
        if known.pinned != fact.pinned:
            yield f"fact {words} is {'pinned' if fact.pinned else 'no longer pinned'}"
        if (known.value, known.polarity) != (fact.value, fact.polarity):
            yield f"fact {words} was: {fact_words(known)}"
    for fact in old.values():
        yield f"fact [{fact.id}] {fact_words(fact)} is gone"


def _topics(before: DialogueState, after: DialogueState) -> Iterator[str]:
    was, now = before.topics.current, after.topics.current
    if now is not None and (was is None or was.id != now.id):
        how = "returned to" if before.topics.find(now.id) else "opened"
        yield f"topic {how}: {now.label}"
    elif was is not None and now is not None and was.label != now.label:
        yield f"topic {was.label} is now called {now.label}"
    elif was is not None and now is None:
        yield f"topic closed: {was.label}"
    closed = {topic.id for topic in after.topics.past} - {topic.id for topic in before.topics.past}
    for topic in after.topics.past:
        if topic.id in closed and (was is None or topic.id != was.id or now is not None):
            yield f"topic closed: {topic.label}"


def _emotions(before: DialogueState, after: DialogueState) -> Iterator[str]:
    for who, old, new in (
        ("character's", before.emotion, after.emotion),
        ("user's", before.user_emotion, after.user_emotion),
    ):
        pairs = ((old.valence, new.valence), (old.arousal, new.arousal), (old.dominance, new.dominance))
        if old.label != new.label or any(abs(a - b) >= _MOVED for a, b in pairs):
            cause = f" because of {new.cause!r}" if new.cause and new.cause != old.cause else ""
            yield f"{who} emotion: {emotion_words(old)} → {emotion_words(new)}{cause}"


def _entities(before: DialogueState, after: DialogueState) -> Iterator[str]:
    old = {entity.id: entity for entity in before.entities}
    for entity in after.entities:
        known = old.pop(entity.id, None)
        if known is None:
            yield f"entity {entity.name} ({entity.kind})"
        elif set(entity.aliases) - set(known.aliases):
            added = ", ".join(alias for alias in entity.aliases if alias not in known.aliases)
            yield f"entity {entity.name} is also called {added}"
    for entity in old.values():
        yield f"entity {entity.name} is gone"


def _commitments(before: DialogueState, after: DialogueState) -> Iterator[str]:
    old = {promise.id: promise for promise in before.commitments}
    for promise in after.commitments:
        known = old.get(promise.id)
        due = f" ({promise.due})" if promise.due else ""
        if known is None:
            yield f"promise by {promise.by}: {promise.text}{due}"
        elif known.status != promise.status:
            yield f"promise by {promise.by} is {promise.status}: {promise.text}"


def _task(before: DialogueState, after: DialogueState) -> Iterator[str]:
    old, new = before.task, after.task
    if old == new:
        return
    if new is None:
        yield f"task left: {old.goal or old.task_id}" if old else "task left"
    elif old is None or old.task_id != new.task_id:
        yield f"task taken up: {new.goal or new.task_id}"
    else:
        for name in ("goal", "confirmed_facts", "done", "todo", "ruled_out", "artifacts"):
            if getattr(old, name) != getattr(new, name):
                value = getattr(new, name)
                yield f"task {name.replace('_', ' ')}: {value if isinstance(value, str) else '; '.join(value)}"


def _tools(before: DialogueState, after: DialogueState) -> Iterator[str]:
    known = {result.id for result in before.tools}
    for result in after.tools:
        if result.id not in known:
            whole = f" (whole: {result.ref})" if result.ref else ""
            yield f"tool {result.said}{' failed' if result.error else ''}: {result.text}{whole}"


def _rest(before: DialogueState, after: DialogueState) -> Iterator[str]:
    if after.summary is not None and after.summary != before.summary:
        yield f"turns {after.summary.first_turn} to {after.summary.last_turn} are summarized"
    kept = {note.key: note.value for note in before.notes}
    now = {note.key: note.value for note in after.notes}
    for key in sorted(kept.keys() | now.keys()):
        if kept.get(key) != now.get(key):
            yield f"note {key}: {now.get(key, '(removed)')}"
    if before.language != after.language:
        yield f"language: {before.language} → {after.language}"
    told = len(after.messages) - len(before.messages)
    if told > 0:
        yield f"{told} messages"
