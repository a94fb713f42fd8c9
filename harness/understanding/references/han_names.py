"""Chinese names by their form: a family name with given-name characters, a place by the word it ends with.

The text is cut at words without content; what is left between two cuts and looks like a name is one. No wording need introduce it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from harness.understanding.moments import find_moment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.language.pack import LanguagePack

LONGEST = 600
"""Characters of a text that are looked at."""
LEAST_OWN = 2
"""Characters a place name has before the noun it ends with."""
MOST_OWN = 5
GIVEN = 2
"""Characters of a given name, at most."""
_ANY_TIME = datetime(2000, 1, 3, tzinfo=UTC)
_CLAUSE = re.compile(r"[\u3400-\u9fff]+")


@dataclass(frozen=True, slots=True)
class HanName:
    """A name, its kind, where it stands, and the noun right before it that says who it is (女朋友茂琳)."""

    name: str
    kind: str
    start: int
    noun: str = ""


def han_names(text: str, pack: LanguagePack) -> Iterator[HanName]:
    """The names of persons and places that a text shows by their form alone."""
    cues = pack.entities.focus
    if not cues.given_characters:
        return
    for clause in _CLAUSE.finditer(text[:LONGEST]):
        said = clause[0]
        start = 0
        cuts = [(hit.start, hit.end) for hit in cues.cut_phrases.find(said)]
        for begin, end in [*cuts, (len(said), len(said))]:
            piece = said[start:begin]
            if len(piece) > 1:
                found = _person(piece, said[:start], said[begin:], pack) or _place(piece, pack)
                if found is not None:
                    yield replace(found, start=clause.start() + start + found.start)
            start = end


def begins_with_time(name: str, pack: LanguagePack) -> bool:
    """Whether what looks like a name begins with a time: 周日村里有庙会 says that on Sunday the village has a fair."""
    moment = find_moment(name, pack=pack, now=_ANY_TIME)
    return moment is not None and moment.start == 0


def goes_on(lowered: str, start: int, end: int, pack: LanguagePack) -> bool:
    """Whether a Han name at ``start``..``end`` is only the beginning of a longer name (王小 in 王小明), not followed by a word."""
    cues = pack.entities.focus
    name = lowered[start:end]
    if not 2 <= len(name) <= 3 or end >= len(lowered) or lowered[end] not in cues.given_characters:
        return False
    surname = cues.surname.match(name)
    if surname is None or len(name) - len(surname[0]) != 1 or cues.cut_phrases.at(lowered, end) is not None:
        return False
    following = end + 1
    return (
        following >= len(lowered)
        or not lowered[following].isalnum()
        or cues.cut_phrases.at(lowered, following) is not None
    )


def _person(piece: str, before: str, after: str, pack: LanguagePack) -> HanName | None:
    cues = pack.entities.focus
    hit = pack.entities.noun_phrases.at(piece, 0)
    noun = hit.phrase if hit is not None and hit.phrase in pack.entities.relation_set else ""
    name = piece[len(noun) :]
    if len(name) < 2:
        return None
    known = pack.entities.known_phrases.at(name, 0)
    if known is not None and known.end == len(name):
        return None
    if (
        noun
        and len(name) > GIVEN
        and before.endswith(pack.entities.user_owner)
        and name[GIVEN] not in cues.given_characters
    ):
        name = name[:GIVEN]  # 女朋友茂琳上夜班: what goes on after the name is no word of the list
    match = cues.surname.match(name)
    full = match.end() + GIVEN if match is not None else 0
    if not noun and full and cues.any_of("name_after").search(name[full:]):
        name = name[:full]  # 李国强挣多少: a verb that is no word of the list, but stands after persons
    found = HanName(name, "person", len(noun), noun)
    given = name[match.end() :] if match is not None else name
    if any(char not in cues.given_characters for char in given) or not 1 <= len(given) <= GIVEN:
        return None
    if noun:
        return found
    if match is None:
        return None
    if len(given) == 1 and len(match[0]) == 1:
        # Two characters are often a word; what is next to them must be what stands next to a person.
        beside = cues.any_of("name_before").search(before) and cues.any_of("name_after").search(after)
        whole = not before and not after
        if not beside and not whole and (after or not cues.any_of("name_close").search(before)):
            return None
    return found


def _place(piece: str, pack: LanguagePack) -> HanName | None:
    cues = pack.entities.focus
    ending = max((word for word in cues.place_endings if piece.endswith(word)), key=len, default="")
    if not ending:
        return None
    head = cues.opener.match(piece)
    offset = head.end() if head is not None and len(piece) - head.end() > len(ending) else 0
    if begins_with_time(piece[offset:], pack):
        return None
    own = piece[offset : -len(ending)]
    if not LEAST_OWN <= len(own) <= MOST_OWN or own in cues.dull_set:
        return None
    return HanName(piece[offset:], "place", offset)
