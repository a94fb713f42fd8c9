"""A message of the character, read with the message that it answers: points, claims, values, states, things."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from harness.language.remembering import remembered
from harness.language.sought import Sought
from harness.understanding.checks.lasting import Length, lengths
from harness.understanding.checks.points import LIKING, Point, answered, bare, content, days_in, keys_of, point_of, thin
from harness.understanding.checks.questions import Asked, knows_not, plain, read_question, spans, verdict
from harness.understanding.facts.claims import SPEAKER, Claim, Reading, read_claims
from harness.understanding.facts.kinds import kinds_in
from harness.understanding.text import numbers, sentences

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.language import LanguagePack

_WORDING = Reading(wording=True)
_BRIEF = 5
_ITEM = 4
"""Words of an item of an enumeration at most."""
_NAMED = 24
"""Characters of what is named alone, at most."""
_ENDS = (".", "!", "?")
ANSWERING = 2
"""First clauses of a message that may hold its yes or no."""


@dataclass(frozen=True, slots=True)
class Said:
    """An earlier message with the message before it."""

    text: str
    asked: str
    turn: int


@dataclass(frozen=True, slots=True)
class Utterance:
    """A message of the character, read with the question that it answers.

    Attributes:
        says: the yes or no it gives to the question; None for neither.
        unknown: the clause in which it does not know; empty when it does.
        claims: as persona facts are compared.
        slots: (key, value, words) of what one has one of.
        states: (what it is about, which of the alternatives, words).
        lengths: how long things have lasted. ``counts``: (thing, how many, words). ``owned``, ``lacked``: (thing, words).
    """

    text: str
    question: Asked | None
    says: bool | None
    unknown: str
    points: tuple[Point, ...]
    claims: tuple[Claim, ...]
    slots: tuple[tuple[str, str, str], ...]
    states: tuple[tuple[str, int, str], ...]
    counts: tuple[tuple[str, float, str], ...]
    owned: tuple[tuple[str, str], ...]
    lacked: tuple[tuple[str, str], ...]
    lengths: tuple[Length, ...] = ()


@remembered(2048, texts=2)
def read_utterance(text: str, asked: str, pack: LanguagePack) -> Utterance:
    """A message of the character with the message before it."""
    question = read_question(asked, pack) if asked else None
    says = verdict(text, question, pack)
    adopts = bool(spans(text, pack)) and pack.any_of(pack.history.me_too).match(spans(text, pack)[0][0]) is not None
    return Utterance(
        text,
        question,
        says,
        knows_not(text, pack),
        tuple(_points(text, asked, question, says, pack)),
        tuple(_claims(text, asked, question, says, pack) + (_adopted(asked, text, pack) if adopts else [])),
        tuple(_slots(text, question, pack)),
        tuple(_states(text, pack) + (_states(asked, pack) if adopts else [])),
        tuple(_counts(text, pack)),
        tuple(_things(text, pack.history.possessions, pack)),
        tuple(_things(text, pack.history.lacking, pack)),
        tuple(lengths(text, question, pack)),
    )


def _points(text: str, asked: str, question: Asked | None, says: bool | None, pack: LanguagePack) -> list[Point]:
    """The points of a message: of its yes or no, of what it agrees with, and clause by clause."""
    cues = pack.history
    found: list[Point] = []
    clauses = spans(text, pack)
    if question is not None and not question.open and says is not None:
        point = answered(point_of(question.statement, clauses[0][0], pack), question, says, pack)
        point = replace(point, days=days_in(question.whole, pack) or days_in(clauses[0][0], pack))
        if thin(question.statement, pack) and pack.any_of(cues.anaphors).search(question.statement):
            named = content(keys_of(plain(asked, pack).replace(question.words, " "), pack)[0])
            point = replace(point, keys=named, vague=True)
        passing = pack.any_of(cues.sometimes).search(question.words) is not None
        found.append(replace(point, also=point.also or passing))
    if clauses and pack.any_of(cues.me_too).match(clauses[0][0]):
        stated = [clause for clause, asks in spans(asked, pack) if not asks and pack.any_of(cues.first).search(clause)]
        found.extend(replace(point_of(clause, clauses[0][0], pack), resolved=True) for clause in stated)
    if question is not None and question.open and question.listener and clauses:
        found.extend(_named_liking(*clauses[0], question, pack))
    found.extend(_clause_points(clauses, asked, question, says, pack))
    return [point for point in found if content(point.keys)]


def _clause_points(
    clauses: tuple[tuple[str, bool], ...], asked: str, question: Asked | None, says: bool | None, pack: LanguagePack
) -> Iterator[Point]:
    cues = pack.history
    before: frozenset[str] = frozenset()
    own: Asked | None = None
    listing: Point | None = None
    having = says and question is not None and pack.any_of(cues.having).search(question.statement) is not None
    for number, (clause, asks) in enumerate(clauses):
        if asks:
            own = read_question(clause + "?", pack)
            listing = None
            continue
        if listing is not None and not pack.any_of((*cues.first, *cues.negators, *cues.no)).search(clause):
            if item := _listed(clause, listing, pack):
                yield item
            listing = None if clause.endswith(_ENDS) else listing
            continue
        yield from _own_answer(clause, own, pack)
        own = None
        if pack.any_of(cues.unknown).search(clause) and not pack.any_of(cues.experience).search(clause):
            continue
        yield from _longings(clause, pack)
        if says is not None and number < ANSWERING and bare(content(keys_of(clause, pack)[0]), pack):
            continue  # the point of the answer says it with what was asked about
        if having and number and not pack.any_of(cues.first).search(clause):
            continue  # what one has, not oneself (有，在深圳)
        foreign = pack.any_of(cues.others).match(clause) is not None and not pack.any_of(cues.lapsed).search(clause)
        if foreign or (pack.script == "latin" and not pack.any_of(cues.first).search(clause)):
            before = content(keys_of(clause, pack)[0])
            continue
        point = _completed(point_of(clause, clause, pack), clause, before, asked, question, pack)
        before = content(point.keys) or before
        if question is not None and not point.days:
            point = replace(point, days=days_in(question.whole, pack))
        if bare(content(point.keys), pack) and not point.figures:
            if number or question is None or not _takes_up(point, question):
                continue
            point = replace(point, keys=point.keys | content(keys_of(question.words, pack)[0]), resolved=True)
        listing = point if number + 2 < len(clauses) and _lists(clauses[number:], pack) else None
        yield point


def _named_liking(clause: str, asks: bool, question: Asked, pack: LanguagePack) -> Iterator[Point]:
    """What is named alone in answer to what one likes ("What kind of films do you love?" "Horror!")."""
    cues = pack.history
    if asks or len(clause.split()) > _ITEM or len(clause) > _NAMED or LIKING not in keys_of(question.words, pack)[0]:
        return
    beside = (*cues.first, *cues.negators, *cues.unknown, *cues.yes, *cues.others, *cues.anaphors)
    keys = content(keys_of(clause, pack)[0])
    if keys and not pack.any_of(beside).search(clause):
        yield Point(clause, keys | {LIKING}, negated=False, resolved=True, said=clause)


def _lists(clauses: tuple[tuple[str, bool], ...], pack: LanguagePack) -> bool:
    """Whether a first clause begins an enumeration: short pieces follow up to one that begins with "and"."""
    if not pack.history.listing or clauses[0][0].endswith(_ENDS):
        return False
    for piece, asks in clauses[1:]:
        if asks or len(piece.split()) > _ITEM:
            return False
        if pack.any_of(pack.history.listing).match(piece):
            return True
        if piece.endswith(_ENDS):
            return False
    return False


def _listed(piece: str, head: Point, pack: LanguagePack) -> Point | None:
    """The point that an item of an enumeration makes, said as its first one is."""
    keys = content(keys_of(piece, pack)[0])
    liked = head.keys - content(head.keys)
    return replace(head, keys=keys | liked, figures=(), said=piece) if keys else None


def _takes_up(point: Point, question: Asked) -> bool:
    """Whether a bare verb answers a question: its own verb again (去得少), or one as short as 牛奶呢?"""
    return len(question.words) <= _BRIEF or any(key in question.words for key in content(point.keys))


def _own_answer(clause: str, own: Asked | None, pack: LanguagePack) -> Iterator[Point]:
    """The point of a question that one asks and answers oneself ("Do you have pets? I don't.")."""
    said = verdict(clause, own, pack) if own is not None and own.statement else None
    if own is not None and said is not None:
        yield answered(point_of(own.statement, clause, pack), own, said, pack)


def _longings(clause: str, pack: LanguagePack) -> Iterator[Point]:
    """Who longs for something has it not."""
    for longing in matches(pack.history.longings, clause, pack):
        point = point_of(longing["v"], clause, pack)
        if not point.negated:
            yield replace(point, negated=True, ever=True, wish=False, past=False, longed=True)


def _completed(
    point: Point, clause: str, before: frozenset[str], asked: str, question: Asked | None, pack: LanguagePack
) -> Point:
    """A point without words of its own, with what it is about: the clause before, the question, or what was named."""
    refers = point.negated and point.ever and pack.any_of(pack.history.anaphors).search(clause) is not None
    refers = refers or point.lapsed  # "I used to play chess, but I haven't played in years"
    if content(point.keys) and not (
        refers and (thin(clause, pack) or (point.lapsed and bare(content(point.keys), pack)))
    ):
        return point
    if not (point.keys or point.ever):
        return point
    about, vague = before, False
    if question is not None and not about and not point.ever:
        about = content(keys_of(question.words, pack)[0])
    if not about and pack.any_of(pack.history.anaphors).search(clause):
        about, vague = content(keys_of(asked, pack)[0]), True
    return replace(point, keys=point.keys | about, resolved=True, vague=vague)


def _things(text: str, sources: tuple[str, ...], pack: LanguagePack) -> list[tuple[str, str]]:
    """(thing in the singular, words): what is called one's own, or what one is without."""
    found: list[tuple[str, str]] = []
    for clause, asks in spans(text, pack):
        if not asks and not pack.any_of(pack.history.unsure).search(clause):
            for match in matches(sources, clause, pack):
                thing = _thing(match, pack).lower()
                if not thing:
                    continue
                found.append((_singular(thing), clause))
                found.extend((kind, clause) for kind in kinds_in(thing, pack) if kind[1:] in pack.history.owned_kinds)
    return found


