"""Memory stores at work: writing, finding by words, by vectors and by both, beside a FAISS flat scan and bm25s in the same run.

python -m tests.benchmarks.memory_stores
python -m tests.benchmarks.memory_stores --items 1000 10000 100000 1000000 --backends sqlite --queries 100
python -m tests.benchmarks.memory_stores --users 100

Items are made up: words by the law of Zipf and Mandelbrot, the commonest left out as a language pack does; vectors around some
thousand centres, with a spectrum as falling as that of sentence embeddings. ``faiss-cpu`` and ``bm25s`` are left out where
they are not installed. Each measure of memory is of a process of its own.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks._measuring import goal, machine, table, title
from tests.benchmarks._memory_contenders import CONTENDERS, Figures, Plan, measured, missing

HEAD = (
    "contender",
    "items",
    "write/s",
    "MB file",
    "MB RAM",
    "open ms",
    "words p50",
    "p99",
    "vector p50",
    "p99",
    "both p50",
    "p99",
    "same",
)


def main(given: argparse.Namespace) -> None:
    """Each contender in a process of its own, for each number of items; then tables and goals."""
    print(machine())
    lacking = missing()
    for name, reason in lacking.items():
        print(f"{name} is left out: {reason}")
    for items in given.items:
        title(f"{items} items of {given.users} users, {given.dimensions} dimensions, best 50; times in milliseconds")
        names = [
            name for name in CONTENDERS if name not in lacking and (name in given.backends or not CONTENDERS[name])
        ]
        found = {}
        for name in names:
            if name == "memory" and items > given.most_in_memory:
                continue
            found[name] = _run(Plan(name, items, given.users, given.dimensions, given.queries, given.seed))
        table(HEAD, [_row(name, items, figures) for name, figures in found.items()])
        _ratios(found)
        if "sqlite" in found and items == 100_000:
            goal("both p50 at 100,000 items", found["sqlite"]["both"][0], 10, unit=" ms")
            goal("words p50 at 100,000 items", found["sqlite"]["words"][0], 2, unit=" ms")
            goal("places as exact cosines have them", found["sqlite"]["same"], 0.99, at_most=False)


def _run(plan: Plan) -> Figures:
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.memory_stores", "--child", json.dumps(plan.as_dict())],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    found: Figures = json.loads(done.stdout)
    return found


def _row(name: str, items: int, figures: Figures) -> Sequence[str]:
    def times(what: str) -> tuple[str, str]:
        found = figures.get(what)
        return (f"{found[0]:.2f}", f"{found[1]:.2f}") if found else ("", "")

    def number(what: str, form: str) -> str:
        return format(figures[what], form) if figures.get(what) is not None else ""

    return (
        name,
        str(items),
        number("write", ".0f"),
        number("file", ".0f"),
        number("ram", ".0f"),
        number("open", ".0f"),
        *times("words"),
        *times("vector"),
        *times("both"),
        number("same", ".4f"),
    )


def _ratios(found: dict[str, Figures]) -> None:
    """How the stores stand to the plain indexes, which know no scopes, filters, changes or files."""
    for name in CONTENDERS:
        for what, other in (("vector", "FAISS flat"), ("words", "bm25s")):
            if CONTENDERS[name] and name in found and other in found and what in found[name]:
                ratio = found[name][what][0] / found[other][what][0]
                print(f"{name}, {what}: {ratio:.2f} times the p50 of {other}")


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--items", nargs="+", type=int, default=(1_000, 10_000, 100_000))
    made.add_argument("--backends", nargs="+", default=[name for name, ours in CONTENDERS.items() if ours])
    made.add_argument("--users", type=int, default=1, help="among how many users the items are shared out")
    made.add_argument("--dimensions", type=int, default=384)
    made.add_argument("--queries", type=int, default=200)
    made.add_argument("--most-in-memory", type=int, default=10_000, help="items that the plain store is tried with")
    made.add_argument("--seed", type=int, default=1)
    made.add_argument("--child", help=argparse.SUPPRESS)
    return made


if __name__ == "__main__":
    arguments = parser().parse_args()
    if arguments.child is None:
        main(arguments)
    else:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            print(json.dumps(asyncio.run(measured(Plan(**json.loads(arguments.child)), Path(folder)))))
