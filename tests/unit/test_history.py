"""A reply against what its speaker said before: pairs in both languages, evidence, bounds."""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from harness.errors import LanguageError
from harness.language import load_packs
from harness.state import (
    CHARACTER,
    USER,
    Commitment,
    CommitmentStatus,
    DialogueState,
    Fact,
    FactStatus,
    Finding,
    Message,
    Persona,
    PersonaFact,
    PersonaRef,
)
from harness.understanding.checks.consistency import check_reply
from harness.understanding.checks.history import SEVERITY, check_history
from harness.understanding.checks.questions import read_question, verdict
from harness.yaml_strict import load_yaml

PACKS = load_packs()
FOLDER = Path(__file__).parent.parent / "data" / "history"
CODES = ("en", "zh")
NOBODY = {
    "en": Persona(name="Ada Vale", language="en"),
    "zh": Persona(name="林一", language="zh"),
}


def pairs(code: str, group: str) -> list[Any]:
    rows = load_yaml(FOLDER / f"{code}.yaml", source=code, error=LanguageError)[group]
    return [pytest.param(code, *row, id=f"{code}-{group}-{number}") for number, row in enumerate(rows)]


def state_of(code: str, *turns: tuple[str, str], **more: Any) -> DialogueState:
    """Exchanges (user, character), from turn 1."""
    messages = [
        Message(speaker=speaker, text=text, turn=number)
        for number, exchange in enumerate(turns, 1)
        for speaker, text in zip((USER, CHARACTER), exchange, strict=True)
    ]
    ref = PersonaRef(id="ada", name="Ada Vale")
    return DialogueState(persona=ref, language=code, messages=tuple(messages), turn_count=len(turns), **more)


def check(code: str, reply: str, user_text: str, state: DialogueState, persona: Persona | None = None) -> list[Finding]:
    found = check_reply(
        reply,
        user_text=user_text,
        state=state,
        persona=persona or NOBODY[code],
        pack=PACKS.get(code),
        previous_replies=(),
    )
    return [finding for finding in found if finding.kind in {"contradiction", "not_recalled"}]


@pytest.mark.parametrize(
    ("code", "asked", "said", "question", "reply"),
    [row for code in CODES for group in ("contradicting", "broader_contradicting") for row in pairs(code, group)],
)
def test_a_contradiction_is_found_with_its_turn(code: str, asked: str, said: str, question: str, reply: str) -> None:
    found = check(code, reply, question, state_of(code, (asked, said)))
    (finding,) = [finding for finding in found if finding.turn == 1][:1]
    assert finding.evidence in reply
    assert finding.against in (said, asked) or finding.against in said


@pytest.mark.parametrize(
    ("code", "asked", "said", "question", "reply"),
    [row for code in CODES for group in ("consistent", "broader_consistent") for row in pairs(code, group)],
)
def test_what_fits_raises_nothing(code: str, asked: str, said: str, question: str, reply: str) -> None:
    found = check(code, reply, question, state_of(code, (asked, said)))
    assert found == []


@pytest.mark.parametrize("code", CODES)
def test_most_contradictions_ask_for_a_revision_and_no_consistent_pair_does(code: str) -> None:
    data = load_yaml(FOLDER / f"{code}.yaml", source=code, error=LanguageError)

    def sure(row: list[str]) -> bool:
        return any(f.severity >= SEVERITY for f in check(code, row[3], row[2], state_of(code, (row[0], row[1]))))

    assert sum(map(sure, data["contradicting"])) >= 22
    assert not any(map(sure, data["consistent"]))


@pytest.mark.parametrize("code", CODES)
def test_pairs_no_rule_was_written_for(code: str) -> None:
    data = load_yaml(FOLDER / f"{code}.yaml", source=code, error=LanguageError)
    found = [
        [check(code, row[3], row[2], state_of(code, (row[0], row[1]))) for row in data[group]]
        for group in ("later_contradicting", "later_consistent")
    ]
    assert sum(map(bool, found[0])) >= 9, "of 12"
    assert sum(map(bool, found[1])) <= 1
    assert all(finding.severity < 0.5 for findings in found[1] for finding in findings)


