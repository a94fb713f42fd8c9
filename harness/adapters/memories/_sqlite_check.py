"""Whether a memory file is sound: SQLite's own checks, checksums, and the index beside the items."""

from __future__ import annotations

import zlib
from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING

from harness.adapters.memories._sqlite_postings import unpack

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

_COUNTS = (
    ("totals", "SELECT items, tokens FROM totals", "SELECT count(*), coalesce(sum(length), 0) FROM items"),
    (
        "groups",
        "SELECT grp, items, tokens FROM groups ORDER BY grp",
        "SELECT grp, count(*), sum(length) FROM items GROUP BY grp ORDER BY grp",
    ),
    ("vectors", "SELECT 0", "SELECT count(*) FROM vectors, totals WHERE length(vector) <> 4 * dimensions"),
)
"""What is counted, the count that is kept, and what it should be."""


def problems(sql: sqlite3.Connection) -> tuple[str, ...]:
    """One line for each problem."""
    found = [str(row[0]) for row in sql.execute("PRAGMA integrity_check").fetchall() if row[0] != "ok"]
    if found:
        return tuple(found)
    foreign = sql.execute("PRAGMA foreign_key_check").fetchall()
    found = [f"{row[0]}: row {row[1]} refers to nothing in {row[2]}" for row in foreign]
    found += [
        f"{name}: the counts kept are not those of the items"
        for name, kept, counted in _COUNTS
        if sql.execute(kept).fetchall() != sql.execute(counted).fetchall()
    ]
    return (*found, *_altered(sql), *_index(sql))


def _altered(sql: sqlite3.Connection) -> Iterator[str]:
    with closing(sql.execute("SELECT doc, checksum, CAST(document AS BLOB) FROM items")) as rows:
        for doc, checksum, document in rows:
            if zlib.crc32(document) != checksum:
                yield f"items: row {doc} was altered"


def _index(sql: sqlite3.Connection) -> Iterator[str]:
    """The words of the items, and the index of them, must say the same."""
    having: Counter[int] = Counter()
    expected = indexed = 0
    with closing(sql.execute("SELECT doc, grp, length, terms FROM items")) as rows:
        for doc, grp, length, forward in rows:
            for entry in unpack(forward):
                term, count = entry >> 32, entry & 0xFFFFFFFF
                having[term] += 1
                expected ^= hash((term, grp, doc, min(count, 0xFFFF), min(length, 0xFFFF)))
    entries: Counter[int] = Counter()
    with closing(sql.execute("SELECT term, grp, first, entries FROM postings")) as rows:
        for term, grp, first, blob in rows:
            found = unpack(blob)
            entries[term] += len(found)
            if not found or found[0] >> 32 != first or list(found) != sorted(found):
                yield f"postings: the entries of term {term} in group {grp} from {first} are not in order"
            for entry in found:
                indexed ^= hash((term, grp, entry >> 32, entry >> 16 & 0xFFFF, entry & 0xFFFF))
    if expected != indexed or having != entries:
        yield "postings: the index is not that of the items"
    if having != Counter(dict(sql.execute("SELECT term, items FROM terms").fetchall())):
        yield "terms: the counts kept are not those of the items"
