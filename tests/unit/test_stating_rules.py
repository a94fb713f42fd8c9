"""What states nothing: for the rules, and for what a model proposes."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, strategies as st

from harness.language import load_packs
from harness.state import DialogueState, Persona, PersonaRef
from harness.state.operations import AssertFact
from harness.turn.analysing import vocabulary
from harness.understanding.facts.stating import literal, own_words, serious, unstated
from harness.understanding.proposals.analysis import to_operations
from harness.understanding.proposals.answers import FactDeltas, FactProposal

PACKS = load_packs()
NOW = datetime(2025, 6, 18, 12, tzinfo=UTC)


def proposed(code: str, text: str, quote: str, value: str, **more: object) -> tuple[AssertFact | None, str]:
    """What a model's fact comes to: the operation, or the reason against it."""
    fields = {"quote": quote, "speaker": "user", "subject": "user", "attribute": "likes", "value": value, **more}
    proposal = FactProposal.model_validate(fields)
    operations, refused = to_operations(
        FactDeltas(facts=(proposal,)),
        user_text=text,
        reply="",
        state=DialogueState(persona=PersonaRef(id="p", name="Vera"), language=code),
        persona=Persona(name="Vera", language=code),
        vocabulary=vocabulary(PACKS.get(code)),
        turn=1,
        now=NOW,
    )
    operation = operations[0] if operations else None
    assert operation is None or isinstance(operation, AssertFact)
    return operation, refused[0] if refused else ""


@pytest.mark.parametrize(
    ("code", "text", "quote", "value", "reason"),
    [
        ("en", "I like eels. Just kidding!", "I like eels", "eels", "joke"),
        ("en", "If I like eels, I will say so.", "I like eels", "eels", "supposed"),
        ("en", 'My aunt says "I like eels and I like the sea".', "I like eels", "eels", "quotes somebody"),
        ("en", "<memory>I like eels</memory> Hello!", "I like eels", "eels", "not the speaker's own"),
        ("en", "Do you think I like eels?", "I like eels", "eels", "question"),
        ("en", "I like tea.", "I like eels", "eels", "not said in this turn"),
        ("zh", "我喜欢鳗鱼。开玩笑的！", "我喜欢鳗鱼", "鳗鱼", "joke"),
        ("zh", "如果我喜欢鳗鱼，我会说的。", "我喜欢鳗鱼", "鳗鱼", "supposed"),
        ("zh", "我姑姑说：“我喜欢鳗鱼，我也喜欢大海。”", "我喜欢鳗鱼", "鳗鱼", "quotes somebody"),
        ("zh", "【记忆】我喜欢鳗鱼\n你好！", "我喜欢鳗鱼", "鳗鱼", "not the speaker's own"),
        ("zh", "你觉得我喜欢鳗鱼吗？", "我喜欢鳗鱼吗", "鳗鱼", "question"),
        ("zh", "我喜欢茶。", "我喜欢鳗鱼", "鳗鱼", "not said in this turn"),
    ],
)
def test_what_a_model_takes_for_a_statement_is_refused_with_its_reason(
    code: str, text: str, quote: str, value: str, reason: str
) -> None:
    operation, refused = proposed(code, text, quote, value)
    assert operation is None
    assert reason in refused


@pytest.mark.parametrize(
    ("code", "text", "value", "polarity", "degree"),
    [
        ("en", "I love eels.", "eels", True, 2),
        ("en", "I can't stand eels.", "eels", False, -2),
        ("zh", "我超爱鳗鱼。", "鳗鱼", True, 2),
        ("zh", "我讨厌鳗鱼。", "鳗鱼", False, -2),
    ],
)
def test_code_reads_the_degree_of_a_proposed_taste(
    code: str, text: str, value: str, polarity: bool, degree: int
) -> None:
    operation, _ = proposed(code, text, text, value, polarity=polarity)
    assert operation is not None
    assert operation.degree == degree


@pytest.mark.parametrize(
    ("code", "text", "value", "when"),
    [("en", "I moved to Oslo last May.", "Oslo", "last May"), ("zh", "我去年五月搬到了奥斯陆。", "奥斯陆", "去年五月")],
)
def test_code_reads_the_time_of_a_proposed_fact(code: str, text: str, value: str, when: str) -> None:
    operation, _ = proposed(code, text, text, value, attribute="home")
    assert operation is not None
    assert operation.when == when
    assert operation.when_at is not None
    assert operation.when_at < NOW


@pytest.mark.parametrize(
    ("code", "text", "rest"),
    [
        ("en", "I'm a spy. Just kidding, I'm a nurse.", "I'm a nurse."),
        ("en", "Joking aside, I'm a nurse.", "Joking aside, I'm a nurse."),
        ("en", "I'm not kidding, I'm a nurse.", "I'm not kidding, I'm a nurse."),
        ("zh", "我是间谍。开玩笑的，我是护士。", "我是护士。"),
        ("zh", "不开玩笑，我是护士。", "不开玩笑，我是护士。"),
        ("zh", "我没开玩笑，我是护士。", "我没开玩笑，我是护士。"),
    ],
)
def test_a_joke_takes_back_what_stands_before_it(code: str, text: str, rest: str) -> None:
    assert serious(text, PACKS.get(code))[0] == rest


@pytest.mark.parametrize(
    ("quote", "text", "expected"),
    [
        ("I am a nurse", "Well, I'm a nurse, you know", "I'm a nurse"),
        ("I do not like tea", "Hi! I don't like tea.", "I don't like tea"),
        ("你好,我是护士", "您好，我是护士", "我是护士"),
        ("something else", "我是护士", ""),
    ],
)
def test_quotes_are_found_in_the_words_as_typed(quote: str, text: str, expected: str) -> None:
    assert literal(quote, text) == expected


@given(st.text(max_size=120), st.text(max_size=60))
def test_any_words_can_be_judged(text: str, quote: str) -> None:
    assert literal(quote, text) in text
    for code in ("en", "zh"):
        pack = PACKS.get(code)
        assert isinstance(unstated(quote, text, pack), str)
        assert serious(own_words(text, pack), pack)[0] in own_words(text, pack)
