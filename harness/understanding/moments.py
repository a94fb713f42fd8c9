"""Words for a moment, and the moment they meant when they were said."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from unicodedata import numeric

from harness.language.phrases import lower
from harness.understanding.moments_around import Beside, beside
from harness.understanding.moments_steps import WEEKEND_DAYS, Precision, midnight, months_on, shifted, step
from harness.understanding.one_script import in_one_script

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from harness.language.pack import LanguagePack
    from harness.language.sections_tracking import TimePattern, TimeWords

NOON = 12
PART = timedelta(hours=6)
"""How long a part of a day lasts ("tonight", 上午)."""
CLOCK = timedelta(hours=1)
"""How long a time of day counts as now."""
_LONGEST_GAP = 8
"""How many characters may stand between two parts of one moment ("tomorrow, in the evening")."""


_BEFORE = 24
"""How many characters before a moment can say that it comes again ("every Sunday")."""
_TOLD = 80
"""How many characters before and after a day can tell what happened on it."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment somebody spoke of.

    Attributes:
        words: as said ("tomorrow evening", 下周三).
        at: what they meant, in the time zone of ``now``. A whole day, week or month stands for its beginning; today
            stands for now.
        start, end: where the words stand in the text.
        unit: how exact the words are: ``moment`` for a time of day, ``part`` for a part of the day, else a unit of time.
        of_year: the words name the year.
        beside: how another date tells it ("the weekend before April 10"), and ``until``: when it is over then.
    """

    words: str
    at: datetime
    start: int
    end: int
    unit: Precision = "day"
    of_year: bool = False
    until: datetime | None = None
    beside: Beside | None = None


@dataclass(frozen=True, slots=True)
class _Part:
    """A piece of a moment: a day (``at``, at its beginning unless ``exact``), an hour, or a clock time."""

    start: int
    end: int
    at: datetime | None = None
    exact: bool = False
    hour: int | None = None
    minute: int = 0
    meridiem: str = ""
    is_part_of_day: bool = False
    unit: Precision = "day"
    of_year: bool = False
    earlier: datetime | None = None
    """What a day to come means where what happened on it is told ("he died on Sunday")."""


@in_one_script
def find_moments(text: str, *, pack: LanguagePack, now: datetime) -> tuple[Moment, ...]:
    """All moments of a text, in order.

    Args:
        text: any text.
        pack: the language of the text.
        now: aware time at which it was said.

    Raises:
        ValueError: ``now`` has no time zone.
    """
    if now.tzinfo is None:
        message = f"Expected an aware time, got {now!r}; give it a time zone."
        raise ValueError(message)
    parts = _without_overlap(_parts(text, pack.time, now))
    groups = (group for group in _groups(text, parts, pack.time) if not _only_named(text, group, pack.time))
    moments = [_join(text, _as_told(text, group, pack.time), now) for group in groups]
    return tuple(_beside(text, moments, pack.time))


def _beside(text: str, moments: list[Moment], words: TimeWords) -> list[Moment]:
    """The moments, with one in the place of a date and the words that tell another time by it."""
    for date, how, start, end in beside(text, moments, words) if words.around else ():
        try:
            at, _, until = how.span(date.at)
        except (OverflowError, ValueError):  # before the first year
            continue
        unit: Precision = "day" if how.weekday is not None or how.unit == "day" else how.unit  # type: ignore[assignment]  # no hours
        if how.days == WEEKEND_DAYS:
            unit = "weekend"
        both = Moment(text[start:end], at, start, end, unit, of_year=date.of_year, until=until, beside=how)
        moments = sorted(
            [*(one for one in moments if one.end <= start or one.start >= end), both], key=lambda one: one.start
        )
    return moments


def find_moment(text: str, *, pack: LanguagePack, now: datetime) -> Moment | None:
    """The first moment of a text, or None. Raises like :func:`find_moments`."""
    found = find_moments(text, pack=pack, now=now)
    return found[0] if found else None


def single_moment(text: str, *, pack: LanguagePack, now: datetime) -> Moment | None:
    """The first moment of a text, unless it comes again and again ("every Sunday"). Raises like :func:`find_moments`."""
    moment = find_moment(text, pack=pack, now=now)
    if moment is None:
        return None
    if moment.beside is not None:
        return moment
    said = text[max(0, moment.start - _BEFORE) : moment.end]
    return None if pack.time.recurring_expression.search(said) else moment


def end_of(at: datetime, unit: Precision) -> datetime:
    """When a time that begins at ``at``, or holds it, is over."""
    if unit == "moment":
        return at + CLOCK
    if unit == "part":
        return at + PART
    return step(at, unit, 1)


def _only_named(text: str, group: list[_Part], words: TimeWords) -> bool:
    """Whether a part of the day alone is no time in what is said ("a night nurse", 晚上好)."""
    if words.alone_expression is None or len(group) > 1 or not group[0].is_part_of_day:
        return False
    start, end = group[0].start, group[0].end
    found = words.alone_expression.finditer(lower(text), max(0, start - _BEFORE))
    return not any(match.start() <= start < match.end() and match.end() >= end for match in found)


def _as_told(text: str, group: list[_Part], words: TimeWords) -> list[_Part]:
    """The parts of a moment, its day gone by where the words around tell of what has happened."""
    if all(part.earlier is None for part in group):
        return group
    lowered = lower(text)
    start, end = group[0].start, group[-1].end
    before = lowered[max(0, start - _TOLD) : start]
    after = lowered[end : end + _TOLD]
    told = any(pattern.search(before) for pattern in words.told_before)
    if not told and not any(pattern.search(before + "|" + after) for pattern in words.told_around):
        return group
    return [part if part.earlier is None else replace(part, at=part.earlier) for part in group]


def _day(now: datetime, days: int) -> datetime:
    """The beginning of a day; today is now itself, since what is due today is due from now on."""
    return now if days == 0 else midnight(now) + timedelta(days=days)


def _parts(text: str, words: TimeWords, now: datetime) -> Iterator[_Part]:
    for hit in words.day_phrases.find(text):
        yield _Part(hit.start, hit.end, at=_day(now, hit.value.days), hour=hit.value.hour)
    for part in words.part_phrases.find(text):
        meridiem = words.meridiems.get(part.phrase, "")
        yield _Part(part.start, part.end, hour=part.value, meridiem=meridiem, is_part_of_day=True)
    lowered = lower(text)
    for pattern, expression in words.expressions:
        for match in expression.finditer(lowered):
            try:
                part_found = _read(pattern, match, words, now)
            except (OverflowError, ValueError):
                # "in 99999 years", "30 February": no such moment.
                continue
            if part_found is not None:
                yield part_found


def _read(pattern: TimePattern, match: re.Match[str], words: TimeWords, now: datetime) -> _Part | None:
    group = match.groupdict()
    start, end = match.span()
    if pattern.kind == "clock":
        if words.day_phrases.covers(group.get("meridiem") or ""):
            start = match.end("meridiem")  # a word for a day stands for itself (明晚 in 明晚九点)
        return _clock(group, words, start, end)
    if pattern.kind == "shift":
        count = _number(group["number"], words) if "number" in group else 1
        at, exact = shifted(now, pattern.unit or words.units[group["unit"]], count * pattern.steps)
        return _Part(start, end, at=at, exact=exact, unit="moment" if exact else "day")
    if pattern.kind == "step":
        unit = pattern.unit or words.units[group["unit"]]
        precision: Precision = unit if unit in ("week", "month", "year") else "day"
        return _Part(start, end, at=step(now, unit, pattern.steps), unit=precision)
    if pattern.kind in ("last", "yearly"):
        at = _in_year(now, group, words, None if pattern.kind == "last" else pattern.steps)
        ahead_of = pattern.kind == "yearly" and pattern.steps == 0 and at > now
        return _Part(start, end, at=at, unit=_exactness(group), earlier=months_on(at, -12) if ahead_of else None)
    if pattern.kind == "date" and group.get("year"):
        return _Part(start, end, at=_full_date(now, group, words), unit=_exactness(group), of_year=True)
    if pattern.kind == "date":
        at = _date(now, group, words)
        earlier = months_on(at, -12 if group.get("month") else -1) if at > now else None
        return _Part(start, end, at=at, unit=_exactness(group), earlier=earlier)
    wanted = words.weekdays[group["weekday"]]
    ahead = wanted - now.weekday()
    if pattern.kind == "weekday":
        days = ahead + 7 * pattern.steps
    elif pattern.kind == "coming":
        days = ahead % 7 or 7
    else:
        days = -((-ahead) % 7 or 7)
    lasts: Precision = "weekend" if group["weekday"] in words.weekends else "day"
    earlier = _day(now, days - 7) if pattern.kind == "coming" else None
    return _Part(start, end, at=_day(now, days), unit=lasts, earlier=earlier)


def _exactness(group: dict[str, str | None]) -> Precision:
    """How exact a date is: whatever of day, month and year it names."""
    if group.get("day"):
        return "day"
    if group.get("season"):
        return "season"
    return "month" if group.get("month") else "year"


def _number(word: str, words: TimeWords) -> int:
    return int(word) if word.isdecimal() else words.numbers[word]


def _month(group: dict[str, str | None], words: TimeWords, default: int = 1) -> int:
    season, month = group.get("season"), group.get("month")
    if season:
        return words.seasons[season]
    if not month:
        return default
    return int(month) if month.isdecimal() else words.months[month]


def _in_year(now: datetime, group: dict[str, str | None], words: TimeWords, years: int | None) -> datetime:
    """The beginning of a month or season: of the year ``years`` on, or (None) the latest one before this month."""
    month = _month(group, words)
    day = _number(group.get("day") or "1", words)
    if years is None:
        years = 0 if month < now.month else -1
    return midnight(now).replace(year=now.year + years, month=month, day=day)


def _full_date(now: datetime, group: dict[str, str | None], words: TimeWords) -> datetime:
    """A year, or a month or day of it."""
    day = _number(group.get("day") or "1", words)
    return midnight(now).replace(year=_year(group["year"] or ""), month=_month(group, words), day=day)


def _year(said: str) -> int:
    """A year in digits of any script (2023, 二零二三)."""
    return int("".join(str(int(numeric(digit))) for digit in said))


def _date(now: datetime, group: dict[str, str | None], words: TimeWords) -> datetime:
    """A day of a month: this year's unless it lies more than half a year back."""
    month_word, day_word = group.get("month"), group.get("day")
    month = now.month
    if month_word:
        month = int(month_word) if month_word.isdecimal() else words.months[month_word]
    day = _number(day_word, words) if day_word else 1
    at = midnight(now).replace(month=month, day=day)
    if not month_word and at < midnight(now):
        return months_on(at, 1)
    if (now - at).days > 182:  # half a year
        return at.replace(year=at.year + 1)
    return now if at == midnight(now) else at


