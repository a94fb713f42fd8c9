"""What a question narrows the search to: a time ("last week", 上个月), or whose words it asks for ("what did you recommend").

Nothing is hidden for good: where nothing fits, all that was found counts, and the report says so.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from harness.language import LanguagePack, LanguagePacks
from harness.state import CHARACTER, USER
from harness.state.memory import MemoryItem
from harness.understanding.moments import Moment, end_of, find_moments
from harness.understanding.moments_around import side_of
from harness.understanding.text import fold, words
from harness.understanding.topics.shifts import is_question

LONG_AGO = datetime(1, 1, 2, tzinfo=UTC)
"""When all time before a date began."""
WEEK = timedelta(days=7)
AROUND = 0.15
"""Share of the time that has passed by which "two weeks ago" may be off."""
PART = timedelta(hours=3)
"""By which "last night" begins earlier than its hour."""
BEYOND = 2.0
"""How many times as relevant as all that is of the asked time a summary is that stays beside it."""
_BEFORE = 12
"""Characters before a moment that can say that it comes again."""


@dataclass(frozen=True, slots=True)
class Period:
    """A time that a question is about: from ``since`` until before ``until``; ``words``: as said."""

    words: str
    since: datetime
    until: datetime

    def holds(self, item: MemoryItem) -> bool:
        """Whether an item was said in it, or speaks of it."""
        return any(at is not None and self.since <= at < self.until for at in (item.at, item.when_at))

    def __str__(self) -> str:
        last = self.until - timedelta(seconds=1)
        first = self.since.date().isoformat()
        if self.since == LONG_AGO:
            return f"{self.words!r} (until {last.date().isoformat()})"
        return f"{self.words!r} ({first})" if last.date() == self.since.date() else f"{self.words!r} ({first} to {last.date().isoformat()})"  # fmt: skip


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What is looked for.

    Attributes:
        period: the time asked for. ``speaker``: whose words are asked for; empty for anybody's.
        text: the question without the words for the time. ``bare``: nothing is left of it that could be looked for.
    """

    text: str
    period: Period | None = None
    speaker: str = ""
    bare: bool = False


@dataclass(frozen=True, slots=True)
class Narrowed:
    """What came of it.

    Attributes:
        relevance: of items by id, where the time alone makes them relevant. ``outside``: why an item is left out, by id.
        warnings: what the report says of it.
    """

    relevance: Mapping[str, float] = field(default_factory=dict)
    outside: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def narrowing(text: str, *, pack: LanguagePack, now: datetime) -> Narrowing:
    """What a message narrows the search to; nothing unless it asks."""
    keeping = pack.keeping
    by_user, by_character = pack.finds(keeping.said_by_asker, text), pack.finds(keeping.said_by_asked, text)
    if not (is_question(text) or by_user or by_character or pack.finds(pack.text.questions, text)):
        return Narrowing(text)
    speaker = (USER if by_user else CHARACTER) if by_user != by_character else ""
    moments = [one for one in find_moments(text, pack=pack, now=now) if not _recurs(text, one, pack)]
    back = pack.finds(keeping.looking_back, text)
    spans = [span for one in moments if (span := _side(text, one, now, pack, back=back))]
    if not spans or len(spans) != len(moments):
        return Narrowing(text, speaker=speaker)
    rest = text
    for one in reversed(moments):
        rest = f"{rest[: one.start]} {rest[one.end :]}"
    said = " … ".join(one.words for one in moments)
    period = Period(said, min(first for first, _ in spans), max(last for _, last in spans))
    return Narrowing(rest, period, speaker, bare=_bare(rest, pack))


def _recurs(text: str, moment: Moment, pack: LanguagePack) -> bool:
    if moment.beside is not None:
        return False
    said = text[max(0, moment.start - _BEFORE) : moment.end]
    return pack.time.recurring_expression.search(said) is not None


def _side(
    text: str, moment: Moment, now: datetime, pack: LanguagePack, *, back: bool
) -> tuple[datetime, datetime] | None:
    """Beginning and end of what is meant by a moment: itself, or all the time before or after it."""
    span, side = _span(moment, now, back=back), side_of(text, moment, pack.time)
    if span is None or side is None:
        return span
    since, until = span
    if side.steps < 0:
        return LONG_AGO, until if side.inclusive else since
    return (since if side.inclusive else until), max(now, until)


