"""Connections to a PostgreSQL server: a pool, tables made when missing, errors in the words of the port."""

from __future__ import annotations

import asyncio
import logging
import math
import time
import zlib
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from harness.adapters.stores import _postgres_errors as errors
from harness.addresses import kind_of, masked
from harness.errors import MissingExtra, NewerSchema, SettingsError, StoreError

Result = TypeVar("Result")
Row = tuple[Any, ...]

_PAUSE_S = 0.1
_SILENCE = 2.0
"""How many times as long as the server may work on a statement its answer is waited for."""
_WRITE = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"


@dataclass(frozen=True, slots=True)
class Layout:
    """Tables of a store.

    Attributes:
        kind: what is noted in the table ``harness_layout``. ``what``: the word for it in errors.
        steps: append only; entry ``n`` holds the statements that lead from layout ``n`` to ``n + 1``.
    """

    kind: str
    what: str
    steps: tuple[tuple[str, ...], ...]


class Sql:
    """An open connection within a call. ``again``: the connection was lost in this call before, and what it did may be done.

    Raises psycopg.Error besides the errors of the port, TimeoutError when the server is silent.
    """

    def __init__(self, connection: Any, timeout_s: float, *, again: bool) -> None:
        self._connection = connection
        self._timeout_s = timeout_s * _SILENCE
        self.again = again

    async def rows(self, statement: str, *values: object) -> list[Row]:
        """All rows that a statement gives."""
        async with asyncio.timeout(self._timeout_s):
            cursor = await self._connection.execute(statement, values)
            found: list[Row] = await cursor.fetchall()
        return found

    async def run(self, statement: str, *values: object) -> int:
        """Execute a statement without rows; gives how many it touched."""
        async with asyncio.timeout(self._timeout_s):
            cursor = await self._connection.execute(statement, values or None)
        return int(cursor.rowcount)

    def patient(self) -> Sql:
        """The same connection, waiting for as long as the server works."""
        return Sql(self._connection, math.inf, again=self.again)

    @property
    def lost(self) -> bool:
        """The connection has ended."""
        return bool(self._connection.closed)


Job = Callable[[Sql], Awaitable[Result]]


