"""What a clause says of its speaker, in a form in which two clauses can be compared: keys, polarity, figures."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from harness.language.remembering import remembered
from harness.understanding.text import fold, has_han, numbers, stem

if TYPE_CHECKING:
    from harness.language import LanguagePack
    from harness.understanding.checks.questions import Asked

_TOKEN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+|[^\W_\u3400-\u9fff]+")
_MARK = "\x00"
LIKING = "~0"
"""Key of liking and disliking, the first pair of opposites."""


@dataclass(frozen=True, slots=True)
class Point:
    """One thing said of oneself.

    Attributes:
        words: the clause. ``said``: what was read, which is the question's statement for a yes or no.
        keys: what it is about: stems, pairs of Han characters; ``=n`` and ``~n`` stand for synonyms and opposites.
        negated: with an odd number of negations.
        second: with the second of a pair of opposites ("hate").
        figures: its numbers.
        wish: wished or supposed: contradicts nothing. ``past``: what is over: only "never" runs against it.
        also: an addition.
        ever: speaks of "at any time" (never been, 去过).
        resolved: what it is about stands in the question that it answers, or in the clause before.
        longed: denied only by wishing for it.
        heads: numbers of the groups that are named as a whole, denied ("any sports") or affirmed ("all sports").
        lapsed: not for long. ``lately``: of these days.
        hindered: for want of time or means.
        days: the words for the day or time it is about (tonight, 明天).
        vague: what it is about is one of the things the other has just named ("never been there").
    """

    words: str
    keys: frozenset[str]
    negated: bool
    second: bool = False
    figures: tuple[float, ...] = ()
    wish: bool = False
    past: bool = False
    also: bool = False
    ever: bool = False
    resolved: bool = False
    vague: bool = False
    longed: bool = False
    heads: frozenset[int] = frozenset()
    said: str = ""
    lapsed: bool = False
    lately: bool = False
    hindered: bool = False
    days: frozenset[str] = frozenset()

    @property
    def polarity(self) -> bool:
        """Whether it affirms the first opposite, or what it is about."""
        return self.negated == self.second


@remembered(8192)
def keys_of(text: str, pack: LanguagePack) -> tuple[frozenset[str], bool, bool]:
    """Content keys of a text, whether it is negated, and whether it has the second of two opposites."""
    cues = pack.history
    folded = fold(text)
    found: set[str] = set()
    second = False
    opposites, synonyms = _tables(pack)
    for key, turns, pattern in opposites:
        if pattern.search(folded):  # most do not: searching costs half of what replacing does
            folded = pattern.sub(_MARK, folded)
            found.add(key)
            second = second != turns
    folded, denials = pack.any_of(cues.negators).subn(_MARK, folded)
    for key, pattern in synonyms:
        if pattern.search(folded):
            folded = pattern.sub(_MARK, folded)
            found.add(key)
    folded = pack.any_of(cues.stop).sub(_MARK, folded)
    heavy = _grams(pack.any_of(cues.light).sub(_MARK, folded), pack)
    found |= heavy
    if not found - {LIKING}:
        found |= _grams(folded, pack)
    return frozenset(found), denials % 2 == 1, second


@lru_cache(maxsize=16)
def _tables(
    pack: LanguagePack,
) -> tuple[tuple[tuple[str, bool, re.Pattern[str]], ...], tuple[tuple[str, re.Pattern[str]], ...]]:
    """(key, whether of the second, pattern) of the opposites, and (key, pattern) of the synonyms."""
    opposites = tuple(
        (f"~{number}", turns, pack.pattern(pair[turns]))
        for number, pair in enumerate(pack.history.opposites)
        for turns in (True, False)
    )
    edged = "{}" if pack.script == "han" else r"\b(?:{})\b"
    synonyms = tuple(
        (f"={number}", pack.pattern(edged.replace("{}", source))) for number, source in enumerate(pack.history.synonyms)
    )
    return opposites, synonyms


def _grams(text: str, pack: LanguagePack) -> set[str]:
    """Stems of the Latin words, pairs of the Han characters."""
    found: set[str] = set()
    for match in _TOKEN.finditer(text):
        token = match[0]
        if has_han(token):
            found.update(token[i : i + 2] for i in range(max(len(token) - 1, 1)))
        elif token not in pack.text.stopwords and len(token) > 1:
            found.add(stem(pack.text.lemmas.get(token, token)))
    return found


@remembered(4096)
def thin(clause: str, pack: LanguagePack) -> bool:
    """Whether a clause says what is done to something, but not to what ("never heard of it")."""
    cues = pack.history
    folded = pack.any_of(cues.empty).sub(_MARK, fold(clause))
    if any(pattern.search(folded) for key, _, pattern in _tables(pack)[0] if key != LIKING):
        return False
    return not _grams(pack.any_of(cues.anaphors).sub(_MARK, folded), pack)


def content(keys: frozenset[str]) -> frozenset[str]:
    """Keys without that of liking (the first pair of opposites): what is liked, not that it is liked."""
    return keys - {LIKING}


def bare(keys: frozenset[str], pack: LanguagePack) -> bool:
    """Whether keys are only verbs of one character (吃的, 没坐过, 怕): what is done, but not to what."""
    return bool(keys) and all((len(key) == 1 and has_han(key)) or key in _verbs(pack) for key in keys)


@lru_cache(maxsize=16)
def _verbs(pack: LanguagePack) -> frozenset[str]:
    """Keys of the words of the pack that want an object."""
    return frozenset().union(*(content(keys_of(word, pack)[0]) for word in pack.history.transitive))


def point_of(clause: str, words: str, pack: LanguagePack) -> Point:
    """What one clause says."""
    cues = pack.history
    clause = pack.any_of(cues.answer_words).sub("", clause)
    keys, negated, second = keys_of(clause, pack)
    lapsed = pack.any_of(cues.lapsed).search(clause) is not None
    if lapsed:
        negated = False
    return Point(
        words,
        keys,
        negated,
        second,
        numbers(clause, pack),
        wish=pack.any_of(cues.wishes).search(clause) is not None,
        past=lapsed or pack.any_of(cues.past).search(clause) is not None,
        also=pack.any_of(cues.besides).search(clause) is not None,
        ever=not lapsed and pack.any_of(cues.experience).search(clause) is not None,
        heads=_heads(clause, pack) if negated or pack.any_of(cues.wholes).search(clause) else frozenset(),
        said=clause,
        lapsed=lapsed,
        lately=pack.any_of(cues.lately).search(clause) is not None,
        hindered=pack.any_of(cues.hindered).search(clause) is not None,
        days=days_in(clause, pack),
    )


def days_in(text: str, pack: LanguagePack) -> frozenset[str]:
    """The words of a text for a day or a time of day."""
    return frozenset(match[0].lower() for match in pack.any_of(pack.history.days).finditer(text))


def answered(point: Point, question: Asked, says: bool, pack: LanguagePack) -> Point:
    """The point of a question's statement, as a yes or a no leaves it; "no" to "have you ever" denies every time."""
    negated = point.negated == says
    ever = negated and pack.any_of(pack.history.ever_asked).search(question.words) is not None
    heads = _heads(question.statement, pack) if negated else frozenset()
    return replace(point, negated=negated, resolved=True, heads=heads, ever=point.ever or ever)


def _heads(clause: str, pack: LanguagePack) -> frozenset[int]:
    return frozenset(number for number, (head, _) in enumerate(_groups(pack)) if head.search(clause))


@remembered(4096)
def members_of(clause: str, pack: LanguagePack) -> frozenset[int]:
    """Numbers of the groups of which a clause names a member."""
    return frozenset(number for number, (_, members) in enumerate(_groups(pack)) if members.search(clause))


@lru_cache(maxsize=16)
def _groups(pack: LanguagePack) -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    edged = r"\b(?:{})\b" if pack.script == "latin" else "(?:{})"
    return tuple(
        (pack.pattern(edged.replace("{}", group.head)), pack.pattern(edged.replace("{}", group.members)))
        for group in pack.history.groups
    )
