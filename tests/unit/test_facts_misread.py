"""Words that tell of a way, of what was once, or of what hurts are no facts about now."""

from __future__ import annotations

import pytest

from tests.unit.test_facts_probes import converse, row


def known(code: str, *lines: str) -> set[tuple[str, ...]]:
    said = [line if line.startswith("character:") else f"user: {line}" for line in lines]
    return {row(fact) for fact in converse(code, said).active_facts()}


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("zh", ["我是从无锡坐高铁过来的，带了点心"]),
        ("zh", ["我从上海赶过来的。"]),
        ("zh", ["我从南京一路开车过来的。"]),
        ("zh", ["我在无锡一所中学教历史"]),
        ("zh", ["我十九岁踢球把韧带踢断了"]),
        ("zh", ["我十九岁去的上海"]),
        ("zh", ["我十八岁当兵。"]),
        ("zh", ["我说话算话"]),
        ("zh", ["我从来不说谎话。"]),
        ("zh", ["我喝牛奶就拉肚子"]),
        ("zh", ["我一吃虾就开心"]),
        ("zh", ["我吃虾就吐"]),
        ("zh", ["我五岁的儿子"]),
        ("en", ["I'm seeing a doctor called Patel tomorrow."]),
        ("en", ["I'm dating around."]),
        ("zh", ["我养过一只兔子，后来送人了"]),
        ("zh", ["character: 孩子几岁学骑车好？", "四岁。"]),
        ("zh", ["character: 你几岁开始学琴的？", "六岁。"]),
        ("en", ["character: What age should kids learn to ride?", "Four."]),
        ("en", ["character: How old should a puppy be?", "Two."]),
        ("en", ["character: What age did you start?", "Twelve."]),
        ("en", ["I study at night, law, because I work days"]),
        ("en", ["I study at the kitchen table."]),
        ("en", ["I'm an AI, just like Paul"]),
        ("en", ["It's a museum, exactly like Paris"]),
    ],
)
def test_nothing_is_read_into_them(code: str, lines: list[str]) -> None:
    assert {fact for fact in known(code, *lines) if fact[1] not in ("job", "workplace")} == set()


@pytest.mark.parametrize(
    ("code", "lines", "fact"),
    [
        ("zh", ["我是从杭州搬来的"], ("user", "origin", "杭州")),
        ("zh", ["我在北京大学学教育。"], ("user", "major", "教育")),
        ("zh", ["我今年十九岁。"], ("user", "age", "十九岁")),
        ("zh", ["我三十五岁，学过琴。"], ("user", "age", "三十五岁")),
        ("zh", ["我会说上海话"], ("user", "language", "上海话")),
        ("zh", ["我喝牛奶。"], ("user", "drinks", "牛奶")),
        ("zh", ["我养了一只兔子"], ("user", "pet", "一只兔子")),
        ("zh", ["我没养过猫。"], ("user", "pet", "猫", "not")),
        ("zh", ["character: 你几岁？", "四十岁。"], ("user", "age", "四十岁")),
        ("en", ["character: How old are you?", "Forty."], ("user", "age", "forty")),
        ("en", ["character: What's your age?", "Forty."], ("user", "age", "forty")),
        ("zh", ["我一吃虾就起疹子"], ("user", "allergy", "虾")),
        ("zh", ["我吃芒果就嘴肿"], ("user", "allergy", "芒果")),
        ("zh", ["我对核桃过敏，不对虾过敏。"], ("user", "allergy", "核桃")),
        ("en", ["I'm diabetic"], ("user", "health", "diabetic")),
        ("en", ["I'm dating a vet called Mark"], ("user", "partner", "partner called Mark")),
        ("en", ["My mum lives on her own in Nottingham"], ("user's mother", "home", "Nottingham")),
        ("en", ["I study at Leeds."], ("user", "school", "Leeds")),
        ("en", ["I moved to Manchester for uni"], ("user", "home", "Manchester")),
        ("en", ["I love tea, just like my mum."], ("user", "likes", "tea")),
    ],
)
def test_what_is_so_is_still_read(code: str, lines: list[str], fact: tuple[str, ...]) -> None:
    assert fact in known(code, *lines)
