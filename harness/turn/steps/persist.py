"""persist: the turn is complete."""

from __future__ import annotations

from harness.errors import HarnessError
from harness.ports import Ports
from harness.state.operations import FinishTurn
from harness.turn.turn import Turn
from harness.turn.withholding import reply_without_secrets


async def persist(turn: Turn, ports: Ports) -> Turn:
    """Close the turn and replace its journal entry by the complete one.

    Raises:
        StoreError: the entry could not be written; the turn stays recorded and is completed when next opened.
    """
    turn = reply_without_secrets(turn, ports)  # what was asked since the reply is new in it
    turn = turn.require([FinishTurn(turn=turn.number)])
    turn = await _planned(turn, ports)
    await ports.journal.complete(turn.record("done"), turn.state)
    told = await _remembered(turn, ports)
    if told is not turn:
        await ports.journal.complete(told.record("done"), told.state)
    return told


async def _planned(turn: Turn, ports: Ports) -> Turn:
    """Enter what memory will be told. Without a store that answers the turn is complete all the same: memory catches up
    from the journal when the session is next used.
    """
    try:
        planned = await ports.memory.plan(turn.record("done"), before=turn.before, after=turn.state)
    except HarnessError as error:
        return turn.note("memory_failed", error.message)
    return turn.with_(memory=planned)


async def _remembered(turn: Turn, ports: Ports) -> Turn:
    """Tell memory, now that the journal has the turn: one that lost against another process leaves nothing there."""
    if any(event.kind == "memory_failed" for event in turn.events):
        return turn
    try:
        await ports.memory.keep(turn.record("done"), before=turn.before, after=turn.state)
    except HarnessError as error:
        return turn.with_(memory=()).note("memory_failed", error.message)
    return turn
