"""What a Markdown file says, piece by piece."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from harness.memory.markdown import LONGEST, pieces


def said(text: str) -> list[str]:
    return [piece.text for piece in pieces(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "# Nora\n\nShe sails.\n\n- No nuts.\n- Tea, *never* `coffee`.\n",
            ["She sails.", "No nuts.", "Tea, never coffee."],
        ),
        (
            "# 诺拉\n\n她会开帆船。\n\n- 不吃坚果。\n- 喝茶，**不**喝咖啡。\n",
            ["她会开帆船。", "不吃坚果。", "喝茶，不喝咖啡。"],
        ),
        ("# Shop\n\n## Deploys\n\n- Never on Fridays.\n", ["Deploys: Never on Fridays."]),
        ("# 商店\n\n## 发布\n\n- 周五不发布。\n", ["发布：周五不发布。"]),
        ("Things to mind:\n\n- the dog\n- the step\n", ["Things to mind: the dog", "Things to mind: the step"]),
        ("注意：\n\n- 有狗\n- 有台阶\n", ["注意：有狗", "注意：有台阶"]),
        ("- Breakfast:\n  - eggs\n- Dinner\n", ["Breakfast: eggs", "Dinner"]),
        ("- 早餐：\n  - 鸡蛋\n- 晚餐\n", ["早餐：鸡蛋", "晚餐"]),
        ("## Never ask about Leeds\n\n## Be brief\n", ["Never ask about Leeds", "Be brief"]),
        ("## 不要问利兹的事\n\n## 说话简短\n", ["不要问利兹的事", "说话简短"]),
        ("| name | city |\n|---|---|\n| Tom | Leeds |\n", ["name: Tom; city: Leeds"]),
        ("| 名字 | 城市 |\n|---|---|\n| 阿诚 | 上海 |\n", ["名字：阿诚；城市：上海"]),
        ("第一行\n第二行\n", ["第一行第二行"]),
        ("one\ntwo\n", ["one two"]),
        ("---\ntags: x\n---\nAfter.\n", ["After."]),
        ("<!-- not this -->\n\nThis.\n", ["This."]),
        ("```\nmake check\n```\n", ["make check"]),
        ("", []),
        ("---\n\n…\n", []),
    ],
)
def test_every_bullet_and_paragraph_is_one_piece(text: str, expected: list[str]) -> None:
    assert said(text) == expected


@pytest.mark.parametrize(
    ("text", "pinned"),
    [
        ("- ! Never name the client.\n- Rest.\n", [True, False]),
        ("- ！不要提客户的名字。\n- 其他。\n", [True, False]),
        ("## ! Rules\n\n- One.\n\n## More\n\n- Two.\n", [True, False]),
        ("## ！规矩\n\n- 一。\n\n## 其他\n\n- 二。\n", [True, False]),
        ("- ! Always:\n  - brief\n  - kind\n", [True, True]),
        ("![a picture](x.png) of her\n", [False]),
    ],
)
def test_a_mark_pins(text: str, pinned: list[bool]) -> None:
    found = pieces(text)
    assert [piece.pinned for piece in found] == pinned
    assert not [piece.text for piece in found if piece.text.startswith(("!", "！"))]


def test_lines_are_those_of_the_file() -> None:
    text = "---\na: b\n---\n# T\n\none\n\n## H\n\n- two\n- three\n\n| a |\n|---|\n| four |\n"
    assert [(piece.text, piece.line) for piece in pieces(text)] == [
        ("one", 6),
        ("H: two", 10),
        ("H: three", 11),
        ("H: a: four", 15),
    ]


def test_headings_are_searched_by() -> None:
    assert pieces("# Nora\n\n## Food\n\nNo nuts.\n")[0].above == ("Nora", "Food")


@pytest.mark.parametrize("sentence", ["She likes the ferry to Leeds very much. ", "她很喜欢坐渡轮去利兹。"])
def test_a_long_paragraph_is_parted_between_sentences(sentence: str) -> None:
    text = sentence * 100
    found = said(text)
    assert len(found) > 1
    assert max(map(len, found)) <= LONGEST
    assert "".join("".join(found).split()) == "".join(text.split())
    assert all(part.endswith((".", "。")) for part in found)


@given(st.text(alphabet=st.sampled_from("#-*1.!！ \n\t:：|`>ab你好<>[]()"), max_size=80))
def test_any_text_is_read(text: str) -> None:
    lines = text.count("\n") + 1
    for piece in pieces(text):
        assert 0 <= piece.line <= lines
        assert piece.text.strip()
