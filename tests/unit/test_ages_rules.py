from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, strategies as st

from harness.language import load_packs
from harness.state import Fact
from harness.understanding.facts.ages import age_range, value_now

EN = load_packs().get("en")
ZH = load_packs().get("zh")
TOLD = datetime(2024, 8, 1, tzinfo=UTC)
A_YEAR_LATER = datetime(2025, 6, 20, tzinfo=UTC)


def told(value: str, attribute: str = "age", when_at: datetime | None = None, *, at: datetime | None = TOLD) -> Fact:
    return Fact(id="f1", subject="user", attribute=attribute, value=value, at=at, when_at=when_at)


@pytest.mark.parametrize(
    ("fact", "expected"),
    [
        (told("30", when_at=datetime(2024, 5, 1, tzinfo=UTC)), (31, 31)),  # "I turned 30 last May"
        (told("三十岁", when_at=datetime(2024, 5, 1, tzinfo=UTC)), (31, 31)),
        (told("30"), (30, 31)),
        (told("三十岁"), (30, 31)),
        (told("30", at=None), (30, 30)),
        (told("1990", "birthday"), (34, 35)),
        (told("1990年", "birthday"), (34, 35)),
        (told("Leeds", "home"), None),
        (told("3 May", "birthday"), None),
        (told("30", "job"), None),
        (told("old enough"), None),
    ],
)
def test_how_old_somebody_is_now(fact: Fact, expected: tuple[int, int] | None) -> None:
    pack = ZH if not fact.value.isascii() else EN
    assert age_range(fact, A_YEAR_LATER, pack) == expected


def test_other_values_stay_as_they_are() -> None:
    assert value_now(told("Leeds", "home"), A_YEAR_LATER, EN) == "Leeds"
    assert value_now(told("30"), TOLD, EN) == "30"
    assert value_now(told("30 years old"), datetime(2027, 8, 2, tzinfo=UTC), EN) == "33 years old"


@given(st.text(max_size=20), st.datetimes(timezones=st.just(UTC)), st.datetimes(timezones=st.just(UTC)))
def test_any_value_at_any_time_has_an_answer(value: str, at: datetime, now: datetime) -> None:
    for attribute in ("age", "birthday"):
        known = age_range(told(value, attribute, at=at), now, EN)
        assert known is None or known[0] <= known[1]
        assert isinstance(value_now(told(value, attribute, at=at), now, EN), str)
