"""BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009), for every store that counts
terms itself.

``score = Σ idf(t) · tf·(k1+1) / (tf + k1·(1 − b + b·length/average))`` with ``idf(t) = ln(1 + (N − n + ½)/(n + ½))``, which
is never negative. A term counts once in a query, however often it stands there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

K1 = 1.2
B = 0.75


def idf(documents: int, having: int) -> float:
    """How much a term tells that ``having`` of so many documents have."""
    return math.log(1 + (documents - having + 0.5) / (having + 0.5))


@dataclass(frozen=True, slots=True)
class Ranking:
    """What a query's scores depend on besides the document.

    Attributes:
        idfs: by term; terms that no document has are left out.
        average: mean number of terms of a document.
    """

    idfs: Mapping[str, float]
    average: float

    @classmethod
    def of(cls, frequencies: Mapping[str, int], documents: int, tokens: int) -> Ranking:
        """For so many documents that hold so many terms together."""
        idfs = {term: idf(documents, having) for term, having in frequencies.items() if having}
        return cls(idfs, tokens / documents if tokens else 1.0)

    def part(self, term: str, count: int, length: int) -> float:
        """What a term adds to the score of a document that has it ``count`` times among ``length`` terms."""
        return self.idfs[term] * count * (K1 + 1) / (count + K1 * (1 - B + B * length / self.average))

    def score(self, counts: Mapping[str, int], length: int) -> float:
        """The score of a document with these terms."""
        idfs, norm = self.idfs, K1 * (1 - B + B * length / self.average)
        return math.fsum(
            idfs[term] * count * (K1 + 1) / (count + norm) for term, count in counts.items() if term in idfs
        )


def rarest(costs: Mapping[str, int], budget: int) -> tuple[list[str], list[str]]:
    """Terms whose documents are looked at, and terms that only add to what those found, rarest first.

    Words that most documents have cost the most and tell the least. The first list is never empty when there is a term.

    Args:
        costs: for each term, how many documents have it.
        budget: how many documents may be looked at.
    """
    ordered = sorted((term for term, cost in costs.items() if cost), key=lambda term: (costs[term], term))
    spent = 0
    for place, term in enumerate(ordered):
        spent += costs[term]
        if place and spent > budget:
            return ordered[:place], ordered[place:]
    return ordered, []


def distinct(terms: Iterable[str]) -> Sequence[str]:
    """Terms of a query, each once, in their order."""
    return tuple(dict.fromkeys(term for term in terms if term))
