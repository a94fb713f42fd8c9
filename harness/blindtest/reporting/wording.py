"""Sentences that can be read in any language of the texts, and how figures are written in them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from harness.blindtest.reporting.texts import text
from harness.blindtest.results import Share

Tone = Literal["good", "bad", "plain"]
Value = str | tuple["Sentence", ...]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A text with values, to be read in any language. ``tone``: whether it is good or bad news for the witness that is examined."""

    key: str
    values: dict[str, Value] = field(default_factory=dict)
    tone: Tone = "plain"

    def read(self, language: str = "en") -> str:
        """The sentence in a language."""
        filled = {name: _read(value, language) for name, value in self.values.items()}
        return text(self.key, language, **filled)


def _read(value: Value, language: str) -> str:
    if isinstance(value, str):
        return value
    return text("and", language).join(one.read(language) for one in value)


def percent(share: float) -> str:
    """``94 %``."""
    return f"{share * 100:.0f} %"


def points(difference: float) -> str:
    """A difference of shares in points, with its sign: ``+12``."""
    rounded = round(difference * 100)
    return f"{rounded:+d}".replace("-", "−") if rounded else "0"


def rated(share: Share) -> str:
    """``94 % [82, 98]``; a dash where nothing was counted."""
    if not share.total:
        return "–"
    return f"{percent(share.share)} [{share.low * 100:.0f}, {share.high * 100:.0f}]"


def p_value(p: float) -> str:
    """``0.012``, ``< 0.001``."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def listed(key: str, each: Iterable[dict[str, str]]) -> tuple[Sentence, ...]:
    """Several of a kind as one value of a sentence."""
    return tuple(Sentence(key, dict(values)) for values in each)
