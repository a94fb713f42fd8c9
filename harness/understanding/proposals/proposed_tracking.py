"""Topic, moods and entities that a model proposes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from harness.state.apply import normal
from harness.state.emotion import Emotion
from harness.state.facts import CHARACTER, USER
from harness.state.operations import (
    MentionEntity,
    MergeEntities,
    Operation,
    PopTopic,
    PushTopic,
    ReturnTopic,
    SetEmotion,
    TouchTopic,
)
from harness.state.topics import Topic
from harness.understanding.proposals.answers import (
    ENTITY_KINDS,
    MAX_NAME,
    EmotionProposal,
    EntityProposal,
    TopicProposal,
)
from harness.understanding.proposals.evidence import Evidence, Refused
from harness.understanding.proposals.grounding import occurs, plain, scripts

FLAT = 0.15
"""Valence within which a mood is neither good nor bad."""
NEUTRAL = "neutral"
MAX_NAME_WORDS = 6
"""Most words a name has ("The Lord of the Rings": 5); small models give whole sentences."""
MAX_NAME_HAN = 14
"""Most Chinese characters a name has."""
MOVES = ("keep", "push", "return", "pop")
_HAN_RUN = re.compile(r"[\u3400-\u9fff]+")


def topic_operation(proposal: TopicProposal, evidence: Evidence, named: Sequence[str]) -> Operation:
    """The operation a proposed move comes to; ``named`` are the entities of the turn. Raises Refused."""
    topics = evidence.state.topics
    touch = TouchTopic(turn=evidence.turn, entities=tuple(named))
    if proposal.action == "pop":
        if topics.current is None:
            raise Refused("no topic is open")
        return PopTopic(turn=evidence.turn)
    found = topics.find(proposal.topic_id) or _labelled(proposal.label, evidence)
    if proposal.action == "return":
        if found is None:
            raise Refused(f"no topic {proposal.topic_id or proposal.label!r} to return to")
        return touch if found is topics.current else ReturnTopic(topic_id=found.id, turn=evidence.turn)
    if proposal.action == "keep" and topics.current is not None:
        return touch
    if proposal.action not in MOVES:
        raise Refused(f"{proposal.action!r} is no move of the topic")
    known = _labelled(proposal.label, evidence)
    if known is not None:
        return touch if known is topics.current else ReturnTopic(topic_id=known.id, turn=evidence.turn)
    return PushTopic(label=_label(proposal.label, evidence), turn=evidence.turn, entities=tuple(named))


def user_emotion_operation(proposal: EmotionProposal, evidence: Evidence) -> SetEmotion | None:
    """What the user's words show; None when the answer did not say. Raises Refused on an unknown label."""
    target = _target(proposal, evidence)
    return None if target is None else SetEmotion(who="user", emotion=target, evidence=target.cause)


def character_emotion_operation(proposal: EmotionProposal, evidence: Evidence) -> SetEmotion | None:
    """The character's mood, between the old one and the one proposed, as the persona's inertia says; None when the answer did not say.

    A mood cannot turn over in one turn: while the mixture still lies on the old side, the old label stays.
    """
    target = _target(proposal, evidence)
    if target is None:
        return None
    old, inertia = evidence.state.emotion, evidence.persona.inertia
    valence = _mix(old.valence, target.valence, inertia)
    label = target.label
    turning = old.valence * target.valence < 0 and valence * target.valence <= FLAT * abs(target.valence)
    if turning or (label == NEUTRAL and abs(valence) > FLAT):
        label = NEUTRAL if abs(valence) <= FLAT else old.label
    mixed = target.model_copy(
        update={
            "label": label,
            "valence": valence,
            "arousal": _mix(old.arousal, target.arousal, inertia),
            "dominance": _mix(old.dominance, target.dominance, inertia),
        }
    )
    return SetEmotion(who="character", emotion=mixed, evidence=mixed.cause)


def entity_operation(proposal: EntityProposal, evidence: Evidence) -> Operation:
    """The operation a named thing comes to. Raises Refused."""
    name = proposal.name.strip()
    if not name or len(name) > MAX_NAME:
        raise Refused(f"expected a name of 1 to {MAX_NAME} characters, got {name[:80]!r}")
    if len(name.split()) > MAX_NAME_WORDS or sum(map(len, _HAN_RUN.findall(name))) > MAX_NAME_HAN:
        raise Refused(f"{name!r} is a sentence, not a name")
    if evidence.vocabulary.is_pronoun(name) or evidence.side(name):
        raise Refused(f"{name!r} is no entity of its own")
    if occurs(name, evidence.user_text):
        speaker = USER
    elif occurs(name, evidence.reply):
        speaker = CHARACTER
    else:
        raise Refused(f"{name!r} was not named in this turn")
    kind = proposal.kind if proposal.kind in ENTITY_KINDS else "other"
    mention = MentionEntity(name=name, turn=evidence.turn, kind=kind, speaker=speaker)
    target = evidence.entity(proposal.same_as)
    known = evidence.entity(name)
    if target is None or target == known:
        return mention
    if "other" not in (target.kind, kind) and target.kind != kind:
        return mention  # a person is not another name for a place, whatever the model thinks
    if known is not None:
        return MergeEntities(entity_id=target.id, merged_id=known.id)
    return mention.model_copy(update={"name": target.name, "aliases": (name,)})


def _labelled(label: str, evidence: Evidence) -> Topic | None:
    topics = evidence.state.topics
    wanted = normal(label)
    candidates = (*reversed(topics.open), *reversed(topics.past))
    return next((topic for topic in candidates if wanted and normal(topic.label) == wanted), None)


def _label(label: str, evidence: Evidence) -> str:
    label = label.strip()
    if not plain(label) or len(label) > MAX_NAME or label.casefold() in MOVES:
        raise Refused(f"expected a topic label of 1 to {MAX_NAME} characters, got {label[:80]!r}")
    said = scripts(evidence.user_text) | scripts(evidence.reply)
    if not scripts(label) <= said:
        raise Refused(f"the topic label {label!r} is not in the language of the turn")
    return label


def _target(proposal: EmotionProposal, evidence: Evidence) -> Emotion | None:
    label = proposal.label.strip()
    if not label:
        return None
    point = evidence.vocabulary.emotions.get(label)
    cause = proposal.cause if occurs(proposal.cause, f"{evidence.user_text}\n{evidence.reply}") else ""
    if point is None:
        return Emotion(label=NEUTRAL, cause=cause, turn=evidence.turn)
    valence, arousal = _clamp(proposal.valence), _clamp(proposal.arousal)
    if valence * point.valence > 0:
        # The label places the mood, the numbers say how strong it is; numbers that contradict the label are noise.
        valence, arousal = (valence + point.valence) / 2, (arousal + point.arousal) / 2
    else:
        valence, arousal = point.valence, point.arousal
    return Emotion(
        label=label,
        valence=_clamp(valence),
        arousal=_clamp(arousal),
        dominance=_clamp(point.dominance),
        cause=cause,
        turn=evidence.turn,
    )


def _mix(old: float, new: float, inertia: float) -> float:
    return round(_clamp(inertia * old + (1 - inertia) * new), 4)


def _clamp(value: float) -> float:
    return max(-1.0, min(1.0, value)) if value == value else 0.0  # noqa: PLR0124  NaN is not equal to itself


__all__ = [
    "character_emotion_operation",
    "entity_operation",
    "topic_operation",
    "user_emotion_operation",
]