@pytest.mark.parametrize(
    ("code", "said", "question", "reply"),
    [
        ("en", "I'm a healer, always have been.", "Can you heal him?", "I'm not a healer."),
        ("zh", "我是个治疗师，一直都是。", "你能治好他吗？", "我不是治疗师。"),
    ],
)
def test_a_healer_is_a_healer_many_turns_later(code: str, said: str, question: str, reply: str) -> None:
    filler = {"en": ("Look at that sky.", "Rain before noon."), "zh": ("你看这天。", "中午前要下雨。")}[code]
    state = state_of(code, ("?", said), *[filler] * 120)
    (finding,) = check(code, reply, question, state)
    assert finding.turn == 1
    assert finding.severity >= 0.5
    assert (finding.evidence, finding.against) == (reply, said)


@pytest.mark.parametrize(
    ("code", "said", "reply"),
    [
        ("en", "I smoke a pack a day.", "I don't smoke any more."),
        ("en", "I like jazz.", "Sorry, I misspoke. I don't like jazz."),
        ("zh", "我每天抽一包烟。", "我已经不抽烟了，戒了。"),
        ("zh", "我喜欢爵士乐。", "说错了，我不喜欢爵士乐。"),
    ],
)
def test_a_change_or_a_slip_that_is_owned_up_to_asks_for_no_revision(code: str, said: str, reply: str) -> None:
    assert all(f.severity < 0.5 for f in check(code, reply, "?", state_of(code, ("?", said))))


@pytest.mark.parametrize(
    ("code", "attribute", "value", "slip", "reply"),
    [
        ("en", "pet", "a cat called Miso", "I have no pets.", "I have a cat called Miso."),
        ("zh", "宠物", "一只叫豆包的猫", "我没有养猫。", "我养了一只叫豆包的猫。"),
    ],
)
def test_who_returns_to_the_persona_does_not_contradict(
    code: str, attribute: str, value: str, slip: str, reply: str
) -> None:
    persona = NOBODY[code].model_copy(update={"facts": (PersonaFact(attribute=attribute, value=value),)})
    assert check(code, reply, "?", state_of(code, ("?", slip)), persona) == []
    assert check(code, reply, "?", state_of(code, ("?", slip))) != []


@pytest.mark.parametrize(
    ("code", "said", "reply"),
    [("en", "I have two cats.", "I have no cats."), ("zh", "我养了两只猫。", "我没有养猫。")],
)
def test_what_the_user_took_out_of_the_facts_counts_no_more(code: str, said: str, reply: str) -> None:
    fact = Fact(
        id="f1", subject=CHARACTER, attribute="pet", value="cat", speaker=CHARACTER, turn=1, quote=said, single=False
    )
    gone = fact.model_copy(update={"status": FactStatus.retracted})
    assert check(code, reply, "?", state_of(code, ("?", said)))
    assert check(code, reply, "?", state_of(code, ("?", said), facts=(gone,))) == []


@pytest.mark.parametrize(
    ("code", "question", "statement"),
    [
        ("en", "Do you have any kids?", "I have any kids"),
        ("en", "Are you married?", "I am married"),
        ("en", "Have you ever been to Rome?", "I have been to Rome"),
        ("en", "I thought you had a dog?", "I had a dog"),
        ("zh", "你有没有孩子？", "我有孩子"),
        ("zh", "你是不是结婚了？", "我是结婚了"),
        ("zh", "你去过罗马吗？", "我去过罗马"),
        ("zh", "我还以为你有狗呢。", "我有狗"),
    ],
)
def test_a_question_is_turned_into_what_yes_would_say(code: str, question: str, statement: str) -> None:
    read = read_question(question, PACKS.get(code))
    assert read is not None
    assert read.statement == statement


@pytest.mark.parametrize(
    ("code", "question", "reply", "says"),
    [
        ("en", "Do you like it?", "Oh, yes.", True),
        ("en", "Do you like it?", "Not really.", False),
        ("en", "Do you like it?", "Why do you ask?", None),
        ("en", "You said you have no pets?", "No, I never said that.", None),
        ("zh", "你喜欢吗？", "喜欢啊。", True),
        ("zh", "你去过吗？", "没去过。", False),
        ("zh", "你喜欢吗？", "你猜。", None),
        ("zh", "你说过你没有宠物？", "没有啊，我没说过。", None),
    ],
)
def test_yes_no_and_neither(code: str, question: str, reply: str, says: bool | None) -> None:
    assert verdict(reply, read_question(question, PACKS.get(code)), PACKS.get(code)) is says


def promise(code: str, status: CommitmentStatus = CommitmentStatus.open) -> Commitment:
    text, quote = {
        "en": ("call your sister tomorrow", "I promise I'll call your sister tomorrow."),
        "zh": ("明天给你姐姐打电话", "我答应你，明天给你姐姐打电话。"),
    }[code]
    return Commitment(id="c1", by=CHARACTER, to=USER, text=text, quote=quote, turn=4, status=status)


