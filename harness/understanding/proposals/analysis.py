"""From a model's notes about one turn to operations: everything it proposes is checked against the turn's own words.

The model is never believed. A fact needs a quote that stands in what was just said, so that nothing from the system
prompt, the summary or recalled memory can come back as news. What does not hold is left out, and the reason goes into
the turn record.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from harness.state.dialogue import DialogueState
from harness.state.operations import MentionEntity, Operation
from harness.state.persona import Persona
from harness.understanding.proposals.answers import (
    MAX_COMMITMENTS,
    MAX_ENTITIES,
    MAX_FACTS,
    MAX_TASK_CHANGES,
    EmotionProposal,
    EntityProposal,
    FactDeltas,
    FactProposal,
    TaskFactDeltas,
    TaskTurnAnalysis,
    TopicUpdate,
    TurnAnalysis,
)
from harness.understanding.proposals.evidence import Evidence, Refused, Vocabulary
from harness.understanding.proposals.proposed_facts import commitment_operation, fact_operation, weighed
from harness.understanding.proposals.proposed_task import task_operation
from harness.understanding.proposals.proposed_tracking import (
    character_emotion_operation,
    entity_operation,
    topic_operation,
    user_emotion_operation,
)
from harness.understanding.proposals.withholding import Withholding

P = TypeVar("P")


def to_operations(
    analysis: TurnAnalysis | FactDeltas | TopicUpdate,
    *,
    user_text: str,
    reply: str,
    state: DialogueState,
    persona: Persona,
    vocabulary: Vocabulary,
    turn: int,
    now: datetime,
    language: str = "",
    harmless: str | None = None,
) -> tuple[list[Operation], list[str]]:
    """The operations an analysis comes to, in the order to apply them, and why the rest was refused.

    Never raises, whatever the analysis holds. Each operation still has to pass :func:`harness.state.apply`, which knows
    what the operations before it changed.

    Args:
        analysis: the answer to ``turn_analysis``, ``extract_facts`` or ``update_topic``.
        user_text: what the user typed in this turn.
        reply: what the character answered.
        state: the state the operations will be applied to.
        persona: the character; what it says of itself may not contradict it.
        vocabulary: what has to be known of the language.
        turn: number of the turn.
        now: time of the turn, against which dates are meant.
        language: language code of the turn, kept with facts; the state's when empty.
        harmless: the message without what the persona guard objects to; proposals that rest on the rest of it are
            refused. None when it objects to nothing.
    """
    entities = analysis.entities if isinstance(analysis, TurnAnalysis | TopicUpdate) else ()
    evidence = Evidence(
        user_text=user_text,
        reply=reply,
        state=state,
        persona=persona,
        vocabulary=vocabulary,
        turn=turn,
        now=now,
        language=language or state.language,
        people=_people(entities, state),
    )
    outcome = _Outcome(Withholding(user_text, user_text if harmless is None else harmless, reply))
    if isinstance(analysis, TurnAnalysis | TopicUpdate):
        outcome.take("entity", entities, MAX_ENTITIES, lambda item: entity_operation(item, evidence))
    named = tuple(op.name for op in outcome.operations if isinstance(op, MentionEntity))
    if isinstance(analysis, TurnAnalysis | FactDeltas):
        outcome.take("fact", analysis.facts, MAX_FACTS, lambda item: fact_operation(item, evidence))
        _note_odd_importance(outcome, analysis.facts)
        outcome.take(
            "commitment", analysis.commitments, MAX_COMMITMENTS, lambda item: commitment_operation(item, evidence)
        )
    if isinstance(analysis, TaskTurnAnalysis | TaskFactDeltas):
        outcome.take("task", analysis.task, MAX_TASK_CHANGES, lambda item: task_operation(item, evidence))
    if isinstance(analysis, TurnAnalysis | TopicUpdate):
        outcome.take("topic", (analysis.topic,), 1, lambda item: topic_operation(item, evidence, named))
        user, character = analysis.user_emotion, analysis.character_emotion
        _note_unknown_label(outcome, "user", user, vocabulary)
        outcome.take("emotion of the user", (user,), 1, lambda item: user_emotion_operation(item, evidence))
        _note_unknown_label(outcome, "character", character, vocabulary)
        outcome.take(
            "emotion of the character", (character,), 1, lambda item: character_emotion_operation(item, evidence)
        )
    return outcome.operations, outcome.refused


@dataclass(slots=True)
class _Outcome:
    """What came out so far."""

    withholding: Withholding
    operations: list[Operation] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def take(self, what: str, proposals: Sequence[P], limit: int, convert: Callable[[P], Operation | None]) -> None:
        """Convert proposals one by one; a refusal concerns one proposal only, and one may come to nothing."""
        for proposal in proposals[:limit]:
            try:
                self.withholding.check(proposal)
                operation = convert(proposal)
                if operation is not None:
                    self.operations.append(operation)
            except Refused as refused:
                self.refused.append(f"{what} refused: {refused}")
        if len(proposals) > limit:
            self.refused.append(f"{what} refused: {len(proposals) - limit} more than the {limit} taken from one turn")


def _people(entities: Sequence[EntityProposal], state: DialogueState) -> tuple[str, ...]:
    named = [item.name for item in entities if item.kind == "person"]
    known = [name for entity in state.entities if entity.kind == "person" for name in (entity.name, *entity.aliases)]
    return tuple(dict.fromkeys([*named, *known]))


def _note_odd_importance(outcome: _Outcome, proposals: Sequence[FactProposal]) -> None:
    for proposal in proposals[:MAX_FACTS]:
        if proposal.importance is not None and weighed(proposal) is None:
            odd = f"importance of a fact: {proposal.importance:g} is not from 0 to 1, so rules weigh it"
            outcome.refused.append(odd)


def _note_unknown_label(outcome: _Outcome, who: str, proposal: EmotionProposal, vocabulary: Vocabulary) -> None:
    label = proposal.label.strip()
    if label not in ("", "neutral", *vocabulary.emotions):
        outcome.refused.append(f"emotion of the {who}: {label[:80]!r} is no known label, taken as neutral")


__all__ = ["Vocabulary", "to_operations"]
