"""How sure it is that two claims say the same, or that one speaks against the other."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

CERTAIN = 1.0
STRONG = 0.85
FAIRLY = 0.75
LIKELY = 0.7
WEAK = 0.55
"""Strengths of a relation. Ordinary replies are only held to STRONG ones, quoted claims to WEAK ones too."""


class Stand(StrEnum):
    """How a claim stands to a fact."""

    same = "same"
    conflict = "conflict"
    neither = "neither"


@dataclass(frozen=True, slots=True)
class Relation:
    """A stand and how sure it is, 0 to 1."""

    stand: Stand
    strength: float = 0.0


NEITHER = Relation(Stand.neither)
