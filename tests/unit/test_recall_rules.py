"""Questions for what the user told: found without false alarms, answered, and checked."""

from __future__ import annotations

import pytest

from harness.language import LanguagePack, load_packs
from harness.state import DialogueState, Fact, Notice, Persona, PersonaRef
from harness.understanding.checks.holding import begun_answers, hold_line, takes_up
from harness.understanding.checks.recall import check_recall, gives, recall_notices, told

MIA = Persona(name="Mia")


def pack(code: str) -> LanguagePack:
    return load_packs().get(code)


def state_of(*facts: tuple[str, str]) -> DialogueState:
    return DialogueState(
        persona=PersonaRef(id="m", name="M"),
        facts=tuple(
            Fact(id=f"f{n}", subject="user", attribute=attribute, value=value)
            for n, (attribute, value) in enumerate(facts, 1)
        ),
    )


EN = state_of(
    ("name", "Tom"), ("pet", "dog called Bruno"), ("job", "plumber"), ("locker number", "4172"), ("home", "Leeds")
)
ZH = state_of(("name", "小张"), ("pet", "猫叫煤球"), ("job", "小学老师"), ("车位号", "306"), ("home", "杭州"))


@pytest.mark.parametrize(
    ("code", "attribute", "value", "polarity", "sentence"),
    [
        ("en", "pet", "dog called Otis", True, "You have a dog called Otis"),
        ("en", "pet", "two cats", True, "You have two cats"),
        ("en", "pet", "cats", False, "You have no cats"),
        ("en", "sibling", "older sister called Iris", True, "You have an older sister called Iris"),
        ("en", "partner", "husband called James", True, "You have a husband called James"),
        ("en", "marital status", "married", True, "You're married"),
        ("en", "job", "architect", True, "You work as an architect"),
        ("en", "job", "teach maths at a school", True, "You teach maths at a school"),
        ("en", "home", "flat in Leeds", True, "You live in a flat in Leeds"),
        ("en", "home", "Oslo", True, "You live in Oslo"),
        ("en", "cousin", "cousin called Lee", True, "You have a cousin called Lee"),
        ("en", "parent", "mother called Ruth", True, "You have a mother called Ruth"),
        ("en", "handedness", "left", True, "You're left-handed"),
        ("en", "fear", "spiders", True, "You're afraid of spiders"),
        ("en", "health", "asthma", True, "You have asthma"),
        ("en", "possession", "old camera", True, "You have an old camera"),
        ("en", "possession", "glasses", True, "You have glasses"),
        ("en", "eyes", "green", True, "Your eyes are green"),
        ("zh", "宠物", "叫奥利的狗", True, "你养了一只叫奥利的狗"),
        ("zh", "宠物", "两只猫", True, "你养了两只猫"),
        ("zh", "孩子", "叫小宝的女儿", True, "你有一个叫小宝的女儿"),
        ("zh", "孩子", "儿子", True, "你有一个儿子"),
        ("zh", "孩子", "两个儿子", True, "你有两个儿子"),
        ("zh", "伴侣", "老婆", True, "你有老婆"),
        ("zh", "伴侣", "叫刘芳的老婆", True, "你有一个叫刘芳的老婆"),
        ("zh", "伴侣", "单身", True, "你单身"),
        ("zh", "朋友", "叫小李的朋友", True, "你有一个叫小李的朋友"),
        ("zh", "宗教", "佛教", True, "你信佛教"),
        ("zh", "健康", "哮喘", True, "你有哮喘"),
        ("zh", "饮料", "不加糖的咖啡", True, "你不喝加糖的咖啡"),
        ("zh", "眼睛", "绿色", True, "你的眼睛是绿色"),
    ],
)
def test_what_the_user_told_is_a_sentence(
    code: str, attribute: str, value: str, sentence: str, *, polarity: bool
) -> None:
    fact = Fact(id="f1", subject="user", attribute=attribute, value=value, polarity=polarity)
    assert told(fact, pack(code)) == sentence


@pytest.mark.parametrize(
    ("code", "question", "expected"),
    [
        ("en", "What's my dog called?", ["f2"]),
        ("en", "And what do I do for a living?", ["f3"]),
        ("en", "What's my locker number again?", ["f4"]),
        ("en", "Which number does my locker have?", ["f4"]),
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
    state = state_of(*(("hobby", f"thing number {n}") for n in range(6)))
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
