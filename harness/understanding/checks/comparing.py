"""Two messages of one speaker against each other, and one against itself: what in them does not fit together."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from harness.understanding.checks.lasting import disagree
from harness.understanding.checks.points import LIKING, Point, bare, content, keys_of, members_of
from harness.understanding.facts.exclusions import sides
from harness.understanding.facts.kinds import told_apart
from harness.understanding.facts.places import one_in_other
from harness.understanding.facts.relations import relate
from harness.understanding.facts.stands import Stand
from harness.understanding.text import fold, has_han, numbers, terms

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.language import LanguagePack
    from harness.understanding.checks.utterances import Utterance
    from harness.understanding.facts.claims import Claim

SURE = 0.75
"""Strength from which on a conflict counts as sure."""
WITHIN = ("within", "within-claim")
"""Rules that compare a message with itself."""
ALIKE = 0.6
_MOST = 40
"""Of one message, how many points and claims are held against each other: each with each."""
_INSIDE = 0.65
_FAINT = 0.4
_HALF = 0.5
_JOB, _LIKES, _SKILL, _AGE = "job", "likes", "skill", "age"
_YEAR = 365
_FEW = 3
LEANING = 0.6
"""One may like what one has never had or done: doubtful in Chinese, where short answers often say so (喜欢 to 喜欢狗吗,
没养过 to 养过狗吗). In English the two were mostly contradictions."""
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
            if relation.stand is Stand.conflict and not _other_thing(claim, known, pack):
                liking = pack.script == "han" and (claim.attribute == _LIKES) != (known.attribute == _LIKES)
                strength = (
                    min(relation.strength, LEANING)
                    if liking and claim.polarity != known.polarity
                    else relation.strength
                )
                yield Conflict("claim", strength, claim.quote, known.quote, turn)
    # A reply is compared with some dozens of messages and facts, and most have little to compare.
    if now.points and before.points:
        yield from _points(now, before, turn, pack)
    if (now.slots and before.slots) or (now.states and before.states):
        yield from _values(now, before, turn, pack)
    if now.lengths or before.lengths:
        yield from _lengths(now, before, turn)
        yield from _too_long(now, before, turn, pack)
    if now.unknown:
        yield from _forgotten(now, before, turn)
    if (now.owned and before.lacked) or (now.lacked and before.owned) or (now.counts and before.counts):
        yield from _things(now, before, turn)


def _points(now: Utterance, before: Utterance, turn: int, pack: LanguagePack) -> Iterator[Conflict]:
    """Clauses that say the opposite of earlier ones, or give another number."""
    for point in now.points:
        for other in before.points:
            if _apart(point, other):
                continue
            strength = _opposed(point, other, pack)
            if strength and not _in_compounds(point.said, other.said, pack):
                yield Conflict("point", strength, point.words, other.words, turn)
            strength = _miscounted(point, other)
            if strength:
                yield Conflict("figure", strength, point.words, other.words, turn)


def _comparable(claim: Claim, other: Claim, pack: LanguagePack) -> bool:
    """Whether two claims can be about one thing: of one attribute or group, or with a content word in common."""
    if claim.attribute and other.attribute:
        one, two = pack.attribute(claim.attribute), pack.attribute(other.attribute)
        if claim.attribute == other.attribute or (one and two and one.group and one.group == two.group):
            return True
    first, second = sides(f"{claim.quote} {claim.value}", pack), sides(f"{other.quote} {other.value}", pack)
    if (first.lacking & (second.words | second.kinds)) or (second.lacking & (first.words | first.kinds)):
        return True
    said, known = keys_of(claim.predicate or claim.value, pack)[0], keys_of(other.predicate or other.value, pack)[0]
    return bool(content(said) & content(known))


def _other_thing(claim: Claim, other: Claim, pack: LanguagePack) -> bool:
    """Whether two claims only look alike: a word in a compound (a hot dog is no dog), a trade and where it is plied."""
    if claim.polarity and other.polarity:
        return (
            claim.attribute == other.attribute
            and claim.attribute in (_JOB, "workplace")
            and _one_job(claim.quote, other.quote, pack)
        )
    denied, affirmed = (other, claim) if claim.polarity else (claim, other)
    if _LIKES in (claim.attribute, other.attribute) and pack.any_of(pack.history.hindered).search(denied.quote):
        return True
    if claim.attribute == other.attribute == _SKILL and _done_otherwise(denied.value, affirmed.value):
        return True
    return _in_compounds(denied.value, affirmed.value, pack)


def _done_otherwise(first: str, second: str) -> bool:
    """Whether two skills do different things with one object (骑车, 开车)."""
    return has_han(first) and len(first) == len(second) and first[-1] == second[-1] and first[0] != second[0]


def _in_compounds(first: str, second: str, pack: LanguagePack) -> bool:
    """Whether what two texts share stands in one of them only as part of a compound with another head."""
    if not pack.history.compounds:
        return False
    compounds = pack.any_of(pack.history.compounds)
    for text, against in ((first, second), (second, first)):
        rest, count = compounds.subn(" ", text)
        if count and not compounds.search(against):
            shared = content(keys_of(rest, pack)[0]) & content(keys_of(against, pack)[0])
            return not shared and not (has_han(against) and against in rest)
    return False


def _one_job(first: str, second: str, pack: LanguagePack) -> bool:
    """Whether two ways to give one's work can be one job: of a line of work, or a trade plied anywhere and a place."""
    first, second = fold(first), fold(second)
    lines = [
        {number for number, field in enumerate(lines_of_work(pack)) if field.search(text)} for text in (first, second)
    ]
    if lines[0] & lines[1]:
        return True
    if not pack.history.anywhere:
        return False
    anywhere, place = pack.any_of(pack.history.anywhere), pack.any_of(pack.history.workplace)
    whole = pack.any_of(pack.history.any_place)
    for title, where in ((first, second), (second, first)):
        if place.search(where) and not place.search(title) and anywhere.search(title):
            return True
        if all(lines):
            continue  # a call centre of an insurer is no cinema
        if place.search(title) and place.search(where) and whole.search(title) and not anywhere.search(title):
            return True
    return False


