"""Texts with ``{name}`` in them, for slots and captured values."""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping

_FORMATTER = string.Formatter()


def check_template(text: str) -> str:
    """The text itself. Raises ValueError: a brace is not closed, or what is in it is no name."""
    names_in(text)
    return text


def names_in(text: str) -> tuple[str, ...]:
    """The names that stand in a text, each once, in order.

    Raises:
        ValueError: a brace is not closed, or what is in it is no name.
    """
    try:
        parsed = list(_FORMATTER.parse(text))
    except ValueError as failure:
        raise ValueError(f"a brace is not closed or not opened ({failure}); write {{{{ for a brace") from failure
    found: dict[str, None] = {}
    for _, name, spec, conversion in parsed:
        if name is None:
            continue
        if spec or conversion or not all(part.isidentifier() for part in name.split(".")):
            raise ValueError(f"expected a name such as {{job}} between braces, got {name!r}; write {{{{ for a brace")
        found[name] = None
    return tuple(found)


def parts_of(text: str) -> Iterator[tuple[str, str]]:
    """The plain text and the name that follows it (empty at the end), piece by piece."""
    for literal, name, _, _ in _FORMATTER.parse(text):
        yield literal, name or ""


def fill(text: str, values: Mapping[str, str]) -> str:
    """The text with every name replaced. Raises KeyError: a name has no value."""
    return "".join(literal + ("" if name is None else values[name]) for literal, name, _, _ in _FORMATTER.parse(text))


def missing(text: str, values: Mapping[str, str]) -> tuple[str, ...]:
    """The names in a text that have no value."""
    return tuple(name for name in names_in(text) if name not in values)
