"""Words of a text that a fact about the speaker's place, star sign or gender is about, each with its relation to that fact."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from harness.language.phrases import Phrases
from harness.understanding.facts.places import Containment, gazetteer
from harness.understanding.text import fold, numeral

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.language import LanguagePack
    from harness.language.sections_agreement import GenderName
    from harness.state import Fact

MOST_SLOTS = 12
"""Words of one text that are looked at; a longer list of places says nothing about the speaker."""
ORIGIN = "origin"
"""Group of the attributes that tell where somebody comes from."""
_DAYS = 32


class Aspect(StrEnum):
    """What a fact is about."""

    place = "place"
    sign = "sign"
    gender = "gender"


@dataclass(frozen=True, slots=True)
class Held:
    """A fact, read.

    Attributes:
        places: of a fact about a place, what it may mean (numbers of the gazetteer).
        origin: the fact tells where the speaker comes from, not where they live.
        level: of the place, 0 for a country, 1 for what lies in one, …
        sign: key of a star sign. ``gender``: ``female`` or ``male``.
    """

    fact: Fact
    aspect: Aspect
    places: frozenset[int] = frozenset()
    level: int = -1
    origin: bool = False
    sign: str = ""
    gender: str = ""


@dataclass(frozen=True, slots=True)
class Slot:
    """A word of a text at ``start``..``end``.

    Attributes:
        form: ``place``, ``people``, ``sign``, ``date``, ``noun``, ``partner`` or ``self``.
        relation: to the fact: ``same``, ``inside``, ``contains``, ``overlaps`` agree with it; ``near`` (in the same
            province or state), ``far`` (in the same country), ``abroad`` and ``other`` do not.
        level: of a place, 0 for a country, 1 for what lies in one, …
        held: the fact that it is about: of several, the one it lies closest to.
        rivals: all facts of the same aspect.
    """

    start: int
    end: int
    word: str
    form: str
    relation: str
    held: Held
    level: int = -1
    rivals: tuple[Held, ...] = ()

    @property
    def agrees(self) -> bool:
        """Whether the word fits the fact."""
        return self.relation in _AGREEING


_AGREEING = frozenset({"same", "inside", "contains", "overlaps"})
_ORDER = ("same", "inside", "contains", "overlaps", "near", "far", "abroad")


def read_fact(fact: Fact, pack: LanguagePack) -> Held | None:
    """What a fact says about place, star sign or gender; None when it is about something else, or is a denial."""
    cues = pack.agreement
    if not fact.polarity:
        return None
    name = fold(fact.attribute).replace("_", " ")
    spec = pack.attribute(fact.attribute)
    if (spec is not None and spec.compare == "place") or name in cues.place_facts:
        places = gazetteer(pack).narrowest(fact.value)
        origin = name in cues.origin_facts or (spec is not None and spec.group == ORIGIN)
        level = gazetteer(pack).level(places)
        return Held(fact, Aspect.place, places=places, level=level, origin=origin) if places else None
    if name in cues.sign_facts:
        hit = _signs(pack).first(fact.value)
        return Held(fact, Aspect.sign, sign=hit.value) if hit else None
    if name in cues.gender_facts:
        value = fold(fact.value)
        for gender, words in cues.genders.items():
            if value in words.values:
                return Held(fact, Aspect.gender, gender=gender)
    return None


def find_slots(text: str, held: Sequence[Held], pack: LanguagePack) -> tuple[Slot, ...]:
    """The words of a text that the facts are about, in order, none overlapping another."""
    found: list[Slot] = []

    def take(slots: Iterator[Slot]) -> None:
        for slot in slots:
            if len(found) >= MOST_SLOTS:
                return
            if not any(slot.start < other.end and other.start < slot.end for other in found):
                found.append(slot)

    places = [one for one in held if one.aspect is Aspect.place]
    if places:
        take(_place_slots(text, places, pack))
    sign = next((one for one in held if one.aspect is Aspect.sign), None)
    if sign is not None:
        take(_sign_slots(text, sign, pack))
    gender = next((one for one in held if one.aspect is Aspect.gender), None)
    if gender is not None:
        take(_gender_slots(text, gender, pack))
    return tuple(sorted(found, key=lambda slot: slot.start))


def _place_slots(text: str, held: Sequence[Held], pack: LanguagePack) -> Iterator[Slot]:
    atlas = gazetteer(pack)
    for hit in atlas.find(text):
        relations = [(_relation(hit.places, one.places, pack), one) for one in held]
        relation, one = min(relations, key=lambda pair: _ORDER.index(pair[0]))
        form = "people" if hit.people else "place"
        yield Slot(hit.start, hit.end, hit.name, form, relation, one, atlas.level(hit.places), tuple(held))


@lru_cache(maxsize=4096)
def _relation(said: frozenset[int], held: frozenset[int], pack: LanguagePack) -> str:
    atlas = gazetteer(pack)
    found = atlas.compare(said, held)
    if found is not Containment.disjoint:
        return found.value
    shared = atlas.shared(said, held)
    return "near" if shared > 1 else "far" if shared else "abroad"


@lru_cache(maxsize=16)
def _signs(pack: LanguagePack) -> Phrases[str]:
    return Phrases({name: key for key, sign in pack.agreement.signs.items() for name in sign.names})


def _sign_slots(text: str, held: Held, pack: LanguagePack) -> Iterator[Slot]:
    for hit in _signs(pack).find(text):
        if pack.script != "han" and not text[hit.start].isupper():
            continue
        yield Slot(hit.start, hit.end, text[hit.start : hit.end], "sign", _same(hit.value == held.sign), held)
    for source in pack.agreement.dates:
        for match in pack.pattern(source).finditer(text):
            key = sign_of(match["m"], match["d"], pack)
            if key:
                yield Slot(match.start(), match.end(), match[0], "date", _same(key == held.sign), held)


def _same(equal: bool) -> str:
    return "same" if equal else "other"


def sign_of(month: str, day: str, pack: LanguagePack) -> str:
    """The key of the sign of a birthday, its month and day as written ("March" "4", 三 四); empty when it is no date."""
    number, of_month = _read_number(month, pack), _read_number(day, pack)
    if not 0 < number <= 12 or not 0 < of_month < _DAYS:
        return ""
    found = ""
    begins = sorted((*map(int, sign.begins.split("-")), key) for key, sign in pack.agreement.signs.items())
    for first_month, first_day, key in begins:
        if (first_month, first_day) <= (number, of_month):
            found = str(key)
    return found or (str(begins[-1][2]) if begins else "")


def _read_number(text: str, pack: LanguagePack) -> int:
    if text.isdecimal():
        return int(text)
    return pack.agreement.months.get(fold(text)) or numeral(text) or 0


class _Word(NamedTuple):
    gender: GenderName
    form: str


@lru_cache(maxsize=16)
def _gender_words(pack: LanguagePack) -> Phrases[_Word]:
    genders = pack.agreement.genders
    table: dict[str, _Word] = {}
    for gender, words in genders.items():
        table |= dict.fromkeys(words.nouns, _Word(gender, "noun"))
        table |= dict.fromkeys(words.partners, _Word(gender, "partner"))
    return Phrases(table)


def _gender_slots(text: str, held: Held, pack: LanguagePack) -> Iterator[Slot]:
    for gender, words in pack.agreement.genders.items():
        for match in pack.any_of(words.selves).finditer(text) if words.selves else ():
            yield Slot(match.start(), match.end(), match[0], "self", _same(gender == held.gender), held)
    for hit in _gender_words(pack).find(text):
        gender, form = hit.value
        yield Slot(hit.start, hit.end, text[hit.start : hit.end], form, _same(gender == held.gender), held)


def masked(text: str, slot: Slot, slots: Sequence[Slot]) -> str:
    """The text with ``<form>`` for one slot and ``<other>`` for other slots of its aspect."""
    pieces, at = [], 0
    for one in slots:
        if one is not slot and one.held.aspect is not slot.held.aspect:
            continue
        pieces += [text[at : one.start], f"<{one.form}>" if one is slot else "<other>"]
        at = one.end
    return "".join([*pieces, text[at:]])