def _span(moment: Moment, now: datetime, *, back: bool) -> tuple[datetime, datetime] | None:
    """Beginning and end of a moment that has begun; None for one that is still to come."""
    at, unit = moment.at, moment.unit
    if (how := moment.beside) is not None:
        date = how.date.at
        if date > now and not moment.of_year and back:
            date = _earlier(date, now)
        _, since, until = how.span(date)
        return (since, until) if since <= now else None
    if unit == "moment":
        return (at - PART, at + PART) if at <= now else None
    if (
        unit == "day" and at != now and at.timetz() == now.timetz() and at < now
    ):  # "two weeks ago": so long, more or less
        off = (now - at) * AROUND
        return _day(at - off), _day(at + off) + timedelta(days=1)
    since = at if unit == "part" else _beginning(at, unit)
    if since > now:
        if not back or moment.of_year:
            return None
        since = _earlier(since, now)
    until = end_of(since, unit)
    return (since - PART, until) if unit == "part" else (since, until)


def _day(at: datetime) -> datetime:
    return at.replace(hour=0, minute=0, second=0, microsecond=0)


def _beginning(at: datetime, unit: str) -> datetime:
    at = _day(at)
    if unit == "week":
        return at - timedelta(days=at.weekday())
    if unit == "month":
        return at.replace(day=1)
    return at.replace(month=1, day=1) if unit == "year" else at


def _earlier(at: datetime, now: datetime) -> datetime:
    """The last such time before now: a day of the week a week, a date a year before the next one."""
    if at - now <= WEEK:
        return at - WEEK
    try:
        return at.replace(year=at.year - 1)
    except ValueError:  # 29 February
        return at.replace(year=at.year - 1, day=28)


def _bare(text: str, pack: LanguagePack) -> bool:
    """Whether nothing is left of a question but words for talking ("what did we talk about")."""
    empty = {fold(word) for word in (*pack.keeping.time_only, *pack.text.stopwords)}
    if pack.script == "latin":
        return all(word in empty for word in words(text))
    left = "".join(words(text))
    for word in sorted(empty, key=len, reverse=True):
        left = left.replace(word, "")
    return not left


def narrowed(
    asked: Narrowing,
    items: Mapping[str, MemoryItem],
    relevance: Mapping[str, float],
    least: Mapping[str, float],
    *,
    minded: Collection[str],
    packs: LanguagePacks,
) -> Narrowed:
    """Which items count, of those that were found.

    Args:
        relevance: by id. ``least``: what each needs to be shown.
        minded: ids of items that are shown whatever is asked.
    """
    result = Narrowed(relevance)
    if asked.period is not None:
        result = _by_time(asked, asked.period, items, result, least, minded, packs)
    if asked.speaker:
        result = _by_speaker(asked.speaker, items, result, least, minded)
    return result


def _by_time(
    asked: Narrowing,
    period: Period,
    items: Mapping[str, MemoryItem],
    so_far: Narrowed,
    least: Mapping[str, float],
    minded: Collection[str],
    packs: LanguagePacks,
) -> Narrowed:
    inside = {
        name
        for name, item in items.items()
        if name not in minded
        and (period.holds(item) or (so_far.relevance[name] >= least[name] and _tells_of(item, period, packs)))
    }
    relevance = dict(so_far.relevance)
    if asked.bare:
        relevance |= {name: max(relevance[name], least[name]) for name in inside}
    if not any(relevance[name] >= least[name] for name in inside):
        warning = f"nothing that was asked for is from {period}; all times were looked at"
        return replace(so_far, warnings=(*so_far.warnings, warning))
    reason = f"not from {period}"
    # A summary has the date of its talk, and tells without naming a time of what was long before.
    enough = BEYOND * max(so_far.relevance[name] for name in inside)
    outside = {
        name: reason
        for name, item in items.items()
        if name not in inside
        and name not in minded
        and not (item.kind == "summary" and so_far.relevance[name] > enough)
    }
    return Narrowed(relevance, {**so_far.outside, **outside}, so_far.warnings)


def _tells_of(item: MemoryItem, period: Period, packs: LanguagePacks) -> bool:
    """Whether the words of an item name a time that lies in the period ("last month I …", said in the month after)."""
    if item.at is None or item.at.tzinfo is None or item.at < period.since:
        return False
    moments = find_moments(item.text, pack=packs.get(item.language or "en"), now=item.at)
    spans = [span for one in moments if (span := _span(one, item.at, back=True)) is not None]
    return any(since < period.until and until > period.since for since, until in spans)


def _by_speaker(
    speaker: str, items: Mapping[str, MemoryItem], so_far: Narrowed, least: Mapping[str, float], minded: Collection[str]
) -> Narrowed:
    named = {name for name, item in items.items() if item.speaker == speaker and name not in so_far.outside}
    if not any(so_far.relevance[name] >= least[name] for name in named):
        warning = f"nothing that was asked for was said by the {speaker}; both were looked at"
        return replace(so_far, warnings=(*so_far.warnings, warning))
    outside = {
        name: f"said by the {item.speaker}, and the question is what the {speaker} said"
        for name, item in items.items()
        if item.speaker not in (speaker, "") and name not in minded
    }
    return replace(so_far, outside={**outside, **so_far.outside})
