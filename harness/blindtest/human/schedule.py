"""When a reply is released: at a time that depends on the session and the number of the message, never on who answers or what is said.

Whoever is faster waits, and whoever is not ready is silent for that message. So neither the speed of a machine nor that of a person shows.
"""

from __future__ import annotations

from dataclasses import dataclass

from harness.blindtest.pacing import Pacing

TYPICAL = "x" * 60
"""A reply of usual length, about a line."""
LEAST_S, MOST_S = 12.0, 90.0


@dataclass(frozen=True, slots=True)
class Schedule:
    """Times of release.

    Attributes:
        pacing: of people; a message's reply is due after the time it would take them to type a line.
        seed: of the session. ``median_s``: instead of the pacing's median; then no least time holds.
    """

    pacing: Pacing
    seed: int
    median_s: float = 0.0

    def delay(self, number: int) -> float:
        """Seconds between the ``number``-th message to a channel and its reply. The channel is not asked for."""
        drawn = self.pacing.delay(TYPICAL, seed=self.seed, number=number)
        if self.median_s:
            return min(2 * self.median_s, self.median_s * drawn / self.pacing.median(TYPICAL))
        return min(MOST_S, max(LEAST_S, drawn))
