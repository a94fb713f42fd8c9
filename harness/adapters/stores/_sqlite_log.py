"""The write-ahead log of a SQLite file. It holds deleted words until it is emptied, and so may the file until then."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from harness.adapters.stores._sqlite_layout import MEMORY


class Log:
    """The log of an open connection, used by its thread.

    SQLite can empty it only while nobody else reads. Where somebody does, it is tried again after every later call, and when the
    file is closed.
    """

    def __init__(self, connection: sqlite3.Connection, place: Path | str) -> None:
        self._connection = connection
        self._place = place
        self.full = False
        """Whether it may hold deleted words."""

    def empty(self) -> None:
        """Have the file take over what is in the log, and empty it. Waits for readers as long as for a lock, but once only: many
        sessions that are deleted one after the other do not wait for the same reader.
        """
        if self.full:
            self.again()
        else:
            self.full = not self._emptied()

    def again(self) -> None:
        """Do what could not be done before, without waiting for anybody."""
        if self.full:
            self.close()

    def close(self) -> None:
        """The file is about to be closed. Another program may have deleted something, so this is always tried."""
        with self._impatient():
            self.full = not self._emptied()

    def holding(self) -> tuple[str, ...]:
        """The files that may still hold deleted words, after one more try."""
        if str(self._place) == MEMORY:
            return ()
        self.empty()
        log = f"{self._place}-wal"
        return (str(self._place), log) if self.full else ()

    def _emptied(self) -> bool:
        try:
            # Another connection that reads is no error here: the first column says so.
            rows = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        except sqlite3.OperationalError:
            return False
        return not rows or not rows[0][0]

    @contextmanager
    def _impatient(self) -> Iterator[None]:
        # What fails here takes nothing from the call that was done, or from closing.
        with suppress(sqlite3.Error):
            wait = self._connection.execute("PRAGMA busy_timeout").fetchone()[0]
            self._connection.execute("PRAGMA busy_timeout = 0")
            try:
                yield
            finally:
                self._connection.execute(f"PRAGMA busy_timeout = {wait}")
