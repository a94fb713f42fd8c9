"""What the engine understands, on public data: `python -m tests.benchmarks.understanding --data DIR`.

DIR holds one folder for each data set. Data sets that are not there are left out, and named.
"""

from __future__ import annotations

import argparse
import importlib
import json
import pkgutil
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.benchmarks import measures
from tests.benchmarks._measuring import machine
from tests.benchmarks.measures.rows import Row

PLUMBING = ("rows",)


def names() -> list[str]:
    """The measures there are."""
    found = (info.name for info in pkgutil.iter_modules(measures.__path__))
    return sorted(name for name in found if name not in PLUMBING and not name.startswith("_"))


def rows(name: str, data: Path) -> Iterator[Row]:
    """The rows of one measure."""
    module = importlib.import_module(f"{measures.__name__}.{name}")
    yield from module.measure(data)


def show(found: list[Row]) -> None:
    """Print the table: per figure the tiers beside floor, best published and goal."""
    table = Table(title="Understanding", show_lines=False)
    for column in ("data", "part", "items", "figure", "tier", "value", "floor", "best published", "reach", "", "ms"):
        table.add_column(column, overflow="fold")
    for row in found:
        verdict = "" if row.met is None else "met" if row.met else "MISSED"
        cost = "" if row.ms is None else f"{row.ms:.2f}"
        table.add_row(
            row.data,
            row.part,
            str(row.items),
            row.figure,
            row.tier,
            f"{row.value:.1f}",
            row.floor,
            row.published,
            row.reach,
            verdict,
            cost,
        )
    Console(width=200).print(table)
    for note in dict.fromkeys(f"{row.data}, {row.tier}: {row.note}" for row in found if row.note):
        print(note)


def main() -> None:
    """Run the measures that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with one folder for each data set")
    parser.add_argument("--only", nargs="*", choices=names(), default=names(), help="measures to run")
    parser.add_argument("--out", type=Path, help="JSON lines to write")
    arguments = parser.parse_args()
    print(machine())
    found: list[Row] = []
    for name in arguments.only:
        before = len(found)
        found += rows(name, arguments.data)
        if len(found) == before:
            print(f"{name}: no data")
    show(found)
    if arguments.out:
        lines = (json.dumps(asdict(row), ensure_ascii=False) for row in found)
        arguments.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
