"""A graph in a file of ladybug, an embedded database that speaks Cypher."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Final, TypeVar

from harness.adapters.graphs._cypher import PROPERTIES, CypherGraph, Row
from harness.adapters.graphs._edges import closed
from harness.errors import MissingExtra, StorageFull, StoreError

Result = TypeVar("Result")
BUFFER: Final = 128 * 1024 * 1024
"""Bytes of the file held in memory; the library would take most of the machine's."""
LARGEST: Final = 1 << 36
"""Most bytes of a file: this much of the address space is set aside."""
_TABLES = (
    "CREATE NODE TABLE IF NOT EXISTS Entity(key STRING PRIMARY KEY)",
    "CREATE NODE TABLE IF NOT EXISTS Followed(session STRING PRIMARY KEY, turn_id STRING)",
    "CREATE REL TABLE IF NOT EXISTS RELATION(FROM Entity TO Entity, id STRING, hidden BOOL, "
    + ", ".join(f"{name} STRING" for name in PROPERTIES)
    + ")",
)
_opening = threading.Lock()
_open: dict[Path, _Shared] = {}
"""Databases that are open in this process: two of one file would not see each other's writes."""


@dataclass(slots=True)
class _Shared:
    """An open database, how many graphs use it, and the lock that lets one of them work at a time: it takes one writer."""

    database: Any
    users: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


def ladybug_module() -> Any:
    """The ladybug package. Raises MissingExtra."""
    try:
        import ladybug
    except ImportError as error:
        raise MissingExtra(
            "The embedded graph database ladybug is not installed.",
            remedy="Install it with `pip install 'dialogue-harness[graph]'`.",
            extra="graph",
        ) from error
    return ladybug


class LadybugGraph(CypherGraph):
    """A :class:`~harness.ports.graphs.Graph` in one file.

    Every write is one transaction. Several graphs of one process may use the same file; another process may not while one has it
    open. All queries run in a thread of the graph's own.

    Args:
        path: the file; its folder is made when missing.
        timeout_s: for one query.

    Raises:
        MissingExtra: the extra ``graph`` is not installed.
    """

    # Of several rows of one UNWIND, it merges only those whose nodes the ones before did not touch.
    ROWS: ClassVar[int] = 1
    ORPHANS: ClassVar[str] = "MATCH (n:Entity) WHERE NOT EXISTS { MATCH (n)-[:RELATION]-() } DELETE n"

    def __init__(self, path: str | Path, *, timeout_s: float = 5.0) -> None:
        self._module = ladybug_module()
        self._path = Path(path).absolute()
        self.place = str(self._path)
        self._timeout_s = timeout_s
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="harness-ladybug")
        self._connection: Any = None
        self._shared: _Shared | None = None

    async def _run(self, query: str, **values: Any) -> list[Row]:
        return await self._do(lambda connection: _rows(connection, query, values))

    async def _write(self, queries: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
        def work(connection: Any) -> None:
            connection.execute("BEGIN TRANSACTION")
            try:
                for query, values in queries:
                    _rows(connection, query, values)
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

        await self._do(work)

    async def close(self) -> None:
        """Finish what was begun and close the file. May be called again."""
        if self._closed:
            return
        self._closed = True
        closing = self._thread.submit(self._release)
        self._thread.shutdown(wait=False)
        await asyncio.shield(asyncio.wrap_future(closing))

    def _size(self) -> int | None:
        return sum(file.stat().st_size for file in self._path.parent.glob(f"{self._path.name}*") if file.is_file())

    async def _do(self, job: Callable[[Any], Result]) -> Result:
        if self._closed:
            raise closed()
        return await asyncio.wrap_future(self._thread.submit(self._done, job))

    def _done(self, job: Callable[[Any], Result]) -> Result:
        """Runs in the thread."""
        try:
            if self._shared is None:
                self._shared = self._opened()
            with self._shared.lock:
                if self._connection is None:
                    self._connection = self._connected(self._shared.database)
                return job(self._connection)
        except (RuntimeError, OSError, UnicodeError) as error:
            raise self._translated(error) from error

    def _opened(self) -> _Shared:
        with _opening:
            shared = _open.get(self._path)
            if shared is None:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                database = self._module.Database(
                    str(self._path), buffer_pool_size=BUFFER, max_num_threads=1, max_db_size=LARGEST
                )
                shared = _open[self._path] = _Shared(database)
            shared.users += 1
            return shared

    def _connected(self, database: Any) -> Any:
        connection = self._module.Connection(database, num_threads=1)
        connection.set_query_timeout(max(1, int(self._timeout_s * 1000)))
        for table in _TABLES:
            connection.execute(table)
        return connection

    def _release(self) -> None:
        shared, self._shared = self._shared, None
        if shared is None:
            return
        with _opening, shared.lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None
            shared.users -= 1
            if not shared.users:
                del _open[self._path]
                shared.database.close()

    def _translated(self, error: Exception) -> StoreError:
        said = str(error)
        if "lock" in said.lower():
            return StoreError(
                f"Another program has the graph {self.place!r} open.",
                remedy="Close it: one program at a time can use the file. For several, set graph.backend to sqlite.",
                path=self.place,
            )
        if (isinstance(error, OSError) and error.errno == 28) or "No space left" in said:
            return StorageFull(f"The graph {self.place!r} could not be written ({said}).", path=self.place)
        if "Interrupted" in said:
            return StoreError(
                f"A query of the graph {self.place!r} took more than {self._timeout_s:g} s.",
                remedy="Raise graph.timeout_s.",
                path=self.place,
            )
        return StoreError(
            f"The graph {self.place!r} failed: {said}",
            remedy="See whether the disk is well. The graph can be deleted: it is made again from the sessions as they are used.",
            path=self.place,
        )


def _rows(connection: Any, query: str, values: Mapping[str, Any]) -> list[Row]:
    result = connection.execute(query, dict(values))
    names = result.get_column_names()
    return [dict(zip(names, row, strict=True)) for row in result.get_all()] if result.has_next() else []
