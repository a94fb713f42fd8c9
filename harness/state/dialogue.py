"""DialogueState: everything that is true of one conversation at one turn."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from harness.state.base import Frozen
from harness.state.commitments import Commitment, CommitmentStatus
from harness.state.emotion import Emotion
from harness.state.entities import Entity
from harness.state.facts import USER, Fact, FactStatus
from harness.state.persona import PersonaRef
from harness.state.task import TaskState
from harness.state.tools import ToolResult
from harness.state.topics import TopicStack

SCHEMA_VERSION = 1
"""Version of every stored document. Raised only together with a new entry in ``migrations.MIGRATIONS``."""


class Message(Frozen):
    """One utterance. ``speaker`` is ``user`` or ``character``; ``turn`` counts from 1, greeting is turn 0."""

    speaker: Literal["user", "character"]
    text: str
    turn: int
    at: datetime | None = None

    @property
    def addressee(self) -> Literal["user", "character"]:
        """Whom it is said to: the other of the two."""
        return "character" if self.speaker == "user" else "user"


class Summary(Frozen):
    """Compressed older messages and the turns they cover (both ends included)."""

    text: str
    first_turn: int
    last_turn: int


class Note(Frozen):
    """A value that an added step keeps in the state, under its own key."""

    key: str
    value: str


class DialogueState(Frozen):
    """The typed state of one conversation; changed only by :func:`harness.state.apply`.

    Attributes:
        persona: which character.
        user: id of the other side; ``user`` unless the session was opened for a named one.
        facts: all facts, in the order they were stated, superseded and retracted ones included.
        emotion: the character's. ``user_emotion``: what the user's words showed last.
        tools: the newest results of tools, oldest first, long ones as their digest.
        messages: the recent exchanges, oldest first; older ones are in ``summary``.
        summary: compressed older messages, or None.
        turn_count: turns begun and recorded.
        phase: ``done``, or the phase at which bookkeeping of the last turn stands.
        serial: last number used for an id on this branch.
    """

    schema_version: int = SCHEMA_VERSION
    persona: PersonaRef
    user: str = USER
    language: str = "en"
    facts: tuple[Fact, ...] = ()
    topics: TopicStack = TopicStack()
    emotion: Emotion = Emotion()
    user_emotion: Emotion = Emotion()
    entities: tuple[Entity, ...] = ()
    commitments: tuple[Commitment, ...] = ()
    task: TaskState | None = None
    tools: tuple[ToolResult, ...] = ()
    messages: tuple[Message, ...] = ()
    summary: Summary | None = None
    notes: tuple[Note, ...] = ()
    turn_count: int = 0
    phase: str = "done"
    serial: int = 0

    def active_facts(self, subject: str | None = None) -> tuple[Fact, ...]:
        """Facts in force, all or those about one subject."""
        active = [fact for fact in self.facts if fact.status is FactStatus.active]
        if subject is None:
            return tuple(active)
        wanted = subject.casefold()
        return tuple([fact for fact in active if fact.subject == subject or fact.subject.casefold() == wanted])

    def fact(self, fact_id: str) -> Fact | None:
        """The fact of this id, whatever its status."""
        return next((fact for fact in self.facts if fact.id == fact_id), None)

    def open_commitments(self) -> tuple[Commitment, ...]:
        """Promises neither kept, broken nor withdrawn."""
        return tuple(c for c in self.commitments if c.status is CommitmentStatus.open)

    def note(self, key: str) -> str | None:
        """The value an added step stored under ``key``."""
        return next((note.value for note in self.notes if note.key == key), None)
