"""Tests with a human judge: two channels, one of them a witness, the other a person or what was recorded of one.

Nothing tells which is which before the verdict. The order is drawn by the system's randomness and sealed
(:mod:`~harness.blindtest.human.sealing`), replies are released by a clock that knows no channel
(:mod:`~harness.blindtest.human.schedule`), failures look like silence, and only after the verdict is anything else written.
"""

from harness.blindtest.human.results import HumanResults, human_results
from harness.blindtest.human.room import Room
from harness.blindtest.human.saved import Judgement, SessionFolder

__all__ = ["HumanResults", "Judgement", "Room", "SessionFolder", "human_results"]
