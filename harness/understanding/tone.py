"""Whether the tone of a reply clashes with what the user feels, or with the character's own mood.

Only clear clashes are found: laughter, cheer, a sales pitch or a shrug in answer to bad news; condolences on good news; an insult or a burst
of joy out of a mood that nothing has changed. A plain reply is always fine, and so is sympathy, whatever else stands beside it but laughter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.language.phrases import lower
from harness.state.record import Finding
from harness.understanding.appraising import acts_in, appraise
from harness.understanding.words import excerpt

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from harness.language.pack import LanguagePack
    from harness.state.dialogue import DialogueState
    from harness.state.emotion import Emotion
    from harness.state.persona import Persona

LAUGHS = 0.8
CONGRATULATES = 0.8
CHEERFUL = 0.6
SHRUGS = 0.6
CONDOLES = 0.6
JUMPS = 0.5
UNSURE = 0.3
"""What may be meant well, or follows from a message before: told, but no reason to mend a reply."""
HARSH = -0.2
"""A persona whose baseline valence is lower shrugs and scolds by nature."""
GLOOMY = -0.35
"""Valence of a mood from which nobody bursts into joy without a reason."""
FRIENDLY = 0.15
"""Valence of a mood from which nobody insults without a reason."""
MILD = 0.2
"""How far from neutral a message may lean and still be no reason for a change of mood."""
UNHAPPY = ("sadness", "fear", "worry", "shame", "fatigue", "disgust", "anger")
GLAD = ("joy", "excitement", "amusement", "pride", "affection")
CHEER = 0.4
"""Valence of a reply that counts as cheerful."""
GRIEF = -0.4
"""Valence of a message that tells of an unhappy feeling strong enough to count as bad news; of a user's mood that lasts."""
LASTS = 2
"""Turns for which bad news keeps its weight when nothing else is shown."""


def check_tone(
    reply: str, *, user_text: str, state: DialogueState, persona: Persona, pack: LanguagePack
) -> Iterator[Finding]:
    """Clashes of tone, the worst of each side at most once.

    Args:
        reply: the candidate. ``user_text``: the message it answers.
        state: before this turn's bookkeeping: ``user_emotion`` and ``emotion`` are those after the turn before.
    """
    if not pack.emotion.tone.laughs:
        return
    said = excerpt(reply)
    reply, user_text = lower(said), lower(excerpt(user_text))
    shown = appraise(user_text, pack)
    found = next(_with_user(reply, user_text, shown, state, persona, pack), None)
    found = found or next(_with_mood(reply, user_text, shown, state, persona, pack), None)
    if found is not None:
        start = reply.find(found.evidence)
        written = said[start : start + len(found.evidence)] if start >= 0 else found.evidence
        yield found.model_copy(update={"evidence": written})


def _with_user(
    reply: str, user_text: str, shown: Emotion, state: DialogueState, persona: Persona, pack: LanguagePack
) -> Iterator[Finding]:
    cues = pack.emotion.tone
    laughs = _first(cues.laughs, reply)
    if _is_grave(user_text, shown, pack):
        sympathy = _first(cues.sympathy, reply)
        if laughs is not None:
            yield _finding(LAUGHS if sympathy is None else JUMPS, laughs[0])
        for expressions, severity in ((cues.congratulates, CONGRATULATES), (cues.pitches, CHEERFUL)):
            match = _first(expressions, reply)
            if match is not None and (sympathy is None or severity >= CONGRATULATES):
                yield _finding(severity, match[0])
        shrugs = _first(cues.shrugs, reply)
        if shrugs is not None and persona.baseline.valence > HARSH:
            yield _finding(SHRUGS if sympathy is None else UNSURE, shrugs[0])
        own = appraise(reply, pack)
        loud = "!" in reply or "！" in reply
        if sympathy is None and loud and own.label in GLAD[:3] and own.valence >= CHEER:
            yield _finding(CHEERFUL, _heaviest(own))
        return
    old = state.user_emotion
    if laughs is not None and not shown.cause and old.label in ("sadness", "fear") and old.valence <= GRIEF:
        if state.turn_count - old.turn < LASTS and _first(cues.sympathy, reply) is None:
            yield _finding(UNSURE, laughs[0])
        return
    if _first(cues.glad, user_text) is not None and shown.valence >= 0:
        condoles = _first(cues.condoles, reply)
        if condoles is not None:
            yield _finding(CONDOLES, condoles[0])
        shrugs = _first(cues.shrugs, reply)
        if shrugs is not None and persona.baseline.valence > HARSH:
            yield _finding(UNSURE, shrugs[0])


def _with_mood(
    reply: str, user_text: str, shown: Emotion, state: DialogueState, persona: Persona, pack: LanguagePack
) -> Iterator[Finding]:
    """A leap out of the character's own mood for which neither the message nor the persona gives a reason."""
    if abs(shown.valence) > MILD or acts_in(user_text, pack):
        return
    mood = state.emotion
    hits = [act for act in acts_in(reply, pack) if act.label == "anger"]
    if hits and min(mood.valence, persona.baseline.valence) >= FRIENDLY:
        yield _finding(JUMPS, hits[0].words)
    if mood.valence <= GLOOMY and persona.baseline.valence > mood.valence:
        own = appraise(reply, pack)
        burst = own.label in GLAD and own.valence >= CHEER and own.arousal >= MILD
        if burst and _first(pack.emotion.tone.turns, reply) is None:
            yield _finding(JUMPS, _heaviest(own))


def _is_grave(text: str, shown: Emotion, pack: LanguagePack) -> bool:
    """Whether a message tells of something at which nobody laughs. One who laughs about it may be laughed with."""
    cues = pack.emotion.tone
    if _first(cues.laughs, text) is not None or _first(cues.figurative, text) is not None:
        return False
    if _first(cues.grave, text) is not None:
        return _first(cues.glad, text) is None
    return shown.valence <= GRIEF and _first(cues.felt, text) is not None and "?" not in text and "？" not in text


def _first(expressions: tuple[re.Pattern[str], ...], text: str) -> re.Match[str] | None:
    return next((match for expression in expressions if (match := expression.search(text)) is not None), None)


def _heaviest(shown: Emotion) -> str:
    """The first of the words that show an emotion."""
    return shown.cause.split(", ")[0]


def _finding(severity: float, evidence: str) -> Finding:
    return Finding(kind="tone", severity=severity, evidence=evidence.strip()[:200])
