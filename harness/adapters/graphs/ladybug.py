"""A graph in a file of ladybug, an embedded database that speaks Cypher."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Final, TypeVar

from harness.adapters.graphs._blank_memory import blank_memory
from harness.adapters.graphs._cypher import PROPERTIES, CypherGraph, Row
from harness.adapters.graphs._edges import closed
from harness.adapters.graphs._ladybug_rewriting import rewrite, work_folder
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
    """An open database, the graphs that use it, and the lock that lets one of them work at a time: it takes one writer."""

    database: Any
    graphs: list[LadybugGraph] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)


def ladybug_module() -> Any:
    """The ladybug package. Raises MissingExtra."""
    try:
        import ladybug
    except ImportError as error:
        raise MissingExtra(
            "The embedded graph database ladybug is not installed.",
            extra="graph",
        ) from error
    return ladybug


class LadybugGraph(CypherGraph):
    """A :class:`~harness.ports.graphs.Graph` in one file.

    Every write is one transaction. Several graphs of one process may use the same file; another process may not while one has it
    open. All queries run in a thread of the graph's own. What is deleted is out of the file at once: it is written anew.

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
        await self._do(lambda connection: _transaction(connection, queries))

    async def _erase(self, queries: Sequence[tuple[str, Mapping[str, Any]]], *, found: int | None = None) -> None:
        def work(connection: Any) -> None:
            work_folder(self._path).mkdir(exist_ok=True)
            _transaction(connection, queries)
            if self._shared is not None:
                self._rewrite(self._shared)

        await (self._write(queries) if found == 0 else self._do(work))

    async def not_overwritten(self) -> tuple[str, ...]:
        """See :class:`~harness.ports.Overwrites`."""
        if self._closed:
            raise closed()
        return (str(self._path),) if work_folder(self._path).exists() else ()

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
            with self._shared.lock, blank_memory():
                if self._connection is None:
                    timeout_ms = max(1, int(self._timeout_s * 1000))
                    self._connection = self._connected(self._shared.database, timeout_ms)
                return job(self._connection)
        except (RuntimeError, OSError, UnicodeError) as error:
            raise self._translated(error) from error

    def _opened(self) -> _Shared:
        with _opening, blank_memory():
            shared = _open.get(self._path)
            if shared is None:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                shared = _Shared(self._database(self._path))
                if work_folder(self._path).exists():  # a program was killed before its words were out of the file
                    # Where that fails the graph is as good as it was, and not_overwritten() names the file.
                    with suppress(RuntimeError, OSError, StoreError):
                        self._renew(shared)
                _open[self._path] = shared
            shared.graphs.append(self)
            return shared

    def _database(self, path: Path) -> Any:
        return self._module.Database(str(path), buffer_pool_size=BUFFER, max_num_threads=1, max_db_size=LARGEST)

    def _connected(self, database: Any, timeout_ms: int = 0) -> Any:
        connection = self._module.Connection(database, num_threads=1)
        connection.set_query_timeout(timeout_ms)
        for table in _TABLES:
            connection.execute(table)
        return connection

    def _rewrite(self, shared: _Shared) -> None:
        """Write the file anew; all graphs that use it connect again with their next query. Needs the lock."""
        for graph in shared.graphs:
            graph.disconnect()
        self._renew(shared)

    def _renew(self, shared: _Shared) -> None:
        try:
            rewrite(shared.database, self._path, self._database, self._connected)
        finally:
            shared.database.close()
            shared.database = self._database(self._path)

    def disconnect(self) -> None:
        """Close the connection; the next query makes one. Needs the lock."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _release(self) -> None:
        shared, self._shared = self._shared, None
        if shared is None:
            return
        with _opening, shared.lock, blank_memory():
            self.disconnect()
            shared.graphs.remove(self)
            if not shared.graphs:
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


def _transaction(connection: Any, queries: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
    connection.execute("BEGIN TRANSACTION")
    try:
        for query, values in queries:
            _rows(connection, query, values)
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _rows(connection: Any, query: str, values: Mapping[str, Any]) -> list[Row]:
    result = connection.execute(query, dict(values))
    names = result.get_column_names()
    return [dict(zip(names, row, strict=True)) for row in result.get_all()] if result.has_next() else []
