"""A flat FAISS index of the vectors of a memory file, and the file it is kept in.

The file beside the items is an index and nothing else: whatever is wrong with it, it is made anew from the items' vectors. What
it was made from is told by a second, small file, which is written last.
"""

from __future__ import annotations

import base64
import json
import os
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.adapters.memories._index_files import NEW, note_of
from harness.adapters.memories._vectors import numpy_module
from harness.errors import MissingExtra

if TYPE_CHECKING:
    from array import array

Array = Any
"""A numpy array; numpy may not be installed where this is checked."""

_FORM = 1
_DRAWN = 1024
"""Vectors whose cosines give mean and deviation."""


def faiss_module() -> Any:
    """The faiss package. Raises MissingExtra."""
    try:
        import faiss
        import numpy  # noqa: F401, ICN001  the extra brings both
    except ImportError as error:
        raise MissingExtra(
            "Vectors are to be searched with FAISS, which is not installed.",
            remedy="Or set memory.backend to sqlite.",
            extra="faiss",
        ) from error
    return faiss


@dataclass(frozen=True, slots=True)
class Made:
    """What an index was made from.

    Attributes:
        model, dimensions: the embedding space.
        changes, removals: the counters of the items' file at that moment.
        checksum: of the index file.
    """

    model: str
    dimensions: int
    changes: int
    removals: int
    checksum: int = 0
    form: int = _FORM


class FaissIndex:
    """Rows of (doc, group, vector), with the methods of :class:`~harness.adapters.memories._vectors.VectorIndex`."""

    def __init__(self, dimensions: int, *, index: Any = None, docs: Array = None, groups: Array = None) -> None:
        self._faiss, self._np = faiss_module(), numpy_module()
        # Of the calling thread only, which is the store's own: a scan shared out among threads waits for the slowest of them,
        # 50 times as long as it takes where other programs keep the processors busy.
        self._faiss.omp_set_num_threads(1)
        self.dimensions = dimensions
        self._index = self._faiss.IndexFlatIP(dimensions) if index is None else index
        self._docs = self._np.empty(0, self._np.int64) if docs is None else docs
        self._groups = self._np.empty(0, self._np.int64) if groups is None else groups

    def __len__(self) -> int:
        return len(self._docs)

    def reserve(self, count: int) -> None:
        """FAISS makes room by itself."""

    def extend(self, docs: Collection[int], groups: Collection[int], vectors: bytes) -> None:
        """Add rows, or replace those of the same docs. ``vectors``: 32-bit floats, one vector after the other."""
        np = self._np
        fresh = np.asarray(list(docs), np.int64)
        self.discard(fresh)
        self._index.add(np.frombuffer(vectors, "<f4").reshape(len(fresh), self.dimensions).astype(np.float32))
        self._docs = np.concatenate([self._docs, fresh])
        self._groups = np.concatenate([self._groups, np.asarray(list(groups), np.int64)])

    def discard(self, docs: Collection[int]) -> None:
        """Remove the rows of docs."""
        self._take(self._np.isin(self._docs, self._np.asarray(list(docs), self._np.int64)))

    def keep(self, docs: Collection[int]) -> None:
        """Remove the rows of all other docs."""
        self._take(~self._np.isin(self._docs, self._np.asarray(list(docs), self._np.int64)))

    def scan(self, query: array[float], groups: Collection[int] | None) -> FaissScan:
        """The vectors of these groups, or all, beside the query."""
        np = self._np
        mask = None if groups is None else np.isin(self._groups, np.asarray(list(groups), np.int64))
        if mask is not None and mask.all():
            mask = None
        return FaissScan(self._faiss, np, self._index, self._docs, np.asarray(query, np.float32), mask)

    def cosines(self, query: array[float], docs: Collection[int]) -> dict[int, float]:
        """Those of the docs that have a vector."""
        np = self._np
        rows = np.flatnonzero(np.isin(self._docs, np.asarray(list(docs), np.int64)))
        if not len(rows):
            return {}
        found = np.vecdot(self._index.reconstruct_batch(rows), np.asarray(query, np.float32))
        return dict(zip(self._docs[rows].tolist(), found.tolist(), strict=True))

    def _take(self, mask: Array) -> None:
        if mask.any():
            # A flat index closes the gaps and keeps the order of the others.
            self._index.remove_ids(self._faiss.IDSelectorBatch(self._np.flatnonzero(mask).astype(self._np.int64)))
            self._docs, self._groups = self._docs[~mask], self._groups[~mask]

    def write(self, path: Path, made: Made) -> None:
        """Write the index, then what it was made from; each whole or not at all. Raises OSError."""
        content = self._faiss.serialize_index(self._index).tobytes()
        _replace(path, content)
        note = {**asdict(made), "checksum": zlib.crc32(content), "docs": _text(self._docs)}
        _replace(note_of(path), json.dumps(note).encode())

    @classmethod
    def read(cls, path: Path, model: str, dimensions: int) -> tuple[FaissIndex, Made] | None:
        """The index of this space, without groups, and what it was made from; None when there is none that can be used."""
        faiss, np = faiss_module(), numpy_module()
        try:
            note = json.loads(note_of(path).read_bytes())
            docs = np.frombuffer(base64.b64decode(note.pop("docs")), "<i8").astype(np.int64)
            made = Made(**note)
            if (made.form, made.model, made.dimensions) != (_FORM, model, dimensions):
                return None
            content = path.read_bytes()
            if zlib.crc32(content) != made.checksum:
                return None
            index = faiss.deserialize_index(np.frombuffer(content, np.uint8))
            flat = isinstance(index, faiss.IndexFlat) and index.metric_type == faiss.METRIC_INNER_PRODUCT
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RuntimeError):
            return None
        if not flat or (index.d, index.ntotal) != (dimensions, len(docs)):
            return None
        return cls(dimensions, index=index, docs=docs, groups=np.zeros(len(docs), np.int64)), made

    def placed(self, groups: Mapping[int, int], drawn: Sequence[tuple[int, bytes]]) -> bool:
        """Keep these docs only, and take over their groups. False when it lacks some, or a drawn vector is not what it has."""
        np = self._np
        self.keep(groups)
        if len(self) != len(groups):
            return False
        self._groups = np.asarray([groups[doc] for doc in self._docs.tolist()], np.int64)
        for doc, vector in drawn:
            row = int(np.flatnonzero(self._docs == doc)[0])
            if not np.array_equal(self._index.reconstruct(row), np.frombuffer(vector, "<f4")):
                return False
        return True


