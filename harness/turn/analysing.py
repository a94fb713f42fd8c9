"""The model tier of the bookkeeping: one question about a finished turn, and the operations its answer comes to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pydantic import TypeAdapter

from harness.asking import ask
from harness.context.shortening import within_request
from harness.language import LanguagePack
from harness.ports import ChatMessage, ModelRequest, Ports
from harness.prompt_views import AnalysisView
from harness.state import Operation
from harness.state.operations import Found
from harness.turn.calling import BOOKKEEPING_S, hints
from harness.turn.spoken import harmless_text
from harness.turn.turn import Turn
from harness.understanding.facts.claims import SPEAKER, degree_of, plain_text, read_claims
from harness.understanding.facts.knowledge import sentence_polarity
from harness.understanding.facts.stating import unstated
from harness.understanding.moments import find_moment, single_moment
from harness.understanding.proposals.analysis import Vocabulary, to_operations
from harness.understanding.proposals.answers import (
    FactDeltas,
    TaskFactDeltas,
    TaskTurnAnalysis,
    TopicUpdate,
    TurnAnalysis,
)
from harness.understanding.references.entities import is_pronoun

Answers = TypeAdapter[TurnAnalysis | FactDeltas | TopicUpdate]
TURN_ANALYSIS: Answers = TypeAdapter(TurnAnalysis)
FACT_DELTAS: Answers = TypeAdapter(FactDeltas)
TASK_TURN_ANALYSIS: Answers = TypeAdapter(TaskTurnAnalysis)
TASK_FACT_DELTAS: Answers = TypeAdapter(TaskFactDeltas)
TOPIC_UPDATE: Answers = TypeAdapter(TopicUpdate)
ANALYSIS_TOKENS = 700
"""Longest analysis of one turn."""


@dataclass(frozen=True, slots=True)
class Analysed:
    """The turn with the calls and events of the question; ``operations`` is None when there was no answer."""

    turn: Turn
    operations: tuple[Operation, ...] | None


async def analyse(turn: Turn, ports: Ports, *, only_facts: bool) -> Analysed:
    """Ask for everything the turn changed (``turn_analysis``), or for its facts and promises (``extract_facts``).

    While a task is set, for what changes in it, too.
    """
    has_task = turn.state.task is not None
    if only_facts:
        return await _ask(turn, ports, "extract_facts", TASK_FACT_DELTAS if has_task else FACT_DELTAS)
    return await _ask(turn, ports, "turn_analysis", TASK_TURN_ANALYSIS if has_task else TURN_ANALYSIS)


async def analyse_topic(turn: Turn, ports: Ports) -> Analysed:
    """Ask for topic, moods and entities (``update_topic``)."""
    return await _ask(turn, ports, "update_topic", TOPIC_UPDATE)


async def _ask(turn: Turn, ports: Ports, prompt: str, schema: Answers) -> Analysed:
    pack, told = ports.languages.get(turn.language), ports.languages.get(turn.persona.language)
    view = AnalysisView.of(
        turn.state,
        turn.persona,
        user_text=within_request(turn.text, settings=turn.settings, tokens=turn.tokens, pack=told),
        reply=turn.reply,
        emotions=("neutral", *pack.emotion.prototypes),
        attributes=(attribute.key for attribute in pack.attributes),
    )
    request = ModelRequest(
        role="extractor",
        messages=(ChatMessage("user", ports.prompts.render(prompt, turn.persona.language, analysis=view)),),
        purpose=prompt,
        temperature=0.0,
        max_tokens=ANALYSIS_TOKENS,
        seed=turn.seed,
        schema_name=prompt,
        timeout_s=BOOKKEEPING_S,
    )
    asked = await ask(
        ports.model, request, schema, phase=turn.phase, hints=hints(ports, turn.persona.language), clock=ports.clock
    )
    turn = turn.called(asked.calls)
    for note in asked.notes:
        turn = turn.note("structured_output", note)
    if asked.value is None:
        return Analysed(turn.note("fell_back_to_rules", f"{prompt}: {asked.error}"), None)
    operations, refused = to_operations(
        asked.value,
        user_text=turn.text,
        reply=turn.reply,
        state=turn.state,
        persona=turn.persona,
        vocabulary=vocabulary(pack),
        turn=turn.number,
        now=turn.now,
        language=turn.language,
        harmless=harmless_text(turn, ports),
    )
    for reason in refused:
        turn = turn.note("proposal_refused", reason)
    return Analysed(turn, tuple(_by_model(operation) for operation in operations))


def _by_model(operation: Operation) -> Operation:
    return operation.model_copy(update={"tier": "model"}) if isinstance(operation, Found) else operation


def vocabulary(pack: LanguagePack) -> Vocabulary:
    """What the check of proposals has to know of a language."""

    def key(name: str) -> str:
        attribute = pack.attribute(name)
        return attribute.key if attribute is not None else name

    def is_single(name: str) -> bool:
        attribute = pack.attribute(name)
        return attribute is not None and attribute.single

    def date(words: str, now: datetime) -> datetime | None:
        moment = find_moment(words, pack=pack, now=now)
        return moment.at if moment is not None else None

    def when(words: str, now: datetime) -> tuple[str, datetime] | None:
        moment = single_moment(words, pack=pack, now=now)
        return (moment.words, moment.at) if moment is not None else None

    def other_subject(words: str) -> str:
        subjects = {claim.subject or claim.relation for claim in read_claims(words, pack)}
        return subjects.pop() if len(subjects) == 1 and SPEAKER not in subjects else ""

    def may_deny(words: str) -> bool:
        return not sentence_polarity(words, pack) or any(not claim.polarity for claim in read_claims(words, pack))

    return Vocabulary(
        key=key,
        is_single=is_single,
        emotions=pack.emotion.prototypes,
        is_pronoun=lambda words: is_pronoun(words, pack=pack),
        other_subject=other_subject,
        may_deny=may_deny,
        date=date,
        when=when,
        degree=lambda attribute, words, polarity: degree_of(attribute, plain_text(words, pack), polarity, pack),
        unstated=lambda quote, words: unstated(quote, words, pack),
    )
