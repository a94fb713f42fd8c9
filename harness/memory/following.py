"""The way from where a store stands in a session's tree of turns to another turn: what was left, and what is to be written."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Protocol

from harness.errors import TurnNotFound
from harness.ports import TurnPlace
from harness.state import DialogueState, SessionInfo, TurnRecord


class Tree(Protocol):
    """The journal of the session, as memory reads it."""

    @property
    def info(self) -> SessionInfo:
        """The session."""
        ...

    async def exists(self) -> bool:
        """Whether the session is there still; another program may have deleted it."""
        ...

    async def path_to(self, turn_id: str | None) -> Sequence[TurnPlace]:
        """The places from the root to a turn. Raises TurnNotFound."""
        ...

    async def state_at(self, turn_id: str | None) -> DialogueState:
        """The state after a turn."""
        ...

    async def record_of(self, turn_id: str) -> TurnRecord:
        """One record. Raises TurnNotFound."""
        ...

    def advance(self, state: DialogueState, record: TurnRecord) -> DialogueState:
        """The state after a record, from the one before it."""
        ...


@dataclass(frozen=True, slots=True)
class Way:
    """From one turn to another.

    Attributes:
        missed: turns that are above the other one only, from the oldest; what they say is to be written and shown.
        left: turns that are above the first one only; what they say is to be hidden.
        before: the turn above the first one that was missed; None for the root.
    """

    missed: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    before: str | None = None

    async def turns(self, tree: Tree) -> AsyncGenerator[tuple[TurnRecord, DialogueState, DialogueState], None]:
        """The records that were missed, each with the state before and after it."""
        if not self.missed:
            return
        state = await tree.state_at(self.before)
        for turn in self.missed:
            record = await tree.record_of(turn)
            after = tree.advance(state, record)
            yield record, state, after
            state = after


async def way_to(tree: Tree, stands: str | None, turn_id: str | None) -> Way:
    """``stands``: the turn that the store stands at; None or empty for none. Raises TurnNotFound for ``turn_id``."""
    path = [place.id for place in await tree.path_to(turn_id)]
    try:
        stood: Sequence[str] = [place.id for place in await tree.path_to(stands)] if stands else ()
    except TurnNotFound:  # a turn of a journal that was replaced: everything is written anew
        stood = ()
    missed = [turn for turn in path if turn not in stood]
    first = path.index(missed[0]) if missed else 0
    return Way(tuple(missed), tuple(turn for turn in stood if turn not in path), path[first - 1] if first else None)
