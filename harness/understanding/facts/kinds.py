"""Kinds of things, as the language pack lists them: what a text names, what lies in what, what tells two texts apart."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from harness.language.remembering import remembered
from harness.understanding.facts.occurrences import Occurrences
from harness.understanding.text import fold, has_han, stem

if TYPE_CHECKING:
    from harness.language import LanguagePack

CITY = "#city"
COUNTRY = "#country"
_SYNONYMS = "#same_"


@remembered(4096)
def kinds_in(text: str, pack: LanguagePack) -> frozenset[str]:
    """The kinds of things named in a text, as ``#kind``."""
    folded = _unlike(pack).sub(" ", fold(text))
    return frozenset(_kinds(pack).find(folded))


@lru_cache(maxsize=16)
def _unlike(pack: LanguagePack) -> re.Pattern[str]:
    return phrases(pack.wording.unlike) if pack.wording.unlike else re.compile(r"(?!)")


@lru_cache(maxsize=16)
def _kinds(pack: LanguagePack) -> Occurrences[str]:
    return Occurrences({f"#{kind}": members for kind, members in pack.wording.kinds.items()})


@lru_cache(maxsize=512)
def phrases(members: tuple[str, ...]) -> re.Pattern[str]:
    """One expression for a list of phrases, the longest first; over folded text."""
    ordered = sorted((fold(member) for member in members), key=len, reverse=True)
    pieces = [re.escape(m) if has_han(m) else rf"(?<![0-9a-z]){re.escape(m)}(?![0-9a-z])" for m in ordered]
    return re.compile("|".join(pieces))


@remembered(4096, texts=2)
def covers(general: str, special: str, pack: LanguagePack) -> bool:
    """Whether ``general`` names a whole kind ("alcohol") that ``special`` belongs to ("red wine")."""
    folded = fold(general)
    heads = _heads(pack).find(folded)
    return bool(heads) and bool(heads & kinds_in(special, pack))


@lru_cache(maxsize=16)
def _heads(pack: LanguagePack) -> Occurrences[str]:
    return Occurrences({f"#{kind}": members[:1] for kind, members in pack.wording.kinds.items()})


@lru_cache(maxsize=16)
def head_patterns(pack: LanguagePack) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """For each kind, the expression of the word that names the whole of it."""
    return tuple((kind, phrases(members[:1])) for kind, members in pack.wording.kinds.items() if members)


@lru_cache(maxsize=64)
def narrower(kind: str, pack: LanguagePack) -> frozenset[str]:
    """Kinds that lie within another ("dog" in "pet")."""
    whole = set(pack.wording.kinds.get(kind, ()))
    return frozenset(
        f"#{name}" for name, members in pack.wording.kinds.items() if name != kind and whole > set(members)
    )


def same_words(first: str, second: str, pack: LanguagePack) -> bool:
    """Whether two texts hold words of one group of synonyms."""
    return any(kind.startswith(_SYNONYMS) for kind in kinds_in(first, pack) & kinds_in(second, pack))


@remembered(2048)
def members_in(text: str, kind: str, pack: LanguagePack) -> frozenset[str]:
    """Stems of the members of a kind that a text names ("two sisters": "sister")."""
    members = pack.wording.kinds.get(kind, ())
    folded = _unlike(pack).sub(" ", fold(text))
    return frozenset(stem(match[0]) for match in phrases(members).finditer(folded)) if members else frozenset()


def first_member(text: str, kind: str, pack: LanguagePack) -> str:
    """The first thing of a kind that a text names; empty when there is none."""
    members = pack.wording.kinds.get(kind, ())
    match = phrases(members).search(fold(text)) if members else None
    return match[0] if match else ""


def told_apart(first: str, second: str, pack: LanguagePack) -> bool:
    """Whether both name a month, a city, … and not the same one."""
    shared = kinds_in(first, pack) & kinds_in(second, pack) & {f"#{kind}" for kind in pack.wording.telling}
    return any(not members_in(first, kind[1:], pack) & members_in(second, kind[1:], pack) for kind in shared)
