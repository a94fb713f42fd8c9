"""A graph in a SQLite file: crash-safe, shared between programs, readable with any SQLite tool."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from harness.adapters.graphs._edges import closed, dump, read
from harness.adapters.graphs._walking import Walking, named, scope_limits
from harness.adapters.stores._sqlite_layout import Synchronous, connect
from harness.adapters.stores._sqlite_log import Log
from harness.adapters.stores._sqlite_thread import SQLiteThread
from harness.adapters.stores._sqlite_transaction import transaction
from harness.ports.graphs import MOST_EDGES, GraphFilter, GraphStats
from harness.state.graph import Edge

APPLICATION_ID: Final = 0x64686E67
"""``dhng`` in ASCII, in the file header."""
WHAT: Final = "graph"
_STRICT = "STRICT, WITHOUT ROWID" if sqlite3.sqlite_version_info >= (3, 37) else "WITHOUT ROWID"
SCOPE: Final = {
    "persona": "persona",
    "user": "user",
    "session": "only_session",
    "task": "task",
    "project": "project",
    "world": "world",
}
"""Field of a scope → column."""
LAYOUTS: tuple[tuple[str, ...], ...] = (
    (
        # subject, object: keys of the entities; object is empty where there is a value. hidden holds good, not what the document says.
        f"""CREATE TABLE edges (
            id TEXT NOT NULL PRIMARY KEY,
            subject TEXT NOT NULL,
            relation TEXT NOT NULL,
            object TEXT NOT NULL,
            session TEXT NOT NULL,
            turn_id TEXT NOT NULL,
            hidden INTEGER NOT NULL,
            persona TEXT NOT NULL,
            user TEXT NOT NULL,
            only_session TEXT NOT NULL,
            task TEXT NOT NULL,
            project TEXT NOT NULL,
            world TEXT NOT NULL,
            document TEXT NOT NULL
        ) {_STRICT}""",
        "CREATE INDEX edges_subject ON edges (subject, relation)",
        "CREATE INDEX edges_object ON edges (object) WHERE object <> ''",
        "CREATE INDEX edges_turn ON edges (session, turn_id)",
        "CREATE INDEX edges_user ON edges (user, persona)",
        # turn_id: empty for the beginning of the session.
        f"""CREATE TABLE followed (
            session TEXT NOT NULL PRIMARY KEY,
            turn_id TEXT NOT NULL
        ) {_STRICT}""",
    ),
)
"""Append only: entry ``n`` holds the statements that lead from layout ``n`` to ``n + 1``."""
_SAME = "SELECT value FROM json_each(?)"


class SQLiteGraph(Walking):
    """A :class:`~harness.ports.graphs.Graph` in one SQLite file (WAL mode), or in ``:memory:``.

    Every write is one transaction. All SQL runs in one thread of the graph's own. Several graphs, in this program or others, may
    use the same file, which is opened by the first call. Every method raises StoreError (CorruptStore, StorageFull …) when the file cannot be used.

    Args:
        path: the file, or ``:memory:``.
        synchronous, busy_timeout_s: as of :class:`~harness.adapters.memories.sqlite.SQLiteMemoryStore`.
    """

    def __init__(self, path: str | Path, *, synchronous: Synchronous = "NORMAL", busy_timeout_s: float = 5.0) -> None:
        self._file = SQLiteThread(
            path,
            partial(_open, synchronous=synchronous, busy_timeout_s=busy_timeout_s),
            synchronous=synchronous,
            busy_timeout_s=busy_timeout_s,
            closed=closed,
            what=WHAT,
        )

    async def follow(
        self,
        session: str,
        turn_id: str | None,
        *,
        put: Sequence[Edge] = (),
        hide: Collection[str] = (),
        show: Collection[str] = (),
    ) -> None:
        """Store, hide and show statements, and note the turn, in one transaction. Raises StoreError."""
        await self._file.run(lambda file: file.follow(session, turn_id or "", put, hide, show))

    async def followed(self, session: str) -> str | None:
        """The turn it stands at."""
        return await self._file.run(lambda file: file.followed(session))

    async def all_followed(self) -> tuple[str, ...]:
        """See :class:`~harness.ports.NamesFollowed`."""
        return await self._file.run(lambda file: file.all_followed())

    async def unfollow(self, sessions: Collection[str]) -> None:
        """Remove where the graph stands in sessions that were deleted."""
        await self._file.run(lambda file: file.unfollow(sessions))

    async def touching(self, keys: Collection[str], where: GraphFilter, *, limit: int = MOST_EDGES) -> tuple[Edge, ...]:
        """Statements about entities. Raises StoreError."""
        return await self._file.run(lambda file: file.touching(keys, where, limit))

    async def _of_slots(self, slots: Collection[tuple[str, str]], where: GraphFilter) -> tuple[Edge, ...]:
        return await self._file.run(lambda file: file.of_slots(slots, where))

    async def browse(self, where: GraphFilter, *, after: str = "", limit: int = 100) -> tuple[Edge, ...]:
        """Statements in order of their ids."""
        return await self._file.run(lambda file: file.browse(where, after, limit))

    async def delete(self, ids: Collection[str]) -> int:
        """Remove statements and overwrite their text in the file."""
        return await self._file.run(lambda file: file.delete(ids))

    async def forget(self, where: GraphFilter) -> int:
        """Remove what the filter, its scope taken exactly, holds for."""
        return await self._file.run(lambda file: file.forget(where))

    async def stats(self) -> GraphStats:
        """What it holds; ``size_bytes`` is the file's, without its log."""
        return await self._file.run(lambda file: file.stats())

    async def not_overwritten(self) -> tuple[str, ...]:
        """See :class:`~harness.ports.Overwrites`."""
        return await self._file.not_overwritten()

    async def close(self) -> None:
        """Finish what was begun and close the file. May be called again."""
        await self._file.close()


