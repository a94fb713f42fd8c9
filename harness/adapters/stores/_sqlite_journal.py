"""The journal as SQL: one synchronous method per operation of the store, used by one thread."""

from __future__ import annotations

import sqlite3
import zlib
from contextlib import closing
from datetime import datetime
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from harness.adapters.stores import _refusals
from harness.adapters.stores._sqlite_errors import corrupt
from harness.adapters.stores._sqlite_log import Log
from harness.adapters.stores._sqlite_transaction import transaction
from harness.errors import NewerSchema, StateError
from harness.ports import TurnPlace, places
from harness.state.dialogue import SCHEMA_VERSION, DialogueState
from harness.state.migrations import Stored, load
from harness.state.record import SessionInfo, TurnRecord

if TYPE_CHECKING:
    from pathlib import Path

# The path from a turn up to the root, newest first. A parent's seq is lower, so that no damage can make it endless.
_PATH = """WITH RECURSIVE path (id, parent, seq) AS (
    SELECT id, parent, seq FROM records WHERE session_id = :session AND id = :turn
    UNION ALL
    SELECT above.id, above.parent, above.seq FROM path CROSS JOIN records AS above
    WHERE above.session_id = :session AND above.id = path.parent AND above.seq < path.seq AND path.id IS NOT :after
)"""
_BRANCH = f"""{_PATH}
SELECT path.id, path.parent, checksum, CASE WHEN path.id IS NOT :after THEN CAST(document AS BLOB) END
FROM path CROSS JOIN records USING (seq)"""  # noqa: S608 - a constant
_PLACES = f"""{_PATH}
SELECT path.id, path.parent, number FROM path CROSS JOIN records USING (seq)"""  # noqa: S608 - a constant
_SNAPSHOTS = f"""{_PATH}
SELECT path.id, checksum, CAST(document AS BLOB)
FROM path CROSS JOIN snapshots ON snapshots.session_id = :session AND snapshots.turn_id = path.id"""  # noqa: S608 - a constant
_DROP_SNAPSHOTS = """WITH RECURSIVE below (id) AS (
    VALUES (:turn)
    UNION
    SELECT records.id FROM below CROSS JOIN records ON records.session_id = :session AND records.parent = below.id
)
DELETE FROM snapshots WHERE session_id = :session AND turn_id IN (SELECT id FROM below)"""
_INFOS = """SELECT id, version, head, turns, updated_at, checksum, CAST(document AS BLOB)
FROM sessions LEFT JOIN session_documents ON session_id = id"""
_NEXT_CHANGE = "(SELECT coalesce(max(changed), 0) + 1 FROM sessions)"

_Info = tuple[str, int, str | None, int, str | None, int | None, bytes | None]


