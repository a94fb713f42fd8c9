"""Vectors of items: stored in a table, scanned in memory."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Collection
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from harness.adapters.memories._index_files import remove_index
from harness.adapters.memories._sqlite_where import damaged, numbers
from harness.adapters.memories._vectors import Index, VectorIndex
from harness.adapters.stores._sqlite_layout import MEMORY
from harness.ports.memories import EmbeddingSpace

if TYPE_CHECKING:
    import sqlite3

_PORTION = 4096
"""Vectors read at a time, so that loading takes little more memory than what is loaded."""

_CUT = "a vector has another length than its space"


class Vectors:
    """The vectors of an open memory file. Those of the file are read once, and after that only what has changed."""

    def __init__(self, sql: sqlite3.Connection) -> None:
        self._sql = sql
        self._index: Index | None = None
        self._of: EmbeddingSpace | None = None
        self._changes = self._removals = 0
        self._removed: list[int] = []
        self.removing = False
        """Whether the transaction removes vectors."""

    def space(self) -> EmbeddingSpace | None:
        """The space that was set last."""
        model, dimensions = self._sql.execute("SELECT model, dimensions FROM totals").fetchone()
        return None if model is None else EmbeddingSpace(model, dimensions)

    def set_space(self, space: EmbeddingSpace) -> None:
        """Another space drops all vectors."""
        if self.space() != space:
            self.removing = True
            self._sql.execute("DELETE FROM vectors")
            self._sql.execute(
                "UPDATE totals SET model = ?, dimensions = ?, removals = removals + 1", (space.model, space.dimensions)
            )

    def get(self, doc: int) -> array[float] | None:
        """An item's vector."""
        rows = self._sql.execute("SELECT vector FROM vectors WHERE doc = ?", (doc,)).fetchall()
        return unpacked(rows[0][0]) if rows else None

    def set(self, doc: int, vector: array[float]) -> None:
        """Store an item's vector."""
        self._sql.execute("UPDATE totals SET changes = changes + 1")
        self._sql.execute(
            "INSERT OR REPLACE INTO vectors VALUES (?, (SELECT changes FROM totals), ?)", (doc, packed(vector))
        )

    def drop(self, docs: Collection[int]) -> None:
        """Remove the vectors of items."""
        rows = self._sql.execute(f"SELECT doc FROM vectors WHERE doc IN {numbers(docs)}").fetchall()
        if rows:
            self._sql.execute(f"DELETE FROM vectors WHERE doc IN {numbers(docs)}")
            self._sql.execute("UPDATE totals SET removals = removals + ?", (len(rows),))
            self._removed += [row[0] for row in rows]
            self.removing = True

    def committing(self, place: Path | str) -> None:
        """The transaction of the file at ``place`` is about to be committed. Raises StoreError: then it is not."""
        # Also where no index is used now: one may be there from a time when it was.
        if self.removing and str(place) != MEMORY:
            remove_index(Path(place))

    def done(self) -> None:
        """The transaction was committed."""
        self.removing = False

    def close(self) -> None:
        """The file is about to be closed."""

    def undone(self) -> None:
        """The transaction was rolled back: what was removed in it is still there."""
        self._removed = []
        self.removing = False

    def index(self, space: EmbeddingSpace) -> Index:
        """What is stored, to be scanned. Raises MissingExtra."""
        if self._index is None or self._of != space:
            self._changes = 0
            self._index, self._of = self._made(space), space
        self._catch_up(self._index)
        return self._index

    def _made(self, space: EmbeddingSpace) -> Index:
        """An index, empty or with what it is known to hold."""
        return VectorIndex(space.dimensions)

    def _catch_up(self, index: Index) -> None:
        changes, removals = self._sql.execute("SELECT changes, removals FROM totals").fetchone()
        if removals != self._removals and len(index):
            if removals - self._removals == len(self._removed):
                index.discard(self._removed)
            else:  # another program removed some
                index.keep([row[0] for row in self._sql.execute("SELECT doc FROM vectors").fetchall()])
        self._removals, self._removed = removals, []
        if changes == self._changes:
            return
        if not len(index):
            index.reserve(self._sql.execute("SELECT count(*) FROM vectors").fetchone()[0])
        statement = "SELECT doc, grp, vector FROM vectors JOIN items USING (doc) WHERE change > ?"
        with closing(self._sql.execute(statement, (self._changes,))) as rows:
            while some := rows.fetchmany(_PORTION):
                docs, groups, vectors = zip(*some, strict=True)
                if any(len(vector) != 4 * index.dimensions for vector in vectors):
                    raise damaged(_CUT)
                index.extend(docs, groups, b"".join(vectors))
        self._changes = changes


def packed(vector: array[float]) -> bytes:
    """32-bit floats, least byte first."""
    if sys.byteorder == "little":
        return vector.tobytes()
    turned = array("f", vector)
    turned.byteswap()
    return turned.tobytes()


def unpacked(blob: bytes) -> array[float]:
    """The inverse of :func:`packed`."""
    vector = array("f", blob)
    if sys.byteorder != "little":
        vector.byteswap()
    return vector
