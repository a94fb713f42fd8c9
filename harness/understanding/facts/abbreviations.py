"""Short forms of the names of institutions: 南大 for 南京大学, UCL for University College London."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from harness.language.remembering import remembered
from harness.understanding.text import has_han

if TYPE_CHECKING:
    from collections.abc import Iterable

_SKIPPED = 2
"""Characters of the full name that may be left out between two that are kept (哈尔滨工业大学: 哈工大)."""
_SHORT = (2, 4)
_LONG = 12
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+")
_ACRONYM = re.compile(r"[A-Z]{2,5}")
_CAPITALISED = re.compile(r"(?<![^\W_])[A-Z]")


@remembered(4096, texts=2)
def abbreviates(first: str, second: str, dropped: tuple[str, ...] = ()) -> bool:
    """Whether one of two values is a short form of the other; ``dropped`` are beginnings that a short form may lack."""
    short, full = sorted((first.strip(), second.strip()), key=len)
    if has_han(short):
        return any(_characters(short, full.removeprefix(start)) for start in ("", *dropped))
    return _ACRONYM.fullmatch(short) is not None and "".join(_CAPITALISED.findall(full)) == short


def cuts_ending(first: str, second: str, endings: Iterable[str]) -> bool:
    """Whether one of two values stands in the other, but ends inside what says the sort of thing (北大 in 东北大学)."""
    short, full = sorted((first.strip(), second.strip()), key=len)
    end = full.find(short) + len(short)
    if end < len(short) or not has_han(short):
        return False
    starts = ((full.rfind(ending), len(ending)) for ending in endings)
    return any(at >= 0 and at < end < at + size for at, size in starts)


def _characters(short: str, full: str) -> bool:
    if not (_SHORT[0] <= len(short) <= _SHORT[1] and len(short) < len(full) <= _LONG):
        return False
    if _HAN.fullmatch(short) is None or _HAN.fullmatch(full) is None:
        return False
    if short[0] != full[0]:  # 北大 is not 东北大学
        return False
    at = 1
    for char in short[1:]:
        found = full.find(char, at, at + _SKIPPED + 1)
        if found < 0:
            return False
        at = found + 1
    return True