def _things(now: Utterance, before: Utterance, turn: int) -> Iterator[Conflict]:
    """Speaks of a thing of its own that it said to be without, or counts it otherwise."""
    for first, second in ((now.owned, before.lacked), (now.lacked, before.owned)):
        for thing, words in first:
            for other, earlier in second:
                if thing == other:
                    # "I don't really have a favourite film" is said lightly
                    strength = SURE if len(thing.split()) == 1 else _INSIDE
                    yield Conflict("owned", strength, words, earlier, turn)
    for thing, many, words in now.counts:
        for other, count, earlier in before.counts:
            if thing == other and many != count:
                yield Conflict("count", SURE, words, earlier, turn)


def _apart(point: Point, other: Point) -> bool:
    """Whether two points have nothing to do with each other, as nearly all have not. It saves a closer look."""
    if point.heads or other.heads or not point.keys.isdisjoint(other.keys):
        return False
    return bool(content(point.keys)) and bool(content(other.keys))


def _opposed(point: Point, other: Point, pack: LanguagePack) -> float:
    """How surely one point denies the other; 0 when it does not."""
    if point.wish or other.wish or (point.days and other.days and not point.days & other.days):
        return 0.0
    if point.negated and other.negated and point.second != other.second:
        return 0.0  # neither likes nor dislikes it
    if (point.hindered and LIKING in other.keys) or (other.hindered and LIKING in point.keys):
        return 0.0  # "I have no time to read" is no dislike
    if (point.lapsed and other.lately) or (other.lapsed and point.lately):
        return _INSIDE if _alike(content(point.keys), content(other.keys)) else 0.0
    if point.polarity == other.polarity:
        return 0.0
    never = point if point.negated and point.ever else other if other.negated and other.ever else None
    if (point.past or other.past) and never is None:
        return 0.0
    a, b = content(point.keys), content(other.keys)
    if a - b and b - a and bare(a & b, pack):
        return 0.0  # never learned French, and learned to paint
    if never is not None:
        once = other if never is point else point
        strength = _denied_once(never, once, pack)
        return strength or (_INSIDE if not once.wish and _covered(never, once, pack) else 0.0)
    passing = point.also or other.also
    if not passing and (_covered(point, other, pack) or _covered(other, point, pack)):
        return _INSIDE
    if passing or len(a & b) < ALIKE * min(len(a), len(b)):
        return _FAINT if a & b and pack.script == "latin" else 0.0
    return 0.5 + 0.4 * len(a & b) / len(a | b)


def _denied_once(never: Point, once: Point, pack: LanguagePack) -> float:
    """How surely a point that says "never" denies one that says that it was so."""
    some = content(once.keys)
    shared = some & content(never.keys)
    if never.vague:
        return 0.55 if shared else 0.0
    if never.longed:
        return 0.6 if len(shared) >= ALIKE * len(some) else 0.0
    if len(shared) < _HALF * len(some):
        return 0.0
    leans = pack.script == "han" and LIKING in once.keys and LIKING not in never.keys
    return LEANING if leans else 0.8


def _alike(first: frozenset[str], second: frozenset[str]) -> bool:
    return bool(first and second) and len(first & second) >= ALIKE * min(len(first), len(second))


def _covered(denied: Point, affirmed: Point, pack: LanguagePack) -> bool:
    """Whether a point denies a whole kind of which the other affirms a member, or likes all of which that one is not liked."""
    if not denied.heads or (denied.negated and affirmed.negated) or len(content(denied.keys)) > _FEW:
        return False
    return bool(denied.heads & members_of(affirmed.said, pack))


