"""Emotion by rules: what the user's words show, and what they do to the character.

The point of a mood in valence, arousal and dominance follows Mehrabian & Russell (1974, *An Approach to Environmental
Psychology*); that the character reacts to what is said *to* it (praise, insult, threat, thanks) follows the appraisal
theory of Ortony, Clore & Collins (1988, *The Cognitive Structure of Emotions*). The numbers below are our own.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.language.phrases import is_han, lower
from harness.state.emotion import Emotion
from harness.state.operations import SetEmotion
from harness.understanding.words import clauses, excerpt

if TYPE_CHECKING:
    from harness.language.pack import LanguagePack
    from harness.language.sections_tracking import EmotionLexicon
    from harness.state.dialogue import DialogueState
    from harness.state.operations import Operation
    from harness.state.persona import Persona

Point = tuple[float, float, float]

INERTIA = 0.6
"""Share of the old mood that stays in the character from one turn to the next."""
USER_DECAY = 0.5
"""Share of the user's shown emotion that stays when a message shows none."""
EMPATHY = 0.75
"""How much of the emotion the user's feeling calls up reaches the character."""
OWN_WORDS = 0.3
"""How much of the emotion the character's own reply shows reaches the character."""
ASKED_WEIGHT = 0.15
"""Weight of an emotion word in a question about somebody's feelings, or in a wish."""
OTHERS_WEIGHT = 0.35
"""Weight of an emotion word said of somebody else."""
NEGATED = -0.7
"""What is left of valence under negation: "not happy" is less sad than "sad"."""
BEFORE_CONTRAST = 0.5
"""Weight of what stands before "but"."""
SHOUT = 0.25
"""Arousal that exclamation marks or capitals add."""
NEUTRAL_BELOW = 0.18
"""A mood shorter than this is neutral; one nearer than this to the baseline takes its label when nothing moves it."""
SETTLED = 0.02
"""A mood this near to the baseline is the baseline."""
_SHOUT_LETTERS = 4
_LONG_VOWEL = re.compile(r"([a-z])\1{2,}", re.IGNORECASE)
_EXCLAMATION = re.compile(r"[!！]")


@dataclass(frozen=True, slots=True)
class _Act:
    """Something said to the listener."""

    label: str
    shows: str
    weight: float
    words: str


@dataclass(frozen=True, slots=True)
class _Sign:
    """One emotion word in context."""

    label: str
    point: Point
    weight: float
    phrase: str
    negated: bool


def appraise(text: str, pack: LanguagePack, *, turn: int = 0) -> Emotion:
    """The emotion a speaker's words show; neutral without any sign. ``cause`` holds the words that showed it."""
    lexicon = pack.emotion
    text = excerpt(text)
    acts = _acts(text, pack)
    signs = [sign for clause, factor in _weighted_clauses(text, lexicon) for sign in _signs(clause, factor, lexicon)]
    signs += [_Sign(act.shows, _prototype(act.shows, lexicon), act.weight, act.words, negated=False) for act in acts]
    arousal = _loudness(text)
    total = sum(sign.weight for sign in signs)
    if total < ASKED_WEIGHT / 2:
        return Emotion(arousal=_clip(arousal / 2), turn=turn)
    # Weighted mean, then scaled down when all signs are weak; several signs of one kind do not add up beyond a point.
    strength = min(1.0, total)
    valence, activation, dominance = (
        strength * sum(sign.weight * sign.point[axis] for sign in signs) / total for axis in range(3)
    )
    activation += arousal
    point = (_clip(valence), _clip(activation), _clip(dominance))
    label = _label(signs, point, lexicon)
    # Without a label nothing was shown; words that are only asked about are no cause.
    heaviest = sorted(signs, key=lambda sign: -sign.weight)[:3] if label != "neutral" else ()
    return _emotion(point, label, ", ".join(dict.fromkeys(sign.phrase for sign in heaviest)), turn)


def track_emotion(
    user_text: str, reply: str, *, state: DialogueState, persona: Persona, pack: LanguagePack, turn: int
) -> tuple[Operation, ...]:
    """What the turn does to the user's and to the character's emotion; only what changes."""
    shown = appraise(user_text, pack, turn=turn)
    user = _user_emotion(shown, state.user_emotion, pack.emotion, turn)
    character = _character_emotion(user_text, reply, shown, old=state.emotion, persona=persona, pack=pack, turn=turn)
    operations: list[Operation] = []
    if _differs(user, state.user_emotion):
        operations.append(SetEmotion(who="user", emotion=user))
    if _differs(character, state.emotion):
        operations.append(SetEmotion(who="character", emotion=character))
    return tuple(operations)


