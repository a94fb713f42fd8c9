"""Two ways a language file describes wording: fixed phrases and regular expressions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Generic, TypeVar

from pydantic import BeforeValidator

from harness.language.scripts import SPACELESS, script_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Value = TypeVar("Value")
_LAST_PARTED = "\u0dff"
"""Scripts up to here part their words; it saves a look-up for nearly every letter."""
SHORT = 40
"""Length up to which lower-cased texts are remembered."""


def _compile(value: object) -> object:
    """A regular expression of a language file; case is ignored."""
    if not isinstance(value, str):
        return value
    try:
        return re.compile(value, re.IGNORECASE)
    except re.error as error:
        message = f"Expected a regular expression, got {value!r}: {error}"
        raise ValueError(message) from error


Regex = Annotated[re.Pattern[str], BeforeValidator(_compile)]
"""A compiled expression that ignores case. ``(?-i:…)`` inside it turns case on again."""


def is_han(char: str) -> bool:
    """Whether a character is a Chinese ideograph."""
    return "\u4e00" <= char <= "\u9fff" or "\u3400" <= char <= "\u4dbf" or "\uf900" <= char <= "\ufaff"


def _joins(left: str, right: str) -> bool:
    """Whether two neighbouring characters belong to one word of a script that parts words by blanks."""
    return left.isalnum() and right.isalnum() and not _unparted(left) and not _unparted(right)


def _unparted(char: str) -> bool:
    """Whether a letter is of a script without blanks between words."""
    return char > _LAST_PARTED and (is_han(char) or script_of(char) in SPACELESS)


@dataclass(frozen=True, slots=True)
class Hit(Generic[Value]):
    """A phrase found at ``start``..``end`` of a text."""

    start: int
    end: int
    phrase: str
    value: Value


class Phrases(Generic[Value]):
    """Finds fixed phrases in a text: longest first, from left to right, whole words only where words are parted.

    Phrases are compared without regard to case. Cost is about one dictionary look-up per character.
    """

    __slots__ = ("_by_start", "_firsts")

    def __init__(self, phrases: Mapping[str, Value]) -> None:
        """Index ``phrases``; empty ones are left out."""
        self._by_start: dict[
            str, list[tuple[str, Value]]
        ] = {}  # by the first two characters; by one, for phrases of one
        for phrase, value in phrases.items():
            lowered = lower(phrase)
            if lowered.strip():
                self._by_start.setdefault(lowered[:2], []).append((lowered, value))
        for entries in self._by_start.values():
            entries.sort(key=lambda entry: -len(entry[0]))
        self._firsts = frozenset(start[0] for start in self._by_start)

    @classmethod
    def of(cls, phrases: Iterable[str]) -> Phrases[str]:
        """Phrases whose value is the phrase itself."""
        return Phrases({phrase: phrase for phrase in phrases})

    def at(self, lowered: str, start: int) -> Hit[Value] | None:
        """The longest phrase that begins at ``start`` of a lower-cased text."""
        if start >= len(lowered) or lowered[start] not in self._firsts:
            return None
        if start and _joins(lowered[start - 1], lowered[start]):
            return None
        by_start = self._by_start
        for key in (lowered[start : start + 2], lowered[start]):
            for phrase, value in by_start.get(key, ()):
                end = start + len(phrase)
                if lowered.startswith(phrase, start) and not (end < len(lowered) and _joins(phrase[-1], lowered[end])):
                    return Hit(start, end, phrase, value)
        return None

    def find(self, text: str) -> Iterator[Hit[Value]]:
        """All phrases of a text, none overlapping another. Offsets are those of ``text``."""
        lowered = lower(text)
        position, size = 0, len(lowered)
        firsts = self._firsts
        while position < size:
            if lowered[position] in firsts:
                hit = self.at(lowered, position)
                if hit is not None:
                    yield hit
                    position = hit.end
                    continue
            position += 1

    def covers(self, text: str) -> bool:
        """Whether the text is one of the phrases, and nothing else."""
        hit = self.at(lower(text), 0) if text else None
        return hit is not None and hit.end == len(text)

    def first(self, text: str) -> Hit[Value] | None:
        """The leftmost phrase of a text."""
        return next(self.find(text), None)


@lru_cache(maxsize=8192)
def _lower_short(text: str) -> str:
    return _lower(text)


def lower(text: str) -> str:
    """Lower case, typographic apostrophes straightened, of the same length as ``text``.

    ``str.lower`` lengthens a few letters (İ); those stay as they are, so that offsets keep their meaning. Short texts
    (names) are remembered.
    """
    return _lower_short(text) if len(text) <= SHORT else _lower(text)


def _lower(text: str) -> str:
    lowered = text.lower().replace("\u2019", "'").replace("\u2018", "'")
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := char.lower()) == 1 else char for char in text).replace("\u2019", "'")


def alternatives(words: Iterable[str]) -> str:
    """A regular expression that matches any of ``words``, the longest first; one that never matches for none."""
    ordered = sorted({re.escape(word) for word in words if word.strip()}, key=lambda word: (-len(word), word))
    return "|".join(ordered) or "(?!)"


def fill(pattern: str, slots: Mapping[str, str]) -> str:
    """``pattern`` with ``{slot}`` replaced; other braces (quantifiers) stay as they are."""
    for name, expression in slots.items():
        pattern = pattern.replace("{" + name + "}", expression)
    return pattern
