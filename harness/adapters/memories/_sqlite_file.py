"""A memory file as SQL: one synchronous method per operation of the store, used by one thread."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from harness.adapters.memories._entries import Prepared, check_dimensions, slot_key
from harness.adapters.memories._sqlite_check import problems
from harness.adapters.memories._sqlite_items import Items
from harness.adapters.memories._sqlite_layout import APPLICATION_ID, LAYOUTS, WHAT
from harness.adapters.memories._sqlite_search import Search
from harness.adapters.memories._sqlite_vectors import Vectors
from harness.adapters.memories._sqlite_where import (
    Condition,
    admitted,
    doomed,
    fitting,
    numbers,
    of_groups,
    portions,
    within,
)
from harness.adapters.stores._sqlite_layout import Synchronous, connect
from harness.adapters.stores._sqlite_log import Log
from harness.adapters.stores._sqlite_transaction import transaction
from harness.ports.memories import EmbeddingSpace, MemoryFilter, MemoryHits, MemoryQuery, MemoryStats, Slot
from harness.state.memory import MemoryItem

_CACHE_KIB = 32 * 1024
"""Pages held in memory. The index of a hundred thousand items takes about as much."""


def open_file(
    place: Path | str,
    *,
    synchronous: Synchronous,
    busy_timeout_s: float,
    vectors: Callable[[sqlite3.Connection], Vectors] = Vectors,
) -> MemoryFile:
    """The memory file at ``place``, made when there is none. ``vectors``: how they are searched."""
    connection = connect(
        place,
        synchronous=synchronous,
        busy_timeout_s=busy_timeout_s,
        layouts=LAYOUTS,
        application=APPLICATION_ID,
        what=WHAT,
    )
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    return MemoryFile(connection, place, vectors(connection))


class MemoryFile:
    """Everything a store does with an open connection. Raises sqlite3.Error besides the errors of the port."""

    def __init__(self, connection: sqlite3.Connection, place: Path | str, vectors: Vectors) -> None:
        self._connection = connection
        self._place = place
        self.log = Log(connection, place)
        self._vectors = vectors
        self._items = Items(connection, place, self._vectors)
        self._search = Search(connection, self._items, self._vectors)

    def close(self) -> None:
        """Close the file."""
        self._vectors.close()
        self.log.close()
        self._connection.close()

    def put(self, entries: Sequence[Prepared]) -> None:
        """Insert or replace items."""
        with self._transaction("IMMEDIATE"):
            self._put(entries)

    def follow(
        self, session: str, turn_id: str, put: Sequence[Prepared], hide: Collection[str], show: Collection[str]
    ) -> None:
        """Store, hide and show items, and note the turn."""
        with self._transaction("IMMEDIATE") as sql:
            self._put(put)
            for turns, before, after in ((hide, "active", "hidden"), (show, "hidden", "active")):
                for some in portions(turns):
                    condition = within("turn_id", some)
                    sql.execute(
                        f"UPDATE items SET status = ? WHERE session = ? AND status = ? AND {condition.sql}",
                        (after, session, before, *condition.values),
                    )
            sql.execute("INSERT OR REPLACE INTO followed VALUES (?, ?)", (session, turn_id))

    def followed(self, session: str) -> str | None:
        """The turn that was noted."""
        rows = self._rows("SELECT turn_id FROM followed WHERE session = ?", session)
        return rows[0][0] if rows else None

    def all_followed(self) -> tuple[str, ...]:
        """The sessions that turns were noted of."""
        return tuple(str(row[0]) for row in self._rows("SELECT session FROM followed"))

    def unfollow(self, sessions: Collection[str]) -> None:
        """Remove the turns that were noted."""
        count = 0
        with self._transaction("IMMEDIATE") as sql:
            for some in portions(sessions):
                condition = within("session", some)
                count += sql.execute(f"DELETE FROM followed WHERE {condition.sql}", condition.values).rowcount
        if count:
            self.log.empty()

    def get(self, ids: Sequence[str]) -> tuple[MemoryItem, ...]:
        """Items by id, in that order."""
        with self._transaction("DEFERRED"):
            found = self._items.by_id(ids)
        return tuple(found[name] for name in dict.fromkeys(ids) if name in found)

    def search(self, query: MemoryQuery) -> MemoryHits:
        """What a query finds."""
        with self._transaction("DEFERRED"):
            return self._search.find(query)

    def around(self, places: Mapping[str, Collection[int]], where: MemoryFilter) -> tuple[MemoryItem, ...]:
        """Messages by session and place."""
        with self._transaction("DEFERRED"):
            inside = self._inside(where) & Condition("kind = 'message'")
            found = [
                item
                for session, wanted in places.items()
                for item in self._items.get(
                    inside & Condition(f"session = ? AND place IN {numbers(set(wanted))}", (session,))
                )
            ]
        return tuple(sorted(found, key=lambda item: (item.session, item.place, item.id)))

    def of_slots(self, slots: Collection[Slot], where: MemoryFilter) -> tuple[MemoryItem, ...]:
        """Items that state the same facts."""
        return self._having("slot", [str(slot_key(slot)) for slot in slots], where)

    def with_keys(self, keys: Collection[str], where: MemoryFilter) -> tuple[MemoryItem, ...]:
        """Items that say the same."""
        return self._having("key", keys, where)

    def browse(self, where: MemoryFilter, after: str, limit: int) -> tuple[MemoryItem, ...]:
        """Items behind an id."""
        with self._transaction("DEFERRED"):
            return self._items.get(self._inside(where) & Condition("id > ?", (after,)), limit=max(limit, 0))

    def used(self, ids: Collection[str], at: datetime) -> None:
        """Count one use; the same moment counts once."""
        with self._transaction("IMMEDIATE") as sql:
            for name in set(ids):
                rows = self._rows("SELECT last_used FROM items WHERE id = ?", name)
                last = datetime.fromisoformat(rows[0][0]) if rows and rows[0][0] else None
                if rows and last != at:
                    latest = at if last is None or last < at else last
                    sql.execute(
                        "UPDATE items SET uses = uses + 1, last_used = ? WHERE id = ?", (latest.isoformat(), name)
                    )

    def delete(self, ids: Collection[str]) -> int:
        """Remove items by id."""
        with self._transaction("IMMEDIATE"):
            count = sum(self._items.remove(within("id", some)) for some in portions(ids))
        self.log.empty()
        return count

    def forget(self, where: MemoryFilter) -> int:
        """Remove items by a filter."""
        with self._transaction("IMMEDIATE") as sql:
            count = self._items.remove(of_groups(doomed(sql, where)) & fitting(where))
        self.log.empty()
        return count

    def space(self) -> EmbeddingSpace | None:
        """The space of the vectors."""
        return self._vectors.space()

    def embed(self, space: EmbeddingSpace, vectors: Mapping[str, array[float]]) -> None:
        """Set vectors of items that there are."""
        with self._transaction("IMMEDIATE"):
            self._vectors.set_space(space)
            for name, vector in vectors.items():
                rows = self._rows("SELECT doc FROM items WHERE id = ?", name)
                if rows:
                    self._vectors.set(rows[0][0], vector)

    def vectors(self, ids: Collection[str]) -> dict[str, array[float]]:
        """Vectors by id."""
        found = {}
        with self._transaction("DEFERRED"):
            for name in set(ids):
                rows = self._rows("SELECT doc FROM items WHERE id = ?", name)
                vector = self._vectors.get(rows[0][0]) if rows else None
                if vector is not None:
                    found[name] = vector
        return found

    def unembedded(self, limit: int) -> tuple[MemoryItem, ...]:
        """Items without a vector."""
        with self._transaction("DEFERRED"):
            without = Condition("NOT EXISTS (SELECT 1 FROM vectors WHERE vectors.doc = items.doc)")
            return self._items.get(without, limit=max(limit, 0))

    def stats(self) -> MemoryStats:
        """What the file holds."""
        with self._transaction("DEFERRED"):
            pages, size = self._rows("PRAGMA page_count")[0][0], self._rows("PRAGMA page_size")[0][0]
            layers = "SELECT layer, count(*) FROM items JOIN groups USING (grp) GROUP BY layer"
            return MemoryStats(
                items=self._rows("SELECT items FROM totals")[0][0],
                by_layer=dict(self._rows(layers)),
                by_kind=dict(self._rows("SELECT kind, count(*) FROM items GROUP BY kind")),
                by_status=dict(self._rows("SELECT status, count(*) FROM items GROUP BY status")),
                vectors=self._rows("SELECT count(*) FROM vectors")[0][0],
                space=self._vectors.space(),
                size_bytes=pages * size,
            )

    def check(self) -> tuple[str, ...]:
        """Problems that reading the whole file shows; empty when it is sound."""
        with self._transaction("DEFERRED") as sql:
            return problems(sql)

    def _put(self, entries: Sequence[Prepared]) -> None:
        space = self._vectors.space()
        for entry in entries:
            if entry.vector is not None:
                check_dimensions(entry.vector, space, f"memory item {entry.item.id!r}")
        self._items.put(entries)

    def _having(self, column: str, values: Collection[str], where: MemoryFilter) -> tuple[MemoryItem, ...]:
        with self._transaction("DEFERRED"):
            inside = self._inside(where)
            found = [item for some in portions(values) for item in self._items.get(within(column, some) & inside)]
        return tuple(sorted(found, key=lambda item: item.id))

    def _inside(self, where: MemoryFilter) -> Condition:
        return of_groups(admitted(self._connection, where)) & fitting(where)

    def _rows(self, statement: str, *values: str) -> list[Any]:
        return self._connection.execute(statement, values).fetchall()

    @contextmanager
    def _transaction(self, kind: str) -> Iterator[sqlite3.Connection]:
        try:
            with transaction(self._connection, kind):
                yield self._connection
                self._vectors.committing(self._place)
            self._vectors.done()
        except BaseException:
            self._vectors.undone()
            raise
