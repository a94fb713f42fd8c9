"""A stored session, read without a model and without completing anything: for commands that only look."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.errors import TurnNotFound
from harness.session import TimelineEntry, initial_state, rebuild

if TYPE_CHECKING:
    from harness.ports import SessionStore
    from harness.state import DialogueState, SessionInfo, TurnRecord


@dataclass(frozen=True, slots=True)
class Stored:
    """A session as it is stored. ``branch``: the records from the root to the head."""

    info: SessionInfo
    branch: tuple[TurnRecord, ...]
    store: SessionStore

    @classmethod
    async def read(cls, store: SessionStore, session_id: str) -> Stored:
        """Read it. Raises SessionNotFound."""
        info = await store.info(session_id)
        return cls(info, await store.branch(session_id, info.head), store)

    def turn(self, number: int | None = None) -> TurnRecord:
        """The turn of this number on the current branch, or the last one.

        Raises:
            TurnNotFound: there is none.
        """
        spoken = [record for record in self.branch if record.origin != "change"]
        found = spoken if number is None else [record for record in spoken if record.number == number]
        if found:
            return found[-1]
        if number is None:
            raise TurnNotFound(f"Session {self.info.id!r} has no turn yet.", remedy="Say something first.")
        raise TurnNotFound(f"Session {self.info.id!r} has no turn {number}; it has {len(spoken)}.")

    def state(self, number: int | None = None) -> DialogueState:
        """The state now, or after the turn of this number (0: at the beginning). Raises TurnNotFound."""
        if number is None:
            return rebuild(initial_state(self.info), self.branch)
        if number == 0:
            return initial_state(self.info)
        return self.state_at(self.turn(number))

    def state_at(self, record: TurnRecord) -> DialogueState:
        """The state after a record of the current branch."""
        return rebuild(initial_state(self.info), self.branch[: self.branch.index(record) + 1])

    def before(self, record: TurnRecord) -> DialogueState:
        """The state before a record of the current branch."""
        return rebuild(initial_state(self.info), self.branch[: self.branch.index(record)])

    async def timeline(self) -> tuple[TimelineEntry, ...]:
        """Every turn of the tree, oldest first."""
        current = {record.id for record in self.branch}
        return tuple(
            TimelineEntry(record, record.id in current, record.id == self.info.head)
            for record in await self.store.records(self.info.id)
        )