@pytest.mark.parametrize(
    ("code", "question", "reply", "denied"),
    [
        ("en", "Did you call my sister?", "I never promised that.", True),
        ("en", "And?", "I never promised to call your sister.", True),
        ("en", "Did you call my sister?", "When did I promise that?", True),
        ("en", "Did you call my sister?", "I promised, and I will.", False),
        ("en", "Did you paint the fence?", "I never promised that.", False),
        ("en", "And?", "I never promised to paint the fence.", False),
        ("zh", "你给我姐姐打电话了吗？", "我可没答应过。", True),
        ("zh", "怎么样了？", "我没答应给你姐姐打电话。", True),
        ("zh", "你给我姐姐打电话了吗？", "我什么时候答应过？", True),
        ("zh", "你给我姐姐打电话了吗？", "我答应了就会打。", False),
        ("zh", "你刷篱笆了吗？", "我可没答应过。", False),
        ("zh", "怎么样了？", "我没答应刷篱笆。", False),
    ],
)
def test_a_promise_is_not_denied(code: str, question: str, reply: str, denied: bool) -> None:
    found = check(code, reply, question, state_of(code, commitments=(promise(code),)))
    assert [(f.turn, f.against) for f in found] == ([(4, promise(code).quote)] if denied else [])


@pytest.mark.parametrize(("code", "reply"), [("en", "I never promised that."), ("zh", "我可没答应过。")])
def test_a_promise_that_was_taken_back_may_be_denied(code: str, reply: str) -> None:
    question = {"en": "Will you call my sister?", "zh": "你给我姐姐打电话吗？"}[code]
    state = state_of(code, commitments=(promise(code, CommitmentStatus.withdrawn),))
    assert check(code, reply, question, state) == []


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("en", "My grandmother used to say that the sea keeps what it is given, and I believe her."),
        ("zh", "我奶奶常说，大海收下的东西从来不会还给你，我到现在都信她这句话。"),
    ],
)
def test_a_long_line_does_not_come_again_however_old_it_is(code: str, line: str) -> None:
    other = {"en": "Line number {} is about the weather of the day.", "zh": "第{}句说的是那天的天气怎么样。"}[code]
    previous = (line, *(other.format(number) for number in range(100)))
    found = check_reply(
        line, user_text="?", state=state_of(code), persona=NOBODY[code], pack=PACKS.get(code), previous_replies=previous
    )
    assert "repetition" in [finding.kind for finding in found]
    short = {"en": "Good night then, friend.", "zh": "那就晚安啦，朋友。"}[code]
    again = check_reply(
        short,
        user_text="?",
        state=state_of(code),
        persona=NOBODY[code],
        pack=PACKS.get(code),
        previous_replies=(short, *previous),
    )
    assert "repetition" not in [finding.kind for finding in again]


@pytest.mark.parametrize("code", CODES)
def test_a_history_of_five_hundred_messages_costs_little(code: str) -> None:
    said = {"en": "On day {} I mended {} nets and I drank tea.", "zh": "第{}天我补了{}张网，喝了茶。"}[code]
    turns = [({"en": "And today?", "zh": "今天呢？"}[code], said.format(n, n)) for n in range(250)]
    state, pack = state_of(code, *turns), PACKS.get(code)
    reply = {"en": "I like it here by the sea.", "zh": "我喜欢海边这里。"}[code]
    check_history(reply, user_text="?", state=state, pack=pack)
    best = min(
        _seconds(lambda n=n: check_history(f"{reply} {n}", user_text="?", state=state, pack=pack)) for n in range(5)
    )
    assert best < 0.05


def _seconds(call: Any) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


@settings(max_examples=60, deadline=None)
@given(
    texts=st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=60), min_size=3, max_size=7),
    code=st.sampled_from(CODES),
)
def test_any_text_is_borne(texts: list[str], code: str) -> None:
    state = state_of(code, *pairwise(texts[:-2]))
    for finding in check_history(texts[-1], user_text=texts[-2], state=state, pack=PACKS.get(code)):
        assert 0 < finding.severity <= 1


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("piece", ["a", "I ", "no ", "have not ", "我", "不", "没有", "?", "my ", ", ", "1 "])
def test_long_text_takes_bounded_time(code: str, piece: str) -> None:
    text = (piece * 8000)[:8000]
    state = state_of(code, (text, text))
    assert _seconds(lambda: check_history(text, user_text=text, state=state, pack=PACKS.get(code))) < 2
