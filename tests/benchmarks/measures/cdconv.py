"""Contradictions of a Chinese chatbot with itself: two exchanges, is the second reply at odds with the first or itself?

Labels: 0 none, 1 within the sentence, 2 role confusion, 3 with the history. Counted as one class: 1, 2 and 3 against 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from harness.language import load_packs
from tests.benchmarks.measures._replies import SURE, findings, state_of
from tests.benchmarks.measures.rows import Row, Stopwatch, files, precision_recall_f1

NOTE = (
    "contradiction = label 1, 2 or 3; a finding of any severity counts, rows 'sure' count those that ask for a revision"
)


def measure(data: Path) -> Iterator[Row]:
    """F1, precision and recall of contradiction, and accuracy, per file."""
    pack = load_packs().get("zh")
    for file in files(data / "cdconv", "*.tsv"):
        rows = [line.split("\t") for line in file.read_text(encoding="utf-8").splitlines() if line.count("\t") == 4]
        rows = [row for row in rows if row[4].strip().isdigit()]
        watch = Stopwatch.new()
        gold, found, sure = [], [], []
        for first_user, first_reply, second_user, second_reply, label in rows:
            state = state_of((("user", first_user), ("character", first_reply)), "zh")
            hits = watch.time(partial(findings, second_reply, second_user, state, pack))
            gold.append(label.strip() != "0")
            found.append(bool(hits))
            sure.append(any(hit.severity >= SURE for hit in hits))
        yield from _rows(file.name, gold, found, sure, watch)


def _rows(part: str, gold: list[bool], found: list[bool], sure: list[bool], watch: Stopwatch) -> Iterator[Row]:
    precision, recall, f1 = precision_recall_f1(gold, found)
    accuracy = 100 * sum(a == b for a, b in zip(gold, found, strict=True)) / max(len(gold), 1)
    ms = watch.quantile(0.5)
    met = f1 >= 45 and precision >= 60
    yield Row(
        "cdconv (zh)",
        part,
        len(gold),
        "F1 of contradiction",
        "rules",
        f1,
        floor="29.9",
        published="macro-F1 72.3 (4 classes)",
        reach="≥ 45",
        met=met,
        ms=ms,
        note=NOTE,
    )
    yield Row("cdconv (zh)", part, len(gold), "precision", "rules", precision, reach="≥ 60", met=precision >= 60)
    yield Row("cdconv (zh)", part, len(gold), "recall", "rules", recall)
    yield Row("cdconv (zh)", part, len(gold), "accuracy (2 classes)", "rules", accuracy, published="75.7 (4 classes)")
    precision, recall, _ = precision_recall_f1(gold, sure)
    yield Row("cdconv (zh)", part, len(gold), "precision, sure", "rules", precision)
    yield Row("cdconv (zh)", part, len(gold), "recall, sure", "rules", recall)
