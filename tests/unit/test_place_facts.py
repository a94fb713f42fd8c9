"""Facts about places are compared by the gazetteer; star sign and Chinese zodiac are two things; who is asked is not named."""

from __future__ import annotations

import pytest

from harness.language import load_packs
from harness.state import USER, DialogueState, fold
from harness.state.operations import ReviseFact
from harness.state.persona import Persona, PersonaRef
from harness.understanding.checks.consistency import check_reply
from harness.understanding.facts.claims import SPEAKER, read_claims
from harness.understanding.facts.extract import extract_facts
from harness.understanding.facts.propositions import propositions
from harness.understanding.facts.relations import best
from harness.understanding.facts.stands import Stand

PACKS = load_packs()


def stand(code: str, attribute: str, value: str, text: str) -> Stand:
    pack = PACKS.get(code)
    known = propositions(attribute, value, polarity=True, own="", pack=pack)
    found = {best(claim, known, pack).stand for claim in read_claims(text, pack) if claim.subject == SPEAKER}
    return next((one for one in (Stand.conflict, Stand.same) if one in found), Stand.neither)


@pytest.mark.parametrize(
    ("code", "attribute", "value", "text", "expected"),
    [
        ("en", "home", "Jiangsu", "I live in Suzhou.", Stand.same),
        ("zh", "住处", "江苏", "我住在苏州。", Stand.same),
        ("en", "home", "Suzhou", "I live in Jiangsu.", Stand.same),
        ("zh", "住处", "苏州", "我住在江苏。", Stand.same),
        ("en", "home", "Suzhou", "I live in Wuhan.", Stand.conflict),
        ("zh", "住处", "苏州", "我住在武汉。", Stand.conflict),
        ("en", "birthplace", "Germany", "I was born in Munich.", Stand.same),
        ("zh", "出生地", "云南", "我出生在大理。", Stand.same),
        ("en", "birthplace", "Germany", "I was born in Lyon.", Stand.conflict),
        ("zh", "出生地", "云南", "我出生在青岛。", Stand.conflict),
    ],
)
def test_a_place_in_a_place_is_no_other_place(
    code: str, attribute: str, value: str, text: str, expected: Stand
) -> None:
    assert stand(code, attribute, value, text) is expected


@pytest.mark.parametrize(
    ("code", "attribute", "value", "text", "expected"),
    [
        ("en", "star sign", "Virgo", "I'm a Leo.", Stand.conflict),
        ("zh", "星座", "处女座", "我是狮子座。", Stand.conflict),
        ("en", "zodiac", "Leo", "I'm a Leo.", Stand.same),
        ("zh", "zodiac", "龙", "我属龙。", Stand.same),
        ("en", "zodiac", "Dragon", "I was born in the year of the dragon.", Stand.same),
        ("zh", "生肖", "龙", "我属龙。", Stand.same),
        ("en", "chinese zodiac", "Dragon", "I'm a Leo.", Stand.neither),
        ("zh", "生肖", "龙", "我是狮子座。", Stand.neither),
        ("en", "star sign", "Leo", "I was born in the year of the dragon.", Stand.neither),
        ("zh", "星座", "狮子座", "我属龙。", Stand.neither),
        ("en", "chinese zodiac", "Dragon", "My Chinese zodiac sign is the Rat.", Stand.conflict),
        ("zh", "属相", "龙", "我属鼠。", Stand.conflict),
    ],
)
def test_star_sign_and_chinese_zodiac_are_two_things(
    code: str, attribute: str, value: str, text: str, expected: Stand
) -> None:
    assert stand(code, attribute, value, text) is expected


@pytest.mark.parametrize("code", ["en", "zh"])
def test_the_two_signs_have_a_key_of_their_own(code: str) -> None:
    pack = PACKS.get(code)
    keys = {
        name: spec.key for name in ("star sign", "星座", "属相", "生肖", "zodiac") if (spec := pack.attribute(name))
    }
    old = "star sign" if code == "en" else "chinese zodiac"
    assert keys == {
        "star sign": "star sign",
        "星座": "star sign",
        "属相": "chinese zodiac",
        "生肖": "chinese zodiac",
        "zodiac": old,
    }