def nearest_label(point: Point, lexicon: EmotionLexicon) -> str:
    """The core prototype in whose direction a mood points; ``neutral`` for a mood near the middle."""
    length = math.hypot(*point)
    core = [label for label, prototype in lexicon.prototypes.items() if prototype.core]
    still = abs(point[0]) < NEUTRAL_BELOW / 2 and abs(point[1]) < NEUTRAL_BELOW
    if length < NEUTRAL_BELOW or still or not core:
        return "neutral"

    return max(core, key=lambda label: _cosine(point, _prototype(label, lexicon)))


def _cosine(first: Point, second: Point) -> float:
    size = math.hypot(*first) * math.hypot(*second)
    return sum(a * b for a, b in zip(first, second, strict=True)) / size if size else 0.0


def _user_emotion(shown: Emotion, old: Emotion, lexicon: EmotionLexicon, turn: int) -> Emotion:
    if shown.cause:
        return shown
    point = (
        _clip(old.valence * USER_DECAY),
        _clip(old.arousal * USER_DECAY + shown.arousal),
        _clip(old.dominance * USER_DECAY),
    )
    if math.hypot(*point) < NEUTRAL_BELOW:
        return Emotion(turn=turn) if _differs(Emotion(), old) else old
    label = old.label if old.label != "neutral" else nearest_label(point, lexicon)
    return _emotion(point, label, "", turn)


def _character_emotion(
    user_text: str, reply: str, shown: Emotion, *, old: Emotion, persona: Persona, pack: LanguagePack, turn: int
) -> Emotion:
    lexicon = pack.emotion
    base = _point(persona.baseline)
    target = base
    causes: list[str] = []
    acts = _acts(excerpt(user_text), pack)
    for act in acts:
        target = _towards(target, _prototype(act.label, lexicon), act.weight)
        causes.append(act.words)
    if shown.cause and not acts:
        called = lexicon.empathy.get(shown.label)
        if called is not None:
            strength = EMPATHY * min(1.0, math.hypot(*_point(shown)))
            target = _towards(target, _prototype(called, lexicon), strength)
            causes.append(shown.cause)
    own = appraise(reply, pack)
    if own.cause:
        target = _towards(target, _point(own), OWN_WORDS)
    previous = _point(old)
    mood = tuple(_clip(INERTIA * before + (1 - INERTIA) * aim) for before, aim in zip(previous, target, strict=True))
    point = (mood[0], mood[1], mood[2])
    if not causes and math.dist(point, base) < NEUTRAL_BELOW:
        return _emotion(point if math.dist(point, base) > SETTLED else base, persona.baseline.label, "", turn)
    prototype = _prototype(acts[0].label, lexicon) if acts else (0.0, 0.0, 0.0)
    felt = bool(acts) and _cosine(point, prototype) > 0.5  # less than 60 degrees apart
    label = acts[0].label if felt else nearest_label(point, lexicon)
    if math.dist(point, base) < NEUTRAL_BELOW / 2:
        label = persona.baseline.label
    return _emotion(point, label, ", ".join(dict.fromkeys(causes)), turn)


def _acts(text: str, pack: LanguagePack) -> list[_Act]:
    """Speech acts directed at the listener, the heaviest first, each kind once."""
    lowered = lower(text)
    found = []
    for appraisal in pack.emotion.appraisals:
        matches = (match for pattern in appraisal.patterns for match in pattern.finditer(lowered))
        match = next((match for match in matches if not _turned(lowered, match, pack)), None)
        if match is not None:
            found.append(_Act(appraisal.label, appraisal.shows, appraisal.weight, match[0].strip()))
    return sorted(found, key=lambda act: -act.weight)


def _turned(text: str, match: re.Match[str], pack: LanguagePack) -> bool:
    """Whether a negator stands right before a speech act ("I don't think you're stupid") or inside it."""
    span = pack.emotion.negation_span
    before = _after_last_break(text[max(0, match.start() - span) : match.start()], pack.emotion.breaks)
    return _negators(before, pack.emotion) > 0


def _weighted_clauses(text: str, lexicon: EmotionLexicon) -> list[tuple[str, float]]:
    """Clauses with their weight; what stands before a contrast counts less."""
    weighted: list[tuple[str, float]] = []
    for sentence in clauses(text):
        hit = next((hit for hit in lexicon.contrast_phrases.find(sentence) if hit.start > 1), None)
        if hit is None:
            if weighted and lexicon.contrast_phrases.at(lower(sentence), 0) is not None:
                before, factor = weighted[-1]
                weighted[-1] = (before, factor * BEFORE_CONTRAST)
            weighted.append((sentence, 1.0))
        else:
            weighted.append((sentence[: hit.start], BEFORE_CONTRAST))
            weighted.append((sentence[hit.end :], 1.0))
    return weighted


