"""Short-term messages in a SQLite file."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeVar

from harness.adapters.short_term._messages import check_limits, closed, decoded, encoded
from harness.adapters.stores._sqlite_errors import corrupt
from harness.adapters.stores._sqlite_layout import Synchronous, connect
from harness.adapters.stores._sqlite_log import Log
from harness.adapters.stores._sqlite_thread import SQLiteThread
from harness.adapters.stores._sqlite_transaction import transaction
from harness.errors import StoreError
from harness.ports.short_term import RecentMessage, newest

Result = TypeVar("Result")
_SLACK_S: Final = 0.05
"""After the end of a list, so that it has ended when it is looked for."""
WHAT = "short-term memory"
APPLICATION_ID = 0x64686E74
"""``dhnt`` in ASCII, in the file header: tells our files from other programs' databases."""
LAYOUTS: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TABLE lists (session TEXT NOT NULL PRIMARY KEY, turn_id TEXT NOT NULL, ends REAL)",
        """CREATE TABLE messages (
            number INTEGER PRIMARY KEY,
            session TEXT NOT NULL REFERENCES lists (session) ON DELETE CASCADE,
            tokens INTEGER NOT NULL,
            document TEXT NOT NULL
        )""",
        "CREATE INDEX messages_of ON messages (session, number)",
    ),
)


