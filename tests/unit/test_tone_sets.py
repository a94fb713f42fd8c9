"""Five sets of clashes and fitting replies that were written after the rules.

Right at first sight, before the rules were mended by what a set had shown (clashes found; fine replies flagged):

====== ================ ================
set    English          Chinese
====== ================ ================
first  1 of 15, 0 of 15 1 of 15, 0 of 15
second 1 of 15, 2 of 15 2 of 15, 1 of 15
third  9 of 15, 1 of 15 10 of 15, 1 of 15
fourth 7 of 10, 1 of 20 7 of 10, 1 of 20
fifth  8 of 10, 0 of 15 5 of 10, 0 of 15
====== ================ ================
"""

from __future__ import annotations

import pytest

from tests.unit import _tone_sets as sets
from tests.unit.test_tone import MENDED, found

CLASHES = (sets.FIRST_CLASHES, sets.SECOND_CLASHES, sets.THIRD_CLASHES, sets.FOURTH_CLASHES, sets.FIFTH_CLASHES)
FINE = (sets.FIRST_FINE, sets.SECOND_FINE, sets.THIRD_FINE, sets.FOURTH_FINE, sets.FIFTH_FINE)
KNOWN_GAPS = {
    "我真的很怕前男友会来伤害我。": "a scare played as a joke is not told from a question",
    "Our parrot flew out of the window and a cat got him.": "no word of harm",
}


@pytest.mark.parametrize(
    ("code", "user_text", "reply"),
    [
        pytest.param(
            code,
            *pair,
            marks=[pytest.mark.xfail(reason=KNOWN_GAPS[pair[0]], strict=True)] if pair[0] in KNOWN_GAPS else [],
        )
        for table in CLASHES
        for code, pairs in table.items()
        for pair in pairs
    ],
)
def test_a_clash_is_found(code: str, user_text: str, reply: str) -> None:
    (finding,) = found(reply, user_text, code)
    assert finding.kind == "tone"
    assert finding.severity >= MENDED
    assert finding.evidence.lower() in reply.lower()


@pytest.mark.parametrize(
    ("code", "user_text", "reply"),
    [(code, *pair) for table in FINE for code, pairs in table.items() for pair in pairs],
)
def test_a_fitting_reply_is_left_alone(code: str, user_text: str, reply: str) -> None:
    assert found(reply, user_text, code) == ()


def test_both_languages_have_sets_of_one_size() -> None:
    for table in (*CLASHES, *FINE):
        assert len(table["en"]) == len(table["zh"]) >= 10
