"""What adds to the fact told last without saying it again, and what only looks like it."""

from __future__ import annotations

import pytest

from harness.language import load_packs
from harness.state import DialogueState, Persona, PersonaRef, fold
from harness.understanding.facts.extract import extract_facts

PACKS = load_packs()
MIA = Persona(name="Mia")
PEANUTS = {"en": "I'm allergic to peanuts.", "zh": "我对花生过敏。"}
PORK = {"en": "I don't eat pork.", "zh": "我不吃猪肉。"}
CAT = {"en": "I have a cat.", "zh": "我有一只猫。"}
FACT = {"en": {"peanuts", "pork", "cat"}, "zh": {"花生", "猪肉", "一只猫"}}


def added(code: str, first: str, second: str, asked: str = "") -> list[tuple[str, str, bool]]:
    pack, state = PACKS.get(code), DialogueState(persona=PersonaRef(id="m", name="Mia"))
    for turn, (text, question) in enumerate([(first, ""), (second, asked)], 1):
        found = extract_facts(text, speaker="user", state=state, persona=MIA, pack=pack, turn=turn, asked=question)
        state = fold(state, found)[0]
    facts = [(fact.attribute, fact.value, fact.polarity) for fact in state.active_facts("user")]
    return [fact for fact in facts if fact[1] not in FACT[code]]


ALLERGIES = [
    ("en", "And to shrimp.", ["shrimp"]),
    ("en", "Shrimp too.", ["Shrimp"]),
    ("en", "And shrimp as well.", ["shrimp"]),
    ("en", "Oh, and shellfish.", ["shellfish"]),
    ("en", "Also to eggs and milk.", ["eggs", "milk"]),
    ("en", "Plus cat hair.", ["cat hair"]),
    ("en", "And to shrimp, what should I cook?", ["shrimp"]),
    ("en", "And to be honest, I miss them.", []),
    ("en", "Me too.", []),
    ("en", "And you?", []),
    ("en", "And shrimp?", []),
    ("en", "And thanks.", []),
    ("en", "And to you!", []),
    ("en", "Anna too.", []),
    ("en", "And my sister too.", []),
    ("zh", "还有虾。", ["虾"]),
    ("zh", "对虾也过敏。", ["虾"]),
    ("zh", "还有芒果也过敏。", ["芒果"]),
    ("zh", "虾也是。", ["虾"]),
    ("zh", "还有牛奶和鸡蛋。", ["牛奶", "鸡蛋"]),
    ("zh", "牛奶也不能吃。", ["牛奶"]),
    ("zh", "對蝦也過敏。", ["蝦"]),
    ("zh", "对虾也过敏，做什么菜好？", ["虾"]),
    ("zh", "还有时间。", []),
    ("zh", "还有你。", []),
    ("zh", "还有一件事。", []),
    ("zh", "还有虾吗？", []),
    ("zh", "虾也不能吃吗？", []),
    ("zh", "我妹妹也是。", []),
    *[("en", text, []) for text in ("Also hungry.", "And relax.", "And dinner.", "Also great.", "And sleepy.")],
    *[("en", text, []) for text in ("And whatever.", "Plus rain.", "cold as well.", "And to bed.", "And to Rome.")],
    *[("en", text, []) for text in ("And to Tom.", "And to everyone.")],
    *[("zh", text, []) for text in ("还有钱。", "还有希望。", "还有晚饭。", "还有药。", "对你也是。", "对你也过敏。")],
    *[("zh", text, []) for text in ("今天也过敏。", "药也不能吃。", "還有錢。", "還有藥。")],
    ("en", "And tree nuts.", ["tree nuts"]),
    ("en", "And penicillin.", ["penicillin"]),
    ("en", "Also bee stings and walnuts.", ["walnuts"]),
    ("zh", "还有核桃。", ["核桃"]),
    ("zh", "還有蝦。", ["蝦"]),
    ("zh", "還有雞蛋和牛奶。", ["雞蛋", "牛奶"]),
    ("zh", "对青霉素也过敏。", ["青霉素"]),
]


