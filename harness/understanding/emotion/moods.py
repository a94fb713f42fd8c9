"""A mood as a point in valence, arousal and dominance: distances, mixtures, and the label in whose direction it points."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from harness.state.emotion import Emotion

if TYPE_CHECKING:
    from harness.language.sections_emotion import EmotionLexicon

Point = tuple[float, float, float]

NEUTRAL_BELOW = 0.18
"""A mood shorter than this is neutral; one nearer than this to the baseline takes its label when nothing moves it."""
LONGEST_CAUSE = 200
_SAME = 1e-3
"""Below what rounding makes of a dimension."""


def nearest_label(point: Point, lexicon: EmotionLexicon) -> str:
    """The core prototype in whose direction a mood points; ``neutral`` for a mood near the middle."""
    length = math.hypot(*point)
    core = [label for label, prototype in lexicon.prototypes.items() if prototype.core]
    # Neither glad nor unhappy, and not stirred: quiet alone is no sadness.
    still = abs(point[0]) < NEUTRAL_BELOW / 2 and point[1] < NEUTRAL_BELOW
    if length < NEUTRAL_BELOW or still or not core:
        return "neutral"
    return max(core, key=lambda label: cosine(point, prototype_of(label, lexicon)))


def cosine(first: Point, second: Point) -> float:
    """Cosine of the angle between two moods; 0 when one of them is the middle."""
    size = math.hypot(*first) * math.hypot(*second)
    return sum(a * b for a, b in zip(first, second, strict=True)) / size if size else 0.0


def prototype_of(label: str, lexicon: EmotionLexicon) -> Point:
    """Where an emotion lies; the middle for a label the pack does not know."""
    prototype = lexicon.prototypes.get(label)
    return (prototype.valence, prototype.arousal, prototype.dominance) if prototype else (0.0, 0.0, 0.0)


def point_of(emotion: Emotion) -> Point:
    """The dimensions of an emotion."""
    return (emotion.valence, emotion.arousal, emotion.dominance)


def towards(start: Point, goal: Point, weight: float) -> Point:
    """The point that lies a share ``weight`` of the way from ``start`` to ``goal``."""
    a, b, c = (begin + weight * (end - begin) for begin, end in zip(start, goal, strict=True))
    return (a, b, c)


def clip(value: float) -> float:
    """``value``, at least -1 and at most 1."""
    return max(-1.0, min(1.0, value))


def emotion_at(point: Point, label: str, cause: str, turn: int) -> Emotion:
    """An emotion at a point, rounded."""
    valence, arousal, dominance = (round(clip(value), 4) for value in point)
    return Emotion(
        label=label, valence=valence, arousal=arousal, dominance=dominance, cause=cause[:LONGEST_CAUSE], turn=turn
    )


def differs(new: Emotion, old: Emotion) -> bool:
    """Whether two emotions have different labels or places; cause and turn do not count."""
    return new.label != old.label or math.dist(point_of(new), point_of(old)) > _SAME
