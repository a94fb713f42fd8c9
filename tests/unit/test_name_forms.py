"""Which names are forms of the character's own, and which two characters are a full name instead of a word."""

from __future__ import annotations

import pytest

from harness.language import load_packs
from harness.state import DialogueState, Notice, Persona, PersonaFact, PersonaRef
from harness.understanding.checks.calling import wrong_name
from harness.understanding.checks.consistency import check_premise
from harness.understanding.facts.name_forms import is_form_of

PACKS = load_packs()
ASIDE = {"en": "Busy night, {}?", "zh": "{}，今晚忙吗？"}


def noticed(code: str, own: str, text: str) -> str:
    who = Persona(name=own, id="who", language=code)
    state = DialogueState(persona=PersonaRef(id="who", name=own), language=code)
    notice = wrong_name(text, state=state, persona=who, pack=PACKS.get(code))
    return notice.value if notice else ""


@pytest.mark.parametrize(
    ("code", "own", "name"),
    [
        ("en", "Marcus", "Mary"),
        ("en", "Marcus", "Marie"),
        ("en", "Mia", "Misty"),
        ("en", "Mia", "Milly"),
        ("en", "Mia", "Mindy"),
        ("en", "Jonas", "Jody"),
        ("en", "Jonas", "Josy"),
        ("en", "Bert", "Betty"),
        ("en", "Peter", "Penny"),
        ("en", "Sandro", "Sally"),
        ("en", "Tomas", "Toby"),
        ("en", "Anna", "Joanna"),
        ("en", "Daria", "Davis"),
        ("zh", "李明", "李强"),
        ("zh", "李明", "李小明"),
        ("zh", "李明", "王明"),
        ("zh", "李明", "小强"),
        ("zh", "李明", "阿强"),
        ("zh", "白鹭", "白静"),
        ("zh", "白鹭", "小芳"),
        ("zh", "陆青禾", "陆远山"),
        ("zh", "欧阳雪", "欧阳锋"),
    ],
)
def test_a_name_that_only_begins_alike_is_not_its_own(code: str, own: str, name: str) -> None:
    assert noticed(code, own, ASIDE[code].format(name)) == name


@pytest.mark.parametrize(
    ("code", "own", "name"),
    [
        ("en", "Marcus", "Marc"),
        ("en", "Marcus", "Mark"),
        ("en", "Marcus", "Marky"),
        ("en", "Marcus", "Marcy"),
        ("en", "Mia", "Mi"),
        ("en", "Mia", "Mimi"),
        ("en", "Jonas", "Jon"),
        ("en", "Jonas", "Jonny"),
        ("en", "Jonas", "Jo"),
        ("en", "Teodora Blum", "Teo"),
        ("en", "Teodora Blum", "Dora"),
        ("en", "Harriet", "Harry"),
        ("en", "James", "Jamie"),
        ("en", "Barbara", "Barbs"),
        ("en", "Gabriel", "Gabs"),
        ("en", "Sharon", "Shaz"),
        ("en", "Rupert", "Rupie"),
        ("en", "Elizabeth", "Lizzie"),
        ("en", "Mary Ann", "Ann"),
        ("zh", "李明", "小明"),
        ("zh", "李明", "阿明"),
        ("zh", "李明", "明明"),
        ("zh", "李明", "李明"),
        ("zh", "李明", "老李"),
        ("zh", "李明", "小李"),
        ("zh", "李明", "明哥"),
        ("zh", "李明", "李先生"),
        ("zh", "白鹭", "鹭鹭"),
        ("zh", "白鹭", "小鹭"),
        ("zh", "白鹭", "白姐"),
        ("zh", "白鹭", "鹭儿"),
        ("zh", "陆青禾", "青禾"),
        ("zh", "陆青禾", "青青"),
        ("zh", "陆青禾", "禾禾"),
        ("zh", "欧阳雪", "小雪"),
        ("zh", "欧阳雪", "欧阳"),
        ("zh", "安娜·卡列尼娜", "安娜"),
    ],
)
def test_short_forms_and_pet_forms_are_its_own(code: str, own: str, name: str) -> None:
    assert noticed(code, own, ASIDE[code].format(name)) == ""
    if name not in ("Shaz", "欧阳"):  # a sound that changes, and a family name alone, raise nothing but are no forms
        assert is_form_of(name, (own,), PACKS.get(code))


