"""What the benchmark of memory stores runs: the stores, a FAISS flat scan, and bm25s, on the same made-up items."""

import asyncio
import dataclasses
import importlib
import importlib.util
import resource
import statistics
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from harness.adapters.memories import MEMORY_BACKENDS, MemoryOptions
from harness.ports.memories import EmbeddingSpace, MemoryEntry, MemoryFilter, MemoryQuery, MemoryStore
from harness.state.memory import MemoryItem, Scope
from harness.testing.postgres import PostgresForTests, missing_for_postgres
from tests._redis_server import RedisServer

np: Any = importlib.import_module("numpy")
Figures = dict[str, Any]

CONTENDERS = {**dict.fromkeys(MEMORY_BACKENDS, True), "FAISS flat": False, "bm25s": False}
"""Name → whether it is a store of this package."""
LIMIT = 50
BATCH = 1_000
VOCABULARY = 30_000
COMMONEST = 20
"""Words left out at the top: function words."""
CENTRES = 2_000


@dataclasses.dataclass(frozen=True)
class Plan:
    """One contender on so many items."""

    contender: str
    items: int
    users: int
    dimensions: int
    queries: int
    seed: int

    def as_dict(self) -> dict[str, Any]:
        return dataclasses.asdict(self)


class Made:
    """Items and queries of a plan, made in portions."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        drawn = np.random.default_rng(plan.seed)
        chances = 1 / np.arange(COMMONEST, COMMONEST + VOCABULARY)
        self._chances = np.cumsum(chances / chances.sum())
        self._spread = (np.arange(plan.dimensions) + 1.0) ** -0.45
        self._centres = drawn.standard_normal((CENTRES, plan.dimensions)) * self._spread
        self._middle = drawn.standard_normal(plan.dimensions) * self._spread * 2

    def portions(self) -> Iterator[tuple[int, list[tuple[str, ...]], Any]]:
        """(number of the first item, terms of each, vectors)."""
        for start in range(0, self.plan.items, BATCH):
            drawn = np.random.default_rng((self.plan.seed, start))
            count = min(BATCH, self.plan.items - start)
            yield (
                start,
                [self._words(drawn, int(drawn.integers(6, 36))) for _ in range(count)],
                self._vectors(drawn, count),
            )

    def queries(self) -> tuple[list[tuple[str, ...]], Any]:
        """Terms and vectors of the queries."""
        drawn = np.random.default_rng((self.plan.seed, 1 << 40))
        count = self.plan.queries
        return [self._words(drawn, 8) for _ in range(count)], self._vectors(drawn, count)

    def _words(self, drawn: Any, count: int) -> tuple[str, ...]:
        return tuple(f"w{number}" for number in np.searchsorted(self._chances, drawn.random(count)))

    def _vectors(self, drawn: Any, count: int) -> Any:
        noise = drawn.standard_normal((count, self.plan.dimensions)) * self._spread
        found = self._middle + self._centres[drawn.integers(0, CENTRES, count)] * 0.7 + noise * 0.7
        return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


def missing() -> dict[str, str]:
    """Contenders that cannot run here, and why."""
    needs = {"FAISS flat": "faiss", "bm25s": "bm25s", "faiss": "faiss"}
    lacking = {
        name: f"{module} is not installed" for name, module in needs.items() if not importlib.util.find_spec(module)
    }
    servers = {name for name, backend in MEMORY_BACKENDS.items() if backend.server == "postgres"}
    return {**lacking, **dict.fromkeys(servers, missing_for_postgres())} if missing_for_postgres() else lacking


async def measured(plan: Plan, folder: Path) -> Figures:
    """The figures of one contender: rates, megabytes, and (p50, p99) in milliseconds."""
    runners = {"FAISS flat": _faiss, "bm25s": _bm25s}
    return await runners.get(plan.contender, _store)(plan, folder)


async def _store(plan: Plan, folder: Path) -> Figures:
    with _options(MEMORY_BACKENDS[plan.contender].server, folder) as options:
        figures = await _stored(plan, options)
        if MEMORY_BACKENDS[plan.contender].durable:
            # What lies in the folder; PostgreSQL's is elsewhere.
            figures["file"] = (_size(folder) or figures["file"]) / 1e6
    return figures


@contextmanager
def _options(kind: str, folder: Path) -> Iterator[MemoryOptions]:
    """What a backend is opened with. A server that it needs is started, with the settings a server has (it waits for the disk);
    its own memory is not counted.
    """
    if kind == "postgres":
        with PostgresForTests(fsync="on", shared_buffers="512MB") as postgres:
            yield MemoryOptions(url=postgres.new_place(), timeout_s=120)
    elif kind == "redis":
        redis = RedisServer(folder / kind)
        redis.start()
        try:
            yield MemoryOptions(url=redis.url)
        finally:
            redis.stop()
    else:
        yield MemoryOptions(path=folder / "memory.db")


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


async def _stored(plan: Plan, options: MemoryOptions) -> Figures:
    made, backend = Made(plan), MEMORY_BACKENDS[plan.contender]
    store = backend.open(options)
    await store.embed(EmbeddingSpace("made up", plan.dimensions), {})
    words, vectors = made.queries()
    where = MemoryFilter(Scope(user="u0", persona="p"))
    best: list[Any] = [np.empty(0)] * plan.queries
    taken = 0.0
    for start, terms, some in made.portions():
        users = np.arange(start, start + len(terms)) % plan.users
        entries = [
            MemoryEntry(_item(start + place, found, plan.users), found, some[place].tolist())
            for place, found in enumerate(terms)
        ]
        began = time.perf_counter()
        await store.put(entries)
        taken += time.perf_counter() - began
        mine = vectors.astype(np.float64) @ some[users == 0].T.astype(np.float64)
        best = [np.sort(np.concatenate([held, row]))[::-1][:LIMIT] for held, row in zip(best, mine, strict=True)]
        del entries
    opened, before = None, 0
    if backend.durable:
        await store.close()
        before = _resident()
        store = backend.open(options)
        began = time.perf_counter()
        await store.search(MemoryQuery(where, words[0], vectors[0].tolist(), LIMIT))
        opened = (time.perf_counter() - began) * 1e3
    ways = {
        "words": [MemoryQuery(where, terms, None, LIMIT) for terms in words],
        "vector": [MemoryQuery(where, (), vector.tolist(), LIMIT) for vector in vectors],
        "both": [
            MemoryQuery(where, terms, vector.tolist(), LIMIT) for terms, vector in zip(words, vectors, strict=True)
        ],
    }
    figures: Figures = {"write": plan.items / taken, "open": opened}
    same = []
    for name, queries in ways.items():
        figures[name] = await _timed([_searched(store, query) for query in queries])
    for query, exact in zip(ways["vector"], best, strict=True):
        hits = sorted((await store.search(query)).hits, key=lambda hit: hit.vector_rank or 0)
        found = [hit.cosine or 0.0 for hit in hits]
        same += [abs(one - other) < 1e-6 for one, other in zip(found, exact, strict=True)]
    figures["same"] = statistics.fmean(same)
    figures["ram"] = (_resident() - before) / 1e6 if backend.durable else None
    figures["file"] = (await store.stats()).size_bytes if backend.durable else None
    await store.close()
    return figures


def _searched(store: MemoryStore, query: MemoryQuery) -> Callable[[], Awaitable[object]]:
    return lambda: store.search(query)


def _item(number: int, terms: tuple[str, ...], users: int) -> MemoryItem:
    return MemoryItem(
        id=f"i{number:07}",
        layer="L2",
        kind="message",
        text=" ".join(terms),
        scope=Scope(user=f"u{number % users}"),
        session=f"s{number // 400}",
        turn_id=f"t{number // 2}",
        place=number % 400,
    )


async def _faiss(plan: Plan, folder: Path) -> Figures:
    faiss: Any = importlib.import_module("faiss")
    made = Made(plan)
    faiss.omp_set_num_threads(1)
    before = _resident()
    index = faiss.IndexFlatIP(plan.dimensions)
    taken = 0.0
    for _, _, vectors in made.portions():
        began = time.perf_counter()
        index.add(vectors)
        taken += time.perf_counter() - began
    ram = (_resident() - before) / 1e6
    _, queries = made.queries()
    times = await _timed([_called(index.search, query[None], LIMIT) for query in queries])
    return {"write": plan.items / taken, "ram": ram, "vector": times}


async def _bm25s(plan: Plan, folder: Path) -> Figures:
    bm25s: Any = importlib.import_module("bm25s")
    made = Made(plan)
    corpus = [list(terms) for _, found, _ in made.portions() for terms in found]
    before = _resident()
    began = time.perf_counter()
    retriever = bm25s.BM25(k1=1.2, b=0.75)
    retriever.index(corpus, show_progress=False)
    taken = time.perf_counter() - began
    ram = (_resident() - before) / 1e6
    words, _ = made.queries()
    find = [_called(retriever.retrieve, [list(terms)], k=LIMIT, show_progress=False) for terms in words]
    return {"write": plan.items / taken, "ram": ram, "words": await _timed(find)}


def _called(function: Callable[..., object], *values: object, **named: object) -> Callable[[], Awaitable[object]]:
    async def call() -> object:
        return function(*values, **named)

    return call


async def _timed(calls: list[Callable[[], Awaitable[object]]]) -> tuple[float, float]:
    for call in calls[:10]:
        await call()
    times = []
    for call in calls:
        began = time.perf_counter()
        await call()
        times.append((time.perf_counter() - began) * 1e3)
        await asyncio.sleep(0)
    times.sort()
    return statistics.median(times), times[min(len(times) - 1, int(0.99 * len(times)))]


def _resident() -> int:
    """Bytes of memory this process holds now."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * resource.getpagesize()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
