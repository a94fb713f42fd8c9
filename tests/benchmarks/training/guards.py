"""Train the guard's classifier for "are you a bot?": `python -m tests.benchmarks.training.guards --data DIR`.

Data: R-U-A-Robot (MIT), the validation part, English. Positive: the user asks whether a person or a machine is there. Ambiguous items
are left out of the training. What was measured out of fold goes into the file's header; folds keep items of one wording together.
"""

from __future__ import annotations

import argparse
import csv
import re
from pathlib import Path
from typing import Any

from sklearn.model_selection import GroupKFold

from harness.language import LanguagePack, load_packs
from harness.language.classifier import LinearClassifier
from harness.understanding.checks.guards import guard_features, plain_text
from tests.benchmarks.measures.rows import precision_recall_f1
from tests.benchmarks.training.linear import Example, classifier, out_of_fold, write

OPTIONS: dict[str, Any] = {"buckets": 1 << 14, "strength": 30.0, "balanced": False}
NAME = "bot_question"


def read(folder: Path, part: str) -> list[tuple[str, str]]:
    """(text, label p/n/a) of the files of one part (``val`` or ``test``)."""
    found = []
    for label, name in (("p", "pos"), ("n", "neg"), ("a", "amb")):
        file = folder / f"{name}.{part}.csv"
        if file.is_file():
            with file.open(encoding="utf-8", newline="") as rows:
                found += [(row["text"], label) for row in csv.DictReader(rows)]
    return found


def wording(plain: str, pack: LanguagePack) -> str:
    """The group of an item: its wording with the words for machines and people left out. The data were made by a grammar, and
    two fillings of one frame on both sides of a fold would make the figure too good.
    """
    for word in ("machine", "human", "gender", "doubt"):
        plain = pack.guards.word(word).sub(" ", plain)
    return " ".join(re.findall(r"[a-z]+", plain.lower()))


def examples(items: list[tuple[str, str]]) -> list[Example]:
    """Examples of the clear items."""
    pack = load_packs().get("en")
    plain = [(plain_text(text, pack=pack), label) for text, label in items if label != "a"]
    return [
        Example(guard_features(text, pack=pack), "yes" if label == "p" else "no", wording(text, pack))
        for text, label in plain
    ]


def fold_classifiers(items: list[tuple[str, str]], pack: LanguagePack, *, folds: int) -> list[LinearClassifier]:
    """For each item a classifier that saw no item of its frame."""
    plain = [plain_text(text, pack=pack) for text, _ in items]
    made = [
        Example(guard_features(text, pack=pack), "yes" if label == "p" else "no", wording(text, pack))
        for text, (_, label) in zip(plain, items, strict=True)
    ]
    found: dict[int, LinearClassifier] = {}
    for train, test in GroupKFold(n_splits=folds).split(made, groups=[one.group for one in made]):
        trained = classifier(NAME, [made[index] for index in train if items[index][1] != "a"], **OPTIONS)
        found |= dict.fromkeys((int(index) for index in test), trained)
    return [found[index] for index in range(len(items))]


def main() -> None:
    """Measure out of fold, then train on everything and write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with one folder for each data set")
    arguments = parser.parse_args()
    made = examples(read(arguments.data / "ruarobot", "val"))
    chances = [found["yes"] for found in out_of_fold(NAME, made, folds=10, **OPTIONS)]
    figures = {}
    for bound in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8):
        precision, recall, f1 = precision_recall_f1([one.label == "yes" for one in made], [c >= bound for c in chances])
        print(f"{bound}: precision {precision:.1f}, recall {recall:.1f}, F1 {f1:.1f}")
        if bound == 0.5:
            figures = {"precision": round(precision, 1), "recall": round(recall, 1), "f1": round(f1, 1)}
    file = write(NAME, "en", made, trained_on="R-U-A-Robot 1.0.0, val", licence="MIT", figures=figures, **OPTIONS)
    print(file, file.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
