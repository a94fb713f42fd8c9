"""Is it really there? A model's claims about a turn are believed only as far as the turn's words carry them."""

from __future__ import annotations

import re
import unicodedata

from harness.understanding.text import fold, stem

_QUOTES = "\"'“”‘’「」『』«» "
_MARKS = ".,!?;:~…。，！？；：、"
_EAST = r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
_SPACED_HAN = re.compile(rf"(?<={_EAST})\s+|\s+(?={_EAST})")
_DIGITS = re.compile(r"\d+")
_HAN = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_HAN_RUN = re.compile(f"{_HAN.pattern}+")
_NO_WORD = re.compile(r"[^\w]+|_")
_CLAUSE_END = re.compile(r"[.!?;。！？；\n]")


def plain(text: str) -> str:
    """The form in which words are looked for: NFKC, case-folded, single spaces, none beside Chinese characters."""
    return _SPACED_HAN.sub("", " ".join(fold(text).split()))


def find(quote: str, text: str) -> int:
    """Where a quote begins in ``plain(text)``, or -1.

    Case, white space, widths, and the marks around the quote do not count. Words in scripts with spaces must match
    whole: ``cat`` is not in ``concatenate``. An empty quote is nowhere.
    """
    needle = plain(quote).strip(_QUOTES + _MARKS)
    if not needle:
        return -1
    haystack = plain(text)
    position = haystack.find(needle)
    while position >= 0:
        end = position + len(needle)
        if not (_joined(haystack, position) or _joined(haystack, end)):
            return position
        position = haystack.find(needle, position + 1)
    return -1


def occurs(quote: str, text: str) -> bool:
    """Whether the quote's words stand in the text (see :func:`find`)."""
    return find(quote, text) >= 0


def asks(quote: str, text: str) -> bool:
    """Whether the quoted words are a question: only words stand between them and a question mark.

    A comma ends the reach of the mark: of "I am a nurse, did you know?" the first half is a statement.
    """
    position = find(quote, text)
    if position < 0:
        return False
    haystack = plain(text)
    needle = plain(quote).strip(_QUOTES + _MARKS)
    rest = haystack[position + len(needle) :]
    end = _CLAUSE_END.search(rest)
    return end is not None and end[0] in "?？" and not any(mark in rest[: end.start()] for mark in ",，")


def scripts(text: str) -> frozenset[str]:
    """The scripts of the letters in a text, by the first word of their Unicode names: ``LATIN`` or ``CJK``."""
    letters = (char for char in unicodedata.normalize("NFKC", text) if char.isalpha())
    return frozenset(unicodedata.name(char, "OTHER").partition(" ")[0] for char in letters)


def carried(value: str, quote: str) -> bool:
    """Whether a quote carries a value.

    Every number of the value must stand in it, and more than half of its other words, or of its pairs of neighbouring
    Chinese characters (a lone character stands for itself). Word endings do not count: "cats" carries "cat".
    """
    wanted, said = _NO_WORD.sub(" ", plain(value)), _NO_WORD.sub(" ", plain(quote))
    digits = set(_DIGITS.findall(wanted))
    if not digits <= set(_DIGITS.findall(said)):
        return False
    stems = {stem(word) for word in _HAN.sub(" ", wanted).split() if not word.isdecimal()}
    pairs = {run[i : i + 2] for run in _HAN_RUN.findall(wanted) for i in range(max(len(run) - 1, 1))}
    if not stems and not pairs:
        return bool(digits)
    there = len(stems & {stem(word) for word in _HAN.sub(" ", said).split()}) + sum(pair in said for pair in pairs)
    return 2 * there > len(stems) + len(pairs)


def _joined(text: str, position: int) -> bool:
    """Whether a word goes on across this position."""
    if not 0 < position < len(text):
        return False
    before, after = text[position - 1], text[position]
    return before.isalnum() and after.isalnum() and not (_HAN.match(before) or _HAN.match(after))


__all__ = ["asks", "carried", "find", "occurs", "plain", "scripts"]
