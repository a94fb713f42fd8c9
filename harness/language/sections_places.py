"""Pack section for places: what lies in what, how people of a place are called, and what only looks like a place."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import field_validator

from harness.language.placing import PlaceName, read_places
from harness.state.base import Frozen


class Places(Frozen):
    """Section ``places``: a gazetteer.

    Attributes:
        parts: places with their parts, as nested text: ``Scotland/~Scot (Glasgow/~Glaswegian, Edinburgh)``. Names of one
            place are parted by ``/``, places by commas; what lies in a place stands in parentheses behind it. ``~`` marks a
            word for its people or their speech. A name may stand at several places (two Birminghams): it may mean each.
        regions: other wholes, by name or names, of places among ``parts``: ``{"the Midwest": "Ohio, Iowa"}``; with ``-`` in front, of
            all but those ("abroad"). They may overlap.
        words: names that are ordinary words too ("Reading"); they count only with a capital letter.
        unlike: regular expressions of words that only look like a place (三明治).
        plurals: endings that a word for people may take ("Texan", "Texans").
        people: regular expression of what makes the name before it a word for people of the place (人, 妹子).
    """

    parts: tuple[str, ...] = ()
    regions: Mapping[str, str] = {}
    words: tuple[str, ...] = ()
    unlike: tuple[str, ...] = ()
    plurals: tuple[str, ...] = ()
    people: str = ""

    @field_validator("parts")
    @classmethod
    def _readable(cls, parts: tuple[str, ...]) -> tuple[str, ...]:
        for part in parts:
            read_places(part)
        return parts

    @property
    def tree(self) -> tuple[PlaceName, ...]:
        """``parts``, read."""
        return tuple(place for part in self.parts for place in read_places(part))
