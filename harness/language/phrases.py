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
_START = 4
"""Characters by which phrases are looked up: many begin with the same two."""
REMEMBERED = 600
"""Length up to which it is remembered where words begin in a text and which phrases are in it: several trackers read the same
message, and earlier ones are read again."""


_HAN = r"(?:\\u4e00|\u4e00)-(?:\\u9fff|[\u9fa5-\u9fff])"
_CASELESS = rf"(?:{_HAN}|\\[dws]|A-Za-z|a-zA-Z|[\d_\u3007-\u9fff]|[^\w\\\[\]^-])*"
_HAN_SET = re.compile(rf"(?<!\\)\[\^?{_CASELESS}{_HAN}{_CASELESS}\]")
"""A set of characters with the range of Han ideographs in it and no letters that have case, but for all Latin ones."""


@lru_cache(maxsize=8192)
def caseless(source: str, flags: int = 0) -> re.Pattern[str]:
    """A regular expression that ignores case, compiled.

    Han ideographs have no case. To find that out ``re`` goes through all twenty thousand each time they stand in a set, which
    makes up most of the time that a Chinese pack takes to compile; so such a set is compiled as one that heeds case. What was compiled
    is remembered: a project with a pack of its own reads the packaged ones anew, with the same expressions.

    Raises:
        re.error: it is no regular expression.
    """
    return re.compile(_HAN_SET.sub(lambda match: f"(?-i:{match[0]})", source), re.IGNORECASE | flags)


def _compile(value: object) -> object:
    """A regular expression of a language file; case is ignored."""
    if not isinstance(value, str):
        return value
    try:
        return caseless(value)
    except re.error as error:
        message = f"Expected a regular expression, got {value!r}: {error}"
        raise ValueError(message) from error


Regex = Annotated[re.Pattern[str], BeforeValidator(_compile)]
"""A compiled expression that ignores case. ``(?-i:…)`` inside it turns case on again."""

_SYNTAX = re.compile(r"\\(?:N\{[^}]*\}|.)|\(\?P[<=]\w+|\(\?\(\w+\)|\(\?[a-zA-Z-]+[:)]", re.DOTALL)
"""What is no letter to be found in an expression: escapes, names of groups, flags."""


@lru_cache(maxsize=4096)
def of_lower(source: str) -> re.Pattern[str]:
    """A regular expression for text in lower case, compiled: it finds what one that ignores case finds there.

    Ignoring case makes ``re`` look up the case of every letter it passes and keeps it from leaving out alternatives that begin
    otherwise; on text that is lowered anyway this takes a third of the time. One that turns case on or off within itself
    is left as it is.

    Raises:
        re.error: it is no regular expression.
    """
    if re.search(r"\(\?-?[a-zA-Z]*i", source):
        return caseless(source)
    lowered, end = [], 0
    for match in _SYNTAX.finditer(source):
        lowered += [source[end : match.start()].lower(), match[0]]
        end = match.end()
    return re.compile("".join((*lowered, source[end:].lower())))


def _compile_lower(value: object) -> object:
    """A regular expression of a language file for lower-cased text."""
    if not isinstance(value, str):
        return value
    try:
        return of_lower(value)
    except re.error as error:
        message = f"Expected a regular expression, got {value!r}: {error}"
        raise ValueError(message) from error


LowerRegex = Annotated[re.Pattern[str], BeforeValidator(_compile_lower)]
"""A compiled expression that is only ever matched on lower-cased text; capitals in it are lowered."""


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

    Phrases are compared without regard to case. Cost is about one dictionary look-up per word, or per character of a script
    without blanks; what was found in a text of ordinary length is remembered.
    """

    __slots__ = ("_by_start", "_starts")

    def __init__(self, phrases: Mapping[str, Value]) -> None:
        """Index ``phrases``; empty ones are left out."""
        self._by_start: dict[
            str, list[tuple[str, Value]]
        ] = {}  # by the first four characters; by all of a shorter phrase
        for phrase, value in phrases.items():
            lowered = lower(phrase)
            if lowered.strip():
                self._by_start.setdefault(lowered[:_START], []).append((lowered, value))
        self._starts = frozenset(start[:2] for start in self._by_start)
        for entries in self._by_start.values():
            entries.sort(key=lambda entry: -len(entry[0]))

    @classmethod
    def of(cls, phrases: Iterable[str]) -> Phrases[str]:
        """Phrases whose value is the phrase itself."""
        return Phrases({phrase: phrase for phrase in phrases})

    def at(self, lowered: str, start: int) -> Hit[Value] | None:
        """The longest phrase that begins at ``start`` of a lower-cased text."""
        if start >= len(lowered) or (start and _joins(lowered[start - 1], lowered[start])):
            return None
        return self._longest(lowered, start)

    def _longest(self, lowered: str, start: int) -> Hit[Value] | None:
        by_start = self._by_start
        for size in range(_START, 0, -1):
            for phrase, value in by_start.get(lowered[start : start + size], ()):
                end = start + len(phrase)
                if lowered.startswith(phrase, start) and not (end < len(lowered) and _joins(phrase[-1], lowered[end])):
                    return Hit(start, end, phrase, value)
        return None

    def find(self, text: str) -> Iterator[Hit[Value]]:
        """All phrases of a text, none overlapping another. Offsets are those of ``text``."""
        if not self._by_start:
            return iter(())
        return iter(_remembered(self, text)) if len(text) <= REMEMBERED else self._scan(text)

    def _scan(self, text: str) -> Iterator[Hit[Value]]:
        lowered = lower(text)
        starts = self._starts
        end = 0
        for position in _beginnings(lowered) if len(text) <= REMEMBERED else _begin(lowered):
            if position < end or (lowered[position : position + 2] not in starts and lowered[position] not in starts):
                continue
            hit = self._longest(lowered, position)
            if hit is not None:
                yield hit
                end = hit.end

    def covers(self, text: str) -> bool:
        """Whether the text is one of the phrases, and nothing else."""
        hit = self.at(lower(text), 0) if text else None
        return hit is not None and hit.end == len(text)

    def first(self, text: str) -> Hit[Value] | None:
        """The leftmost phrase of a text."""
        return next(self.find(text), None)


@lru_cache(maxsize=8192)
def _remembered(phrases: Phrases[Value], text: str) -> tuple[Hit[Value], ...]:
    return tuple(phrases._scan(text))  # noqa: SLF001 - the cache of this very class


@lru_cache(maxsize=2048)
def _beginnings(lowered: str) -> tuple[int, ...]:
    return tuple(_begin(lowered))


def _begin(lowered: str) -> Iterator[int]:
    """Where a phrase may begin: everywhere but within a word of a script that parts words by blanks."""
    within = False
    for position, char in enumerate(lowered):
        parted = char.isalnum() and not _unparted(char)
        if not (within and parted):
            yield position
        within = parted


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
