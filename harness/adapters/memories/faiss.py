"""Memory items in a SQLite file, their vectors searched with FAISS."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from harness.adapters.memories._faiss_index import FaissIndex, Made, faiss_module
from harness.adapters.memories._index_files import index_of
from harness.adapters.memories._sqlite_file import MemoryFile, open_file
from harness.adapters.memories._sqlite_vectors import Vectors
from harness.adapters.memories.sqlite import SQLiteMemoryStore
from harness.adapters.stores._sqlite_layout import MEMORY, Synchronous

if TYPE_CHECKING:
    from harness.adapters.memories._vectors import Index
    from harness.ports.memories import EmbeddingSpace

_COMPARED = 32
"""Vectors at each end of an index that are compared with those of the items before it is used."""


class FaissMemoryStore(SQLiteMemoryStore):
    """A :class:`~harness.ports.memories.MemoryStore` like
    :class:`~harness.adapters.memories.sqlite.SQLiteMemoryStore`, whose vectors are searched in a flat FAISS index; needs the
    extra ``faiss``.

    Items, words and vectors are in the SQLite file. The index is in ``PATH.faiss``, with ``PATH.faiss.json`` telling what it
    was made from; both are written when the store is closed, each whole or not at all. An index that is missing, behind,
    damaged or of other items is brought up to date or made anew from the SQLite file. When vectors are removed, the index that
    still holds them is removed first; where that cannot be done, nothing is removed.

    Args as there. Every method raises what it raises there; the constructor raises MissingExtra.
    """

    def _opener(
        self, path: str | Path, synchronous: Synchronous, busy_timeout_s: float
    ) -> Callable[[Path | str], MemoryFile]:
        faiss_module()
        place = None if str(path) == MEMORY else index_of(Path(path))
        vectors = partial(_FaissVectors, place=place)
        return partial(open_file, synchronous=synchronous, busy_timeout_s=busy_timeout_s, vectors=vectors)


class _FaissVectors(Vectors):
    """The vectors of an open memory file. ``place``: of the index; None for one that ends with the store."""

    def __init__(self, sql: sqlite3.Connection, *, place: Path | None) -> None:
        super().__init__(sql)
        self._place = place
        self._written: tuple[int, int] | None = None

    def committing(self, place: Path | str) -> None:
        """Take away an index that holds what is removed. Without it less is lost than would be kept: it can be made anew."""
        if self.removing:
            self._written = None
        super().committing(place)

    def close(self) -> None:
        """Write the index for the next time."""
        # It can be made anew at any time: where it cannot be written, that is all that is lost.
        with suppress(sqlite3.Error, OSError):
            self._write()

    def _write(self) -> None:
        space = self.space()
        if self._place is None or space is None or not isinstance(self._index, FaissIndex) or self._of != space:
            return
        # Nobody may remove a vector between its being read and its being written.
        self._sql.execute("BEGIN IMMEDIATE")
        try:
            self._catch_up(self._index)
            if self._written != (self._changes, self._removals):
                self._index.write(self._place, Made(space.model, space.dimensions, self._changes, self._removals))
        finally:
            self._sql.execute("ROLLBACK")

    def _made(self, space: EmbeddingSpace) -> Index:
        """The index of the file, as far as it can be used."""
        found = self._read(space)
        if found is None:
            return FaissIndex(space.dimensions)
        index, made = found
        self._removals = self._sql.execute("SELECT removals FROM totals").fetchone()[0]
        self._removed = []
        self._changes = made.changes
        self._written = (made.changes, made.removals)
        return index

    def _read(self, space: EmbeddingSpace) -> tuple[FaissIndex, Made] | None:
        if self._place is None or (found := FaissIndex.read(self._place, space.model, space.dimensions)) is None:
            return None
        index, made = found
        changes, removals = self._sql.execute("SELECT changes, removals FROM totals").fetchone()
        if made.changes > changes or made.removals > removals:  # an older copy of the items was put back
            return None
        since = "FROM vectors WHERE change <= ?"
        groups = dict(
            self._sql.execute(
                f"SELECT doc, grp {since.replace('WHERE', 'JOIN items USING (doc) WHERE')}", (made.changes,)
            ).fetchall()
        )
        ends = f"SELECT * FROM (SELECT doc, vector {since} ORDER BY doc {{}} LIMIT {_COMPARED})"  # noqa: S608 - constants
        drawn = self._sql.execute(
            f"{ends.format('ASC')} UNION {ends.format('DESC')}", (made.changes, made.changes)
        ).fetchall()
        return found if index.placed(groups, drawn) else None
