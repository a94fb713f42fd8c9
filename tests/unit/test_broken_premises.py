"""Premises: what only looks like one, and what is one though no earlier wording had it."""

from __future__ import annotations

import pytest

from harness.state import Commitment, DialogueState, Message, Notice, Persona, PersonaRef
from harness.understanding.checks.consistency import check_premise
from tests.unit._consistency import PACKS, persona

NELL = persona(
    "Nell Okafor",
    "en",
    [
        ("job", "cobbler"),
        ("hometown", "Leeds"),
        ("marital status", "single"),
        ("children", "none"),
        ("opening hours", "nine to five, closed on Mondays"),
    ],
    "Nell mends boots in a cellar.",
)
SU = persona(
    "苏小鹿",
    "zh",
    [
        ("职业", "鞋匠"),
        ("老家", "泉州"),
        ("婚姻状况", "单身"),
        ("孩子", "没有"),
        ("宠物", "一只叫墨墨的黑猫"),
        ("营业时间", "九点到五点，周一休息"),
    ],
    "苏小鹿在地下室里修鞋。",
)
TABBY = persona("Ada Finch", "en", [("pet", "a black cat called Soot")], "Ada keeps a stall.")
PEOPLE = {"en": NELL, "zh": SU}


def code_of(text: str) -> str:
    return "en" if text.isascii() else "zh"


def premises(
    text: str, who: Persona | None = None, said: tuple[str, ...] = (), promises: tuple[Commitment, ...] = ()
) -> list[Notice]:
    code = code_of(text)
    who = who or PEOPLE[code]
    messages = tuple(Message(speaker="character", text=one, turn=1) for one in said)
    ref = PersonaRef(id="p", name=who.name)
    state = DialogueState(persona=ref, language=code, messages=messages, commitments=promises)
    found = check_premise(text, state=state, persona=who, pack=PACKS.get(code))
    return [notice for notice in found if notice.kind in ("contradiction", "challenge")]


TRUE = [
    "你不是北京人吧？",
    "你不是医生吧",
    "你没结婚吧？",
    "你不是上海人，对吧？",
    "你不是老师，对不对？",
    "你没有孩子吧？",
    "You're not from York, are you?",
    "You aren't married, are you?",
    "You don't have children, do you?",
    "You're closed on Mondays, aren't you?",
    "You're open on Fridays, aren't you?",
    "Is the shop open on Mondays?",
    "你周一休息吧？",
    "你周二开门吧？",
]
ASKED_BY_OTHERS = [
    "老有人问你老公的事吗？",
    "总有客人打听你男朋友吧？",
    "是不是街坊常问起你的孩子？",
    "别人会不会老问你老公在哪？",
    "有人以为你老婆也修鞋吗？",
    "Do people ask about your husband a lot?",
    "Do customers keep asking about your wife?",
    "Has anyone ever asked about your kids?",
    "Does everyone wonder where your boyfriend is?",
    "Do strangers mistake me for your husband?",
]
OF_ANOTHER = [
    "You know Tom, the baker?",
    "You know Ben, the postman?",
    "Do you know Tom, the baker?",
    "You remember Lena, the florist?",
    "Remember Sam, my neighbour?",
    "You've met Ruth, my cousin?",
]
HAD = [
    "你老公对你好吗？",
    "你老公疼你吗？",
    "你男朋友对你好不好？",
    "你女儿懂你吗？",
    "Does your husband treat you well?",
    "Is your husband good to you?",
]
LONG = [
    "After all these years as a dentist, are you tired?",
    "After twenty years as a nurse, what do you miss?",
    "你当牙医这么多年",
    "你做律师这么久了，还喜欢吗？",
    "你当护士那么多年，累不累？",
    "你当老师二十年了吧",
]
DAYS = [
    "Your shop is open on Mondays, isn't it?",
    "You're open on Mondays, right?",
    "You open on Mondays, don't you?",
    "You work on Mondays, don't you?",
    "你周一开门，对吧？",
    "你星期一营业吧？",
]
COATS = ["你那只白猫呢？", "你那只橘猫还好吗？", "你的白猫呢？"]
PROMISED = [
    "你上周答应给我打八折的。",
    "你昨天不是答应帮我修手机吗？",
    "你上次答应送我一本书的",
    "你亲口答应教我拉胡琴的",
    "You promised me a discount last week.",
    "You promised to paint my door yesterday.",
    "Didn't you promise to lend me a tent?",
    "You gave me your word that you would water my plants.",
]
OF_THE_USER = [
    "After ten years as a dentist, I can tell you.",
    "After all these years as a nurse, my sister knows you.",
    "After all these years as a cobbler, are you tired?",
    "我当牙医这么多年了。",
    "你当鞋匠这么多年，累吗？",
]
NO_PROMISE = [
    "You promised!",
    "If you promised me a discount, I'd come.",
    "You have to promise to call me.",
    "Promise me you'll call.",
    "你答应我吧",
    "你答应我，别告诉别人。",
    "请你答应帮我保密。",
    "如果你答应给我打折，我就来。",
]


@pytest.mark.parametrize("text", [*TRUE, *ASKED_BY_OTHERS, *OF_ANOTHER, *OF_THE_USER, *NO_PROMISE])
def test_what_is_true_or_takes_nothing_for_granted_raises_nothing(text: str) -> None:
    assert premises(text) == []


@pytest.mark.parametrize("text", [*HAD, *LONG, *DAYS, *COATS])
def test_what_is_taken_for_granted_against_a_fact_is_noticed(text: str) -> None:
    assert [notice.kind for notice in premises(text)][:1] == ["contradiction"]


def test_a_pet_of_another_colour() -> None:
    assert premises("How is your white cat?", TABBY)[0].truth.endswith("black cat called Soot")
    assert premises("How is your black cat?", TABBY) == []
    assert premises("How is your cat?", TABBY) == []
    assert premises("你那只黑猫呢？") == []
    chair = persona("Ada Finch", "en", [("pet", "a cat called Soot who sleeps on a red chair")])
    assert premises("How is your black cat?", chair) == []
    two = persona("Ada Finch", "en", [("pet", "a black cat called Soot"), ("pet", "a white cat called Flake")])
    assert premises("How is your white cat?", two) == []


@pytest.mark.parametrize("text", PROMISED)
def test_a_promise_that_was_never_given_is_noticed(text: str) -> None:
    found = premises(text)
    assert [notice.kind for notice in found] == ["challenge"]
    assert found[0].claim


@pytest.mark.parametrize(
    ("text", "promise", "said"),
    [
        ("You promised me a discount last week.", "give you a discount", "I'll give you a discount next time."),
        ("你上周答应给我打八折的。", "给你打八折", "下次给你打八折。"),
    ],
)
def test_a_promise_that_was_given_is_none(text: str, promise: str, said: str) -> None:
    kept = Commitment(id="c1", by="character", to="user", text=promise, quote=said, turn=1)
    assert premises(text, promises=(kept,)) == []
    assert premises(text, said=(said,)) == []
