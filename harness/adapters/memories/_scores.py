"""Scores of many documents, from which the best are taken. With numpy where it is installed and worth its import."""

from __future__ import annotations

import heapq
import sys
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

from harness.adapters.memories._bm25 import K1, B, Ranking
from harness.adapters.memories._sqlite_postings import unpack

Array = Any
"""A numpy array; numpy may not be installed where this is checked."""

_WORTH_NUMPY = 2_000
"""Entries for which plain Python takes as long as numpy once it is imported."""
_WORTH_IMPORT = 20_000
"""Entries for which plain Python takes so long that importing numpy is worth it for the queries to come."""


class Scored(Protocol):
    """Documents with scores."""

    def __len__(self) -> int: ...

    def best(self, count: int) -> Sequence[int]:
        """The docs with the highest scores, best first; the newer one of two with the same."""
        ...

    def among(self, docs: Collection[int], count: int) -> Sequence[int]:
        """The best of these docs."""
        ...


class Summed(Scored, Protocol):
    """Documents whose scores can be read."""

    def of(self, docs: Sequence[int]) -> list[float]:
        """Their scores; each doc is one that ``best`` gave."""
        ...


class PlainScores:
    """Scores in a mapping."""

    def __init__(self, scores: Mapping[int, float]) -> None:
        self._scores = scores

    def __len__(self) -> int:
        return len(self._scores)

    def best(self, count: int) -> Sequence[int]:
        """The docs with the highest scores."""
        return heapq.nlargest(count, self._scores, key=lambda doc: (self._scores[doc], doc))

    def among(self, docs: Collection[int], count: int) -> Sequence[int]:
        """The best of these docs."""
        return PlainScores({doc: self._scores[doc] for doc in docs if doc in self._scores}).best(count)

    def of(self, docs: Sequence[int]) -> list[float]:
        """Their scores."""
        return [self._scores[doc] for doc in docs]


class ArrayScores:
    """Scores in numpy arrays; ``docs`` rise."""

    def __init__(self, np: Any, docs: Array, scores: Array) -> None:
        self._np = np
        self._docs = docs
        self._scores = scores

    def __len__(self) -> int:
        return len(self._docs)

    def best(self, count: int) -> Sequence[int]:
        """The docs with the highest scores."""
        np, scores = self._np, self._scores
        if count <= 0:
            return []
        if count < len(scores):
            # All that reach the last place, so that ties are broken by age and not by chance.
            edge = np.partition(scores, len(scores) - count)[len(scores) - count]
            rows = np.flatnonzero(scores >= edge)
        else:
            rows = np.arange(len(scores))
        order = np.lexsort((self._docs[rows], scores[rows]))[::-1][:count]
        found: list[int] = self._docs[rows[order]].tolist()
        return found

    def among(self, docs: Collection[int], count: int) -> Sequence[int]:
        """The best of these docs."""
        rows = self._np.flatnonzero(self._np.isin(self._docs, list(docs)))
        return ArrayScores(self._np, self._docs[rows], self._scores[rows]).best(count)

    def of(self, docs: Sequence[int]) -> list[float]:
        """Their scores."""
        found: list[float] = self._scores[self._np.searchsorted(self._docs, docs)].tolist()
        return found


def added_up(lists: Mapping[str, bytes], ranking: Ranking, *, np: Any = None) -> Summed:
    """BM25 of all documents in the posting lists of these terms. ``np``: numpy, to use it whatever the number of entries."""
    entries = sum(map(len, lists.values())) // 8
    loaded = sys.modules.get("numpy")
    if np is None and entries >= (_WORTH_NUMPY if loaded else _WORTH_IMPORT):
        np = loaded or _optional_numpy()
    return _by_array(np, lists, ranking) if np is not None and entries else PlainScores(_by_hand(lists, ranking))


def _optional_numpy() -> Any:
    try:
        import numpy as np
    except ImportError:
        return None
    return np


def _by_hand(lists: Mapping[str, bytes], ranking: Ranking) -> dict[int, float]:
    scores: dict[int, float] = defaultdict(float)
    for term, blob in lists.items():
        parts: dict[int, float] = {}
        for entry in unpack(blob):
            kind = entry & 0xFFFFFFFF
            part = parts.get(kind)
            if part is None:
                part = parts[kind] = ranking.part(term, kind >> 16, kind & 0xFFFF)
            scores[entry >> 32] += part
    return scores


def _by_array(np: Any, lists: Mapping[str, bytes], ranking: Ranking) -> ArrayScores:
    docs, parts = [], []
    for term, blob in lists.items():
        entries = np.frombuffer(blob, "<u8")
        counts = (entries >> np.uint64(16) & np.uint64(0xFFFF)).astype(np.float64)
        lengths = (entries & np.uint64(0xFFFF)).astype(np.float64)
        docs.append((entries >> np.uint64(32)).astype(np.int64))
        norms = K1 * (1 - B) + lengths * (K1 * B / ranking.average)
        parts.append(ranking.idfs[term] * (K1 + 1) * counts / (counts + norms))
    every = np.concatenate(docs)
    lowest = int(every.min())
    # A sum in an array as long as the range of docs; those of one user may lie far apart, then by sorting.
    if int(every.max()) - lowest <= 16 * len(every) + 65_536:
        sums = np.bincount(every - lowest, np.concatenate(parts))
        rows = np.flatnonzero(sums)
        return ArrayScores(np, rows + lowest, sums[rows])
    distinct, inverse = np.unique(every, return_inverse=True)
    return ArrayScores(np, distinct, np.bincount(inverse, np.concatenate(parts)))
