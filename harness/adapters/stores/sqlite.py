"""Sessions in a SQLite file: crash-safe, shared between programs, readable with any SQLite tool."""

from __future__ import annotations

import asyncio
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, get_args

from harness.adapters.stores import _refusals
from harness.adapters.stores._documents import encode_info, encode_record, encode_state
from harness.adapters.stores._sqlite_errors import corrupt, translate
from harness.adapters.stores._sqlite_journal import Journal
from harness.adapters.stores._sqlite_layout import MEMORY, Synchronous, connect
from harness.errors import SettingsError, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.ports import TurnPlace
    from harness.state.dialogue import DialogueState
    from harness.state.record import SessionInfo, TurnRecord

Result = TypeVar("Result")


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
        if synchronous not in get_args(Synchronous):
            expected = ", ".join(get_args(Synchronous))
            raise SettingsError(f"Expected synchronous to be one of {expected}, got {synchronous!r}.")
        if not busy_timeout_s >= 0:
            raise SettingsError(f"Expected busy_timeout_s to be 0 or more seconds, got {busy_timeout_s!r}.")
        self._place: Path | str = MEMORY if str(path) == MEMORY else Path(path)
        self._synchronous: Synchronous = synchronous
        self._busy_timeout_s = busy_timeout_s
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="harness-sqlite")
        self._journal: Journal | None = None
        self._closed = False

    async def open(self) -> None:
        """Open the file now instead of at the first call. May be called again."""
        await self._run(lambda _: None)

    async def create(self, info: SessionInfo) -> None:
        """Store a new session (version 0, no head). Raises SessionExists."""
        document, fresh = encode_info(info)
        await self._run(lambda journal: journal.create(fresh.id, document, fresh.updated_at))

    async def info(self, session_id: str) -> SessionInfo:
        """The session as it is now. Raises SessionNotFound."""
        return await self._run(lambda journal: journal.info(session_id))

    async def version(self, session_id: str) -> int:
        """The stored version. Raises SessionNotFound."""
        return await self._run(lambda journal: journal.version(session_id))

    async def sessions(self) -> tuple[SessionInfo, ...]:
        """All sessions, last changed first; reads no records."""
        return await self._run(lambda journal: journal.sessions())

    async def delete(self, session_id: str) -> None:
        """Remove a session and overwrite its text in the file. Raises SessionNotFound."""
        await self._run(lambda journal: journal.delete(session_id))

    async def append(
        self, session_id: str, record: TurnRecord, *, expected_version: int, move_head: bool = True
    ) -> int:
        """Add a record below its parent. Raises ConflictError, TurnNotFound, SessionNotFound, StoreError."""
        document, stored = encode_record(record)
        return await self._run(
            lambda journal: journal.append(session_id, stored, document, expected_version, move_head=move_head)
        )

    async def amend(self, session_id: str, record: TurnRecord, *, expected_version: int) -> int:
        """Replace a record; snapshots at it and below it are dropped, since they may no longer be true.

        Raises ConflictError, TurnNotFound, SessionNotFound; StoreError when the record names another parent.
        """
        document, stored = encode_record(record)
        return await self._run(lambda journal: journal.amend(session_id, stored, document, expected_version))

    async def move_head(self, session_id: str, turn_id: str | None, *, expected_version: int) -> int:
        """Make another turn, or the beginning, the head. Raises ConflictError, TurnNotFound, SessionNotFound."""
        return await self._run(lambda journal: journal.move_head(session_id, turn_id, expected_version))

    async def record(self, session_id: str, turn_id: str) -> TurnRecord:
        """One record. Raises TurnNotFound, SessionNotFound."""
        return await self._run(lambda journal: journal.record(session_id, turn_id))

    async def records(self, session_id: str) -> tuple[TurnRecord, ...]:
        """All records of all branches, oldest first. Raises SessionNotFound."""
        return await self._run(lambda journal: journal.records(session_id))

    async def branch(self, session_id: str, turn_id: str | None, *, after: str | None = None) -> tuple[TurnRecord, ...]:
        """The records from the root (or below ``after``) to ``turn_id``, oldest first.

        Raises TurnNotFound when there is no such turn, or when ``after`` is not on its branch; SessionNotFound.
        """
        return await self._run(lambda journal: journal.branch(session_id, turn_id, after))

    async def path(self, session_id: str, turn_id: str | None) -> tuple[TurnPlace, ...]:
        """The places from the root to ``turn_id``, oldest first. Raises TurnNotFound, SessionNotFound."""
        return await self._run(lambda journal: journal.path(session_id, turn_id))

    async def save_snapshot(self, session_id: str, turn_id: str, state: DialogueState) -> None:
        """Keep the state at a turn. Raises TurnNotFound, SessionNotFound, StoreError."""
        document, _ = encode_state(state, turn_id)
        await self._run(lambda journal: journal.save_snapshot(session_id, turn_id, document))

    async def snapshot(self, session_id: str, turn_id: str) -> tuple[str, DialogueState] | None:
        """The nearest readable snapshot at or above a turn, or None. Raises TurnNotFound, SessionNotFound."""
        return await self._run(lambda journal: journal.snapshot(session_id, turn_id))

    async def check(self) -> tuple[str, ...]:
        """Read the whole file and list what is wrong with it; empty when it is sound. Takes seconds per gigabyte.

        Raises CorruptStore when the file is too damaged to be walked through.
        """
        return await self._run(lambda journal: journal.check())

    async def close(self) -> None:
        """Finish what was begun and close the file; later calls raise StoreError. May be called again."""
        if self._closed:
            return
        self._closed = True
        closing = self._thread.submit(self._release)
        self._thread.shutdown(wait=False)
        # Shielded: a cancelled close must not leave the file open.
        await asyncio.shield(asyncio.wrap_future(closing))

    async def _run(self, job: Callable[[Journal], Result]) -> Result:
        if self._closed:
            raise _refusals.closed()
        # Cancelling the wrapped future withdraws a job that is still queued and has no effect on one that runs.
        return await asyncio.wrap_future(self._thread.submit(self._work, job))

    def _work(self, job: Callable[[Journal], Result]) -> Result:
        """Runs in the store's thread."""
        if self._journal is None:
            connection = connect(self._place, synchronous=self._synchronous, busy_timeout_s=self._busy_timeout_s)
            self._journal = Journal(connection, self._place)
        try:
            return job(self._journal)
        except sqlite3.Error as error:
            raise translate(error, self._place, self._busy_timeout_s) from error
        except UnicodeDecodeError as error:
            raise corrupt(self._place, "an id or an error in it is not readable text") from error
        except (UnicodeEncodeError, OverflowError) as error:
            message = f"An id or a number cannot be stored ({error})."
            raise StoreError(message, remedy="Use ids of valid Unicode text and numbers below 2**63.") from error

    def _release(self) -> None:
        if self._journal is not None:
            self._journal.close()
            self._journal = None
