"""How a text stands to facts about its speaker's place, star sign and gender, and what of it the reply check uses."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings, strategies as st

from harness.language import load_packs
from harness.state import CHARACTER, DialogueState, Fact, Finding, Message, Persona
from harness.state.persona import PersonaFact, PersonaRef
from harness.understanding.checks.agreement import Stand, agreement, agreements
from harness.understanding.checks.consistency import check_reply
from harness.understanding.checks.slots import sign_of
from tests.unit._persona_replies import CONTRADICTED, ORDINARY

PACKS = load_packs()
FACTS = {
    "en": {"home": "Dundee, Scotland", "birthplace": "Perth, Scotland", "star sign": "Scorpio", "gender": "female"},
    "zh": {"home": "杭州", "老家": "绍兴", "星座": "天蝎座", "性别": "女"},
}
NAMES = {"en": "Moira Kerr", "zh": "林晚"}
MISSED = 1
"""How many of the thirty contradicted replies of a language may go unseen: what only the world's knowledge tells."""


def facts(code: str, **given: str) -> list[Fact]:
    values = given or FACTS[code]
    return [
        Fact(id=f"p:{name}", subject=CHARACTER, attribute=name, value=value, speaker="persona", language=code)
        for name, value in values.items()
    ]


def persona(code: str, *more: tuple[str, str], biography: str = "") -> Persona:
    listed = tuple(PersonaFact(attribute=name, value=value) for name, value in (*FACTS[code].items(), *more))
    return Persona(name=NAMES[code], language=code, facts=listed, biography=biography)


def contradictions(reply: str, code: str, *, who: Persona | None = None, said: tuple[str, ...] = ()) -> list[Finding]:
    state = DialogueState(
        persona=PersonaRef(id="p", name=NAMES[code]),
        language=code,
        messages=tuple(Message(speaker="character", text=text, turn=1) for text in said),
    )
    found = check_reply(reply, user_text="", state=state, persona=who or persona(code), pack=PACKS.get(code))
    return [finding for finding in found if finding.kind == "contradiction"]


@pytest.mark.parametrize("code", ["en", "zh"])
def test_ordinary_replies_raise_nothing(code: str) -> None:
    raised = {reply: found for reply in ORDINARY[code] if (found := contradictions(reply, code))}
    assert raised == {}
    assert len(ORDINARY[code]) == 40


@pytest.mark.parametrize("code", ["en", "zh"])
def test_contradicted_facts_are_found(code: str) -> None:
    missed = [reply for reply in CONTRADICTED[code] if not contradictions(reply, code)]
    assert len(missed) <= MISSED, missed
    assert len(CONTRADICTED[code]) == 30


@pytest.mark.parametrize(
    ("code", "text", "stand", "about"),
    [
        ("en", "I live in Dundee.", Stand.entailed, "home"),
        ("zh", "我就住在杭州啊", Stand.entailed, "home"),
        ("en", "I live in Scotland.", Stand.entailed, "home"),
        ("zh", "我在浙江工作", Stand.entailed, "home"),
        ("en", "I live in Madrid.", Stand.contradicted, "home"),
        ("zh", "我在成都上班", Stand.contradicted, "home"),
        ("en", "I was born in Lyon.", Stand.contradicted, "birthplace"),
        ("zh", "我老家是河南的", Stand.contradicted, "老家"),
        ("en", "My birthday is on November 3rd.", Stand.entailed, "star sign"),
        ("zh", "我是11月5日出生的", Stand.entailed, "星座"),
        ("en", "I'm a Leo.", Stand.contradicted, "star sign"),
        ("zh", "我狮子座的", Stand.contradicted, "星座"),
        ("en", "I'm not a Scorpio.", Stand.contradicted, "star sign"),
        ("zh", "我不是天蝎座", Stand.contradicted, "星座"),
        ("en", "I'm a simple man.", Stand.contradicted, "gender"),
        ("zh", "我是个男人", Stand.contradicted, "性别"),
        ("en", "Have you been to Rome?", Stand.irrelevant, ""),
        ("zh", "你去过罗马吗？", Stand.irrelevant, ""),
        ("en", "My brother is a Leo.", Stand.irrelevant, ""),
        ("zh", "我弟弟是狮子座", Stand.irrelevant, ""),
        ("en", "If I were a man I'd sail.", Stand.irrelevant, ""),
        ("zh", "如果我是男人就去航海", Stand.irrelevant, ""),
        ("en", "And I study in Madrid.", Stand.contradicted, "home"),
        ("zh", "而且我也在成都读书", Stand.contradicted, "home"),
        ("en", "I'm in lovely Madrid.", Stand.contradicted, "home"),
        ("zh", "我在美丽的成都", Stand.contradicted, "home"),
        ("en", "I'm a Leo, through and through.", Stand.contradicted, "star sign"),
        ("zh", "是狮子座本狮", Stand.contradicted, "星座"),
        ("en", "There's a Leo in our office.", Stand.irrelevant, ""),
        ("zh", "我们办公室有个狮子座的同事", Stand.irrelevant, ""),
        ("en", "I don't believe in star signs, Leo or Virgo.", Stand.irrelevant, ""),
        ("zh", "我不太信星座，什么狮子水瓶的", Stand.irrelevant, ""),
        ("en", "Leo has good luck this month.", Stand.irrelevant, ""),
        ("zh", "狮子座这个月财运不错", Stand.irrelevant, ""),
        ("en", "Nothing of the kind.", Stand.irrelevant, ""),
        ("zh", "没有这回事", Stand.irrelevant, ""),
    ],
)
def test_how_a_text_stands(code: str, text: str, stand: Stand, about: str) -> None:
    found = agreement(text, facts(code), PACKS.get(code))
    assert (found.stand, found.fact_id) == (stand, f"p:{about}" if about else "")
    assert found.tier == "rules"
    assert not found.evidence or found.evidence.rstrip(".。") in text


