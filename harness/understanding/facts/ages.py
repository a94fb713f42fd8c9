"""Ages go on: how old somebody is now who said once how old he was, or in which year he was born."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from harness.understanding.facts.keys import AGE, BIRTHDAY
from harness.understanding.one_script import in_one_script
from harness.understanding.text import numbers

if TYPE_CHECKING:
    from datetime import datetime

    from harness.language import LanguagePack
    from harness.state import Fact

_YEAR = re.compile(r"(?<!\d)(1[89]\d\d|20\d\d)(?!\d)")
_OLDEST = 130


def age_range(fact: Fact, now: datetime, pack: LanguagePack) -> tuple[int, int] | None:
    """The youngest and the oldest that the subject of a fact can be now, in years; None when the fact does not tell.

    An age told with the day it was reached ("turned 30 last May") gives one number; an age alone may have been reached
    up to a year before it was told; a year of birth leaves open whether this year's birthday has been.

    Args:
        fact: one of the attributes ``age`` or ``birthday``.
        now: aware time.
        pack: of the language of the fact.
    """
    if fact.attribute == BIRTHDAY:
        year = _YEAR.search(fact.value)
        return None if year is None else (now.year - int(year[0]) - 1, now.year - int(year[0]))
    told = numbers(fact.value, pack)
    if fact.attribute != AGE or not fact.polarity or len(told) != 1 or not 0 < told[0] < _OLDEST:
        return None
    age = int(told[0])
    if fact.when_at is not None and fact.when_at <= now:
        gone = _whole_years(fact.when_at, now)
        return age + gone, age + gone
    if fact.at is None or fact.at > now:
        return age, age
    gone = _whole_years(fact.at, now)
    return age + gone, age + gone + 1


@in_one_script
def value_now(fact: Fact, now: datetime, pack: LanguagePack) -> str:
    """The value of a fact as it is now: an age told years ago has grown. Any other value is returned as it is."""
    known = age_range(fact, now, pack) if fact.attribute == AGE else None
    told = numbers(fact.value, pack)
    if known is None or known[0] == told[0]:
        return fact.value
    digits = re.search(r"\d+", fact.value)
    if digits is not None:
        return fact.value[: digits.start()] + str(known[0]) + fact.value[digits.end() :]
    return pack.wording.years.format(years=known[0])


def _whole_years(start: datetime, end: datetime) -> int:
    before = (end.month, end.day) < (start.month, start.day)
    return end.year - start.year - before
