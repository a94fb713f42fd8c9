"""Bad news in a message, and the grief that stays for some turns after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.language.phrases import lower
from harness.language.remembering import LONG
from harness.language.sought import likely
from harness.understanding.emotion.appraising import appraise
from harness.understanding.one_script import in_one_script

if TYPE_CHECKING:
    import re

    from harness.language.pack import LanguagePack
    from harness.state.emotion import Emotion

GRIEVING = ("sadness", "fear")
"""Moods that last."""
GLAD = ("joy", "excitement", "amusement", "pride", "affection")
LINGERS = -0.3
"""Valence up to which such a mood is still grief. From -0.7 it takes five turns to get there (see ``GRIEF_DECAY``)."""
_MOST = 2048
_FIRST: dict[tuple[int, str], tuple[tuple[re.Pattern[str], ...], re.Match[str] | None]] = {}
"""By the identity of the list: the hash of an expression goes through all of it. The list is kept, so that its identity is."""


@in_one_script
def bad_news(text: str, pack: LanguagePack) -> bool:
    """Whether a message tells of something at which nobody laughs. One who laughs about it may be laughed with."""
    cues = pack.emotion.tone
    text = lower(text)
    if any(first(group, text) is not None for group in (cues.laughs, cues.figurative, cues.mended)):
        return False
    if first(cues.grave, text) is not None:
        return first(cues.glad, text) is None
    if "?" in text or "？" in text or first(cues.felt, text) is None:
        return False
    return appraise(text, pack).valence <= 0


def grieves(mood: Emotion) -> bool:
    """Whether a user's mood is the grief of some turns ago."""
    return mood.label in GRIEVING and mood.valence <= LINGERS


def first(expressions: tuple[re.Pattern[str], ...], text: str) -> re.Match[str] | None:
    """The match of the first expression of a pack's list that has one; remembered, for a turn asks several times."""
    if len(text) > LONG:
        return _first(expressions, text)
    known = _FIRST.get((id(expressions), text))
    if known is not None and known[0] is expressions:
        return known[1]
    found = _first(expressions, text)
    if len(_FIRST) >= _MOST:
        _FIRST.clear()
    _FIRST[id(expressions), text] = (expressions, found)
    return found


def _first(expressions: tuple[re.Pattern[str], ...], text: str) -> re.Match[str] | None:
    return next((match for one in likely(expressions, text) if (match := one.search(text)) is not None), None)
