"""Views hold what templates may see, taken from state and persona."""

from __future__ import annotations

from datetime import UTC, datetime

from harness.prompt_views import (
    AnalysisView,
    FindingView,
    MessageView,
    NamedView,
    NoticeView,
    PersonaView,
    SummaryView,
    TaskView,
)
from harness.state import (
    CHARACTER,
    Commitment,
    DialogueState,
    Entity,
    Fact,
    Finding,
    Message,
    Notice,
    Persona,
    PersonaFact,
    PersonaRef,
    Summary,
    TaskState,
    Topic,
    TopicStack,
)

PERSONA = Persona(
    name="Greta Lund",
    facts=(
        PersonaFact(attribute="pet", value="a dog called Odd", statement="I have a dog called Odd."),
        PersonaFact(attribute="swim", value="swimming", polarity=False),
    ),
)


def test_views_of_state() -> None:
    at = datetime(2030, 5, 1, 9, 30, tzinfo=UTC)
    assert MessageView.of(Message(speaker="character", text="hi", turn=2, at=at), ("Sam", "Greta")) == MessageView(
        "Greta", "hi", 2, "2030-05-01 09:30"
    )
    assert SummaryView.of(Summary(text="s", first_turn=1, last_turn=2)) == SummaryView("s", 1, 2)
    assert TaskView.of(TaskState(task_id="t", goal="g", todo=("x",))) == TaskView("g", todo=("x",))
    assert NoticeView.of(Notice(kind="challenge", quote="q", truth="t", claim="c")).claim == "c"
    assert FindingView.of(Finding(kind="concession", evidence="e"), "t") == FindingView("concession", "e", "t")
    assert NamedView.of_commitment(Commitment(id="c1", by="user", to=CHARACTER, text="call", due="tomorrow")) == (
        NamedView("c1", "call (tomorrow)", "user")
    )


def test_persona_view_words_facts_by_the_language_pack() -> None:
    view = PersonaView.of(PERSONA, statement=lambda fact: f"<{fact.attribute}>")
    assert [fact.statement for fact in view.facts] == ["I have a dog called Odd.", "<swim>"]
    assert [fact.id for fact in view.facts] == ["p:pet", "p:swim"]


def test_analysis_view_leaves_out_the_turn_itself_and_what_the_persona_says() -> None:
    persona = PERSONA
    state = DialogueState(
        persona=PersonaRef(id="greta", name=persona.name),
        facts=(
            *persona.as_facts(),
            Fact(id="f1", subject="user", attribute="job", value="nurse", quote="I am a nurse"),
        ),
        messages=(
            Message(speaker="user", text="earlier", turn=1),
            Message(speaker="user", text="now", turn=2),
            Message(speaker="character", text="reply", turn=2),
        ),
        topics=TopicStack(
            open=(Topic(id="t1", label="a"), Topic(id="t2", label="b")), past=(Topic(id="t0", label="p"),)
        ),
        entities=(Entity(id="e1", name="Ann"),),
        commitments=(Commitment(id="c1", by="user", to=CHARACTER, text="call"),),
    )
    view = AnalysisView.of(state, persona, user_text="now", reply="reply", emotions=["joy"], attributes=["job"])
    assert [message.text for message in view.before] == ["earlier"]
    assert [(fact.id, fact.statement, fact.value) for fact in view.facts] == [("f1", "", "nurse")]
    assert [(topic.id, topic.state) for topic in view.topics] == [("t0", "past"), ("t1", "open"), ("t2", "current")]
    assert (view.entities, view.emotions) == ((NamedView("e1", "Ann"),), ("joy",))
