"""What a speaker's words show: emotion words in context, sayings, what is said to the listener, and how loud it is.

The point of a mood in valence, arousal and dominance follows Mehrabian & Russell (1974, *An Approach to Environmental
Psychology*). The numbers below are our own.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from harness.language.phrases import is_han, lower
from harness.language.remembering import remembered
from harness.language.sought import Sought
from harness.state.emotion import Emotion
from harness.understanding.emotion.moods import NEUTRAL_BELOW, Point, clip, emotion_at, nearest_label, prototype_of
from harness.understanding.one_script import in_one_script
from harness.understanding.words import clauses, excerpt

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.language.pack import LanguagePack
    from harness.language.sections_emotion import EmotionLexicon

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
DECIDED = 0.2
"""An emotion with less valence than this (surprise) may be glad or unhappy."""
_SHOUT_LETTERS = 4
_TITLE = 3
"""Words that a name may have when it stands alone."""
_LONG_VOWEL = re.compile(r"([a-z])\1{2,}", re.IGNORECASE)
_EXCLAMATION = re.compile(r"[!！]")


@dataclass(frozen=True, slots=True)
class Act:
    """Something said to the listener: the emotion it pushes them towards, and the one the speaker shows by it."""

    label: str
    shows: str
    weight: float
    words: str


@dataclass(frozen=True, slots=True)
class _Sign:
    """One word, saying or act that shows an emotion."""

    label: str
    point: Point
    weight: float
    phrase: str
    negated: bool = False


@in_one_script
def appraise(text: str, pack: LanguagePack, *, turn: int = 0) -> Emotion:
    """The emotion a speaker's words show; neutral without any sign. ``cause`` holds the words that showed it."""
    shown = _appraised(text, pack)
    return shown.model_copy(update={"turn": turn}) if turn else shown


@remembered(64)
def _appraised(text: str, pack: LanguagePack) -> Emotion:
    lexicon = pack.emotion
    text = excerpt(text)
    signs = _all_signs(text, pack)
    arousal = _loudness(text)
    if sum(sign.weight for sign in signs) < ASKED_WEIGHT / 2:
        signs = list(_bare(text, lexicon))
    total = sum(sign.weight for sign in signs)
    if total < ASKED_WEIGHT / 2:
        return Emotion(arousal=clip(arousal / 2))
    # Weighted mean, then scaled down when all signs are weak; several signs of one kind do not add up beyond a point.
    strength = min(1.0, total)
    valence, activation, dominance = (
        strength * sum(sign.weight * sign.point[axis] for sign in signs) / total for axis in range(3)
    )
    point = (clip(valence), clip(activation + arousal), clip(dominance))
    label = _label(signs, point, lexicon)
    # Without a label nothing was shown; words that are only asked about are no cause.
    heaviest = sorted(signs, key=lambda sign: -sign.weight)[:3] if label != "neutral" else ()
    return emotion_at(point, label, ", ".join(dict.fromkeys(sign.phrase for sign in heaviest)), 0)


def acts_in(text: str, pack: LanguagePack) -> list[Act]:
    """Speech acts directed at the listener, the heaviest first, each kind once."""
    return list(_acts(lower(_cued(text, pack)[0]), pack))


@remembered(64)
def _acts(lowered: str, pack: LanguagePack) -> tuple[Act, ...]:
    found = []
    for appraisal in pack.emotion.appraisals:
        matches = (match for pattern in appraisal.patterns for match in pattern.finditer(lowered))
        match = next((match for match in matches if not _turned(lowered, match, pack)), None)
        if match is not None:
            found.append(Act(appraisal.label, appraisal.shows, appraisal.weight, match[0].strip()))
    return tuple(sorted(found, key=lambda act: -act.weight))


def _all_signs(text: str, pack: LanguagePack) -> list[_Sign]:
    lexicon = pack.emotion
    text, cued = _cued(text, pack)
    words = [sign for clause, factor in _weighted_clauses(text, lexicon) for sign in _signs(clause, factor, lexicon)]
    signs = [*words, *cued]
    acts = acts_in(text, pack)
    return [*signs, *(_Sign(act.shows, prototype_of(act.shows, lexicon), act.weight, act.words) for act in acts)]


@remembered(64)
def _cued(text: str, pack: LanguagePack) -> tuple[str, tuple[_Sign, ...]]:
    """A text with blanks in place of names and of words that mean nothing by themselves where they stand, and what its sayings show."""
    lexicon, sought = pack.emotion, _cues(pack)
    found: list[_Sign] = []
    text = _without_names(text, lexicon)
    lowered = lower(text)
    rest = sought.numbers(lowered)
    while rest:
        done, *rest = rest
        cue = lexicon.cues[done]
        match = sought.expressions[done].search(lowered)
        if match is None:
            continue
        if cue.label != "neutral":
            found.append(_Sign(cue.label, prototype_of(cue.label, lexicon), cue.strength, match[0].strip()))
        if cue.masks:
            text = _blanked(text, cue.pattern)
            lowered = lower(text)
            rest = [number for number in sought.numbers(lowered) if number > done]  # the next may stand beside a blank
    return text, tuple(found)


@lru_cache(maxsize=16)
def _cues(pack: LanguagePack) -> Sought:
    return Sought(cue.pattern for cue in pack.emotion.cues)


def _without_names(text: str, lexicon: EmotionLexicon) -> str:
    """A text with blanks in place of names, which show nothing. Where most words have capitals they tell no name."""
    words = text.split()
    if len(words) > _TITLE and sum(word[:1].isupper() for word in words) > 0.8 * len(words):
        return text
    for name in lexicon.names:
        for match in name.finditer(text):
            text = text[: match.start()] + " " * (match.end() - match.start()) + text[match.end() :]
    return text


def _blanked(text: str, pattern: re.Pattern[str]) -> str:
    lowered = lower(text)
    for match in pattern.finditer(lowered):
        text = text[: match.start()] + " " * (match.end() - match.start()) + text[match.end() :]
    return text


def _bare(text: str, lexicon: EmotionLexicon) -> Iterator[_Sign]:
    """What a text without any emotion word shows by its form: the first form that fits decides."""
    lowered = lower(text)
    for cue in lexicon.bare:
        match = cue.pattern.search(lowered)
        if match is None:
            continue
        yield _Sign(cue.label, prototype_of(cue.label, lexicon), cue.strength, match[0].strip())
        return


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
        point = prototype_of(label, lexicon)
        if negated:
            point = (point[0] * NEGATED, point[1] * -0.3, point[2] * -0.5)
        signs.append(_Sign(label, point, weight, clause[hit.start : hit.end], negated=negated))
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
    if prototype is None or (abs(prototype.valence) > DECIDED and prototype.valence * point[0] < 0):
        return nearest_label(point, lexicon)
    return best


def _loudness(text: str) -> float:
    letters = [char for char in text if char.isascii() and char.isalpha()]
    shouting = len(letters) >= _SHOUT_LETTERS and sum(char.isupper() for char in letters) > 0.8 * len(letters)
    marks = min(len(_EXCLAMATION.findall(text)), 3)
    return SHOUT * marks / 3 * 2 / (1 + (marks > 0)) + (SHOUT if shouting else 0.0)
