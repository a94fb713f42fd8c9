"""From a stored session and its records to the state: where it begins, and what the records make of it."""

from __future__ import annotations

from collections.abc import Sequence

from harness.state import DialogueState, Message, Persona, PersonaRef, SessionInfo, TurnRecord, apply
from harness.state.operations import AddMessage


def initial_state(info: SessionInfo) -> DialogueState:
    """The state before the first turn: the persona's baseline mood, and its greeting as message of turn 0."""
    persona = info.persona
    greeting = (
        (Message(speaker="character", text=persona.greeting, turn=0, at=info.created_at),) if persona.greeting else ()
    )
    return DialogueState(
        persona=info.persona_ref,
        user=info.user,
        language=persona.language,
        emotion=persona.baseline,
        messages=greeting,
    )


def rebuild(state: DialogueState, records: Sequence[TurnRecord]) -> DialogueState:
    """Fold the operations of records, oldest first, over a state."""
    for record in records:
        for applied in record.operations:
            state = apply(state, applied.operation)
    return state


def messages_of(record: TurnRecord) -> list[Message]:
    """What was said in a turn."""
    return [done.operation.message for done in record.operations if isinstance(done.operation, AddMessage)]


def reference(persona: Persona) -> PersonaRef:
    """The reference a session keeps of its persona."""
    return PersonaRef(id=persona.id or persona.name, name=persona.name, digest=persona.digest())
