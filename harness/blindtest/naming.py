"""Whether a text names something, by meaning: aliases, other forms and spellings, number words, Chinese numerals, dates, times of day."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from itertools import pairwise

from harness.language import LanguagePack
from harness.language.remembering import remembered
from harness.understanding.moments import find_moments
from harness.understanding.one_script import in_one_script
from harness.understanding.text import contains_phrase, fold, has_han, normalize, numbers, numeral, sentences, terms

_FIGURES = re.compile(r"[\d\s.,:/-]+")
_NOWS = (datetime(2001, 1, 9, 12, tzinfo=UTC), datetime(2003, 7, 22, 12, tzinfo=UTC))
"""Any two moments: a whole date is the same day of the same month at both, and "tomorrow" or "on the 5th" is not."""
_WEEK = (datetime(2001, 1, 9, 12, tzinfo=UTC), datetime(2003, 7, 24, 12, tzinfo=UTC))
"""Moments of two different days of the week: "Tuesday" is a Tuesday at both, and "tomorrow" is not the same day."""
_EXACT = ("day", "part", "moment")
_HOURS = 12
_QUARTER, _HALF, _HOUR = 15, 30, 60
_PIECE = 2
"""Han characters of the shortest piece that a value may be taken apart into."""
_ONE_DIGIT = 10
_LONGEST_DAY = 30


@in_one_script
def mentions(text: str, wanted: str, pack: LanguagePack, aliases: tuple[str, ...] = ()) -> str:
    """The sentence of a text that speaks of ``wanted``; empty when none does.

    A value is spoken of when it stands there as a phrase (no word half-matched), when all its content words stand in one sentence, or in two that
    follow each other, in any form; when its number, date or time of day is named in digits or words; or when one of its other wordings is.
    """
    said = sentences(normalize(text))
    for sentence in said:
        if any(names(sentence, value, pack) for value in (wanted, *aliases)):
            return sentence
    for first, second in pairwise(said):
        both = f"{first} {second}"
        if any(_in_parts(both, value, pack) for value in (wanted, *aliases)):
            return both
    return ""


@in_one_script
def answers(reply: str, asked: str, wanted: str, pack: LanguagePack) -> str:
    """The sentence of a reply that gives the number of a value whose other words stand in the question: "Eleven." for eleven hives."""
    value = normalize(wanted)
    counted, things = figures(value, pack), _words_besides(value, pack)
    if not counted or not things or days_of(value, pack) or time_of_day(value, pack):
        return ""
    if not any(_in_parts(one, things, pack) for one in sentences(normalize(asked))):
        return ""
    said = sentences(normalize(reply))[:1]
    return next((one for one in said if _all_figures(counted, value, one, pack)), "")


@remembered(4096, texts=2)
def names(sentence: str, wanted: str, pack: LanguagePack) -> bool:
    """Whether one sentence (or clause) names a value; both in one script."""
    value = normalize(wanted)
    if contains_phrase(sentence, value):
        return True
    if (time := time_of_day(value, pack)) is not None:
        return time in times_of_day(sentence, pack)
    if (weekdays := weekdays_of(value, pack, whole=True)) and not days_of(value, pack):
        return bool(weekdays & weekdays_of(sentence, pack))
    wanted_figures = figures(value, pack)
    if wanted_figures:
        if (dates := days_of(value, pack)) and dates & days_of(sentence, pack):
            return True
        if dates:
            return False
        if _FIGURES.fullmatch(value) or not _words_besides(value, pack):
            return _all_figures(wanted_figures, value, sentence, pack)
    return _in_parts(sentence, value, pack)


def _in_parts(sentence: str, value: str, pack: LanguagePack) -> bool:
    """Whether all words of a value stand in a text, in any form and order."""
    wanted = figures(value, pack)
    if wanted and not set(wanted) <= set(figures(sentence, pack)):
        return False
    needed = {term for term in terms(value, pack) if not (wanted and term.isdigit())}
    if not needed and not wanted:
        return False
    if needed <= terms(sentence, pack):
        return not has_han(value) or len(value) > 1
    # A numeral that counts nothing is a part of the word: 星期二 is not any 星期.
    words = _words_besides(value, pack) if wanted else value
    return has_han(value) and len(value) > _PIECE and _covered(words or value, fold(sentence))


def _covered(value: str, text: str) -> bool:
    """Whether a Han value is made of pieces, each of two characters or more, that a text has: 蘑菇炖鸡 of 蘑菇 and 炖鸡."""
    value = fold(value)
    at = 0
    while at < len(value):
        size = next((size for size in range(len(value) - at, _PIECE - 1, -1) if value[at : at + size] in text), 0)
        if not size:
            return False
        at += size
    return True


def _words_besides(value: str, pack: LanguagePack) -> str:
    """A value without its numbers and what they count in (46岁, 11 hives gives hives)."""
    words = re.sub(r"[\d.,:/-]+", " ", fold(value))
    if has_han(words):
        rest = "".join(char for char in words if numeral(char) is None and char not in pack.text.measures)
        return rest.strip()
    kept = [
        word
        for word in words.split()
        if word not in pack.text.units and word not in pack.text.scales and word not in pack.text.stopwords
    ]
    return " ".join(kept)


def _all_figures(wanted: tuple[int | float, ...], value: str, sentence: str, pack: LanguagePack) -> bool:
    said = figures(sentence, pack)
    if all(figure in said for figure in wanted):
        return True
    digits = re.sub(r"\D", "", value)
    return len(digits) > 1 and digits in _spelled(sentence, pack)


def _spelled(sentence: str, pack: LanguagePack) -> str:
    """Numbers that are said digit by digit, run together: "four, one, two", 四幺二."""
    return "".join(str(one) if isinstance(one, int) and one < _ONE_DIGIT else " " for one in figures(sentence, pack))


@remembered(4096)
def figures(text: str, pack: LanguagePack) -> tuple[int | float, ...]:
    """All numbers of a text; also ordinals in words, and numerals that stand alone ("July the twelfth", 三晚)."""
    plain = pack.rewrite(text, pack.grading.ordinals)
    found = numbers(plain, pack)
    more = (match["n"] for source in pack.grading.figures for match in pack.pattern(source).finditer(fold(plain)))
    values = (numeral(one) for one in more)
    return (*found, *dict.fromkeys(value for value in values if value is not None and value not in found))


@remembered(4096)
def days_of(text: str, pack: LanguagePack) -> frozenset[tuple[int, int]]:
    """Month and day of every whole date of a text."""
    if not numbers(text, pack) and not pack.any_of(tuple(source for source, _ in pack.grading.ordinals)).search(text):
        return frozenset()
    plain = pack.rewrite(text, pack.grading.ordinals)
    read = (find_moments(plain, pack=pack, now=now) for now in _NOWS)
    first, second = ({(one.at.month, one.at.day) for one in found if one.unit in _EXACT} for found in read)
    return frozenset(first & second)


@remembered(1024, texts=1)
def weekdays_of(text: str, pack: LanguagePack, *, whole: bool = False) -> frozenset[int]:
    """Days of the week that a text names (Monday is 0), in any of their names. ``whole``: only where it is one and no more."""
    if len(text) > _LONGEST_DAY and whole:
        return frozenset()
    read = [find_moments(text, pack=pack, now=now) for now in _WEEK]
    if whole and not all(len(found) == 1 and found[0].words.strip() == text.strip() for found in read):
        return frozenset()
    first, second = ({(one.start, one.at.weekday()) for one in found if one.unit in _EXACT} for found in read)
    return frozenset(day for _, day in first & second)


def time_of_day(text: str, pack: LanguagePack) -> tuple[int, int] | None:
    """Hour (of twelve) and minute, where a text is a time of day and no more."""
    for source in pack.grading.clock:
        match = pack.pattern(source).fullmatch(fold(text))
        if match is not None and (":" in text or not text.replace(".", "").isdigit()):
            return _clock(match, pack)
    return None


def times_of_day(text: str, pack: LanguagePack) -> frozenset[tuple[int, int]]:
    """All times of day of a text, of twelve hours."""
    found = (
        _clock(match, pack) for source in pack.grading.clock for match in pack.pattern(source).finditer(fold(text))
    )
    return frozenset(time for time in found if time is not None)


def _clock(match: re.Match[str], pack: LanguagePack) -> tuple[int, int] | None:
    group = match.groupdict()
    hour = _count(group.get("h") or "", pack)
    if hour is None:
        return None
    minute = _count(group.get("m") or "", pack) or 0
    if group.get("half"):
        minute = _HALF
    elif group.get("three"):
        minute = 3 * _QUARTER
    elif group.get("quarter"):
        minute = _QUARTER
    total = hour * _HOUR + (-minute if group.get("to") else minute)
    return (total // _HOUR) % _HOURS, total % _HOUR


def _count(word: str, pack: LanguagePack) -> int | None:
    if word.isdigit():
        return int(word)
    value = numeral(word) if has_han(word) else next(iter(numbers(word, pack)), None)
    return int(value) if value is not None else None


__all__ = ["answers", "days_of", "figures", "mentions", "names", "time_of_day", "times_of_day"]
