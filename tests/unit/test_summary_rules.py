from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given, settings, strategies as st

from harness.language import load_packs
from harness.state import Message
from harness.understanding.summary import summarize_rules

PACKS = load_packs()


def count(text: str) -> int:
    """About what a tokenizer gives: four Latin characters or one Han character."""
    return math.ceil(sum(1.0 if ord(char) > 0x2E80 else 0.25 for char in text))


def messages(*texts: str) -> list[Message]:
    return [
        Message(speaker="user" if i % 2 == 0 else "character", text=text, turn=i // 2 + 1)
        for i, text in enumerate(texts)
    ]


def summary(
    code: str,
    said: list[Message],
    *,
    limit: int = 200,
    previous: str = "",
    user: str = "Ada",
    tokens: Callable[[str], int] = count,
) -> str:
    return summarize_rules(
        said,
        previous=previous,
        persona_name="Nora",
        user_name=user,
        pack=PACKS.get(code),
        max_tokens=limit,
        count_tokens=tokens,
    )


ENGLISH = messages(
    "Good evening! How are you?",
    "I'm good, thanks. And you?",
    "Fine. My daughter Petra starts school on September 3rd.",
    "How lovely! Is she excited?",
    "She counts the days. She is allergic to peanuts, though.",
    "I'll send you the recipe for nut-free cookies tomorrow.",
    "Thanks!",
    "You're welcome.",
    "What is the number of the bus to the harbour?",
    "It is 47.",
    "haha ok",
    "Take care!",
)
CHINESE = messages(
    "晚上好呀",
    "你好，最近怎么样？",
    "还行。我女儿佩佩9月3号上小学。",
    "真好！她期待吗？",
    "她每天都在数日子。不过她对花生过敏。",
    "我明天把无坚果饼干的食谱发给你。",
    "谢谢",
    "不客气",
    "去码头坐几路公交车？",
    "坐47路。",
    "哈哈好的",
    "再见",
)


@pytest.mark.parametrize(
    ("code", "said", "kept", "dropped"),
    [
        (
            "en",
            ENGLISH,
            (
                "[2] Ada: My daughter Petra starts school on September 3rd.",
                "allergic to peanuts",
                "[3] Nora: I'll send you",
                "It is 47",
                "[5] Ada:",
            ),
            ("Good evening", "Thanks", "welcome", "haha", "Take care"),
        ),
        (
            "zh",
            CHINESE,
            ("[2] Ada：我女儿佩佩9月3号上小学。", "对花生过敏", "[3] Nora：我明天把", "坐47路", "[5] Ada："),
            ("晚上好", "谢谢", "不客气", "哈哈", "再见"),
        ),
    ],
)
def test_it_keeps_who_said_what_and_when_and_drops_small_talk(
    code: str, said: list[Message], kept: tuple[str, ...], dropped: tuple[str, ...]
) -> None:
    text = summary(code, said)
    for words in kept:
        assert words in text
    for words in dropped:
        assert words not in text


@pytest.mark.parametrize("limit", [1, 3, 7, 12, 20, 33, 50, 80, 120, 400])
@pytest.mark.parametrize(
    ("code", "said"), [("en", ENGLISH), ("zh", CHINESE), ("en", [*ENGLISH, *CHINESE]), ("zh", [*ENGLISH, *CHINESE])]
)
def test_it_always_fits(code: str, said: list[Message], limit: int) -> None:
    assert count(summary(code, said, limit=limit)) <= limit


@pytest.mark.parametrize(
    ("code", "said", "first"),
    [
        ("en", ENGLISH, "I'll send you the recipe"),
        ("zh", CHINESE, "我明天把无坚果饼干的食谱发给你"),
    ],
)
def test_a_promise_outranks_the_rest(code: str, said: list[Message], first: str) -> None:
    assert first in summary(code, said, limit=26)


@pytest.mark.parametrize(
    ("code", "telling"),
    [
        ("en", "My brother Anton lives in Riga."), ("en", "The gate code is 9021."), ("en", "I promise to water the plants."),
        ("en", "I hate olives."), ("en", "I moved here from Ghent."), ("en", "My birthday is in May."),
        ("en", "I work as a locksmith."), ("en", "We have 3 parrots."), ("en", "Don't forget to lock the shed."),
        ("en", "Actually, I prefer trains."), ("en", "I'm allergic to wasps."), ("en", "Our dog is called Biscuit."),
        ("en", "I have no car."), ("en", "I speak Danish."), ("en", "The deadline is on the 9th."),
        ("zh", "我弟弟陈安住在苏州。"), ("zh", "大门密码是9021。"), ("zh", "我答应给花浇水。"),
        ("zh", "我讨厌橄榄。"), ("zh", "我是从厦门搬来的。"), ("zh", "我的生日在五月。"),
        ("zh", "我是一名锁匠。"), ("zh", "我家有3只鹦鹉。"), ("zh", "记得锁好棚子。"),
        ("zh", "其实我更喜欢坐火车。"), ("zh", "我对蜂蜜过敏。"), ("zh", "我养了一条狗，叫饼干。"),
        ("zh", "我没有车。"), ("zh", "我今年四十岁。"), ("zh", "最晚九号之前要交。"),
    ],
)  # fmt: skip
def test_what_tells_something_outranks_what_does_not(code: str, telling: str) -> None:
    idle = (
        "The light over there looks like that again somehow, with the clouds."
        if code == "en"
        else "那边的光线看起来又是那个样子，还有云彩之类的。"
    )
    said = messages(
        idle,
        idle.replace("clouds", "leaves").replace("云彩", "叶子"),
        telling,
        idle.replace("clouds", "waves").replace("云彩", "波浪"),
    )
    assert telling in summary(code, said, limit=count(telling) + 12)


@pytest.mark.parametrize(
    ("code", "previous"),
    [
        ("en", "[1] Ada: I have a boat called Tern.\n[2] Nora: I was born in 1961."),
        ("zh", "[1] Ada：我有一条船叫燕鸥。\n[2] Nora：我1961年出生。"),
    ],
)
def test_the_previous_summary_is_merged_in_front(code: str, previous: str) -> None:
    said = ENGLISH if code == "en" else CHINESE
    text = summary(code, said, previous=previous)
    assert text.startswith(previous)
    assert "47" in text
    again = summary(code, messages("hm" if code == "en" else "嗯"), previous=text)
    assert again == text


def test_prose_of_a_model_is_kept_by_sentence() -> None:
    text = summary(
        "en", ENGLISH, previous="Ada owns a boat called Tern. They chatted. Nora was born in 1961.", limit=300
    )
    assert "Ada owns a boat called Tern." in text
    assert "1961" in text


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("en", "I keep " + "seventeen grey geese and " * 60 + "a donkey."),
        ("zh", "我养了" + "十七只灰鹅和" * 60 + "一头驴。"),
    ],
)
def test_a_single_sentence_over_the_limit_is_cut_with_an_ellipsis(code: str, sentence: str) -> None:
    text = summary(code, messages(sentence), limit=40)
    assert PACKS.get(code).summary.ellipsis in text
    assert 20 <= count(text) <= 40
    assert ("grey geese" if code == "en" else "灰鹅") in text


