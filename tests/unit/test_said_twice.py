"""Corrections that name what was wrong too, facts in one clause beside others, dislikes that are no mood, and replies that echo."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from harness.language import load_packs
from harness.state import DialogueState, Persona, PersonaRef
from harness.understanding.checks.consistency import check_reply
from harness.understanding.emotion.appraising import acts_in, appraise
from tests.unit.test_facts_probes import NAMES, converse, row

PACKS = load_packs()


def known(code: str, *lines: str) -> set[tuple[str, ...]]:
    return {row(fact) for fact in converse(code, [f"user: {line}" for line in lines]).active_facts()}


def homes(code: str, *lines: str) -> set[tuple[str, str]]:
    return {(one[0], one[2]) for one in known(code, *lines) if one[1] == "home" and len(one) == 3}


BOTH = [
    ("en", ["I live in Derby.", "Wait, sorry, I said Derby but I mean I live in Hull."], {("user", "Hull")}),
    ("en", ["I live in Derby.", "I said Derby but I meant Hull."], {("user", "Hull")}),
    ("en", ["I live in Derby, I mean Hull."], {("user", "Hull")}),
    ("en", ["I live in Derby.", "Sorry, Hull, not Derby."], {("user", "Hull")}),
    ("en", ["I live in Derby.", "Not Derby but Hull."], {("user", "Hull")}),
    ("en", ["I don't live in Derby but in Hull."], {("user", "Hull")}),
    ("en", ["I live in Derby.", "I'm in Hull, not in Derby."], {("user", "Hull")}),
    (
        "en",
        ["My sister Ruth moved to Bergen.", "Sorry, I said Derby but I mean I live in Hull."],
        {("Ruth", "Bergen"), ("user", "Hull")},
    ),
    ("en", ["My sister Ruth lives in Bergen.", "Sorry, Oslo, not Bergen."], {("Ruth", "Oslo")}),
    ("zh", ["我住在成都。", "等等，抱歉，我刚才说成都，说错了，我住在重庆。"], {("user", "重庆")}),
    ("zh", ["我住在成都。", "我说的是成都，其实是重庆。"], {("user", "重庆")}),
    ("zh", ["我住在成都。", "不是成都，是重庆。"], {("user", "重庆")}),
    ("zh", ["我住在成都。", "抱歉，是重庆，不是成都。"], {("user", "重庆")}),
    ("zh", ["我住在成都。", "我刚才说成都，说错了，是重庆。"], {("user", "重庆")}),
    ("zh", ["我住在成都。", "不对，我说错了，我在重庆，不在成都。"], {("user", "重庆")}),
    ("zh", ["我在重庆，不在成都。"], {("user", "重庆")}),
    (
        "zh",
        ["我妹妹小雨搬到了昆明。", "我刚才说我住在成都，说错了，我住在重庆。"],
        {("小雨", "昆明"), ("user", "重庆")},
    ),
    ("zh", ["我妹妹小雨住在昆明。", "抱歉，是大理，不是昆明。"], {("小雨", "大理")}),
]


@pytest.mark.parametrize(("code", "lines", "expected"), BOTH)
def test_the_right_one_of_two_values_is_kept(code: str, lines: list[str], expected: set[tuple[str, str]]) -> None:
    assert homes(code, *lines) == expected


UNTOUCHED = [
    ("en", ["I live in Derby.", "I said hello but I meant goodbye."], {("user", "Derby")}),
    ("en", ["My sister Ruth lives in Bergen.", "I said Hull but I meant Derby."], {("Ruth", "Bergen")}),
    ("en", ["I live in Derby.", "Tea, not coffee."], {("user", "Derby")}),
    ("en", ["I live in Derby.", "I'm in a hurry, not in a panic."], {("user", "Derby")}),
    ("en", ["I live in Derby.", "The shop is in Hull, not Derby."], {("user", "Derby")}),
    ("en", ["I live in Derby.", "Ruth lives in Hull, not Derby."], {("user", "Derby"), ("Ruth", "Hull")}),
    ("zh", ["我住在成都。", "那家店在重庆，不在成都。"], {("user", "成都")}),
    ("zh", ["我住在成都。", "我妹妹小雨住在昆明，不是成都。"], {("user", "成都"), ("小雨", "昆明")}),
    ("zh", ["我住在成都。", "我说的是你好，其实是再见。"], {("user", "成都")}),
    ("zh", ["我妹妹小雨住在昆明。", "我说的是成都，其实是重庆。"], {("小雨", "昆明")}),
    ("zh", ["我住在成都。", "是茶，不是咖啡。"], {("user", "成都")}),
    ("zh", ["我住在成都。", "我在公司，不在家。"], {("user", "成都")}),
]


@pytest.mark.parametrize(("code", "lines", "expected"), UNTOUCHED)
def test_a_correction_of_something_else_changes_nothing(
    code: str, lines: list[str], expected: set[tuple[str, str]]
) -> None:
    assert homes(code, *lines) == expected


STATED = [
    ("en", "I'm a nurse in Dundee.", {("user", "job", "nurse"), ("user", "workplace", "Dundee")}),
    ("en", "I'm a nurse in August.", {("user", "job", "nurse")}),
    ("en", "I'm a nurse.", {("user", "job", "nurse")}),
    ("zh", "我在成都当护士。", {("user", "job", "护士"), ("user", "workplace", "成都")}),
    ("zh", "我当护士。", {("user", "job", "护士")}),
    ("zh", "我妹妹小雨上周搬去了昆明。", {("user", "sibling", "叫小雨的妹妹"), ("小雨", "home", "昆明")}),
    (
        "en",
        "My sister Ruth moved to Bergen last week.",
        {("user", "sibling", "sister called Ruth"), ("Ruth", "home", "Bergen")},
    ),
    ("zh", "我养了一只叫年糕的橘猫。", {("user", "pet", "叫年糕的橘猫")}),
    ("zh", "我养了一只叫年糕的小猫。", {("user", "pet", "叫年糕的猫")}),
    ("en", "Our locker number is 2290.", {("user", "locker number", "2290")}),
    ("en", "Our team is great.", set()),
    ("zh", "我们的储物柜号码是2290。", {("user", "储物柜号码", "2290")}),
    ("zh", "我们的队伍很棒。", set()),
    ("en", "I have two kids, Ivo and Nell.", {("user", "child", "two kids called Ivo and Nell")}),
    ("zh", "我有两个孩子，小满和小舟。", {("user", "child", "叫小满和小舟的孩子")}),
    ("en", "I used to smoke but I quit last year.", {("user", "smoking", "cigarettes", "not")}),
    ("en", "I used to smoke but I quit my job.", set()),
    ("zh", "我以前抽烟，去年戒了。", {("user", "smoking", "抽烟", "not")}),
]


@pytest.mark.parametrize(("code", "text", "expected"), STATED)
def test_what_one_clause_states(code: str, text: str, expected: set[tuple[str, ...]]) -> None:
    assert known(code, text) == expected


MOODS = [
    ("en", "I hate coriander.", False),
    ("en", "I'm allergic to peanuts, and I hate coriander.", False),
    ("en", "Wait, sorry, I said Derby but I mean I live in Hull.", False),
    ("en", "Sorry, Hull, not Derby.", False),
    ("en", "I hate my boss.", True),
    ("en", "I hate you.", True),
    ("en", "I hate it here.", True),
    ("en", "I'm so sorry, I feel awful.", True),
    ("zh", "我讨厌香菜。", False),
    ("zh", "我对花生过敏，而且讨厌香菜。", False),
    ("zh", "等等，抱歉，我说错了，我住在重庆。", False),
    ("zh", "不好意思，是重庆。", False),
    ("zh", "我讨厌我老板。", True),
    ("zh", "我讨厌你。", True),
    ("zh", "我讨厌这里的一切。", True),
    ("zh", "对不起，我好难过。", True),
]


@pytest.mark.parametrize(("code", "text", "moved"), MOODS)
def test_dislike_of_a_thing_and_a_conventional_sorry_are_no_mood(code: str, text: str, moved: bool) -> None:
    pack = PACKS.get(code)
    assert (appraise(text, pack).label != "neutral") is moved
    if not moved:
        assert acts_in(text, pack) == []


ECHOES = [
    ("en", "My sister Ruth lives in Bergen.", "My sister Ruth lives in Bergen.", True),
    (
        "en",
        "My locker number is 2290. Remind me on Friday to call the vet.",
        "Your locker number is 2290. Remind me on Friday to call the vet.",
        True,
    ),
    ("en", "My sister Ruth lives in Bergen.", "So your sister lives in Bergen!", False),
    ("en", "My sister Ruth lives in Bergen.", "Your sister Ruth lives in Bergen.", False),
    ("en", "My locker number is 2290.", "2290, got it.", False),
    ("en", "I really missed you these days.", "I really missed you these days.", False),
    ("en", "I drink black tea in the morning.", "I drink black tea in the morning too.", False),
    ("en", "My sister Ruth lives in Bergen.", "My sister Ruth lives in Bergen. Is that what you said?", False),
    ("zh", "我妹妹小雨住在昆明。", "我妹妹小雨住在昆明。", True),
    (
        "zh",
        "我的储物柜号码是2290。周五提醒我给兽医打电话。",
        "你的储物柜号码是2290。周五提醒我给兽医打电话吧。",
        True,
    ),
    ("zh", "我妹妹小雨住在昆明。", "原来你妹妹住在昆明！", False),
    ("zh", "我妹妹小雨住在昆明。", "你妹妹小雨住在昆明啊。", False),
    ("zh", "我的储物柜号码是2290。", "2290，记住了。", False),
    ("zh", "这几天我真的很想你。", "这几天我真的很想你。", False),
    ("zh", "我喜欢早上喝浓茶。", "我也喜欢早上喝浓茶。", False),
    ("zh", "我妹妹小雨住在昆明。", "我妹妹小雨住在昆明。你是这么说的吗？", False),
]


@pytest.mark.parametrize(("code", "said", "reply", "echo"), ECHOES)
def test_a_reply_in_the_users_person_is_an_echo(code: str, said: str, reply: str, echo: bool) -> None:
    state = DialogueState(persona=PersonaRef(id="p", name=NAMES[code]), language=code)
    persona = Persona(name=NAMES[code], language=code)
    found = check_reply(reply, user_text=said, state=state, persona=persona, pack=PACKS.get(code))
    assert ("wrong_speaker" in {one.kind for one in found}) is echo


@given(
    st.text(alphabet="I said but mean not,是不我说错了其实在Derby成都 .。，", max_size=200),
    st.sampled_from(["en", "zh"]),
)
def test_no_text_breaks_the_reading(text: str, code: str) -> None:
    converse(code, ["user: I live in Derby.", f"user: {text}"])
