"""persist: the turn is complete."""

from __future__ import annotations

from harness.ports import Ports
from harness.state.operations import FinishTurn
from harness.turn.turn import Turn


async def persist(turn: Turn, ports: Ports) -> Turn:
    """Close the turn and replace its journal entry by the complete one.

    Raises:
        StoreError: the entry could not be written; the turn stays recorded and is completed when next opened.
    """
    turn = turn.require([FinishTurn(turn=turn.number)])
    await ports.journal.complete(turn.record("done"), turn.state)
    return turn
