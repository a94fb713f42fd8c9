"""A graph on a FalkorDB server, over its own (Redis) protocol."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, ClassVar

from harness.adapters.graphs._cypher import UNINDEXED, CypherGraph, Row
from harness.addresses import masked, said_of
from harness.errors import MissingExtra, SettingsError, StorageFull, StoreError

GRAPH = "harness"
"""Key of the graph on the server, where the address names none."""
RETRIES = 2
"""How often a query is repeated whose connection broke. All of them may run twice."""
_LOOKS, _LOOK_S = 30, 0.1
"""How often, and how far apart in seconds, it is looked whether the server still writes its files."""


class FalkorGraph(CypherGraph):
    """A :class:`~harness.ports.graphs.Graph` on a server.

    Args:
        url: ``redis://[user:password@]host:port``, or ``rediss://``, ``falkor://``, ``falkors://``, ``unix://``.
        name: key of the graph on the server.
        timeout_s: for a connection, and for an answer.

    Raises:
        MissingExtra: the extra ``falkordb`` is not installed.
    """

    BEHIND: ClassVar[str] = UNINDEXED

    def __init__(self, url: str, *, name: str = GRAPH, timeout_s: float = 5.0) -> None:
        try:
            import redis.asyncio as aio
            from redis import exceptions
            from redis.asyncio.retry import Retry
            from redis.backoff import ConstantBackoff
        except ImportError as error:
            raise MissingExtra(
                "FalkorDB is spoken to with the package redis, which is not installed.",
                extra="falkordb",
            ) from error
        self.place = masked(url)
        self._name = name
        self._timeout_s = timeout_s
        self._errors = exceptions
        self._ready = False
        address = url.replace("falkors://", "rediss://", 1).replace("falkor://", "redis://", 1)
        try:
            self._client = aio.Redis.from_url(
                address,
                socket_timeout=timeout_s,
                socket_connect_timeout=timeout_s,
                socket_keepalive=True,
                decode_responses=True,
                retry=Retry(ConstantBackoff(0.05), RETRIES),
                retry_on_error=[exceptions.ConnectionError],
            )
        except ValueError as error:
            raise SettingsError(
                f"{self.place!r} is no address of a FalkorDB server: {said_of(url, str(error))}.",
                remedy="It begins with redis://, rediss://, falkor:// or unix://.",
            ) from None  # what it came from holds the password

    async def _run(self, query: str, **values: Any) -> list[Row]:
        self._check()
        if not self._ready:
            for index in self.INDEXES:
                with suppress(_Known):
                    await self._ask(index, {})
            self._ready = True
        return await self._ask(query, values)

    async def _ask(self, query: str, values: Mapping[str, Any]) -> list[Row]:
        header = "".join(f"{name}={literal(value)} " for name, value in values.items())
        text = f"CYPHER {header}{query}" if header else query
        limit = max(1, math.ceil(self._timeout_s * 1000))
        try:
            async with asyncio.timeout(self._timeout_s * (RETRIES + 1)):
                answer = await self._client.execute_command("GRAPH.QUERY", self._name, text, "TIMEOUT", limit)
        except (self._errors.RedisError, OSError, TimeoutError, UnicodeEncodeError) as error:
            raise self._translated(error) from error
        if len(answer) < 3:  # without rows there are only figures
            return []
        return [dict(zip(answer[0], (_plain(value) for value in row), strict=True)) for row in answer[1]]

    async def _erase(self, queries: Sequence[tuple[str, Mapping[str, Any]]], *, found: int | None = None) -> None:
        await super()._erase(queries, found=found)
        if found != 0:
            await self._tidy()

    async def _tidy(self) -> None:
        """Have the server write its files anew: the append-only file holds the commands that wrote what is deleted now. Best effort: a
        hosted server may not allow it.
        """
        with suppress(self._errors.RedisError, OSError, TimeoutError):
            for _ in range(_LOOKS):
                info = await self._client.info("persistence")
                if not info.get("aof_rewrite_in_progress") and not info.get("rdb_bgsave_in_progress"):
                    break
                await asyncio.sleep(_LOOK_S)  # what goes on may have begun before this deletion
            if info.get("aof_enabled"):
                await self._client.bgrewriteaof()
            if (await self._client.config_get("save")).get("save"):
                await self._client.execute_command("BGSAVE", "SCHEDULE")

    async def close(self) -> None:
        """Close the connections. May be called again."""
        if not self._closed:
            self._closed = True
            with suppress(self._errors.RedisError, OSError):
                await self._client.aclose()

    def _translated(self, error: Exception) -> StoreError:
        said = str(error)
        if isinstance(error, UnicodeEncodeError):
            return StoreError(f"A text cannot be stored in the graph ({error}).", remedy="Use valid Unicode text.")
        if "already indexed" in said:
            return _Known(said)
        if isinstance(error, self._errors.AuthenticationError | self._errors.NoPermissionError) or said.startswith(
            ("NOAUTH", "WRONGPASS", "NOPERM")
        ):
            return StoreError(
                f"The graph server {self.place} refuses the user or the password ({said}).",
                remedy="Correct graph.url; a password may stand in it as ${NAME}, for an environment variable.",
            )
        if said.startswith("unknown command") or "unknown command" in said:
            return StoreError(
                f"The server {self.place} is a Redis without the FalkorDB module.",
                remedy="Set graph.url to a FalkorDB server.",
            )
        if said.startswith("OOM") or "used memory" in said:
            return StorageFull(f"The graph server {self.place} has no memory left ({said}).", remedy="Give it more.")
        if isinstance(error, self._errors.ConnectionError | OSError) and not isinstance(
            error, self._errors.TimeoutError | TimeoutError
        ):
            return StoreError(
                f"The graph server {self.place} cannot be reached ({said}).",
                remedy="Start it, or correct graph.url. What was said meanwhile is written when it is back.",
            )
        if isinstance(error, self._errors.TimeoutError | TimeoutError):
            return StoreError(
                f"The graph server {self.place} gave no answer within {self._timeout_s:g} s.",
                remedy="See whether it is well, or raise graph.timeout_s.",
            )
        return StoreError(f"The graph server {self.place} failed: {said}", remedy="See the server's log.")


class _Known(StoreError):
    """An index is there already."""


def literal(value: Any) -> str:
    """A value as Cypher writes it, for the header of a query, where FalkorDB takes parameters.

    Strings are quoted, and the two characters that mean something in a quoted string escaped, so that no text can end
    one. (The server reads no escape but those: everything else stands for itself.)
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        quoted = value.replace("\\", "\\\\").replace('"', '\\"').replace("\0", "")
        return f'"{quoted}"'
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{name}:{literal(one)}" for name, one in value.items()) + "}"
    if isinstance(value, Sequence):
        return "[" + ",".join(map(literal, value)) + "]"
    raise TypeError(f"expected text, a number, a list or a map for a query, got {type(value).__name__}")


def _plain(value: Any) -> Any:
    return {"true": True, "false": False}.get(value, value) if isinstance(value, str) else value