class PostgresServer:
    """Runs jobs on the connections of a pool.

    A connection that turns out to be lost is made again at once, and the job repeated: all jobs may be. While the server is
    away each call raises StoreError, soon; the first call after it is back finds it. A cancelled job is rolled back.

    Args:
        url: ``postgresql://user:password@host:port/database``, with the parameters of libpq behind a ``?``.
        timeout_s: how long connecting, waiting for a connection, and a statement may take.
        pool_size: most connections at a time.
        closed: the error for a call after :meth:`close`.
    """

    def __init__(
        self, url: str, layout: Layout, *, timeout_s: float, pool_size: int, closed: Callable[[], StoreError]
    ) -> None:
        if kind_of(url) != "postgres":
            shown = masked(url)
            raise SettingsError(
                f"Expected the address of the {layout.what} to begin with postgresql://, got {shown!r}.",
                remedy="Set storage.url or memory.url to postgresql://USER:${PASSWORD}@HOST:5432/DATABASE.",
            )
        if not timeout_s > 0:
            raise SettingsError(f"Expected timeout_s to be more than 0 seconds, got {timeout_s!r}.")
        if pool_size < 1:
            raise SettingsError(f"Expected pool_size to be 1 or more, got {pool_size!r}.")
        self.url = url
        self.layout = layout
        self.driver = _driver()
        self._timeout_s = timeout_s
        self._pool_size = pool_size
        self._refusal = closed
        self._opening = asyncio.Lock()
        self._pool: Any = None
        self._closed = False

    async def write(self, job: Job[Result]) -> Result:
        """What the job gives, in one transaction."""
        return await self._run(job, _WRITE)

    async def read(self, job: Job[Result]) -> Result:
        """What the job gives; all its statements see the same moment."""
        return await self._run(job, _READ)

    async def one(self, job: Job[Result]) -> Result:
        """What a job of a single statement gives."""
        return await self._run(job, "")

    async def alone(self, job: Job[Result]) -> Result:
        """What a job gives that takes as long as it takes, on a connection of its own; each statement is a transaction. When it is
        cancelled the server stops as well.
        """
        await self._ready()
        connection = await self._connected()
        try:
            sql = Sql(connection, math.inf, again=False)
            await sql.run("SET statement_timeout = 0")
            return await job(sql)
        except self.driver.Error as error:
            if connection.closed:
                raise errors.lost(self.url, self.layout.what, error) from error
            raise errors.translate(error, self.url, self.layout.what, self._timeout_s) from error
        finally:
            await connection.close()

    async def close(self) -> None:
        """Close the connections. May be called again."""
        self._closed = True
        pool, self._pool = self._pool, None
        if pool is not None:
            await pool.close(timeout=self._timeout_s)

    async def _run(self, job: Job[Result], begin: str) -> Result:
        again = False
        while True:
            pool = await self._ready()
            connection = await self._taken(pool)
            if connection is None:
                continue
            try:
                return await self._done(connection, job, begin, again=again)
            except self.driver.Error as error:
                if not connection.closed:
                    raise errors.translate(error, self.url, self.layout.what, self._timeout_s) from error
                if again:
                    raise errors.lost(self.url, self.layout.what, error) from error
            except TimeoutError as error:
                await connection.close()
                raise errors.silent(self.url, self.layout.what, self._timeout_s * _SILENCE) from error
            except (UnicodeEncodeError, OverflowError) as error:
                message = f"An id or a number cannot be stored ({error})."
                raise StoreError(message, remedy="Use ids of valid Unicode text and numbers below 2**63.") from error
            finally:
                await pool.putconn(connection)
            # The other connections of the pool have gone with the server, too.
            again = True
            await self._drop(pool)

    async def _done(self, connection: Any, job: Job[Result], begin: str, *, again: bool) -> Result:
        sql = Sql(connection, self._timeout_s, again=again)
        if not begin:
            return await job(sql)
        await sql.run(begin)
        try:
            result = await job(sql)
            await sql.run("COMMIT")
        except BaseException:
            if not connection.closed and connection.info.transaction_status != self.driver.pq.TransactionStatus.IDLE:
                # The pool would do it as well, and say so in the log.
                with suppress(self.driver.Error, TimeoutError):
                    await sql.run("ROLLBACK")
            raise
        return result

    async def _ready(self) -> Any:
        """The pool, opened when there is none."""
        async with self._opening:
            if self._closed:
                raise self._refusal()
            if self._pool is None:
                # First without the pool, which would try for long and not say what the matter is.
                await self._prepare()
                from psycopg_pool import AsyncConnectionPool

                pool = AsyncConnectionPool(
                    self.url,
                    kwargs=self._arguments(),
                    min_size=0,
                    max_size=self._pool_size,
                    timeout=self._timeout_s,
                    reconnect_timeout=self._timeout_s,
                    num_workers=1,
                    open=False,
                )
                await pool.open()
                self._pool = pool
            return self._pool

    async def _taken(self, pool: Any) -> Any:
        """A connection of the pool; None when another call has found the server gone, and dropped it."""
        from psycopg_pool import PoolClosed, PoolTimeout, TooManyRequests

        try:
            return await pool.getconn(timeout=self._timeout_s)
        except PoolClosed:
            return None
        except (PoolTimeout, TooManyRequests) as error:
            try:
                await (await self._connected()).close()
            except StoreError:
                await self._drop(pool)
                raise
            raise errors.busy(self.url, self.layout.what, self._pool_size, self._timeout_s) from error

    async def _drop(self, pool: Any) -> None:
        async with self._opening:
            if self._pool is pool:
                self._pool = None
                await pool.close(timeout=self._timeout_s)

    def _arguments(self) -> dict[str, object]:
        milliseconds = max(int(self._timeout_s * 1000), 1)
        return {
            "autocommit": True,
            # Plans are made for the very values: those of a prepared statement are made for any. And a proxy that shares
            # connections out by transaction knows no prepared statements.
            "prepare_threshold": None,
            "connect_timeout": max(int(self._timeout_s), 2),
            "client_encoding": "utf8",
            "application_name": "harness",
            "keepalives_idle": 30,
            "options": self._options(f"-c statement_timeout={milliseconds} -c jit=off"),
        }

    def _options(self, ours: str) -> str:
        """The options of the address hold good, too."""
        given = self.driver.conninfo.conninfo_to_dict(self.url).get("options")
        return f"{ours} {given}" if given else ours

    async def _connected(self) -> Any:
        """A connection outside of the pool."""
        deadline = time.monotonic() + self._timeout_s
        while True:
            try:
                async with asyncio.timeout(self._timeout_s * _SILENCE):
                    return await self.driver.AsyncConnection.connect(self.url, **self._arguments())
            except self.driver.OperationalError as error:
                if not errors.starting(error) or time.monotonic() >= deadline:
                    raise errors.away(self.url, self.layout.what, error) from error
            except self.driver.Error as error:  # the address is none
                raise errors.away(self.url, self.layout.what, error) from error
            except TimeoutError as error:
                raise errors.silent(self.url, self.layout.what, self._timeout_s) from error
            await asyncio.sleep(_PAUSE_S)

    async def _prepare(self) -> None:
        """See to it that the tables are there. Raises NewerSchema, StoreError."""
        connection = await self._connected()
        try:
            encoding = connection.info.parameter_status("server_encoding")
            if encoding != "UTF8":
                message = f"Expected the database at {masked(self.url)!r} to be in UTF8, but it is in {encoding}."
                raise StoreError(message, remedy="Create it with `createdb --encoding=UTF8 --template=template0 NAME`.")
            sql = Sql(connection, self._timeout_s, again=False)
            if await self._version(sql) < len(self.layout.steps):
                await self._lay_out(sql)
        except self.driver.Error as error:
            if connection.closed:
                raise errors.lost(self.url, self.layout.what, error) from error
            raise errors.translate(error, self.url, self.layout.what, self._timeout_s) from error
        except TimeoutError as error:
            raise errors.silent(self.url, self.layout.what, self._timeout_s) from error
        finally:
            await connection.close()

    async def _version(self, sql: Sql) -> int:
        if (await sql.rows("SELECT to_regclass('harness_layout') IS NULL"))[0][0]:
            return 0
        rows = await sql.rows("SELECT version FROM harness_layout WHERE kind = %s", self.layout.kind)
        version, supported = (int(rows[0][0]) if rows else 0), len(self.layout.steps)
        if version > supported:
            where = masked(self.url)
            message = (
                f"The {self.layout.what} at {where!r} has layout {version}; the newest one known here is {supported}."
            )
            raise NewerSchema(message, url=where, found=version, supported=supported)
        return version

    async def _lay_out(self, sql: Sql) -> None:
        await sql.run("BEGIN")
        try:
            # One program at a time; the others then find the tables made. The lock ends with the transaction.
            await sql.rows("SELECT pg_advisory_xact_lock(%s)", zlib.crc32(b"harness_layout"))
            await sql.run("CREATE TABLE IF NOT EXISTS harness_layout (kind text PRIMARY KEY, version integer NOT NULL)")
            version = await self._version(sql)
            if version:  # what is there is counted or written anew, which takes as long as it takes
                await sql.run("SET LOCAL statement_timeout = 0")
                sql = sql.patient()
            for statements in self.layout.steps[version:]:
                for statement in statements:
                    await sql.run(statement)
            await sql.run(
                "INSERT INTO harness_layout VALUES (%s, %s) ON CONFLICT (kind) DO UPDATE SET version = excluded.version",
                self.layout.kind,
                len(self.layout.steps),
            )
            await sql.run("COMMIT")
        except BaseException:
            if not sql.lost:
                with suppress(self.driver.Error, TimeoutError):
                    await sql.run("ROLLBACK")
            raise


def _driver() -> Any:
    """The psycopg package. Raises MissingExtra."""
    try:
        import psycopg
        import psycopg.conninfo
        import psycopg_pool  # noqa: F401 - found out now, not in the first call
    except ImportError as error:
        raise MissingExtra(
            f"PostgreSQL is reached with psycopg and its pool, which are not installed ({error}).",
            remedy="Or choose another backend.",
            extra="postgres",
        ) from error
    # Each failed try of the pool would be a line on standard error, beside the error that is raised here.
    logging.getLogger("psycopg.pool").setLevel(logging.ERROR)
    return psycopg
