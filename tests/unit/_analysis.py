"""What the tests of a model's analysis share: a state, a vocabulary, and one proposal turned into an operation."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from harness.state import (
    CHARACTER,
    USER,
    Commitment,
    CommitmentStatus,
    DialogueState,
    Emotion,
    Entity,
    Fact,
    FactStatus,
    Persona,
    PersonaFact,
    PersonaRef,
    Topic,
    TopicStack,
)
from harness.state.operations import (
    Operation,
)
from harness.understanding.proposals.analysis import Vocabulary, to_operations
from harness.understanding.proposals.answers import (
    FactDeltas,
    FactProposal,
    TopicUpdate,
    TurnAnalysis,
)

NOW = datetime(2030, 5, 1, 9, 0, tzinfo=UTC)
TURN = 4
EMOTIONS = {
    "joy": Emotion(label="joy", valence=0.8, arousal=0.5, dominance=0.4),
    "sadness": Emotion(label="sadness", valence=-0.6, arousal=-0.3, dominance=-0.3),
    "anger": Emotion(label="anger", valence=-0.5, arousal=0.6, dominance=0.3),
}
VOCABULARY = Vocabulary(
    key=lambda name: {"profession": "job", "职业": "job"}.get(name, name),
    is_single=lambda key: key in {"job", "home", "name"},
    emotions=EMOTIONS,
    is_pronoun=lambda name: name.lower() in {"it", "she", "他", "那个"},
    other_subject=lambda quote: next((word for word in ("friend", "朋友") if word in quote), ""),
    date=lambda words, now: now.replace(day=2) if words in {"tomorrow", "明天"} else None,
)

PERSONA = Persona(
    inertia=0.5,
    name="Greta Lund",
    aliases=("Greta", "葛丽塔"),
    facts=(
        PersonaFact(attribute="profession", value="ferry captain", statement="I am a ferry captain."),
        PersonaFact(attribute="pet", value="a dog called Odd", single=False),
        PersonaFact(attribute="skill", value="swimming", polarity=False, single=False),
    ),
)

STATE = DialogueState(
    persona=PersonaRef(id="greta", name="Greta Lund"),
    turn_count=TURN,
    phase="record",
    serial=20,
    facts=(
        Fact(id="f1", subject=USER, attribute="job", value="nurse", quote="I am a nurse", single=True),
        Fact(id="f2", subject=USER, attribute="food", value="rice", status=FactStatus.retracted),
        Fact(id="f3", subject=CHARACTER, attribute="boat", value="red boat", speaker=CHARACTER),
        Fact(id="f4", subject="Ann", attribute="likes", value="rain"),
        Fact(id="p:age", subject=CHARACTER, attribute="age", value="50", speaker="persona"),
    ),
    topics=TopicStack(
        open=(Topic(id="t1", label="dinner"), Topic(id="t2", label="storm")), past=(Topic(id="t0", label="boats"),)
    ),
    entities=(
        Entity(id="e1", name="Ann", kind="person", aliases=("my sister",)),
        Entity(id="e2", name="Bergen", kind="place"),
        Entity(id="e3", name="Annie", kind="person"),
    ),
    commitments=(
        Commitment(id="c1", by=CHARACTER, to=USER, text="bring the chart"),
        Commitment(id="c2", by=USER, to=CHARACTER, text="call", status=CommitmentStatus.kept),
    ),
)


def convert(
    analysis: TurnAnalysis | FactDeltas | TopicUpdate,
    user_text: str = "",
    reply: str = "",
    state: DialogueState = STATE,
    vocabulary: Vocabulary = VOCABULARY,
) -> tuple[list[Operation], list[str]]:
    """to_operations with the fixed surroundings."""
    return to_operations(
        analysis,
        user_text=user_text,
        reply=reply,
        state=state,
        persona=PERSONA,
        vocabulary=vocabulary,
        turn=TURN,
        now=NOW,
    )


def fact(user_text: str = "", reply: str = "", **fields: Any) -> tuple[Operation | None, str]:
    """One proposed fact: the operation, or the reason against it."""
    proposal = {"quote": user_text or reply, "subject": USER, "attribute": "likes", "value": "x", **fields}
    operations, refused = convert(FactDeltas(facts=(FactProposal(**proposal),)), user_text, reply)
    assert len(operations) + len(refused) == 1
    return (operations[0], "") if operations else (None, refused[0])
