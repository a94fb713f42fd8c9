"""What the benchmark of memory stores compares the SQLite store with: FTS5, which is part of SQLite, and the extension sqlite-vec.

Both get what the stores get: terms as the language packs make them (stems, and pairs of characters in Chinese), with blanks between,
and vectors. FTS5 ranks by its ``bm25``; sqlite-vec scans its ``vec0`` tables: one of all, which is what writing and the file are
measured by, and one with the user as the partition key, whose chunks are a user's own. Both are asked for the best of all items, and of
the user's with the most ("scoped"). Each portion is written in one transaction.
"""

import importlib
import sqlite3
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from tests.benchmarks._memory_made import LIMIT, Made

np: Any = importlib.import_module("numpy")
Calls = dict[str, Sequence[Callable[[], Awaitable[object]]]]
Check = Callable[[str], None]
"""Told what was done, raises when the time is over."""
WHOSE = "u0"


@contextmanager
def fts5(made: Made, folder: Path, figures: dict[str, Any], check: Check) -> Iterator[Calls]:
    """Adds to the figures what writing costs; gives the searches by words."""
    path = folder / "fts5.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as sql:
        sql.execute("PRAGMA journal_mode = WAL")
        sql.execute("PRAGMA synchronous = NORMAL")
        sql.execute("CREATE TABLE items (doc INTEGER PRIMARY KEY, user TEXT, terms TEXT)")
        sql.execute("CREATE VIRTUAL TABLE words USING fts5 (terms, content='items', content_rowid='doc')")

        def write(rows: list[tuple[int, str, str, Any]]) -> None:
            with sql:
                sql.execute("BEGIN")
                sql.executemany("INSERT INTO items VALUES (?, ?, ?)", [row[:3] for row in rows])
                sql.executemany("INSERT INTO words (rowid, terms) VALUES (?, ?)", [(row[0], row[2]) for row in rows])

        _written(made, write, figures, check)
        sql.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        figures["file"] = path.stat().st_size / 1e6
        find = (
            "SELECT items.doc, items.terms, bm25(words) FROM words JOIN items ON items.doc = words.rowid "
            "WHERE words MATCH ?{} ORDER BY bm25(words) LIMIT ?"
        )
        asked = [" OR ".join(f'"{term}"' for term in dict.fromkeys(terms)) for terms in made.words]
        yield {
            "words": [_asking(sql, find.format(""), (query, LIMIT)) for query in asked],
            "scoped": [_asking(sql, find.format(" AND user = ?"), (query, WHOSE, LIMIT)) for query in asked],
        }


@contextmanager
def sqlite_vec(made: Made, folder: Path, figures: dict[str, Any], check: Check) -> Iterator[Calls]:
    """Adds to the figures what writing costs; gives the searches by vector. By apsw: the ``sqlite3`` of many builds of Python loads no
    extensions.
    """
    path = folder / "vec.db"
    apsw: Any = importlib.import_module("apsw")
    with closing(apsw.Connection(str(path))) as sql:
        sql.enable_load_extension(True)  # noqa: FBT003 - apsw takes it by position only
        sql.load_extension(importlib.import_module("sqlite_vec").loadable_path())
        sql.execute("PRAGMA journal_mode = WAL")
        sql.execute("PRAGMA synchronous = NORMAL")
        kind = f"vector float[{made.plan.dimensions}] distance_metric=cosine"
        sql.execute(f"CREATE VIRTUAL TABLE near USING vec0 (doc INTEGER PRIMARY KEY, {kind})")
        sql.execute(
            f"CREATE VIRTUAL TABLE near_of USING vec0 (doc INTEGER PRIMARY KEY, user TEXT PARTITION KEY, {kind})"
        )

        def write(rows: list[tuple[int, str, str, Any]]) -> None:
            with sql:
                values = [(doc, np.asarray(vector, np.float32).tobytes()) for doc, _, _, vector in rows]
                sql.executemany("INSERT INTO near (doc, vector) VALUES (?, ?)", values)

        def write_by_user(rows: list[tuple[int, str, str, Any]]) -> None:
            with sql:
                values = [(doc, user, np.asarray(vector, np.float32).tobytes()) for doc, user, _, vector in rows]
                sql.executemany("INSERT INTO near_of (doc, user, vector) VALUES (?, ?, ?)", values)

        _written(made, write, figures, check)
        sql.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        figures["file"] = path.stat().st_size / 1e6
        _written(made, write_by_user, {}, check)
        find = "SELECT doc, distance FROM {} WHERE vector MATCH ? AND k = ?"
        asked = [query.tobytes() for query in made.vectors]
        yield {
            "vector": [_asking(sql, find.format("near"), (query, LIMIT)) for query in asked],
            "scoped": [
                _asking(sql, find.format("near_of") + " AND user = ?", (query, LIMIT, WHOSE)) for query in asked
            ],
        }


def _written(
    made: Made, write: Callable[[list[tuple[int, str, str, Any]]], None], figures: dict[str, Any], check: Check
) -> None:
    """Number, user, terms and vector of each item, portion by portion."""
    taken, written = 0.0, 0
    for entries in made.entries():
        rows = [
            (written + at, entry.item.scope.user, " ".join(entry.terms), entry.vector)
            for at, entry in enumerate(entries)
        ]
        began = time.perf_counter()
        write(rows)
        taken += time.perf_counter() - began
        written += len(rows)
        check(f"only {written:,} of {made.plan.items:,} items were written")
    figures["write"] = written / taken


def _asking(sql: Any, query: str, values: tuple[Any, ...]) -> Callable[[], Awaitable[object]]:
    async def call() -> object:
        return sql.execute(query, values).fetchall()

    return call
