"""Items as rows: writing, reading and removing them. All functions run inside a transaction of the caller."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, get_args

from harness.adapters.memories import _sqlite_postings as postings
from harness.adapters.memories._entries import Prepared, slot_key, standing
from harness.adapters.memories._filters import instant, speaks_of
from harness.adapters.memories._sqlite_layout import WHAT
from harness.adapters.memories._sqlite_where import Condition, among, numbers, portions, within
from harness.adapters.stores._sqlite_errors import corrupt
from harness.errors import NewerSchema, StateError
from harness.state.memory import SCOPE_FIELDS, MemoryItem, MemoryStatus
from harness.state.migrations import load

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

    from harness.adapters.memories._sqlite_vectors import Vectors

_COLUMNS = "id, status, uses, last_used, checksum, CAST(document AS BLOB)"
Row = tuple[str, str, int, str | None, int, bytes]
_RESIZE = "UPDATE groups SET items = items + ?, tokens = tokens + ? WHERE grp = ?"
_PORTION = 500
_STATUSES = frozenset(get_args(MemoryStatus))


class Items:
    """The rows of an open memory file. ``place``: its path, for errors."""

    def __init__(self, sql: sqlite3.Connection, place: Path | str, vectors: Vectors) -> None:
        self._sql = sql
        self._place = place
        self._vectors = vectors

    def put(self, entries: Sequence[Prepared]) -> None:
        """Insert or replace items."""
        fresh = []
        for entry in entries:
            old = self._sql.execute(
                f"SELECT doc, grp, length, terms, {_COLUMNS} FROM items WHERE id = ?", (entry.item.id,)
            ).fetchall()
            if not old:
                fresh += [entry] if entry.read_as is None else []
            elif (again := self._replaced(entry, old[0][:4], old[0][4:])) is not None:
                fresh.append(again)
        self._insert(fresh)

    def get(self, condition: Condition, *, order: str = "id", limit: int = -1) -> tuple[MemoryItem, ...]:
        """Items for which the condition holds."""
        rows = self._sql.execute(
            f"SELECT {_COLUMNS} FROM items WHERE {condition.sql} ORDER BY {order} LIMIT ?",
            (*condition.values, limit),
        ).fetchall()
        return tuple(self.read(row) for row in rows)

    def by_id(self, ids: Collection[str]) -> dict[str, MemoryItem]:
        """Those of the items that there are."""
        found = (item for some in portions(ids) for item in self.get(within("id", some)))
        return {item.id: item for item in found}

    def by_doc(self, docs: Collection[int]) -> dict[int, MemoryItem]:
        """Those of the items that there are."""
        here = among("doc", docs)
        rows = self._sql.execute(f"SELECT doc, {_COLUMNS} FROM items WHERE {here.sql}", here.values)
        return {row[0]: self.read(row[1:]) for row in rows.fetchall()}

    def remove(self, condition: Condition) -> int:
        """Delete items and whatever was made of them; gives how many there were."""
        docs = self._sql.execute(f"SELECT doc FROM items WHERE {condition.sql}", condition.values).fetchall()
        for start in range(0, len(docs), _PORTION):
            self._remove([row[0] for row in docs[start : start + _PORTION]])
        return len(docs)

    def read(self, row: Row) -> MemoryItem:
        """The item of a row. Raises CorruptStore, NewerSchema."""
        name, status, uses, last_used, checksum, document = row
        label = f"memory item {name!r}"
        if zlib.crc32(document) != checksum:
            raise corrupt(self._place, f"the {label} in it was altered (its checksum does not match)", WHAT)
        try:
            item = load(MemoryItem, document)
            at = None if last_used is None else datetime.fromisoformat(last_used)
        except NewerSchema as error:
            message = f"In the {WHAT} {str(self._place)!r}, {label}: {error.message}"
            raise NewerSchema(message, remedy=error.remedy, path=str(self._place), **error.details) from error
        except (StateError, ValueError) as error:
            raise corrupt(self._place, f"the {label} in it cannot be read ({error})", WHAT) from error
        if status not in _STATUSES:
            raise corrupt(self._place, f"the {label} in it has the status {status!r}", WHAT)
        if item.id != name:
            raise corrupt(self._place, f"the {label} in it holds item {item.id!r}", WHAT)
        if (status, uses, at) == (item.status, item.uses, item.last_used_at):
            return item
        return item.model_copy(update={"status": status, "uses": uses, "last_used_at": at})

    def _replaced(self, entry: Prepared, known: tuple[int, int, int, bytes], row: Row) -> Prepared | None:
        """Write over a row; or, where the item is found by other words or in another scope, remove it and give what is to
        be inserted.
        """
        doc, _, length, forward = known
        old = self.read(row)
        new = standing(entry, old)
        alike = (old.scope, old.layer, length) == (new.scope, new.layer, entry.length)
        if alike and self._counts(forward) == dict(entry.counts):
            if new != old:
                columns = _columns(entry, new)
                names = ", ".join(f"{name} = ?" for name in columns)
                self._sql.execute(f"UPDATE items SET {names} WHERE doc = ?", (*columns.values(), doc))
            if entry.vector is not None:
                self._vectors.set(doc, entry.vector)
            elif new.text != old.text:
                self._vectors.drop([doc])
            return None
        vector = entry.vector
        if vector is None and new.text == old.text:
            vector = self._vectors.get(doc)
        self._remove([doc])
        return replace(entry, item=new, vector=vector)

    def _insert(self, entries: Sequence[Prepared]) -> None:
        if not entries:
            return
        start = self._sql.execute("SELECT next_doc FROM totals").fetchone()[0]
        indexed = [
            postings.Indexed(doc, self._group(entry.item), entry.length, entry.counts)
            for doc, entry in enumerate(entries, start=start)
        ]
        forward = postings.add(self._sql, indexed)
        for entry, known, terms in zip(entries, indexed, forward, strict=True):
            columns = {
                "doc": known.doc,
                "id": entry.item.id,
                "grp": known.grp,
                "uses": entry.item.uses,
                "last_used": entry.item.last_used_at and entry.item.last_used_at.isoformat(),
                "length": entry.length,
                "terms": terms,
                **_columns(entry, entry.item),
            }
            self._sql.execute(
                f"INSERT INTO items ({', '.join(columns)}) VALUES ({','.join('?' * len(columns))})",
                tuple(columns.values()),
            )
            if entry.vector is not None:
                self._vectors.set(known.doc, entry.vector)
        sizes, lengths = _extents((known.grp, known.length) for known in indexed)
        self._sql.executemany(_RESIZE, [(count, lengths[grp], grp) for grp, count in sizes.items()])
        self._sql.execute(
            "UPDATE totals SET items = items + ?1, next_doc = next_doc + ?1, tokens = tokens + ?2",
            (len(entries), sum(entry.length for entry in entries)),
        )

    def _remove(self, docs: Collection[int]) -> None:
        rows = self._sql.execute(f"SELECT doc, grp, terms, length FROM items WHERE doc IN {numbers(docs)}").fetchall()
        postings.remove(self._sql, (row[:3] for row in rows))
        self._vectors.drop(docs)
        self._sql.execute(f"DELETE FROM items WHERE doc IN {numbers(docs)}")
        sizes, lengths = _extents((row[1], row[3]) for row in rows)
        self._sql.executemany(_RESIZE, [(-count, -lengths[grp], grp) for grp, count in sizes.items()])
        # A group's row has the name of a user in it.
        self._sql.executemany("DELETE FROM groups WHERE grp = ? AND items <= 0", [(grp,) for grp in sizes])
        self._sql.execute(
            "UPDATE totals SET items = items - ?, tokens = tokens - ?", (len(rows), sum(row[3] for row in rows))
        )

    def _group(self, item: MemoryItem) -> int:
        names = ("layer", *SCOPE_FIELDS)
        values = (item.layer, *(getattr(item.scope, name) for name in SCOPE_FIELDS))
        condition = " AND ".join(f"{name} = ?" for name in names)
        for _ in range(2):
            found = self._sql.execute(f"SELECT grp FROM groups WHERE {condition}", values).fetchall()
            if found:
                return int(found[0][0])
            self._sql.execute(f"INSERT INTO groups ({', '.join(names)}) VALUES (?,?,?,?,?,?,?)", values)
        raise AssertionError(values)

    def _counts(self, forward: bytes) -> dict[str, int]:
        counts = {entry >> 32: entry & 0xFFFFFFFF for entry in postings.unpack(forward)}
        rows = self._sql.execute(f"SELECT term, word FROM terms WHERE term IN {numbers(counts)}")
        return {word: counts[term] for term, word in rows.fetchall()}


def _extents(items: Iterable[tuple[int, int]]) -> tuple[Counter[int], Counter[int]]:
    """Of groups and lengths of items: by group, how many items there are, and how many terms those have together."""
    sizes, lengths = Counter[int](), Counter[int]()
    for grp, length in items:
        sizes[grp] += 1
        lengths[grp] += length
    return sizes, lengths


def _columns(entry: Prepared, item: MemoryItem) -> dict[str, str | int | None]:
    """What a filter asks about, from the item as it is to be read; and its document, which may differ in ``uses``."""
    return {
        "kind": item.kind,
        "status": item.status,
        "pinned": int(item.pinned),
        "session": item.session,
        "turn_id": item.turn_id,
        "place": item.place,
        "speaker": item.speaker.casefold(),
        "subject": item.subject.casefold(),
        "moment": speaks_of(item),
        "expires": instant(item.expires_at),
        "slot": slot_key(item.slot()),
        "key": item.key or None,
        "checksum": zlib.crc32(entry.document.encode()),
        "document": entry.document,
    }
