"""What the engine asks of a store of sessions, and of the journal of the running turn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from harness.state.dialogue import DialogueState, Message
from harness.state.record import SessionInfo, TurnRecord


@dataclass(frozen=True, slots=True)
class TurnPlace:
    """Where a record stands in the tree, without its content.

    Attributes:
        change: it is a change by hand: it has the number of the turn before it (0 at the beginning).
    """

    id: str
    parent: str | None
    number: int
    change: bool = False


def places(rows: Iterable[tuple[str, str | None, int]]) -> tuple[TurnPlace, ...]:
    """Places of a branch from its (id, parent, number) rows, root first: a number that does not rise is a change."""
    found: list[TurnPlace] = []
    before = 0
    for turn_id, parent, number in rows:
        found.append(TurnPlace(turn_id, parent, number, change=number == before))
        before = number
    return tuple(found)


class SessionStore(Protocol):
    """A journal of turn records in a tree per session, with snapshots and an optimistic lock.

    Every write takes ``expected_version`` (the session's version the caller has seen), fails with
    :class:`~harness.errors.ConflictError` when the stored one differs, and returns the new version.
    A write is whole or not at all. All reads return validated, migrated objects or raise a
    :class:`~harness.errors.StoreError` / :class:`~harness.errors.NewerSchema`.
    """

    async def create(self, info: SessionInfo) -> None:
        """Store a new session (version 0, no head). Raises SessionExists."""
        ...

    async def info(self, session_id: str) -> SessionInfo:
        """Raises SessionNotFound."""
        ...

    async def version(self, session_id: str) -> int:
        """The stored version only; cheap, called before every turn. Raises SessionNotFound."""
        ...

    async def sessions(self) -> tuple[SessionInfo, ...]:
        """All sessions, last changed first."""
        ...

    async def delete(self, session_id: str) -> None:
        """Remove a session with all its records and snapshots. Raises SessionNotFound."""
        ...

    async def append(
        self, session_id: str, record: TurnRecord, *, expected_version: int, move_head: bool = True
    ) -> int:
        """Add a record below its parent; make it the head unless told not to. Raises ConflictError when the
        version differs or the record's id exists, TurnNotFound when the parent does not exist.
        """
        ...

    async def amend(self, session_id: str, record: TurnRecord, *, expected_version: int) -> int:
        """Replace the record of the same id (bookkeeping completed). Raises TurnNotFound, ConflictError."""
        ...

    async def move_head(self, session_id: str, turn_id: str | None, *, expected_version: int) -> int:
        """Make another turn (or the empty beginning) the head. Raises TurnNotFound, ConflictError."""
        ...

    async def record(self, session_id: str, turn_id: str) -> TurnRecord:
        """One record. Raises TurnNotFound."""
        ...

    async def records(self, session_id: str) -> tuple[TurnRecord, ...]:
        """All records of all branches, oldest first."""
        ...

    async def branch(self, session_id: str, turn_id: str | None, *, after: str | None = None) -> tuple[TurnRecord, ...]:
        """The records from the root to ``turn_id``, oldest first; only those below ``after`` when given."""
        ...

    async def path(self, session_id: str, turn_id: str | None) -> tuple[TurnPlace, ...]:
        """The places from the root to ``turn_id``, oldest first, without reading the records. Raises TurnNotFound."""
        ...

    async def save_snapshot(self, session_id: str, turn_id: str, state: DialogueState) -> None:
        """Keep the state at a turn. A cache: may be dropped at any time, never bumps the version."""
        ...

    async def snapshot(self, session_id: str, turn_id: str) -> tuple[str, DialogueState] | None:
        """The nearest snapshot at ``turn_id`` or above it on its branch: (its turn id, state); None without one.
        A snapshot that cannot be read, or that was written by another schema version, counts as none.
        """
        ...

    async def close(self) -> None:
        """Release files and connections; later calls raise StoreError."""
        ...


class Journal(Protocol):
    """Where the running turn of one session is written down; bound by the session."""

    async def record(self, record: TurnRecord, state: DialogueState) -> None:
        """Make the reply durable and the turn the head. Raises ConflictError when the session moved on elsewhere;
        the turn is then kept as a side branch.
        """
        ...

    async def earlier(self, last_turn: int) -> Sequence[Message]:
        """The messages of the branch up to ``last_turn``, oldest first: those that a summary has replaced."""
        ...

    async def complete(self, record: TurnRecord, state: DialogueState) -> None:
        """Replace the record by its complete form, and keep a snapshot of the state when one is due."""
        ...


class NullJournal:
    """Writes nothing: for turns that are only tried out."""

    async def record(self, record: TurnRecord, state: DialogueState) -> None:
        """Do nothing."""

    async def earlier(self, last_turn: int) -> Sequence[Message]:  # noqa: ARG002 - the protocol's argument
        """Nothing."""
        return ()

    async def complete(self, record: TurnRecord, state: DialogueState) -> None:
        """Do nothing."""