def _singular(thing: str) -> str:
    """A thing without its plural ending; a stem would make "care" of "cars"."""
    return thing.removesuffix("s") if thing.isascii() and not thing.endswith("ss") else thing


def _counts(text: str, pack: LanguagePack) -> list[tuple[str, float, str]]:
    """(thing, how many, words) of what one says to have."""
    found: list[tuple[str, float, str]] = []
    cues = pack.history
    for clause, asks in spans(text, pack):
        if asks or pack.any_of(cues.unsure).search(clause) or pack.any_of(cues.negators).search(clause):
            continue
        if not pack.any_of(cues.first).search(clause):
            continue
        for match in matches(pack.history.pairs, clause, pack):
            many = numbers(match["n"] + pack.text.measures[:1], pack) or (1.0,)
            thing = match.groupdict().get("v") or _last_named(
                plain(text, pack), clause, pack, "asked" in match.groupdict()
            )
            if thing:
                found.append((_counted(thing.lower(), pack), float(many[0]), clause))
    return found


def _counted(thing: str, pack: LanguagePack) -> str:
    """The thing in the singular, or the first of the words that count the same things."""
    same = (source for source in pack.history.counted if pack.pattern(source).fullmatch(thing))
    return next(same, _singular(thing))


def _last_named(text: str, clause: str, pack: LanguagePack, asked: bool = False) -> str:
    """What "two of them" are: the last thing one can have that was named before it; ``asked``: in a question just there."""
    before, there, _ = text.partition(clause)
    before = (before if there else text).rstrip()
    if asked:
        before = sentences(before)[-1] if before.endswith(("?", "\uff1f")) else ""
    named = list(pack.any_of(pack.history.countable).finditer(before))
    return named[-1][0] if named else ""


