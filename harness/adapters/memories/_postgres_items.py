"""Items as rows of PostgreSQL: writing, reading and removing them. All functions run inside a transaction of the caller."""

from __future__ import annotations

import struct
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, get_args

from harness.adapters.memories._entries import Prepared, slot_key, standing
from harness.adapters.memories._filters import instant, speaks_of
from harness.adapters.memories._postgres_layout import MEMORIES
from harness.adapters.memories._postgres_where import Condition, number_of
from harness.adapters.stores._postgres_errors import corrupt
from harness.addresses import masked
from harness.errors import NewerSchema, StateError
from harness.state.memory import SCOPE_FIELDS, MemoryItem, MemoryStatus
from harness.state.migrations import load

if TYPE_CHECKING:
    from harness.adapters.memories._postgres_vectors import Vectors
    from harness.adapters.stores._postgres_server import Row, Sql

COLUMNS = "i.id, i.status, i.uses, i.last_used, i.document"
_PORTION = 500
_STATUSES = frozenset(get_args(MemoryStatus))
_TYPES = {
    "doc": "bigint",
    "id": "bytea",
    "grp": "integer",
    "kind": "text",
    "status": "text",
    "pinned": "boolean",
    "session": "bytea",
    "turn_id": "bytea",
    "place": "bigint",
    "speaker": "bytea",
    "subject": "bytea",
    "moment": "bigint",
    "expires": "bigint",
    "slot": "bigint",
    "key": "bigint",
    "uses": "bigint",
    "last_used": "text",
    "length": "integer",
    "forward": "bytea",
    "document": "text",
}
_INSERT = (
    f"INSERT INTO harness_memory_items ({', '.join(_TYPES)}) "
    f"SELECT * FROM unnest({', '.join(f'%s::{kind}[]' for kind in _TYPES.values())})"
)
_GROUP = ("layer", *(f"scope_{name}" for name in SCOPE_FIELDS))


