"""Model tier of understanding: facts are believed only as far as the words of the turn carry them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from harness.state import (
    CHARACTER,
    USER,
    fold,
)
from harness.state.operations import (
    AssertFact,
    CloseCommitment,
    MentionEntity,
    OpenCommitment,
    PushTopic,
    RetractFact,
    ReviseFact,
    SetEmotion,
)
from harness.understanding.proposals.answers import (
    EntityProposal,
    FactDeltas,
    FactProposal,
    TurnAnalysis,
)
from harness.understanding.proposals.grounding import occurs
from tests.unit._analysis import NOW, PERSONA, STATE, TURN, VOCABULARY, convert, fact

# --- whole answers --------------------------------------------------------------------------------------------------


def test_a_scripted_answer_becomes_operations_that_apply() -> None:
    answer = {
        "reasoning": "They told their new job and promised to call.",
        "facts": [
            {"quote": "I work as a baker now", "speaker": "user", "subject": "user", "attribute": "profession",
             "value": "baker", "polarity": True, "action": "assert", "fact_id": ""},
            {"quote": "I never eat herring", "speaker": "character", "subject": "Greta", "attribute": "food",
             "value": "herring", "polarity": False, "action": "assert", "fact_id": ""},
        ],
        "commitments": [
            {"quote": "I'll call you tomorrow", "by": "user", "text": "call you", "due": "tomorrow", "action": "open",
             "commitment_id": ""},
            {"quote": "Here is the chart", "by": "character", "text": "", "due": "", "action": "kept",
             "commitment_id": "c1"},
        ],
        "topic": {"action": "push", "label": "new job", "topic_id": ""},
        "user_emotion": {"label": "joy", "valence": 0.6, "arousal": 0.5, "cause": "great"},
        "character_emotion": {"label": "joy", "valence": 1, "arousal": 0.5, "cause": "great"},
        "entities": [{"name": "Bergen", "kind": "place", "same_as": "e2"}],
    }  # fmt: skip
    operations, refused = convert(
        TurnAnalysis.model_validate_json(json.dumps(answer)),
        "I work as a baker now, it's great! I'll call you tomorrow from Bergen.",
        "Good. I never eat herring. Here is the chart.",
    )
    assert refused == []
    assert [type(op) for op in operations] == [
        MentionEntity, AssertFact, AssertFact, OpenCommitment, CloseCommitment, PushTopic, SetEmotion, SetEmotion,
    ]  # fmt: skip
    state, applied, rejected = fold(STATE, operations)
    assert len(applied) == len(operations)
    assert not rejected
    jobs = [(known.value, known.status.value) for known in state.facts if known.attribute == "job"]
    assert jobs == [("nurse", "superseded"), ("baker", "active")]
    herring = state.facts[-1]
    assert (herring.subject, herring.speaker, herring.polarity) == (CHARACTER, CHARACTER, False)
    promise = state.commitments[-1]
    assert (promise.by, promise.to, promise.due, promise.due_at) == (USER, CHARACTER, "tomorrow", NOW.replace(day=2))
    assert state.topics.current is not None
    assert (state.topics.current.label, state.topics.current.entities) == ("new job", ("Bergen",))


def test_a_scripted_answer_in_chinese_becomes_operations_that_apply() -> None:
    answer = """{"reasoning": "换了工作，还许了诺。", "facts": [
        {"quote": "我现在当面包师", "speaker": "user", "subject": "user", "attribute": "职业", "value": "面包师",
         "polarity": true, "action": "revise", "fact_id": "f1"},
        {"quote": "我从不吃鲱鱼", "speaker": "character", "subject": "葛丽塔", "attribute": "food", "value": "鲱鱼",
         "polarity": false, "action": "assert", "fact_id": ""}],
        "commitments": [{"quote": "我明天给你打电话", "by": "user", "text": "给你打电话", "due": "明天", "action": "open"}],
        "topic": {"action": "push", "label": "新工作"}, "user_emotion": {"label": "joy", "cause": "高兴"},
        "character_emotion": null, "entities": [{"name": "卑尔根", "kind": "place", "same_as": "Bergen"}]}"""
    operations, refused = convert(
        TurnAnalysis.model_validate_json(answer),
        "我现在当面包师，真高兴！我明天给你打电话，从卑尔根。",
        "好。我从不吃鲱鱼。",
    )
    assert refused == []
    state, applied, _ = fold(STATE, operations)
    assert len(applied) == len(operations) == 6
    assert [known.value for known in state.active_facts(USER)] == ["面包师"]
    assert state.facts[-1].value == "鲱鱼"
    assert state.entities[1].aliases == ("卑尔根",)
    assert state.commitments[-1].due_at == NOW.replace(day=2)


# --- facts: evidence ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("user_text", "quote", "value"),
    [
        ("I love   Café au lait.", "i love café AU LAIT", "Café au lait"),
        ("“I’m from Oslo”, she said", "I'm from Oslo", "Oslo"),
        ("我养了 一只猫。", "我养了一只猫", "猫"),
        ("我住在１４号", "我住在14号", "14号"),
        ("ＡＢＣ street is home", "ABC street", "ABC street"),
        ("茶", "茶", "茶"),
    ],
)
def test_a_quote_is_found_whatever_its_case_width_and_spaces(user_text: str, quote: str, value: str) -> None:
    operation, _ = fact(user_text, quote=quote, value=value)
    assert isinstance(operation, AssertFact)
    assert (operation.value, operation.speaker, operation.turn) == (value, USER, TURN)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("I concatenate strings", "cat"),  # no whole word
        ("Nice weather", "I have a cat"),
        ("今天天气不错", "我有一只猫"),
        ("anything", ""),
        ("anything", " … "),
    ],
)
def test_what_was_not_said_in_this_turn_is_no_fact(text: str, quote: str) -> None:
    operation, reason = fact(text, quote=quote, value="cat")
    assert operation is None
    assert "fact refused: " in reason
    assert not occurs(quote, text)


@pytest.mark.parametrize(
    ("user_text", "reply", "recalled"),
    [("Any news?", "Not much.", "I have two sisters"), ("有什么新鲜事？", "没什么。", "我有两个姐姐")],
)
def test_recalled_memory_and_the_system_prompt_yield_nothing(user_text: str, reply: str, recalled: str) -> None:
    # Field note 5: what the model saw in its prompt must not come back as something that was said.
    for quote in (recalled, PERSONA.facts[0].statement):
        operations, refused = convert(
            FactDeltas(facts=(FactProposal(quote=quote, subject=USER, attribute="family", value="sisters"),)),
            user_text,
            reply,
        )
        assert operations == []
        assert "was not said in this turn" in refused[0]


def test_a_character_that_repeats_a_memory_does_not_make_it_the_users_word() -> None:
    for reply, quote in (("You have two sisters!", "You have two sisters"), ("你有两个姐姐！", "你有两个姐姐")):
        operation, reason = fact("", reply, quote=quote, subject=USER, value=quote)
        assert operation is None
        assert "the character does not decide facts about the user" in reason


def test_the_speaker_is_who_said_the_words_not_who_the_model_says() -> None:
    operation, _ = fact("", "I painted my boat green", subject="Greta", speaker="user", value="green", attribute="boat")
    assert isinstance(operation, AssertFact)
    assert (operation.subject, operation.speaker) == (CHARACTER, CHARACTER)
    both, _ = fact("I like tea", "I like tea", subject=CHARACTER, speaker=CHARACTER, value="tea")
    assert isinstance(both, AssertFact)
    assert both.speaker == CHARACTER


@pytest.mark.parametrize("said", ["You have a cat, Greta.", "葛丽塔，你有一只猫。"])
@pytest.mark.parametrize("subject", ["character", "Greta Lund", "葛丽塔", "GRETA"])
def test_the_user_does_not_decide_facts_about_the_character(said: str, subject: str) -> None:
    operation, reason = fact(said, subject=subject, value=said)
    assert operation is None
    assert "the user does not decide facts about the character" in reason


@pytest.mark.parametrize(
    ("said", "quote"),
    [
        ("Do you know Tom Hanks?", "Do you know Tom Hanks"),
        ("Do you know Tom Hanks?", "Tom Hanks"),
        ("你认识汤姆吗？", "汤姆"),
        ("你认识汤姆吗？", "你认识汤姆吗？"),
    ],
)
def test_a_question_states_nothing(said: str, quote: str) -> None:
    # Field note 18: a person asked about becomes the user.
    operation, reason = fact(said, quote=quote, attribute="name", value="Tom Hanks")
    assert operation is None
    assert "is a question" in reason


@pytest.mark.parametrize(
    ("said", "quote", "value"),
    [("I am a baker, did you know?", "I am a baker", "baker"), ("我是面包师，你知道吗？", "我是面包师", "面包师")],
)
def test_a_statement_before_a_question_still_counts(said: str, quote: str, value: str) -> None:
    operation, _ = fact(said, quote=quote, attribute="job", value=value)
    assert isinstance(operation, AssertFact)
    assert operation.single


@pytest.mark.parametrize(("said", "value"), [("My friend hates coriander", "coriander"), ("我朋友不吃香菜", "香菜")])
def test_a_friends_dislike_is_not_the_users(said: str, value: str) -> None:
    # Field note 18: subject, speaker and mentioned person are three different things.
    operation, reason = fact(said, value=value, polarity=False)
    assert operation is None
    assert "not about the user" in reason
    word = "friend" if said.isascii() else "朋友"
    theirs, _ = fact(said, subject=word, value=value, polarity=False)
    assert isinstance(theirs, AssertFact)
    assert (theirs.subject, theirs.speaker) == (word, USER)


@pytest.mark.parametrize(
    ("said", "name", "value"), [("Tove hates coriander", "Tove", "coriander"), ("安安不吃香菜", "安安", "香菜")]
)
def test_words_that_begin_with_a_person_are_about_that_person(said: str, name: str, value: str) -> None:
    operations, refused = convert(
        TurnAnalysis(
            facts=(
                FactProposal(quote=said, subject=USER, attribute="food", value=value, polarity=False),
                FactProposal(quote=said, subject=name, attribute="food", value=value, polarity=False),
            ),
            entities=(EntityProposal(name=name, kind="person"),),
        ),
        said,
    )
    assert [op.subject for op in operations if isinstance(op, AssertFact)] == [name]
    assert f"about {name!r}" in refused[0]


def test_third_persons_must_be_known_or_named() -> None:
    said = "She hates coriander and rain"
    assert fact(said, subject="Bruno", value="coriander")[1].endswith("nobody named 'Bruno' in this turn or before")
    assert "names nobody" in fact(said, subject="she", value="coriander")[1]
    assert "names nobody" in fact(said, subject="", value="coriander")[1]
    known, _ = fact(said, subject="my sister", value="coriander")
    assert isinstance(known, AssertFact)
    assert known.subject == "Ann"


# --- facts: values --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "value", "kept"),
    [
        ("我喜欢猫", "cats", "我喜欢猫"),  # Field note 16: Chinese stored as English
        ("I like cats", "猫", "I like cats"),
        ("I have a cat", "a dog called Rex", "I have a cat"),
        ("I have a cat", "a cat called Rex", "I have a cat"),
        ("我有只猫", "一只叫雷克斯的狗", "我有只猫"),
        ("我有只猫，叫米索", "一只猫叫米索", "一只猫叫米索"),
        ("I live at number 14", "number 41", "I live at number 14"),
        ("I like cats", "cat", "cat"),
        ("我三十七岁", "37", "我三十七岁"),
        ("I am 37", "37", "37"),
        ("机器学习算法我都会", "机器学习", "机器学习"),
        ("我用 iPhone 拍照", "iPhone", "iPhone"),
    ],
)
def test_a_value_is_in_the_words_it_was_said_in(said: str, value: str, kept: str) -> None:
    operation, _ = fact(said, value=value)
    assert isinstance(operation, AssertFact)
    assert operation.value == kept


def test_words_that_deny_nothing_give_no_denial() -> None:
    vocabulary = replace(VOCABULARY, may_deny=lambda quote: "never" in quote or "不" in quote)
    for said, value, allowed in (
        ("I moved to Bergen", "Bergen", False),
        ("I never eat fish", "fish", True),
        ("我搬到卑尔根了", "卑尔根", False),
        ("我不吃鱼", "鱼", True),
    ):
        proposal = FactProposal(quote=said, subject=USER, attribute="a", value=value, polarity=False)
        operations, refused = convert(FactDeltas(facts=(proposal,)), said, vocabulary=vocabulary)
        assert bool(operations) is allowed
        assert allowed or "denies anything" in refused[0]


def test_a_value_that_no_short_quote_carries_is_refused() -> None:
    said = "I like " + "very " * 40 + "old cats"
    assert "do not carry the value" in fact(said, value="dogs")[1]
    assert "has 500 characters" in fact("I like tea", value="x" * 500)[1]
    assert "its value is empty" in fact("I like tea", value=" ")[1]
    assert "expected an attribute" in fact("I like tea", value="tea", attribute="")[1]


def test_the_persona_is_neither_repeated_nor_contradicted() -> None:
    def said(reply: str, **fields: Any) -> str:
        return fact("", reply, subject=CHARACTER, **fields)[1]

    assert "says so already (p:profession)" in said("I am a ferry captain", attribute="job", value="ferry captain")
    assert "says otherwise (p:profession)" in said("I am a nurse", attribute="profession", value="nurse")
    assert "says otherwise (p:skill)" in said("I love swimming", attribute="skill", value="swimming")
    assert said("I have a parrot too", attribute="pet", value="a parrot") == ""


@pytest.mark.parametrize(
    ("fact_id", "reason"),
    [("f9", "no fact in force"), ("", "no fact in force"), ("f2", "no fact in force"), ("p:age", "belongs to the persona"),
     ("f3", "the user does not decide about f3")],
)  # fmt: skip
@pytest.mark.parametrize("action", ["revise", "retract"])
def test_only_known_facts_in_force_change(action: str, fact_id: str, reason: str) -> None:
    operation, refused = fact("I am a baker now", action=action, fact_id=fact_id, value="baker")
    assert operation is None
    assert reason in refused


def test_revise_and_retract() -> None:
    revised, _ = fact("No, I am a baker", action="revise", fact_id="f1", value="baker")
    assert isinstance(revised, ReviseFact)
    assert (revised.fact_id, revised.value, revised.speaker) == ("f1", "baker", USER)
    taken, _ = fact("我不当护士了", action="retract", fact_id="f1", value="")
    assert isinstance(taken, RetractFact)
    assert (taken.fact_id, taken.reason) == ("f1", "我不当护士了")
    others, _ = fact("", "Ann hates rain", action="revise", fact_id="f4", value="hates rain")
    assert isinstance(others, ReviseFact)
    assert "no action on facts" in fact("I am a baker", action="delete", value="baker")[1]