@pytest.mark.parametrize(("code", "text", "expected"), ALLERGIES)
def test_a_further_allergy(code: str, text: str, expected: list[str]) -> None:
    assert added(code, PEANUTS[code], text) == [("allergy", value, True) for value in expected]


@pytest.mark.parametrize(
    ("code", "asked", "text", "count"),
    [
        ("en", "What would you like to drink?", "Coffee too.", 0),
        ("en", "Anything else?", "Shrimp too.", 1),
        ("zh", "你想喝什么？", "还有咖啡。", 0),
        ("zh", "还有别的吗？", "还有虾。", 1),
    ],
)
def test_a_bare_addition_answers_what_was_asked(code: str, asked: str, text: str, count: int) -> None:
    assert len(added(code, PEANUTS[code], text, asked)) == count


@pytest.mark.parametrize(
    ("code", "first", "second"),
    [
        ("en", "My sister is allergic to peanuts.", "And to shrimp."),
        ("en", "I live in Leeds.", "And to shrimp."),
        ("zh", "我妹妹对花生过敏。", "对虾也过敏。"),
        ("zh", "我住在杭州。", "还有虾。"),
    ],
)
def test_nothing_is_added_to_what_was_told_of_another(code: str, first: str, second: str) -> None:
    assert not any(fact[0] == "allergy" for fact in added(code, first, second))


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("en", "Or beef.", ["beef"]),
        ("en", "And no fish.", ["fish"]),
        ("en", "And no problem.", []),
        ("zh", "牛肉也不吃。", ["牛肉"]),
        ("zh", "也不吃羊肉。", ["羊肉"]),
        ("zh", "我妹妹也不吃。", []),
        *[("en", text, []) for text in ("And sleep.", "Also tired.", "And goodnight.", "And yet.", "or bed")],
        *[("zh", text, []) for text in ("今天也不吃。", "药也不吃。", "也不吃药。", "也不吃晚饭。", "藥也不吃。")],
        ("en", "Or shellfish.", ["shellfish"]),
        ("zh", "香菜也不吃。", ["香菜"]),
        ("zh", "蝦也不吃。", ["蝦"]),
    ],
)
def test_a_further_thing_not_eaten(code: str, text: str, expected: list[str]) -> None:
    assert added(code, PORK[code], text) == [("diet", value, False) for value in expected]


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("en", "And a dog.", ("pet", "dog", True)),
        ("en", "A dog too.", ("pet", "dog", True)),
        ("en", "And a dog called Rex.", ("pet", "dog called Rex", True)),
        ("en", "And two brothers.", ("sibling", "two brothers", True)),
        ("en", "And a good day to you.", None),
        ("en", "And a dog?", None),
        ("zh", "还有一只狗。", ("pet", "一只狗", True)),
        ("zh", "还有一只狗叫旺财。", ("pet", "叫旺财的狗", True)),
        ("zh", "还有两条狗。", ("pet", "两条狗", True)),
        ("zh", "還有一隻狗。", ("pet", "一隻狗", True)),
        ("zh", "还有一个弟弟。", ("sibling", "一个弟弟", True)),
        ("zh", "还有一个问题。", None),
        ("zh", "还有一只狗在外面叫。", None),
        ("zh", "还有一只狗吗？", None),
        ("en", "And a bird in the garden.", None),
        ("en", "And a mouse for my computer.", None),
        ("en", "And a dog, please.", None),
        ("en", "And a hot dog.", None),
        ("en", "And two small birds.", ("pet", "two small birds", True)),
        ("en", "And a sister.", ("sibling", "sister", True)),
        ("zh", "还有一只鸟在花园里。", None),
        ("zh", "还有一只鼠标。", None),
        ("zh", "还有一只鸭腿。", None),
        ("zh", "还有一条狗链。", None),
        ("zh", "还有一只小鸟。", ("pet", "一只小鸟", True)),
    ],
)
def test_a_further_pet(code: str, text: str, expected: tuple[str, str, bool] | None) -> None:
    assert added(code, CAT[code], text) == ([expected] if expected else [])
