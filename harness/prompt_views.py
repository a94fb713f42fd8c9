"""What templates see: small frozen records of text, made for them and for nothing else.

State and persona objects have public methods, and a sandboxed template may call those. So a template never gets one; it
gets a view, which holds text, numbers and tuples of other views.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from harness.state.commitments import Commitment
from harness.state.dialogue import DialogueState, Message, Summary
from harness.state.facts import Fact
from harness.state.persona import Persona, PersonaFact
from harness.state.record import Finding, Notice, NoticeKind
from harness.state.task import TaskState

Statement = Callable[[PersonaFact], str]
"""Puts a persona fact into a first-person sentence of the persona's language; empty when it cannot."""


@dataclass(frozen=True, slots=True)
class FactView:
    """One fact.

    Attributes:
        statement: the fact as a sentence; empty when there is none, then templates print attribute and value.
        who: how the subject is written: ``user``, ``character``, or a name.
    """

    id: str = ""
    who: str = ""
    attribute: str = ""
    value: str = ""
    polarity: bool = True
    statement: str = ""

    @classmethod
    def of(cls, fact: Fact) -> FactView:
        """The view of a fact. The quote of a persona fact is its first-person statement."""
        statement = fact.quote if fact.speaker == "persona" else ""
        return cls(fact.id, fact.subject, fact.attribute, fact.value, fact.polarity, statement)


@dataclass(frozen=True, slots=True)
class ExampleView:
    """One exchange that shows the voice; ``user`` may be empty."""

    user: str
    character: str


@dataclass(frozen=True, slots=True)
class PersonaView:
    """A character, as the system prompt tells it. Fixed while a session runs."""

    name: str
    role: str = ""
    biography: str = ""
    voice: str = ""
    facts: tuple[FactView, ...] = ()
    habits: tuple[str, ...] = ()
    knowledge: tuple[str, ...] = ()
    knowledge_limits: tuple[str, ...] = ()
    never_says: tuple[str, ...] = ()
    examples: tuple[ExampleView, ...] = ()
    bot_question: Literal["deny", "deflect", "admit"] = "deflect"
    stage_directions: bool = False

    @classmethod
    def of(cls, persona: Persona, statement: Statement | None = None) -> PersonaView:
        """The view of a persona; ``statement`` words the facts that have no sentence of their own."""
        facts = tuple(
            FactView(
                id=known.id,
                who=known.subject,
                attribute=fact.attribute,
                value=fact.value,
                polarity=fact.polarity,
                statement=fact.statement or (statement(fact) if statement else ""),
            )
            for fact, known in zip(persona.facts, persona.as_facts(), strict=True)
        )
        return cls(
            name=persona.name,
            role=persona.role,
            biography=persona.biography,
            voice=persona.voice,
            facts=facts,
            habits=persona.habits,
            knowledge=persona.knowledge,
            knowledge_limits=persona.knowledge_limits,
            never_says=persona.never_says,
            examples=tuple(ExampleView(line.user, line.character) for line in persona.examples),
            bot_question=persona.bot_question,
            stage_directions=persona.stage_directions,
        )


@dataclass(frozen=True, slots=True)
class MessageView:
    """One utterance. ``speaker`` is the name to print, ``at`` a moment to print or empty."""

    speaker: str
    text: str
    turn: int = 0
    at: str = ""

    @classmethod
    def of(cls, message: Message, names: tuple[str, str] = ("user", "character")) -> MessageView:
        """The view of a message; ``names`` are printed for the user and for the character."""
        at = message.at.strftime("%Y-%m-%d %H:%M") if message.at else ""
        return cls(names[message.speaker == "character"], message.text, message.turn, at)


@dataclass(frozen=True, slots=True)
class SummaryView:
    """Compressed older messages and the turns they cover."""

    text: str
    first_turn: int
    last_turn: int

    @classmethod
    def of(cls, summary: Summary) -> SummaryView:
        """The view of a summary."""
        return cls(summary.text, summary.first_turn, summary.last_turn)


@dataclass(frozen=True, slots=True)
class TaskView:
    """The task at hand."""

    goal: str
    confirmed: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    todo: tuple[str, ...] = ()
    ruled_out: tuple[str, ...] = ()
    artifacts: tuple[str, ...] = ()

    @classmethod
    def of(cls, task: TaskState) -> TaskView:
        """The view of a task state. A task without a goal goes by its id."""
        return cls(
            task.goal or task.task_id, task.confirmed_facts, task.done, task.todo, task.ruled_out, task.artifacts
        )


@dataclass(frozen=True, slots=True)
class ToolView:
    """The result of a tool: the call in words, what came back, whether it failed, whether it came with this message, and the
    reference of the whole when ``text`` is its digest.
    """

    call: str
    text: str
    error: bool = False
    fresh: bool = False
    ref: str = ""


@dataclass(frozen=True, slots=True)
class NoticeView:
    """What the check before the reply found: the words, what they claim, and the fact in the first person."""

    kind: NoticeKind
    quote: str = ""
    truth: str = ""
    claim: str = ""

    @classmethod
    def of(cls, notice: Notice) -> NoticeView:
        """The view of a notice."""
        return cls(notice.kind, notice.quote, notice.truth, notice.claim)


