"""Two messages of one speaker against each other, and one against itself: what in them does not fit together."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.understanding.kinds import kinds_in, told_apart, within
from harness.understanding.points import Point, content, keys_of
from harness.understanding.relations import Stand, relate
from harness.understanding.text import fold, has_han, numbers, terms

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.language import LanguagePack
    from harness.understanding.claims import Claim
    from harness.understanding.utterances import Utterance

SURE = 0.75
"""Strength from which on a conflict counts as sure."""
WITHIN = ("within", "within-claim")
"""Rules that compare a message with itself."""
ALIKE = 0.6
_INSIDE = 0.65
_FAINT = 0.4
_HALF = 0.5
_FEW = 3
"""A denial of a whole kind counts against a point of few words only."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """What does not fit together.

    Attributes:
        rule: which comparison found it.
        strength: how sure, 0 to 1.
        words: of the reply.
        earlier: the words it runs against.
        turn: the turn they were said in; 0 for the greeting or the reply itself.
    """

    rule: str
    strength: float
    words: str
    earlier: str
    turn: int = 0


def between(now: Utterance, before: Utterance, turn: int, pack: LanguagePack) -> Iterator[Conflict]:
    """What in a message runs against an earlier one of the same speaker. ``turn``: that of the earlier one."""
    for claim in now.claims:
        for known in before.claims:
            if not _comparable(claim, known, pack):
                continue
            relation = relate(claim, known, pack)
            if relation.stand is Stand.conflict:
                yield Conflict("claim", relation.strength, claim.quote, known.quote, turn)
    for point in now.points:
        for other in before.points:
            strength = _opposed(point, other, pack)
            if strength:
                yield Conflict("point", strength, point.words, other.words, turn)
            strength = _miscounted(point, other)
            if strength:
                yield Conflict("figure", strength, point.words, other.words, turn)
    yield from _values(now, before, turn, pack)
    yield from _forgotten(now, before, turn)
    yield from _things(now, before, turn)


def _comparable(claim: Claim, other: Claim, pack: LanguagePack) -> bool:
    """Whether two claims can be about one thing: of one attribute or group, or with a content word in common."""
    if claim.attribute and other.attribute:
        first, second = pack.attribute(claim.attribute), pack.attribute(other.attribute)
        if claim.attribute == other.attribute or (first and second and first.group and first.group == second.group):
            return True
    said, known = keys_of(claim.predicate or claim.value, pack)[0], keys_of(other.predicate or other.value, pack)[0]
    return bool(content(said) & content(known))


def _things(now: Utterance, before: Utterance, turn: int) -> Iterator[Conflict]:
    """Speaks of a thing of its own that it said to be without, or counts it otherwise."""
    for first, second in ((now.owned, before.lacked), (now.lacked, before.owned)):
        for thing, words in first:
            for other, earlier in second:
                if thing == other:
                    yield Conflict("owned", SURE, words, earlier, turn)
    for thing, many, words in now.counts:
        for other, count, earlier in before.counts:
            if thing == other and many != count:
                yield Conflict("count", SURE, words, earlier, turn)


def _opposed(point: Point, other: Point, pack: LanguagePack) -> float:
    """How surely one point denies the other; 0 when it does not."""
    if point.wish or other.wish or point.polarity == other.polarity:
        return 0.0
    if point.negated and other.negated and point.second != other.second:
        return 0.0  # neither likes nor dislikes it
    never = point if point.negated and point.ever else other if other.negated and other.ever else None
    if (point.past or other.past) and never is None:
        return 0.0
    a, b = content(point.keys), content(other.keys)
    if never is not None:
        some = a if never is point else b
        if never.vague:
            return 0.55 if a & b else 0.0
        if never.longed:
            return 0.6 if len(a & b) >= ALIKE * len(some) else 0.0
        return 0.8 if len(a & b) >= _HALF * len(some) else 0.0
    passing = point.also or other.also
    for denied, affirmed in ((point, other), (other, point)) if not passing else ():
        general = denied.heads and denied.negated and not affirmed.negated and len(a) <= _FEW >= len(b)
        if general and denied.heads & kinds_in(affirmed.words, pack):
            return 0.65
    if passing or len(a & b) < ALIKE * min(len(a), len(b)):
        return _FAINT if a & b and pack.script == "latin" else 0.0
    return 0.5 + 0.4 * len(a & b) / len(a | b)


def _miscounted(point: Point, other: Point) -> float:
    if point.wish or other.wish or not point.polarity or not other.polarity or not point.figures or not other.figures:
        return 0.0
    a = frozenset(k for k in content(point.keys) if not k.isdigit())
    b = frozenset(k for k in content(other.keys) if not k.isdigit())
    if not a or not b or len(a & b) / min(len(a), len(b)) < ALIKE:
        return 0.0
    return 0.0 if set(point.figures) & set(other.figures) else SURE


def _values(now: Utterance, before: Utterance, turn: int, pack: LanguagePack) -> Iterator[Conflict]:
    """Another value of what one has one of, and another of two states that exclude each other."""
    slots = {slot.key: slot for slot in pack.history.slots}
    old = {key: (value, words) for key, value, words in before.slots}
    for key, value, words in now.slots:
        if key not in old:
            continue
        slot = slots.get(key)
        if slot is not None and slot.number:
            a, b = numbers(value, pack), numbers(old[key][0], pack)
            if a and b and abs(a[0] - b[0]) > slot.apart:
                yield Conflict(f"slot:{key}", 0.75, words, old[key][1], turn)
            continue
        first, second = fold(value), fold(old[key][0])
        if first in second or second in first or within(first, second, pack):
            continue
        if told_apart(first, second, pack):
            yield Conflict(f"slot:{key}", 0.8, words, old[key][1], turn)
        elif not (slot and slot.named) and not _akin(first, second, key, pack):
            yield Conflict(f"slot:{key}", 0.65, words, old[key][1], turn)
    held = {about: (number, words) for about, number, words in before.states}
    for about, number, words in now.states:
        if about in held and held[about][0] != number:
            yield Conflict(f"state:{about}", 0.75, words, held[about][1], turn)


def _akin(first: str, second: str, key: str, pack: LanguagePack) -> bool:
    """Whether two values can be wordings of one: with a word in common, or of one line of work."""
    if key == "job" and any(field.search(first) and field.search(second) for field in _fields(pack)):
        return True
    if has_han(first) and has_han(second):
        return bool(set(first) & set(second))
    return bool(terms(first, pack) & terms(second, pack))


def _fields(pack: LanguagePack) -> list[re.Pattern[str]]:
    parted = pack.script == "latin"
    return [pack.pattern(rf"\b(?:{source})\b" if parted else source) for source in pack.history.fields]


def _forgotten(now: Utterance, before: Utterance, turn: int) -> Iterator[Conflict]:
    """Does not know what it told before."""
    if not now.unknown or now.question is None or now.question.own:
        return
    for key, _, words in before.slots:
        if key in now.question.slots and now.question.listener:
            yield Conflict("forgotten", SURE, now.unknown, words, turn)


def inside(now: Utterance, pack: LanguagePack) -> Iterator[Conflict]:
    """What in a message runs against itself. Never sure: "I don't mind dogs, but I hate *that* dog" is no slip."""
    points = [point for point in now.points if not point.resolved]
    for index, point in enumerate(points):
        for other in points[:index]:
            strength = _opposed(point, other, pack)
            if strength > _FAINT:
                yield Conflict("within", min(strength, _INSIDE), point.words, other.words)
    for index, claim in enumerate(now.claims):
        for known in now.claims[:index]:
            if claim.quote == known.quote or not _comparable(claim, known, pack):
                continue
            relation = relate(claim, known, pack)
            if relation.stand is Stand.conflict:
                yield Conflict("within-claim", min(relation.strength, _INSIDE), claim.quote, known.quote)