ASKED = {
    "en": [
        "A friend down in Kent keeps calling me over for lunch.",
        "They call me in when it rains.",
        "He called me back.",
    ],
    "zh": [
        "南边的朋友叫我过去住两天。",
        "也不叫我进去喝杯茶。",
        "老板叫我明天加班。",
        "我妈叫我多穿点。",
        "隔壁叫我帮忙搬桌子。",
        "他们叫我一起去爬山。",
        "叫我下楼拿快递。",
        "医生叫我少熬夜。",
        "她叫我别等了。",
    ],
}
CALLED = {
    "en": [("You can call me Bea.", "Bea")],
    "zh": [
        ("大家都叫我小满。", "小满"),
        ("你叫我小满就行。", "小满"),
        ("街坊叫我阿满。", "阿满"),
        ("同学们叫我满老师。", "满老师"),
    ],
}


@pytest.mark.parametrize(("code", "text"), [(code, text) for code, texts in ASKED.items() for text in texts])
def test_who_is_asked_for_something_is_not_named(code: str, text: str) -> None:
    pack = PACKS.get(code)
    assert [claim.value for claim in read_claims(text, pack) if claim.attribute == "name"] == []
    persona = Persona(name="小满" if code == "zh" else "Bea", language=code)
    state = DialogueState(persona=PersonaRef(id="p", name=persona.name), language=code)
    found = check_reply(text, user_text="", state=state, persona=persona, pack=pack, classify=True)
    assert [finding for finding in found if finding.kind == "contradiction"] == []


@pytest.mark.parametrize(("code", "text", "name"), [(code, *one) for code, texts in CALLED.items() for one in texts])
def test_who_is_called_something_is_named(code: str, text: str, name: str) -> None:
    found = [claim.value for claim in read_claims(text, PACKS.get(code)) if claim.attribute == "name"]
    assert found == [name]


@pytest.mark.parametrize(
    ("code", "first", "then", "value"),
    [
        ("en", "I live in Scotland.", "I live in Dundee.", "Dundee"),
        ("zh", "我住在江苏。", "我住在苏州。", "苏州"),
        ("en", "I live in Dundee.", "I live in Scotland.", "Dundee"),
        ("zh", "我住在苏州。", "我住在江苏。", "苏州"),
    ],
)
def test_a_place_told_more_closely_revises_the_fact(code: str, first: str, then: str, value: str) -> None:
    pack = PACKS.get(code)
    state = DialogueState(persona=PersonaRef(id="p", name="Ada"), language=code)
    changed = []
    for turn, text in enumerate((first, then), 1):
        made = extract_facts(
            text, speaker=USER, state=state, persona=Persona(name="Ada", language=code), pack=pack, turn=turn
        )
        state, _, _ = fold(state, made)
        changed.append(made)
    (fact,) = [fact for fact in state.active_facts(USER) if fact.attribute == "home"]
    assert fact.value == value
    assert [type(one) for one in changed[1]] == ([ReviseFact] if value in then else [])
    assert not [one for one in state.facts if one.status == "retracted"]


@pytest.mark.parametrize(
    ("code", "text", "home"),
    [
        ("zh", "我家在四楼。", None),
        ("zh", "我家在第三层。", None),
        ("zh", "我住顶楼。", None),
        ("zh", "我家在隔壁。", None),
        ("zh", "我家在3号楼。", None),
        ("zh", "我家在三亚。", "三亚"),
        ("zh", "我家在五道口。", "五道口"),
        ("zh", "我家在楼兰。", "楼兰"),
        ("en", "My flat is on the fourth floor.", None),
        ("en", "I live on the top floor.", None),
        ("en", "I live next door.", None),
        ("en", "I live at number three.", None),
        ("en", "I live in Seven Oaks.", "Seven Oaks"),
    ],
)
def test_a_floor_is_no_home(code: str, text: str, home: str | None) -> None:
    """It must not take the place of the town that was told before."""
    found = [claim.value for claim in read_claims(text, PACKS.get(code)) if claim.attribute == "home"]
    assert found == ([home] if home else [])
