"""A SQLite file used by one thread: opened by the first call, errors in the words of the port."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Generic, Protocol, TypeVar, get_args

from harness.adapters.stores._sqlite_errors import corrupt, translate
from harness.adapters.stores._sqlite_layout import MEMORY, Synchronous
from harness.adapters.stores._sqlite_log import Log
from harness.errors import SettingsError, StoreError

Result = TypeVar("Result")


class Closable(Protocol):
    """What is done with an open connection. ``log``: its write-ahead log."""

    log: Log

    def close(self) -> None:
        """Close the file."""
        ...


Work = TypeVar("Work", bound=Closable)


class SQLiteThread(Generic[Work]):
    """Runs jobs on a file, one after the other, in a thread of its own.

    Cancelling a call that waits for its turn means it never happens; a call that has begun is completed, so nothing is ever
    half-written and no transaction stays open.

    Args:
        path: the file, or ``:memory:``.
        open_file: makes what jobs work with.
        closed: the error for a call after :meth:`close`.
        what: the word for the file in errors.
    """

    def __init__(
        self,
        path: str | Path,
        open_file: Callable[[Path | str], Work],
        *,
        synchronous: Synchronous,
        busy_timeout_s: float,
        closed: Callable[[], StoreError],
        what: str,
    ) -> None:
        if synchronous not in get_args(Synchronous):
            expected = ", ".join(get_args(Synchronous))
            raise SettingsError(f"Expected synchronous to be one of {expected}, got {synchronous!r}.")
        if not busy_timeout_s >= 0:
            raise SettingsError(f"Expected busy_timeout_s to be 0 or more seconds, got {busy_timeout_s!r}.")
        self.place: Path | str = MEMORY if str(path) == MEMORY else Path(path)
        self._open_file = open_file
        self._busy_timeout_s = busy_timeout_s
        self._refusal = closed
        self._what = what
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="harness-sqlite")
        self._work: Work | None = None
        self._closed = False

    async def run(self, job: Callable[[Work], Result]) -> Result:
        """What the job gives. Raises StoreError for whatever SQLite raises."""
        if self._closed:
            raise self._refusal()
        # Cancelling the wrapped future withdraws a job that is still queued and has no effect on one that runs.
        return await asyncio.wrap_future(self._thread.submit(self._done, job))

    async def not_overwritten(self) -> tuple[str, ...]:
        """See :class:`~harness.ports.overwriting.Overwrites`."""
        return await self.run(lambda work: work.log.holding())

    async def close(self) -> None:
        """Finish what was begun and close the file. May be called again."""
        if self._closed:
            return
        self._closed = True
        closing = self._thread.submit(self._release)
        self._thread.shutdown(wait=False)
        # Shielded: a cancelled close must not leave the file open.
        await asyncio.shield(asyncio.wrap_future(closing))

    def _done(self, job: Callable[[Work], Result]) -> Result:
        """Runs in the thread."""
        if self._work is None:
            self._work = self._open_file(self.place)
        try:
            done = job(self._work)
        except sqlite3.Error as error:
            raise translate(error, self.place, self._busy_timeout_s, self._what) from error
        except UnicodeDecodeError as error:
            raise corrupt(self.place, "an id or an error in it is not readable text", self._what) from error
        except (UnicodeEncodeError, OverflowError) as error:
            message = f"An id or a number cannot be stored ({error})."
            raise StoreError(message, remedy="Use ids of valid Unicode text and numbers below 2**63.") from error
        self._work.log.again()
        return done

    def _release(self) -> None:
        if self._work is not None:
            self._work.close()
            self._work = None
