"""The benchmark of understanding: every measure can be imported without its data and without what only training needs."""

from __future__ import annotations

import importlib
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from tests.benchmarks.measures.rows import Stopwatch, files, precision_recall_f1
from tests.benchmarks.understanding import names


@pytest.mark.parametrize("name", [name for name in names() if name != "cost"])
def test_a_measure_without_its_data_gives_no_rows(tmp_path: Path, name: str) -> None:
    module = importlib.import_module(f"tests.benchmarks.measures.{name}")
    assert list(module.measure(tmp_path)) == []


def test_no_measure_needs_what_only_training_needs() -> None:
    code = """
import importlib, sys
from tests.benchmarks.understanding import measures, names
for name in names():
    importlib.import_module(f"{measures.__name__}.{name}")
print({"numpy", "sklearn", "scipy"} & set(sys.modules))
"""
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout.strip() == "set()"


def test_training_parts_are_never_measured(tmp_path: Path) -> None:
    for name in ("anno_train.json", "anno_dev.json", "anno_test.json"):
        (tmp_path / name).touch()
    assert [file.name for file in files(tmp_path, "anno_*.json")] == ["anno_dev.json", "anno_test.json"]


def test_precision_recall_and_f1() -> None:
    assert precision_recall_f1([True, True, False, False], [True, False, True, False]) == (50.0, 50.0, 50.0)
    assert precision_recall_f1([True], [False]) == (0.0, 0.0, 0.0)


def test_a_stopwatch_keeps_every_call() -> None:
    watch = Stopwatch.new()
    assert [watch.time(partial(abs, value)) for value in (-1, 0, 1)] == [1, 0, 1]
    assert len(watch.seconds) == 3
    assert watch.quantile(0.5) >= 0
    assert Stopwatch.new().quantile(0.99) == 0
