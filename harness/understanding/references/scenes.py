"""Who is meant in a talk of several speakers: I and you by who speaks to whom, he and she by gender and recency, names by their parts.

A mention is decided from left to right; what was decided before is what "he" and "they" may mean.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.language.phrases import Phrases, lower
from harness.understanding.references.antecedents import gender_of
from harness.understanding.references.scene_reasons import GENERAL, SOMEBODY, Decided, Point, weight

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from harness.language.pack import LanguagePack
    from harness.language.sections_people import PeopleCues

People = tuple[str, ...]
"""Names, sorted; one of them for "he", several for "we"."""
LONGEST_SCENE = 2_000
"""Utterances of one scene that are looked at."""
NEAR = 14
"""Mentions back that "he" may mean."""
BEFORE = -6
"""The number of the utterance that counts for what was said before the scene."""
_LEAST_PREFIX = 3
_WORD = re.compile(r"[\w']+")


@dataclass(frozen=True, slots=True)
class Utterance:
    """Something said in a scene.

    Attributes:
        speakers: who says it; mostly one.
        text: what is said.
        addressees: to whom, when that is known.
        spans: (start, end) of each wording that means persons; None to have them found.
    """

    speakers: People
    text: str
    addressees: People = ()
    spans: tuple[tuple[int, int], ...] | None = None


@dataclass(frozen=True, slots=True)
class Meant:
    """A wording and who is meant by it.

    Attributes:
        start, end: where it stands in its utterance.
        words: the wording.
        people: who is meant; :data:`~harness.understanding.references.scene_reasons.GENERAL` for people in general, ``SOMEBODY`` for a person that
            has no name.
    """

    start: int
    end: int
    words: str
    people: People


def resolve_mentions(
    scene: Sequence[Utterance],
    *,
    pack: LanguagePack,
    known: Sequence[str] = (),
    earlier: Sequence[str] = (),
    genders: Mapping[str, str] | None = None,
) -> tuple[tuple[Meant, ...], ...]:
    """Who is meant by each wording of each utterance.

    Args:
        scene: what is said, in order.
        pack: its language.
        known: persons that may be named although they do not speak here.
        earlier: persons spoken of before the scene began, the latest last.
        genders: ``female`` or ``male`` of those whose name does not tell it.

    Returns:
        For each utterance its mentions, in order. Utterances after the first 2,000 have none.
    """
    cast = _Cast(scene, pack, known, genders or {})
    decided = [Decided(BEFORE, "name", cast.genders.get(name, ""), (name,)) for name in earlier]
    found: list[tuple[Meant, ...]] = []
    for number, utterance in enumerate(scene[:LONGEST_SCENE]):
        spans = utterance.spans if utterance.spans is not None else tuple(cast.spans(utterance.text))
        previous, following = _others(scene, number)
        called = _called(utterance, spans, cast)
        meant: list[Meant] = []
        for start, end in spans:
            words = utterance.text[start:end]
            point = Point(
                number=number,
                sort=cast.sort(words),
                gender=cast.gender(words),
                apart=_apart(utterance.text, start, end, cast.people),
                plural=_plural(utterance.text[end:], pack),
                speakers=utterance.speakers,
                addressees=utterance.addressees,
                previous=previous,
                following=following,
                called=called,
                present=cast.present,
                genders=cast.genders,
                decided=decided,
            )
            best = max(_options(words, point, cast), key=lambda people: weight(point, people))
            point.decide(best)
            meant.append(Meant(start, end, words, best))
        found.append(tuple(meant))
    return (*found, *(() for _ in range(len(scene) - len(found))))


def _options(words: str, point: Point, cast: _Cast) -> list[People]:
    """Who can be meant, the nearest first."""
    if point.sort == "name":
        return [(name,) for name in cast.named(words)] or [(words,)]
    near = [old.people for old in reversed(point.decided[-NEAR:])]
    ones = (*point.speakers, *point.addressees, *point.previous, *point.following, *point.called, *point.present)
    options: dict[People, None] = dict.fromkeys((one,) for one in ones)
    options.update(dict.fromkeys(near))
    speakers, present = set(point.speakers), set(point.present)
    beside = [{old[0]} for old in near if len(old) == 1 and old[0] not in (GENERAL, SOMEBODY)]
    beside += [set(point.previous[:1]), set(point.following[:1]), set(point.called), set(point.previous[:2])]
    beside += [{*point.previous[:1], *point.following[:1]}]
    groups = [*(speakers | one for one in beside), present, present - speakers, *beside[-2:]]
    options.update(dict.fromkeys(tuple(sorted(one)) for one in groups if one))
    options.update({tuple(sorted(speakers)): None, (GENERAL,): None, (SOMEBODY,): None})
    return list(options)


class _Cast:
    """The speakers of a scene and the other persons known: their genders, and whom a name means."""

    def __init__(
        self, scene: Sequence[Utterance], pack: LanguagePack, known: Sequence[str], genders: Mapping[str, str]
    ) -> None:
        self.pack = pack
        self.people = pack.entities.people
        self.present: People = tuple(dict.fromkeys(one for utterance in scene for one in utterance.speakers))
        self.names = tuple(dict.fromkeys((*self.present, *known)))
        self.genders = {name: genders.get(name) or gender_of((name,), pack.entities) for name in self.names}
        parts: dict[str, list[str]] = {}
        for name in self.names:
            for part in {lower(name), *lower(name).split()}:
                if part.strip(".") not in self.people.title_set:
                    parts.setdefault(part, []).append(name)
        self.parts = parts
        self.phrases: Phrases[str] = Phrases(dict.fromkeys(parts, "name"))

    def named(self, words: str) -> list[str]:
        """Whom a name means, those present first: the whole name, a part of it, a nickname, or a beginning."""
        lowered = lower(words)
        tokens = [word for word in _WORD.findall(lowered) if word not in self.people.title_set]
        found = list(self.parts.get(lowered, ()))
        if not found and tokens:
            groups = [self._one(token) for token in tokens]
            common = [name for name in groups[0] if all(name in group for group in groups[1:])]
            found = common or (groups[-1] if len(tokens) > 1 else [])
        return sorted(dict.fromkeys(found), key=lambda name: name not in self.present)

    def _one(self, token: str) -> list[str]:
        exact = self.parts.get(token)
        if exact:
            return exact
        full = [name for part in self.people.nicknames.get(token, ()) for name in self.parts.get(part, ())]
        if full or len(token) < _LEAST_PREFIX:
            return full
        stems = [token, *(token.removesuffix(ending) for ending in self.people.clippings)]
        whole = [stem for stem in stems if len(stem) >= _LEAST_PREFIX]
        begun = [name for part, names in self.parts.items() if any(map(part.startswith, whole)) for name in names]
        return begun or self._endeared(token)

    def _endeared(self, token: str) -> list[str]:
        """An ending of endearment after a whole name ("Benny" for Ben)."""
        for ending in self.people.endearments:
            stem = token.removesuffix(ending)
            if stem != token and len(stem) >= _LEAST_PREFIX:
                for form in (stem, stem[:-1] if stem[-1] == stem[-2] else stem):
                    if form in self.parts:
                        return self.parts[form]
        return []

    def sort(self, words: str) -> str:
        """What kind of wording it is: a sort of the pack's ``people``, ``name`` or ``noun``."""
        lowered = lower(words)
        sort = self.people.sort_of.get(lowered)
        if sort in ("dear", "group") and words[:1].isupper() and lowered in self.parts:
            return "name"
        if sort is not None:
            return sort
        if self.named(words) or lowered in self.pack.entities.given:
            return "name"
        if lowered in self.people.general_set:
            return "noun"
        last = (_WORD.findall(lowered) or [lowered])[-1]
        cues = self.pack.entities
        if (
            last in cues.relation_set
            or last in cues.kind_of_noun
            or (last in cues.gender_of_name and last not in cues.given)
        ):
            return "noun"
        return "name" if words[:1].isupper() or any(char > "\u3400" for char in words) else "noun"

    def gender(self, words: str) -> str:
        """The gender a wording tells."""
        sort = self.people.sort_of.get(lower(words), "")
        if sort in ("male", "female"):
            return sort
        return gender_of((words,), self.pack.entities)

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """The wordings of a text that mean persons: words of the pack's ``people``, and names of those known."""
        hits = [*self.people.phrases.find(text), *self.phrases.find(text)]
        end = 0
        for hit in sorted(hits, key=lambda one: (one.start, one.start - one.end)):
            if hit.start >= end:
                yield hit.start, hit.end
                end = hit.end


