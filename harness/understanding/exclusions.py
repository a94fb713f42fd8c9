"""What rules what out, as the language pack lists it: on which sides of its exclusions a text stands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from harness.understanding.kinds import kinds_in, phrases
from harness.understanding.text import fold, has_han

if TYPE_CHECKING:
    from harness.language import LanguagePack


@dataclass(frozen=True, slots=True)
class Sides:
    """Numbers of the exclusions whose words a text has: those of a holder, those that deny, excluded words and kinds."""

    holds: frozenset[int]
    lacking: frozenset[int]
    words: frozenset[int]
    kinds: frozenset[int]


@lru_cache(maxsize=16)
def _exclusions(pack: LanguagePack) -> tuple[tuple[re.Pattern[str] | None, ...], ...]:
    return tuple(
        (
            phrases(rule.holds) if rule.holds else None,
            _lacking(rule.lacking) if rule.lacking else None,
            phrases(words) if (words := tuple(w for w in rule.excludes if not w.startswith("#"))) else None,
        )
        for rule in pack.wording.exclusions
    )


def _lacking(sources: tuple[str, ...]) -> re.Pattern[str]:
    pieces = (source if has_han(source) else rf"(?<![0-9a-z])(?:{source})(?![0-9a-z])" for source in sources)
    return re.compile("|".join(pieces))


@lru_cache(maxsize=4096)
def sides(text: str, pack: LanguagePack) -> Sides:
    """Which exclusions of the pack a text takes part in, and on which side."""
    folded, kinds = fold(text), kinds_in(text, pack)
    rules = tuple(enumerate(_exclusions(pack)))
    holds, lacking, words = (
        frozenset(n for n, rule in rules if (p := rule[side]) and p.search(folded)) for side in range(3)
    )
    excluded = enumerate(pack.wording.exclusions)
    return Sides(holds, lacking, words, frozenset(n for n, rule in excluded if kinds.intersection(rule.excludes)))
