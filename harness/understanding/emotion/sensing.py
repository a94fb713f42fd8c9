"""The middle tier of emotion: a small classifier that leans to glad or unhappy where no word says so.

It knows no single emotion and is right only somewhat more often than a guess, so what it senses moves a mood a little and names none by
itself; several messages in one direction do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.language.classifier import text_features

if TYPE_CHECKING:
    from harness.language.pack import LanguagePack

CLASSIFIER = "sentiment"
"""Name of the classifier; its labels are ``negative``, ``neutral`` and ``positive``."""
REACH = 0.9
"""Valence that a classifier which is quite sure adds."""
CLEAR = 0.05
"""A leaning smaller than this is none."""


def sensed(text: str, pack: LanguagePack) -> float:
    """Valence, -1 to 1, that the wording of a message leans to; 0 without a classifier or a clear leaning.

    It is measured from what the classifier says of a text without any features, which is how often its training data had each label.
    """
    classifier = pack.classifier(CLASSIFIER)
    if classifier is None:
        return 0.0
    rest, found = classifier.probabilities(()), classifier.probabilities(text_features(text))
    leaning = REACH * sum(
        sign * (found.get(label, 0.0) - rest.get(label, 0.0)) for label, sign in (("positive", 1), ("negative", -1))
    )
    return leaning if abs(leaning) >= CLEAR else 0.0