@pytest.mark.parametrize(
    "name",
    ["李娜", "王芳", "刘强", "陈静", "张伟", "赵敏", "孙丽", "周杰", "吴磊", "徐梅", "朱琳", "高军", "夏静", "马超"],
)
@pytest.mark.parametrize("text", ["{}，今晚忙吗？", "今晚忙吗，{}？", "晚上好，{}！", "{}，你在吗？"])
def test_a_full_name_of_two_characters_calls_somebody(name: str, text: str) -> None:
    assert noticed("zh", "白鹭", text.format(name)) == name


WORDS = [
    "高兴",
    "马上",
    "白天",
    "方便",
    "安全",
    "平时",
    "安静",
    "明天",
    "周末",
    "向来",
    "谢谢",
    "张开",
    "明明",
    "明白",
    "全天",
    "房子",
    "黄金",
    "成立",
    "温柔",
    "游泳",
    "乐意",
    "常年",
    "高铁",
    "阳光",
    "王子",
    "李子",
    "祝贺",
    "关爱",
    "连长",
    "班长",
    "石头",
    "元宵",
    "凌晨",
    "冷静",
    "时光",
    "万元",
    "许久",
    "单程",
    "荣誉",
    "严肃",
    "白云",
    "温泉",
    "管理",
    "全程",
    "秋天",
    "夏天",
    "高山",
    "丰富",
    "包子",
    "安康",
    "成天",
    "全国",
    "白雪",
    "洪福",
    "金秋",
    "甘露",
    "山东",
    "韩国",
    "江苏",
    "黄河",
    "黄山",
    "华山",
    "宁波",
    "安心",
    "常常",
    "简单",
    "应该",
    "任何",
    "毕竟",
    "于是",
    "左右",
    "万一",
]


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("text", ["{}，今晚忙吗？", "今晚忙吗，{}？", "{}，你在吗？", "{}！"])
def test_an_ordinary_word_calls_nobody(word: str, text: str) -> None:
    assert noticed("zh", "白鹭", text.format(word)) == ""


def claimed(own: str, text: str, code: str) -> list[Notice]:
    who = Persona(name=own, id="who", language=code)
    state = DialogueState(persona=PersonaRef(id="who", name=own), language=code)
    return [n for n in check_premise(text, state=state, persona=who, pack=PACKS.get(code)) if n.kind == "contradiction"]


@pytest.mark.parametrize(
    ("code", "own", "text", "wrong"),
    [
        ("zh", "李明", "你叫李小明，对吧？", True),
        ("zh", "王芳", "你叫王小芳，对吧？", True),
        ("zh", "陈静", "你叫陈文静，对吧？", True),
        ("zh", "李小明", "你叫李明，对吧？", True),
        ("zh", "李明", "你叫李强，对吧？", True),
        ("zh", "李明", "你叫李明，对吧？", False),
        ("zh", "李明", "你叫小明，对吧？", False),
        ("en", "Marcus Bell", "Your name is MB, right?", True),
        ("en", "Marcus Bell", "Your name is Mary, right?", True),
        ("en", "Marcus Bell", "Your name is Marc, right?", False),
    ],
)
def test_a_claimed_name_is_compared_as_a_name(code: str, own: str, text: str, *, wrong: bool) -> None:
    assert bool(claimed(own, text, code)) is wrong


@pytest.mark.parametrize(
    ("code", "held", "text", "wrong"),
    [
        ("zh", "东北大学", "你是北大毕业的，对吧？", True),
        ("zh", "北京大学", "你是北大毕业的，对吧？", False),
        ("zh", "中国人民大学", "你是人大毕业的，对吧？", False),
        ("zh", "南京大学", "你是南大毕业的，对吧？", False),
        ("en", "University College London", "You studied at UCL, right?", False),
        ("en", "University of Leeds", "You studied at UCL, right?", True),
    ],
)
def test_short_names_of_schools(code: str, held: str, text: str, *, wrong: bool) -> None:
    fact = PersonaFact(attribute="school", value=held)
    who = Persona(name="Ada", id="who", language=code, facts=(fact,))
    state = DialogueState(persona=PersonaRef(id="who", name="Ada"), language=code)
    found = check_premise(text, state=state, persona=who, pack=PACKS.get(code))
    assert [n.kind for n in found] == (["contradiction"] if wrong else [])
