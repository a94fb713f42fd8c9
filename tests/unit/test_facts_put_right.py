"""Corrections in the same sentence and in the next message; what only looks like one changes nothing."""

from __future__ import annotations

import pytest

from tests.unit.test_facts_probes import converse, row


def known(code: str, lines: str) -> set[tuple[str, ...]]:
    return {row(fact) for fact in converse(code, [f"user: {line}" for line in lines.split(" / ")]).active_facts()}


@pytest.mark.parametrize(
    ("code", "lines", "fact"),
    [
        ("en", "I'm allergic to walnuts - no wait, pecans.", ("user", "allergy", "pecans")),
        ("en", "I'm allergic to walnuts, I mean pecans.", ("user", "allergy", "pecans")),
        ("en", "I'm allergic to walnuts, sorry, pecans.", ("user", "allergy", "pecans")),
        (
            "en",
            "I'm allergic to walnuts. / Turns out I'm not allergic to walnuts after all.",
            ("user", "allergy", "walnuts", "not"),
        ),
        (
            "en",
            "I'm allergic to walnuts. / It turns out that I'm not allergic to walnuts.",
            ("user", "allergy", "walnuts", "not"),
        ),
        ("en", "I'm allergic to walnuts. / Not walnuts, sorry, pecans.", ("user", "allergy", "pecans")),
        ("en", "I live in York. / Not York, sorry, Cork", ("user", "home", "Cork")),
        ("en", "I live in York. / Not York - Cork!", ("user", "home", "Cork")),
        ("en", "I live in York, no wait, Cork.", ("user", "home", "Cork")),
        ("en", "My son is five. / No wait, he's six.", ("user's son", "age", "six")),
        ("zh", "我对核桃过敏。 / 说错了，是碧根果。", ("user", "allergy", "碧根果")),
        ("zh", "我对虾过敏。 / 说错了，是芒果。", ("user", "allergy", "芒果")),
        ("zh", "我对核桃过敏，不对，是碧根果", ("user", "allergy", "碧根果")),
        ("zh", "我对核桃过敏，哦不，碧根果。", ("user", "allergy", "碧根果")),
        ("zh", "我对核桃过敏，说错了，是对碧根果过敏。", ("user", "allergy", "碧根果")),
        ("zh", "我对核桃过敏。 / 原来我对核桃不过敏。", ("user", "allergy", "核桃", "not")),
        ("zh", "我住杭州。 / 不是杭州，是湖州，老说混", ("user", "home", "湖州")),
        ("zh", "我住杭州。 / 不对，不是杭州，是湖州，我又说错了", ("user", "home", "湖州")),
        ("zh", "我儿子五岁。 / 不对，六岁了。", ("用户的儿子", "age", "六岁")),
    ],
)
def test_what_is_put_right_replaces_what_was_said(code: str, lines: str, fact: tuple[str, ...]) -> None:
    assert known(code, lines) == {fact}


@pytest.mark.parametrize(
    ("code", "lines", "fact"),
    [
        ("en", "I'm allergic to walnuts, no pecans please.", ("user", "allergy", "walnuts")),
        ("en", "I'm allergic to walnuts, no wait, please sit down.", ("user", "allergy", "walnuts")),
        ("en", "I'm allergic to walnuts - sorry, gotta go.", ("user", "allergy", "walnuts")),
        ("en", "I'm allergic to walnuts, no wait, thanks.", ("user", "allergy", "walnuts")),
        ("en", "I'm allergic to walnuts. / Not now, sorry, later.", ("user", "allergy", "walnuts")),
        ("en", "I live in York. / Turns out I'm not late after all.", ("user", "home", "York")),
        ("zh", "我对核桃过敏，不是虾。", ("user", "allergy", "核桃")),
        ("zh", "我对核桃过敏，不对，是轻微的。", ("user", "allergy", "核桃")),
        ("zh", "我对核桃过敏，不对，等一下，有人敲门", ("user", "allergy", "核桃")),
        ("zh", "我对核桃过敏。 / 不对，你说错了。", ("user", "allergy", "核桃")),
        ("zh", "我住杭州。 / 不是我说的，是他说的，老这样", ("user", "home", "杭州")),
    ],
)
def test_what_only_looks_like_a_correction_changes_nothing(code: str, lines: str, fact: tuple[str, ...]) -> None:
    assert fact in known(code, lines)
    assert len([one for one in known(code, lines) if one[1] == fact[1] and "not" not in one]) == 1
