"""Sessions kept in this process only."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from harness.adapters.stores import _refusals
from harness.adapters.stores._documents import encode_info, encode_record, encode_state
from harness.ports import TurnPlace, places

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.state.dialogue import DialogueState
    from harness.state.record import SessionInfo, TurnRecord


@dataclass(slots=True)
class _Session:
    """One session. Records keep the order they were appended in, so a parent always precedes its children."""

    info: SessionInfo
    records: dict[str, TurnRecord] = field(default_factory=dict)
    snapshots: dict[str, DialogueState] = field(default_factory=dict)

    def find(self, turn_id: str) -> TurnRecord:
        record = self.records.get(turn_id)
        if record is None:
            raise _refusals.no_turn(self.info.id, turn_id)
        return record

    def upwards(self, turn_id: str | None) -> Iterator[TurnRecord]:
        """The record and everything above it, newest first."""
        while turn_id is not None:
            record = self.find(turn_id)
            yield record
            turn_id = record.parent


class MemorySessionStore:
    """A :class:`~harness.ports.SessionStore` that forgets everything when it is closed.

    No method awaits anything, so each call is atomic within an event loop. Use it from one thread.
    """

    def __init__(self) -> None:
        # Last changed last: a changed session is taken out and put back at the end.
        self._sessions: dict[str, _Session] = {}
        self._closed = False

    async def create(self, info: SessionInfo) -> None:
        """Store a new session (version 0, no head). Raises SessionExists."""
        sessions = self._open()
        _, fresh = encode_info(info)
        if info.id in sessions:
            raise _refusals.session_exists(info.id)
        sessions[info.id] = _Session(fresh)

    async def info(self, session_id: str) -> SessionInfo:
        """The session as it is now. Raises SessionNotFound."""
        return self._session(session_id).info

    async def version(self, session_id: str) -> int:
        """The stored version. Raises SessionNotFound."""
        return self._session(session_id).info.version

    async def sessions(self) -> tuple[SessionInfo, ...]:
        """All sessions, last changed first."""
        return tuple(session.info for session in reversed(self._open().values()))

    async def delete(self, session_id: str) -> None:
        """Forget a session. Raises SessionNotFound."""
        self._session(session_id)
        del self._sessions[session_id]

    async def append(
        self, session_id: str, record: TurnRecord, *, expected_version: int, move_head: bool = True
    ) -> int:
        """Add a record below its parent. Raises ConflictError, TurnNotFound, SessionNotFound, StoreError."""
        session = self._session(session_id, expected_version)
        _, stored = encode_record(record)
        if record.id in session.records:
            raise _refusals.turn_exists(session_id, record.id, expected_version)
        if record.parent is not None:
            session.find(record.parent)
        session.records[record.id] = stored
        head = record.id if move_head else session.info.head
        return self._changed(session, head, by=stored)

    async def amend(self, session_id: str, record: TurnRecord, *, expected_version: int) -> int:
        """Replace a record; snapshots at it and below it are dropped, since they may no longer be true.

        Raises ConflictError, TurnNotFound, SessionNotFound; StoreError when the record names another parent.
        """
        session = self._session(session_id, expected_version)
        _, stored = encode_record(record)
        known = session.find(record.id)
        if known.parent != record.parent:
            raise _refusals.moved(session_id, record.id, known.parent, record.parent)
        session.records[record.id] = stored
        self._drop_snapshots(session, record.id)
        return self._changed(session, session.info.head, by=stored)

    async def move_head(self, session_id: str, turn_id: str | None, *, expected_version: int) -> int:
        """Make another turn, or the beginning, the head. Raises ConflictError, TurnNotFound, SessionNotFound."""
        session = self._session(session_id, expected_version)
        if turn_id is not None:
            session.find(turn_id)
        return self._changed(session, turn_id)

    async def record(self, session_id: str, turn_id: str) -> TurnRecord:
        """One record. Raises TurnNotFound, SessionNotFound."""
        return self._session(session_id).find(turn_id)

    async def records(self, session_id: str) -> tuple[TurnRecord, ...]:
        """All records of all branches, oldest first. Raises SessionNotFound."""
        return tuple(self._session(session_id).records.values())

    async def branch(self, session_id: str, turn_id: str | None, *, after: str | None = None) -> tuple[TurnRecord, ...]:
        """The records from the root (or below ``after``) to ``turn_id``, oldest first.

        Raises TurnNotFound when there is no such turn, or when ``after`` is not on its branch; SessionNotFound.
        """
        session = self._session(session_id)
        branch = []
        for record in session.upwards(turn_id):
            if record.id == after:
                break
            branch.append(record)
        else:
            if after is not None:
                raise _refusals.not_above(session_id, turn_id, after)
        return tuple(reversed(branch))

    async def path(self, session_id: str, turn_id: str | None) -> tuple[TurnPlace, ...]:
        """The places from the root to ``turn_id``, oldest first. Raises TurnNotFound, SessionNotFound."""
        upwards = list(self._session(session_id).upwards(turn_id))
        return places((record.id, record.parent, record.number) for record in reversed(upwards))

    async def save_snapshot(self, session_id: str, turn_id: str, state: DialogueState) -> None:
        """Keep the state at a turn. Raises TurnNotFound, SessionNotFound, StoreError."""
        session = self._session(session_id)
        session.find(turn_id)
        _, session.snapshots[turn_id] = encode_state(state, turn_id)

    async def snapshot(self, session_id: str, turn_id: str) -> tuple[str, DialogueState] | None:
        """The nearest snapshot at or above a turn, or None. Raises TurnNotFound, SessionNotFound."""
        session = self._session(session_id)
        for record in session.upwards(turn_id):
            if record.id in session.snapshots:
                return record.id, session.snapshots[record.id]
        return None

    async def close(self) -> None:
        """Forget everything; later calls raise StoreError."""
        self._closed = True
        self._sessions = {}

    def _open(self) -> dict[str, _Session]:
        if self._closed:
            raise _refusals.closed()
        return self._sessions

    def _session(self, session_id: str, expected_version: int | None = None) -> _Session:
        session = self._open().get(session_id)
        if session is None:
            raise _refusals.no_session(session_id)
        if expected_version is not None and session.info.version != expected_version:
            raise _refusals.stale(session_id, expected_version, session.info.version)
        return session

    def _changed(self, session: _Session, head: str | None, *, by: TurnRecord | None = None) -> int:
        info = session.info
        at = by and (by.replied_at or by.started_at)
        session.info = info.model_copy(
            update={
                "version": info.version + 1,
                "head": head,
                "turns": 0 if head is None else session.records[head].number,
                "updated_at": at or info.updated_at,
            }
        )
        self._sessions[info.id] = self._sessions.pop(info.id)
        return info.version + 1

    @staticmethod
    def _drop_snapshots(session: _Session, turn_id: str) -> None:
        if not session.snapshots:
            return
        touched = {turn_id}
        for record in session.records.values():
            if record.parent in touched:
                touched.add(record.id)
        for stale in touched & session.snapshots.keys():
            del session.snapshots[stale]
