"""How long something has lasted up to now, in days, as a message says it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.understanding.checks.points import content, keys_of
from harness.understanding.checks.questions import Asked, spans
from harness.understanding.text import numbers

if TYPE_CHECKING:
    from harness.language import LanguagePack

APART = 2.0
"""Two lengths disagree when the shortest that one may be is so many times the longest that the other may be."""
_GROWN = 4_000.0
"""Days that "all my life" takes at least."""
_NEW = 90.0
"""Days at most that something has lasted of which one says that one has just begun."""
_ALIKE = 0.5


@dataclass(frozen=True, slots=True)
class Length:
    """For how long: between ``low`` and ``high`` days. ``keys``: what it is about; ``words``: the clause."""

    keys: frozenset[str]
    low: float
    high: float
    words: str


def lengths(text: str, question: Asked | None, pack: LanguagePack) -> list[Length]:
    """What a message says to have lasted up to now, or answers to "how long have you …"."""
    cues = pack.history
    if not cues.lengths:
        return []
    found = []
    how_long = question is not None and question.listener and not question.own and "years" in question.slots
    about = content(keys_of(question.words, pack)[0]) if how_long and question is not None else frozenset()
    for clause, asks in spans(text, pack):
        if asks or pack.any_of(cues.unsure).search(clause) or pack.any_of(cues.lapsed).search(clause):
            continue
        starts = pack.finds(cues.starting, clause)
        if not (about or starts or pack.any_of(cues.lasting).search(clause)):
            continue
        if starts:
            keys = content(keys_of(pack.any_of(cues.starting).sub(" ", clause), pack)[0])
            found.extend([Length(keys, 0.0, _NEW, clause)] if keys else [])
            continue
        match = next((m for source in cues.lengths if (m := pack.pattern(source).search(clause))), None)
        if match is None:
            continue
        rest = clause[: match.start()] + " " + clause[match.end() :]
        keys = frozenset(key for key in content(keys_of(rest, pack)[0]) if not key.isdigit()) or about
        groups = match.groupdict()
        if keys and groups.get("all"):
            found.append(Length(keys, _GROWN, math.inf, clause))
        elif keys and (days := pack.history.length_units.get((groups.get("u") or "").casefold())):
            few, many = _count(groups.get("n") or "", pack)
            found.append(Length(keys, few * days, many * days, clause))
    return found


def _count(words: str, pack: LanguagePack) -> tuple[float, float]:
    for word, (few, many) in pack.history.some.items():
        if words.casefold().strip() == word:
            return few, many
    read = numbers(words + pack.text.measures[:1], pack) or (1,)
    return float(read[0]), float(read[0])


def disagree(first: Length, second: Length) -> bool:
    """Whether two lengths are of one thing and cannot both be right."""
    shared = first.keys & second.keys
    if len(shared) < _ALIKE * min(len(first.keys), len(second.keys)):
        return False
    return first.low > APART * second.high or second.low > APART * first.high
