"""A model's promises, topics, moods and entities: what becomes an operation, what is refused, and any answer at all."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from harness.state import (
    CHARACTER,
    OPERATION,
    USER,
    CommitmentStatus,
    DialogueState,
    Emotion,
    TopicStack,
    fold,
)
from harness.state.operations import (
    AssertFact,
    CloseCommitment,
    MentionEntity,
    MergeEntities,
    OpenCommitment,
    Operation,
    PopTopic,
    PushTopic,
    ReturnTopic,
    ReviseFact,
    SetEmotion,
    TouchTopic,
)
from harness.understanding.proposals.analysis import Vocabulary
from harness.understanding.proposals.answers import (
    Answer,
    CommitmentProposal,
    EmotionProposal,
    EntityProposal,
    FactDeltas,
    FactProposal,
    TopicProposal,
    TopicUpdate,
    TurnAnalysis,
)
from harness.understanding.proposals.grounding import asks, carried, occurs, scripts
from tests.unit._analysis import EMOTIONS, NOW, STATE, TURN, VOCABULARY, convert, fact

# --- commitments ----------------------------------------------------------------------------------------------------


def commitment(user_text: str = "", reply: str = "", **fields: Any) -> tuple[Operation | None, str]:
    """One proposed promise."""
    proposal = CommitmentProposal(**{"quote": user_text or reply, "by": USER, "text": "", **fields})
    operations, refused = convert(FactDeltas(commitments=(proposal,)), user_text, reply)
    return (operations[0], "") if operations else (None, refused[0])


def test_promises_open_with_the_moment_they_mean() -> None:
    opened, _ = commitment("", "我明天带图纸来", by="葛丽塔", text="带图纸来", due="明天")
    assert isinstance(opened, OpenCommitment)
    assert (opened.by, opened.to, opened.text, opened.due_at) == (CHARACTER, USER, "带图纸来", NOW.replace(day=2))
    undated, _ = commitment("I'll call you", due="next week")
    assert isinstance(undated, OpenCommitment)
    assert (undated.text, undated.due, undated.due_at) == ("I'll call you", "", None)


def test_promises_that_do_not_hold() -> None:
    assert "cannot promise for 'character'" in commitment("Greta will call", by=CHARACTER)[1]
    assert "was not said" in commitment("hello", quote="I'll call")[1]
    assert "is a question" in commitment("Shall I call?")[1]
    assert "no open promise" in commitment("I called", action="kept", commitment_id="c2")[1]
    assert "no open promise" in commitment("I called", action="kept")[1]
    assert "no action on promises" in commitment("I called", action="sold")[1]
    broken, _ = commitment("", "I forgot the chart", action="broken", commitment_id="C1", by=CHARACTER)
    assert isinstance(broken, CloseCommitment)
    assert broken.status is CommitmentStatus.broken


# --- topic ----------------------------------------------------------------------------------------------------------


def topic(said: str = "storm dinner", *, state: DialogueState = STATE, **fields: Any) -> tuple[Operation | None, str]:
    """One proposed move."""
    operations, refused = convert(TopicUpdate(topic=TopicProposal(**fields)), said, "", state)
    return (operations[0], "") if operations else (None, refused[0])


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"action": "keep"}, TouchTopic(turn=TURN)),
        ({"action": "push", "label": "Storm"}, TouchTopic(turn=TURN)),
        ({"action": "push", "label": "dinner"}, ReturnTopic(topic_id="t1", turn=TURN)),
        ({"action": "push", "label": "new boats"}, PushTopic(label="new boats", turn=TURN)),
        ({"action": "return", "topic_id": "t0"}, ReturnTopic(topic_id="t0", turn=TURN)),
        ({"action": "return", "label": "Boats."}, ReturnTopic(topic_id="t0", turn=TURN)),
        ({"action": "return", "topic_id": "t2"}, TouchTopic(turn=TURN)),
        ({"action": "pop"}, PopTopic(turn=TURN)),
    ],
)
def test_topic_moves(fields: dict[str, str], expected: Operation) -> None:
    assert topic("storm", state=STATE, **fields)[0] == expected


def test_topic_moves_that_do_not_hold() -> None:
    empty = STATE.model_copy(update={"topics": TopicStack()})
    assert "no topic 't9' to return to" in topic(action="return", topic_id="t9")[1]
    assert "no move of the topic" in topic(action="dance")[1]
    assert "expected a topic label" in topic(action="push", label="")[1]
    assert "expected a topic label" in topic(action="push", label="Push")[1]
    assert "expected a topic label" in topic(action="push", label="x" * 99)[1]
    assert "no topic is open" in topic(action="pop", state=empty)[1]
    assert topic(action="keep", label="storm", state=empty)[0] == PushTopic(label="storm", turn=TURN)
    assert "not in the language of the turn" in topic("台风要来了", action="push", label="the typhoon")[1]
    assert topic("台风要来了", action="push", label="台风")[0] == PushTopic(label="台风", turn=TURN)


# --- emotion --------------------------------------------------------------------------------------------------------


def moods(state: DialogueState = STATE, **fields: Any) -> tuple[Emotion, Emotion, list[str]]:
    """The same proposal for both sides: the user's mood, the character's, and what was remarked."""
    proposal = EmotionProposal(**fields)
    update = TopicUpdate(topic=TopicProposal(), user_emotion=proposal, character_emotion=proposal)
    operations, refused = convert(update, "what a day, 真高兴", "", state)
    user, character = (op.emotion for op in operations if isinstance(op, SetEmotion))
    return user, character, refused


def test_the_character_moves_half_way_the_user_is_taken_as_seen() -> None:
    user, character, _ = moods(label="joy", cause="真高兴")
    assert (user.label, user.valence, user.cause, user.turn) == ("joy", 0.8, "真高兴", TURN)
    assert (character.label, character.valence, character.arousal, character.dominance) == ("joy", 0.4, 0.25, 0.2)


def test_a_mood_does_not_turn_over_in_one_turn() -> None:
    sad = STATE.model_copy(update={"emotion": EMOTIONS["sadness"].model_copy(update={"valence": -1.0})})
    labels = []
    for _ in range(3):
        _, character, _ = moods(sad, label="joy")
        labels.append(character.label)
        sad = sad.model_copy(update={"emotion": character})
    assert labels == ["neutral", "joy", "joy"]
    furious = STATE.model_copy(update={"emotion": EMOTIONS["anger"].model_copy(update={"valence": -1.0})})
    assert moods(furious, label="joy", valence=0.1)[1].label == "anger"
    assert moods(furious, label="neutral")[1].label == "anger"


def test_numbers_are_clamped_and_bow_to_the_label() -> None:
    assert moods(label="joy", valence=99, arousal=-99)[0].valence == 0.9
    assert moods(label="joy", valence=-1)[0].valence == 0.8
    assert moods(label="joy", valence=float("nan"))[0].valence == 0.8


def test_unknown_labels_are_neutral_and_remarked() -> None:
    user, _, refused = moods(label="哀愁", valence=1, cause="not said")
    assert (user.label, user.valence, user.cause) == ("neutral", 0.0, "")
    assert refused == [f"emotion of the {who}: '哀愁' is no known label, taken as neutral" for who in (USER, CHARACTER)]
    operations, _ = convert(TopicUpdate(topic=TopicProposal(), user_emotion=EmotionProposal()), "x")
    assert not any(isinstance(op, SetEmotion) for op in operations)


# --- entities -------------------------------------------------------------------------------------------------------


def entity(said: str, reply: str = "", **fields: Any) -> tuple[Operation | None, str]:
    """One proposed entity."""
    operations, refused = convert(TurnAnalysis(facts=(), entities=(EntityProposal(**fields),)), said, reply)
    first = operations[0]
    return (first, "") if isinstance(first, MentionEntity | MergeEntities) else (None, refused[0])


def test_entities_are_what_was_named() -> None:
    assert entity("去了平江路", name="平江路", kind="place")[0] == MentionEntity(
        name="平江路", kind="place", turn=TURN, speaker=USER
    )
    assert entity("", "Meet Tove", name="tove", kind="alien")[0] == MentionEntity(
        name="tove", kind="other", turn=TURN, speaker=CHARACTER
    )
    assert "was not named" in entity("hello", name="Oslo")[1]
    assert "no entity of its own" in entity("it is Greta", name="it")[1]
    assert "no entity of its own" in entity("it is Greta", name="Greta")[1]
    assert "expected a name" in entity("x", name="")[1]
    assert "is a sentence" in entity("I work as a baker now you know", name="I work as a baker now you")[1]
    assert "is a sentence" in entity("我上个月搬到了卑尔根现在当面包师", name="我上个月搬到了卑尔根现在当面包师")[1]


def test_other_names_of_known_entities() -> None:
    assert entity("Sis came", name="Sis", kind="person", same_as="e1")[0] == MentionEntity(
        name="Ann", aliases=("Sis",), kind="person", turn=TURN, speaker=USER
    )
    assert entity("Annie came", name="Annie", kind="person", same_as="Ann")[0] == MergeEntities(
        entity_id="e1", merged_id="e3"
    )
    assert entity("Oslo", name="Oslo", kind="place", same_as="e1")[0] == MentionEntity(
        name="Oslo", kind="place", turn=TURN, speaker=USER
    )


# --- bounds and arbitrary input -------------------------------------------------------------------------------------


def test_a_flood_is_cut_and_remarked() -> None:
    flood = tuple(FactProposal(quote="tea", subject=USER, attribute=f"a{i}", value="tea") for i in range(30))
    operations, refused = convert(FactDeltas(facts=flood), "I like tea")
    assert len(operations) == 12
    assert refused == ["fact refused: 18 more than the 12 taken from one turn"]


WORDS = st.sampled_from(
    ["", "user", "character", "Ann", "Greta", "f1", "f9", "p:age", "t0", "e1", "c1", "joy", "I am a nurse", "我是护士",
     "我", "assert", "revise", "retract", "push", "return", "kept", "open", "tea?", "14"]
) | st.text(max_size=12)  # fmt: skip
NUMBERS = st.floats() | st.integers() | st.none() | WORDS


def proposals(kind: type[Answer]) -> st.SearchStrategy[Any]:
    """Any content for the fields of an answer's part."""
    fields = {
        name: NUMBERS if name in {"valence", "arousal"} else st.booleans() if name == "polarity" else WORDS
        for name in kind.model_fields
    }
    return st.fixed_dictionaries({}, optional=fields).map(kind.model_validate)


