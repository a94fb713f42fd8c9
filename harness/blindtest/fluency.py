"""How replies read, without judging what they say: length, repetition, variety. Proxies, to show what a gain elsewhere costs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median

from harness.state.base import Frozen
from harness.understanding.text import fold, likeness

_UNIT = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]|[^\W_\u3400-\u9fff\uf900-\ufaff]+(?:['’-][^\W_]+)*")
_NEARLY = 0.8


class Fluency(Frozen):
    """Proxies of fluency over the replies of a witness.

    Attributes:
        words: median words of a reply; a Han character counts as one.
        repeated: share of replies nearly the same as an earlier one of their conversation.
        distinct_1, distinct_2: different words and pairs of words of all those said in a conversation, averaged (Li et al. 2016).
        in_language: share of replies in the language that is spoken.
    """

    replies: int = 0
    words: float = 0.0
    repeated: float = 0.0
    distinct_1: float = 0.0
    distinct_2: float = 0.0
    in_language: float = 1.0


def words_of(text: str) -> list[str]:
    """The words of a text, folded; each Han character is one."""
    return [fold(word) for word in _UNIT.findall(text)]


def fluency(conversations: Iterable[Sequence[str]], *, strayed: int = 0) -> Fluency:
    """The proxies of some conversations, each given as its replies. ``strayed``: replies in another language."""
    lengths: list[int] = []
    repeated = 0
    first: list[float] = []
    second: list[float] = []
    for replies in conversations:
        said: list[str] = []
        for number, reply in enumerate(replies):
            words = words_of(reply)
            lengths.append(len(words))
            repeated += any(_alike(reply, earlier) for earlier in replies[:number])
            said += words
        if said:
            first.append(len(set(said)) / len(said))
        if len(said) > 1:
            pairs = list(pairwise(said))
            second.append(len(set(pairs)) / len(pairs))
    count = len(lengths)
    if not count:
        return Fluency()
    return Fluency(
        replies=count,
        words=float(median(lengths)),
        repeated=repeated / count,
        distinct_1=sum(first) / len(first) if first else 0.0,
        distinct_2=sum(second) / len(second) if second else 0.0,
        in_language=1 - strayed / count,
    )


def _alike(first: str, second: str) -> bool:
    shorter, longer = sorted((len(first), len(second)))
    return shorter * 2 > longer and (first == second or likeness(first, second) >= _NEARLY)
