"""persist: the turn is complete."""

from __future__ import annotations

from harness.errors import HarnessError
from harness.ports import Ports
from harness.state.operations import FinishTurn
from harness.turn.turn import Turn


async def persist(turn: Turn, ports: Ports) -> Turn:
    """Close the turn and replace its journal entry by the complete one.

    Raises:
        StoreError: the entry could not be written; the turn stays recorded and is completed when next opened.
    """
    turn = turn.require([FinishTurn(turn=turn.number)])
    turn = await _remembered(turn, ports)
    await ports.journal.complete(turn.record("done"), turn.state)
    return turn


async def _remembered(turn: Turn, ports: Ports) -> Turn:
    """Write what the turn leaves in memory. Without a store that answers the turn is complete all the same: memory catches up
    from the journal when the session is next used.
    """
    try:
        written = await ports.memory.keep(turn.record("done"), before=turn.before, after=turn.state)
    except HarnessError as error:
        return turn.note("memory_failed", error.message)
    return turn.with_(memory=written)
