"""The digest of a long tool result: the line that a conversation keeps of it."""

from __future__ import annotations

import json
import unicodedata
from typing import Any

FIRST = 160
"""Characters of its beginning, or of its first values, in a digest."""
KEYS = 12
"""Keys of a JSON object that are named."""
LONGEST_KEY = 40
CUT = "…"


def digest(text: str, *, first: int = FIRST) -> str:
    """What stands in for a text: its size, the keys and first values of JSON, or the first words of anything else."""
    try:
        parsed: Any = json.loads(text)
    except (ValueError, RecursionError):
        parsed = None
    if isinstance(parsed, dict | list) and parsed:
        return f"{_shape(parsed)} · {_cut(_values(parsed), first)}"
    return _cut(text, first)


def _shape(parsed: dict[str, Any] | list[Any]) -> str:
    if isinstance(parsed, list):
        inner = f" {{{_keys(parsed[0])}}}" if isinstance(parsed[0], dict) else ""
        return f"[{len(parsed)}]{inner}"
    return f"{{{_keys(parsed)}}}"


def _keys(parsed: dict[str, Any]) -> str:
    """The keys, those of a list with how many items it has."""
    names = [
        f"{_plain(str(key)[:LONGEST_KEY])}{f'[{len(value)}]' if isinstance(value, list) else ''}"
        for key, value in list(parsed.items())[: KEYS + 1]
    ]
    return ", ".join(names[:KEYS]) + (f", {CUT}" if len(names) > KEYS else "")


def _values(parsed: Any) -> str:
    """Values in the order they stand in, without the signs of JSON."""
    found: list[str] = []

    def walk(value: Any) -> None:
        if sum(map(len, found)) > 2 * FIRST:
            return
        if isinstance(value, dict):
            for inner in value.values():
                walk(inner)
        elif isinstance(value, list):
            for inner in value:
                walk(inner)
        elif value is not None:
            found.append(_plain(str(value)[: 4 * FIRST]))

    walk(parsed)
    return ", ".join(found)


def _plain(text: str) -> str:
    """A text on one line. JSON writes as an escape what no text of the state may hold."""
    if not text.isprintable():
        text = "".join(" " if unicodedata.category(char) in ("Cc", "Cs") else char for char in text)
    return " ".join(text.split())


def _cut(text: str, first: int) -> str:
    line = _plain(text[: 4 * first])
    return line if len(line) <= first and len(text) <= 4 * first else line[:first].rstrip() + CUT