def _clock(group: dict[str, str | None], words: TimeWords, start: int, end: int) -> _Part | None:
    hour = _number(group.get("hour") or "", words)
    minute_word = group.get("minute")
    minute = _number(minute_word, words) if minute_word else 30 if group.get("half") else 0
    if not (0 <= hour <= 24 and 0 <= minute < 60):  # hours and minutes of a day
        return None
    meridiem = words.meridiems.get(group.get("meridiem") or "", "")
    return _Part(start, end, hour=hour % 24, minute=minute, meridiem=meridiem)


def _without_overlap(parts: Iterator[_Part]) -> list[_Part]:
    """Parts from left to right; of two that overlap the longer one."""
    kept: list[_Part] = []
    for part in sorted(parts, key=lambda part: (part.start, -part.end)):
        if kept and part.start < kept[-1].end:
            if part.end - part.start > kept[-1].end - kept[-1].start:
                kept[-1] = part
            continue
        kept.append(part)
    return kept


def _groups(text: str, parts: list[_Part], words: TimeWords) -> Iterator[list[_Part]]:
    group: list[_Part] = []
    for part in parts:
        if group:
            gap = lower(text[group[-1].end : part.start]).strip(" ,，")
            near = part.start - group[-1].end <= _LONGEST_GAP and (not gap or gap in words.connectors)
            day_taken = part.at is not None and any(known.at is not None for known in group)
            if not near or day_taken:
                yield group
                group = []
        group.append(part)
    if group:
        yield group