ANALYSES = st.builds(
    TurnAnalysis,
    facts=st.lists(proposals(FactProposal), max_size=4).map(tuple),
    commitments=st.lists(proposals(CommitmentProposal), max_size=3).map(tuple),
    topic=proposals(TopicProposal),
    user_emotion=proposals(EmotionProposal),
    character_emotion=proposals(EmotionProposal),
    entities=st.lists(proposals(EntityProposal), max_size=4).map(tuple),
)


@settings(max_examples=200)
@given(ANALYSES, st.text(max_size=40) | st.just("I am a nurse, 我是护士 14 Ann tea?"), st.text(max_size=40))
def test_any_analysis_gives_operations_that_are_valid_and_grounded(
    analysis: TurnAnalysis, user_text: str, reply: str
) -> None:
    for vocabulary in (VOCABULARY, Vocabulary()):
        operations, refused = convert(analysis, user_text, reply, vocabulary=vocabulary)
        assert all(refused)
        for operation in operations:
            assert OPERATION.validate_json(operation.model_dump_json()) == operation
            if isinstance(operation, AssertFact | ReviseFact):
                assert occurs(operation.quote, user_text if operation.speaker == USER else reply)
                assert scripts(operation.value) <= scripts(operation.quote)
        fold(STATE, operations)


@given(st.text(), st.text())
def test_grounding_never_fails_and_finds_every_part_of_a_text(left: str, right: str) -> None:
    asks(left, right)
    carried(left, right)
    scripts(left)
    assert occurs("我有一只猫", f"{left}。我有一只猫，{right}")


# --- field note 21 --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("said", ["I like {x} and {{ y }}", "我喜欢 {x} 和 {% raw %}"])
def test_braces_in_what_was_said_are_kept(said: str) -> None:
    value = said.partition(" ")[2]
    operation, _ = fact(said, value=value)
    assert isinstance(operation, AssertFact)
    assert operation.value == value
