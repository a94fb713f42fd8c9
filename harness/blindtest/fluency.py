"""How replies read, without judging what they say: length, repetition, variety. Proxies, to show what a gain elsewhere costs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from statistics import fmean, median

from harness.blindtest.comparing import Lost, losses_of
from harness.blindtest.suite import FORM
from harness.blindtest.transcript import Graded, Transcript, Verdict
from harness.state.base import Frozen
from harness.understanding.text import fold, likeness

_UNIT = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]|[^\W_\u3400-\u9fff\uf900-\ufaff]+(?:['’-][^\W_]+)*")
_NEARLY = 0.8
WINDOW = 50
"""Words over which variety is measured: the share of different words falls with the length of a text."""
LEAST = 20
"""Words that both of two conversations need for their variety to be compared."""
MEASURES = ("words", "repeated", "distinct_1", "distinct_2", "in_language")


class Fluency(Frozen):
    """Proxies of fluency over the replies of a witness.

    Attributes:
        words: median words of a reply; a Han character counts as one.
        repeated: share of replies nearly the same as an earlier one of their conversation.
        distinct_1, distinct_2: different words and pairs of words in 50 words on end, averaged over all places of a conversation (Covington and
            McFall 2010), and over conversations; None where none is so long.
        in_language: share of replies in the language that is spoken.
    """

    replies: int = 0
    words: float = 0.0
    repeated: float = 0.0
    distinct_1: float | None = None
    distinct_2: float | None = None
    in_language: float = 1.0


@dataclass(frozen=True)
class Talk:
    """The replies of one conversation.

    Attributes:
        script: that it was held by. ``case``: what talks of several witnesses have in common.
        strayed: replies in another language than they should be.
    """

    witness: str
    script: str
    case: tuple[str, str, str, int]
    replies: tuple[str, ...]
    strayed: int = 0

    @cached_property
    def said(self) -> tuple[tuple[str, ...], ...]:
        """The words of each reply."""
        return tuple(tuple(words_of(reply)) for reply in self.replies)

    @cached_property
    def stream(self) -> tuple[str, ...]:
        """The words of all replies, one after another."""
        return tuple(word for words in self.said for word in words)

    @cached_property
    def repeated(self) -> int:
        """Replies nearly the same as an earlier one."""
        return sum(
            any(_alike(reply, earlier) for earlier in self.replies[:number])
            for number, reply in enumerate(self.replies)
        )


def talks(transcripts: Iterable[Transcript], graded: Mapping[str, Graded]) -> tuple[Talk, ...]:
    """What is needed of conversations to tell how fluent they are."""
    return tuple(
        Talk(
            witness=one.trial.witness,
            script=f"{one.trial.suite}/{one.trial.script}",
            case=one.trial.case,
            replies=tuple(exchange.said.text for exchange in one.exchanges),
            strayed=sum(map(_strayed, graded[one.trial.key].verdicts)),
        )
        for one in transcripts
    )


def _strayed(verdict: Verdict) -> bool:
    """Whether a reply was in another language than it should be."""
    return verdict.outcome == "fail" and verdict.grader == FORM and verdict.expectation.startswith("language ")


def words_of(text: str) -> list[str]:
    """The words of a text, folded; each Han character is one."""
    return [fold(word) for word in _UNIT.findall(text)]


def fluency(talks: Iterable[Talk]) -> Fluency:
    """The proxies of some conversations."""
    every = list(talks)
    lengths = [len(words) for one in every for words in one.said]
    if not lengths:
        return Fluency()
    first = [found for one in every if (found := variety(one.stream)) is not None]
    second = [found for one in every if (found := variety(tuple(pairwise(one.stream)))) is not None]
    return Fluency(
        replies=len(lengths),
        words=float(median(lengths)),
        repeated=sum(one.repeated for one in every) / len(lengths),
        distinct_1=fmean(first) if first else None,
        distinct_2=fmean(second) if second else None,
        in_language=1 - sum(one.strayed for one in every) / len(lengths),
    )


def variety(units: Sequence[object], window: int = WINDOW) -> float | None:
    """The moving-average type-token ratio: different ones of so many on end, averaged over all places; None where there are fewer."""
    if len(units) < window:
        return None
    counts: dict[object, int] = {}
    total = 0
    for number, unit in enumerate(units):
        counts[unit] = counts.get(unit, 0) + 1
        if number >= window:
            gone = units[number - window]
            counts[gone] -= 1
            if not counts[gone]:
                del counts[gone]
        if number >= window - 1:
            total += len(counts)
    return total / (window * (len(units) - window + 1))


def losses_between(
    firsts: Sequence[str], seconds: Sequence[str], talks: Sequence[Talk], *, by_case: bool = False
) -> tuple[Lost, ...]:
    """What witnesses lose in fluency against others, on the cases that both were given, all corrected together.

    ``words`` and both kinds of variety are lost as a share of the other's, the rest in points. Variety is compared over the first words of both
    conversations, as many as the shorter one has.

    Args:
        by_case: what is found shall hold for just these scripts; repeats of a script stand for themselves then.

    Raises:
        MissingExtra: the extra ``blindtest`` is not installed.
    """
    own: dict[str, dict[tuple[str, str, str, int], Talk]] = {}
    for one in talks:
        if one.replies:
            own.setdefault(one.witness, {})[one.case] = one
    asked = []
    for first in firsts:
        for second in seconds:
            mine, theirs = own.get(first, {}), own.get(second, {})
            cases = [(mine[case], theirs[case]) for case in sorted(mine.keys() & theirs.keys())]
            asked.append((first, second, _rows(cases, by_case=by_case)))
    return losses_of(asked)


def _rows(cases: Sequence[tuple[Talk, Talk]], *, by_case: bool) -> Mapping[str, list[tuple[str, float, float]]]:
    rows: dict[str, list[tuple[str, float, float]]] = {name: [] for name in MEASURES}
    for one, other in cases:
        unit = "/".join(map(str, one.case)) if by_case else one.script
        for name, lost, of in _lost(one, other):
            rows[name].append((unit, lost, of))
    return rows


def _lost(one: Talk, other: Talk) -> Iterator[tuple[str, float, float]]:
    """(measure, what the first loses, what that is a part of)."""
    own, theirs = median(map(len, one.said)), median(map(len, other.said))
    if theirs:
        yield "words", theirs - own, theirs
    yield "repeated", one.repeated / len(one.replies) - other.repeated / len(other.replies), 1.0
    yield "in_language", one.strayed / len(one.replies) - other.strayed / len(other.replies), 1.0
    length = min(len(one.stream), len(other.stream))
    if length >= LEAST:
        for name, streams in (
            ("distinct_1", (one.stream[:length], other.stream[:length])),
            ("distinct_2", (tuple(pairwise(one.stream[:length])), tuple(pairwise(other.stream[:length])))),
        ):
            kinds, others = (len(set(stream)) / len(stream) for stream in streams)
            yield name, others - kinds, others


def _alike(first: str, second: str) -> bool:
    shorter, longer = sorted((len(first), len(second)))
    return shorter * 2 > longer and (first == second or likeness(first, second) >= _NEARLY)
