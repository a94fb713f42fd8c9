"""The turnstile that lets one caller of a session through at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

_GOING_ON: dict[asyncio.Task[None], Turnstile] = {}
"""Holds what an event loop holds only weakly."""


class Turnstile:
    """What all handles of one session in a process share: the lock, and the bookkeeping that is still going on.

    Attributes:
        running: a turn or a change is going on; a caller that must not wait is refused.
    """

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.bookkeeping: asyncio.Task[None] | None = None
        self.running = False

    def busy_with(self, bookkeeping: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start the bookkeeping of a turn. It goes on, and is waited for when all is closed, though nobody holds the session."""
        task = asyncio.create_task(bookkeeping)
        self.bookkeeping = task
        _GOING_ON[task] = self
        task.add_done_callback(_GOING_ON.pop)
        return task

    async def wait(self) -> None:
        """Wait for the bookkeeping. A cancelled waiter leaves it alone, and the next one waits again."""
        if self.bookkeeping is not None:
            await asyncio.wait({self.bookkeeping})
