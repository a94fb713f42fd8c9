"""Comparatives are no ages, and ordinary words behind a relative are no names."""

from __future__ import annotations

import pytest

from tests.unit.test_facts_probes import converse, row


def known(code: str, line: str) -> set[tuple[str, ...]]:
    return {row(fact) for fact in converse(code, [f"user: {line}"]).active_facts()}


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("en", "I'm two years older than my sister"),
        ("en", "My older sister Ruth is four years older than me"),
        ("en", "I'm three years younger than Tom."),
        ("en", "My brother is ten years older."),
        ("en", "I'm ten years older now."),
        ("en", "My wife is five years younger than I am."),
        ("en", "My dog Rex is two years older than my cat."),
        ("zh", "我男朋友比我大三岁"),
        ("zh", "我姐姐比我大四岁。"),
        ("zh", "我妹小我五岁。"),
        ("zh", "我爸年长我妈六岁"),
        ("zh", "我女儿比弟弟大两岁。"),
        ("zh", "我弟弟比我能吃。"),
        ("zh", "我对象比我小两岁，是个医生"),
    ],
)
def test_comparatives_are_neither_ages_nor_names(code: str, line: str) -> None:
    found = known(code, line)
    assert not [fact for fact in found if fact[1] in ("age", "job") or "比我" in fact[2] or "小我" in fact[2]]


@pytest.mark.parametrize(
    ("code", "line", "fact"),
    [
        ("en", "I'm two years old", ("user", "age", "two")),
        ("en", "I'm 42 years old.", ("user", "age", "42")),
        ("en", "My older sister Ruth is 40 years old.", ("Ruth", "age", "40")),
        ("en", "My younger brother Sam is 12.", ("Sam", "age", "12")),
        ("zh", "我妹妹今年五岁", ("用户的妹妹", "age", "五岁")),
        ("zh", "我姐姐小兰四十岁了。", ("小兰", "age", "四十岁")),
        ("zh", "我儿子比比五岁。", ("比比", "age", "五岁")),
        ("zh", "我对象叫小军。", ("user", "partner", "叫小军的对象")),
        ("zh", "我对象是东北人，特别能吃辣", ("用户的对象", "origin", "东北")),
        ("zh", "我对象牙过敏。", ("user", "allergy", "象牙")),
        ("zh", "我爷爷肺癌去世了。", ("用户的爷爷", "vital status", "去世")),
    ],
)
def test_ages_and_relatives_are_still_read(code: str, line: str, fact: tuple[str, ...]) -> None:
    assert fact in known(code, line)


@pytest.mark.parametrize(
    "line",
    [
        "我女儿数学不好，八岁了还数不清", "我儿子生日是下个月", "我儿子班上有个同学对牛奶过敏", "我女儿成绩很好。",
        "我儿子作业没写完。", "我老公工作很忙。", "我女儿性格很内向", "我朋友公司在上海", "我女儿眼睛很大",
        "我老板办公室在三楼", "我妹妹房间很乱", "我同事手机没电了", "我闺女头发很长", "我儿子个子很高", "我朋友圈都是猫",
        "我女儿晚上不睡", "我女儿体育很好", "我儿子幼儿园在马路对面", "我弟弟血糖很高", "我女儿同桌是北京人",
    ],
)  # fmt: skip
def test_ordinary_words_behind_a_relative_are_no_names(line: str) -> None:
    assert known("zh", line) == set()


@pytest.mark.parametrize(
    ("relative", "name", "rest"),
    [
        ("女儿", "朵朵", "八岁了。"), ("儿子", "乐乐", "在上海。"), ("女儿", "思雨", "很喜欢画画"), ("儿子", "豆豆", "对牛奶过敏"),
        ("姐姐", "丽华", "是护士"), ("老公", "建国", "喜欢钓鱼"), ("弟弟", "志强", "在深圳"), ("女儿", "明月", "会弹钢琴"),
        ("女儿", "安安", "特别乖"), ("女儿", "春晓", "不爱说话"), ("儿子", "子轩", "是小学生"), ("弟弟", "大伟", "最爱吃面"),
        ("朋友", "李炎", "在上海。"), ("女儿", "心怡", "会唱歌")
    ],
)  # fmt: skip
def test_names_behind_a_relative_are_still_names(relative: str, name: str, rest: str) -> None:
    assert f"叫{name}的{relative}" in {value for _, _, value, *_ in known("zh", f"我{relative}{name}{rest}")}
