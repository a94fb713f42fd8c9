"""Somebody introduces himself in one sentence: all he says of himself is found, in both languages."""

from __future__ import annotations

import pytest

from harness.language import load_packs
from harness.state import DialogueState, Persona, PersonaRef, fold
from harness.understanding.facts.extract import extract_facts

PACKS = load_packs()

INTRODUCTIONS = [
    (
        "en",
        "I'm Priya, 29, from Mumbai, a dentist in Leeds, I have two kids and a tortoise called Speedy, and I never learned to swim.",
        "name Priya|age 29|origin Mumbai|job dentist|workplace Leeds|child two kids|pet tortoise called Speedy|skill not swim",
    ),
    (
        "en",
        "My name is Priya, 29, from Mumbai, dentist in Leeds, two kids and a tortoise named Speedy, never learned to swim.",
        "name Priya|age 29|origin Mumbai|job dentist|workplace Leeds|child two kids|pet tortoise called Speedy|skill not swim",
    ),
    ("en", "I'm Li, a programmer from Shenzhen", "name Li|job programmer|origin Shenzhen"),
    ("en", "Hi, I'm Tom, nurse, from York.", "name Tom|job nurse|origin York"),
    ("en", "I'm Li, a nurse in Leeds.", "name Li|job nurse|workplace Leeds"),
    ("en", "I have a tortoise called Speedy and two kids.", "pet tortoise called Speedy|child two kids"),
    ("en", "I have a cat and a dog.", "pet cat|pet dog"),
    ("en", "I'm Anna, a friend of your sister.", "name Anna"),
    ("en", "I'm Anna, nurse, can you help me?", "name Anna"),
    ("en", "I'm Anna, is there a doctor here?", "name Anna"),
    ("en", "I'm a nurse from Monday.", "job nurse"),
    (
        "zh",
        "我叫普丽雅，今年29，孟买人，在利兹当牙医，有两个孩子和一只叫小快的乌龟，从来没学会游泳",
        "name 普丽雅|age 29|origin 孟买|job 牙医|workplace 利兹|child 两个孩子|pet 叫小快的乌龟|skill not 游泳",
    ),
    (
        "zh",
        "大家好，我是小张，今年二十五，护士，成都人，有一只猫。",
        "name 小张|age 二十五|job 护士|origin 成都|pet 一只猫",
    ),
    ("zh", "我是小张，程序员，深圳人", "name 小张|job 程序员|origin 深圳"),
    ("zh", "我是小張，護士，深圳人", "name 小張|job 護士|origin 深圳"),
    ("zh", "我是小张，深圳人，程序员。", "name 小张|origin 深圳|job 程序员"),
    ("zh", "我有两个孩子和一只猫。", "child 两个孩子|pet 一只猫"),
    ("en", "I'm Mia, 34, nurse from Oslo, two kids.", "name Mia|age 34|job nurse|origin Oslo|child two kids"),
    ("zh", "我叫小米，34岁，护士，两个孩子。", "name 小米|age 34岁|job 护士|child 两个孩子"),
    ("zh", "我叫小米，两个孩子在门口等你。", "name 小米"),
    ("zh", "我叫小明，老师，您好。", "name 小明"),
    ("zh", "我叫小明，好多人都认识我。", "name 小明"),
    ("zh", "我叫小明，没有人认识我。", "name 小明"),
    ("zh", "我叫小明，你是程序员吗？", "name 小明"),
    ("zh", "我住在上海，程序员很多。", "home 上海"),
]


@pytest.mark.parametrize(("code", "text", "expected"), INTRODUCTIONS)
def test_all_of_an_introduction_is_found(code: str, text: str, expected: str) -> None:
    state = DialogueState(persona=PersonaRef(id="m", name="Mia"))
    found = extract_facts(text, speaker="user", state=state, persona=Persona(name="Mia"), pack=PACKS.get(code), turn=1)
    facts = fold(state, found)[0].active_facts("user")
    known = {f"{fact.attribute} {'' if fact.polarity else 'not '}{fact.value}" for fact in facts}
    assert known == set(expected.split("|"))
    assert all(fact.quote in text for fact in facts)


@pytest.mark.parametrize(
    ("code", "text", "wrong"),
    [
        ("en", "I have a cat and two boys next door feed it.", "child"),
        ("en", "I'm Thai, cook for me!", "job"),
        ("en", "I don't eat after eight.", "diet"),
        ("en", "I don't eat before noon.", "diet"),
        ("en", "My tests said, I have an allergy to nuts.", "allergy an"),
        ("en", "I am at the dentist.", "job"),
        ("en", "She is my favourite singer.", "favourite"),
        ("zh", "我在牙医那里。", "job"),
        ("zh", "她是我最喜欢的歌手。", "favourite"),
        ("en", "I'm called away, sorry.", "name"),
        ("en", "I'm called back to work.", "name"),
        ("zh", "我有一只猫，隔壁两个男孩喂它。", "child"),
        ("zh", "我是泰国人，给我做饭吧！", "job"),
        ("zh", "我八点以后不吃东西。", "diet"),
        ("zh", "我被叫走了。", "name"),
        ("zh", "我姓啥来着", "name"),
        ("zh", "我姓什么来着", "name"),
    ],
)
def test_what_only_looks_like_an_introduction(code: str, text: str, wrong: str) -> None:
    state = DialogueState(persona=PersonaRef(id="m", name="Mia"))
    found = extract_facts(text, speaker="user", state=state, persona=Persona(name="Mia"), pack=PACKS.get(code), turn=1)
    facts = fold(state, found)[0].active_facts("user")
    assert not any(f"{fact.attribute} {fact.value}".startswith(wrong) for fact in facts)


@pytest.mark.parametrize(
    ("code", "text", "right"),
    [
        ("en", "I have a cat and two boys.", "child two boys"),
        ("en", "I'm Tom, cook for a school.", "job cook"),
        ("en", "I don't eat eggs.", "diet eggs"),
        ("en", "I have a nut allergy.", "allergy nut"),
        ("en", "I am a dentist.", "job dentist"),
        ("en", "Adele is my favourite singer.", "favourite singer Adele"),
        ("en", "I'm called Anna.", "name Anna"),
        ("zh", "我姓王。", "name 王"),
        ("zh", "我有两个孩子和一只猫。", "child 两个孩子"),
    ],
)
def test_its_look_alikes_stay(code: str, text: str, right: str) -> None:
    state = DialogueState(persona=PersonaRef(id="m", name="Mia"))
    found = extract_facts(text, speaker="user", state=state, persona=Persona(name="Mia"), pack=PACKS.get(code), turn=1)
    facts = fold(state, found)[0].active_facts("user")
    assert right in {f"{fact.attribute} {fact.value}" for fact in facts}