def _open(place: Path | str, *, synchronous: Synchronous, busy_timeout_s: float) -> _GraphFile:
    connection = connect(
        place,
        synchronous=synchronous,
        busy_timeout_s=busy_timeout_s,
        layouts=LAYOUTS,
        application=APPLICATION_ID,
        what=WHAT,
    )
    return _GraphFile(connection, place)


class _GraphFile:
    """What is done with an open connection. Raises sqlite3.Error besides the errors of the port."""

    def __init__(self, connection: sqlite3.Connection, place: Path | str) -> None:
        self._connection = connection
        self._place = str(place)
        self.log = Log(connection, place)

    def close(self) -> None:
        self.log.close()
        self._connection.close()

    def follow(
        self, session: str, turn_id: str, put: Sequence[Edge], hide: Collection[str], show: Collection[str]
    ) -> None:
        with transaction(self._connection) as sql:
            columns = ", ".join("?" * 14)
            sql.executemany(f"INSERT OR REPLACE INTO edges VALUES ({columns})", [_row(edge) for edge in put])
            for turns, hidden in ((hide, 1), (show, 0)):
                sql.execute(
                    f"UPDATE edges SET hidden = ? WHERE session = ? AND turn_id IN ({_SAME})",
                    (hidden, session, json.dumps(list(turns))),
                )
            sql.execute("INSERT OR REPLACE INTO followed VALUES (?, ?)", (session, turn_id))

    def followed(self, session: str) -> str | None:
        rows = self._connection.execute("SELECT turn_id FROM followed WHERE session = ?", (session,)).fetchall()
        return str(rows[0][0]) if rows else None

    def all_followed(self) -> tuple[str, ...]:
        return tuple(str(row[0]) for row in self._connection.execute("SELECT session FROM followed"))

    def unfollow(self, sessions: Collection[str]) -> None:
        with transaction(self._connection) as sql:
            gone = sql.execute(
                f"DELETE FROM followed WHERE session IN ({_SAME})", (json.dumps(list(sessions)),)
            ).rowcount
        if gone:
            self.log.empty()

    def touching(self, keys: Collection[str], where: GraphFilter, limit: int) -> tuple[Edge, ...]:
        condition, values = _condition(where)
        wanted = json.dumps([key for key in keys if key])
        # A UNION, so that each half is found by its own index.
        halves = " UNION ".join(
            f"SELECT id, document, hidden FROM edges WHERE {side} AND {condition}"
            for side in (f"subject IN ({_SAME})", f"object <> '' AND object IN ({_SAME})")
        )
        return self._edges(f"{halves} ORDER BY 1 LIMIT ?", (wanted, *values, wanted, *values, max(limit, 0)))

    def of_slots(self, slots: Collection[tuple[str, str]], where: GraphFilter) -> tuple[Edge, ...]:
        condition, values = _condition(where)
        found: list[Edge] = []
        for key, relation in slots:
            statement = f"SELECT id, document, hidden FROM edges WHERE subject = ? AND relation = ? AND {condition}"
            found += self._edges(statement, (key, relation, *values))
        return tuple(found)

    def browse(self, where: GraphFilter, after: str, limit: int) -> tuple[Edge, ...]:
        condition, values = _condition(where)
        statement = f"SELECT id, document, hidden FROM edges WHERE {condition} AND id > ? ORDER BY id LIMIT ?"
        return self._edges(statement, (*values, after, max(limit, 0)))

    def delete(self, ids: Collection[str]) -> int:
        with transaction(self._connection) as sql:
            count = sql.execute(f"DELETE FROM edges WHERE id IN ({_SAME})", (json.dumps(list(ids)),)).rowcount
        self.log.empty()
        return count

    def forget(self, where: GraphFilter) -> int:
        limits = named(where.scope)
        condition = [f"{SCOPE[name]} = ?" for name in limits]
        values = list(limits.values())
        if where.session:
            condition.append("session = ?")
            values.append(where.session)
        if not condition and not where.everything:
            condition = [f"{column} = ''" for column in SCOPE.values()]
        with transaction(self._connection) as sql:
            count = sql.execute(f"DELETE FROM edges WHERE {' AND '.join(condition) or '1'}", values).rowcount
        self.log.empty()
        return count

    def stats(self) -> GraphStats:
        def one(statement: str) -> int:
            return int(self._connection.execute(statement).fetchone()[0])

        relations = self._connection.execute("SELECT relation, count(*) FROM edges GROUP BY relation").fetchall()
        return GraphStats(
            entities=one(
                "SELECT count(*) FROM (SELECT subject FROM edges UNION SELECT object FROM edges WHERE object <> '')"
            ),
            edges=sum(count for _, count in relations),
            hidden=one("SELECT count(*) FROM edges WHERE hidden"),
            by_relation=dict(relations),
            size_bytes=one("PRAGMA page_count") * one("PRAGMA page_size"),
        )

    def _edges(self, statement: str, values: Sequence[Any]) -> tuple[Edge, ...]:
        rows = self._connection.execute(statement, values).fetchall()
        return tuple(read(document, hidden=bool(hidden), place=self._place) for _, document, hidden in rows)


def _row(edge: Edge) -> tuple[Any, ...]:
    limits = (getattr(edge.scope, name) for name in SCOPE)
    ends = (edge.subject_key, edge.relation, edge.object_key)
    return (edge.id, *ends, edge.session, edge.turn_id, int(edge.hidden), *limits, dump(edge))


def _condition(where: GraphFilter) -> tuple[str, list[Any]]:
    """What a filter asks, as SQL."""
    parts: list[str] = []
    values: list[Any] = []
    if where.everything:
        for name, value in named(where.scope).items():
            parts.append(f"{SCOPE[name]} = ?")
            values.append(value)
    else:
        for name, allowed in scope_limits(where.scope).items():
            parts.append(f"{SCOPE[name]} IN ({', '.join('?' * len(allowed))})")
            values += allowed
    if where.session:
        parts.append("session = ?")
        values.append(where.session)
    if not where.hidden:
        parts.append("hidden = 0")
    return " AND ".join(parts) or "1", values
