"""At most so many calls at once, in the order they came."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakKeyDictionary

from harness.errors import SettingsError


class Queue:
    """Places for calls under way; who finds none waits for the first to become free.

    Args:
        places: how many calls may run at once; None for any number.

    Raises:
        SettingsError: ``places`` is less than one.

    A semaphore belongs to the event loop it is waited for in, so every loop has its own places.
    """

    def __init__(self, places: int | None) -> None:
        if places is not None and places < 1:
            raise SettingsError(f"Expected max_concurrency to be at least 1 or None, not {places!r}.")
        self.places = places
        self._free: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()

    @asynccontextmanager
    async def place(self, deadline: float) -> AsyncIterator[None]:
        """Hold a place. Whoever is cancelled while waiting leaves the queue as if never in it.

        Args:
            deadline: in the loop's time.

        Raises:
            QueueTimeout: no place became free before the deadline.
        """
        if self.places is None:
            yield
            return
        free = self._free.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(self.places))
        try:
            async with asyncio.timeout_at(deadline):
                await free.acquire()
        except TimeoutError:
            raise QueueTimeout from None
        try:
            yield
        finally:
            free.release()


class QueueTimeout(Exception):
    """The time was up before the call had a place: a signal, which leaves the package as a ModelTimeout."""
