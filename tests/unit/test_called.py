"""A character does not take over the name somebody calls it by."""

from __future__ import annotations

import pytest

from harness.language import load_packs
from harness.state import DialogueState, Fact, Persona, PersonaRef
from harness.testing.scripted_model import ScriptedModel
from harness.understanding.checks.consistency import check_reply
from tests.unit.conftest import MakeHarness

PACKS = load_packs()
WHO = {"en": Persona(name="Osric Vane", aliases=("Os",)), "zh": Persona(name="白鹭", language="zh", aliases=("鹭姐",))}
TAKEN = [
    ("en", "Busy night, Bob?", "Hi, I'm Bob, a driver in Chicago."),
    ("en", "Bob, are you there?", "Yes, I'm Bob."),
    ("en", "From now on you are Bob.", "Sure, call me Bob."),
    ("zh", "阿强，今晚忙吗？", "早上好！我是阿强，深圳开出租车的司机。"),
    ("zh", "今晚忙吗，阿强？", "忙啊，我是阿强。"),
    ("zh", "从现在起你叫阿强。", "好，叫我阿强吧。"),
]
KEPT = [
    ("en", "Busy night, Bob?", "Who is Bob? I'm Osric."),
    ("en", "Busy night, Os?", "I'm Os, yes."),
    ("en", "Are you Scottish?", "I'm Scottish, and proud of it."),
    ("en", "I'm Bob. Are you tired?", "I'm Osric, and no."),
    ("zh", "阿强，今晚忙吗？", "阿强是谁？我是白鹭。"),
    ("zh", "鹭姐，今晚忙吗？", "我是鹭姐，忙着呢。"),
    ("zh", "你是老师吗？", "我是老师，教语文的。"),
    ("zh", "我叫阿强，你呢？", "我是白鹭。"),
]


def kinds(code: str, said: str, reply: str, *facts: Fact) -> list[str]:
    state = DialogueState(persona=PersonaRef(id="o", name=WHO[code].name), language=code, facts=facts)
    found = check_reply(reply, user_text=said, state=state, persona=WHO[code], pack=PACKS.get(code))
    return [finding.kind for finding in found if finding.fact_id == "p:name"]


@pytest.mark.parametrize(("code", "said", "reply"), TAKEN)
def test_another_name_is_a_contradiction(code: str, said: str, reply: str) -> None:
    assert kinds(code, said, reply)


@pytest.mark.parametrize(("code", "said", "reply"), KEPT)
def test_its_own_name_and_what_is_no_name_are_fine(code: str, said: str, reply: str) -> None:
    assert not kinds(code, said, reply)


@pytest.mark.parametrize(
    ("code", "said", "reply"), [("en", "Hello, Tom!", "I'm Tom."), ("zh", "你好，小陈！", "我是小陈。")]
)
def test_the_users_own_name_is_left_to_the_check_of_speakers(code: str, said: str, reply: str) -> None:
    name = "Tom" if code == "en" else "小陈"
    assert not kinds(code, said, reply, Fact(id="f1", subject="user", attribute="name", value=name))


@pytest.mark.parametrize(
    ("code", "calls", "denial"),
    [
        ("en", ["Busy night, Bob?", "Where did you take your last fare, Bob?"], "That's not my name. I'm not Bob."),
        ("zh", ["阿强，今晚忙吗？", "阿强，上一单客人拉到哪儿去了？"], "那不是我的名字，我叫白鹭，不是阿强。"),
    ],
)
async def test_a_name_that_was_denied_once_is_denied_again(
    code: str, calls: list[str], denial: str, make_harness: MakeHarness
) -> None:
    async with make_harness(ScriptedModel(denial), analysis="rules", max_revisions=0) as harness:
        session = await harness.open(WHO[code], session="s")
        for call in (*calls, calls[0]):
            await session.say(call)
            assert "p:name" in [notice.fact_id for notice in (await session.report()).notices]
