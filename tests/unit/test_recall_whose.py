"""Questions about a relative, a friend or a pet are answered with what is known of them, never with the user's own facts."""

from __future__ import annotations

import pytest

from harness.language import LanguagePack, load_packs
from harness.state import DialogueState, Fact, Notice, Persona, PersonaRef
from harness.testing.scripted_model import ScriptedModel
from harness.understanding.checks.holding import starts_over
from harness.understanding.checks.recall import recall_notices
from tests.unit.conftest import MakeHarness


def pack(code: str) -> LanguagePack:
    return load_packs().get(code)


def state_of(*facts: tuple[str, str, str]) -> DialogueState:
    return DialogueState(
        persona=PersonaRef(id="m", name="M"),
        facts=tuple(
            Fact(id=f"f{n}", subject=subject, attribute=attribute, value=value)
            for n, (subject, attribute, value) in enumerate(facts, 1)
        ),
    )


EN = state_of(
    ("user", "age", "34"),
    ("user", "name", "Otis"),
    ("user", "home", "Leeds"),
    ("user", "job", "plumber"),
    ("user", "allergy", "nuts"),
    ("user", "sibling", "sister called Jane"),
    ("user", "pet", "cat called Miso"),
    ("user", "child", "daughter called Lily"),
    ("user", "dog food", "turkey"),
    ("user", "possession", "red"),
    ("Jane", "home", "Oslo"),
    ("Jane", "age", "20"),
    ("user's brother", "job", "doctor"),
    ("user's wife", "allergy", "cats"),
    ("user's mother", "age", "61"),
    ("user's son", "age", "8"),
)
ZH = state_of(
    ("user", "age", "34岁"),
    ("user", "name", "大伟"),
    ("user", "home", "沈阳"),
    ("user", "job", "水管工"),
    ("user", "allergy", "花生"),
    ("user", "sibling", "叫小雨的姐姐"),
    ("user", "pet", "叫咪咪的猫"),
    ("user", "child", "叫朵朵的女儿"),
    ("user", "狗粮", "火鸡味的"),
    ("user", "possession", "红色"),
    ("小雨", "home", "北京"),
    ("小雨", "age", "40岁"),
    ("用户的哥", "job", "医生"),
    ("用户的老婆", "allergy", "猫"),
    ("用户的妈妈", "age", "61岁"),
    ("用户的儿子", "age", "8岁"),
)


@pytest.mark.parametrize(
    ("question", "truths"),
    [
        ("How old is my sister?", ["Jane is 20"]),
        ("Do you remember how old my sister is?", ["Jane is 20"]),
        ("Where does my sister live?", ["Jane lives in Oslo"]),
        ("Where does Jane live?", ["Jane lives in Oslo"]),
        ("How old is Jane?", ["Jane is 20"]),
        ("What does Jane do for a living?", []),
        ("What does my brother do?", ["Your brother works as a doctor"]),
        ("Where does my brother live?", []),
        ("What's my brother's name?", []),
        ("What is my wife allergic to?", ["Your wife is allergic to cats"]),
        ("How old is my wife?", []),
        ("How old is my mum?", ["Your mother is 61"]),
        ("How old is my father?", []),
        ("How old are my kids?", ["Your son is 8"]),
        ("How old is my dog?", []),
        ("What's my dog called?", []),
        ("How old is my cat?", []),
        ("How old is my sister's cat?", []),
        ("What's my cat called?", ["You have a cat called Miso"]),
        ("Do you remember what my cat is called?", ["You have a cat called Miso"]),
        ("What is my sister's name?", ["You have a sister called Jane"]),
        ("What is my daughter called?", ["You have a daughter called Lily"]),
        ("Who is my sister?", ["You have a sister called Jane"]),
        ("What is my dog food?", ["Your dog food is turkey"]),
        ("How old is my car?", []),
        ("What's my favourite dog breed?", []),
        ("What's the name of my cat?", ["You have a cat called Miso"]),
        ("Where does my mother-in-law live?", []),
        ("Where does my stepsister live?", []),
        ("How old is Jane's cat?", []),
        ("Do you live near Jane?", []),
        ("How old am I?", ["You're 34"]),
        ("Where do I live?", ["You live in Leeds"]),
        ("What's my name?", ["Your name is Otis"]),
        ("How old is my sister, and where do I live?", ["Jane is 20", "You live in Leeds"]),
    ],
)
def test_whose_attribute_is_asked_for(question: str, truths: list[str]) -> None:
    assert [notice.truth for notice in recall_notices(question, state=EN, pack=pack("en"))] == truths