class Items:
    """The rows of a store. ``url``: of the server, for errors."""

    def __init__(self, url: str, vectors: Vectors) -> None:
        self._url = url
        self._vectors = vectors

    async def put(self, sql: Sql, entries: Sequence[Prepared]) -> None:
        """Insert or replace items."""
        rows = await sql.rows(
            f"SELECT i.id, i.doc, i.length, i.forward, {COLUMNS} FROM harness_memory_items AS i WHERE i.id = ANY (%s)",
            [entry.item.id.encode() for entry in entries],
        )
        known = {row[0]: row[1:] for row in rows}
        fresh: list[Prepared] = []
        moved: dict[str, int] = {}
        for entry in entries:
            row = known.get(entry.item.id.encode())
            if row is None:
                fresh += [entry] if entry.read_as is None else []
                continue
            again = await self._replaced(sql, entry, row)
            if again is not None:
                fresh.append(again)
                moved[entry.item.id] = int(row[0])
        await self._insert(sql, fresh, moved)

    async def get(self, sql: Sql, condition: Condition, *, limit: int | None = None) -> tuple[MemoryItem, ...]:
        """Items for which the condition holds, in order of their ids."""
        rows = await sql.rows(
            f"SELECT {COLUMNS} FROM harness_memory_items AS i WHERE {condition.sql} ORDER BY i.id LIMIT %s",
            *condition.values,
            limit,
        )
        return tuple(self.read(row) for row in rows)

    async def by_doc(self, sql: Sql, docs: Collection[int]) -> dict[int, MemoryItem]:
        """Those of the items that there are."""
        rows = await sql.rows(
            f"SELECT i.doc, {COLUMNS} FROM harness_memory_items AS i WHERE i.doc = ANY (%s)", list(docs)
        )
        return {row[0]: self.read(row[1:]) for row in rows}

    async def remove(self, sql: Sql, condition: Condition) -> int:
        """Delete items and whatever was made of them; gives how many there were."""
        count = 0
        while True:
            rows = await sql.rows(
                f"SELECT i.doc FROM harness_memory_items AS i WHERE {condition.sql} LIMIT {_PORTION}", *condition.values
            )
            if not rows:
                return count
            await self._remove(sql, [row[0] for row in rows])
            count += len(rows)

    def read(self, row: Row) -> MemoryItem:
        """The item of a row. Raises CorruptStore, NewerSchema."""
        name, status, uses, last_used, document = row
        label = f"memory item {bytes(name).decode(errors='replace')!r}"
        try:
            item = load(MemoryItem, document)
            at = None if last_used is None else datetime.fromisoformat(last_used)
        except NewerSchema as error:
            where = masked(self._url)
            message = f"In the {MEMORIES.what} at {where!r}, {label}: {error.message}"
            raise NewerSchema(message, remedy=error.remedy, url=where, **error.details) from error
        except (StateError, ValueError) as error:
            raise corrupt(self._url, f"the {label} in it cannot be read ({error})", MEMORIES.what) from error
        if status not in _STATUSES or item.id.encode() != name:
            reason = f"the {label} in it holds item {item.id!r} with the status {status!r}"
            raise corrupt(self._url, reason, MEMORIES.what)
        if (status, uses, at) == (item.status, item.uses, item.last_used_at):
            return item
        return item.model_copy(update={"status": status, "uses": uses, "last_used_at": at})

    async def _replaced(self, sql: Sql, entry: Prepared, known: Row) -> Prepared | None:
        """Write over a row; or, where the item is found by other words or in another scope, give what is to be inserted in
        its place.
        """
        doc, length, forward, *row = known
        old = self.read(tuple(row))
        new = standing(entry, old)
        alike = (old.scope, old.layer, length) == (new.scope, new.layer, entry.length)
        if not alike or unpack(forward) != numbered(entry):
            return replace(entry, item=new)
        if new != old:
            columns = _columns(entry, new)
            names = ", ".join(f"{name} = %s" for name in columns)
            await sql.run(f"UPDATE harness_memory_items SET {names} WHERE doc = %s", *columns.values(), doc)
        if entry.vector is not None:
            await self._vectors.set(sql, {doc: entry.vector})
        elif new.text != old.text:
            await self._vectors.drop(sql, [doc])
        return None

    async def _insert(self, sql: Sql, entries: Sequence[Prepared], moved: dict[str, int]) -> None:
        """Insert items; those in ``moved`` take the place of a doc, with its vector where they bring none and say the same."""
        if not entries:
            return
        texts = await self.by_doc(sql, moved.values())
        keeping = {
            entry.item.id: moved[entry.item.id]
            for entry in entries
            if entry.item.id in moved and entry.vector is None and texts[moved[entry.item.id]].text == entry.item.text
        }
        vectors = await self._vectors.stored(sql, keeping.values())
        await self._remove(sql, list(moved.values()))
        groups = await self._groups(sql, [entry.item for entry in entries])
        docs = [
            int(row[0])
            for row in await sql.rows(
                "SELECT nextval(pg_get_serial_sequence('harness_memory_items', 'doc')) FROM generate_series(1, %s)",
                len(entries),
            )
        ]
        terms = [numbered(entry) for entry in entries]
        rows = [
            {
                "doc": doc,
                "id": entry.item.id.encode(),
                "grp": grp,
                "uses": entry.item.uses,
                "last_used": entry.item.last_used_at and entry.item.last_used_at.isoformat(),
                "length": entry.length,
                "forward": pack(counts),
                **_columns(entry, entry.item),
            }
            for entry, grp, doc, counts in zip(entries, groups, docs, terms, strict=True)
        ]
        await sql.run(_INSERT, *([row[name] for row in rows] for name in _TYPES))
        await self._index(sql, rows, terms)
        fresh: dict[int, array[float]] = {}
        for entry, doc in zip(entries, docs, strict=True):
            vector = entry.vector if entry.item.id not in keeping else vectors.get(keeping[entry.item.id])
            if vector is not None:
                fresh[doc] = vector
        await self._vectors.set(sql, fresh)
        await _resize(sql, [(grp, entry.length) for grp, entry in zip(groups, entries, strict=True)], sign=1)
        await sql.run(
            "UPDATE harness_memory_totals SET items = items + %s, tokens = tokens + %s",
            len(entries),
            sum(entry.length for entry in entries),
        )

    async def _index(self, sql: Sql, rows: Sequence[dict[str, object]], terms: Sequence[dict[int, int]]) -> None:
        entries = [
            (term, row["grp"], row["doc"], tally, row["length"])
            for row, counts in zip(rows, terms, strict=True)
            for term, tally in counts.items()
        ]
        if not entries:
            return
        entries.sort(key=lambda entry: entry[0])  # neighbours in the index one after the other
        await sql.run(
            "INSERT INTO harness_memory_postings "
            "SELECT * FROM unnest(%s::bigint[], %s::integer[], %s::bigint[], %s::integer[], %s::integer[])",
            *(list(column) for column in zip(*entries, strict=True)),
        )
        await sql.run(
            "INSERT INTO harness_memory_terms AS known SELECT * FROM unnest(%s::bigint[], %s::integer[], %s::bigint[]) "
            "ON CONFLICT (term, grp) DO UPDATE SET items = known.items + excluded.items",
            *_having((entry[0], entry[1]) for entry in entries),
        )

    async def _remove(self, sql: Sql, docs: Sequence[int]) -> None:
        if not docs:
            return
        rows = await sql.rows(
            "SELECT doc, grp, length, forward FROM harness_memory_items WHERE doc = ANY (%s)", list(docs)
        )
        entries = [(term, grp, doc) for doc, grp, _, forward in rows for term in unpack(forward)]
        if entries:
            await sql.run(
                "DELETE FROM harness_memory_postings AS p "
                "USING unnest(%s::bigint[], %s::integer[], %s::bigint[]) AS gone (term, grp, doc) "
                "WHERE p.term = gone.term AND p.grp = gone.grp AND p.doc = gone.doc",
                *(list(column) for column in zip(*entries, strict=True)),
            )
            terms, groups, counts = _having((entry[0], entry[1]) for entry in entries)
            await sql.run(
                "UPDATE harness_memory_terms AS known SET items = known.items - gone.items "
                "FROM unnest(%s::bigint[], %s::integer[], %s::bigint[]) AS gone (term, grp, items) "
                "WHERE known.term = gone.term AND known.grp = gone.grp",
                terms,
                groups,
                counts,
            )
            await sql.run("DELETE FROM harness_memory_terms WHERE term = ANY (%s) AND items <= 0", terms)
        await self._vectors.drop(sql, docs)
        await sql.run("DELETE FROM harness_memory_items WHERE doc = ANY (%s)", list(docs))
        await _resize(sql, [(row[1], row[2]) for row in rows], sign=-1)
        await sql.run(
            "UPDATE harness_memory_totals SET items = items - %s, tokens = tokens - %s",
            len(rows),
            sum(row[2] for row in rows),
        )

    async def _groups(self, sql: Sql, items: Sequence[MemoryItem]) -> list[int]:
        """The group of each, made when there is none."""
        wanted = [_group(item) for item in items]
        distinct = list(dict.fromkeys(wanted))
        columns = [list(column) for column in zip(*distinct, strict=True)]
        given = f"unnest(%s::text[], {', '.join(['%s::bytea[]'] * len(SCOPE_FIELDS))}) AS given ({', '.join(_GROUP)})"
        await sql.run(
            f"INSERT INTO harness_memory_groups ({', '.join(_GROUP)}) SELECT * FROM {given} ON CONFLICT DO NOTHING",
            *columns,
        )
        rows = await sql.rows(
            f"SELECT grp, {', '.join(_GROUP)} FROM harness_memory_groups JOIN {given} USING ({', '.join(_GROUP)})",
            *columns,
        )
        found = {tuple(row[1:]): int(row[0]) for row in rows}
        return [found[names] for names in wanted]


