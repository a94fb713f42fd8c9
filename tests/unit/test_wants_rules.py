from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from harness.language import load_packs
from harness.understanding.facts.wants import read_wants, want_attributes

PACKS = load_packs()


def wants(code: str, text: str, *, asked: str = "", looking: bool = False) -> dict[str, str]:
    found = read_wants(text, PACKS.get(code), asked=asked, looking=looking)
    return {
        claim.attribute.removeprefix("wanted "): ("" if claim.polarity else "not ") + claim.value for claim in found
    }


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        (
            "en",
            "We need a moderately priced Greek place downtown.",
            {"price": "moderate", "food": "greek", "area": "centre"},
        ),
        ("en", "Is there an upscale restaurant on the west side?", {"price": "expensive", "area": "west"}),
        ("en", "Somewhere that serves Bhutanese food would be nice.", {"food": "bhutanese"}),
        ("en", "I'd like a flat in the north, nothing too expensive.", {"area": "north", "price": "not expensive"}),
        ("en", "I want to eat tapas, any part of town is fine.", {"food": "tapas", "area": "any"}),
        ("zh", "我们想找一家市中心中等价位的希腊菜馆子。", {"price": "中等", "food": "希腊菜", "area": "市中心"}),
        ("zh", "城西有没有高档一点的餐厅？", {"price": "贵", "area": "西边"}),
        ("zh", "想找一家不丹菜馆。", {"food": "不丹菜"}),
        ("zh", "我想在城北租个公寓，不要太贵。", {"area": "北边", "price": "not 贵"}),
        ("zh", "我想吃火锅，哪边都行。", {"food": "火锅", "area": "任何"}),
    ],
)
def test_what_is_looked_for(code: str, text: str, expected: dict[str, str]) -> None:
    assert wants(code, text) == expected


@pytest.mark.parametrize(
    ("code", "alone", "placed", "expected"),
    [
        ("en", "I'm so hungry, I want pizza.", "I want pizza in the north.", {"food": "pizza", "area": "north"}),
        ("zh", "饿死了，想吃披萨。", "想吃披萨，在北边。", {"food": "披萨", "area": "北边"}),
    ],
)
def test_who_is_hungry_for_a_dish_does_not_look_for_a_place(
    code: str, alone: str, placed: str, expected: dict[str, str]
) -> None:
    assert wants(code, alone) == {}
    assert wants(code, alone, looking=True) == {"food": expected["food"]}
    assert wants(code, placed) == expected


@pytest.mark.parametrize(
    ("code", "text", "asked", "expected"),
    [
        ("en", "Cheap, please.", "What price range?", {"price": "cheap"}),
        ("en", "Doesn't matter.", "Which area would you prefer?", {"area": "any"}),
        ("en", "I don't care.", "Would you like the north or the south?", {"area": "any"}),
        ("en", "Whatever.", "Did you sleep well?", {}),
        ("en", "Italian.", "What kind of food do you like?", {}),
        ("zh", "便宜的。", "预算是多少？", {"price": "便宜"}),
        ("zh", "随便。", "想要哪个区域的？", {"area": "任何"}),
        ("zh", "都行。", "城南还是城北？", {"area": "任何"}),
        ("zh", "随便。", "昨晚睡得好吗？", {}),
        ("zh", "意大利菜。", "你喜欢什么菜？", {}),
    ],
)
def test_short_answers_are_read_with_their_question(code: str, text: str, asked: str, expected: dict[str, str]) -> None:
    assert wants(code, text, asked=asked) == expected


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [("en", "How about Turkish?", {"food": "turkish"}), ("zh", "那日料呢？", {"food": "日本菜"})],
)
def test_a_proposal_counts_only_while_something_is_looked_for(code: str, text: str, expected: dict[str, str]) -> None:
    assert wants(code, text) == {}
    assert wants(code, text, looking=True) == expected


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "I'm from the north of Norway."),
        ("en", "I love Chinese food."),
        ("en", "Is it expensive?"),
        ("en", "My car was cheap."),
        ("en", "I don't care."),
        ("en", "The restaurant was cheap and Italian."),
        ("en", "I'm interested in Chinese history."),
        ("en", "Today I went to a new Turkish restaurant."),
        ("en", "Do you have any recommended food shows?"),
        ("en", "I prefer Sichuan food."),
        ("zh", "我对法国菜的历史感兴趣。"),
        ("zh", "今天我去了一家新开的泰国菜馆。"),
        ("zh", "你有什么推荐的美食节目吗？"),
        ("zh", "我更喜欢川菜。"),
        ("zh", "我是北部人。"),
        ("zh", "我爱吃川菜。"),
        ("zh", "贵吗？"),
        ("zh", "我的车很便宜。"),
        ("zh", "随便。"),
        ("zh", "那家餐厅是法国菜。"),
    ],
)
def test_words_in_passing_want_nothing(code: str, text: str) -> None:
    assert wants(code, text) == {}


@pytest.mark.parametrize("code", PACKS.codes)
def test_every_slot_has_an_attribute(code: str) -> None:
    pack = PACKS.get(code)
    for key in want_attributes(pack):
        attribute = pack.attribute(key)
        assert attribute is not None
        assert attribute.single
        assert attribute.statement


@given(st.text(max_size=60), st.text(max_size=60), st.booleans())
def test_any_text_has_an_answer(text: str, asked: str, looking: bool) -> None:
    for code in ("en", "zh"):
        for claim in read_wants(text, PACKS.get(code), asked=asked, looking=looking):
            assert claim.attribute in want_attributes(PACKS.get(code))