class Journal:
    """Everything a store does with an open connection. Raises sqlite3.Error besides the errors of the port."""

    def __init__(self, connection: sqlite3.Connection, place: Path | str) -> None:
        self._connection = connection
        self._place = place
        self.log = Log(connection, place)

    def close(self) -> None:
        """Close the file."""
        self.log.close()
        self._connection.close()

    def create(self, session_id: str, document: str, updated_at: datetime | None) -> None:
        """Insert a session at version 0."""
        with transaction(self._connection) as sql:
            if self._first("SELECT 1 FROM sessions WHERE id = ?", session_id):
                raise _refusals.session_exists(session_id)
            sql.execute(
                f"INSERT INTO sessions VALUES (?, 0, NULL, 0, ?, {_NEXT_CHANGE}, 0)",  # noqa: S608 - a constant
                (session_id, updated_at and updated_at.isoformat()),
            )
            sql.execute(
                "INSERT INTO session_documents VALUES (?, ?, ?)", (session_id, _checksum(document.encode()), document)
            )

    def info(self, session_id: str) -> SessionInfo:
        """One session."""
        row = self._first(f"{_INFOS} WHERE id = ?", session_id)
        if row is None:
            raise _refusals.no_session(session_id)
        return self._info(row)

    def version(self, session_id: str) -> int:
        """The stored version."""
        row = self._first("SELECT version FROM sessions WHERE id = ?", session_id)
        if row is None:
            raise _refusals.no_session(session_id)
        return int(row[0])

    def sessions(self) -> tuple[SessionInfo, ...]:
        """All sessions, last changed first."""
        # The plus keeps SQLite from listing by the index, which would miss what a damaged index misses.
        rows = self._connection.execute(f"{_INFOS} ORDER BY +changed DESC").fetchall()
        return tuple(self._info(row) for row in rows)

    def delete(self, session_id: str) -> None:
        """Remove a session; its records and snapshots go with it."""
        with transaction(self._connection) as sql:
            if not sql.execute("DELETE FROM sessions WHERE id = ?", (session_id,)).rowcount:
                raise _refusals.no_session(session_id)
        self.log.empty()

    def append(self, session_id: str, record: TurnRecord, document: str, expected: int, *, move_head: bool) -> int:
        """Insert a record below its parent."""
        with transaction(self._connection) as sql:
            head, turns = self._current(session_id, expected)
            if self._has(session_id, record.id):
                raise _refusals.turn_exists(session_id, record.id, expected)
            if record.parent is not None and not self._has(session_id, record.parent):
                raise _refusals.no_turn(session_id, record.parent)
            sql.execute(
                "INSERT INTO records (session_id, id, parent, number, checksum, document) VALUES (?, ?, ?, ?, ?, ?)",
                (session_id, record.id, record.parent, record.number, _checksum(document.encode()), document),
            )
            sql.execute("UPDATE sessions SET records = records + 1 WHERE id = ?", (session_id,))
            if move_head:
                head, turns = record.id, record.number
            return self._changed(session_id, expected, head, turns, by=record)

    def amend(self, session_id: str, record: TurnRecord, document: str, expected: int) -> int:
        """Replace a record in place."""
        with transaction(self._connection) as sql:
            head, turns = self._current(session_id, expected)
            found = self._first(
                "SELECT seq, parent FROM records WHERE session_id = ? AND id = ?", session_id, record.id
            )
            if found is None:
                raise _refusals.no_turn(session_id, record.id)
            if found[1] != record.parent:
                raise _refusals.moved(session_id, record.id, found[1], record.parent)
            sql.execute(
                "UPDATE records SET number = ?, checksum = ?, document = ? WHERE seq = ?",
                (record.number, _checksum(document.encode()), document, found[0]),
            )
            sql.execute(_DROP_SNAPSHOTS, {"session": session_id, "turn": record.id})
            return self._changed(session_id, expected, head, record.number if head == record.id else turns, by=record)

    def move_head(self, session_id: str, turn_id: str | None, expected: int) -> int:
        """Point the session at another turn, or at none."""
        with transaction(self._connection):
            self._current(session_id, expected)
            turns = 0
            if turn_id is not None:
                found = self._first("SELECT number FROM records WHERE session_id = ? AND id = ?", session_id, turn_id)
                if found is None:
                    raise _refusals.no_turn(session_id, turn_id)
                turns = int(found[0])
            return self._changed(session_id, expected, turn_id, turns)

    def record(self, session_id: str, turn_id: str) -> TurnRecord:
        """One record."""
        with transaction(self._connection, "DEFERRED"):
            self.version(session_id)
            row = self._first(
                "SELECT checksum, CAST(document AS BLOB) FROM records WHERE session_id = ? AND id = ?",
                session_id,
                turn_id,
            )
        if row is None:
            raise _refusals.no_turn(session_id, turn_id)
        checksum, document = row
        return self._record(session_id, turn_id, checksum, document)

    def records(self, session_id: str) -> tuple[TurnRecord, ...]:
        """All records, in the order of appending."""
        with transaction(self._connection, "DEFERRED") as sql:
            count = self._first("SELECT records FROM sessions WHERE id = ?", session_id)
            if count is None:
                raise _refusals.no_session(session_id)
            rows = sql.execute(
                "SELECT id, checksum, CAST(document AS BLOB) FROM records WHERE session_id = ? ORDER BY seq",
                (session_id,),
            ).fetchall()
        if len(rows) != count[0]:
            reason = f"only {len(rows)} of the {count[0]} turns of session {session_id!r} can be found in it"
            raise corrupt(self._place, reason)
        return tuple(self._record(session_id, *row) for row in rows)

    def branch(self, session_id: str, turn_id: str | None, after: str | None) -> tuple[TurnRecord, ...]:
        """The path from the root, or from below ``after``, to a turn; reads nothing above ``after``."""
        with transaction(self._connection, "DEFERRED") as sql:
            self.version(session_id)
            if turn_id is not None and not self._has(session_id, turn_id):
                raise _refusals.no_turn(session_id, turn_id)
            rows = sql.execute(_BRANCH, {"session": session_id, "turn": turn_id, "after": after}).fetchall()
        if after is not None:
            if not rows or rows[-1][0] != after:
                raise _refusals.not_above(session_id, turn_id, after)
            del rows[-1]
        elif rows and rows[-1][1] is not None:
            raise corrupt(self._place, f"turn {rows[-1][1]!r} of session {session_id!r} is missing from it")
        branch = tuple(self._record(session_id, row[0], *row[2:]) for row in reversed(rows))
        for record, row in zip(branch, reversed(rows), strict=True):
            if record.parent != row[1]:
                raise corrupt(self._place, f"turn {record.id!r} of session {session_id!r} hangs below {row[1]!r}")
        return branch

    def path(self, session_id: str, turn_id: str | None) -> tuple[TurnPlace, ...]:
        """The places from the root to a turn; reads no document."""
        with transaction(self._connection, "DEFERRED") as sql:
            self.version(session_id)
            if turn_id is not None and not self._has(session_id, turn_id):
                raise _refusals.no_turn(session_id, turn_id)
            rows = sql.execute(_PLACES, {"session": session_id, "turn": turn_id, "after": None}).fetchall()
        if rows and rows[-1][1] is not None:
            raise corrupt(self._place, f"turn {rows[-1][1]!r} of session {session_id!r} is missing from it")
        return places(reversed(rows))

    def save_snapshot(self, session_id: str, turn_id: str, document: str) -> None:
        """Insert or replace a snapshot."""
        with transaction(self._connection) as sql:
            self.version(session_id)
            if not self._has(session_id, turn_id):
                raise _refusals.no_turn(session_id, turn_id)
            sql.execute(
                "INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?)",
                (session_id, turn_id, _checksum(document.encode()), document),
            )

    def snapshot(self, session_id: str, turn_id: str) -> tuple[str, DialogueState] | None:
        """The nearest snapshot at a turn or above that can be read."""
        with transaction(self._connection, "DEFERRED") as sql:
            self.version(session_id)
            if not self._has(session_id, turn_id):
                raise _refusals.no_turn(session_id, turn_id)
            # Read row by row: the walk up the tree ends at the first snapshot that can be read.
            with closing(sql.execute(_SNAPSHOTS, {"session": session_id, "turn": turn_id, "after": None})) as rows:
                for found, checksum, document in rows:
                    state = self._state(checksum, document)
                    if state is not None:
                        return str(found), state
        return None

    def check(self) -> tuple[str, ...]:
        """Problems that reading the whole file shows; empty when it is sound."""
        found = [str(row[0]) for row in self._connection.execute("PRAGMA integrity_check") if row[0] != "ok"]
        if found:
            return tuple(found)
        found = [f"{row[0]}: row {row[1]} refers to nothing in {row[2]}" for row in self._foreign_keys()]
        for table in ("session_documents", "records", "snapshots"):
            statement = f"SELECT rowid, checksum, CAST(document AS BLOB) FROM {table}"  # noqa: S608 - the names above
            with closing(self._connection.execute(statement)) as rows:
                found += [f"{table}: row {row[0]} was altered" for row in rows if _checksum(row[2]) != row[1]]
        return tuple(found)

    def _foreign_keys(self) -> list[tuple[str, int, str, int]]:
        return self._connection.execute("PRAGMA foreign_key_check").fetchall()

    def _current(self, session_id: str, expected: int) -> tuple[str | None, int]:
        """Head and turns, once the version is known to be the expected one."""
        row = self._first("SELECT version, head, turns FROM sessions WHERE id = ?", session_id)
        if row is None:
            raise _refusals.no_session(session_id)
        if row[0] != expected:
            raise _refusals.stale(session_id, expected, row[0])
        return row[1], row[2]

    def _has(self, session_id: str, turn_id: str) -> bool:
        return self._first("SELECT 1 FROM records WHERE session_id = ? AND id = ?", session_id, turn_id) is not None

    def _first(self, statement: str, *values: str) -> Any:  # a row, or None
        # Fetched to the end: a cursor left in the middle (kept alive by a traceback, say) would hold its old view of
        # the file, and every later call of this connection would read that view.
        rows = self._connection.execute(statement, values).fetchall()
        return rows[0] if rows else None

    def _changed(
        self, session_id: str, expected: int, head: str | None, turns: int, *, by: TurnRecord | None = None
    ) -> int:
        at = by and (by.replied_at or by.started_at)
        self._connection.execute(
            "UPDATE sessions SET version = ?, head = ?, turns = ?, updated_at = coalesce(?, updated_at), "  # noqa: S608
            f"changed = {_NEXT_CHANGE} WHERE id = ?",
            (expected + 1, head, turns, at and at.isoformat(), session_id),
        )
        return expected + 1

    def _info(self, row: _Info) -> SessionInfo:
        session_id, version, head, turns, updated_at, checksum, document = row
        if checksum is None or document is None:
            raise corrupt(self._place, f"the persona of session {session_id!r} is missing from it")
        info = self._load(SessionInfo, checksum, document, f"session {session_id!r}")
        if info.id != session_id:
            raise corrupt(self._place, f"the session {session_id!r} in it holds session {info.id!r}")
        try:
            at = None if updated_at is None else datetime.fromisoformat(updated_at)
        except ValueError as error:
            raise corrupt(self._place, f"session {session_id!r} has the unreadable time {updated_at!r}") from error
        # The columns are typed and written only here, so they need no second validation.
        return info.model_copy(update={"version": version, "head": head, "turns": turns, "updated_at": at})

    def _record(self, session_id: str, turn_id: str, checksum: int, document: bytes) -> TurnRecord:
        label = f"turn {turn_id!r} of session {session_id!r}"
        record = self._load(TurnRecord, checksum, document, label)
        # Ids are not under the checksum.
        if record.id != turn_id:
            raise corrupt(self._place, f"the {label} in it holds turn {record.id!r}")
        return record

    def _load(self, model: type[Stored], checksum: int, document: bytes, label: str) -> Stored:
        # SQLite has no checksums of its own: a flipped bit inside a text would otherwise go unnoticed.
        if _checksum(document) != checksum:
            raise corrupt(self._place, f"the {label} in it was altered (its checksum does not match)")
        try:
            return load(model, document)
        except NewerSchema as error:
            message = f"In the session store {str(self._place)!r}, {label}: {error.message}"
            raise NewerSchema(message, remedy=error.remedy, path=str(self._place), **error.details) from error
        except StateError as error:
            raise corrupt(self._place, f"the {label} in it cannot be read ({error.message})") from error

    @staticmethod
    def _state(checksum: int, document: bytes) -> DialogueState | None:
        """A snapshot's state; None when it is damaged or of another schema."""
        try:
            state = DialogueState.model_validate_json(document)
        except ValidationError:
            return None
        return state if _checksum(document) == checksum and state.schema_version == SCHEMA_VERSION else None


def _checksum(document: bytes) -> int:
    return zlib.crc32(document)
