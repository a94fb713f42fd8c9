"""A graph on a Neo4j server, or another that speaks Bolt, with the official driver."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import Any, ClassVar
from urllib.parse import unquote

import structlog

from harness.adapters.graphs._cypher import UNINDEXED, CypherGraph, Row
from harness.addresses import masked, said_of
from harness.errors import MissingExtra, SettingsError, StorageFull, StoreError

log = structlog.get_logger("harness.graph")

RETRIES = 2
"""How often a query is repeated whose connection broke. All of them may run twice."""
FIRST_S = 0.5
"""Seconds in which the first connection has to answer before another one is made."""
CONNECTIONS = 8
SCHEMES = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")
_MARKED = {"%": "%25", "'": "%27", "\\": "%5C"}


class Neo4jGraph(CypherGraph):
    """A :class:`~harness.ports.graphs.Graph` on a server.

    Queries commit one by one: FalkorDB's Bolt port runs explicit transactions on another graph than the named one. A write that
    was interrupted has not moved the turn the graph stands at, and is made again.

    Args:
        url: ``bolt://[user:password@]host:port``, ``neo4j://``, or with ``+s`` for TLS.
        user, password: empty without authentication.
        database: empty: the server's default. (FalkorDB keeps to the first one it was asked for.)
        timeout_s: for a connection, and for an answer.

    Raises:
        MissingExtra: the extra ``neo4j`` is not installed.
    """

    BEHIND: ClassVar[str] = UNINDEXED
    SENT: ClassVar[int] = 2_400
    """FalkorDB's Bolt port ends the whole server over a message of more than 4 KiB."""

    def __init__(
        self, url: str, *, user: str = "", password: str = "", database: str = "", timeout_s: float = 5.0
    ) -> None:
        try:
            import neo4j
            from neo4j import exceptions
        except ImportError as error:
            raise MissingExtra(
                "Neo4j is spoken to with the package neo4j, which is not installed.",
                extra="neo4j",
            ) from error
        # The driver logs broken connections, which are reported here; without a handler they would go to standard error.
        logging.getLogger("neo4j").addHandler(logging.NullHandler())
        self.place = masked(url)
        self._errors = exceptions
        self._timeout_s = timeout_s
        self._database = database or None
        self._ready = False
        self._opening = asyncio.Lock()
        address, user, password = _parted(url, user, password)
        if address.partition("://")[0] not in SCHEMES:
            raise _no_address(self.place, "it begins otherwise")
        if "@" in address:  # the driver would tell it to the log
            raise _no_address(self.place, "of a password, @ : / ? # are written %40 %3A %2F %3F %23")
        try:
            self._driver = neo4j.AsyncGraphDatabase.driver(
                address,
                auth=(user, password) if user or password else None,
                connection_timeout=timeout_s,
                connection_acquisition_timeout=timeout_s,
                keep_alive=True,
                max_connection_pool_size=CONNECTIONS,
            )
        except (exceptions.ConfigurationError, ValueError) as error:
            raise _no_address(self.place, said_of(url, str(error)).rstrip(".")) from None

    async def _run(self, query: str, **values: Any) -> list[Row]:
        self._check()
        async with self._opening:
            if not self._ready:
                await self._prepare()
                self._ready = True
        return await self._ask(query, values)

    async def _prepare(self) -> None:
        """Connect, and make the indexes that are not there.

        FalkorDB's Bolt port does not answer on a connection that follows one that was properly closed; the next one it does.
        """
        for wait in (min(FIRST_S, self._timeout_s), self._timeout_s, self._timeout_s):
            try:
                await self._ask("RETURN 1 AS one", {}, timeout_s=wait)
                break
            except _Slow:
                if wait == self._timeout_s:
                    raise
        for index in self.INDEXES:
            try:
                await self._ask(index, {})
            except _Away:
                raise
            except (
                StoreError
            ) as error:  # it is there already, which not every server says, or may not be made by this user
                log.debug("graph_index_not_made", index=index, error=error.message)

    async def _ask(self, query: str, values: Row, *, timeout_s: float = 0.0) -> list[Row]:
        sent = {name: marked(value) for name, value in values.items()}
        for attempt in range(RETRIES + 1):
            try:
                async with asyncio.timeout(timeout_s or self._timeout_s):
                    return await self._once(query, sent)
            except (self._errors.ServiceUnavailable, self._errors.SessionExpired, OSError) as error:
                if attempt == RETRIES or isinstance(error, TimeoutError):
                    raise self._translated(error) from error
            except (self._errors.DriverError, self._errors.Neo4jError, UnicodeEncodeError) as error:
                raise self._translated(error) from error
        raise AssertionError("unreachable")

    async def _once(self, query: str, values: Row) -> list[Row]:
        async with self._driver.session(database=self._database) as session:
            result = await session.run(query, values)
            rows = await result.data()
        return [{name: unmarked(value) for name, value in row.items()} for row in rows]

    async def close(self) -> None:
        """Close the connections. May be called again."""
        if not self._closed:
            self._closed = True
            with suppress(self._errors.DriverError, OSError):
                await self._driver.close()

    def _translated(self, error: Exception) -> StoreError:
        said = str(error)
        code = getattr(error, "code", "") or ""
        if isinstance(error, UnicodeEncodeError):
            return StoreError(f"A text cannot be stored in the graph ({error}).", remedy="Use valid Unicode text.")
        if isinstance(error, self._errors.AuthError):
            return StoreError(
                f"The graph server {self.place} refuses the user or the password.",
                remedy="Set the environment variables that graph.user_env and graph.password_env name.",
            )
        if isinstance(error, TimeoutError):
            return _Slow(
                f"The graph server {self.place} gave no answer within {self._timeout_s:g} s.",
                remedy="See whether it is well, or raise graph.timeout_s.",
            )
        if isinstance(error, self._errors.ServiceUnavailable | self._errors.SessionExpired | OSError):
            return _Away(
                f"The graph server {self.place} cannot be reached ({said.splitlines()[0] if said else error!r}).",
                remedy="Start it, or correct graph.url. What was said meanwhile is written when it is back.",
            )
        if "OutOfMemory" in code or "MemoryPool" in code:
            return StorageFull(f"The graph server {self.place} has no memory left ({said}).", remedy="Give it more.")
        return StoreError(f"The graph server {self.place} failed: {said}", remedy="See the server's log.")


