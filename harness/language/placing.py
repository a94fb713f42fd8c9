"""Reading nested lists of places: ``France/~French (Paris/~Parisian, Lyon)``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_PIECE = re.compile(r"[^(),]+|[(),]")
_DEEPEST = 12


@dataclass(frozen=True, slots=True)
class PlaceName:
    """A place of a gazetteer.

    Attributes:
        names: what it is called; the first is the usual one.
        people: words for its people or their speech.
        parts: places that lie in it.
    """

    names: tuple[str, ...]
    people: tuple[str, ...] = ()
    parts: tuple[PlaceName, ...] = ()


def read_places(text: str) -> tuple[PlaceName, ...]:
    """The places of a nested list.

    Raises:
        ValueError: the parentheses do not match, a place has no name, or they are nested more than twelve deep.
    """
    pieces = (match[0].strip() for match in _PIECE.finditer(text))
    found, closed = _read(iter([piece for piece in pieces if piece]), 0, text)
    if closed:
        raise ValueError(f"expected as many '(' as ')' in {text[:60]!r}")
    return found


def _read(pieces: Iterator[str], depth: int, text: str) -> tuple[tuple[PlaceName, ...], bool]:
    """The places up to the next closing parenthesis, and whether there was one."""
    if depth > _DEEPEST:
        raise ValueError(f"expected at most {_DEEPEST} levels in {text[:60]!r}")
    found: list[PlaceName] = []
    for piece in pieces:
        if piece == ")":
            return tuple(found), True
        if piece == "(":
            parts, closed = _read(pieces, depth + 1, text)
            if not closed or not found:
                raise ValueError(f"expected a place before each '(' and a ')' for it in {text[:60]!r}")
            found[-1] = PlaceName(found[-1].names, found[-1].people, parts)
        elif piece != ",":
            words = [word.strip() for word in piece.split("/") if word.strip()]
            names = tuple(word for word in words if not word.startswith("~"))
            if not names:
                raise ValueError(f"expected a name in {piece!r}")
            found.append(PlaceName(names, tuple(word[1:] for word in words if word.startswith("~"))))
    return tuple(found), False