def _others(scene: Sequence[Utterance], number: int) -> tuple[People, People]:
    """Those who spoke before and who speak next, the nearest first, without the speaker."""
    own = set(scene[number].speakers)
    before = [one for other in reversed(scene[max(0, number - 8) : number]) for one in other.speakers if one not in own]
    after = [one for other in scene[number + 1 : number + 9] for one in other.speakers if one not in own]
    return tuple(dict.fromkeys(before)), tuple(dict.fromkeys(after))


def _called(utterance: Utterance, spans: Sequence[tuple[int, int]], cast: _Cast) -> People:
    """Whom an utterance addresses by name: a name set apart by marks ("Well, Tom, …")."""
    found: dict[str, None] = {}
    for start, end in spans:
        words = utterance.text[start:end]
        if cast.sort(words) == "name" and _apart(utterance.text, start, end, cast.people):
            found.update(dict.fromkeys(name for name in cast.named(words)[:1] if name not in utterance.speakers))
    return tuple(found)


_LEFT = re.compile(r"(?:^|[,.!?;:—–…，。！？；：\"(\-])\s*$")
_RIGHT = re.compile(r"^\s*(?:$|[,.!?;:—–…，。！？；：\")\-])")


def _apart(text: str, start: int, end: int, people: PeopleCues) -> bool:
    """Whether words stand by themselves between marks, or after a call ("hey")."""
    before = text[max(0, start - 12) : start]
    return bool(_RIGHT.match(text[end : end + 3])) and bool(_LEFT.search(before) or people.call.search(before))


def _plural(after: str, pack: LanguagePack) -> bool:
    head = lower(after[:12]).lstrip()
    return any(re.match(rf"{re.escape(word)}(?!\w)", head) for word in pack.entities.people.plural_after)
