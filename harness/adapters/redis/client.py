"""One connection pool to a Redis server: opened by the first call, scripts that run whole, errors in the words of the ports."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import lru_cache
from importlib.resources import files
from typing import Any, TypeVar

from harness.adapters.redis.failures import translate
from harness.adapters.redis.options import RedisOptions
from harness.addresses import masked, said_of
from harness.errors import MissingExtra, SettingsError, StoreError

Result = TypeVar("Result")
Value = str | bytes | int | float
_RETRIES = 2
"""How often a call is repeated whose connection broke: a server that was started anew is found by the second attempt."""

_LOOK_S = 0.1
_LOOKS = 100
"""How often it is looked whether a rewrite of the server's files that began too early has ended."""


def redis_module() -> Any:
    """The redis package with its asyncio client. Raises MissingExtra."""
    try:
        import redis
        import redis.asyncio
    except ImportError as error:
        raise MissingExtra(
            "Redis is spoken to with the package redis, which is not installed.",
            extra="redis",
        ) from error
    return redis


class RedisClient:
    """Calls to one server.

    Every write is one Lua script or one MULTI … EXEC: the server runs it whole or not at all, and nothing else meanwhile. A
    call whose connection broke is repeated, so that a script must be one that may run twice.

    Args:
        closed: the error for a call after :meth:`close`.

    Raises:
        MissingExtra: the extra ``redis`` is not installed.
    """

    def __init__(self, options: RedisOptions, *, closed: Callable[[], StoreError]) -> None:
        self.options = options
        self.place = masked(options.url)
        self._closed = closed
        self._module = redis_module()
        self._client: Any = None
        self._shut = False
        self._running: set[asyncio.Future[Any]] = set()
        self._tidying: asyncio.Future[None] | None = None
        self._again = False

    def key(self, *parts: str) -> str:
        """A key of this package. Only the last part may be any text: kinds of keys then never mix."""
        return ":".join((self.options.prefix, *parts))

    async def read(self, make: Callable[[Any], Awaitable[Result]]) -> Result:
        """What ``make`` gives for the redis-py client. Raises StoreError."""
        self._check()
        return await self._call(make)

    async def _call(self, make: Callable[[Any], Awaitable[Result]]) -> Result:
        try:
            return await make(self._open())
        except UnicodeEncodeError as error:
            message = f"An id or a text cannot be stored ({error})."
            raise StoreError(message, remedy="Use valid Unicode text.") from error
        except (self._module.RedisError, OSError) as error:
            raise translate(error, self._module, self.place, self.options.timeout_s) from error

    async def together(self, fill: Callable[[Any], object]) -> list[Any]:
        """The answers to commands that ``fill`` gives a pipeline, all of one moment."""

        async def run(client: Any) -> list[Any]:
            async with client.pipeline(transaction=True) as pipeline:
                fill(pipeline)
                found: list[Any] = await pipeline.execute()
                return found

        return await self.read(run)

    async def script(self, name: str, op: str, *values: Value) -> Any:
        """What the function ``op`` of a Lua file of this package answers. A caller that is cancelled waits for its end."""
        source = _source(name)

        async def run(client: Any) -> Any:
            return await client.register_script(source)(keys=[self.options.prefix], args=[op, *values])

        return await self._whole(lambda: self._call(run))

    async def tidy(self) -> None:
        """Have the server write its files anew, so that what was deleted is in none of them. Best effort, and done behind the
        caller: a hosted server may not allow it, and does so by itself sooner or later.
        """
        if self._tidying is None or self._tidying.done():
            self._tidying = self._begin(self._tidy())
        else:  # what goes on may have begun before this deletion
            self._again = True

    async def _tidy(self) -> None:
        with suppress(StoreError):
            for _ in range(_LOOKS):
                info = await self._call(lambda client: client.info("persistence"))
                if not info.get("aof_rewrite_in_progress") and not info.get("rdb_bgsave_in_progress"):
                    self._again = False
                    await self._rewrite(appending=bool(info.get("aof_enabled")))
                    if not self._again:
                        return
                await asyncio.sleep(_LOOK_S)

    async def _rewrite(self, *, appending: bool) -> None:
        if appending:
            await self._call(lambda client: client.bgrewriteaof())
        if (await self._call(lambda client: client.config_get("save"))).get("save"):
            await self._call(lambda client: client.execute_command("BGSAVE", "SCHEDULE"))

    async def close(self) -> None:
        """Finish what was begun and close the connections. May be called again."""
        if self._shut:
            return
        self._shut = True
        if self._running:
            await asyncio.wait(self._running)
        if self._client is not None:
            client, self._client = self._client, None
            with suppress(self._module.RedisError, OSError):
                await client.aclose()

    async def _whole(self, make: Callable[[], Awaitable[Result]]) -> Result:
        """A write that was begun is completed, also when its caller is cancelled: the next read sees it, or never will."""
        self._check()
        task = self._begin(make())
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if not task.done():
                await asyncio.wait([task])
            raise

    def _begin(self, work: Awaitable[Result]) -> asyncio.Future[Result]:
        task = asyncio.ensure_future(work)
        self._running.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Future[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # seen, so that asyncio does not report one whose caller is gone

    def _check(self) -> None:
        if self._shut:
            raise self._closed()

    def _open(self) -> Any:
        if self._client is None:
            aio, options = self._module.asyncio, self.options
            from redis.backoff import ConstantBackoff

            try:
                pool = aio.BlockingConnectionPool.from_url(
                    options.url,
                    max_connections=options.pool_size,
                    timeout=options.timeout_s,
                    socket_timeout=options.timeout_s,
                    socket_connect_timeout=options.timeout_s,
                    retry=aio.retry.Retry(ConstantBackoff(0.05), _RETRIES, (self._module.ConnectionError,)),
                    client_name="harness",
                    protocol=2,
                )
            except ValueError as error:
                raise SettingsError(
                    f"{self.place!r} is no address of a Redis server: {said_of(options.url, str(error))}.",
                    remedy="Expected redis://USER:PASSWORD@HOST:PORT/DB; of a password, @ : / ? # are written %40 %3A %2F %3F %23.",
                ) from None  # what it came from holds the password
            self._client = aio.Redis.from_pool(pool)
        return self._client


@lru_cache
def _source(name: str) -> str:
    package, _, file = name.rpartition("/")
    return files(f"harness.adapters.{package}").joinpath(file).read_text(encoding="utf-8")


def chunks(values: Sequence[Result], size: int) -> list[Sequence[Result]]:
    """A sequence in portions."""
    return [values[start : start + size] for start in range(0, len(values), size)]
