"""The time of a trial: it passes with turns and waits, never by itself, so that two runs are alike."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
"""Monday morning."""
PER_READING = timedelta(milliseconds=10)
PER_TURN = timedelta(seconds=40)


class TrialClock:
    """A :class:`harness.ports.Clock` that is moved by hand."""

    def __init__(self, start: datetime = START) -> None:
        self._now = start
        self._started = start

    def now(self) -> datetime:
        """Aware time; each reading is a little later than the one before."""
        self._now += PER_READING
        return self._now

    def monotonic(self) -> float:
        """Real seconds: deadlines are about the machine and not about the trial."""
        import time

        return time.perf_counter()

    def advance(self, span: timedelta) -> None:
        """Let time pass."""
        self._now += span


class CountedIds:
    """A :class:`harness.ports.Ids` that counts: two runs give the same ids."""

    def __init__(self, prefix: str = "b") -> None:
        self._prefix, self._last = prefix, 0

    def new(self) -> str:
        """The next id."""
        self._last += 1
        return f"{self._prefix}{self._last}"