def _claims(text: str, asked: str, question: Asked | None, says: bool | None, pack: LanguagePack) -> list[Claim]:
    unsure = pack.any_of(pack.history.unsure)
    found = [c for c in read_claims(text, pack, _WORDING) if c.subject == SPEAKER and not unsure.search(c.quote)]
    found = [c for c in found if c.attribute or content(keys_of(c.value, pack)[0])]
    passing = question is not None and pack.any_of(pack.history.sometimes).search(question.words) is not None
    if question is not None and says is not None and not passing and not unsure.search(question.statement):
        words = spans(text, pack)[0][0]
        found.extend(
            replace(claim, polarity=says == claim.polarity, quote=words)
            for claim in read_claims(question.statement, pack, _WORDING)
            if claim.subject == SPEAKER and (claim.attribute or content(keys_of(claim.value, pack)[0]))
        )
    whole = plain(text, pack)
    for sources, polarity in (
        (pack.history.possessions, True),
        (pack.history.wanting, False),
        (pack.history.pairs, True),
    ):
        for match in matches(sources, whole, pack):
            groups = match.groupdict()
            thing = _thing(match, pack)
            if polarity and "n" in groups:  # "do you have kids? I have two": what a bare number counts
                thing = "" if thing else _last_named(whole, match[0], pack, "asked" in groups)
            elif not thing and groups.get("one"):  # "I wish I had one", of what the other has
                thing = _last_named(plain(asked, pack) + " " + whole, match[0], pack)
            if thing:
                found.extend(
                    replace(claim, polarity=polarity, quote=match[0])
                    for claim in read_claims(pack.premise.has.format(n=thing), pack)
                    if claim.subject == SPEAKER and claim.attribute
                )
    return found


