"""What a clause says of its speaker, in a form in which two clauses can be compared: keys, polarity, figures."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from harness.understanding.kinds import head_patterns
from harness.understanding.text import fold, has_han, numbers, stem

if TYPE_CHECKING:
    from harness.language import LanguagePack

_TOKEN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+|[^\W_\u3400-\u9fff]+")
_MARK = "\x00"
_LIKING = "~0"


@dataclass(frozen=True, slots=True)
class Point:
    """One thing said of oneself.

    Attributes:
        words: the clause.
        keys: what it is about: stems, pairs of Han characters; ``=n`` and ``~n`` stand for synonyms and opposites.
        negated: with an odd number of negations.
        second: with the second of a pair of opposites ("hate").
        figures: its numbers.
        wish: wished or supposed: contradicts nothing. ``past``: what is over: only "never" runs against it.
        also: an addition.
        ever: speaks of "at any time" (never been, 去过).
        resolved: what it is about stands in the question that it answers, or in the clause before.
        longed: denied only by wishing for it.
        heads: kinds of things that a denial names as a whole ("any sports").
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
    heads: frozenset[str] = frozenset()

    @property
    def polarity(self) -> bool:
        """Whether it affirms the first opposite, or what it is about."""
        return self.negated == self.second


@lru_cache(maxsize=8192)
def keys_of(text: str, pack: LanguagePack) -> tuple[frozenset[str], bool, bool]:
    """Content keys of a text, whether it is negated, and whether it has the second of two opposites."""
    cues = pack.history
    folded = fold(text)
    found: set[str] = set()
    second = False
    for number, pair in enumerate(cues.opposites):
        for turns, source in ((True, pair[1]), (False, pair[0])):
            folded, count = pack.pattern(source).subn(_MARK, folded)
            if count:
                found.add(f"~{number}")
                second = second != turns
    folded, denials = pack.any_of(cues.negators).subn(_MARK, folded)
    for number, source in enumerate(cues.synonyms):
        whole = source if pack.script == "han" else rf"\b(?:{source})\b"
        folded, count = pack.pattern(whole).subn(_MARK, folded)
        if count:
            found.add(f"={number}")
    folded = pack.any_of(cues.stop).sub(_MARK, folded)
    heavy = _grams(pack.any_of(cues.light).sub(_MARK, folded), pack)
    found |= heavy
    if not found - {_LIKING}:
        found |= _grams(folded, pack)
    return frozenset(found), denials % 2 == 1, second


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


def content(keys: frozenset[str]) -> frozenset[str]:
    """Keys without that of liking (the first pair of opposites): what is liked, not that it is liked."""
    return keys - {_LIKING}


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
        also=pack.any_of((*cues.also, *cues.sometimes)).search(clause) is not None,
        ever=not lapsed and pack.any_of(cues.experience).search(clause) is not None,
        heads=_heads(clause, pack) if negated else frozenset(),
    )


def answered(point: Point, statement: str, says: bool, pack: LanguagePack) -> Point:
    """The point of a question's statement, as a yes or a no leaves it."""
    negated = point.negated == says
    return replace(point, negated=negated, resolved=True, heads=_heads(statement, pack) if negated else frozenset())


def _heads(clause: str, pack: LanguagePack) -> frozenset[str]:
    folded = fold(clause)
    return frozenset(f"#{kind}" for kind, head in head_patterns(pack) if head.search(folded))
