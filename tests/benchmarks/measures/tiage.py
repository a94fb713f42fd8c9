"""TIAGE: which lines of a small talk shift the topic (English, MIT)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from harness.language import load_packs
from harness.understanding.topics.shifts import find_shift
from tests.benchmarks.measures.rows import TIERS, Row, Stopwatch, files, precision_recall_f1

DATA = "tiage (en)"
REACH = 46.0


def lines(file: Path) -> Iterator[tuple[str, str, list[str], bool]]:
    """(dialogue, utterance, those before it, whether it shifts) for every line but the first of a dialogue."""
    for dialogue, talk in json.loads(file.read_text(encoding="utf-8")).items():
        before: list[str] = []
        for text, label in talk:
            if before:
                yield dialogue, text, list(before), label == "1"
            before.append(text)


def measure(data: Path) -> Iterator[Row]:
    """F1 of the shifts, by rules and with the classifier, which was trained on the training part alone."""
    pack = load_packs().get("en")
    for file in files(data / "tiage", "anno*.json"):
        items = list(lines(file))
        for tier in TIERS:
            watch = Stopwatch.new()
            found = [
                watch.time(partial(find_shift, text, before, pack=pack, classify=tier == "classifier")).shifts
                for _, text, before, _ in items
            ]
            precision, recall, f1 = precision_recall_f1([gold for *_, gold in items], found)
            yield Row(
                DATA,
                file.stem,
                len(items),
                "F1 of shifts",
                tier,
                f1,
                floor="40.2",
                published="22.2 (unsupervised)",
                reach=f"≥ {REACH:g}",
                met=f1 >= REACH,
                ms=watch.quantile(0.5),
                note=f"precision {precision:.1f}, recall {recall:.1f}",
            )