def _same_keys(point: Point, other: Point) -> bool:
    """Whether an answer and a clause beside it are about the very same; "No, but I like to watch it" is no slip."""
    return not (point.resolved and other.resolved) and content(point.keys) == content(other.keys)


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
    alike = now.slots and before.slots  # most messages give no value at all
    slots = {slot.key: slot for slot in pack.history.slots} if alike else {}
    old = {key: (value, words) for key, value, words in before.slots}
    for key, value, words in now.slots if alike else ():
        if key not in old:
            continue
        slot = slots.get(key)
        if slot is not None and slot.number:
            a, b = _range(value, pack), _range(old[key][0], pack)
            if a and b and (a[0] - b[1] > slot.apart or b[0] - a[1] > slot.apart):
                yield Conflict(f"slot:{key}", 0.75, words, old[key][1], turn)
            continue
        first, second = fold(value), fold(old[key][0])
        if first in second or second in first or one_in_other(value, old[key][0], pack):
            continue
        if told_apart(first, second, pack) or (slot is None and _named(value) and _named(old[key][0])):
            yield Conflict(f"slot:{key}", 0.8, words, old[key][1], turn)
        elif not (slot and slot.named) and not (
            _one_job(words, old[key][1], pack) if key == _JOB else _akin(first, second, pack)
        ):
            yield Conflict(f"slot:{key}", 0.65, words, old[key][1], turn)
    held = {about: (number, words) for about, number, words in before.states}
    for about, number, words in now.states:
        if about in held and held[about][0] != number:
            strength = _INSIDE if about in pack.history.leanings else SURE
            yield Conflict(f"state:{about}", strength, words, held[about][1], turn)


def _lengths(now: Utterance, before: Utterance, turn: int) -> Iterator[Conflict]:
    """Has done something for another time than it said."""
    for length in now.lengths:
        for other in before.lengths:
            if disagree(length, other):
                yield Conflict("length", _INSIDE, length.words, other.words, turn)


def _too_long(now: Utterance, before: Utterance, turn: int, pack: LanguagePack) -> Iterator[Conflict]:
    """Has done something for longer than it has lived ("I'm 25", "I've been married for 30 years")."""
    for one, other in ((now, before), (before, now)):
        age = next(((value, words) for key, value, words in one.slots if key == _AGE), None)
        read = _range(age[0], pack) if age is not None and other.lengths else None
        for length in other.lengths if age is not None and read is not None else ():
            if (
                read is not None
                and age is not None
                and length.low > (read[1] + 1) * _YEAR
                and not math.isinf(length.high)
            ):
                pair = (age[1], length.words) if one is now else (length.words, age[1])
                yield Conflict(_AGE, SURE, *pair, turn)


def _named(value: str) -> bool:
    """Whether a value is a name, as a favourite film is."""
    return value[:1].isupper()


def _range(value: str, pack: LanguagePack) -> tuple[float, float] | None:
    """From and to: a number, or the ten years of "in my thirties"."""
    decade = next((start for word, start in pack.history.decades.items() if word in value.casefold()), None)
    if decade is not None:
        return decade, decade + 9
    read = numbers(value, pack)
    return (read[0], read[0]) if read else None


def _akin(first: str, second: str, pack: LanguagePack) -> bool:
    """Whether two values can be wordings of one: with a word in common."""
    if has_han(first) and has_han(second):
        return bool(set(first) & set(second))
    return bool(terms(first, pack) & terms(second, pack))


@lru_cache(maxsize=16)
def lines_of_work(pack: LanguagePack) -> tuple[re.Pattern[str], ...]:
    """An expression for the words of each line of work."""
    parted = pack.script == "latin"
    return tuple(pack.pattern(rf"\b(?:{source})\b" if parted else source) for source in pack.history.fields)


def _forgotten(now: Utterance, before: Utterance, turn: int) -> Iterator[Conflict]:
    """Does not know what it told before."""
    if not now.unknown or now.question is None or now.question.own:
        return
    for key, _, words in before.slots:
        if key in now.question.slots and now.question.listener:
            yield Conflict("forgotten", SURE, now.unknown, words, turn)


def inside(now: Utterance, pack: LanguagePack) -> Iterator[Conflict]:
    """What in a message runs against itself. Never sure: "I don't mind dogs, but I hate *that* dog" is no slip."""
    points, claims = now.points[:_MOST], now.claims[:_MOST]
    for index, point in enumerate(points):
        for other in points[:index]:
            if (point.resolved or other.resolved) and not _same_keys(point, other):
                continue
            if point.words == other.words or pack.any_of(pack.history.concedes).match(point.words):
                continue  # "I don't read much, but I have read that one" says how much, not the opposite
            strength = _opposed(point, other, pack)
            if strength > _FAINT:
                yield Conflict("within", min(strength, _INSIDE), point.words, other.words)
    for index, claim in enumerate(claims):
        for known in claims[:index]:
            listed = claim.polarity and known.polarity and not (claim.single and known.single)
            if listed or claim.quote == known.quote or not _comparable(claim, known, pack):
                continue
            relation = relate(claim, known, pack)
            if relation.stand is Stand.conflict:
                yield Conflict("within-claim", min(relation.strength, _INSIDE), claim.quote, known.quote)
