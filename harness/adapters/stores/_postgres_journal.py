"""The journal as SQL: one function per operation of the store, each run inside a transaction of the caller.

Where ``sql.again`` is set, the connection was lost during the same operation: when it finds done what it was to do, it is done.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from pydantic import ValidationError

from harness.adapters.stores import _refusals
from harness.adapters.stores._postgres_errors import corrupt
from harness.adapters.stores._postgres_layout import SESSIONS
from harness.addresses import masked
from harness.errors import NewerSchema, StateError
from harness.ports import TurnPlace, places
from harness.state.dialogue import SCHEMA_VERSION, DialogueState
from harness.state.migrations import Stored, load
from harness.state.record import SessionInfo, TurnRecord

if TYPE_CHECKING:
    from harness.adapters.stores._postgres_server import Row, Sql

# The path from a turn up to the root. A parent's seq is lower, so that no damage can make it endless.
_PATH = """WITH RECURSIVE path (id, parent, seq) AS (
    SELECT id, parent, seq FROM harness_records WHERE session_id = %s AND id = %s
    UNION ALL
    SELECT above.id, above.parent, above.seq FROM path JOIN harness_records AS above
    ON above.session_id = %s AND above.id = path.parent AND above.seq < path.seq
    WHERE path.id IS DISTINCT FROM %s
)"""
_BRANCH = f"""{_PATH}
SELECT path.id, path.parent, document FROM path JOIN harness_records USING (seq) ORDER BY seq"""  # noqa: S608 - a constant
_PLACES = f"""{_PATH}
SELECT path.id, path.parent, number FROM path JOIN harness_records USING (seq) ORDER BY seq"""  # noqa: S608 - a constant
# Ids only: of the snapshots found, mostly one is read.
_SNAPSHOTS = f"""{_PATH}
SELECT path.id FROM path JOIN harness_snapshots ON session_id = %s AND turn_id = path.id ORDER BY seq DESC"""  # noqa: S608 - a constant
_DROP_SNAPSHOTS = """WITH RECURSIVE below (id) AS (
    SELECT %s::bytea
    UNION
    SELECT harness_records.id FROM below JOIN harness_records ON session_id = %s AND parent = below.id
)
DELETE FROM harness_snapshots WHERE session_id = %s AND turn_id IN (SELECT id FROM below)"""
_INFOS = "SELECT id, version, head, turns, updated_at, document FROM harness_sessions"


class Journal:
    """What a store does on its server. ``url``: of the server, for errors."""

    def __init__(self, url: str) -> None:
        self._url = url

    async def create(self, sql: Sql, info: SessionInfo, document: str) -> None:
        """Insert a session at version 0."""
        session = info.id.encode()
        done = await sql.run(
            "INSERT INTO harness_sessions VALUES (%s, 0, NULL, 0, %s, nextval('harness_sessions_changed'), %s) "
            "ON CONFLICT DO NOTHING",
            session,
            info.updated_at and info.updated_at.isoformat(),
            document,
        )
        if done:
            return
        same = "SELECT 1 FROM harness_sessions WHERE id = %s AND version = 0 AND document = %s"
        if not (sql.again and await sql.rows(same, session, document)):
            raise _refusals.session_exists(info.id)

    async def info(self, sql: Sql, session_id: str) -> SessionInfo:
        """One session."""
        rows = await sql.rows(f"{_INFOS} WHERE id = %s", session_id.encode())
        if not rows:
            raise _refusals.no_session(session_id)
        return self._info(rows[0])

    async def version(self, sql: Sql, session_id: str) -> int:
        """The stored version."""
        rows = await sql.rows("SELECT version FROM harness_sessions WHERE id = %s", session_id.encode())
        if not rows:
            raise _refusals.no_session(session_id)
        return int(rows[0][0])

    async def sessions(self, sql: Sql) -> tuple[SessionInfo, ...]:
        """All sessions, last changed first."""
        return tuple(self._info(row) for row in await sql.rows(f"{_INFOS} ORDER BY changed DESC"))

    async def delete(self, sql: Sql, session_id: str) -> None:
        """Remove a session; its records and snapshots go with it."""
        if not await sql.run("DELETE FROM harness_sessions WHERE id = %s", session_id.encode()) and not sql.again:
            raise _refusals.no_session(session_id)

    async def append(
        self, sql: Sql, session_id: str, record: TurnRecord, document: str, expected: int, *, head: bool
    ) -> int:
        """Insert a record below its parent; ``head``: move there."""
        version, at, turns = await self._locked(sql, session_id)
        stored = await self._stored(sql, session_id, record.id)
        if sql.again and version == expected + 1 and stored == document and (not head or at == record.id):
            return version
        if version != expected:
            raise _refusals.stale(session_id, expected, version)
        if stored is not None:
            raise _refusals.turn_exists(session_id, record.id, expected)
        if record.parent is not None and await self._stored(sql, session_id, record.parent) is None:
            raise _refusals.no_turn(session_id, record.parent)
        await sql.run(
            "INSERT INTO harness_records (session_id, id, parent, number, document) VALUES (%s, %s, %s, %s, %s)",
            session_id.encode(),
            record.id.encode(),
            _bytes(record.parent),
            record.number,
            document,
        )
        if head:
            at, turns = record.id, record.number
        return await self._changed(sql, session_id, expected, at, turns, by=record)

    async def amend(self, sql: Sql, session_id: str, record: TurnRecord, document: str, expected: int) -> int:
        """Replace a record in place."""
        version, head, turns = await self._locked(sql, session_id)
        rows = await sql.rows(
            "SELECT seq, parent, document FROM harness_records WHERE session_id = %s AND id = %s",
            session_id.encode(),
            record.id.encode(),
        )
        if sql.again and version == expected + 1 and rows and rows[0][2] == document:
            return version
        if version != expected:
            raise _refusals.stale(session_id, expected, version)
        if not rows:
            raise _refusals.no_turn(session_id, record.id)
        seq, parent, _ = rows[0]
        if _text(parent) != record.parent:
            raise _refusals.moved(session_id, record.id, _text(parent), record.parent)
        await sql.run(
            "UPDATE harness_records SET number = %s, document = %s WHERE seq = %s", record.number, document, seq
        )
        await sql.run(_DROP_SNAPSHOTS, record.id.encode(), session_id.encode(), session_id.encode())
        return await self._changed(
            sql, session_id, expected, head, record.number if head == record.id else turns, by=record
        )

    async def move_head(self, sql: Sql, session_id: str, turn_id: str | None, expected: int) -> int:
        """Point the session at another turn, or at none."""
        version, head, _ = await self._locked(sql, session_id)
        if sql.again and version == expected + 1 and head == turn_id:
            return version
        if version != expected:
            raise _refusals.stale(session_id, expected, version)
        turns = 0
        if turn_id is not None:
            rows = await sql.rows(
                "SELECT number FROM harness_records WHERE session_id = %s AND id = %s",
                session_id.encode(),
                turn_id.encode(),
            )
            if not rows:
                raise _refusals.no_turn(session_id, turn_id)
            turns = int(rows[0][0])
        return await self._changed(sql, session_id, expected, turn_id, turns)

    async def record(self, sql: Sql, session_id: str, turn_id: str) -> TurnRecord:
        """One record."""
        await self.version(sql, session_id)
        document = await self._stored(sql, session_id, turn_id)
        if document is None:
            raise _refusals.no_turn(session_id, turn_id)
        return self._record(session_id, turn_id, document)

    async def records(self, sql: Sql, session_id: str) -> tuple[TurnRecord, ...]:
        """All records, in the order of appending."""
        await self.version(sql, session_id)
        rows = await sql.rows(
            "SELECT id, document FROM harness_records WHERE session_id = %s ORDER BY seq", session_id.encode()
        )
        return tuple(self._record(session_id, row[0].decode(), row[1]) for row in rows)

    async def branch(self, sql: Sql, session_id: str, turn_id: str | None, after: str | None) -> tuple[TurnRecord, ...]:
        """The path from the root, or from below ``after``, to a turn."""
        rows = await self._path(sql, _BRANCH, session_id, turn_id, after)
        if after is not None:
            if not rows or rows[0][0].decode() != after:
                raise _refusals.not_above(session_id, turn_id, after)
            del rows[0]
        return tuple(self._record(session_id, row[0].decode(), row[2]) for row in rows)

    async def path(self, sql: Sql, session_id: str, turn_id: str | None) -> tuple[TurnPlace, ...]:
        """The places from the root to a turn; reads no document."""
        rows = await self._path(sql, _PLACES, session_id, turn_id, None)
        return places((row[0].decode(), _text(row[1]), int(row[2])) for row in rows)

    async def save_snapshot(self, sql: Sql, session_id: str, turn_id: str, document: str) -> None:
        """Insert or replace a snapshot."""
        await self._known(sql, session_id, turn_id)
        await sql.run(
            "INSERT INTO harness_snapshots VALUES (%s, %s, %s) "
            "ON CONFLICT (session_id, turn_id) DO UPDATE SET document = excluded.document",
            session_id.encode(),
            turn_id.encode(),
            document,
        )

    async def snapshot(self, sql: Sql, session_id: str, turn_id: str) -> tuple[str, DialogueState] | None:
        """The nearest snapshot at a turn or above that can be read."""
        await self._known(sql, session_id, turn_id)
        session, turn = session_id.encode(), turn_id.encode()
        for (found,) in await sql.rows(_SNAPSHOTS, session, turn, session, None, session):
            rows = await sql.rows(
                "SELECT document FROM harness_snapshots WHERE session_id = %s AND turn_id = %s", session, found
            )
            state = _state(rows[0][0])
            if state is not None:
                return found.decode(), state
        return None

    async def _path(
        self, sql: Sql, statement: str, session_id: str, turn_id: str | None, after: str | None
    ) -> list[Row]:
        await self._known(sql, session_id, turn_id)
        session = session_id.encode()
        rows = await sql.rows(statement, session, _bytes(turn_id), session, _bytes(after))
        if rows and rows[0][1] is not None and rows[0][0] != _bytes(after):
            reason = f"turn {_text(rows[0][1])!r} of session {session_id!r} is missing from it"
            raise corrupt(self._url, reason, SESSIONS.what)
        return rows

    async def _known(self, sql: Sql, session_id: str, turn_id: str | None) -> None:
        await self.version(sql, session_id)
        statement = "SELECT 1 FROM harness_records WHERE session_id = %s AND id = %s"
        if turn_id is not None and not await sql.rows(statement, session_id.encode(), turn_id.encode()):
            raise _refusals.no_turn(session_id, turn_id)

    async def _locked(self, sql: Sql, session_id: str) -> tuple[int, str | None, int]:
        """Version, head and turns of a session that no other writes to before this transaction ends."""
        rows = await sql.rows(
            "SELECT version, head, turns FROM harness_sessions WHERE id = %s FOR UPDATE", session_id.encode()
        )
        if not rows:
            raise _refusals.no_session(session_id)
        version, head, turns = rows[0]
        return int(version), _text(head), int(turns)

    async def _stored(self, sql: Sql, session_id: str, turn_id: str) -> str | None:
        rows = await sql.rows(
            "SELECT document FROM harness_records WHERE session_id = %s AND id = %s",
            session_id.encode(),
            turn_id.encode(),
        )
        return str(rows[0][0]) if rows else None

    async def _changed(
        self, sql: Sql, session_id: str, expected: int, head: str | None, turns: int, *, by: TurnRecord | None = None
    ) -> int:
        at = by and (by.replied_at or by.started_at)
        await sql.run(
            "UPDATE harness_sessions SET version = %s, head = %s, turns = %s, updated_at = coalesce(%s, updated_at), "
            "changed = nextval('harness_sessions_changed') WHERE id = %s",
            expected + 1,
            _bytes(head),
            turns,
            at and at.isoformat(),
            session_id.encode(),
        )
        return expected + 1

    def _info(self, row: Row) -> SessionInfo:
        session_id = row[0].decode()
        _, version, head, turns, updated_at, document = row
        info = self._load(SessionInfo, document, f"session {session_id!r}")
        if info.id != session_id:
            raise corrupt(self._url, f"the session {session_id!r} in it holds session {info.id!r}", SESSIONS.what)
        try:
            at = None if updated_at is None else datetime.fromisoformat(updated_at)
        except ValueError as error:
            reason = f"session {session_id!r} has the unreadable time {updated_at!r}"
            raise corrupt(self._url, reason, SESSIONS.what) from error
        return info.model_copy(update={"version": version, "head": _text(head), "turns": turns, "updated_at": at})

    def _record(self, session_id: str, turn_id: str, document: str) -> TurnRecord:
        label = f"turn {turn_id!r} of session {session_id!r}"
        record = self._load(TurnRecord, document, label)
        if record.id != turn_id:
            raise corrupt(self._url, f"the {label} in it holds turn {record.id!r}", SESSIONS.what)
        return record

    def _load(self, model: type[Stored], document: str, label: str) -> Stored:
        try:
            return load(model, document)
        except NewerSchema as error:
            where = masked(self._url)
            message = f"In the {SESSIONS.what} at {where!r}, {label}: {error.message}"
            raise NewerSchema(message, remedy=error.remedy, url=where, **error.details) from error
        except StateError as error:
            raise corrupt(self._url, f"the {label} in it cannot be read ({error.message})", SESSIONS.what) from error


def _state(document: str) -> DialogueState | None:
    """A snapshot's state; None when it is damaged or of another schema."""
    try:
        state = DialogueState.model_validate_json(document)
    except ValidationError:
        return None
    return state if state.schema_version == SCHEMA_VERSION else None


def _bytes(name: str | None) -> bytes | None:
    return None if name is None else name.encode()


def _text(name: bytes | None) -> str | None:
    return None if name is None else name.decode()
