"""Short-term messages on a Redis server: a list for each session, which any Redis client can read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from harness.adapters.redis.client import RedisClient
from harness.adapters.redis.failures import damaged
from harness.adapters.short_term._messages import check_limits, closed, decoded, encoded
from harness.ports.short_term import RecentMessage, newest

if TYPE_CHECKING:
    from harness.adapters.redis.options import RedisOptions

SCRIPT = "short_term/_redis_short_term.lua"


class RedisShortTerm:
    """A :class:`~harness.ports.short_term.ShortTerm` on a Redis server.

    ``LRANGE harness:recent:SESSION 0 -1`` gives the messages, oldest first, as JSON objects with ``speaker``, ``text``, ``turn``,
    ``at``, ``turn_id`` and ``tokens``. Writes are Lua scripts, whole and done once, by however many programs.

    Args:
        max_tokens, ttl_seconds: see the port; the server itself ends a list (EXPIRE).
    """

    def __init__(self, options: RedisOptions, *, max_tokens: int, ttl_seconds: int = 0) -> None:
        check_limits(max_tokens, ttl_seconds)
        self._client = RedisClient(options, closed=closed)
        self._limits = (max_tokens, ttl_seconds)

    async def append(self, session: str, turn_id: str, messages: Sequence[RecentMessage], *, after: str) -> bool:
        """Add what was said in a turn, when the list stands at ``after``; False when it stands elsewhere."""
        documents = encoded(messages)
        return bool(await self._client.script(SCRIPT, "append", session, turn_id, after, *self._limits, *documents))

    async def replace(self, session: str, turn_id: str, messages: Sequence[RecentMessage]) -> None:
        """Put these messages in the place of all."""
        await self._client.script(SCRIPT, "replace", session, turn_id, "", *self._limits, *encoded(messages))

    async def stands(self, session: str) -> str | None:
        """The turn the list stands at; None when there is none."""
        found = await self._client.read(lambda client: client.get(self._client.key("recent-at", session)))
        return None if found is None else str(found.decode()[1:])

    async def recent(self, session: str, *, max_tokens: int | None = None) -> tuple[RecentMessage, ...]:
        """The newest messages that fit, oldest first."""
        rows = await self._client.read(lambda client: client.lrange(self._client.key("recent", session), 0, -1))
        try:
            messages = [decoded(row) for row in rows]
        except ValueError as error:
            raise damaged(
                self._client.place, f"a message of session {session!r} there cannot be read ({error})"
            ) from error
        limit = self._limits[0] if max_tokens is None else max_tokens
        return tuple(messages[len(messages) - newest([one.tokens for one in messages], limit) :])

    async def clear(self, session: str) -> bool:
        """Remove the list of a session, and have the server write its files anew; whether there was one."""
        there = bool(await self._client.script(SCRIPT, "clear", session, "", "", *self._limits))
        if there:
            await self._client.tidy()
        return there

    async def close(self) -> None:
        """Finish what was begun and close the connections; later calls raise StoreError. May be called again."""
        await self._client.close()
