"""Whether the tone of a reply clashes with what the user feels, or with the character's own mood.

Only clear clashes are found: laughter, cheer, a sales pitch or a shrug in answer to bad news; condolences on good news; an insult or a burst
of joy out of a mood that nothing has changed. A plain reply is fine, and so is sympathy, whatever else stands beside it but laughter; only to
one who tells of a death, or mourns, a reply without any kind word is cold.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from harness.language.phrases import lower
from harness.state import USER
from harness.state.record import Finding
from harness.understanding.checks.mourning import LATELY, lighter, mourning, unmoved
from harness.understanding.checks.news import GLAD, bad_news, first, grieves
from harness.understanding.emotion.appraising import acts_in, appraise
from harness.understanding.text import sentences, terms
from harness.understanding.words import excerpt

if TYPE_CHECKING:
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
GRIM = -0.35
"""Valence from which on an exclamation in answer to bad news is not meant as dismay."""
AFTERWARDS = 0.5
"""The same some turns after the bad news, to a message that shows nothing."""
UNMOVED = 0.5
"""No kind word at all for one who mourns."""
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
CHEER = 0.4
"""Valence of a reply that counts as cheerful."""

_MARK = re.compile(r"[!！]")
_STOPS = ".?。？"


def check_tone(
    reply: str, *, user_text: str, state: DialogueState, persona: Persona, pack: LanguagePack
) -> Iterator[Finding]:
    """Clashes of tone, the worst of each side at most once.

    A finding without evidence says that something is missing: a kind word.

    Args:
        reply: the candidate. ``user_text``: the message it answers.
        state: before this turn's bookkeeping: ``user_emotion`` and ``emotion`` are those after the turn before.
    """
    if not pack.emotion.tone.laughs:
        return
    said = excerpt(reply)
    reply, user_text = lower(said), lower(excerpt(user_text))
    found = next(_with_user(reply, user_text, state, persona, pack), None)
    found = found or _cold(reply, user_text, state, persona, pack)
    found = found or next(_with_mood(reply, user_text, state, persona, pack), None)
    if found is not None and not found.evidence:
        yield found
    elif found is not None:
        start = reply.find(found.evidence)
        written = said[start : start + len(found.evidence)] if start >= 0 else found.evidence
        yield found.model_copy(update={"evidence": written})


def _with_user(
    reply: str, user_text: str, state: DialogueState, persona: Persona, pack: LanguagePack
) -> Iterator[Finding]:
    cues = pack.emotion.tone
    if not _could_clash(reply, pack):  # looking for bad news costs most, and most replies need it not
        return
    if bad_news(user_text, pack):
        yield from _at_bad_news(reply, user_text, persona, pack)
        return
    if grieves(state.user_emotion) and not lighter(user_text, pack) and _told(state, pack):
        # The bad news is a few turns old: only what nobody says to a mourner, and only where no kind word stands beside it.
        if first(cues.sympathy, reply) is None:
            dismissive = cues.shrugs if _on_it(user_text, state, pack) else ()
            for expressions in (cues.laughs, cues.pitches, dismissive, cues.jokes):
                match = first(expressions, reply)
                if match is not None:
                    yield _finding(AFTERWARDS, match[0])
        if first(cues.after, user_text) is not None:
            yield from _delighted(reply, pack)
        return
    if first(cues.glad, user_text) is not None and appraise(user_text, pack).valence >= 0:
        condoles = first(cues.condoles, reply)
        if condoles is not None:
            yield _finding(CONDOLES, condoles[0])
        shrugs = first(cues.shrugs, reply)
        if shrugs is not None and persona.baseline.valence > HARSH:
            yield _finding(UNSURE, shrugs[0])


def _cold(reply: str, user_text: str, state: DialogueState, persona: Persona, pack: LanguagePack) -> Finding | None:
    """A reply without a kind word to one who mourns. A harsh character has none to give."""
    if persona.baseline.valence <= HARSH or not unmoved(reply, pack) or not mourning(user_text, state=state, pack=pack):
        return None
    return _finding(UNMOVED, "")


def _told(state: DialogueState, pack: LanguagePack) -> bool:
    """Whether one of the last messages of the user tells of bad news; a sullen mood alone (no pay again) is no mourning."""
    said = [message.text for message in state.messages if message.speaker == USER][-LATELY:]
    return not said or any(bad_news(excerpt(text), pack) for text in said)


def _on_it(user_text: str, state: DialogueState, pack: LanguagePack) -> bool:
    """Whether a message still speaks of the bad news, or says nothing else: a shrug at a hard chair is no shrug at what was lost."""
    about = terms(user_text, pack)
    cues = pack.emotion.tone
    if not about or any(first(group, user_text) is not None for group in (cues.after, cues.felt, cues.mourns)):
        return True
    said = [excerpt(message.text) for message in state.messages if message.speaker == USER][-LATELY:]
    return not said or any(bad_news(text, pack) and about & terms(text, pack) for text in said)


def _delighted(reply: str, pack: LanguagePack) -> Iterator[Finding]:
    """Delight at what a mourner tells of who was lost; a sentence that is fond of the memory is none."""
    cues = pack.emotion.tone
    if first(cues.consoles, reply) is not None:
        return
    for sentence in sentences(reply):
        match = first(cues.congratulates, sentence) or first(cues.delights, sentence)
        if match is not None and first(cues.fond, sentence) is None:
            yield _finding(AFTERWARDS, match[0])
            return


def _at_bad_news(reply: str, user_text: str, persona: Persona, pack: LanguagePack) -> Iterator[Finding]:
    """What nobody answers to bad news. A kind word beside it makes a joke or an offer fine, but no laughter."""
    cues = pack.emotion.tone
    kind = first(cues.sympathy, reply) is not None
    laughs = first(cues.laughs, reply)
    if laughs is not None:
        yield _finding(JUMPS if kind else LAUGHS, laughs[0])
    congratulates = first(cues.congratulates, reply)
    if congratulates is not None:
        yield _finding(CONGRATULATES, congratulates[0])
    shrugs = first(cues.shrugs, reply)
    if shrugs is not None and persona.baseline.valence > HARSH:
        yield _finding(UNSURE if kind else SHRUGS, shrugs[0])
    if kind:
        return
    for expressions in (cues.jokes, cues.pitches, cues.brisk):
        match = first(expressions, reply)
        if match is not None:
            yield _finding(CHEERFUL, match[0])
    shout = _exclaimed(reply)
    echo = shout.strip(" !！") in user_text
    if shout and not echo and appraise(reply, pack).valence > GRIM:
        yield _finding(JUMPS, shout)


def _exclaimed(reply: str) -> str:
    """The first sentence with an exclamation mark; empty when there is none."""
    mark = _MARK.search(reply)
    if mark is None:
        return ""
    start = max(reply.rfind(stop, 0, mark.start()) for stop in _STOPS) + 1
    return reply[start : mark.end()].strip()


def _could_clash(reply: str, pack: LanguagePack) -> bool:
    """Whether anything in a reply may clash with some feeling of the user."""
    cues = pack.emotion.tone
    groups = (
        cues.laughs,
        cues.congratulates,
        cues.delights,
        cues.shrugs,
        cues.jokes,
        cues.pitches,
        cues.brisk,
        cues.condoles,
    )
    return _MARK.search(reply) is not None or any(first(group, reply) is not None for group in groups)


def _with_mood(
    reply: str, user_text: str, state: DialogueState, persona: Persona, pack: LanguagePack
) -> Iterator[Finding]:
    """A leap out of the character's own mood for which neither the message nor the persona gives a reason."""
    mood = state.emotion
    if min(mood.valence, persona.baseline.valence) >= FRIENDLY:
        hits = [act for act in acts_in(reply, pack) if act.label == "anger"]
        if hits and not _moves(user_text, pack):
            yield _finding(JUMPS, hits[0].words)
    if mood.valence <= GLOOMY and persona.baseline.valence > mood.valence:
        own = appraise(reply, pack)
        burst = own.label in GLAD and own.valence >= CHEER and own.arousal >= MILD
        if burst and first(pack.emotion.tone.turns, reply) is None and not _moves(user_text, pack):
            yield _finding(JUMPS, _heaviest(own))


def _moves(user_text: str, pack: LanguagePack) -> bool:
    """Whether a message gives a reason for a change of mood."""
    return abs(appraise(user_text, pack).valence) > MILD or bool(acts_in(user_text, pack))


def _heaviest(shown: Emotion) -> str:
    """The first of the words that show an emotion."""
    return shown.cause.split(", ")[0]


def _finding(severity: float, evidence: str) -> Finding:
    return Finding(kind="tone", severity=severity, evidence=evidence.strip()[:200])
