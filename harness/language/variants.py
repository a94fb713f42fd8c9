"""Traditional Chinese read as simplified: character by character, so that every place in a text stays where it is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from harness.language.remembering import remembered

_FILE = Path(__file__).parent / "han_variants.txt"
_LAST_COMMON = b"\xc6\x7e"
"""End of the common characters of Big5."""
_HEADING = re.compile(r"\[(\w+)[^\]]*\]")


@dataclass(frozen=True, slots=True)
class _Variants:
    """What the file says.

    Attributes:
        sign: finds a character that only traditional text has.
        table: of ``str.translate``, for a text that has such a character.
        kept: finds words in which a character of both scripts stays what it is (著名).
    """

    sign: re.Pattern[str]
    table: dict[int, str]
    kept: re.Pattern[str]


@cache
def _variants() -> _Variants:
    """The file, read at the first text that is not all ASCII."""
    found: dict[str, list[str]] = {}
    heading = ""
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        named = _HEADING.match(line)
        if named is not None:
            heading = named[1]
        elif line and not line.startswith("#"):
            found.setdefault(heading, []).extend(line.split(" "))
    sure, only = found["sure"], found["only"]
    table: dict[int, str] = {}
    for columns in (sure, only):
        for traditional, simplified in zip(columns[::2], columns[1::2], strict=True):
            table.update(zip(map(ord, traditional), simplified, strict=True))
    return _Variants(
        sign=re.compile(f"[{''.join(sure[::2])}]"),
        table=table,
        kept=re.compile("|".join(map(re.escape, found["kept"]))),
    )


@remembered(4096)
def simplified(text: str) -> str:
    """``text`` with traditional Chinese characters as simplified ones; of the same length, and unchanged without any.

    A character that both scripts have (後, 著) is exchanged only where the text has one that simplified Chinese lacks. Which of
    two traditional characters a simplified one stood for cannot be told from it, so keep the text.
    """
    if text.isascii():
        return text
    known = _variants()
    if known.sign.search(text) is None:
        return text
    changed = text.translate(known.table)
    for match in known.kept.finditer(text):
        word = match[0]
        kept = "".join(old if _both(old) else new for old, new in zip(word, changed[match.start() :], strict=False))
        changed = changed[: match.start()] + kept + changed[match.end() :]
    return changed


def traditional(text: str) -> str:
    """``text`` with simplified characters as the traditional ones they stand for, where that is only one and sure.

    A character that traditional text is written with itself stays: 家 is 家, though 傢 is written with it as well.

    For words of a pack beside words that were typed in traditional characters; of the same length.
    """
    return text.translate(_back())


@cache
def _back() -> dict[int, str]:
    known = _variants()
    stood_for: dict[str, list[str]] = {}
    for code, char in known.table.items():
        stood_for.setdefault(char, []).append(chr(code))
    return {
        ord(char): found[0]
        for char, found in stood_for.items()
        if len(found) == 1 and not _both(found[0]) and not _common_traditional(char)
    }


def _common_traditional(char: str) -> bool:
    """Whether a character is one of those that Big5, the encoding of traditional Chinese, lists as common."""
    try:
        return char.encode("big5") <= _LAST_COMMON
    except UnicodeEncodeError:
        return False


def _both(char: str) -> bool:
    """Whether a character belongs to simplified Chinese, too."""
    return _variants().sign.match(char) is None
