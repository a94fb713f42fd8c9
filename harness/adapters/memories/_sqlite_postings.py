"""An inverted index in SQLite tables.

Not FTS5: with 100,000 items in one scope its bm25() took 17 times as long for the same queries, it counts frequencies anew in
every query, its words cannot be kept apart by scope, and before SQLite 3.42 it keeps deleted words in the file.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.adapters.memories._sqlite_where import damaged, of_groups, portions, within

if TYPE_CHECKING:
    import sqlite3

CHUNK = 120
"""Entries in one row: 960 bytes, the most that SQLite keeps inside a page of 4096 in a table without rowid."""
_BITS16 = 0xFFFF


@dataclass(frozen=True, slots=True)
class Indexed:
    """What the index knows of an item."""

    doc: int
    grp: int
    length: int
    counts: Mapping[str, int]


def unpack(blob: object) -> tuple[int, ...]:
    """64-bit numbers, least byte first. Raises sqlite3.DatabaseError when the last is cut off, or for what is no such list."""
    if not isinstance(blob, bytes) or len(blob) % 8:
        raise damaged("an entry of the index is cut off")
    return struct.unpack(f"<{len(blob) // 8}Q", blob)


def pack(entries: Sequence[int]) -> bytes:
    """The inverse of :func:`unpack`."""
    return struct.pack(f"<{len(entries)}Q", *entries)


def numbered(sql: sqlite3.Connection, words: Collection[str]) -> dict[str, tuple[int, int]]:
    """For each known word: its number, and how many items have it."""
    found: dict[str, tuple[int, int]] = {}
    for some in portions(words):
        condition = within("word", some)
        rows = sql.execute(f"SELECT word, term, items FROM terms WHERE {condition.sql}", condition.values)
        found.update((word, (term, items)) for word, term, items in rows.fetchall())
    return found


def add(sql: sqlite3.Connection, items: Sequence[Indexed]) -> list[bytes]:
    """Index items, whose docs rise and are higher than all before; gives what is kept of each as ``items.terms``."""
    having: dict[str, int] = defaultdict(int)
    for item in items:
        for word in item.counts:
            having[word] += 1
    known = numbered(sql, having)
    sql.executemany("INSERT INTO terms (word, items) VALUES (?, 0)", [(word,) for word in having if word not in known])
    known |= numbered(sql, [word for word in having if word not in known])
    sql.executemany(
        "UPDATE terms SET items = items + ? WHERE term = ?", [(count, known[word][0]) for word, count in having.items()]
    )
    fresh: dict[tuple[int, int], list[int]] = defaultdict(list)
    forward = []
    for item in items:
        of_item = []
        for word, count in item.counts.items():
            term = known[word][0]
            of_item.append(term << 32 | count)
            fresh[term, item.grp].append(item.doc << 32 | min(count, _BITS16) << 16 | min(item.length, _BITS16))
        forward.append(pack(of_item))
    rows: list[tuple[int, int, int, bytes]] = []
    for (term, grp), entries in sorted(fresh.items()):
        tail = sql.execute(
            "SELECT first, entries FROM postings WHERE term = ? AND grp = ? ORDER BY first DESC LIMIT 1", (term, grp)
        ).fetchall()
        whole = [*unpack(tail[0][1]), *entries] if tail and len(tail[0][1]) < CHUNK * 8 else entries
        rows.extend(
            (term, grp, whole[start] >> 32, pack(whole[start : start + CHUNK])) for start in range(0, len(whole), CHUNK)
        )
    sql.executemany("INSERT OR REPLACE INTO postings VALUES (?, ?, ?, ?)", rows)
    return forward


def remove(sql: sqlite3.Connection, items: Iterable[tuple[int, int, bytes]]) -> None:
    """Take items (doc, group, ``items.terms``) out of the index; words that none has any more are deleted."""
    gone: dict[tuple[int, int], set[int]] = defaultdict(set)
    having: dict[int, int] = defaultdict(int)
    for doc, grp, forward in items:
        for entry in unpack(forward):
            gone[entry >> 32, grp].add(doc)
            having[entry >> 32] += 1
    for (term, grp), docs in sorted(gone.items()):
        _take(sql, term, grp, docs)
    sql.executemany(
        "UPDATE terms SET items = items - ? WHERE term = ?", [(count, term) for term, count in having.items()]
    )
    sql.executemany("DELETE FROM terms WHERE term = ? AND items <= 0", [(term,) for term in having])


def _take(sql: sqlite3.Connection, term: int, grp: int, docs: Collection[int]) -> None:
    place = (term, grp)
    rows = sql.execute(
        "SELECT first, entries FROM postings WHERE term = ?1 AND grp = ?2 AND first <= ?4 AND first >= coalesce("
        "(SELECT max(first) FROM postings WHERE term = ?1 AND grp = ?2 AND first <= ?3), 0)",
        (*place, min(docs), max(docs)),
    ).fetchall()
    for first, blob in rows:
        entries = unpack(blob)
        left = [entry for entry in entries if entry >> 32 not in docs]
        if not left:
            sql.execute("DELETE FROM postings WHERE term = ? AND grp = ? AND first = ?", (*place, first))
        elif len(left) < len(entries):
            sql.execute(
                "UPDATE postings SET entries = ?, first = ? WHERE term = ? AND grp = ? AND first = ?",
                (pack(left), left[0] >> 32, *place, first),
            )


def frequencies(
    sql: sqlite3.Connection, known: Mapping[str, tuple[int, int]], groups: Collection[int] | None
) -> dict[str, int]:
    """How many items of the groups have each of the words that :func:`numbered` gave."""
    if groups is None:
        return {word: items for word, (_, items) in known.items()}
    # Of a blob whose bytes are not asked for, SQLite reads the length alone.
    statement = f"SELECT coalesce(sum(length(entries)), 0) / 8 FROM postings WHERE term = ? AND {of_groups(groups).sql}"
    return {word: int(sql.execute(statement, (term,)).fetchone()[0]) for word, (term, _) in known.items()}


def entries(sql: sqlite3.Connection, term: int, groups: Collection[int] | None) -> bytes:
    """All entries of a term in the groups."""
    rows = sql.execute(f"SELECT entries FROM postings WHERE term = ? AND {of_groups(groups).sql}", (term,))
    blobs = [row[0] for row in rows.fetchall()]
    if any(len(blob) % 8 for blob in blobs):
        raise damaged("an entry of the index is cut off")
    return b"".join(blobs)
