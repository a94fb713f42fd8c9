"""A text as secrets are looked for in it: one form of every digit, blank and dash, nothing unseen, no digits spelt out."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

_PLAIN = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {
    **dict.fromkeys((0x3000, 0xA0, *range(0x2000, 0x200B), 0x202F, 0x205F), 0x20),
    **dict.fromkeys((*range(0x2010, 0x2016), 0x2212, 0xFE58, 0xFE63), 0x2D),
    **dict.fromkeys((0x2022, 0x2027, 0x2219, 0x22C5, 0x30FB, 0xFF65), 0xB7),
    **{code: ord("1") + code - 0x2460 for code in range(0x2460, 0x2469)},
    **{code: ord("1") + code - 0x2776 for code in range(0x2776, 0x277F)},
    **{code: ord("0") + code - 0x2080 for code in range(0x2080, 0x208A)},
    **{code: ord("0") + code - 0x2070 for code in range(0x2074, 0x207A)},
    0x24EA: 0x30, 0x2070: 0x30, 0xB9: 0x31, 0xB2: 0x32, 0xB3: 0x33,
}  # fmt: skip
"""Fullwidth forms, digits in circles or raised, and the blanks, dots and dashes that stand in numbers."""
_OTHER_DIGIT = re.compile(r"(?![0-9])\d")
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20e3\u3164\ufe00-\ufe0f\ufeff\uffa0"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""What takes no room on a screen, and the frame of a keycap."""


@dataclass(frozen=True, slots=True)
class Spelt:
    """How one language spells digits.

    Attributes:
        run: matches at least seven in a row. ``one``: matches one of them; group ``times`` is a word that repeats it.
        digits, times: what the words stand for, in lower case.
    """

    run: re.Pattern[str]
    one: re.Pattern[str]
    digits: Mapping[str, str]
    times: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Folded:
    """A text to look at. ``starts``, ``ends``: where each of its characters stands in the text it was made from, with what is
    unseen behind it; empty where the places are the same.
    """

    text: str
    starts: Sequence[int] = field(default=())
    ends: Sequence[int] = field(default=())

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where a part of it stands in the text it was made from."""
        return (self.starts[start], self.ends[end - 1]) if self.starts and start < end else (start, end)


def folded(text: str) -> Folded:
    """The text to look at."""
    if text.isascii():
        return Folded(text)
    plain = _OTHER_DIGIT.sub(lambda match: str(unicodedata.decimal(match[0])), text.translate(_PLAIN))
    if not _UNSEEN.search(plain):
        return Folded(plain)
    kept = [place for place, char in enumerate(plain) if not _UNSEEN.match(char)]
    return Folded("".join(plain[place] for place in kept), kept, [*kept[1:], len(text)])


def in_figures(found: Folded, spelt: Sequence[Spelt]) -> Folded:
    """The same with figures for digits that are spelt out; the very same where there are none."""
    for one in spelt:
        found = _in_digits(found, one)
    return found


def _in_digits(found: Folded, spelt: Spelt) -> Folded:
    """The same with digits for the words of each run, closed up."""
    runs = [run.span() for run in spelt.run.finditer(found.text) if not _figures(run[0])]
    if not runs:
        return found
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []

    def add(text: str, start: int, end: int) -> None:
        pieces.append(text)
        starts.append(start)
        ends.append(end)

    def copy(start: int, end: int) -> None:
        for place in range(start, end):
            add(found.text[place], *found.span(place, place + 1))

    done = 0
    for start, end in runs:
        copy(done, start)
        for match in spelt.one.finditer(found.text, start, end):
            digit = spelt.digits.get(match["digit"].lower(), match["digit"])
            for _ in range(spelt.times.get((match["times"] or "").lower(), 1)):
                add(digit, *found.span(*match.span()))
        done = end
    copy(done, len(found.text))
    return Folded("".join(pieces), starts, ends)


def _figures(text: str) -> bool:
    """Whether there are no words in it."""
    return not any(char.isalpha() or (char.isalnum() and not char.isascii()) for char in text)
