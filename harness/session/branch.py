"""Branch: where a session stands in the tree of its turns, and what is written there."""

from __future__ import annotations

from collections.abc import Sequence

from harness.errors import ConflictError, SessionNotFound, TurnNotFound
from harness.ports import SessionStore, TurnPlace
from harness.session.folding import initial_state, messages_of, rebuild
from harness.state import DialogueState, Message, SessionInfo, TurnRecord

CATCH_UP_ROUNDS = 8
"""How often a session is read again because another process changed it meanwhile."""


class Branch:
    """The head of a stored session and the state there, kept in step with what is written.

    It is the :class:`~harness.ports.Journal` of the turns that are run on it. Its holder sees to it that one caller
    at a time reads or writes.

    Attributes:
        info: the session as it was last read; its persona never changes.
        store: where it is kept.
        head, state: the last record, and the state after it; None and the initial state before the first.
    """

    def __init__(self, info: SessionInfo, store: SessionStore, *, snapshot_every: int) -> None:
        """Nothing is read yet."""
        self.info = info
        self.store = store
        self.head: TurnRecord | None = None
        self.state = initial_state(info)
        self._snapshot_every = snapshot_every
        self._version = -1
        self._earlier: tuple[str | None, list[Message]] = (None, [])

    @property
    def id(self) -> str:
        """The session's id."""
        return self.info.id

    @property
    def head_id(self) -> str | None:
        """The id of the last record."""
        return self.head.id if self.head else None

    # --- reading --------------------------------------------------------------------------------------------------

    def forget(self) -> None:
        """Have everything read again: what is stored may not be what is known here."""
        self._version = -1

    async def refresh(self) -> None:
        """Read the session when it was changed elsewhere, or forgotten."""
        if await self.store.version(self.id) != self._version:
            await self._load()

    async def exists(self) -> bool:
        """Whether the session is there still; another program may have deleted it. Raises StoreError."""
        try:
            await self.store.version(self.id)
        except SessionNotFound:
            return False
        return True

    async def _load(self) -> None:
        """Read the session as it stands at one version: what is read piece by piece may be written in between."""
        for _ in range(CATCH_UP_ROUNDS):
            info = await self.store.info(self.id)
            head = await self.store.record(self.id, info.head) if info.head else None
            state = await self.state_at(info.head)
            if await self.store.version(self.id) == info.version:
                self.info, self.head, self.state, self._version = info, head, state, info.version
                return
        raise ConflictError(f"Session {self.id!r} keeps being changed elsewhere.", session_id=self.id)

    async def state_at(self, turn_id: str | None) -> DialogueState:
        """The state after a record; None: the initial one."""
        if turn_id is None:
            return initial_state(self.info)
        found = await self.store.snapshot(self.id, turn_id)
        after, state = found if found is not None else (None, initial_state(self.info))
        return rebuild(state, await self.store.branch(self.id, turn_id, after=after))

    async def state_after(self, number: int) -> DialogueState:
        """The state after turn ``number``, changes after it included; 0: the beginning. Raises TurnNotFound."""
        if number == self.state.turn_count:
            return self.state
        found = [place.id for place in await self.path() if place.number == number]
        if not found and number != 0:
            raise self.no_turn(number)
        return await self.state_at(found[-1] if found else None)

    async def records(self) -> tuple[TurnRecord, ...]:
        """The records that lead to the head, oldest first."""
        return await self.store.branch(self.id, self.head_id)

    async def path(self) -> tuple[TurnPlace, ...]:
        """The places that lead to the head, root first."""
        return await self.store.path(self.id, self.head_id)

    async def path_to(self, turn_id: str | None) -> tuple[TurnPlace, ...]:
        """The places that lead to a record, root first. Raises TurnNotFound."""
        return await self.store.path(self.id, turn_id)

    async def record_of(self, turn_id: str) -> TurnRecord:
        """One record. Raises TurnNotFound."""
        return await self.store.record(self.id, turn_id)

    def advance(self, state: DialogueState, record: TurnRecord) -> DialogueState:
        """The state after a record, from the one before it."""
        return rebuild(state, (record,))

    async def spoken(self, number: int | None = None) -> TurnPlace:
        """The place of the last turn, or of turn ``number``. Changes by hand are not turns. Raises TurnNotFound."""
        found = [place for place in await self.path() if not place.change and number in (None, place.number)]
        if not found:
            raise self.no_turn(number)
        return found[-1]

    def no_turn(self, number: int | None) -> TurnNotFound:
        """The error for a turn that is not on this branch."""
        what = "no turn yet" if number is None else f"no turn {number}; it has {self.state.turn_count}"
        return TurnNotFound(f"Session {self.id!r} has {what}.", remedy="Say something first.")

    # --- writing --------------------------------------------------------------------------------------------------

    async def move(self, turn_id: str | None) -> None:
        """Make another record the head."""
        self._version = await self.store.move_head(self.id, turn_id, expected_version=self._version)
        await self._load()

    async def append(self, record: TurnRecord, state: DialogueState) -> None:
        """Add a record that is complete. Raises ConflictError when the session was changed elsewhere."""
        version = await self.store.append(self.id, record, expected_version=self._version)
        self._version, self.head, self.state = version, record, state

    async def record(self, record: TurnRecord, state: DialogueState) -> None:
        """Add a turn whose reply is made; see :class:`harness.ports.Journal`."""
        try:
            await self.append(record, state)
        except ConflictError as error:
            self.forget()
            await self._keep_aside(record)
            raise ConflictError(
                f"Session {self.id!r} was changed elsewhere during this turn; the turn was kept as a side branch.",
                remedy=f"Go to it with `harness show {self.id} --timeline` and goto {record.id}, or repeat it.",
                session_id=self.id,
                turn_id=record.id,
            ) from error

    async def _keep_aside(self, record: TurnRecord) -> None:
        """Add a record as a side branch, however often others write meanwhile."""
        for _ in range(CATCH_UP_ROUNDS):
            try:
                seen = await self.store.version(self.id)
                await self.store.append(self.id, record, expected_version=seen, move_head=False)
            except ConflictError:
                continue
            else:
                return
        raise ConflictError(f"Session {self.id!r} keeps being changed elsewhere; the turn could not be kept.")

    async def earlier(self, last_turn: int) -> Sequence[Message]:
        """What was said up to ``last_turn``. Kept from turn to turn; read again when the branch has changed."""
        known, messages = self._earlier
        head = self.head
        if head is None:
            return ()
        if known != head.id:
            after = known if known is not None and known == head.parent else None
            records = (head,) if after else await self.records()
            fresh = [message for record in records for message in messages_of(record)]
            messages = [*messages, *fresh] if after else fresh
            self._earlier = (head.id, messages)
        return [message for message in messages if message.turn <= last_turn]

    async def complete(self, record: TurnRecord, state: DialogueState) -> None:
        """Replace the last record by its complete form; see :class:`harness.ports.Journal`."""
        self._version = await self.store.amend(self.id, record, expected_version=self._version)
        self.head, self.state = record, state
        if record.number % self._snapshot_every == 0:
            await self.store.save_snapshot(self.id, record.id, state)
