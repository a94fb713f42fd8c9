"""Sessions on a PostgreSQL server, shared by any number of programs and machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.adapters.stores import _refusals
from harness.adapters.stores._documents import encode_info, encode_record, encode_state
from harness.adapters.stores._postgres_journal import Journal
from harness.adapters.stores._postgres_layout import SESSIONS
from harness.adapters.stores._postgres_server import PostgresServer

if TYPE_CHECKING:
    from harness.ports import TurnPlace
    from harness.state.dialogue import DialogueState
    from harness.state.record import SessionInfo, TurnRecord


class PostgresSessionStore:
    """A :class:`~harness.ports.SessionStore` in tables of a PostgreSQL database; needs the extra ``postgres``.

    The tables (``harness_sessions`` and others) are made by the first call, in the first schema of ``search_path``. Each write
    is one transaction. A connection that was lost is made again; a write that may have been done when it was lost is looked
    for before it is done again. Use a store within one event loop.

    Args:
        url: ``postgresql://user:password@host:port/database``, with the parameters of libpq behind a ``?``.
        timeout_s: how long connecting, waiting for a connection, and a statement may take.
        pool_size: most connections at a time.

    Every method raises StoreError (CorruptStore, StorageFull …) when the server cannot be used, NewerSchema when a newer
    version of the package made the tables. The constructor raises MissingExtra, and SettingsError for what is no address.
    """

    def __init__(self, url: str, *, timeout_s: float = 5.0, pool_size: int = 5) -> None:
        self._server = PostgresServer(url, SESSIONS, timeout_s=timeout_s, pool_size=pool_size, closed=_refusals.closed)
        self._journal = Journal(url)

    async def create(self, info: SessionInfo) -> None:
        """Store a new session (version 0, no head). Raises SessionExists."""
        document, fresh = encode_info(info)
        await self._server.write(lambda sql: self._journal.create(sql, fresh, document))

    async def info(self, session_id: str) -> SessionInfo:
        """The session as it is now. Raises SessionNotFound."""
        return await self._server.one(lambda sql: self._journal.info(sql, session_id))

    async def version(self, session_id: str) -> int:
        """The stored version. Raises SessionNotFound."""
        return await self._server.one(lambda sql: self._journal.version(sql, session_id))

    async def sessions(self) -> tuple[SessionInfo, ...]:
        """All sessions, last changed first."""
        return await self._server.one(self._journal.sessions)

    async def delete(self, session_id: str) -> None:
        """Remove a session with all its records and snapshots. Raises SessionNotFound."""
        await self._server.write(lambda sql: self._journal.delete(sql, session_id))

    async def append(
        self, session_id: str, record: TurnRecord, *, expected_version: int, move_head: bool = True
    ) -> int:
        """Add a record below its parent. Raises ConflictError, TurnNotFound, SessionNotFound, StoreError."""
        document, stored = encode_record(record)
        return await self._server.write(
            lambda sql: self._journal.append(sql, session_id, stored, document, expected_version, head=move_head)
        )

    async def amend(self, session_id: str, record: TurnRecord, *, expected_version: int) -> int:
        """Replace a record; snapshots at it and below it are dropped, since they may no longer be true.

        Raises ConflictError, TurnNotFound, SessionNotFound; StoreError when the record names another parent.
        """
        document, stored = encode_record(record)
        return await self._server.write(
            lambda sql: self._journal.amend(sql, session_id, stored, document, expected_version)
        )

    async def move_head(self, session_id: str, turn_id: str | None, *, expected_version: int) -> int:
        """Make another turn, or the beginning, the head. Raises ConflictError, TurnNotFound, SessionNotFound."""
        return await self._server.write(lambda sql: self._journal.move_head(sql, session_id, turn_id, expected_version))

    async def record(self, session_id: str, turn_id: str) -> TurnRecord:
        """One record. Raises TurnNotFound, SessionNotFound."""
        return await self._server.read(lambda sql: self._journal.record(sql, session_id, turn_id))

    async def records(self, session_id: str) -> tuple[TurnRecord, ...]:
        """All records of all branches, oldest first. Raises SessionNotFound."""
        return await self._server.read(lambda sql: self._journal.records(sql, session_id))

    async def branch(self, session_id: str, turn_id: str | None, *, after: str | None = None) -> tuple[TurnRecord, ...]:
        """The records from the root (or below ``after``) to ``turn_id``, oldest first.

        Raises TurnNotFound when there is no such turn, or when ``after`` is not on its branch; SessionNotFound.
        """
        return await self._server.read(lambda sql: self._journal.branch(sql, session_id, turn_id, after))

    async def path(self, session_id: str, turn_id: str | None) -> tuple[TurnPlace, ...]:
        """The places from the root to ``turn_id``, oldest first. Raises TurnNotFound, SessionNotFound."""
        return await self._server.read(lambda sql: self._journal.path(sql, session_id, turn_id))

    async def save_snapshot(self, session_id: str, turn_id: str, state: DialogueState) -> None:
        """Keep the state at a turn. Raises TurnNotFound, SessionNotFound, StoreError."""
        document, _ = encode_state(state, turn_id)
        await self._server.write(lambda sql: self._journal.save_snapshot(sql, session_id, turn_id, document))

    async def snapshot(self, session_id: str, turn_id: str) -> tuple[str, DialogueState] | None:
        """The nearest snapshot at or above a turn, or None. Raises TurnNotFound, SessionNotFound."""
        return await self._server.read(lambda sql: self._journal.snapshot(sql, session_id, turn_id))

    async def close(self) -> None:
        """Close the connections; later calls raise StoreError. May be called again."""
        await self._server.close()
