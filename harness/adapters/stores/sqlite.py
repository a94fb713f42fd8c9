"""Sessions in a SQLite file: crash-safe, shared between programs, readable with any SQLite tool."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from harness.adapters.stores import _refusals
from harness.adapters.stores._documents import encode_info, encode_record, encode_state
from harness.adapters.stores._sqlite_journal import Journal
from harness.adapters.stores._sqlite_layout import Synchronous, connect
from harness.adapters.stores._sqlite_thread import SQLiteThread

if TYPE_CHECKING:
    from harness.ports import TurnPlace
    from harness.state.dialogue import DialogueState
    from harness.state.record import SessionInfo, TurnRecord


class SQLiteSessionStore:
    """A :class:`~harness.ports.SessionStore` in one SQLite file (WAL mode), or in ``:memory:``.

    All SQL runs in one thread of the store's own, in the order of the calls. Cancelling a call that waits for its
    turn means it never happens; a call that has begun is completed, so a session is never half-written and no
    transaction stays open. Several stores, in this program or others, may use the same file.

    The file is opened by the first call (or by :meth:`open`), its folder made when missing.

    Args:
        path: the file, or ``:memory:`` for one that ends with the store.
        synchronous: SQLite's setting. ``NORMAL`` survives a crash of the program whole; a power cut can take back the
            last writes, never tear one. ``FULL`` survives both, at the price of a disk flush per write.
        busy_timeout_s: how long a call waits for another program's lock.

    Every method raises StoreError (CorruptStore, StorageFull …) when the file cannot be used, NewerSchema when a newer
    version of the package wrote it.
    """

    def __init__(self, path: str | Path, *, synchronous: Synchronous = "NORMAL", busy_timeout_s: float = 5.0) -> None:
        self._file = SQLiteThread(
            path,
            partial(_open, synchronous=synchronous, busy_timeout_s=busy_timeout_s),
            synchronous=synchronous,
            busy_timeout_s=busy_timeout_s,
            closed=_refusals.closed,
            what="session store",
        )

    async def open(self) -> None:
        """Open the file now instead of at the first call. May be called again."""
        await self._file.run(lambda _: None)

    async def create(self, info: SessionInfo) -> None:
        """Store a new session (version 0, no head). Raises SessionExists."""
        document, fresh = encode_info(info)
        await self._file.run(lambda journal: journal.create(fresh.id, document, fresh.updated_at))

    async def info(self, session_id: str) -> SessionInfo:
        """The session as it is now. Raises SessionNotFound."""
        return await self._file.run(lambda journal: journal.info(session_id))

    async def version(self, session_id: str) -> int:
        """The stored version. Raises SessionNotFound."""
        return await self._file.run(lambda journal: journal.version(session_id))

    async def sessions(self) -> tuple[SessionInfo, ...]:
        """All sessions, last changed first; reads no records."""
        return await self._file.run(lambda journal: journal.sessions())

    async def delete(self, session_id: str) -> None:
        """Remove a session and overwrite its text in the file. Raises SessionNotFound."""
        await self._file.run(lambda journal: journal.delete(session_id))

    async def append(
        self, session_id: str, record: TurnRecord, *, expected_version: int, move_head: bool = True
    ) -> int:
        """Add a record below its parent. Raises ConflictError, TurnNotFound, SessionNotFound, StoreError."""
        document, stored = encode_record(record)
        return await self._file.run(
            lambda journal: journal.append(session_id, stored, document, expected_version, move_head=move_head)
        )

    async def amend(self, session_id: str, record: TurnRecord, *, expected_version: int) -> int:
        """Replace a record; snapshots at it and below it are dropped, since they may no longer be true.

        Raises ConflictError, TurnNotFound, SessionNotFound; StoreError when the record names another parent.
        """
        document, stored = encode_record(record)
        return await self._file.run(lambda journal: journal.amend(session_id, stored, document, expected_version))

    async def move_head(self, session_id: str, turn_id: str | None, *, expected_version: int) -> int:
        """Make another turn, or the beginning, the head. Raises ConflictError, TurnNotFound, SessionNotFound."""
        return await self._file.run(lambda journal: journal.move_head(session_id, turn_id, expected_version))

    async def record(self, session_id: str, turn_id: str) -> TurnRecord:
        """One record. Raises TurnNotFound, SessionNotFound."""
        return await self._file.run(lambda journal: journal.record(session_id, turn_id))

    async def records(self, session_id: str) -> tuple[TurnRecord, ...]:
        """All records of all branches, oldest first. Raises SessionNotFound."""
        return await self._file.run(lambda journal: journal.records(session_id))

    async def branch(self, session_id: str, turn_id: str | None, *, after: str | None = None) -> tuple[TurnRecord, ...]:
        """The records from the root (or below ``after``) to ``turn_id``, oldest first.

        Raises TurnNotFound when there is no such turn, or when ``after`` is not on its branch; SessionNotFound.
        """
        return await self._file.run(lambda journal: journal.branch(session_id, turn_id, after))

    async def path(self, session_id: str, turn_id: str | None) -> tuple[TurnPlace, ...]:
        """The places from the root to ``turn_id``, oldest first. Raises TurnNotFound, SessionNotFound."""
        return await self._file.run(lambda journal: journal.path(session_id, turn_id))

    async def save_snapshot(self, session_id: str, turn_id: str, state: DialogueState) -> None:
        """Keep the state at a turn. Raises TurnNotFound, SessionNotFound, StoreError."""
        document, _ = encode_state(state, turn_id)
        await self._file.run(lambda journal: journal.save_snapshot(session_id, turn_id, document))

    async def snapshot(self, session_id: str, turn_id: str) -> tuple[str, DialogueState] | None:
        """The nearest readable snapshot at or above a turn, or None. Raises TurnNotFound, SessionNotFound."""
        return await self._file.run(lambda journal: journal.snapshot(session_id, turn_id))

    async def check(self) -> tuple[str, ...]:
        """Read the whole file and list what is wrong with it; empty when it is sound. Takes seconds per gigabyte.

        Raises CorruptStore when the file is too damaged to be walked through.
        """
        return await self._file.run(lambda journal: journal.check())

    async def not_overwritten(self) -> tuple[str, ...]:
        """See :class:`~harness.ports.Overwrites`."""
        return await self._file.not_overwritten()

    async def close(self) -> None:
        """Finish what was begun and close the file; later calls raise StoreError. May be called again."""
        await self._file.close()


def _open(place: Path | str, *, synchronous: Synchronous, busy_timeout_s: float) -> Journal:
    return Journal(connect(place, synchronous=synchronous, busy_timeout_s=busy_timeout_s), place)
