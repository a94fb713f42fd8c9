"""Whether words that a judge quotes were really said."""

from __future__ import annotations

import re

from harness.understanding.text import fold, normalize

_CUT = re.compile(r"\.{3,}|…+")
_QUOTES = " \t\n\"'“”‘’「」『』《》`*.,;:!?。，；：！？、"
_BLANKS = re.compile(r"\s+")


def said_in(quote: str, text: str) -> bool:
    """Whether a quotation stands in a text: its parts between ``…`` in their order, whatever case, quotes and blanks.

    An empty quotation, and one of punctuation only, stands nowhere.
    """
    parts = [part for part in (_plain(part) for part in _CUT.split(quote)) if part]
    where, at = _plain(text), 0
    for part in parts:
        found = where.find(part, at)
        while found >= 0 and _inside_word(where, found, found + len(part)):
            found = where.find(part, found + 1)
        if found < 0:
            return False
        at = found + len(part)
    return bool(parts)


def _plain(text: str) -> str:
    plain = normalize(text).replace("’", "'").replace("‘", "'")
    return _BLANKS.sub(" ", fold(plain)).strip(_QUOTES)


def _inside_word(text: str, start: int, end: int) -> bool:
    """Whether a place begins or ends in the middle of a Latin word or a number."""
    return _joined(text[start - 1 : start + 1] if start else "") or _joined(text[end - 1 : end + 1])


def _joined(pair: str) -> bool:
    return len(pair) == 2 and pair.isascii() and pair.isalnum()
