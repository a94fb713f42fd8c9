"""The reasons for and against somebody being meant by a mention."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

GENERAL = "#GENERAL#"
"""People in general."""
SOMEBODY = "#OTHER#"
"""Somebody without a name."""


@dataclass(frozen=True, slots=True)
class Decided:
    """An earlier mention: in which utterance, of which sort and gender, and who was meant."""

    number: int
    sort: str
    gender: str
    people: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Point:
    """A mention and everything around it.

    Attributes:
        number: of its utterance.
        sort: ``first``, ``second``, ``male``, ``female``, ``we``, ``they``, ``it``, ``dear``, ``group``, ``name`` or ``noun``.
        gender: ``male``, ``female`` or empty.
        apart: it stands by itself between marks.
        speakers, addressees: of its utterance.
        previous, following: who spoke before and who speaks next, the nearest first, without the speaker.
        called: whom the utterance addresses by name.
        present: all speakers of the scene. ``genders``: of everybody known.
        decided: the mentions before it.
        plural: a word after it makes it several ("you guys").
    """

    number: int
    sort: str
    gender: str
    apart: bool
    speakers: tuple[str, ...]
    addressees: tuple[str, ...]
    previous: tuple[str, ...]
    following: tuple[str, ...]
    called: tuple[str, ...]
    present: tuple[str, ...]
    genders: Mapping[str, str]
    decided: list[Decided]
    plural: bool

    def decide(self, people: tuple[str, ...]) -> None:
        """Keep who is meant; later mentions may refer to it."""
        gender = self.gender or (self.genders.get(people[0], "") if len(people) == 1 else "")
        self.decided.append(Decided(self.number, self.sort, gender, people))


def role(point: Point, one: str) -> str:
    """What somebody is at this point: speaker, addressee, who spoke before, who speaks next, or further away."""
    if one in (GENERAL, SOMEBODY):
        return one
    if one in point.speakers:
        return "self"
    if one in point.addressees:
        return "addressee"
    before = point.previous.index(one) if one in point.previous else -1
    after = point.following.index(one) if one in point.following else -1
    if before == 0 or after == 0:
        return "both" if before == after else "previous" if before == 0 else "next"
    if before == 1 or after == 1:
        return "second"
    if one in point.present:
        return "present"
    return "away"


def _last(point: Point, people: tuple[str, ...], *sorts: str) -> tuple[int, int]:
    """(mentions back, utterances back) of the last mention of some people by a wording of ``sorts``, 99 for none."""
    for back, old in enumerate(reversed(point.decided[-30:])):
        if old.people == people and (not sorts or old.sort in sorts):
            return back, point.number - old.number
    return 99, 99


def _compatible_rank(point: Point, people: tuple[str, ...]) -> int:
    """How many other persons of the wanted gender were spoken of, in the third person, since these were; -1 if they were not."""
    seen: list[tuple[str, ...]] = []
    for old in reversed(point.decided[-30:]):
        if old.sort not in ("name", "male", "female", "noun", "it") or len(old.people) != 1:
            continue
        if point.gender and old.gender and old.gender != point.gender:
            continue
        if old.people == people:
            return len(seen)
        if old.people not in seen:
            seen.append(old.people)
    return -1


def gender_fit(point: Point, people: tuple[str, ...]) -> str:
    """Whether the gender of the wording suits: ``fits``, ``differs`` or ``unknown``."""
    if not point.gender or len(people) != 1:
        return "unknown"
    known = point.genders.get(people[0], "") or next(
        (old.gender for old in reversed(point.decided) if old.people == people and old.gender), ""
    )
    return "unknown" if not known else "fits" if known == point.gender else "differs"


def weight(point: Point, people: tuple[str, ...]) -> float:
    """The reasons weighed by hand; the highest of all options is meant."""
    roles = [role(point, one) for one in people]
    single = len(people) == 1
    sort = point.sort
    if sort == "name":
        return 1.0
    if sort == "first":
        return (1.0 if tuple(sorted(point.speakers)) == people else 0.0) + (
            0.5 if single and roles[0] == "self" else 0.0
        )
    if sort in ("second", "dear") and not point.plural:
        if not single:
            return 0.0
        base = {"addressee": 3.0, "both": 1.0, "previous": 0.8, "next": 0.75, "second": 0.3, "present": 0.1}.get(
            roles[0], -1.0
        )
        if sort == "dear" and gender_fit(point, people) == "differs":
            base -= 0.5
        if sort == "dear" and not point.apart:
            base = 0.5 if people == (SOMEBODY,) else base - 0.4
        kept = _last(point, people, "second", "dear")
        return base + (2.0 if people[0] in point.called else 0.0) + (0.15 if kept[1] == 0 else 0.0)
    if sort == "group" or (sort == "second" and point.plural):
        return _crowd(people, set(point.present) - set(point.speakers))
    if sort == "we":
        return _we(point, people)
    if sort == "they":
        if people == (GENERAL,):
            return 0.5
        back, utterances = _last(point, people)
        return 0.9 - 0.05 * back if back < 99 and not single and utterances < 3 and "self" not in roles else 0.0
    return _third(point, people, roles)


def _crowd(people: tuple[str, ...], wanted: set[str]) -> float:
    if len(people) < 2:
        return 0.0
    return 2.0 if set(people) == wanted else len(set(people) & wanted) / max(len(wanted | set(people)), 1)


def _we(point: Point, people: tuple[str, ...]) -> float:
    if len(people) < 2 or not set(point.speakers) <= set(people):
        return 0.0
    last = next((old for old in reversed(point.decided) if old.sort == "we"), None)
    score = 0.6 if last is not None and last.people == people and point.number - last.number < 4 else 0.0
    if len(people) == 2:
        other = next(one for one in people if one not in point.speakers) if set(people) - set(point.speakers) else ""
        score += {"both": 1.0, "previous": 0.7, "next": 0.7}.get(role(point, other), 0.2)
        score += 0.5 if other in point.called else 0.0
    elif set(people) == set(point.present):
        score += 0.9
    return score


def _third(point: Point, people: tuple[str, ...], roles: list[str]) -> float:
    if len(people) != 1 or roles[0] == "self":
        return 0.0
    fit = gender_fit(point, people)
    if fit == "differs":
        return 0.0
    if people == (SOMEBODY,):
        return 0.45
    if people == (GENERAL,):
        return 0.1
    rank = _compatible_rank(point, people)
    _, utterances = _last(point, people, "name", "male", "female", "noun", "it")
    if point.sort == "noun":
        if point.apart and roles[0] in ("both", "previous", "next"):
            return {"both": 1.0, "previous": 0.8, "next": 0.7}[roles[0]]
        return 0.0
    score = (1.0 - 0.2 * rank - 0.04 * min(utterances, 10)) if rank >= 0 else 0.0
    score += 0.1 if fit == "fits" else 0.0
    if roles[0] in ("both", "previous", "next"):
        score -= 0.15
    if rank < 0 and roles[0] in ("second", "present"):
        score += 0.4
    return score
