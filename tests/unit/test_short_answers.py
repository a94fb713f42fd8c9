from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from harness.language import load_packs
from harness.understanding.facts.short_answers import read_answer

PACKS = load_packs()
Row = tuple[str, str, bool]

ANSWERS = [
    ("en", "Which camera do you use?", "A Canon, bought last May.", ("camera", "Canon", True)),
    ("en", "What kind of music do you play?", "Folk.", ("music", "Folk", True)),
    ("en", "What's your locker number?", "4172.", ("locker number", "4172", True)),
    ("en", "What's your favourite colour?", "Green.", ("favourite colour", "Green", True)),
    ("en", "What's your cat called?", "Miso.", ("pet", "cat called Miso", True)),
    ("en", "Where do you live?", "In Leeds.", ("home", "Leeds", True)),
    ("en", "How old are you?", "Thirty-one.", ("age", "thirty-one", True)),
    ("en", "Do you like mushrooms?", "Yes, I do.", ("likes", "mushrooms", True)),
    ("en", "Do you like mushrooms?", "Hate them.", ("likes", "mushrooms", False)),
    ("en", "Do you have any pets?", "Yes, two cats.", ("pet", "two cats", True)),
    ("en", "Do you have any pets?", "No.", ("pet", "pets", False)),
    ("en", "Do you smoke?", "Never.", ("smoking", "cigarettes", False)),
    ("en", "Can you swim?", "Not really.", ("skill", "swim", False)),
    ("zh", "你用什么相机？", "佳能的，去年五月买的。", ("相机", "佳能", True)),
    ("zh", "你平时弹什么琴？", "古琴。", ("琴", "古琴", True)),
    ("zh", "你的柜子号是多少？", "4172。", ("柜子号", "4172", True)),
    ("zh", "你最喜欢的颜色是什么？", "绿色。", ("最喜欢的颜色", "绿色", True)),
    ("zh", "你的猫叫什么？", "芝麻。", ("pet", "叫芝麻的猫", True)),
    ("zh", "你住哪儿？", "厦门。", ("home", "厦门", True)),
    ("zh", "你多大了？", "三十一。", ("age", "三十一岁", True)),
    ("zh", "你喜欢蘑菇吗？", "喜欢啊。", ("likes", "蘑菇", True)),
    ("zh", "你喜欢蘑菇吗？", "讨厌死了。", ("likes", "蘑菇", False)),
    ("zh", "你有没有兄弟姐妹？", "有，两个哥哥。", ("sibling", "两个哥哥", True)),
    ("zh", "你养宠物吗？", "没有。", ("pet", "宠物", False)),
    ("zh", "你抽烟吗？", "不抽。", ("smoking", "抽烟", False)),
    ("zh", "你会游泳吗？", "从来没学过。", ("skill", "游泳", False)),
]


@pytest.mark.parametrize(("code", "asked", "text", "expected"), ANSWERS)
def test_what_is_left_out_stands_in_the_question(code: str, asked: str, text: str, expected: Row) -> None:
    found = [(c.attribute, c.value, c.polarity) for c in read_answer(text, asked, PACKS.get(code))]
    assert found == [expected]


SILENT = [
    ("en", "What's my favourite colour?", "Quiet, so far."),
    ("en", "What am I allergic to?", "Quiet. Strawberries, perhaps."),
    ("en", "Do you remember where I live?", "Leeds."),
    ("en", "How old am I?", "Forty-three."),
    ("en", "What's our cat called?", "Pixel."),
    ("zh", "我最喜欢的电影是哪部？", "顺手的时候。"),
    ("zh", "我的生日是哪天？", "三月九号。"),
    ("zh", "你还记得我住哪儿吗？", "合肥。"),
    ("zh", "我今年多大了？", "四十三。"),
    ("zh", "我们家的猫叫什么？", "像素。"),
    ("en", "Where do you live?", "Guess!"),
    ("en", "Where do you live?", "Why do you ask?"),
    ("en", "Where do you live?", "I don't know."),
    ("en", "Where do you live?", "That's a secret."),
    ("en", "Do you prefer tea or coffee?", "Yes."),
    ("en", "Why do you like rain?", "Yes."),
    ("en", "Lovely weather today.", "Yes."),
    ("en", "", "A Canon."),
    ("en", "How are you?", "Fine."),
    ("en", "What are your plans for the summer?", "Thanks, Maria!"),
    ("en", "Do you like painting?", "Thanks, Maria!"),
    ("en", "Which bus do you take?", "Recently, I walk."),
    ("en", "How long have you been married?", "Five years."),
    ("en", "Camping with pets is good for you, right?", "Maria, it is."),
    ("zh", "你夏天的计划是什么？", "谢谢，小玛！"),
    ("zh", "你喜欢画画吗？", "谢谢，小玛！"),
    ("zh", "你坐什么车？", "最近，我都走路。"),
    ("zh", "你结婚多久了？", "五年。"),
    ("zh", "带宠物露营很好吧？", "小玛，是很好。"),
    ("zh", "你住哪儿？", "你猜。"),
    ("zh", "你住哪儿？", "问这个干嘛？"),
    ("zh", "你住哪儿？", "不知道。"),
    ("zh", "你住哪儿？", "这是秘密。"),
    ("zh", "你喜欢茶还是咖啡？", "喜欢。"),
    ("zh", "你为什么喜欢下雨？", "对。"),
    ("zh", "今天天气真好。", "对啊。"),
    ("zh", "", "佳能的。"),
    ("zh", "你好吗？", "还好。"),
]


@pytest.mark.parametrize(("code", "asked", "text"), SILENT)
def test_evasions_and_answers_to_nothing_state_nothing(code: str, asked: str, text: str) -> None:
    assert read_answer(text, asked, PACKS.get(code)) == ()


@settings(deadline=None)  # the first text has all patterns compiled
@given(st.text(max_size=80), st.text(max_size=80))
def test_any_exchange_has_a_reading(asked: str, text: str) -> None:
    for code in ("en", "zh"):
        for claim in read_answer(text, asked + "?", PACKS.get(code)):
            assert claim.attribute
            assert claim.value