def _signs(clause: str, factor: float, lexicon: EmotionLexicon) -> list[_Sign]:
    squeezed = _LONG_VOWEL.sub(r"\1\1", clause) if _LONG_VOWEL.search(clause) else clause
    stressed = 1.3 if squeezed != clause else 1.0
    signs = _read_signs(clause, factor * stressed, lexicon)
    return signs or (_read_signs(squeezed, factor * stressed, lexicon) if squeezed != clause else [])


def _read_signs(clause: str, factor: float, lexicon: EmotionLexicon) -> list[_Sign]:
    signs: list[_Sign] = []
    asked = any(pattern.search(clause) for pattern in lexicon.asked)
    for hit in lexicon.lexicon.find(clause):
        label, strength = hit.value
        if label == "neutral":
            continue
        weight = strength * factor
        before = _after_last_break(clause[max(0, hit.start - 40) : hit.start], lexicon.breaks)
        degree = _degree(before, lexicon)
        weight *= degree
        emoji = not any(char.isalpha() or is_han(char) for char in hit.phrase)
        negated = False
        if not emoji:
            if asked:
                weight *= ASKED_WEIGHT
            elif any(pattern.search(before) for pattern in lexicon.other_subject):
                weight *= OTHERS_WEIGHT
            negated = _negated(before, lexicon)
        point = _prototype(label, lexicon)
        if negated:
            point = (point[0] * NEGATED, point[1] * -0.3, point[2] * -0.5)
        signs.append(_Sign(label, point, weight, clause[hit.start : hit.end], negated))
    return signs


def _degree(before: str, lexicon: EmotionLexicon) -> float:
    """The factor of the degree word that stands right before a word (one word may come in between)."""
    tail = before[-16:]
    last = None
    for hit in lexicon.degree_phrases.find(tail):
        last = hit
    if last is None or len(tail[last.end :].split()) > 1 or len(tail) - last.end > 9:  # one short word
        return 1.0
    return last.value


def _negated(before: str, lexicon: EmotionLexicon) -> bool:
    return _negators(before[-lexicon.negation_span :], lexicon) % 2 == 1


def _negators(text: str, lexicon: EmotionLexicon) -> int:
    """How many negators a stretch of text has; words that only end like one count once, when there is no other."""
    count = 0
    rest = list(lower(text))
    for hit in lexicon.negator_phrases.find(text):
        count += hit.value
        rest[hit.start : hit.end] = " " * (hit.end - hit.start)
    endings = lexicon.negator_endings
    return count or int(any(word.endswith(endings) for word in "".join(rest).split()))


def _after_last_break(text: str, breaks: str) -> str:
    for index in range(len(text) - 1, -1, -1):
        if text[index] in breaks:
            return text[index + 1 :]
    return text


def _label(signs: list[_Sign], point: Point, lexicon: EmotionLexicon) -> str:
    scores: dict[str, float] = {}
    for sign in signs:
        label = nearest_label(sign.point, lexicon) if sign.negated else sign.label
        scores[label] = scores.get(label, 0.0) + sign.weight
    best = max(scores, key=lambda label: scores[label])
    prototype = lexicon.prototypes.get(best)
    if math.hypot(*point) < NEUTRAL_BELOW:
        return "neutral"
    if prototype is None or prototype.valence * point[0] < 0:
        return nearest_label(point, lexicon)
    return best


def _loudness(text: str) -> float:
    letters = [char for char in text if char.isascii() and char.isalpha()]
    shouting = len(letters) >= _SHOUT_LETTERS and sum(char.isupper() for char in letters) > 0.8 * len(letters)
    marks = min(len(_EXCLAMATION.findall(text)), 3)
    return SHOUT * marks / 3 * 2 / (1 + (marks > 0)) + (SHOUT if shouting else 0.0)


def _prototype(label: str, lexicon: EmotionLexicon) -> Point:
    prototype = lexicon.prototypes.get(label)
    return (prototype.valence, prototype.arousal, prototype.dominance) if prototype else (0.0, 0.0, 0.0)


def _point(emotion: Emotion) -> Point:
    return (emotion.valence, emotion.arousal, emotion.dominance)


def _towards(start: Point, goal: Point, weight: float) -> Point:
    a, b, c = (begin + weight * (end - begin) for begin, end in zip(start, goal, strict=True))
    return (a, b, c)


def _clip(value: float) -> float:
    return max(-1.0, min(1.0, value))


def _emotion(point: Point, label: str, cause: str, turn: int) -> Emotion:
    valence, arousal, dominance = (round(_clip(value), 4) for value in point)
    return Emotion(label=label, valence=valence, arousal=arousal, dominance=dominance, cause=cause[:200], turn=turn)


def _differs(new: Emotion, old: Emotion) -> bool:
    return new.label != old.label or math.dist(_point(new), _point(old)) > 1e-3  # below rounding
