"""What memory stores cost: writing, finding by words, by vectors and by both, memory and disk; beside plain indexes in the same run: a
FAISS flat scan, bm25s, and SQLite's own FTS5 and sqlite-vec (see decision 0012).

python -m tests.benchmarks.memory_stores
python -m tests.benchmarks.memory_stores --sizes 1000000 --backends sqlite faiss --limit 360
python -m tests.benchmarks.memory_stores --sizes 10000 --backends redis postgres --users 1

Items are made up, half English and half Chinese, and shared out among users, of whom the n-th has 1/n of what the first has: words by
the law of Zipf and Mandelbrot, the commonest left out as a language pack does; vectors around some thousand centres, with a
spectrum as falling as that of sentence embeddings. bm25s and FTS5 get the words that the language packs make, the same as the stores.
``faiss-cpu``, ``bm25s``, ``sqlite-vec`` and ``apsw`` (which loads it) are left out where they are not installed.

words, vector, both: the best 50 of all items. scoped: by both, within what the user with the most items may see, other sessions only;
of FTS5 by words and of sqlite-vec by vector, within all of that user's.
CPU: p50 of the time on the processor of this process, without the server's; on a busy machine it says more than the wall clock.
same: share of the places, by vector, at which the cosine is the one that belongs there; found: of the best 50 that are found, wherever.
``postgres-hnsw`` has an approximate index from the beginning, with the settings as they are by default (memory.ef_search).
B/item: bytes on disk for each item. MB RAM: what the process holds more than before it opened the store. Each contender runs in a process of its own.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.benchmarks._measuring import goal, machine, table, title
from tests.benchmarks._memory_contenders import CONTENDERS, Figures, measured, missing
from tests.benchmarks._memory_made import LIMIT, Made, Making, Plan

FOUND = ("words", "vector", "both", "scoped")
FINDING = ("contender", *(name for what in FOUND for name in (f"{what} p50", "p99", "CPU")), "same", "found")
KEEPING = ("contender", "batch/s", "single/s", "MB file", "B/item", "MB RAM", "MB server", "first search ms")
ALTERNATIVES = (
    ("vector", ("FAISS flat",)),
    ("vector", ("sqlite-vec",)),
    ("words", ("bm25s",)),
    ("words", ("FTS5",)),
    ("both", ("FAISS flat", "bm25s")),
    ("both", ("sqlite-vec", "FTS5")),
    ("scoped", ("sqlite-vec", "FTS5")),
)
"""What a search is compared with: by both, with one after the other."""
PART = {"FAISS flat": "vector", "sqlite-vec": "vector", "bm25s": "words", "FTS5": "words"}
"""The half of a search by both that a plain index is for."""
AIM_MS = 10


def main(given: argparse.Namespace) -> None:
    """Each contender in a process of its own, for each number of items; then tables, ratios and goals."""
    print(machine())
    lacking = missing()
    for name, reason in lacking.items():
        print(f"{name} is left out: {reason}")
    wanted = [name for name in CONTENDERS if name not in lacking and (name in given.backends or not CONTENDERS[name])]
    for items in given.sizes:
        title(f"{items:,} items of {given.users} users, {given.dimensions} dimensions, best {LIMIT}; milliseconds")
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            Making(Plan(items, given.users, given.dimensions, given.queries, given.seed)).write(Path(folder))
            found = {}
            for name in wanted:
                if name == "memory" and items > given.most_in_memory:
                    print(
                        f"{name} is left out: it looks at every item in Python (--most-in-memory {given.most_in_memory})"
                    )
                    continue
                figures = _run(name, Path(folder), given.limit)
                if "stopped" in figures:
                    print(f"{name} was stopped: {figures['stopped']} (--limit)", flush=True)
                if "write" in figures:
                    found[name] = figures
        _print(items, found)


def _print(items: int, found: dict[str, Figures]) -> None:
    table(FINDING, [_finding(name, figures) for name, figures in found.items()])
    print()
    table(KEEPING, [_keeping(name, items, figures) for name, figures in found.items()])
    print()
    _ratios(found)
    if items == 100_000 and "same" in found.get("sqlite", {}):
        for what in ("words", "vector", "both"):
            p50, _, busy = found["sqlite"][what]
            goal(f"sqlite, {what}: p50 at 100,000 items (CPU {busy:.1f})", p50, AIM_MS, unit=" ms")
        goal("places as exact cosines have them", found["sqlite"]["same"], 0.99, at_most=False)


def _run(name: str, folder: Path, seconds: float) -> Figures:
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.memory_stores", "--child", name, str(folder), "--limit", str(seconds)],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        return {"stopped": f"it ended with code {done.returncode}, see above"}
    found: Figures = json.loads(done.stdout)
    return found


def _finding(name: str, figures: Figures) -> list[str]:
    times = [f"{value:.2f}" if value else "" for what in FOUND for value in figures.get(what, ("", "", ""))]
    return [name, *times, *(f"{figures[what]:.4f}" if what in figures else "" for what in ("same", "found"))]


def _keeping(name: str, items: int, figures: Figures) -> list[str]:
    def number(value: float | None) -> str:
        return "" if value is None else f"{value:.0f}"

    size = figures.get("file")
    each = None if size is None else size * 1e6 / items
    rest = [figures.get(what) for what in ("ram", "server", "open")]
    return [name, *map(number, (figures["write"], figures.get("single"), size, each, *rest))]


def _ratios(found: dict[str, Figures]) -> None:
    """How the stores stand to the plain indexes, which know no scopes, filters, changes or files."""
    for name in CONTENDERS:
        for what, others in ALTERNATIVES:
            parts = [what if what in found.get(other, {}) else PART.get(other, "") for other in others]
            known = all(part in found.get(other, {}) for other, part in zip(others, parts, strict=True))
            if CONTENDERS[name] and known and what in found.get(name, {}):
                wall, busy = (
                    found[name][what][place]
                    / sum(found[other][part][place] for other, part in zip(others, parts, strict=True))
                    for place in (0, 2)
                )
                print(f"{name}, {what}: {wall:.2f} times the p50 of {' + '.join(others)} (CPU {busy:.2f})")


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--sizes", nargs="+", type=int, default=(1_000, 10_000, 100_000), help="numbers of items")
    made.add_argument("--backends", nargs="+", default=[name for name, ours in CONTENDERS.items() if ours])
    made.add_argument("--users", type=int, default=50, help="among how many users the items are shared out")
    made.add_argument("--dimensions", type=int, default=384)
    made.add_argument("--queries", type=int, default=100)
    made.add_argument("--most-in-memory", type=int, default=10_000, help="items that the plain store is tried with")
    made.add_argument(
        "--limit", type=float, default=300, help="seconds after which a contender is stopped, and said so"
    )
    made.add_argument("--seed", type=int, default=1)
    made.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    return made


if __name__ == "__main__":
    arguments = parser().parse_args()
    if arguments.child is None:
        main(arguments)
    else:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
            contender, source = arguments.child
            print(json.dumps(asyncio.run(measured(contender, Made(Path(source)), Path(place), arguments.limit))))
