"""Moments that are told by another one: "the weekend before April 10", 4月10日的前一天."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from harness.language.phrases import lower
from harness.understanding.moments_steps import WEEKEND_DAYS, Precision, shifted, step

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.language.sections_time import AroundPattern, TimeWords, Unit
    from harness.understanding.moments import Moment

WEEK_DAYS = 7
_SPACE = re.compile(r"\s")
_LONGEST = 60
"""Most characters in front of a moment that are looked at."""


@dataclass(frozen=True, slots=True)
class Beside:
    """How a moment lies to the one it is told by.

    Attributes:
        date: that other moment. ``side``: -1 before it, 1 after it.
        weekday: the nearest such day on that side (0 is Monday), ``days`` long; None for ``count`` times ``unit``.
        stretch: all the time in between ("the two weeks before"), not the day or week that is so far away.
    """

    date: Moment
    side: int
    weekday: int | None = None
    days: int = 1
    count: int = 1
    unit: Unit = "day"
    stretch: bool = False

    def span(self, at: datetime) -> tuple[datetime, datetime, datetime]:
        """The moment, and from when until when it may be, if the other one is at ``at``. Raises OverflowError, ValueError."""
        at = at.replace(hour=0, minute=0, second=0, microsecond=0)
        over = step(at, self.date.unit, 1)
        if self.weekday is not None:
            if self.side < 0:  # of a Sunday and a weekend: the one that is over when the other moment begins
                last = at - timedelta(days=self.days)
                begins = last - timedelta(days=(last.weekday() - self.weekday) % WEEK_DAYS)
            else:
                begins = over + timedelta(days=(self.weekday - over.weekday()) % WEEK_DAYS)
            return begins, begins, begins + timedelta(days=self.days)
        begin = over if self.stretch and self.side > 0 else at
        away = shifted(begin, self.unit, self.side * self.count)[0]
        if self.stretch:
            return (away, away, begin) if self.side < 0 else (begin, begin, away)
        if self.unit in ("day", "week"):
            off = timedelta(days=WEEK_DAYS // 2 if self.unit == "week" else 0)
            return away, away - off, away + off + timedelta(days=1)
        since = away.replace(day=1) if self.unit == "month" else away.replace(month=1, day=1)
        return away, since, step(since, self.unit, 1)


def beside(text: str, moments: Sequence[Moment], words: TimeWords) -> list[tuple[Moment, Beside, int, int]]:
    """Which of the moments tell another one, how, and where the words for both begin and end."""
    lowered = lower(text)
    found = []
    for moment in moments:
        hits = [
            hit for pattern, like in words.around_expressions if (hit := _hit(lowered, moment, pattern, like, words))
        ]
        if hits:
            found.append(max(hits, key=lambda hit: hit[3] - hit[2]))
    return found


def side_of(text: str, moment: Moment, words: TimeWords) -> AroundPattern | None:
    """The wording by which all that is before or after a date is meant; None where the date itself is."""
    lowered = lower(text)
    for pattern, expression in words.side_expressions if moment.unit in _DATES else ():
        if moment.unit not in (pattern.dates or _DATES):
            continue
        if pattern.stands == "behind":
            if expression.match(lowered, moment.end):
                return pattern
        else:  # the words for a moment may have it themselves ("since 2021")
            if expression.search(lowered, max(0, moment.start - _LONGEST), moment.start):
                return pattern
            said = lowered[moment.start : moment.end] if moment.beside is None else ""
            ends = (moment.start + space.start() for space in _SPACE.finditer(said))
            hits = (expression.search(lowered, moment.start, end) for end in ends)
            if any(hit is not None and hit.start() == moment.start for hit in hits):
                return pattern
    return None


def _hit(
    text: str, moment: Moment, pattern: AroundPattern, expression: re.Pattern[str], words: TimeWords
) -> tuple[Moment, Beside, int, int] | None:
    if moment.unit not in (pattern.dates or _DATES):
        return None
    if pattern.stands == "before":
        match = expression.search(text, max(0, moment.start - _LONGEST), moment.start)
    else:
        match = expression.match(text, moment.end)
    if match is None:
        return None
    group = match.groupdict()
    if (word := group.get("weekday")) is not None:
        days = WEEKEND_DAYS if word in words.weekends else 1
        how = Beside(moment, pattern.steps, weekday=words.weekdays[word], days=days)
    else:
        said = group.get("number")
        count = 1 if said is None else int(said) if said.isdecimal() else words.numbers[said]
        unit = words.units[group["unit"]]
        if unit in ("second", "minute", "hour") or not count:
            return None
        how = Beside(moment, pattern.steps, count=count, unit=unit, stretch=pattern.stretch or count == 1)
    return moment, how, min(match.start(), moment.start), max(match.end(), moment.end)


_DATES: tuple[Precision, ...] = ("part", "day", "weekend", "week", "month", "season", "year")
