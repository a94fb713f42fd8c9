"""Vectors held in memory and scanned; needs numpy.

From ``SPLIT`` vectors on they are turned so that the first half of their dimensions differs the most (principal components),
and a scan reads that half only; what the other half can add is taken from the nearest found so far, and all that could reach
the best with it is computed in full. That reads half of the memory that a plain scan reads, and takes no more of it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from harness.adapters.memories._scores import Scored
from harness.errors import MissingExtra

if TYPE_CHECKING:
    from array import array

Array = Any
"""A numpy array; numpy may not be installed where this is checked."""

SPLIT = 20_000
_SAMPLE = 10_000
_NEAR = 400
"""How many of the nearest by the first half show what the second half adds."""
_SPREAD = 4.0
"""Standard deviations of it that are allowed for: on embeddings of chat messages all of the best 50 were where exact cosines put
them; with 3, 99 %.
"""
_DRAWN = 1024
"""Vectors whose cosines give mean and deviation."""
_FEW = 4
_EVERY = 16
"""Of so many scores one is looked at to tell about where the best begin."""
_SPARSE = 10
"""Groups that hold less than this part of all vectors are picked out instead of scanned over."""


def numpy_module() -> Any:
    """The numpy package. Raises MissingExtra."""
    try:
        import numpy as np
    except ImportError as error:
        raise MissingExtra(
            "Vectors of memory items are searched with numpy, which is not installed.",
            remedy="Or set memory.embedder to none.",
            extra="vectors",
        ) from error
    return np


class Index(Protocol):
    """Rows of (doc, group, vector) that are scanned."""

    dimensions: int

    def __len__(self) -> int: ...

    def reserve(self, count: int) -> None:
        """Make room for so many rows more."""
        ...

    def extend(self, docs: Collection[int], groups: Collection[int], vectors: bytes) -> None:
        """Add rows, or replace those of the same docs. ``vectors``: 32-bit floats, one vector after the other."""
        ...

    def discard(self, docs: Collection[int]) -> None:
        """Remove the rows of docs."""
        ...

    def keep(self, docs: Collection[int]) -> None:
        """Remove the rows of all other docs."""
        ...

    def scan(self, query: array[float], groups: Collection[int] | None) -> Cosines:
        """The vectors of these groups, or all, beside the query."""
        ...

    def cosines(self, query: array[float], docs: Collection[int]) -> dict[int, float]:
        """Those of the docs that have a vector."""
        ...


class Cosines(Scored, Protocol):
    """Docs with their cosines, of which ``mean`` and ``deviation`` are given; None without any."""

    mean: float | None
    deviation: float | None


class VectorIndex:
    """Rows of (doc, group, vector)."""

    def __init__(self, dimensions: int) -> None:
        self._np = np = numpy_module()
        self.dimensions = dimensions
        self._count = 0
        self._docs = np.empty(0, np.int64)
        self._rising = True
        self._groups = np.empty(0, np.int64)
        self._turn: Any = None
        # One matrix, or after the turn its left and its right half.
        self._parts: list[Any] = [np.empty((0, dimensions), np.float32)]

    def __len__(self) -> int:
        return self._count

    def reserve(self, count: int) -> None:
        """Make room for so many rows more."""
        self._reserve(self._count + count)

    def extend(self, docs: Collection[int], groups: Collection[int], vectors: bytes) -> None:
        """Add rows, or replace those of the same docs. ``vectors``: 32-bit floats, one vector after the other."""
        np = self._np
        matrix = np.frombuffer(vectors, "<f4").reshape(len(docs), self.dimensions)
        fresh = np.asarray(docs, np.int64)
        self._take(self._rows_of(fresh))
        self._reserve(self._count + len(docs))
        start, self._count = self._count, self._count + len(docs)
        before = self._docs[start - 1 : start]
        self._rising = self._rising and bool((np.diff(np.concatenate([before, fresh])) > 0).all())
        self._docs[start : self._count] = fresh
        self._groups[start : self._count] = np.asarray(groups, np.int64)
        matrix = self._turned(matrix)
        place = 0
        for part in self._parts:
            part[start : self._count] = matrix[:, place : place + part.shape[1]]
            place += part.shape[1]
        if self._turn is None and self._count >= SPLIT and self.dimensions > 1:
            self._split()

    def discard(self, docs: Collection[int]) -> None:
        """Remove the rows of docs."""
        self._take(self._rows_of(self._np.asarray(list(docs), self._np.int64)))

    def keep(self, docs: Collection[int]) -> None:
        """Remove the rows of all other docs."""
        np = self._np
        held = self._docs[: self._count]
        self._take(np.flatnonzero(~np.isin(held, np.asarray(list(docs), np.int64))))

    def scan(self, query: array[float], groups: Collection[int] | None) -> Scan:
        """The vectors of these groups, or all, beside the query."""
        np = self._np
        rows = self._rows_in(groups)
        asked = self._asked(query)
        parts = [part[: self._count] for part in self._parts]
        return Scan(np, self._docs[: self._count], parts, asked, rows)

    def cosines(self, query: array[float], docs: Collection[int]) -> dict[int, float]:
        """Those of the docs that have a vector."""
        np = self._np
        rows = self._rows_of(np.asarray(list(docs), np.int64))
        asked = self._asked(query)
        found = np.zeros(len(rows), np.float32)
        place = 0
        for part in self._parts:
            found += np.vecdot(part[rows], asked[place : place + part.shape[1]])
            place += part.shape[1]
        return dict(zip(self._docs[rows].tolist(), found.tolist(), strict=True))

    def _asked(self, query: array[float]) -> Any:
        return self._turned(self._np.asarray(query, self._np.float32)[None])[0]

    def _turned(self, vectors: Array) -> Any:
        if self._turn is None:
            return vectors
        if len(vectors) > _FEW:
            return vectors @ self._turn
        # Not @: for a few rows BLAS would wait for threads longer than it computes.
        return self._np.vecdot(self._turn.T, vectors[:, None, :])

    def _rows_of(self, docs: Array) -> Any:
        np, held = self._np, self._docs[: self._count]
        if not self._rising or not len(held):
            return np.flatnonzero(np.isin(held, docs))
        places = np.minimum(np.searchsorted(held, np.unique(docs)), len(held) - 1)
        return np.unique(places[np.isin(held[places], docs)])

    def _rows_in(self, groups: Collection[int] | None) -> Any:
        if groups is None or not self._count:
            return None
        np = self._np
        held = self._groups[: self._count]
        allowed = np.zeros(max(int(held.max()), *groups, 0) + 1, bool)
        allowed[list(groups)] = True
        mask = allowed[held]
        return None if mask.all() else np.flatnonzero(mask)

    def _take(self, rows: Array) -> None:
        """Remove rows: the last ones move into their places, and the places left are overwritten."""
        np = self._np
        if not len(rows):
            return
        left = self._count - len(rows)
        tail = np.setdiff1d(np.arange(left, self._count), rows, assume_unique=True)
        gaps = rows[rows < left]
        self._rising = not left or (self._rising and not len(gaps))
        for held in (self._docs, self._groups, *self._parts):
            held[gaps] = held[tail]
            held[left : self._count] = 0
        self._count = left

    def _reserve(self, count: int) -> None:
        if count <= len(self._docs):
            return
        room = max(count, self._count + self._count // 4, 1024)
        self._docs, self._groups, *self._parts = (
            self._grown(held, room) for held in (self._docs, self._groups, *self._parts)
        )

    def _grown(self, held: Array, room: int) -> Array:
        # Zeros take no memory before they are written to.
        grown = self._np.zeros((room, *held.shape[1:]), held.dtype)
        grown[: self._count] = held[: self._count]
        return grown

    def _split(self) -> None:
        np = self._np
        (matrix,) = self._parts
        sample = matrix[: self._count : max(self._count // _SAMPLE, 1)]
        self._turn = turn = _turn(np, sample - sample.mean(axis=0))
        half = self.dimensions // 2
        widths = (half, self.dimensions - half)
        left, right = (np.zeros((len(matrix), width), np.float32) for width in widths)
        for start in range(0, self._count, _SAMPLE):
            turned = matrix[start : start + _SAMPLE] @ turn
            left[start : start + _SAMPLE] = turned[:, :half]
            right[start : start + _SAMPLE] = turned[:, half:]
        self._parts = [left, right]


def _turn(np: Any, sample: Array) -> Array:
    """An orthonormal basis whose first half nearly spans the first half of the principal components of the sample: two steps of
    subspace iteration. numpy.linalg.eigh takes seconds for it where other programs keep the processors busy, because its
    threads wait for each other at every column.
    """
    covariance = (sample.T @ sample).astype(np.float64)
    covariance /= np.trace(covariance)
    basis = covariance @ covariance
    for row in range(len(basis)):
        before, vector = basis[:row], basis[row]
        for _ in range(2):  # twice is enough (Kahan; Parlett 1998, §6.9)
            vector = vector - np.einsum("i,ij->j", np.vecdot(before, vector), before)
            length = np.sqrt(np.vecdot(vector, vector))
            # Where the sample does not vary any more, any direction that is left will do.
            vector = vector / length if length > 1e-12 else np.eye(len(basis))[row]
        basis[row] = vector
    return np.ascontiguousarray(basis, np.float32).T


class Scan:
    """Cosines with a query: of all rows, or of some.

    Attributes:
        mean, deviation: of the cosines of a sample; None without any.
    """

    def __init__(self, np: Any, docs: Array, parts: Sequence[Array], query: Array, rows: Array | None) -> None:
        self._np = np
        self._right: Array | None = None
        self._asked = query
        left = parts[0]
        # Where the rows of the right half are; it is not copied, since few of them are read.
        self._picked: Array | None = None
        if rows is not None and len(rows) * _SPARSE < len(docs):
            docs, left, self._picked, rows = docs[rows], left[rows], rows, None
        self._docs = docs
        # Not left @ query: BLAS would share the product out among threads that wait for busy processors (5 times as long).
        self._scores = np.vecdot(left, query[: left.shape[1]])
        if len(parts) > 1:
            self._right, self._asked = parts[1], query[left.shape[1] :]
        if rows is not None:
            allowed = self._scores[rows]
            self._scores = np.full(len(docs), -np.inf, np.float32)
            self._scores[rows] = allowed
        self._count = len(docs) if rows is None else len(rows)
        drawn = np.arange(len(docs)) if rows is None else rows
        drawn = drawn[:: max(len(drawn) // _DRAWN, 1)]
        cosines = self._scores[drawn] + self._rest(drawn)
        self.mean: float | None = float(cosines.mean()) if len(cosines) else None
        self.deviation: float | None = float(cosines.std()) if len(cosines) else None

    def __len__(self) -> int:
        return self._count

    def best(self, count: int) -> Sequence[int]:
        """The docs with the highest cosines, best first; the newer one of two with the same."""
        np = self._np
        rows, cosines = self._candidates(min(count, self._count))
        order = np.lexsort((self._docs[rows], cosines))[::-1][:count]
        found: list[int] = self._docs[rows[order]].tolist()
        return found

    def among(self, docs: Collection[int], count: int) -> Sequence[int]:
        """The best of these docs."""
        np = self._np
        rows = np.flatnonzero(np.isin(self._docs, list(docs)) & np.isfinite(self._scores))
        order = np.lexsort((self._docs[rows], self._scores[rows] + self._rest(rows)))[::-1][:count]
        found: list[int] = self._docs[rows[order]].tolist()
        return found

    def _candidates(self, count: int) -> tuple[Array, Array]:
        """Rows among which the best are, with their cosines."""
        if not count:
            return self._np.empty(0, self._np.int64), self._np.empty(0)
        if self._right is None:
            edge = self._edge(self._scores, count)
            rows = self._np.flatnonzero(self._scores >= edge)
            return rows, self._scores[rows]
        edge = self._edge(self._scores, min(max(2 * count, _NEAR), self._count))
        rows = self._np.flatnonzero(self._scores >= edge)
        rest = self._rest(rows)
        cosines = self._scores[rows] + rest
        reach = self._edge(cosines, count) - rest.mean() - _SPREAD * rest.std()
        if reach >= edge:
            return rows, cosines
        rows = self._np.flatnonzero(self._scores >= reach)
        return rows, self._scores[rows] + self._rest(rows)

    def _edge(self, scores: Array, count: int) -> float:
        """The score of the place ``count``."""
        if len(scores) >= _DRAWN * _EVERY and count * _EVERY < len(scores):
            # Few of them can have it: those above what some of them, picked at equal distances, have at twice that place.
            drawn = scores[::_EVERY]
            place = len(drawn) - min(count * 2 // _EVERY + _EVERY, len(drawn))
            high = scores[scores >= self._np.partition(drawn, place)[place]]
            if len(high) >= count:
                scores = high
        place = len(scores) - count
        return float(self._np.partition(scores, place)[place])

    def _rest(self, rows: Array) -> Any:
        """What the right half adds."""
        if self._right is None:
            return 0.0
        rows = rows if self._picked is None else self._picked[rows]
        return self._np.vecdot(self._right[rows], self._asked)
