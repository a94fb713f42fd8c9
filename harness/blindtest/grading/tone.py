"""What a reply sounds like: warm, glad, cheerful, sad, angry, afraid or neutral, each with the words that show it."""

from __future__ import annotations

from harness.language import LanguagePack
from harness.language.phrases import lower
from harness.language.remembering import remembered
from harness.state import Emotion
from harness.understanding.checks.news import first
from harness.understanding.emotion.appraising import appraise
from harness.understanding.one_script import in_one_script
from harness.understanding.text import normalize
from harness.understanding.words import excerpt

NEUTRAL = "neutral"
CALM = 0.12
"""How far from neutral words may lean and still count as neutral."""
BRIGHT = 0.5
"""Arousal from which gladness is cheerful without an exclamation mark."""
GRAVE = 0.6
"""Valence from which one word alone makes a sentence sad that is about nobody: less has "a broken printer"."""
_GLAD = frozenset({"joy", "excitement", "amusement", "pride"})
_KIND = frozenset({"affection", "gratitude", "calm"})
_ANGRY, _AFRAID = frozenset({"anger", "disgust"}), frozenset({"fear", "worry"})


@in_one_script
@remembered(2048, texts=2)
def tones_of(reply: str, message: str, pack: LanguagePack) -> tuple[tuple[str, str], ...]:
    """(tone, words) of a reply; ``neutral`` alone when nothing shows another."""
    text = lower(excerpt(normalize(reply)))
    cues, own = pack.emotion.tone, pack.grading
    found: dict[str, str] = {}
    loud = "!" in text
    kind = first(cues.condoles, text) or first(cues.consoles, text) or pack.any_of(own.warm).search(text)
    if kind is not None:
        found["warm"] = kind[0]
    laughs = first(cues.laughs, text)
    if laughs is not None:
        found |= {"glad": laughs[0], "cheerful": laughs[0]}
    praises = first(cues.congratulates, text) or first(cues.delights, text) or pack.any_of(own.glad).search(text)
    if praises is not None:
        found |= {"glad": praises[0], "warm": praises[0]} | ({"cheerful": praises[0]} if loud else {})
    mood = appraise(reply, pack)
    if mood.valence >= CALM:
        comforts = kind is not None and appraise(message, pack).valence < CALM
        found |= {"warm": mood.cause} if comforts else _bright(mood, loud=loud, kind=kind is not None)
    elif mood.valence <= -CALM and "glad" not in found and not _slight(text, mood, message, pack):
        found |= _dark(mood, kind=kind is not None)
    return tuple(sorted(found.items())) or ((NEUTRAL, ""),)


def _bright(mood: Emotion, *, loud: bool, kind: bool) -> dict[str, str]:
    if mood.label in _GLAD:
        cheerful = (loud or mood.arousal >= BRIGHT) and not kind
        return {"glad": mood.cause} | ({"cheerful": mood.cause} if cheerful else {})
    return {"warm": mood.cause} if mood.label in _KIND else {}


def _dark(mood: Emotion, *, kind: bool) -> dict[str, str]:
    """Pity is sad, whatever its words ("Oh no")."""
    if mood.label in _ANGRY and not kind:
        return {"angry": mood.cause}
    if mood.label in _AFRAID and not kind:
        return {"afraid": mood.cause}
    return {"sad": mood.cause}


def _slight(text: str, mood: Emotion, message: str, pack: LanguagePack) -> bool:
    """Whether one word of a reply about nobody is all there is to a mood, and the message gives no reason for one."""
    if mood.valence <= -GRAVE or "," in mood.cause or abs(appraise(message, pack).valence) >= CALM:
        return False
    plain = pack.rewrite(text, pack.text.expand)
    return pack.any_of(pack.text.first_person).search(plain) is None
