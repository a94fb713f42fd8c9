"""Pack section ``time``: words for moments."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Literal

from pydantic import Field

from harness.language.phrases import LowerRegex, Phrases, alternatives, caseless, fill
from harness.state.base import Frozen

Words = tuple[str, ...]


Unit = Literal["second", "minute", "hour", "day", "week", "month", "year"]


class TimePattern(Frozen):
    """A wording of a time.

    Attributes:
        pattern: regular expression in which ``{number}``, ``{unit}``, ``{weekday}``, ``{month}``, ``{season}``, ``{day}``, ``{hour}``,
            ``{minute}``, ``{meridiem}`` stand for the section's words; digits count as numbers.
        kind: ``shift`` (now ± number × unit), ``step`` (this unit ± ``steps``, from its beginning), ``weekday`` (that day
            of this week ± ``steps`` weeks), ``coming`` (the next such day after today), ``recent`` (the last one before
            today), ``date`` (month and day, or day alone, or with a group ``year``), ``last`` (the latest such month or season
            that has begun before this one), ``yearly`` (month or season of this year ± ``steps``), ``clock`` (groups ``hour``, ``minute``, ``half``, ``meridiem``).
        steps: sign or number of steps; the whole number of units when the pattern has no ``{number}``.
        unit: the unit when the pattern has no ``{unit}``.
    """

    pattern: str
    kind: Literal["shift", "step", "weekday", "coming", "recent", "date", "last", "yearly", "clock"]
    steps: int = 1
    unit: Unit | None = None


class AroundPattern(Frozen):
    """A wording by which a date tells another time ("the weekend before" April 10).

    Attributes:
        pattern: regular expression with ``{number}``, ``{unit}`` or ``{weekday}``.
        stands: on which side of the date the words stand. ``steps``: -1 for a time before it, 1 for one after it.
        inclusive: the date itself counts ("since"). ``stretch``: all the time in between ("the two weeks before").
        dates: how exact the date may be; any when empty.
    """

    pattern: str
    stands: Literal["before", "behind"]
    steps: int = Field(ge=-1, le=1)
    inclusive: bool = False
    stretch: bool = False
    dates: tuple[Literal["part", "day", "weekend", "week", "month", "season", "year"], ...] = ()


class DayWord(Frozen):
    """Words for a day relative to today ("tomorrow": 1), maybe with an hour ("tonight": 20)."""

    words: Words
    days: int
    hour: int | None = None


class TimeWords(Frozen):
    """Section ``time``: words for moments relative to now.

    Attributes:
        days: words for days. ``parts``: part of the day -> hour. ``meridiems``: part -> ``am`` or ``pm``.
        seasons: word -> the month it begins with.
        weekdays: word -> 0 (Monday) to 6. ``months``: word -> 1 to 12. ``units``: word -> unit.
        weekends: those of ``weekdays`` that last two days.
        numbers: number word -> number. ``patterns``: the other wordings. ``around``: wordings with another date.
        sides: wordings for all that is before or after a date ("since"), without any of the words in braces.
        connectors: words that may stand between two parts of one moment ("tomorrow *at* 9").
        recurring: regular expression of what says that a moment comes again and again; looked for in the words that end
            with it ("every Sunday", 每周日).
        alone: regular expression of a part of the day that is a time without a day or a clock ("in the morning", but no
            "night nurse"); empty for any.
        told_before: what right before a day shows that it has gone by ("she died", "since"). ``told_around``: the same of what is
            before and after it, with ``|`` in the place of the day (六月去世的: ``|去世的``).
        vague: words for no moment in particular ("later", 改天).
    """

    days: tuple[DayWord, ...] = ()
    parts: dict[str, int] = Field(default_factory=dict)
    meridiems: dict[str, Literal["am", "pm"]] = Field(default_factory=dict)
    weekdays: dict[str, int] = Field(default_factory=dict)
    weekends: Words = ()
    months: dict[str, int] = Field(default_factory=dict)
    seasons: dict[str, int] = Field(default_factory=dict)
    units: dict[str, Unit] = Field(default_factory=dict)
    numbers: dict[str, int] = Field(default_factory=dict)
    patterns: tuple[TimePattern, ...] = ()
    around: tuple[AroundPattern, ...] = ()
    sides: tuple[AroundPattern, ...] = ()
    connectors: Words = ()
    recurring: str = r"(?!)"
    alone: str = ""
    told_before: tuple[LowerRegex, ...] = ()
    told_around: tuple[LowerRegex, ...] = ()
    vague: Words = ()

    @cached_property
    def recurring_expression(self) -> re.Pattern[str]:
        """``recurring``, compiled."""
        return caseless(self.recurring)

    @cached_property
    def alone_expression(self) -> re.Pattern[str] | None:
        """``alone``, compiled."""
        return caseless(self.alone) if self.alone else None

    @cached_property
    def vague_phrases(self) -> Phrases[str]:
        """``vague``, indexed."""
        return Phrases.of(self.vague)

    @cached_property
    def day_phrases(self) -> Phrases[DayWord]:
        """Every word for a day, indexed."""
        return Phrases({word: day for day in self.days for word in day.words})

    @cached_property
    def part_phrases(self) -> Phrases[int]:
        """``parts``, indexed."""
        return Phrases(self.parts)

    @cached_property
    def expressions(self) -> tuple[tuple[TimePattern, re.Pattern[str]], ...]:
        """``patterns``, compiled."""
        return tuple((item, caseless(fill(item.pattern, self._slots))) for item in self.patterns)

    @cached_property
    def around_expressions(self) -> tuple[tuple[AroundPattern, re.Pattern[str]], ...]:
        """``around``, compiled; what stands before a date ends where the text does."""
        return self._beside(self.around)

    @cached_property
    def side_expressions(self) -> tuple[tuple[AroundPattern, re.Pattern[str]], ...]:
        """``sides``, compiled in the same way."""
        return self._beside(self.sides)

    def _beside(self, patterns: tuple[AroundPattern, ...]) -> tuple[tuple[AroundPattern, re.Pattern[str]], ...]:
        ends = {"before": r"\s*$", "behind": ""}
        return tuple((one, caseless(fill(one.pattern, self._slots) + ends[one.stands])) for one in patterns)

    @property
    def _slots(self) -> dict[str, str]:
        return {
            "number": rf"(?P<number>\d{{1,5}}|{alternatives(self.numbers)})",
            "unit": rf"(?P<unit>{alternatives(self.units)})",
            "weekday": rf"(?P<weekday>{alternatives(self.weekdays)})",
            "month": rf"(?P<month>{alternatives(self.months)})",
            "season": rf"(?P<season>{alternatives(self.seasons)})",
            "meridiem": rf"(?P<meridiem>{alternatives(self.meridiems)})",
            "hour": rf"(?P<hour>\d{{1,2}}|{alternatives(self.numbers)})",
            "minute": rf"(?P<minute>\d{{1,2}}|{alternatives(self.numbers)})",
            "day": rf"(?P<day>\d{{1,2}}|{alternatives(self.numbers)})",
        }
