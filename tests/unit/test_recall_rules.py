"""Questions for what the user told: found without false alarms, answered, and checked."""

from __future__ import annotations

import pytest

from harness.language import LanguagePack, load_packs
from harness.state import DialogueState, Fact, Notice, Persona, PersonaRef
from harness.understanding.checks.holding import begun_answers, hold_line, takes_up
from harness.understanding.checks.recall import check_recall, gives, recall_notices

MIA = Persona(name="Mia")


def pack(code: str) -> LanguagePack:
    return load_packs().get(code)


def told(*facts: tuple[str, str]) -> DialogueState:
    return DialogueState(
        persona=PersonaRef(id="m", name="M"),
        facts=tuple(
            Fact(id=f"f{n}", subject="user", attribute=attribute, value=value)
            for n, (attribute, value) in enumerate(facts, 1)
        ),
    )


EN = told(
    ("name", "Tom"), ("pet", "dog called Bruno"), ("job", "plumber"), ("locker number", "4172"), ("home", "Leeds")
)
ZH = told(("name", "小张"), ("pet", "猫叫煤球"), ("job", "小学老师"), ("车位号", "306"), ("home", "杭州"))


@pytest.mark.parametrize(
    ("code", "question", "expected"),
    [
        ("en", "What's my dog called?", ["f2"]),
        ("en", "And what do I do for a living?", ["f3"]),
        ("en", "What's my locker number again?", ["f4"]),
        ("en", "Do you remember my name?", ["f1"]),
        ("en", "By the way, where do I live?", ["f5"]),
        ("en", "What's your job?", []),
        ("en", "Can I ask you something?", []),
        ("en", "My dog is ill, what should I do?", []),
        ("en", "My dog is called Bruno.", []),
        ("en", "Do you like my hat?", []),
        ("zh", "我的猫叫什么来着？", ["f2"]),
        ("zh", "我是做什么工作的？", ["f3"]),
        ("zh", "我的车位号是多少？", ["f4"]),
        ("zh", "你还记得我叫什么吗？", ["f1"]),
        ("zh", "对了，我住在哪儿？", ["f5"]),
        ("zh", "我的猫叫什么，我做什么工作，我的车位号是多少？", ["f2", "f3", "f4"]),
        ("en", "What's my dog called, what do I do, and what's my locker number?", ["f2", "f3", "f4"]),
        ("zh", "你养猫吗？", []),
        ("zh", "我能问你个问题吗？", []),
        ("zh", "我的猫病了，怎么办？", []),
        ("zh", "我的猫叫煤球。", []),
    ],
)
def test_questions_for_own_facts(code: str, question: str, expected: list[str]) -> None:
    found = recall_notices(question, state=ZH if code == "zh" else EN, pack=pack(code))
    assert [notice.fact_id for notice in found] == expected


@pytest.mark.parametrize(
    ("code", "value", "reply", "holds"),
    [
        ("en", "4172", "It's 4172, I think.", True),
        ("en", "4172", "It's 4127.", False),
        ("en", "dog called Bruno", "Bruno, of course!", True),
        ("en", "dog called Bruno", "A dog, right?", False),
        ("en", "plumber", "You're a plumber.", True),
        ("en", "plumber", "Sorry, I don't know.", False),
        ("zh", "306", "三百零六，对吧？", True),
        ("zh", "306", "是三零五。", False),
        ("zh", "猫叫煤球", "叫煤球呀。", True),
        ("zh", "小学老师", "你不是教小学的老师吗", True),
        ("zh", "小学老师", "我不知道。", False),
    ],
)
def test_a_reply_gives_a_value(code: str, value: str, reply: str, holds: bool) -> None:
    assert gives(reply, value, pack(code)) is holds


@pytest.mark.parametrize(("code", "question"), [("en", "What's my locker number?"), ("zh", "我的车位号是多少？")])
def test_every_line_of_the_pack_gives_the_answer(code: str, question: str) -> None:
    notices = recall_notices(question, state=ZH if code == "zh" else EN, pack=pack(code))
    for seed in range(8):
        line = hold_line(notices[0], persona=MIA, pack=pack(code), seed=seed)
        begun = begun_answers(notices[0], persona=MIA, pack=pack(code), seed=seed)[0]
        assert check_recall(line, notices, pack(code)) == ()
        assert check_recall(begun, notices, pack(code)) == ()
    assert check_recall("I have no idea.", notices, pack(code))[0].kind == "not_recalled"


def test_a_question_that_many_facts_answer_asks_for_none() -> None:
    state = told(*(("hobby", f"thing number {n}") for n in range(6)))
    assert recall_notices("What are my hobbies?", state=state, pack=pack("en")) == ()


@pytest.mark.parametrize(
    ("code", "claim", "truth", "ending", "spoils"),
    [
        ("en", "I have a twin brother", "I'm an only child", " like my twin brother.", True),
        ("en", "I am a nurse", "I fix bikes for a living", " not a nurse.", False),
        ("en", "I am a nurse", "I fix bikes for a living", " and I like it.", False),
        ("zh", "我是护士", "我是修书的", "不是护士。", False),
        ("zh", "我是护士", "我是修书的", "护士那会儿很累。", True),
        ("zh", "我是护士", "我是修书的", "干了十年了。", False),
    ],
)
def test_an_ending_that_takes_up_the_false_claim_spoils_a_begun_answer(
    code: str, claim: str, truth: str, ending: str, spoils: bool
) -> None:
    notice = Notice(kind="contradiction", claim=claim, truth=truth)
    assert takes_up(ending, notice, pack(code)) is spoils