@pytest.mark.parametrize(("code", "name"), [("en", "User"), ("zh", "用户")])
def test_a_user_without_a_name_has_one_in_the_language(code: str, name: str) -> None:
    assert name in summary(code, ENGLISH, user="user")


@pytest.mark.parametrize("code", ["en", "zh"])
def test_mere_small_talk_still_gives_something(code: str) -> None:
    assert summary(code, messages("Hello!", "Hi!")) if code == "en" else summary(code, messages("你好", "你好呀"))


def test_nothing_gives_nothing() -> None:
    assert summary("en", []) == ""
    assert summary("en", ENGLISH, limit=0) == ""
    assert summary("en", ENGLISH, tokens=lambda _: 10_000) == ""


def test_it_is_deterministic() -> None:
    assert summary("en", ENGLISH, limit=60) == summary("en", list(ENGLISH), limit=60)


@settings(max_examples=150, deadline=None)
@given(
    texts=st.lists(st.text(max_size=200), max_size=8),
    previous=st.text(max_size=200),
    limit=st.integers(0, 120),
    code=st.sampled_from(["en", "zh"]),
)
def test_any_text_fits_any_limit(texts: list[str], previous: str, limit: int, code: str) -> None:
    said = messages(*texts)
    text = summary(code, said, limit=limit, previous=previous)
    assert count(text) <= limit
    assert text == summary(code, said, limit=limit, previous=previous)