class SQLiteShortTerm:
    """A :class:`~harness.ports.short_term.ShortTerm` in one SQLite file (WAL mode), or in ``:memory:``.

    All SQL runs in one thread of the store's own. Several stores, in this program or others, may use the same file: any program
    can read the table ``messages`` (JSON in ``document``, oldest first by ``number``).

    Args:
        path: the file, made with its folder by the first call.
        max_tokens, ttl_seconds: see the port. A list that has ended is removed from the file while the store is used, or by
            the next one that opens it.
        synchronous, busy_timeout_s: see :class:`~harness.adapters.stores.sqlite.SQLiteSessionStore`.
        now: seconds since 1970.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        max_tokens: int,
        ttl_seconds: int = 0,
        synchronous: Synchronous = "NORMAL",
        busy_timeout_s: float = 5.0,
        now: Callable[[], float] = time.time,
    ) -> None:
        check_limits(max_tokens, ttl_seconds)

        def opened(place: Path | str) -> _File:
            return _File(place, synchronous, busy_timeout_s, max_tokens, ttl_seconds, now)

        self._file = SQLiteThread(
            path, opened, synchronous=synchronous, busy_timeout_s=busy_timeout_s, closed=closed, what=WHAT
        )
        self._now = now
        self._lasting = not ttl_seconds
        self._sweeper: asyncio.Task[None] | None = None

    async def append(self, session: str, turn_id: str, messages: Sequence[RecentMessage], *, after: str) -> bool:
        """Add what was said in a turn, when the list stands at ``after``; False when it stands elsewhere."""
        documents = encoded(messages)
        done = await self._run(lambda file: file.append(session, turn_id, messages, documents, after))
        self._sweep_later()
        return done

    async def replace(self, session: str, turn_id: str, messages: Sequence[RecentMessage]) -> None:
        """Put these messages in the place of all."""
        documents = encoded(messages)
        await self._run(lambda file: file.replace(session, turn_id, messages, documents))
        self._sweep_later()

    async def stands(self, session: str) -> str | None:
        """The turn the list stands at; None when there is none."""
        return await self._run(lambda file: file.stands(session))

    async def recent(self, session: str, *, max_tokens: int | None = None) -> tuple[RecentMessage, ...]:
        """The newest messages that fit, oldest first."""
        return await self._run(lambda file: file.recent(session, max_tokens))

    async def clear(self, session: str) -> bool:
        """Remove the list of a session from the file; whether there was one."""
        return await self._run(lambda file: file.clear(session))

    async def not_overwritten(self) -> tuple[str, ...]:
        """See :class:`~harness.ports.Overwrites`."""
        return await self._file.not_overwritten()

    async def close(self) -> None:
        """Finish what was begun and close the file; later calls raise StoreError. May be called again."""
        if self._sweeper is not None:
            self._sweeper.cancel()
        await self._file.close()

    async def _run(self, job: Callable[[_File], Result]) -> Result:
        def swept(file: _File) -> Result:
            file.sweep()
            return job(file)

        return await self._file.run(swept)

    def _sweep_later(self) -> None:
        """See to it that lists go when their time is over, though nobody should call again."""
        if not self._lasting and (self._sweeper is None or self._sweeper.done()):
            self._sweeper = asyncio.get_running_loop().create_task(self._sweep())

    async def _sweep(self) -> None:
        with suppress(StoreError):  # the next call meets the same and says so
            ends = await self._file.run(lambda file: file.sweep())
            while ends is not None:
                await asyncio.sleep(max(ends - self._now(), 0.0) + _SLACK_S)
                ends = await self._file.run(lambda file: file.sweep())


class _File:
    """An open file, used by one thread."""

    def __init__(
        self,
        place: Path | str,
        synchronous: Synchronous,
        busy_timeout_s: float,
        max_tokens: int,
        ttl_seconds: int,
        now: Callable[[], float],
    ) -> None:
        self._place = place
        self._max_tokens = max_tokens
        self._ttl = ttl_seconds
        self._now = now
        self._sql = connect(
            place,
            synchronous=synchronous,
            busy_timeout_s=busy_timeout_s,
            layouts=LAYOUTS,
            application=APPLICATION_ID,
            what=WHAT,
        )
        self.log = Log(self._sql, place)

    def close(self) -> None:
        """Close the file, without the lists that have ended."""
        with suppress(sqlite3.Error):
            self.sweep()
        self.log.close()
        self._sql.close()

    def sweep(self) -> float | None:
        """Remove the lists that have ended; when the next one does, in seconds since 1970."""
        if self._first("SELECT 1 FROM lists WHERE ends <= ?", self._now()):
            with transaction(self._sql):
                self._sql.execute("DELETE FROM lists WHERE ends <= ?", (self._now(),))
            self.log.full = True  # so that it is emptied as soon as nobody reads it
        ends = self._first("SELECT min(ends) FROM lists")
        return float(ends[0]) if ends and ends[0] is not None else None

    def append(
        self, session: str, turn_id: str, messages: Sequence[RecentMessage], documents: Sequence[str], after: str
    ) -> bool:
        with transaction(self._sql):
            stands = self.stands(session)
            if stands is None or stands not in (after, turn_id):
                return False
            if stands != turn_id:
                self._add(session, messages, documents)
            self._stand(session, turn_id)
            return True

    def replace(self, session: str, turn_id: str, messages: Sequence[RecentMessage], documents: Sequence[str]) -> None:
        with transaction(self._sql):
            self._sql.execute("DELETE FROM messages WHERE session = ?", (session,))
            self._stand(session, turn_id)
            self._add(session, messages, documents)

    def stands(self, session: str) -> str | None:
        rows = self._sql.execute(
            "SELECT turn_id FROM lists WHERE session = ? AND (ends IS NULL OR ends > ?)", (session, self._now())
        ).fetchall()
        return str(rows[0][0]) if rows else None

    def recent(self, session: str, max_tokens: int | None) -> tuple[RecentMessage, ...]:
        rows = self._sql.execute(
            "SELECT tokens, document FROM messages JOIN lists USING (session) "
            "WHERE session = ? AND (ends IS NULL OR ends > ?) ORDER BY number",
            (session, self._now()),
        ).fetchall()
        count = newest([row[0] for row in rows], self._max_tokens if max_tokens is None else max_tokens)
        try:
            return tuple(decoded(row[1]) for row in rows[len(rows) - count :])
        except ValueError as error:
            raise corrupt(
                self._place, f"a message of session {session!r} in it cannot be read ({error})", WHAT
            ) from error

    def clear(self, session: str) -> bool:
        with transaction(self._sql):
            there = self.stands(session) is not None
            self._sql.execute("DELETE FROM lists WHERE session = ?", (session,))
        self.log.empty()
        return there

    def _first(self, statement: str, *values: float) -> tuple[float | None, ...] | None:
        row: tuple[float | None, ...] | None = self._sql.execute(statement, values).fetchone()
        return row

    def _add(self, session: str, messages: Sequence[RecentMessage], documents: Sequence[str]) -> None:
        self._sql.executemany(
            "INSERT INTO messages (session, tokens, document) VALUES (?, ?, ?)",
            [(session, one.tokens, document) for one, document in zip(messages, documents, strict=True)],
        )
        rows = self._sql.execute(
            "SELECT number, tokens FROM messages WHERE session = ? ORDER BY number", (session,)
        ).fetchall()
        dropped = len(rows) - newest([row[1] for row in rows], self._max_tokens)
        self._sql.executemany("DELETE FROM messages WHERE number = ?", [row[:1] for row in rows[:dropped]])

    def _stand(self, session: str, turn_id: str) -> None:
        self._sql.execute(
            "INSERT INTO lists VALUES (?1, ?2, ?3) ON CONFLICT (session) DO UPDATE SET turn_id = ?2, ends = ?3",
            (session, turn_id, self._now() + self._ttl if self._ttl else None),
        )
