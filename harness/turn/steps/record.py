"""record: from here on the reply is durable, and the user's."""

from __future__ import annotations

from harness.errors import EmptyReply
from harness.ports import Ports
from harness.state import Message
from harness.state.operations import AddMessage, BeginTurn
from harness.turn.turn import Turn
from harness.turn.withholding import reply_without_secrets


async def record(turn: Turn, ports: Ports) -> Turn:
    """Count the turn, keep both messages, and write the journal entry.

    Raises:
        EmptyReply: no candidate has any text.
        OperationRejected: the turn does not follow on the state.
        StoreError: the entry could not be written; the session is unchanged.
    """
    if not turn.reply.strip():
        raise EmptyReply("The model gave no text, and neither did any revision.", remedy="Try again.")
    now = ports.clock.now()
    turn = reply_without_secrets(turn, ports)
    turn = turn.require(
        [
            BeginTurn(turn=turn.number),
            AddMessage(message=Message(speaker="user", text=turn.text, turn=turn.number, at=turn.now)),
            AddMessage(message=Message(speaker="character", text=turn.reply, turn=turn.number, at=now)),
        ]
    ).with_(replied_at=now)
    await ports.journal.record(turn.record("record"), turn.state)
    return turn