def _join(text: str, group: list[_Part], now: datetime) -> Moment:
    start, end = group[0].start, group[-1].end
    day = next((part for part in group if part.at is not None), None)
    clock = next(
        (part for part in group if part.hour is not None and not part.is_part_of_day and part.at is None), None
    )
    part_of_day = next((part for part in group if part.is_part_of_day), None)
    at = day.at if day is not None and day.at is not None else now
    hour, minute, meridiem = None, 0, ""
    if clock is not None:
        hour, minute, meridiem = clock.hour, clock.minute, clock.meridiem
    if part_of_day is not None:
        meridiem = meridiem or part_of_day.meridiem
        hour = part_of_day.hour if hour is None else hour
    if hour is None and day is not None:
        hour = day.hour
    elif hour is not None and clock is not None:
        evening = day is not None and day.hour is not None and day.hour >= NOON
        hour = _by_meridiem(hour, meridiem, pm=evening)
    if hour is not None and not (day is not None and day.exact):
        moved = at.replace(hour=hour, minute=minute, second=0, microsecond=0)
        if day is None and moved < now:
            # "at 9" said at ten is nine in the evening if nothing else was said, else tomorrow.
            bare = clock is not None and not meridiem and hour < NOON
            later = moved + timedelta(hours=12)
            moved = later if bare and later > now else moved + timedelta(days=1)
        at = moved
    unit = day.unit if day is not None else "day"
    if clock is not None:
        unit = "moment"
    elif hour is not None and unit in ("day", "weekend"):
        unit = "part"
    return Moment(text[start:end], at, start, end, unit, of_year=day is not None and day.of_year)


def _by_meridiem(hour: int, meridiem: str, *, pm: bool) -> int:
    if meridiem == "am":
        return hour % NOON if hour == NOON else hour
    if (meridiem == "pm" or pm) and hour < NOON:
        return hour + NOON
    return hour
