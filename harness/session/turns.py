"""Where a turn begins: a new one at its first phase, a recorded one after its reply."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from harness.context.tokens import ESTIMATE
from harness.ports import TokenCounter
from harness.settings import EngineSettings
from harness.state import DialogueState, Operation, Persona, ToolResult, TurnRecord
from harness.state.operations import ObserveTool, SetNote
from harness.turn.turn import Turn
from harness.turn.withholding import NOTE

FIRST = "receive"
"""Phase in which a turn stands before its first step."""


def new_turn(
    turn_id: str,
    text: str,
    *,
    session_id: str,
    persona: Persona,
    state: DialogueState,
    parent: str | None,
    origin: Literal["say", "retry", "edit"],
    settings: EngineSettings,
    now: datetime,
    deadline: float,
    given: Sequence[Operation] = (),
    tokens: TokenCounter = ESTIMATE,
) -> Turn:
    """A turn that answers ``text`` on a state, with what was ``given`` for it: results of tools, and the notes of their references.
    Retries draw another seed, also where the settings fix one.
    """
    seed = settings.seed
    if seed is None:
        seed = int.from_bytes(hashlib.sha256(f"{session_id}/{turn_id}".encode()).digest()[:4]) >> 1
    elif origin == "retry":
        seed += int.from_bytes(hashlib.sha256(turn_id.encode()).digest()[:2])
    turn = Turn(
        id=turn_id,
        parent=parent,
        number=state.turn_count + 1,
        persona=persona,
        state=state,
        before=state,
        settings=settings,
        text=text,
        now=now,
        origin=origin,
        seed=seed,
        deadline=deadline,
        tokens=tokens,
    )
    return turn.require(given)


def given_with(record: TurnRecord) -> tuple[ToolResult, ...]:
    """The results of tools that came with a turn's message, as they were given to it."""
    return tuple(done.operation.result for done in record.operations if isinstance(done.operation, ObserveTool))


def given_again(record: TurnRecord) -> tuple[Operation, ...]:
    """What a turn began with, for a sibling that begins with the same: results of tools, and what the references in its message
    stand for.
    """
    notes = [
        done.operation
        for done in record.operations
        if isinstance(done.operation, SetNote) and done.phase == FIRST and done.operation.key.startswith(NOTE)
    ]
    return (*notes, *(ObserveTool(result=result) for result in given_with(record)))


def recorded_turn(
    record: TurnRecord,
    *,
    persona: Persona,
    state: DialogueState,
    settings: EngineSettings,
    now: datetime,
    phase: str,
    tokens: TokenCounter = ESTIMATE,
) -> Turn:
    """A turn whose reply is durable, at the phase that follows: its bookkeeping was cut short."""
    return Turn(
        id=record.id,
        parent=record.parent,
        number=record.number,
        persona=persona,
        state=state,
        settings=settings,
        text=record.user_text,
        now=record.started_at or now,
        origin=record.origin,
        language=record.language or persona.language,
        seed=record.seed,
        resolved=record.resolved or record.user_text,
        context=record.context,
        notices=record.notices,
        candidates=record.candidates,
        chosen=record.chosen,
        replied_at=record.replied_at,
        operations=record.operations,
        rejected=record.rejected,
        calls=record.calls,
        events=record.events,
        timings=record.timings,
        phase=phase,
        tokens=tokens,
    ).note("resumed", "bookkeeping was cut short and has been completed")