@pytest.mark.parametrize(
    ("code", "text", "known"),
    [
        ("en", "I work as a ferry captain.", {"job": "ferry captain"}),
        ("zh", "我是一名老师。", {"职业": "老师"}),
    ],
)
def test_other_facts_are_told_by_claims(code: str, text: str, known: dict[str, str]) -> None:
    assert agreement(text, facts(code, **known), PACKS.get(code)).stand is Stand.entailed


@pytest.mark.parametrize(
    ("code", "text", "known"),
    [("en", "I'm from Ohio.", {"home": "Dundee, Scotland"}), ("zh", "我是四川人。", {"home": "杭州"})],
)
def test_who_lives_there_may_come_from_elsewhere(code: str, text: str, known: dict[str, str]) -> None:
    assert not agreement(text, facts(code, **known), PACKS.get(code)).sure


@pytest.mark.parametrize(
    ("code", "reply", "biography"),
    [
        ("en", "I'm in Rome right now.", "Moira spends her winters in Rome."),
        ("zh", "我现在在昆明。", "林晚每年冬天在昆明住两个月。"),
    ],
)
def test_a_place_the_persona_names_contradicts_nothing(code: str, reply: str, biography: str) -> None:
    assert contradictions(reply, code, who=persona(code, biography=biography)) == []
    assert contradictions(reply, code) != []


@pytest.mark.parametrize(
    ("code", "reply", "part"),
    [
        ("en", "Good morning! The kettle is on. I live in Chicago, right by the lake. And you?", "Chicago"),
        ("zh", "早上好！水烧开了。我一直住在成都，离不开火锅。你呢？", "成都"),
    ],
)
def test_the_evidence_is_the_sentence(code: str, reply: str, part: str) -> None:
    (finding,) = contradictions(reply, code)
    assert part in finding.evidence
    assert len(finding.evidence) < len(reply) * 0.7
    assert finding.fact_id == "p:home"


@pytest.mark.parametrize("code", ["en", "zh"])
def test_without_such_facts_nothing_is_found(code: str) -> None:
    text = " ".join(CONTRADICTED[code])
    assert agreements(text, facts(code, pet="Miso"), PACKS.get(code)) == ()


def test_a_classifier_is_named_where_it_decides() -> None:
    pack = PACKS.get("zh")
    assert pack.classifier("persona_relation") is not None
    found = agreement("我就住在杭州啊", facts("zh"), pack, classify=True)
    assert (found.stand, found.tier) == (Stand.entailed, "classifier")
    assert 0 < found.confidence <= 1


def test_without_a_classifier_the_rules_decide() -> None:
    pack = PACKS.get("en")
    assert agreement("I'm a Leo.", facts("en"), pack, classify=True) == agreement("I'm a Leo.", facts("en"), pack)


@pytest.mark.parametrize("code", ["zh"])
def test_the_classifier_raises_little_on_ordinary_replies(code: str) -> None:
    pack = PACKS.get(code)
    raised = [text for text in ORDINARY[code] if agreement(text, facts(code), pack, classify=True).sure]
    assert len(raised) <= 2, raised


@pytest.mark.parametrize(
    "text",
    [
        "郑州的节奏太快，我住两天就想回来。",
        "广州肠粉我自己也蒸得像样。",
        "我小姨在珠海开民宿，今年生意好。",
        "等忙完了我想去敦煌看看。",
        "她是七月底的，狮子座，好面子。",
    ],
)
def test_the_classifier_tells_a_place_named_from_a_place_lived_in(text: str) -> None:
    assert not agreement(text, facts("zh"), PACKS.get("zh"), classify=True).sure


@pytest.mark.parametrize(
    ("code", "month", "day", "sign"),
    [
        ("en", "March", "20", "pisces"),
        ("zh", "3", "20", "pisces"),
        ("en", "March", "21", "aries"),
        ("zh", "三", "二十一", "aries"),
        ("en", "January", "1", "capricorn"),
        ("zh", "一", "一", "capricorn"),
        ("en", "December", "31", "capricorn"),
        ("zh", "12", "31", "capricorn"),
        ("en", "Smarch", "1", ""),
        ("zh", "13", "1", ""),
    ],
)
def test_the_sign_of_a_birthday(code: str, month: str, day: str, sign: str) -> None:
    assert sign_of(month, day, PACKS.get(code)) == sign


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200), st.sampled_from(["en", "zh"]), st.booleans())
def test_any_text_can_be_judged(text: str, code: str, classify: bool) -> None:
    for one in agreements(text, facts(code), PACKS.get(code), classify=classify):
        assert 0 <= one.confidence <= 1


@pytest.mark.parametrize(
    ("code", "piece"),
    [
        ("en", "I'm from Ohio and a man in Rome "),
        ("zh", "我是北京人在上海的男人"),
        ("zh", "我是的的的的的的的男"),
        ("zh", "在北京"),
    ],
)
def test_long_texts_take_little_time(code: str, piece: str) -> None:
    begin = time.perf_counter()
    agreements(piece * (8000 // len(piece)), facts(code), PACKS.get(code), classify=True)
    assert time.perf_counter() - begin < 6