@pytest.mark.parametrize(
    ("question", "truths"),
    [
        ("我姐多大了？", ["小雨今年40岁"]),
        ("你还记得我姐姐多大吗？", ["小雨今年40岁"]),
        ("我姐住哪儿？", ["小雨住在北京"]),
        ("小雨住哪儿？", ["小雨住在北京"]),
        ("小雨几岁？", ["小雨今年40岁"]),
        ("小雨是做什么的？", []),
        ("我哥是做什么的？", ["你哥是医生"]),
        ("我哥住哪儿？", []),
        ("我弟叫什么？", []),
        ("我老婆对什么过敏？", ["你老婆对猫过敏"]),
        ("我老婆多大了？", []),
        ("我妈多大岁数？", ["你妈今年61岁"]),
        ("我爸多大岁数？", []),
        ("我孩子几岁了？", ["你儿子今年8岁"]),
        ("我的狗几岁了？", []),
        ("我的狗叫什么？", []),
        ("我的猫几岁了？", []),
        ("我姐的猫几岁了？", []),
        ("我的猫叫什么？", ["你养了一只叫咪咪的猫"]),
        ("你还记得我家猫叫什么吗？", ["你养了一只叫咪咪的猫"]),
        ("我姐叫什么？", ["你有一个叫小雨的姐姐"]),
        ("我女儿叫什么名字？", ["你有一个叫朵朵的女儿"]),
        ("我姐是谁？", ["你有一个叫小雨的姐姐"]),
        ("我的狗粮是什么？", ["你的狗粮是火鸡味的"]),
        ("我的车多大年头了？", []),
        ("我最喜欢的狗是什么品种？", []),
        ("我的猫的名字是什么？", ["你养了一只叫咪咪的猫"]),
        ("我岳母住哪儿？", []),
        ("我姐夫住哪儿？", []),
        ("小雨的猫几岁了？", []),
        ("你住得离小雨近吗？", []),
        ("我几岁？", ["你今年34岁"]),
        ("我住哪儿？", ["你住在沈阳"]),
        ("我叫什么？", ["你叫大伟"]),
        ("我姐多大了，我住哪儿？", ["小雨今年40岁", "你住在沈阳"]),
    ],
)
def test_whose_attribute_is_asked_for_in_chinese(question: str, truths: list[str]) -> None:
    assert [notice.truth for notice in recall_notices(question, state=ZH, pack=pack("zh"))] == truths


@pytest.mark.parametrize(
    ("code", "subject", "value", "question", "truth"),
    [
        ("en", "user's sister", "20", "How old is my older sister?", "Your older sister is 20"),
        ("zh", "用户的妹妹", "20岁", "我妹几岁？", "你妹今年20岁"),
    ],
)
def test_a_relative_without_a_name_is_called_as_the_user_does(
    code: str, subject: str, value: str, question: str, truth: str
) -> None:
    state = state_of((subject, "age", value))
    assert [notice.truth for notice in recall_notices(question, state=state, pack=pack(code))] == [truth]


@pytest.mark.parametrize(
    ("code", "truth", "ending", "over"),
    [
        ("en", "You're 34", "She's 20.", True),
        ("en", "You're 34", " She's 20.", True),
        ("en", "Your name is Otis", "All right.", True),
        ("en", "Your name is Otis", " all right.", True),
        ("en", "Your name is Otis", " your name is Bob.", True),
        ("en", "Your name is Otis", ".", True),
        ("en", "Your name is Otis", " I never forget a name.", False),
        ("en", "Your name is Otis", " I'm sure of it.", False),
        ("en", "You're 34", " Otis.", False),
        ("en", "You're 34", " and not a day older.", False),
        ("en", "You're 34", "", False),
        ("zh", "你今年34岁", "好的。", True),
        ("zh", "你今年34岁", "你今年20岁。", True),
        ("zh", "你叫大伟", "嗯，没问题。", True),
        ("zh", "你叫大伟", "。", True),
        ("zh", "你叫大伟", "好名字。", False),
        ("zh", "你叫大伟", "我一直记着。", False),
        ("zh", "你今年34岁", "还年轻呢。", False),
    ],
)
def test_an_ending_that_begins_anew(code: str, truth: str, ending: str, *, over: bool) -> None:
    notice = Notice(kind="recall", truth=truth)
    assert starts_over(ending, notice, pack(code), ["Otis", "大伟"]) is over


NORA = {
    "en": Persona(name="Nora", id="nora", language="en"),
    "zh": Persona(name="诺拉", id="nora", language="zh"),
}


@pytest.mark.parametrize(
    ("code", "told", "question", "ending", "last"),
    [
        ("en", "My name is Otis.", "What's my name?", "All right.", "Your name is Otis."),
        ("en", "My name is Otis.", "What's my name?", " and it suits you.", "Your name is Otis, and it suits you."),
        ("en", "My name is Otis.", "What's my name?", "and it suits you.", "Your name is Otis, and it suits you."),
        ("en", "I'm 34.", "How old am I?", "She's 20.", "You're 34."),
        ("zh", "我叫大伟。", "我叫什么？", "好的。", "你叫大伟。"),
        ("zh", "我叫大伟。", "我叫什么？", "挺好听的。", "你叫大伟，挺好听的。"),
        ("zh", "我34岁。", "我几岁？", "你今年20岁。", "你今年34岁。"),
    ],
)
async def test_a_begun_answer_ends_as_a_sentence(
    code: str, told: str, question: str, ending: str, last: str, make_harness: MakeHarness
) -> None:
    model = ScriptedModel([{"en": "Nice.", "zh": "嗯。"}[code], ending])
    async with make_harness(model, begin_answers="always", analysis="rules") as harness:
        session = await harness.open(NORA[code], session="s")
        await session.say(told)
        reply = await session.say(question)
    assert model.requests[1].prefill
    assert reply.text.endswith(last)


@pytest.mark.parametrize(
    ("code", "told", "question", "right"),
    [
        ("en", "My sister is 20 and I'm 34.", "How old is my sister?", "She's 20."),
        ("en", "I'm 34.", "How old is my mother?", "You never told me how old she is."),
        ("zh", "我妹妹20岁，我34岁。", "我妹妹几岁？", "她20岁。"),
        ("zh", "我34岁。", "我妈多大岁数？", "你没跟我说过她多大。"),
    ],
)
async def test_a_right_reply_about_a_relative_stays(
    code: str, told: str, question: str, right: str, make_harness: MakeHarness
) -> None:
    model = ScriptedModel([{"en": "Nice.", "zh": "嗯。"}[code], right])
    async with make_harness(model, analysis="rules") as harness:
        session = await harness.open(NORA[code], session="s")
        await session.say(told)
        reply = await session.say(question)
    assert reply.text == right
    assert "34" not in reply.text
