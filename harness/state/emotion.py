"""Emotion as a label and three dimensions (valence, arousal, dominance; Mehrabian & Russell 1974)."""

from __future__ import annotations

from pydantic import Field

from harness.state.base import Frozen


class Emotion(Frozen):
    """One mood. Every dimension runs from -1 to 1; 0 is neutral.

    Attributes:
        label: an emotion word of the language pack's canonical set (``neutral``, ``joy``, ``sadness`` …).
        cause: the words that moved it; empty when it only decayed.
        turn: the turn that set it.
    """

    label: str = "neutral"
    valence: float = Field(default=0.0, ge=-1, le=1)
    arousal: float = Field(default=0.0, ge=-1, le=1)
    dominance: float = Field(default=0.0, ge=-1, le=1)
    cause: str = ""
    turn: int = 0
