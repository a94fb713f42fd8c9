"""The turnstile that lets one caller of a session through at a time."""

from __future__ import annotations

import asyncio


class Turnstile:
    """What all handles of one session in a process share: the lock, and the bookkeeping that is still going on.

    Attributes:
        running: a turn or a change is going on; a caller that must not wait is refused.
    """

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.bookkeeping: asyncio.Task[None] | None = None
        self.running = False

    async def wait(self) -> None:
        """Wait for the bookkeeping. A cancelled waiter leaves it alone, and the next one waits again."""
        if self.bookkeeping is not None:
            await asyncio.wait({self.bookkeeping})