@dataclass(frozen=True, slots=True)
class FindingView:
    """What is wrong with a reply. ``truth``: the fact it runs against, in the first person, or the words; may be empty."""

    kind: str
    evidence: str = ""
    truth: str = ""

    @classmethod
    def of(cls, finding: Finding, truth: str = "") -> FindingView:
        """The view of a finding; the words that it runs against say more than a truth that goes for all findings."""
        return cls(finding.kind, finding.evidence, finding.against or truth)


@dataclass(frozen=True, slots=True)
class ContextView:
    """The volatile block (L1 to L3) of one turn. Every part may be empty; what is empty is not printed.

    Attributes:
        name: the character's. ``user_name``: what the user is called, when known.
        language: name of the language to answer in, in the template's language; empty to leave it to the system prompt.
        topic, topic_previous: labels of the current topic and of the one before it.
        user_facts: what the user said of themselves. ``own_facts``: what the character said of itself.
        other_facts: about third persons and things.
        references: one line per reference that was resolved, e.g. ``it = the red bicycle``.
        commitments: open promises, who made them and when due included.
        character_mood, user_mood: a word or two.
        user_grieves: whether the user told of something painful a few turns ago.
        tools: results of tools, oldest first.
        recalled: lines from memory.
        summary: older turns, when the summary is placed here and not after the system prompt.
        bot_question: the persona's policy, for a notice of that kind.
    """

    name: str = ""
    user_name: str = ""
    language: str = ""
    topic: str = ""
    topic_previous: str = ""
    user_facts: tuple[str, ...] = ()
    own_facts: tuple[str, ...] = ()
    other_facts: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    commitments: tuple[str, ...] = ()
    character_mood: str = ""
    user_mood: str = ""
    user_grieves: bool = False
    task: TaskView | None = None
    notices: tuple[NoticeView, ...] = ()
    tools: tuple[ToolView, ...] = ()
    recalled: tuple[str, ...] = ()
    summary: SummaryView | None = None
    bot_question: Literal["deny", "deflect", "admit"] = "deflect"


@dataclass(frozen=True, slots=True)
class TopicView:
    """An open or past topic; ``state`` is ``current``, ``open`` or ``past``."""

    id: str
    label: str
    state: Literal["current", "open", "past"]


@dataclass(frozen=True, slots=True)
class NamedView:
    """Something with an id and a line of text: a known entity, an open promise (with who made it in ``by``)."""

    id: str
    text: str
    by: str = ""

    @classmethod
    def of_commitment(cls, commitment: Commitment) -> NamedView:
        """The view of a promise."""
        due = f" ({commitment.due})" if commitment.due else ""
        return cls(commitment.id, commitment.text + due, commitment.by)


@dataclass(frozen=True, slots=True)
class AnalysisView:
    """One finished turn and what is known so far: what turn analysis works on.

    Attributes:
        name: the character's. ``aliases``: other names it goes by.
        user_text, reply: the turn. ``before``: the last messages before it, for pronouns only.
        facts: known facts that may be revised. ``attributes``: the names of attributes to prefer.
        emotions: the labels to choose from.
        task: the task at hand, if one is set.
    """

    name: str
    user_text: str
    reply: str
    aliases: tuple[str, ...] = ()
    before: tuple[MessageView, ...] = ()
    facts: tuple[FactView, ...] = ()
    topics: tuple[TopicView, ...] = ()
    entities: tuple[NamedView, ...] = ()
    commitments: tuple[NamedView, ...] = ()
    emotions: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    task: TaskView | None = None

    @classmethod
    def of(
        cls,
        state: DialogueState,
        persona: Persona,
        *,
        user_text: str,
        reply: str,
        emotions: Iterable[str] = (),
        attributes: Iterable[str] = (),
        limit: int = 24,
    ) -> AnalysisView:
        """The view of a turn on top of a state; the newest ``limit`` facts and entities, the last four messages.

        ``state`` may or may not hold the turn's own messages: they are told by their text and left out of ``before``.
        """
        before = tuple(MessageView.of(message) for message in state.messages if message.text not in (user_text, reply))
        facts = [fact for fact in state.active_facts() if fact.speaker != "persona"]
        current = state.topics.current
        opened = tuple(
            TopicView(topic.id, topic.label, "current" if topic is current else "open") for topic in state.topics.open
        )
        past = tuple(TopicView(topic.id, topic.label, "past") for topic in state.topics.past[-6:])
        entities = sorted(state.entities, key=lambda entity: (entity.last_turn, entity.id))[-limit:]
        return cls(
            name=persona.name,
            user_text=user_text,
            reply=reply,
            aliases=persona.aliases,
            before=before[-4:],
            facts=tuple(FactView.of(fact) for fact in facts[-limit:]),
            topics=past + opened,
            entities=tuple(NamedView(entity.id, entity.name) for entity in entities),
            commitments=tuple(NamedView.of_commitment(promise) for promise in state.open_commitments()),
            emotions=tuple(dict.fromkeys(emotions)),
            attributes=tuple(dict.fromkeys(attributes)),
            task=TaskView.of(state.task) if state.task is not None else None,
        )


__all__ = [
    "AnalysisView",
    "ContextView",
    "ExampleView",
    "FactView",
    "FindingView",
    "MessageView",
    "NamedView",
    "NoticeView",
    "PersonaView",
    "Statement",
    "SummaryView",
    "TaskView",
    "ToolView",
    "TopicView",
]
