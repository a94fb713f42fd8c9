"""A text in several languages, parted where its clauses change from one to another."""

from __future__ import annotations

import re
from dataclasses import dataclass

from harness.language.scripts import script_weights

LEAST = 3
"""Least weight of a clause that can stand for itself, in words or characters without blanks; a shorter one ("OK,",
宝贝) belongs to the clause beside it."""
_CLAUSE = re.compile(r"[^.!?。！？…;；,，\n]*(?:[.!?。！？…;；,，\n]+[\"'”’」』)）\s]*|$)")


@dataclass(frozen=True, slots=True)
class Part:
    """A run of clauses in one language, with everything between them."""

    text: str
    code: str


def weighty(clause: str) -> bool:
    """Whether a clause is long enough for its language to be told."""
    return sum(script_weights(clause).values()) >= LEAST


def clauses(text: str) -> list[str]:
    """The clauses of a text; joined they are the text."""
    return [match[0] for match in _CLAUSE.finditer(text) if match[0]]


def merged(parts: list[Part]) -> tuple[Part, ...]:
    """Neighbours of one language made one."""
    found: list[Part] = []
    for part in parts:
        if found and found[-1].code == part.code:
            found[-1] = Part(found[-1].text + part.text, part.code)
        else:
            found.append(part)
    return tuple(found)
