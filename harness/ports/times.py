"""Time and ids, replaceable in tests."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Time, replaceable in tests."""

    def now(self) -> datetime:
        """Aware current time."""
        ...

    def monotonic(self) -> float:
        """Seconds, never going back."""
        ...


class Ids(Protocol):
    """Fresh ids, replaceable in tests."""

    def new(self) -> str:
        """A short unique id."""
        ...


class SystemClock:
    """The real clock, UTC."""

    def now(self) -> datetime:
        """Aware current time in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """``time.perf_counter``."""
        import time

        return time.perf_counter()


class RandomIds:
    """Twelve hex digits from uuid4."""

    def new(self) -> str:
        """A short unique id."""
        return uuid.uuid4().hex[:12]
