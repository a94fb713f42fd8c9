"""Whether two values of an attribute mean the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from harness.language.shared import shared_words
from harness.understanding.facts.abbreviations import abbreviates, cuts_ending
from harness.understanding.facts.kinds import kinds_in, members_in, narrower, same_words, told_apart
from harness.understanding.facts.name_forms import is_form_of
from harness.understanding.facts.places import one_in_other
from harness.understanding.facts.predicates import same_numbers
from harness.understanding.text import contains_phrase, fold, has_han, likeness, numbers, terms

if TYPE_CHECKING:
    from harness.language import LanguagePack
    from harness.language.sections_facts import Attribute
    from harness.understanding.facts.claims import Claim

_ALIKE = 0.75
_HALF = 0.5
_MOST = 0.6
_LATIN = re.compile(r"[a-z]+")


def values_match(claim: Claim, known: Claim, pack: LanguagePack) -> bool | None:
    """Whether two values mean the same; None when that cannot be told."""
    spec = pack.attribute(known.attribute)
    compare = spec.compare if spec else "text"
    a, b = claim.value, known.value
    if compare == "number" and (equal := same_numbers(a, b, pack)) is not None:
        return equal
    if spec is not None and (short := _short_form(a, b, spec, pack)) is not None:
        return short
    if fold(a) == fold(b) or contains_phrase(b, a) or contains_phrase(a, b):
        return not (claim.name and known.name and fold(claim.name) != fold(known.name))
    if spec is not None and spec.yes_no:
        return True
    if compare == "place" and (inside := one_in_other(a, b, pack)) is not None:
        return inside
    if told_apart(a, b, pack):
        return False
    numbers_equal = same_numbers(a, b, pack)
    if has_han(a) != has_han(b):
        return numbers_equal if compare == "number" else None
    if compare == "number":
        return numbers_equal
    if compare in {"name", "place"}:
        return likeness(a, b) >= _ALIKE or bool(terms(a, pack) & terms(b, pack))
    if numbers_equal is False:
        return False
    return _texts_match(claim, known, pack)


def _short_form(a: str, b: str, spec: Attribute, pack: LanguagePack) -> bool | None:
    """Whether one value is the other in short, by what sort of name it is; None where it is no short form."""
    if spec.compare == "name":
        return is_form_of(a, (b,), pack) or None
    if not spec.institution and (spec.compare != "place" or has_han(a + b)):
        return None
    if abbreviates(a, b, pack.wording.nationwide):
        return True
    return False if spec.institution and cuts_ending(a, b, pack.entities.focus.place_endings) else None


def _texts_match(claim: Claim, known: Claim, pack: LanguagePack) -> bool | None:
    a, b = claim.value, known.value
    if (
        claim.name
        and known.name
        and not (contains_phrase(known.name, claim.name) or contains_phrase(claim.name, known.name))
    ):
        return False
    shared = kinds_in(a, pack) & kinds_in(b, pack)
    if same_words(a, b, pack):
        return True
    spec = pack.attribute(known.attribute)
    if spec is not None and spec.closed:
        first, second = members_in(a, spec.key, pack), members_in(b, spec.key, pack)
        if first and second:
            return bool(first & second) or bool(shared & narrower(spec.key, pack))
    first, second = terms(a, pack), terms(b, pack)
    worded, other = unnumbered(first), unnumbered(second)
    if spec is None or spec.single:  # "university of …" tells no university from another
        names = (known.slot or known.attribute,) if spec is None else (spec.key, *spec.aliases)
        said = frozenset().union(*(terms(name, pack) for name in names))
        worded, other = worded - said or worded, other - said or other
    if not worded or not other:  # of names with a numeral in them ("Early Eight") at least the rest must be shared
        return False if first and second and not first & second and not numbers(a + b, pack) else None
    if has_han(a) and has_han(b):
        letters = set(_LATIN.findall(fold(a))), set(_LATIN.findall(fold(b)))
        if all(letters) and not letters[0] & letters[1]:
            return False  # blood types, models
    share = len(worded & other) / min(len(worded), len(other))
    if spec is not None and not spec.single:
        return share >= (_MOST if has_han(a) else 1)  # "live music" is not "loud music"
    return share >= _HALF


def unnumbered(found: frozenset[str]) -> frozenset[str]:
    """Terms without numbers and numerals."""
    return frozenset(term for term in found if not term.isdigit() and not shared_words().numeral.search(term))
