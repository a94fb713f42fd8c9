"""The benchmark of memory stores: what it makes, what it prints of a store, and what it says of one that takes too long."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

np = pytest.importorskip("numpy")

from tests.benchmarks import memory_stores  # noqa: E402 - it needs numpy
from tests.benchmarks._memory_contenders import EXTENSIONS, measured, missing  # noqa: E402
from tests.benchmarks._memory_made import LIMIT, Made, Making, Plan  # noqa: E402

PLAN = Plan(items=300, users=5, dimensions=16, queries=4, seed=3)


@pytest.fixture
def made(tmp_path: Path) -> Made:
    folder = tmp_path / "made"
    folder.mkdir()
    Making(PLAN).write(folder)
    return Made(folder)


def test_the_same_seed_makes_the_same(made: Made, tmp_path: Path) -> None:
    again, other = tmp_path / "again", tmp_path / "other"
    for folder, plan in ((again, PLAN), (other, Plan(items=300, users=5, dimensions=16, queries=4, seed=4))):
        folder.mkdir()
        Making(plan).write(folder)
    first = [entry for entries in made.entries() for entry in entries]
    assert first == [entry for entries in Made(again).entries() for entry in entries]
    assert first != [entry for entries in Made(other).entries() for entry in entries]


def test_items_are_of_both_languages_and_many_users(made: Made) -> None:
    entries = [entry for some in made.entries() for entry in some]
    assert len(entries) == PLAN.items
    assert all(entry.terms for entry in entries)
    assert {entry.item.language for entry in entries} == {"en", "zh"}
    sizes = [sum(entry.item.scope.user == f"u{user}" for entry in entries) for user in range(PLAN.users)]
    assert sizes[0] == max(sizes)
    assert all(sizes)
    vectors = np.array([entry.vector for entry in entries])
    best = np.sort(made.vectors @ vectors.T, axis=1)[:, ::-1][:, :LIMIT]
    assert best == pytest.approx(made.best, abs=1e-6)


async def test_a_store_and_the_plain_indexes_are_measured(made: Made, tmp_path: Path) -> None:
    figures = await measured("sqlite", made, tmp_path / "store", 60)
    assert figures["same"] == 1.0
    assert {"write", "single", "file", "ram", "open"} <= figures.keys()
    assert all(0 < figures[what][0] <= figures[what][1] for what in memory_stores.FOUND)
    lines = memory_stores._keeping("sqlite", PLAN.items, figures)
    assert len(lines) == len(memory_stores.KEEPING)
    assert len(memory_stores._finding("sqlite", figures)) == len(memory_stores.FINDING)
    only_words = {"words": (1.0, 2.0, 0.5)}
    assert memory_stores._finding("bm25s", only_words)[:5] == ["bm25s", "1.00", "2.00", "0.50", ""]
    json.dumps(figures)


async def test_what_sqlite_brings_is_measured_and_compared(
    made: Made, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lacking = missing()
    found: dict[str, dict[str, Any]] = {"sqlite": dict.fromkeys(memory_stores.FOUND, (4.0, 5.0, 2.0))}
    for name, what in (("FTS5", "words"), ("sqlite-vec", "vector")):
        if name in lacking:
            continue
        (tmp_path / name).mkdir()
        found[name] = await measured(name, made, tmp_path / name, 60)
        assert {"write", "file", what, "scoped"} == found[name].keys()
        assert all(0 < found[name][one][0] <= found[name][one][1] for one in (what, "scoped"))
        assert len(memory_stores._keeping(name, PLAN.items, found[name])) == len(memory_stores.KEEPING)
        (tmp_path / f"{name} again").mkdir()
        stopped = await measured(name, made, tmp_path / f"{name} again", 0)
        assert stopped == {"stopped": "only 300 of 300 items were written in 0 s"}
    memory_stores._ratios({**found, "FTS5": {**found["FTS5"], "words": (2.0, 3.0, 0.5)}})
    printed = capsys.readouterr().out
    assert "sqlite, words: 2.00 times the p50 of FTS5 (CPU 4.00)" in printed
    assert ("sqlite, scoped: " in printed) == ("sqlite-vec" in found)


@pytest.mark.parametrize("kind", ["words", "vector"])
async def test_what_sqlite_brings_finds_what_is_there(kind: str, made: Made, tmp_path: Path) -> None:
    name = {"words": "FTS5", "vector": "sqlite-vec"}[kind]
    if name in missing():
        pytest.skip(missing()[name])
    entries = [entry for some in made.entries() for entry in some]
    with EXTENSIONS[name](made, tmp_path, {}, lambda _: None) as searches:
        for what in (kind, "scoped"):
            for place, call in enumerate(searches[what]):
                rows: Any = await call()
                whole = [number for number, one in enumerate(entries) if what == kind or one.item.scope.user == "u0"]
                if kind == "words":
                    having = {number for number in whole if set(entries[number].terms) & set(made.words[place])}
                    assert len(rows) == min(len(having), LIMIT)
                    assert {row[0] for row in rows} <= having
                else:
                    assert len(rows) == min(len(whole), LIMIT)
                    assert {row[0] for row in rows} <= set(whole)
                    found = [1 - row[1] for row in rows]
                    assert what == "scoped" or found == pytest.approx(list(made.best[place]), abs=1e-5)


async def test_what_takes_too_long_is_stopped_and_says_how_far_it_came(made: Made, tmp_path: Path) -> None:
    figures = await measured("sqlite", made, tmp_path / "store", 0)
    assert figures == {"stopped": "only 300 of 300 items were written in 0 s"}