def _adopted(asked: str, text: str, pack: LanguagePack) -> list[Claim]:
    """What the other has just said of himself, taken for oneself ("me neither")."""
    words = spans(text, pack)[0][0]
    claims = (claim for claim in read_claims(asked, pack, _WORDING) if claim.subject == SPEAKER and claim.attribute)
    return [replace(claim, quote=words) for claim in claims]


def _thing(match: re.Match[str], pack: LanguagePack) -> str:
    groups = match.groupdict()
    return groups.get("v") or (pack.history.parent[0] if groups.get("parent") and pack.history.parent else "")


def _states(text: str, pack: LanguagePack) -> list[tuple[str, int, str]]:
    """(what it is about, which of the alternatives, words) of states that exclude each other."""
    cues = pack.history
    found: list[tuple[str, int, str]] = []
    for clause, asks in spans(text, pack):
        if asks:
            continue
        names, patterns = _state_patterns(pack.any_of(cues.unsure).search(clause) is not None, pack)
        hits = dict(names[place] for place in patterns.numbers(clause) if patterns.expressions[place].search(clause))
        found.extend((about, number, clause) for about, number in hits.items() if about not in {a for a, _, _ in found})
    return found


@lru_cache(maxsize=32)
def _state_patterns(unsure: bool, pack: LanguagePack) -> tuple[tuple[tuple[str, int], ...], Sought]:
    """(what it is about, which of the alternatives) of each pattern; only the prospects for what is wished or past."""
    cues = pack.history
    states = cues.prospects if unsure else {**cues.states, **cues.leanings, **cues.prospects}
    names = tuple((about, number) for about, sources in states.items() for number in range(len(sources)))
    return names, Sought(pack.pattern(source) for sources in states.values() for source in sources)


def _slots(text: str, question: Asked | None, pack: LanguagePack) -> list[tuple[str, str, str]]:
    """(slot, value, words) of what a message gives of things one has one of."""
    cues = pack.history
    asked = set(question.slots) if question is not None and question.listener and not question.own else set()
    found: list[tuple[str, str, str]] = []
    kind = _favourite_asked(question.whole, pack) if question is not None else ""
    for clause, asks in spans(text, pack):
        kind = _favourite_asked(clause, pack) or kind
        theirs = () if asks else matches(cues.theirs, clause, pack)
        found.extend((f"work of {match['of']}", match["v"], clause) for match in theirs)
        if asks or pack.any_of(cues.others).match(clause) or pack.any_of(cues.unknown).search(clause):
            continue
        if pack.any_of(cues.unsure).search(clause) or pack.any_of(cues.negators).search(clause):
            continue
        near = _near(clause, pack)
        for number, slot in enumerate(cues.slots):
            if number not in near and slot.key not in asked:
                continue  # nearly all
            value = next((match["v"] for match in matches(slot.values, clause, pack) if match["v"]), "")
            if not value and slot.answers and slot.key in asked:
                value = next((match["v"] for match in matches(slot.answers, clause, pack) if match["v"]), "")
            if not value and slot.key in asked and not slot.values and slot.number and numbers(clause, pack):
                value = clause
            if value and not any(key == slot.key for key, _, _ in found):
                found.append((slot.key, value, clause))
        found.extend(
            (f"favourite {match['of']}", match["v"], clause) for match in matches(cues.favourites, clause, pack)
        )
        for match in matches(cues.prefers, clause, pack):
            better, worse = _singular(match["a"].lower()), _singular(match["b"].lower())
            found.append((f"{min(better, worse)} or {max(better, worse)}", better, clause))
        if kind:
            found.extend((f"favourite {kind}", match["v"], clause) for match in matches(cues.mine, clause, pack))
    return found


def _near(clause: str, pack: LanguagePack) -> set[int]:
    """Numbers of the slots of which a clause may give a value."""
    slots, values = _values(pack)
    return {slots[number] for number in values.numbers(clause)}


@lru_cache(maxsize=16)
def _values(pack: LanguagePack) -> tuple[tuple[int, ...], Sought]:
    """The expressions of the values of all slots, and beside them the number of the slot that each is of."""
    listed = [
        (number, source) for number, slot in enumerate(pack.history.slots) for source in (*slot.values, *slot.answers)
    ]
    return tuple(number for number, _ in listed), Sought(pack.pattern(source) for _, source in listed)


def _favourite_asked(clause: str, pack: LanguagePack) -> str:
    match = pack.any_of(pack.history.favourite_asked).search(clause)
    return match["of"] if match else ""


def matches(sources: tuple[str, ...], text: str, pack: LanguagePack) -> Iterator[re.Match[str]]:
    """Matches of patterns that each have groups of the same names."""
    for expression in pack.likely(sources, text):
        yield from expression.finditer(text)
