"""R-U-A-Robot: does a message ask whether a person or a machine is there? Positive against negative, and with the ambiguous as
negative; files of one split belong together (``pos.val.csv``, ``neg.val.csv``, ``amb.val.csv``). A file of survey answers gives the
share of its positive phrasings that are found.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from harness.language import LanguagePack, load_packs
from harness.understanding.checks.guards import SURE, bot_chance, find_attempts, plain_text
from tests.benchmarks.measures.rows import TIERS, Row, Stopwatch, Tier, files, precision_recall_f1

NAME = "ruarobot (en)"
FOLDER = "ruarobot"
PUBLISHED = "≈ 96 (accuracy, BERT)"
TRAINED_ON = "val"
LABELS = {"pos": "p", "neg": "n", "amb": "a"}
FOLDS = 10
REACH = 93.0
TEXT_COLUMNS = ("text", "utterance", "utt", "Input.text", "response")
LABEL_COLUMNS = ("label", "pos_amb_neg", "labels", "gold")

Item = tuple[str, str]
"""(text, label p, n or a)."""


def measure(data: Path) -> Iterator[Row]:
    """F1, precision and recall of each split, for both tiers; recall on survey answers."""
    pack = load_packs().get("en")
    for split, items in _splits(data / FOLDER):
        for tier in TIERS:
            yield from _rows(split, items, tier, pack)
    for file in files(data / FOLDER, "survey*.csv"):
        asked = [text for text, label in _read(file, "p") if label == "p"]
        for tier in TIERS if asked else ():
            watch = Stopwatch.new()
            found = _found(asked, tier, pack, watch)
            yield Row(
                NAME, file.name, len(asked), "recall of free phrasings", tier, 100 * sum(found) / len(found),
                ms=watch.quantile(0.5),
            )  # fmt: skip


def _splits(folder: Path) -> Iterator[tuple[str, list[Item]]]:
    names = sorted({file.name.split(".")[1] for file in files(folder, "pos.*.csv")})
    for split in names:
        items: list[Item] = []
        for kind, label in LABELS.items():
            file = folder / f"{kind}.{split}.csv"
            items += _read(file, label) if file.is_file() else []
        yield split, items


def _read(file: Path, label: str) -> list[Item]:
    with file.open(encoding="utf-8", newline="") as rows:
        table = list(csv.DictReader(rows))
    columns = [column for column in (table[0] if table else ()) if column]
    if not columns:
        return []
    gold = next((column for column in LABEL_COLUMNS if column in columns), None)
    text = next((column for column in TEXT_COLUMNS if column in columns), None)
    if text is None:  # an unknown layout: the column with the most different sayings of several words
        text = max(columns, key=lambda column: len({row[column] for row in table if " " in (row[column] or "")}))
    return [(row[text] or "", (row[gold] or label)[0].lower() if gold else label) for row in table]


def _found(texts: Sequence[str], tier: Tier, pack: LanguagePack, watch: Stopwatch) -> list[bool]:
    """Whether the engine's guard sees a bot question in each text."""

    def asks(text: str) -> bool:
        notices = find_attempts(text, pack=pack, classify=tier == "classifier")
        return any(notice.kind == "bot_question" for notice in notices)

    return [watch.time(lambda text=text: asks(text)) for text in texts]  # type: ignore[misc]


def _rows(split: str, items: list[Item], tier: Tier, pack: LanguagePack) -> Iterator[Row]:
    watch = Stopwatch.new()
    found = _found([text for text, _ in items], tier, pack, watch)
    note = "a message counts as found when the guard gives a notice of the kind bot_question"
    if tier == "classifier" and split == TRAINED_ON:
        found = _out_of_fold(items, pack)
        note += (
            f"; {split} out of fold: the classifier saw other frames of the grammar ({FOLDS} folds), rules as they are"
        )
    clear = [(label == "p", hit) for (_, label), hit in zip(items, found, strict=True) if label != "a"]
    everything = [(label == "p", hit) for (_, label), hit in zip(items, found, strict=True)]
    precision, recall, f1 = precision_recall_f1(*zip(*clear, strict=True))
    _, _, harder = precision_recall_f1(*zip(*everything, strict=True))
    part, size, ms = f"pos/neg.{split}", len(clear), watch.quantile(0.5)
    yield Row(
        NAME, part, size, "F1 positive", tier, f1, "80.1", PUBLISHED, f"≥ {REACH:g}", f1 >= REACH, ms, note
    )  # fmt: skip
    yield Row(NAME, part, size, "precision", tier, precision)
    yield Row(NAME, part, size, "recall", tier, recall)
    if len(everything) > len(clear):
        yield Row(NAME, f"pos/neg/amb.{split}", len(everything), "F1 positive, ambiguous as negative", tier, harder)


def _out_of_fold(items: list[Item], pack: LanguagePack) -> list[bool]:
    """What the guard says when the classifier has seen nothing of an item's frame."""
    from tests.benchmarks.training.guards import fold_classifiers

    found = []
    for (text, _), classifier in zip(items, fold_classifiers(items, pack, folds=FOLDS), strict=True):
        notices = find_attempts(text, pack=pack)
        by_rules = any(notice.kind == "bot_question" for notice in notices)
        chance = 0.0 if notices else bot_chance(plain_text(text, pack=pack), pack=pack, classifier=classifier)
        found.append(by_rules or chance >= SURE)
    return found
