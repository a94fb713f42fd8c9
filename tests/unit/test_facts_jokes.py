"""A joke about something else takes nothing back: only the statement right before the words of the joke."""

from __future__ import annotations

import pytest

from tests.unit.test_facts_probes import converse, row

ALLERGY = {
    "en": ("I'm allergic to peanuts.", ("user", "allergy", "peanuts")),
    "zh": ("我对花生过敏。", ("user", "allergy", "花生")),
}


def known(code: str, *lines: str) -> set[tuple[str, ...]]:
    return {row(fact) for fact in converse(code, [f"user: {line}" for line in lines]).active_facts()}


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("en", "You look a hundred years old today. Just kidding, you look great."),
        ("en", "Are you kidding me? That's great!"),
        ("en", "You must be joking."),
        ("en", "Gotcha, thanks."),
        ("en", "I got you a present."),
        ("en", "My job is a joke."),
        ("en", "My brother was only kidding about that."),
        ("en", "Nine lives, eh? Haha, just kidding!"),
        ("en", "No kidding! What a day."),
        ("en", "It's a hundred degrees in here, lol jk"),
        ("en", "Have you read JK Rowling?"),
        ("en", "This place looks haunted, just kidding"),
        ("zh", "你这铺子像鬼屋，哈哈开玩笑的。"),
        ("zh", "你开玩笑吧？"),
        ("zh", "你别开玩笑了。"),
        ("zh", "我不会骗你的。"),
        ("zh", "我骗你干嘛"),
        ("zh", "我同事老爱开玩笑。"),
        ("zh", "开什么玩笑！"),
        ("zh", "你看着像一百岁，逗你的，你可精神了。"),
        ("zh", "不要开玩笑。"),
        ("zh", "这店像鬼屋。开玩笑的啦，挺好看。"),
        ("zh", "开玩笑归开玩笑，这店真不错"),
    ],
)
def test_a_joke_about_something_else_takes_nothing_back(code: str, line: str) -> None:
    stated, fact = ALLERGY[code]
    assert fact in known(code, stated, line)


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("en", "Just kidding!"),
        ("en", "I was joking."),
        ("en", "Haha, kidding."),
        ("en", "Oh, I was only teasing you."),
        ("en", "No, just kidding."),
        ("zh", "开玩笑的！"),
        ("zh", "哈哈，逗你玩的。"),
        ("zh", "我是开玩笑的。"),
        ("zh", "刚才那句是开玩笑的。"),
    ],
)
def test_the_words_alone_take_back_the_last_thing_said_before(code: str, line: str) -> None:
    job = {"en": ("I'm a nurse.", ("user", "job", "nurse")), "zh": ("我是护士。", ("user", "job", "护士"))}[code]
    stated, _ = ALLERGY[code]
    assert known(code, job[0] + " " + stated, line) == {job[1]}


@pytest.mark.parametrize(
    ("code", "line", "kept"),
    [
        (
            "en",
            "I'm Ana, I'm a nurse and I have a cat, she only bites cyclists. Kidding, she's a softie.",
            {"Ana", "nurse"},
        ),
        ("en", "Hi, I'm Ana. I'm a nurse. My cat Poppy only bites cyclists. Kidding!", {"Ana", "nurse"}),
        ("en", "I'm allergic to milk, and I'm a spy, jk.", {"milk"}),
        ("en", "I have nine tigers, all named Bob, just kidding.", set()),
        ("en", "I'm a spy just kidding", set()),
        ("en", "I'm a spy. Kidding, I'm a nurse.", {"nurse"}),
        ("zh", "我叫小兰，是护士，我家猫只咬骑车的。开玩笑的，它可乖了。", {"小兰", "护士"}),
        ("zh", "我对牛奶过敏，我养了九只老虎，骗你的。", {"牛奶"}),
        ("zh", "我是间谍，逗你的，我是护士。", {"护士"}),
    ],
)
def test_only_the_statement_before_the_joke_goes(code: str, line: str, kept: set[str]) -> None:
    assert {value for _, _, value, *_ in known(code, line)} == kept
