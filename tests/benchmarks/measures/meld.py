"""MELD: which of seven emotions an utterance of a television comedy shows (English).

The labels of the engine are finer; :data:`SEVEN` says which of the seven each one is. The utterance alone is appraised: what a
speaker showed before is no evidence for what this one shows.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from harness.language import load_packs
from harness.understanding.emotion.track import appraise
from tests.benchmarks.measures.rows import Row, Stopwatch, files

SEVEN = {
    **dict.fromkeys(("joy", "excitement", "amusement", "affection", "gratitude", "calm", "pride"), "joy"),
    **dict.fromkeys(("sadness", "shame", "boredom", "fatigue"), "sadness"),
    **dict.fromkeys(("fear", "worry"), "fear"),
    **dict.fromkeys(("neutral", "curiosity"), "neutral"),
    "anger": "anger",
    "surprise": "surprise",
    "disgust": "disgust",
}
REACH = 45.0


def weighted_f1(gold: Sequence[str], found: Sequence[str]) -> float:
    """Mean of the F1 of every label, weighted by how often it is right, 0 to 100."""
    total = 0.0
    named = Counter(found)
    for label, count in Counter(gold).items():
        hits = sum(1 for want, got in zip(gold, found, strict=True) if want == got == label)
        total += count * 2 * hits / (count + named[label])
    return 100 * total / len(gold) if gold else 0.0


def measure(data: Path) -> Iterator[Row]:
    """One row for each file."""
    pack = load_packs().get("en")
    for file in files(data / "meld", "*sent_emo.csv"):
        with file.open(encoding="utf-8", errors="replace", newline="") as lines:
            rows = list(csv.DictReader(lines))
        watch = Stopwatch.new()
        found = [SEVEN[watch.time(lambda row=row: appraise(row["Utterance"], pack)).label] for row in rows]  # type: ignore[misc]
        value = weighted_f1([row["Emotion"] for row in rows], found)
        yield Row(
            data="meld (en)",
            part=file.name,
            items=len(rows),
            figure="weighted F1, 7 emotions",
            tier="rules",
            value=value,
            floor="37.2",
            published="57–65",
            reach=f"≥ {REACH:g}",
            met=value >= REACH,
            ms=watch.quantile(0.5),
            note="no licensed English data to train on, so there are rules only",
        )
