"""Emotion by rules: what the user's words show, and what they do to the character.

The point of a mood in valence, arousal and dominance follows Mehrabian & Russell (1974, *An Approach to Environmental
Psychology*); that the character reacts to what is said *to* it (praise, insult, threat, thanks) follows the appraisal
theory of Ortony, Clore & Collins (1988, *The Cognitive Structure of Emotions*). The numbers below are our own.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from harness.language.phrases import lower
from harness.state.emotion import Emotion
from harness.state.operations import SetEmotion
from harness.understanding.checks.mourning import lighter
from harness.understanding.checks.news import GLAD, LINGERS, bad_news, grieves
from harness.understanding.emotion.appraising import acts_in, appraise
from harness.understanding.emotion.moods import (
    LONGEST_CAUSE,
    NEUTRAL_BELOW,
    clip,
    cosine,
    differs,
    emotion_at,
    nearest_label,
    point_of,
    prototype_of,
    towards,
)
from harness.understanding.emotion.sensing import sensed
from harness.understanding.one_script import in_one_script
from harness.understanding.words import excerpt

if TYPE_CHECKING:
    from harness.language.pack import LanguagePack
    from harness.language.sections_emotion import EmotionLexicon
    from harness.state.dialogue import DialogueState
    from harness.state.operations import Tier
    from harness.state.persona import Persona

__all__ = ["appraise", "nearest_label", "track_emotion"]

USER_DECAY = 0.7
"""Share of the user's shown emotion that stays when a message shows none."""
GRIEF_DECAY = 0.85
"""The same for grief: after bad news (-0.7) it is -0.37 four turns on, and told to the model so long."""
COURTESIES = ("gratitude", "affection", "calm", "curiosity", "surprise")
"""What somebody who grieves may show between two sentences of it; it does not end the grief."""
TOLD = 0.9
"""Share of sadness that a message shows which tells of bad news in plain words."""
UNNAMED = 0.4
"""Farthest that the classifier's leanings alone move the user's valence."""
EMPATHY = 0.75
"""How much of the emotion the user's feeling calls up reaches the character."""
OWN_WORDS = 0.3
"""How much of the emotion the character's own reply shows reaches the character."""
SETTLED = 0.02
"""A mood this near to the baseline is the baseline."""


@in_one_script
def track_emotion(
    user_text: str,
    reply: str,
    *,
    state: DialogueState,
    persona: Persona,
    pack: LanguagePack,
    turn: int,
    classify: bool = False,
) -> tuple[SetEmotion, ...]:
    """What the turn does to the user's and to the character's emotion; only what changes.

    Args:
        classify: where no word shows an emotion, let the small classifier of the pack, if it has one, lean the user's mood.
    """
    shown = appraise(user_text, pack, turn=turn)
    leaning = sensed(user_text, pack) if classify else 0.0
    if shown.valence > LINGERS and shown.label not in GLAD and bad_news(excerpt(user_text), pack):
        shown = _told(shown, pack.emotion, user_text, turn)
    if grieves(state.user_emotion) and shown.label == "calm" and shown.valence > 0 and lighter(lower(user_text), pack):
        # What was feared did not come true: that is no courtesy between two sentences of grief.
        shown = emotion_at(prototype_of("joy", pack.emotion), "joy", shown.cause, turn)
    user = _user_emotion(shown, state.user_emotion, pack.emotion, turn, leaning)
    character = _character_emotion(user_text, reply, shown, old=state.emotion, persona=persona, pack=pack, turn=turn)
    operations: list[SetEmotion] = []
    if differs(user, state.user_emotion):
        tier: Tier = "classifier" if leaning and not shown.cause else "rules"
        evidence = user.cause or (user_text.strip()[:LONGEST_CAUSE] if leaning else "")
        operations.append(SetEmotion(who="user", emotion=user, evidence=evidence, tier=tier))
    if differs(character, state.emotion):
        operations.append(SetEmotion(who="character", emotion=character, evidence=character.cause))
    return tuple(operations)


def _user_emotion(shown: Emotion, old: Emotion, lexicon: EmotionLexicon, turn: int, leaning: float = 0.0) -> Emotion:
    """What words show replaces the mood; without any it fades. A leaning changes valence only: it names no mood.

    Grief fades more slowly, and neither thanks nor a leaning of the classifier to glad words ends it.
    """
    grief = grieves(old)
    if shown.cause and not (grief and shown.label in COURTESIES):
        return _leaned(shown, leaning)
    kept = GRIEF_DECAY if grief else USER_DECAY
    point = (
        clip(old.valence * kept),
        clip(old.arousal * kept + (0.0 if grief else shown.arousal)),
        clip(old.dominance * kept),
    )
    if grief:
        return emotion_at(point, old.label, "", turn)
    if math.hypot(*point) < NEUTRAL_BELOW or (leaning and old.label == "neutral"):
        valence = old.valence * USER_DECAY + leaning if leaning else 0.0
        faded = Emotion(valence=round(max(-UNNAMED, min(UNNAMED, valence)), 4), turn=turn)
        return faded if differs(faded, old) else old
    label = old.label if old.label != "neutral" else nearest_label(point, lexicon)
    return _leaned(emotion_at(point, label, "", turn), leaning)


def _told(shown: Emotion, lexicon: EmotionLexicon, text: str, turn: int) -> Emotion:
    """The sadness of bad news that no word of feeling comes with; what else the message shows is no part of it."""
    point = towards(point_of(shown), prototype_of("sadness", lexicon), TOLD)
    return emotion_at(point, "sadness", shown.cause or text.strip(), turn)


def _leaned(emotion: Emotion, leaning: float) -> Emotion:
    """A named emotion made weaker or stronger, never its opposite."""
    valence = clip(emotion.valence + leaning)
    return emotion.model_copy(update={"valence": round(valence if valence * emotion.valence > 0 else 0.0, 4)})


def _character_emotion(
    user_text: str, reply: str, shown: Emotion, *, old: Emotion, persona: Persona, pack: LanguagePack, turn: int
) -> Emotion:
    lexicon = pack.emotion
    base = point_of(persona.baseline)
    target = base
    causes: list[str] = []
    acts = acts_in(excerpt(user_text), pack)
    for act in acts:
        target = towards(target, prototype_of(act.label, lexicon), act.weight)
        causes.append(act.words)
    if shown.cause and not acts:
        called = lexicon.empathy.get(shown.label)
        if called is not None:
            strength = EMPATHY * min(1.0, math.hypot(*point_of(shown)))
            target = towards(target, prototype_of(called, lexicon), strength)
            causes.append(shown.cause)
    own = appraise(reply, pack)
    if own.cause:
        target = towards(target, point_of(own), OWN_WORDS)
    point = towards(target, point_of(old), persona.inertia)
    if not causes and math.dist(point, base) < NEUTRAL_BELOW:
        return emotion_at(point if math.dist(point, base) > SETTLED else base, persona.baseline.label, "", turn)
    prototype = prototype_of(acts[0].label, lexicon) if acts else (0.0, 0.0, 0.0)
    felt = bool(acts) and cosine(point, prototype) > 0.5  # less than 60 degrees apart
    label = acts[0].label if felt else nearest_label(point, lexicon)
    if math.dist(point, base) < NEUTRAL_BELOW:
        label = persona.baseline.label
    return emotion_at(point, label, ", ".join(dict.fromkeys(causes)), turn)
