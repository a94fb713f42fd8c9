"""Short-term messages: the newest of each session, as many as fit into a number of tokens, for other programs to read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from harness.state.dialogue import Message


@dataclass(frozen=True, slots=True)
class RecentMessage:
    """A message with where it was said.

    Attributes:
        turn_id: the turn's record in the session; empty for a greeting.
        tokens: how many tokens it takes, its chat template included.
    """

    message: Message
    turn_id: str = ""
    tokens: int = 0


def newest(tokens: Sequence[int], max_tokens: int) -> int:
    """How many of the last messages, given by their tokens and oldest first, fit into ``max_tokens``. Messages are whole or
    not at all; the very last is kept however long it is.
    """
    taken = 0
    for count, size in enumerate(reversed(tokens)):
        taken += size
        if taken > max_tokens and count:
            return count
    return len(tokens)


class ShortTerm(Protocol):
    """The newest messages of sessions.

    A list stands at a turn of its session, so that two programs that write the same turn write it once, and one that missed
    some sees that it did. Messages that do not fit are gone for good; so is the whole list when nobody wrote to it for as long
    as it lives. Every write is whole or not at all, and doing it twice is doing it once.

    Implementations are made with ``max_tokens`` of a list and ``ttl_seconds`` (0: no end) that it lives after a write. All
    methods raise :class:`~harness.errors.StoreError`.
    """

    async def append(self, session: str, turn_id: str, messages: Sequence[RecentMessage], *, after: str) -> bool:
        """Add what was said in a turn, when the list stands at the turn ``after``, or at this turn already (then nothing is
        added). False when it stands elsewhere or there is none: see :meth:`replace`.
        """
        ...

    async def replace(self, session: str, turn_id: str, messages: Sequence[RecentMessage]) -> None:
        """Put these messages, oldest first, in the place of all, and have the list stand at a turn (``""``: the beginning)."""
        ...

    async def stands(self, session: str) -> str | None:
        """The turn the list stands at; None when there is none."""
        ...

    async def recent(self, session: str, *, max_tokens: int | None = None) -> tuple[RecentMessage, ...]:
        """The newest messages that fit into ``max_tokens`` (all that are kept by default), oldest first. The last is there
        however long it is. Nothing for an unknown session.
        """
        ...

    async def clear(self, session: str) -> bool:
        """Remove the list of a session for good; whether there was one."""
        ...

    async def close(self) -> None:
        """Release files and connections; later calls raise StoreError. May be called again."""
        ...