class _Away(StoreError):
    """The server cannot be reached, or does not answer."""


class _Slow(_Away):
    """It does not answer."""


def _no_address(place: str, reason: str) -> SettingsError:
    return SettingsError(
        f"{place!r} is no address of a Bolt server: {reason}.",
        remedy="It begins with bolt:// or neo4j://, or with bolt+s:// or neo4j+s:// for TLS.",
    )


def _parted(url: str, user: str, password: str) -> tuple[str, str, str]:
    """An address without the user and password in it, which the driver does not take there; they go before those of the environment."""
    scheme, separator, rest = url.partition("://")
    authority, slash, path = rest.partition("/")
    given, at, host = authority.rpartition("@")
    if not at:
        return url, user, password
    name, _, secret = given.partition(":")
    return f"{scheme}{separator}{host}{slash}{path}", unquote(name) or user, unquote(secret) or password


def marked(value: Any) -> Any:
    """A parameter without the characters that some Bolt servers read as Cypher though they stand in a parameter.

    FalkorDB (4.16) puts parameters into the query without escaping quotes and backslashes: "Tom's" would end the string there,
    and what follows be run. Neo4j itself needs none of this, and is given the same, so that a graph can be read through either.
    """
    if isinstance(value, str):
        return "".join(_MARKED.get(char, char) for char in value.replace("\0", ""))
    if isinstance(value, dict):
        return {name: marked(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [marked(one) for one in value]
    return value


def unmarked(value: Any) -> Any:
    """What :func:`marked` was given."""
    if not isinstance(value, str):
        return value
    for char in reversed(_MARKED):
        value = value.replace(_MARKED[char], char)
    return value
