"""Short forms of names: 南大 for 南京大学, UCL for University College London."""

from __future__ import annotations

import re

from harness.language.remembering import remembered
from harness.understanding.text import has_han

_LEADING = 1
_SKIPPED = 2
"""Characters of the full name that may be left out before the first one kept, and between two (哈尔滨工业大学: 哈工大)."""
_SHORT = (2, 4)
_LONG = 12
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+")
_ACRONYM = re.compile(r"[A-Z]{2,5}")
_CAPITALISED = re.compile(r"(?<![^\W_])[A-Z]")


@remembered(4096, texts=2)
def abbreviates(first: str, second: str) -> bool:
    """Whether one of two values is a short form of the other."""
    short, full = sorted((first.strip(), second.strip()), key=len)
    if has_han(short):
        return _characters(short, full)
    return _ACRONYM.fullmatch(short) is not None and "".join(_CAPITALISED.findall(full)) == short


def _characters(short: str, full: str) -> bool:
    if not (_SHORT[0] <= len(short) <= _SHORT[1] and len(short) < len(full) <= _LONG):
        return False
    if _HAN.fullmatch(short) is None or _HAN.fullmatch(full) is None:
        return False
    at, skipped = 0, _LEADING
    for char in short:
        found = full.find(char, at, at + skipped + 1)
        if found < 0:
            return False
        at, skipped = found + 1, _SKIPPED
    return True
