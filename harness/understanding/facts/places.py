"""Places inside places: which places a text names, and how two places lie to each other.

The gazetteer is that of the language pack (section ``places``). A name may mean several places; a value may name a place by several
steps ("Sichuan Chengdu", "Lyon, France"), of which the narrowest is meant. What cannot be told is :attr:`Containment.unknown`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING

from harness.language.phrases import Phrases
from harness.language.remembering import remembered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.language import LanguagePack
    from harness.language.placing import PlaceName


class Containment(StrEnum):
    """How a first place lies to a second one."""

    same = "same"
    inside = "inside"
    contains = "contains"
    overlaps = "overlaps"
    """Parts of the one are parts of the other."""
    disjoint = "disjoint"
    unknown = "unknown"


@dataclass(frozen=True, slots=True)
class PlaceHit:
    """A place named in a text, at ``start``..``end``.

    Attributes:
        places: numbers of the places the name may mean.
        people: the words name people of the place, or their speech, not the place itself.
    """

    start: int
    end: int
    name: str
    places: frozenset[int]
    people: bool = False


@dataclass(frozen=True, slots=True)
class _Named:
    places: frozenset[int]
    people: bool


class Gazetteer:
    """The places of a language pack. Get it by :func:`gazetteer`, which builds it once."""

    __slots__ = ("_inside", "_people", "_phrases", "_regions", "_unlike", "_within", "_words", "levels")

    def __init__(self, pack: LanguagePack) -> None:
        """Read the places of ``pack``."""
        section = pack.places
        self._within: list[frozenset[int]] = []
        """For each place the numbers of all places that it lies in, and of the regions it belongs to."""
        self.levels: list[int] = []
        """How many places a place lies in, by number: 0 for a country or another outermost one, -1 for a region."""
        named: dict[str, set[int]] = {}
        people: dict[str, set[int]] = {}
        for outermost in section.tree:
            self._add(outermost, (), named, people)
        self._regions = range(len(self._within), len(self._within) + len(section.regions))
        for names, members in section.regions.items():
            number = len(self._within)
            self._within.append(frozenset())
            self.levels.append(-1)
            for name in (word.strip() for word in names.split("/")):
                table = people if name.startswith("~") else named
                table.setdefault(name.removeprefix("~").casefold(), set()).add(number)
            inner = {
                place for member in members.lstrip("-").split(",") for place in named.get(member.strip().casefold(), ())
            }
            rest = members.startswith("-")
            for place in range(number):
                belongs = place in inner or bool(self._within[place] & inner)
                if belongs != rest:
                    self._within[place] |= {number}
        words = {
            word + ending: _Named(frozenset(places), people=True)
            for ending in (*section.plurals, "")
            for word, places in people.items()
        }
        words |= {name: _Named(frozenset(places), people=False) for name, places in named.items()}
        inside: list[set[int]] = [set() for _ in self._within]
        for place, outer in enumerate(self._within):
            for number in outer:
                inside[number].add(place)
        self._inside = tuple(frozenset(places) for places in inside)
        self._phrases = Phrases(words)
        self._words = frozenset(word.casefold() for word in section.words)
        self._unlike = pack.any_of(section.unlike)
        self._people = re.compile(section.people) if section.people else None

    def _add(
        self, place: PlaceName, outer: tuple[int, ...], named: dict[str, set[int]], people: dict[str, set[int]]
    ) -> None:
        number = len(self._within)
        self._within.append(frozenset(outer))
        self.levels.append(len(outer))
        for words, table in ((place.names, named), (place.people, people)):
            for word in words:
                table.setdefault(word.casefold(), set()).add(number)
        for part in place.parts:
            self._add(part, (*outer, number), named, people)

    def find(self, text: str) -> Iterator[PlaceHit]:
        """The places a text names, in order, none overlapping another; words that only look like one are passed over."""
        plain = self._unlike.sub(lambda match: "\n" * len(match[0]), text)
        for hit in self._phrases.find(plain):
            if hit.phrase in self._words and not text[hit.start].isupper():
                continue
            follows = self._people.match(text, hit.end) if self._people is not None else None
            yield PlaceHit(
                hit.start, hit.end, text[hit.start : hit.end], hit.value.places, hit.value.people or bool(follows)
            )

    def narrowest(self, text: str) -> frozenset[int]:
        """The places that a value means: those named that no other named one lies in. Empty when it names none."""
        named = [hit.places for hit in self.find(text)]
        for places in named[:]:
            for other in named:
                if other is not places and places:
                    inner = frozenset(place for place in other if self._within[place] & places)
                    if inner and not places & other:
                        named = [inner if one is other else one for one in named if one is not places]
                        break
        return frozenset(place for places in named for place in places)

    def compare(self, first: frozenset[int], second: frozenset[int]) -> Containment:
        """How two places lie to each other, each given by all it may mean; the closest of all readings."""
        found = Containment.unknown
        for a in first:
            for b in second:
                one = self._compare(a, b)
                if _CLOSER.index(one) < _CLOSER.index(found):
                    found = one
        return found

    def _compare(self, first: int, second: int) -> Containment:
        if first == second:
            return Containment.same
        if second in self._within[first]:
            return Containment.inside
        if first in self._within[second]:
            return Containment.contains
        return Containment.disjoint if self._inside[first].isdisjoint(self._inside[second]) else Containment.overlaps

    def level(self, places: frozenset[int]) -> int:
        """The level of a place by :attr:`levels`; of several it may mean, the outermost."""
        return min((self.levels[place] for place in places), default=-1)

    def shared(self, first: frozenset[int], second: frozenset[int]) -> int:
        """How many steps from the outermost place inwards two places have in common: 0 for two countries, 1 within one."""
        return max((len(self._chain(a) & self._chain(b)) for a in first for b in second), default=0)

    def _chain(self, place: int) -> frozenset[int]:
        return frozenset(outer for outer in self._within[place] | {place} if outer not in self._regions)


_CLOSER = (
    Containment.same,
    Containment.inside,
    Containment.contains,
    Containment.overlaps,
    Containment.disjoint,
    Containment.unknown,
)


@lru_cache(maxsize=16)
def gazetteer(pack: LanguagePack) -> Gazetteer:
    """The gazetteer of a pack; built at its first use (a few milliseconds)."""
    return Gazetteer(pack)


@remembered(2048, texts=2)
def compare_places(first: str, second: str, pack: LanguagePack) -> Containment:
    """How the place that one text names lies to that of another: ``compare_places("Lyon", "France", en)`` is ``inside``.

    Texts without a known place, and texts that name several places apart from each other, give the closest relation
    there is among them, and :attr:`Containment.unknown` when one names none.
    """
    places = gazetteer(pack)
    return places.compare(places.narrowest(first), places.narrowest(second))


def one_in_other(first: str, second: str, pack: LanguagePack) -> bool | None:
    """Whether two texts name one place, or places of which one lies in the other; None when that is not known.

    Two that only overlap may both be true of one point, so they count as well.
    """
    found = compare_places(first, second, pack)
    return None if found is Containment.unknown else found is not Containment.disjoint