def _having(entries: Iterable[tuple[object, object]]) -> tuple[list[object], list[object], list[int]]:
    """Terms, groups, and how many of the entries are of both."""
    counts = Counter(entries)
    return [term for term, _ in counts], [grp for _, grp in counts], list(counts.values())


async def _resize(sql: Sql, items: Sequence[tuple[int, int]], *, sign: int) -> None:
    """Count items, given as their groups and lengths, in or out."""
    sizes, lengths = Counter[int](), Counter[int]()
    for grp, length in items:
        sizes[grp] += sign
        lengths[grp] += sign * length
    await sql.run(
        "UPDATE harness_memory_groups AS g SET items = g.items + given.items, tokens = g.tokens + given.tokens "
        "FROM unnest(%s::integer[], %s::bigint[], %s::bigint[]) AS given (grp, items, tokens) WHERE g.grp = given.grp",
        list(sizes),
        list(sizes.values()),
        [lengths[grp] for grp in sizes],
    )
    if sign < 0:  # a group's row has the name of a user in it
        await sql.run("DELETE FROM harness_memory_groups WHERE grp = ANY (%s) AND items <= 0", list(sizes))


def _group(item: MemoryItem) -> tuple[object, ...]:
    return (item.layer, *(getattr(item.scope, name).encode() for name in SCOPE_FIELDS))


def numbered(entry: Prepared) -> dict[int, int]:
    """How often an entry has each term, by the number of the term."""
    counts: Counter[int] = Counter()
    for word, count in entry.counts.items():
        counts[number_of(word)] += count
    return dict(counts)


def pack(counts: dict[int, int]) -> bytes:
    """Numbers of terms and how often, as ``forward`` has them."""
    return struct.pack(f"<{'qi' * len(counts)}", *(value for pair in counts.items() for value in pair))


def unpack(forward: bytes) -> dict[int, int]:
    """The inverse of :func:`pack`."""
    return dict(struct.iter_unpack("<qi", forward))


def _columns(entry: Prepared, item: MemoryItem) -> dict[str, object]:
    """What a filter asks about, from the item as it is to be read; and its document, which may differ in ``uses``."""
    slot = slot_key(item.slot())
    return {
        "kind": item.kind,
        "status": item.status,
        "pinned": item.pinned,
        "session": item.session.encode(),
        "turn_id": item.turn_id.encode(),
        "place": item.place,
        "speaker": item.speaker.casefold().encode(),
        "subject": item.subject.casefold().encode(),
        "moment": speaks_of(item),
        "expires": instant(item.expires_at),
        "slot": None if slot is None else number_of(slot),
        "key": number_of(item.key) if item.key else None,
        "document": entry.document,
    }
