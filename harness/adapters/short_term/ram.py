"""Short-term messages kept in this process only."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from harness.adapters.short_term._messages import check_limits, closed, decoded, encoded
from harness.ports.short_term import RecentMessage, newest


@dataclass(slots=True)
class _List:
    turn_id: str
    messages: list[RecentMessage]
    ends: float | None


class InProcessShortTerm:
    """A :class:`~harness.ports.short_term.ShortTerm` that forgets everything when it is closed. Use it from one thread."""

    def __init__(self, *, max_tokens: int, ttl_seconds: int = 0, now: Callable[[], float] = time.time) -> None:
        check_limits(max_tokens, ttl_seconds)
        self._max_tokens = max_tokens
        self._ttl = ttl_seconds
        self._now = now
        self._lists: dict[str, _List] = {}
        self._closed = False

    async def append(self, session: str, turn_id: str, messages: Sequence[RecentMessage], *, after: str) -> bool:
        """Add what was said in a turn, when the list stands at ``after``; False when it stands elsewhere."""
        fresh = _read_back(messages)
        known = self._known(session)
        if known is None or known.turn_id not in (after, turn_id):
            return False
        self._set(session, turn_id, [*known.messages, *(fresh if known.turn_id != turn_id else ())])
        return True

    async def replace(self, session: str, turn_id: str, messages: Sequence[RecentMessage]) -> None:
        """Put these messages in the place of all."""
        self._known(session)
        self._set(session, turn_id, _read_back(messages))

    async def stands(self, session: str) -> str | None:
        """The turn the list stands at; None when there is none."""
        known = self._known(session)
        return None if known is None else known.turn_id

    async def recent(self, session: str, *, max_tokens: int | None = None) -> tuple[RecentMessage, ...]:
        """The newest messages that fit, oldest first."""
        known = self._known(session)
        messages = known.messages if known is not None else []
        return tuple(self._trimmed(messages, self._max_tokens if max_tokens is None else max_tokens))

    async def clear(self, session: str) -> bool:
        """Remove the list of a session; whether there was one."""
        there = self._known(session) is not None
        self._lists.pop(session, None)
        return there

    async def close(self) -> None:
        """Forget everything; later calls raise StoreError."""
        self._closed = True
        self._lists = {}

    def _known(self, session: str) -> _List | None:
        if self._closed:
            raise closed()
        known = self._lists.get(session)
        if known is not None and known.ends is not None and known.ends <= self._now():
            del self._lists[session]
            return None
        return known

    def _set(self, session: str, turn_id: str, messages: Sequence[RecentMessage]) -> None:
        ends = self._now() + self._ttl if self._ttl else None
        self._lists[session] = _List(turn_id, self._trimmed(messages, self._max_tokens), ends)

    @staticmethod
    def _trimmed(messages: Sequence[RecentMessage], max_tokens: int) -> list[RecentMessage]:
        count = newest([one.tokens for one in messages], max_tokens)
        return list(messages[len(messages) - count :])


def _read_back(messages: Sequence[RecentMessage]) -> list[RecentMessage]:
    """As the durable stores give them: what could not be stored is refused here too."""
    return [decoded(text) for text in encoded(messages)]
