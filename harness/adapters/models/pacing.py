"""How fast an endpoint may be asked, by everyone who asks it: requests a minute, and calls at once.

A :class:`Ledger` counts for all who share it: those of this process, or, in a file, of several processes.
"""

from __future__ import annotations

import asyncio
import random
import sqlite3
import threading
import time
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from harness.adapters.models.queueing import QueueTimeout

_FIRST_LOOK_S, _LAST_LOOK_S = 0.02, 0.2
"""Seconds between looks for a free place."""


class Ledger(Protocol):
    """Counts starts and places. Times are seconds of ``time.monotonic``, which processes of one machine share."""

    def reserve(self, endpoint: str, interval: float, within: float) -> float | None:
        """Take the next free start, at least ``interval`` after the one before; gives the seconds until it, or None (and takes nothing)
        when that is more than ``within``.
        """
        ...

    def enter(self, endpoint: str, places: int, holder: str, lasts: float) -> bool:
        """Take one of so many places, for at most ``lasts`` seconds; False when none is free."""
        ...

    def leave(self, endpoint: str, holder: str) -> None:
        """Give a place back."""
        ...

    def forget(self, owner: str) -> None:
        """Give all places back whose holder's name begins with ``owner/``: its process is gone."""
        ...


class ProcessLedger:
    """A ledger for this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._free_at: dict[str, float] = {}
        self._places: dict[str, dict[str, float]] = {}

    def reserve(self, endpoint: str, interval: float, within: float) -> float | None:
        """See :class:`Ledger`."""
        with self._lock:
            now = time.monotonic()
            start = max(now, self._free_at.get(endpoint, now))
            if start - now > within:
                return None
            self._free_at[endpoint] = start + interval
            return start - now

    def enter(self, endpoint: str, places: int, holder: str, lasts: float) -> bool:
        """See :class:`Ledger`."""
        with self._lock:
            now = time.monotonic()
            held = {name: until for name, until in self._places.get(endpoint, {}).items() if until > now}
            self._places[endpoint] = held
            if len(held) >= places:
                return False
            held[holder] = now + lasts
            return True

    def leave(self, endpoint: str, holder: str) -> None:
        """See :class:`Ledger`."""
        with self._lock:
            self._places.get(endpoint, {}).pop(holder, None)

    def forget(self, owner: str) -> None:
        """See :class:`Ledger`."""
        with self._lock:
            for held in self._places.values():
                for holder in [one for one in held if one.startswith(f"{owner}/")]:
                    del held[holder]


_TABLES = """
CREATE TABLE IF NOT EXISTS starts (endpoint TEXT PRIMARY KEY, free_at REAL NOT NULL);
CREATE TABLE IF NOT EXISTS places (endpoint TEXT NOT NULL, holder TEXT NOT NULL, until REAL NOT NULL, PRIMARY KEY (endpoint, holder));
"""


@dataclass(frozen=True, slots=True)
class FileLedger:
    """A ledger in a SQLite file, for the processes of one machine. A process that dies leaves it whole."""

    path: Path

    def reserve(self, endpoint: str, interval: float, within: float) -> float | None:
        """See :class:`Ledger`."""
        with self._alone() as db:
            now = time.monotonic()
            row = db.execute("SELECT free_at FROM starts WHERE endpoint = ?", (endpoint,)).fetchone()
            start = max(now, row[0] if row else now)
            if start - now > within:
                return None
            db.execute("INSERT OR REPLACE INTO starts VALUES (?, ?)", (endpoint, start + interval))
            return float(start - now)

    def enter(self, endpoint: str, places: int, holder: str, lasts: float) -> bool:
        """See :class:`Ledger`."""
        with self._alone() as db:
            now = time.monotonic()
            db.execute("DELETE FROM places WHERE until <= ?", (now,))
            if db.execute("SELECT count(*) FROM places WHERE endpoint = ?", (endpoint,)).fetchone()[0] >= places:
                return False
            db.execute("INSERT OR REPLACE INTO places VALUES (?, ?, ?)", (endpoint, holder, now + lasts))
            return True

    def leave(self, endpoint: str, holder: str) -> None:
        """See :class:`Ledger`."""
        with self._alone() as db:
            db.execute("DELETE FROM places WHERE endpoint = ? AND holder = ?", (endpoint, holder))

    def forget(self, owner: str) -> None:
        """See :class:`Ledger`."""
        with self._alone() as db:
            db.execute("DELETE FROM places WHERE substr(holder, 1, ?) = ?", (len(owner) + 1, f"{owner}/"))

    @contextmanager
    def _alone(self) -> Iterator[sqlite3.Connection]:
        """The only writer for a moment."""
        with closing(sqlite3.connect(self.path, timeout=30, isolation_level=None)) as db:
            db.execute("PRAGMA synchronous = OFF")  # it is about now; after a loss of power nothing of it matters
            db.executescript(_TABLES)
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
            except BaseException:
                db.execute("ROLLBACK")
                raise
            db.execute("COMMIT")


@dataclass(frozen=True, slots=True)
class Pace:
    """The pace at one endpoint.

    Attributes:
        endpoint: by which the ledger knows it.
        requests_per_minute: every attempt counts; they are begun evenly, so that no minute has more. 0: any number.
        places: calls under way at once. 0: any number.
        owner: whose places these are, for :meth:`Ledger.forget`.
    """

    endpoint: str
    ledger: Ledger = field(default_factory=ProcessLedger)
    requests_per_minute: float = 0.0
    places: int = 0
    owner: str = ""

    async def start(self, deadline: float) -> None:
        """Wait until a request may be begun. ``deadline``: in the loop's time. Raises QueueTimeout: that is later."""
        if not self.requests_per_minute:
            return
        within = deadline - asyncio.get_running_loop().time()
        wait = await asyncio.to_thread(self.ledger.reserve, self.endpoint, 60 / self.requests_per_minute, within)
        if wait is None:
            raise QueueTimeout
        await asyncio.sleep(wait)

    @asynccontextmanager
    async def place(self, deadline: float) -> AsyncIterator[None]:
        """Hold a place. ``deadline``: in the loop's time; a place is not held longer. Raises QueueTimeout: none became free before."""
        if not self.places:
            yield
            return
        holder = f"{self.owner}/{uuid.uuid4().hex}"
        await self._enter(holder, deadline)
        try:
            yield
        finally:
            await asyncio.shield(asyncio.to_thread(self.ledger.leave, self.endpoint, holder))

    async def _enter(self, holder: str, deadline: float) -> None:
        loop, look = asyncio.get_running_loop(), _FIRST_LOOK_S
        while True:
            left = deadline - loop.time()
            if left <= 0:
                raise QueueTimeout
            entering = asyncio.ensure_future(
                asyncio.to_thread(self.ledger.enter, self.endpoint, self.places, holder, left + 5.0)
            )
            try:
                if await asyncio.shield(entering):
                    return
            except asyncio.CancelledError:
                await entering  # the thread goes on; what it took is given back
                self.ledger.leave(self.endpoint, holder)
                raise
            await asyncio.sleep(min(look * random.uniform(0.8, 1.2), left))
            look = min(look * 1.5, _LAST_LOOK_S)
