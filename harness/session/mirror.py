"""Mirror: the newest messages of a session, copied to where other programs read them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import structlog

from harness.errors import HarnessError, SessionNotFound
from harness.ports import RecentMessage, ShortTerm
from harness.session.branch import Branch
from harness.session.folding import initial_state, messages_of
from harness.state import Message, SessionInfo, TurnRecord

log = structlog.get_logger("harness.session")


@dataclass(frozen=True, slots=True)
class Mirroring:
    """What the sessions share that are copied.

    Attributes:
        max_tokens: what the store keeps of one session.
        count_tokens: of a message's text, its chat template included.
    """

    store: ShortTerm
    max_tokens: int
    count_tokens: Callable[[str], int]

    def messages(self, found: Sequence[Message], turn_id: str) -> list[RecentMessage]:
        """Messages of a turn as they are kept."""
        return [RecentMessage(message, turn_id, self.count_tokens(message.text)) for message in found]

    def newest(self, info: SessionInfo, records: Sequence[TurnRecord]) -> list[RecentMessage]:
        """The messages of the last of these records, oldest first, as many turns as it takes to fill the store."""
        parts: list[list[RecentMessage]] = []
        tokens = 0
        for record in reversed(records):
            part = self.messages(messages_of(record), record.id)
            tokens += sum(one.tokens for one in part)
            parts.append(part)
            if tokens > self.max_tokens:
                break
        else:
            parts.append(self.messages(initial_state(info).messages, ""))
        return [one for part in reversed(parts) for one in part]


class Mirror:
    """Keeps the list of one session where the session stands: it goes along with new turns, undo, retry and goto.

    What it missed, because the store did not answer or the list has ended, it writes the next time.
    """

    def __init__(self, shared: Mirroring, branch: Branch) -> None:
        self._shared = shared
        self._branch = branch
        self._stands: str | None = None

    async def follow(self) -> None:
        """Have the list stand where the branch does. A store that does not answer costs no more than a warning."""
        here = self._branch.head_id or ""
        if self._stands == here:
            return
        try:
            await self._write(here)
        except HarnessError as error:
            self._stands = None
            log.warning("short_term_failed", session=self._branch.id, error=error.message)

    async def copy(self, info: SessionInfo, records: Sequence[TurnRecord]) -> None:
        """Write the list of another session, whose branch these records are."""
        try:
            await self._shared.store.replace(
                info.id, records[-1].id if records else "", self._shared.newest(info, records)
            )
        except HarnessError as error:
            log.warning("short_term_failed", session=info.id, error=error.message)

    async def _write(self, here: str) -> None:
        shared, branch, head = self._shared, self._branch, self._branch.head
        fresh = shared.messages(messages_of(head), head.id) if head is not None else []
        if fresh and fresh[-1].tokens > shared.max_tokens:
            log.warning(
                "short_term_oversized", session=branch.id, tokens=fresh[-1].tokens, max_tokens=shared.max_tokens
            )
        taken = head is not None and await shared.store.append(branch.id, here, fresh, after=head.parent or "")
        if not taken:
            if head is None and await shared.store.stands(branch.id) == here:
                self._stands = here
                return
            await shared.store.replace(branch.id, here, await self._newest())
        self._stands = here
        try:
            await branch.store.version(branch.id)
        except SessionNotFound:  # another program deleted it meanwhile, and the list before this was written
            await shared.store.clear(branch.id)

    async def _newest(self) -> list[RecentMessage]:
        """Read from the journal, newest first, until the store is filled."""
        records: list[TurnRecord] = []
        tokens = 0
        for place in reversed(await self._branch.path()):
            records.append(await self._branch.record_of(place.id))
            tokens += sum(self._shared.count_tokens(message.text) for message in messages_of(records[-1]))
            if tokens > self._shared.max_tokens:
                break
        return self._shared.newest(self._branch.info, records[::-1])
