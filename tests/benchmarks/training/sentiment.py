"""Train `zh.sentiment`: `python -m tests.benchmarks.training.sentiment --data DIR`.

DIR holds ``cped`` (Apache-2.0). Wording alone decides here; what a speaker said before is worked in by the engine, which keeps a mood.
Features that fewer than three utterances have are left out: they name people and things of one episode.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from harness.language.classifier import text_features
from tests.benchmarks.measures.rows import files

if TYPE_CHECKING:
    from tests.benchmarks.training.linear import Example

NAME = "sentiment"
PATTERN = "*split*.csv"
SEEN = 3
"""Utterances that must have a feature."""
BUCKETS = 1 << 14
STRENGTH = 0.6


def read(file: Path) -> list[dict[str, str]]:
    """The utterances of a file, in order."""
    with file.open(encoding="utf-8-sig", newline="") as lines:
        return list(csv.DictReader(lines))


def fingerprint(file: Path) -> str:
    """What tells in the header of the weights that a file was trained on: 12 hex digits of its SHA-256."""
    return hashlib.sha256(file.read_bytes()).hexdigest()[:12]


def examples(rows: list[dict[str, str]]) -> list[Example]:
    """One example for each utterance; the group is the dialogue."""
    from tests.benchmarks.training.linear import Example

    found = [tuple(dict.fromkeys(text_features(row["Utterance"]))) for row in rows]
    seen = Counter(feature for features in found for feature in features)
    return [
        Example(tuple(feature for feature in features if seen[feature] >= SEEN), row["Sentiment"], row["Dialogue_ID"])
        for features, row in zip(found, rows, strict=True)
    ]


def main() -> None:
    """Measure by cross-validation, then train on everything and write the file."""
    from tests.benchmarks.training.linear import out_of_fold, write

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    used = files(parser.parse_args().data / "cped", PATTERN, but="train")
    rows = [row for one in used for row in read(one)]
    found = examples(rows)
    guesses = out_of_fold(NAME, found, buckets=BUCKETS, strength=STRENGTH)
    right = sum(
        max(guess, key=lambda label: guess[label]) == row["Sentiment"] for guess, row in zip(guesses, rows, strict=True)
    )
    share = Counter(row["Sentiment"] for row in rows)
    figures = {
        "accuracy of one utterance by itself, other dialogues": round(100 * right / len(rows), 1),
        "share of the commonest label": round(100 * max(share.values()) / len(rows), 1),
        **{f"share of {label}": round(count / len(rows), 4) for label, count in sorted(share.items())},
    }
    file = write(
        NAME,
        "zh",
        found,
        trained_on=f"CPED, {len(rows)} utterances ({', '.join(fingerprint(one) for one in used)})",
        licence="Apache-2.0",
        figures=figures,
        buckets=BUCKETS,
        strength=STRENGTH,
    )
    print(file.name, file.stat().st_size, "bytes", figures)


if __name__ == "__main__":
    main()