class FaissScan:
    """Cosines with a query: of all rows, or of some; with the methods of :class:`~harness.adapters.memories._vectors.Scan`."""

    def __init__(self, faiss: Any, np: Any, index: Any, docs: Array, query: Array, mask: Array | None) -> None:
        self._faiss, self._np = faiss, np
        self._index, self._docs = index, docs
        self._query = query.reshape(1, -1)
        self._rows = None if mask is None else np.flatnonzero(mask)
        count = len(docs) if self._rows is None else len(self._rows)
        self._count = count
        drawn = np.arange(count) if self._rows is None else self._rows
        drawn = drawn[:: max(count // _DRAWN, 1)]
        cosines = np.vecdot(index.reconstruct_batch(drawn), query) if count else np.empty(0, np.float32)
        self.mean: float | None = float(cosines.mean()) if count else None
        self.deviation: float | None = float(cosines.std()) if count else None

    def __len__(self) -> int:
        return self._count

    def best(self, count: int) -> Sequence[int]:
        """The docs with the highest cosines, best first; the newer one of two with the same."""
        return self._nearest(self._rows, self._count, count)

    def among(self, docs: Collection[int], count: int) -> Sequence[int]:
        """The best of these docs."""
        np = self._np
        mask = np.isin(self._docs, np.asarray(list(docs), np.int64))
        if self._rows is not None:
            allowed = np.zeros(len(mask), bool)
            allowed[self._rows] = True
            mask &= allowed
        rows = np.flatnonzero(mask)
        return self._nearest(rows, len(rows), count)

    def _nearest(self, rows: Array | None, there: int, count: int) -> Sequence[int]:
        np = self._np
        count = min(count, there)
        if count <= 0:
            return []
        wanted = min(count + 1, there)
        while True:
            cosines, found = self._search(rows, wanted)
            # Until all that share the last place are seen, so that ties are broken by age and not by chance.
            if wanted == there or cosines[-1] < cosines[count - 1]:
                break
            wanted = min(wanted * 2, there)
        order = np.lexsort((self._docs[found], cosines))[::-1][:count]
        best: list[int] = self._docs[found[order]].tolist()
        return best

    def _search(self, rows: Array | None, count: int) -> tuple[Array, Array]:
        if rows is None:
            cosines, found = self._index.search(self._query, count)
        else:
            bits = self._np.zeros(len(self._docs), bool)
            bits[rows] = True
            packed = self._np.packbits(bits, bitorder="little")
            selector = self._faiss.IDSelectorBitmap(packed)
            cosines, found = self._index.search(self._query, count, params=self._faiss.SearchParameters(sel=selector))
        return cosines[0], found[0]


def _text(docs: Array) -> str:
    return base64.b64encode(docs.astype("<i8").tobytes()).decode()


def _replace(path: Path, content: bytes) -> None:
    made = path.with_name(f"{path.name}.{os.getpid()}{NEW}")
    try:
        with made.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        made.replace(path)
    finally:
        made.unlink(missing_ok=True)
