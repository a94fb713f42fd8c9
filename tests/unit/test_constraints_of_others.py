"""What the user's people must not have is not suggested for them; for anybody else it may be."""

from __future__ import annotations

import pytest

from harness.language import load_packs
from harness.state import Message
from harness.understanding.checks.constraints import check_constraints
from tests.unit.test_constraints_told import after

PACKS = load_packs()


def kinds(code: str, told: tuple[str, ...], asked: str, reply: str) -> list[str]:
    said = tuple(Message(speaker="user", text=text, turn=turn) for turn, text in enumerate(told, 1))
    state = after(code, *told).model_copy(update={"messages": said})
    return [one.kind for one in check_constraints(reply, asked, state=state, pack=PACKS.get(code))]


MAYA = ("My daughter Maya is allergic to nuts.",)
NUER = ("我女儿对芒果过敏。",)
DUODUO = ("我女儿朵朵对芒果过敏。",)


@pytest.mark.parametrize(
    ("code", "told", "asked", "reply"),
    [
        ("en", MAYA, "What cake should I bake for Maya's birthday?", "A walnut cake."),
        ("en", MAYA, "What cake should I bake for my daughter?", "A walnut cake, she'll love it."),
        ("en", MAYA, "What should I put in Maya's lunchbox? Any ideas?", "Some almonds and an apple."),
        ("en", MAYA, "What should I cook for my kids tonight?", "Pasta with a walnut sauce."),
        ("en", MAYA, "It's Maya's birthday tomorrow. What should I bake for her?", "A walnut cake."),
        ("en", MAYA, "What should I bake for her birthday?", "A hazelnut cake."),
        ("en", MAYA, "Maya comes home today.", "You should make her a walnut cake."),
        ("en", ("My husband is vegetarian.",), "What could I cook for my husband?", "Roast beef."),
        ("en", ("My friend Tom is a vegan.",), "Tom is coming. What should I cook?", "Roast chicken."),
        ("en", ("My son can't eat eggs.",), "What can I make my son for breakfast?", "An omelette."),
        ("en", (), "My daughter is allergic to nuts. What cake should I bake for her birthday?", "A walnut cake."),
        ("zh", NUER, "我女儿生日做什么蛋糕好？", "芒果西米露。"),
        ("zh", NUER, "给我女儿做点什么甜品？", "给她做个芒果布丁吧。"),
        ("zh", NUER, "她生日快到了，做点什么好？", "芒果蛋糕。"),
        ("zh", DUODUO, "朵朵生日做什么蛋糕好？", "芒果慕斯。"),
        ("zh", DUODUO, "给我女儿做什么甜品？", "芒果西米露。"),
        ("zh", ("我老公不吃猪肉。",), "给我老公做什么菜？", "糖醋排骨。"),
        ("zh", ("我妈吃素。",), "我妈来了，做什么菜好？", "红烧肉。"),
        ("zh", ("我儿子不能吃鸡蛋。",), "我儿子早饭吃什么好？", "番茄炒鸡蛋。"),
        ("zh", (), "我女儿对芒果过敏，给她做什么甜品好？", "芒果西米露。"),
    ],
)  # fmt: skip
def test_what_one_of_theirs_must_not_have_is_found(code: str, told: tuple[str, ...], asked: str, reply: str) -> None:
    assert kinds(code, told, asked, reply) == ["against_constraint"]


@pytest.mark.parametrize(
    ("code", "told", "asked", "reply"),
    [
        ("en", MAYA, "What cake should I bake for Maya's birthday?", "A lemon cake."),
        ("en", MAYA, "What cake should I bake for Maya's birthday?", "A lemon cake, no nuts."),
        ("en", MAYA, "What cake should I bake for Maya's birthday?", "A lemon cake, and a walnut one for the grown-ups."),
        ("en", MAYA, "What cake should I bake for Maya's teacher?", "A walnut cake."),
        ("en", MAYA, "What cake should I bake for my boss?", "A walnut cake."),
        ("en", MAYA, "What cake should I bake for Dad? Maya wants to help.", "A walnut cake."),
        ("en", MAYA, "What cake should I have with my coffee?", "A walnut cake."),
        ("en", MAYA, "Maya is away. What should I eat?", "A walnut salad."),
        ("en", MAYA, "What should Maya and I bake for my mum?", "A walnut cake."),
        ("en", MAYA, "Maya drew a heron today.", "Lovely. I had a walnut cake."),
        ("en", MAYA, "Maya drew a heron today.", "Sweet. Try this walnut cake of mine."),
        ("en", ("My husband is vegetarian.",), "What should I cook for my sister?", "Roast beef."),
        ("en", ("My husband is vegetarian.",), "What should I have for lunch?", "A ham roll."),
        ("en", ("My daughter isn't allergic to nuts.",), "What cake should I bake for my daughter?", "A walnut cake."),
        ("zh", NUER, "我女儿生日做什么蛋糕好？", "草莓蛋糕。"),
        ("zh", NUER, "我女儿生日做什么蛋糕好？", "草莓蛋糕，别放芒果。"),
        ("zh", NUER, "给我女儿的老师做什么甜品？", "芒果西米露。"),
        ("zh", NUER, "给我老公做什么甜品？", "芒果西米露。"),
        ("zh", NUER, "我想吃甜品，吃什么好？", "芒果西米露。"),
        ("en", MAYA, "Maya drew a heron. What should I have for lunch?", "A walnut salad."),
        ("zh", NUER, "我女儿画了只白鹭。我中午吃什么好？", "芒果沙拉。"),
        ("zh", NUER, "我女儿不在家，我吃什么好？", "芒果西米露。"),
        ("zh", NUER, "我女儿今天画了只白鹭。", "真好。我刚吃了个芒果。"),
        ("zh", ("我妈吃素。",), "给我姐做什么菜好？", "红烧肉。"),
        ("zh", ("我妈吃素。",), "我晚饭吃什么好？", "红烧肉。"),
    ],
)  # fmt: skip
def test_what_is_for_somebody_else_passes(code: str, told: tuple[str, ...], asked: str, reply: str) -> None:
    assert kinds(code, told, asked, reply) == []
