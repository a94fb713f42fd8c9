"""Of several memories that say the same, which one is shown: the user's own words before an echo of them, a statement before a
question.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from harness.language import LanguagePacks
from harness.memory.lexical import alike, index_terms
from harness.ports import Remembered
from harness.state.memory import MemoryItem
from harness.understanding.facts.claims import plain_text
from harness.understanding.text import sentences

SAME = 0.9
"""Likeness of the words of two items from which one of them is enough."""
LEAST = 3
"""Words that an echo has at least: a shorter one is within much that does not say the same."""
OWN, ECHO, QUESTION = range(3)
"""How near an item is to what was said: what the user stated or wrote, what the character repeats, what only asks."""


class Sameness:
    """Whether items say the same, by their words.

    Args:
        language: of items that have none.
    """

    def __init__(self, packs: LanguagePacks, language: str) -> None:
        self._packs, self._language = packs, language

    def words(self, item: MemoryItem) -> Sequence[str]:
        """The words of an item."""
        return index_terms(item.text, self._packs, item.language or self._language)

    def same(self, first: MemoryItem, second: MemoryItem) -> bool:
        """Both say the same: one of them is enough."""
        like = bool(first.key and first.key == second.key) or alike(self.words(first), self.words(second)) >= SAME
        return like and not self._of_their_own(first, second)

    def within(self, echo: MemoryItem, item: MemoryItem) -> bool:
        """The first says nothing that the second does not say."""
        words = set(self.words(echo))
        return len(words) >= LEAST and words <= set(self.words(item)) and not self._of_their_own(echo, item)

    def only_asks(self, item: MemoryItem) -> bool:
        """Every sentence of a message is a question."""
        pack = self._packs.get(item.language or self._language)
        asks = pack.any_of(pack.text.questions)
        said = sentences(plain_text(item.text, pack)) if item.kind == "message" else ()
        return bool(said) and all(asks.search(sentence) for sentence in said)

    def _of_their_own(self, first: MemoryItem, second: MemoryItem) -> bool:
        """Each speaks of itself: "I keep bees" of the user is not what "I keep bees" of the character says."""
        if first.speaker == second.speaker or not first.speaker or not second.speaker:
            return False
        if first.attribute and second.attribute:
            return first.subject != second.subject
        return self._speaks_of_self(first) and self._speaks_of_self(second)

    def _speaks_of_self(self, item: MemoryItem) -> bool:
        """A question says nothing, of nobody."""
        pack = self._packs.get(item.language or self._language)
        return not self.only_asks(item) and pack.any_of(pack.text.first_person).search(item.text) is not None


class Taker(Protocol):
    """What takes candidates, one after the other, and says of each why it is left out."""

    sameness: Sameness
    shown: list[MemoryItem]

    def take(self, item: MemoryItem, relevance: float) -> str:
        """Why it is left out; empty when it is not."""
        ...


def fitted(
    weighed: Sequence[Remembered],
    relevance: Mapping[str, float],
    fitting: Taker,
    *,
    asked: Sequence[str],
    heard: str = "",
) -> list[Remembered]:
    """The candidates, each with why it is left out, if it is.

    A candidate that says what a later one says more directly gives its place to that one. Questions that hold no word beside those
    of the message, asked before or now, take a place only after everything else had its chance.

    Args:
        weighed: best first.
        asked: the words of the message.
        heard: the one whose words are asked for; the user's count first when nobody's are.
    """
    sameness = fitting.sameness
    rank = {one.item.id: _rank(one.item, sameness, heard or "user") for one in weighed}
    wanted, why = set(asked), dict[str, str]()
    again = {
        one.item.id
        for one in weighed
        if rank[one.item.id] == QUESTION and not one.item.pinned and wanted.issuperset(sameness.words(one.item))
    }
    order = sorted(weighed, key=lambda one: one.item.id in again)
    for place, one in enumerate(order):
        item = one.item
        if item.id in why:
            continue
        why[item.id] = fitting.take(item, relevance[item.id])
        if why[item.id] or item.pinned or rank[item.id] == OWN:
            continue
        for other in _more_direct(item, order[place + 1 :], rank, sameness):
            if other.id in why:
                continue
            fitting.shown.remove(item)
            reason = fitting.take(other, max(relevance[item.id], relevance[other.id]))
            if not reason:
                why |= {other.id: "", item.id: f"says what {other.id} says"}
                break
            fitting.shown.append(item)  # that one may not be shown for a reason of its own
    return [replace(one, dropped=why[one.item.id]) for one in weighed]


def _more_direct(
    item: MemoryItem, later: Sequence[Remembered], rank: Mapping[str, int], sameness: Sameness
) -> Iterator[MemoryItem]:
    """What says the same and is nearer to what was said, nearest first."""
    nearer = sorted((one for one in later if rank[one.item.id] < rank[item.id]), key=lambda one: rank[one.item.id])
    for one in nearer:
        if sameness.same(item, one.item) or (item.kind == "message" and sameness.within(item, one.item)):
            yield one.item


def _rank(item: MemoryItem, sameness: Sameness, heard: str) -> int:
    if sameness.only_asks(item):
        return QUESTION
    # What the user wrote by hand, or into a file, is the user's own whoever is named as its speaker.
    return OWN if item.source != "conversation" or item.speaker in (heard, "") else ECHO
