"""Operations: the only way a DialogueState changes.

Each is a small typed record, told apart by ``op``. They are proposed by steps (from rules or from a model's
answer), checked and applied by :func:`harness.state.apply.apply`, and kept in the turn record in the order they
were applied, so that any state can be rebuilt by folding them again.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from harness.state.base import Frozen
from harness.state.commitments import CommitmentStatus
from harness.state.dialogue import Message
from harness.state.emotion import Emotion
from harness.state.task import TaskState
from harness.state.tools import ToolResult

Tier = Literal["rules", "classifier", "model"]
"""Who found something: rules and lexicons, a small classifier on the processor, or a model."""


class Found(Frozen):
    """An operation that understanding proposes, from whichever tier, so that tiers can be compared and combined.

    Attributes:
        tier: who found it.
        evidence: the words of the turn that show it; empty where a ``quote`` says it, or where nothing was said
            (a mood that decays).
    """

    tier: Tier = "rules"
    evidence: str = ""


class BeginTurn(Frozen):
    """Count a turn. Holds only for the next number, so that no turn is counted twice."""

    op: Literal["begin_turn"] = "begin_turn"
    turn: int


class FinishTurn(Frozen):
    """Bookkeeping of the turn is complete."""

    op: Literal["finish_turn"] = "finish_turn"
    turn: int


class AddMessage(Frozen):
    """Append an utterance to the recent messages."""

    op: Literal["add_message"] = "add_message"
    message: Message


class AssertFact(Found):
    """State something about a subject. Supersedes within (subject, attribute) when ``single``, and the same
    value with the other polarity or another degree always. Fields as in :class:`~harness.state.facts.Fact`.
    """

    op: Literal["assert_fact"] = "assert_fact"
    subject: str
    attribute: str
    value: str
    polarity: bool = True
    speaker: str
    turn: int
    quote: str = ""
    single: bool = False
    language: str = ""
    at: datetime | None = None
    when: str = ""
    when_at: datetime | None = None
    degree: int | None = Field(default=None, ge=-2, le=2)
    importance: float | None = Field(default=None, ge=0, le=1)


class ReviseFact(Found):
    """Replace the value of a known fact (a correction): the old one stays as history."""

    op: Literal["revise_fact"] = "revise_fact"
    fact_id: str
    value: str
    polarity: bool = True
    speaker: str
    turn: int
    quote: str = ""
    at: datetime | None = None
    when: str = ""
    when_at: datetime | None = None
    degree: int | None = Field(default=None, ge=-2, le=2)
    importance: float | None = Field(default=None, ge=0, le=1)


class RetractFact(Found):
    """Take a fact back; nothing replaces it."""

    op: Literal["retract_fact"] = "retract_fact"
    fact_id: str
    turn: int
    reason: str = ""


class DisputeFact(Found):
    """Mark a fact as contested; it is shown with that mark until confirmed, revised or retracted."""

    op: Literal["dispute_fact"] = "dispute_fact"
    fact_id: str
    turn: int
    reason: str = ""


class MergeSubjects(Found):
    """Two subjects of facts turned out to be the same ("user's girlfriend" is 茂琳): all facts of ``merged`` become facts
    of ``subject``. Of two that then say the same the older one stays; of two values of a ``single`` attribute the newer.
    """

    op: Literal["merge_subjects"] = "merge_subjects"
    subject: str
    merged: str
    turn: int = 0


class PinFact(Frozen):
    """Pin or unpin a fact."""

    op: Literal["pin_fact"] = "pin_fact"
    fact_id: str
    pinned: bool = True


class PushTopic(Found):
    """Open a new topic on top of the stack."""

    op: Literal["push_topic"] = "push_topic"
    label: str
    turn: int
    entities: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()


class TouchTopic(Found):
    """The current topic goes on: extend its last turn, entities and keywords; optionally a better label."""

    op: Literal["touch_topic"] = "touch_topic"
    turn: int
    entities: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    label: str = ""


class ReturnTopic(Found):
    """Jump back to an open or past topic: it moves to the top, the others keep their order."""

    op: Literal["return_topic"] = "return_topic"
    topic_id: str
    turn: int


class PopTopic(Found):
    """The current topic is finished; the one below becomes current."""

    op: Literal["pop_topic"] = "pop_topic"
    turn: int


class SetEmotion(Found):
    """Set the character's or the user's emotion (inertia and decay are already worked in by the proposer)."""

    op: Literal["set_emotion"] = "set_emotion"
    who: Literal["character", "user"] = "character"
    emotion: Emotion


class MentionEntity(Found):
    """Mention something: a new entity, or a known one by name or alias."""

    op: Literal["mention_entity"] = "mention_entity"
    name: str
    turn: int
    kind: str = "other"
    aliases: tuple[str, ...] = ()
    speaker: str = ""
    ordinal: int = 0


class MergeEntities(Found):
    """Two entries turned out to be the same ("my girlfriend" = 茂琳): ``merged_id`` goes into ``entity_id``."""

    op: Literal["merge_entities"] = "merge_entities"
    entity_id: str
    merged_id: str


class OpenCommitment(Found):
    """Somebody promised something."""

    op: Literal["open_commitment"] = "open_commitment"
    by: str
    to: str
    text: str
    turn: int
    due: str = ""
    due_at: datetime | None = None
    quote: str = ""


class CloseCommitment(Found):
    """A promise was kept, broken or withdrawn."""

    op: Literal["close_commitment"] = "close_commitment"
    commitment_id: str
    status: CommitmentStatus
    turn: int


class SetTask(Frozen):
    """Take up a task: replaces the task state whole. None leaves the task."""

    op: Literal["set_task"] = "set_task"
    task: TaskState | None


class UpdateTask(Found):
    """Change the task at hand by deltas. ``task_id`` must be the current one."""

    op: Literal["update_task"] = "update_task"
    task_id: str
    goal: str | None = None
    add_confirmed: tuple[str, ...] = ()
    add_done: tuple[str, ...] = ()
    add_todo: tuple[str, ...] = ()
    add_ruled_out: tuple[str, ...] = ()
    add_artifacts: tuple[str, ...] = ()


class ObserveTool(Frozen):
    """Take in the result of a tool that the host ran. It gets its id here, and belongs to the task at hand."""

    op: Literal["observe_tool"] = "observe_tool"
    result: ToolResult


class Summarize(Frozen):
    """Replace the messages of turns up to ``last_turn`` by a text that covers ``first_turn`` to ``last_turn``.

    ``keep_turns``: how many of the newest turns must stay as messages (the window); a summary that would reach
    into them is rejected.
    """

    op: Literal["summarize"] = "summarize"
    text: str
    first_turn: int
    last_turn: int
    keep_turns: int = 0


class SetNote(Frozen):
    """Keep a value for an added step; None removes it."""

    op: Literal["set_note"] = "set_note"
    key: str
    value: str | None


Operation = Annotated[
    BeginTurn
    | FinishTurn
    | AddMessage
    | AssertFact
    | ReviseFact
    | RetractFact
    | DisputeFact
    | MergeSubjects
    | PinFact
    | PushTopic
    | TouchTopic
    | ReturnTopic
    | PopTopic
    | SetEmotion
    | MentionEntity
    | MergeEntities
    | OpenCommitment
    | CloseCommitment
    | SetTask
    | UpdateTask
    | ObserveTool
    | Summarize
    | SetNote,
    Field(discriminator="op"),
]

OPERATION: TypeAdapter[Operation] = TypeAdapter(Operation)
"""Reads one operation from JSON."""
