"""What the last messages are about, for names and titles that no list knows and no capital letter shows.

Chinese chat has neither blanks nor capitals, and titles (昨日之岛) are made of ordinary words. But what is talked about stands in few
frames ("你知道…吗", "…是谁"), between words without content, and is said again. So pieces are cut out at those words and weighed by frame,
repetition, recency and by how well they suit the pronoun.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from harness.language.phrases import is_han, lower
from harness.understanding.references.naming import name_kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.language.pack import LanguagePack

LONGEST = 200
"""Characters of one message that are looked at: a long one is about many things."""
LONGEST_PIECE = 12
_NAMED = 0.7
"""How much a piece looks like a person that has a family name and usual characters after it."""
_ACT = 0.2
"""How much a piece that tells of doing something may look like a person."""
_CLAUSE = re.compile(r"[^\s，。！？、,.!?;；:：~～…\"'“”‘’()（）]+")
_TITLE = re.compile(r"《([^》]{1,30})》")

Sort = Literal["person", "thing", ""]


@dataclass(frozen=True, slots=True)
class Focus:
    """Something a message may be about.

    Attributes:
        name: as said.
        framed: stands in a frame that asks or tells about it.
        person: from -1 (surely no person) to 1 (surely one).
        age: 0 for the latest message, counting back.
        start: where it stands in its message.
        said: in how many of the messages it occurs.
        whole: is a whole clause by itself.
        act: tells of doing something and names nobody.
    """

    name: str
    framed: bool
    person: float
    age: int
    start: int
    said: int = 1
    whole: bool = False
    act: bool = False


def find_focus(messages: Sequence[str], pack: LanguagePack) -> tuple[Focus, ...]:
    """What the messages may be about.

    Args:
        messages: the latest first.
        pack: their language; nothing is found when it has no ``focus``.
    """
    if not pack.entities.focus.cuts:
        return ()
    found: dict[str, Focus] = {}
    texts = [lower(message[:LONGEST]) for message in messages]
    for age, message in enumerate(messages):
        for one in _pieces(message[:LONGEST], pack):
            key = lower(one.name)
            old = found.get(key)
            said = sum(key in text for text in texts)
            new = replace(one, age=age, said=said)
            if old is not None:
                new = replace(
                    old,
                    framed=old.framed or one.framed,
                    whole=old.whole or one.whole,
                    person=max(old.person, one.person, key=abs),
                )
            found[key] = new
    return tuple(_longest(list(found.values())))


def _longest(found: list[Focus]) -> list[Focus]:
    """Without pieces that are only a part of a longer framed one; that one takes over how often the part was said."""
    kept: list[Focus] = []
    for one in found:
        wider = [other for other in found if other is not one and one.name in other.name and other.framed]
        if not wider or one.framed:
            kept.append(one)
    return kept


@lru_cache(maxsize=256)
def _pieces(text: str, pack: LanguagePack) -> tuple[Focus, ...]:
    """The pieces of one message; those in frames first."""
    found = [Focus(title[1], framed=True, person=-1.0, age=0, start=title.start(1)) for title in _TITLE.finditer(text)]
    for clause in _CLAUSE.finditer(_TITLE.sub(lambda m: " " * len(m[0]), text)):
        said, at = clause[0], clause.start()
        framed = _framed(said, pack)
        spans = [(start, start + len(name)) for name, start in framed]
        runs = [
            (name, start)
            for name, start in _runs(said, pack)
            if not any(begin <= start and start + len(name) <= end for begin, end in spans)
        ]
        for name, start in (*framed, *runs):
            person = _person(name, said[:start], said[start + len(name) :], pack)
            act = person < _NAMED and name == said and pack.entities.focus.any_of("acts").search(name) is not None
            one = Focus(
                name, framed=(name, start) in framed, person=person, age=0, start=at + start, whole=name == said
            )
            found.append(replace(one, act=act, person=min(person, _ACT)) if act else one)
    return tuple(found)


def _framed(clause: str, pack: LanguagePack) -> list[tuple[str, int]]:
    cues = pack.entities.focus
    for expression in cues.frame_expressions:
        match = expression.search(clause)
        if match is not None:
            trimmed = _trimmed(match["name"], match.start("name"), pack)
            if trimmed is not None:
                return [trimmed]
    return []


def _runs(clause: str, pack: LanguagePack) -> list[tuple[str, int]]:
    cues = pack.entities.focus
    found: list[tuple[str, int]] = []
    start = 0
    kept = [match.span() for match in cues.foreign_name.finditer(clause)]
    for hit in cues.cut_phrases.find(clause):
        if any(begin < hit.end and hit.start < end for begin, end in kept):
            continue  # 比 in 莎士比亚 is no word
        found.append((clause[start : hit.start], start))
        start = hit.end
    found.append((clause[start:], start))
    trimmed = (_trimmed(name, at, pack) for name, at in found if name)
    return [one for one in trimmed if one is not None]


def _trimmed(name: str, start: int, pack: LanguagePack) -> tuple[str, int] | None:
    """A piece without what is no part of it; None when nothing telling is left."""
    cues = pack.entities.focus
    for _ in range(3):  # ends may be taken off one after the other
        head = cues.opener.match(name)
        if head is not None and len(name) - head.end() > 1:
            name, start = name[head.end() :], start + head.end()
        tail = cues.closer.search(name)
        if tail is None or tail.start() < 2:  # a single character is no name
            break
        name = name[: tail.start()]
    for size in range(min(4, len(name) - 2), 0, -1):
        if name[-size:] in pack.entities.relation_set and cues.surname.match(name):
            name = name[:-size]  # the owner of 张三女儿 is talked about
            break
    lowered = lower(name)
    if (
        lowered in cues.dull_set
        or cues.any_of("dull_forms").search(lowered)
        or not any(char.isalpha() for char in name)
        or len(name) > LONGEST_PIECE
    ):
        return None
    if len(name) < 2 and lowered not in pack.entities.kind_of_noun:
        return None
    return name, start


def _person(name: str, before: str, after: str, pack: LanguagePack) -> float:
    """How much a piece looks like a person, -1 to 1."""
    cues = pack.entities.focus
    kind = name_kind(name, pack.entities)
    if kind == "person":
        return 1.0
    score = 0.0
    if kind not in ("other", "person"):
        score -= 0.6
    if any(name.endswith(word) for word in cues.honorifics):
        score += 0.8
    if is_han(name[0]):
        match = cues.surname.match(name)
        if match is not None and 2 <= len(name) - len(match[0]) + 1 <= 3 and len(name) <= 4:
            given = name[match.end() :]
            usual = all(char in cues.given_characters for char in given)
            score += (0.5 if usual else 0.2) + (0.3 if len(name) > 2 else 0.0)
        foreign = sum(char in cues.foreign for char in name) / len(name)
        if len(name) > 2 and foreign > 0.5:
            score += 0.6
    if cues.any_of("person_before").search(before):
        score += 0.2
    if cues.any_of("person_after").search(after):
        score += 0.4
    if cues.any_of("thing_before").search(before):
        score -= 0.6
    if cues.any_of("thing_after").search(after):
        score -= 0.6
    return max(-1.0, min(1.0, score))


def weigh(one: Focus, sort: Sort) -> float:
    """How likely something is what a pronoun means; 0 or less: not at all."""
    score = 1.0 + (1.2 if one.framed else 0.0) + 0.8 * (one.said - 1) - 0.3 * one.age
    score += 0.5 if one.whole else 0.0
    score += 0.1 if len(one.name) > 2 else -0.1
    if sort == "person":
        score += 1.2 * one.person
    elif sort == "thing":
        score -= 1.2 * one.person
    return score
