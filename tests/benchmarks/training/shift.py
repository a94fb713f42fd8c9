"""Train the classifier of topic shifts on TIAGE (MIT): `python -m tests.benchmarks.training.shift --data DIR`.

The signs mean the same in Chinese, but a classifier of the signs alone, made from these English talks, was no better on the project's
Chinese probes than the rules (F1 81 and 85), so there is none for Chinese.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from harness.language import load_packs
from harness.understanding.topics.shifts import CLASSIFIER, FAR, plain, shift_features, shift_signs
from tests.benchmarks.measures.rows import precision_recall_f1
from tests.benchmarks.measures.tiage import lines
from tests.benchmarks.training.linear import Example, out_of_fold, write

BUCKETS = 1 << 14
STRENGTH = 2.0


def examples(file: Path) -> list[Example]:
    """One for each line but the first of a dialogue; a dialogue is a group."""
    pack = load_packs().get("en")
    made = []
    for dialogue, text, before, shifts in lines(file):
        line, said = plain(text), [plain(one) for one in before[-FAR:]]
        signs = shift_signs(line, said, pack)
        made.append(Example(tuple(shift_features(line, pack, signs)), "shift" if shifts else "none", dialogue))
    return made


def best_threshold(gold: list[bool], scores: list[float]) -> tuple[float, float]:
    """(F1, probability) where F1 is best."""
    steps = [step / 100 for step in range(10, 60)]
    return max((precision_recall_f1(gold, [score >= step for score in scores])[2], step) for step in steps)


def main() -> None:
    """Measure by cross-validation, train on the whole training part, write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with the data sets")
    arguments = parser.parse_args()
    made = examples(arguments.data / "tiage" / "anno_train.json")
    scores = [found["shift"] for found in out_of_fold(CLASSIFIER, made, buckets=BUCKETS, strength=STRENGTH)]
    f1, threshold = best_threshold([one.label == "shift" for one in made], scores)
    print(f"F1 out of fold {f1:.1f} at {threshold}")
    file = write(
        CLASSIFIER,
        "en",
        made,
        trained_on="TIAGE, training part",
        licence="MIT",
        figures={"out_of_fold_f1": round(f1, 1), "threshold": threshold},
        buckets=BUCKETS,
        strength=STRENGTH,
    )
    print(f"{file}: {file.stat().st_size} bytes")


if __name__ == "__main__":
    main()
