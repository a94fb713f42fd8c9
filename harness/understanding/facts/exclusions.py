"""What rules what out, as the language pack lists it: on which sides of its exclusions a text stands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from harness.language.remembering import remembered
from harness.understanding.facts.kinds import kinds_in
from harness.understanding.facts.occurrences import Occurrences
from harness.understanding.text import fold, has_han

if TYPE_CHECKING:
    from harness.language import LanguagePack


_HOLDS, _WORDS = "holds", "words"


@dataclass(frozen=True, slots=True)
class Sides:
    """Numbers of the exclusions whose words a text has: those of a holder, those that deny, excluded words and kinds."""

    holds: frozenset[int]
    lacking: frozenset[int]
    words: frozenset[int]
    kinds: frozenset[int]


@lru_cache(maxsize=16)
def _worded(pack: LanguagePack) -> Occurrences[tuple[str, int]]:
    """The words of holders and the excluded words of all rules, each with its side and the number of its rule."""
    lists: dict[tuple[str, int], tuple[str, ...]] = {}
    for number, rule in enumerate(pack.wording.exclusions):
        lists[_HOLDS, number] = rule.holds
        lists[_WORDS, number] = tuple(word for word in rule.excludes if not word.startswith("#"))
    return Occurrences(lists)


@lru_cache(maxsize=16)
def _denying(pack: LanguagePack) -> tuple[tuple[int, re.Pattern[str]], ...]:
    rules = enumerate(pack.wording.exclusions)
    return tuple((number, _lacking(rule.lacking)) for number, rule in rules if rule.lacking)


def _lacking(sources: tuple[str, ...]) -> re.Pattern[str]:
    pieces = (source if has_han(source) else rf"(?<![0-9a-z])(?:{source})(?![0-9a-z])" for source in sources)
    return re.compile("|".join(pieces))


@remembered(4096)
def sides(text: str, pack: LanguagePack) -> Sides:
    """Which exclusions of the pack a text takes part in, and on which side."""
    folded, kinds = fold(text), kinds_in(text, pack)
    worded = _worded(pack).find(folded)
    holds = frozenset(number for side, number in worded if side == _HOLDS)
    words = frozenset(number for side, number in worded if side == _WORDS)
    lacking = frozenset(number for number, pattern in _denying(pack) if pattern.search(folded))
    excluded = enumerate(pack.wording.exclusions)
    return Sides(holds, lacking, words, frozenset(n for n, rule in excluded if kinds.intersection(rule.excludes)))
