"""dialseg711: where one matter of a spliced task dialogue ends and the next begins (English; no licence, so nothing learns from it).

Pk is the probability that two utterances k apart are wrongly told to be in one segment or in two (Beeferman, Berger & Lafferty 1999,
*Statistical Models for Text Segmentation*); k is half the mean length of a dialogue's true segments. F1 is that of the boundaries.
Every line is asked about, and in a second row those of the user alone, who speaks first: the engine asks about no others.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from harness.language import load_packs
from harness.understanding.topics.shifts import find_shift
from tests.benchmarks.measures.rows import TIERS, Row, Stopwatch, Tier, files, precision_recall_f1

DATA = "dialseg711 (en)"
REACH = 33.0


def p_k(gold: Sequence[bool], found: Sequence[bool], k: int) -> float:
    """Pk of one dialogue, 0 to 1; ``gold[i]``: utterance i begins a segment. 0 for a dialogue no longer than k.

    The sum runs over the pairs (i, i + k); a pair is in one segment when none of i + 1 … i + k begins one.
    """
    pairs = range(len(gold) - k)
    wrong = sum(any(gold[i + 1 : i + k + 1]) != any(found[i + 1 : i + k + 1]) for i in pairs)
    return wrong / len(pairs) if pairs else 0.0


def starts(lengths: Sequence[int]) -> list[bool]:
    """For each utterance whether it begins a segment; the first of all is no boundary."""
    marks = [at == 0 for length in lengths for at in range(length)]
    return [False, *marks[1:]]


def window(lengths: Sequence[int]) -> int:
    """k: half the mean length of the true segments, rounded, at least 1."""
    return max(1, round(sum(lengths) / len(lengths) / 2))


def measure(data: Path) -> Iterator[Row]:
    """Pk and boundary F1, by rules and with the classifier (trained on small talk, not on this data)."""
    for file in files(data / "dialseg711", "dialseg*.json"):
        dialogues = json.loads(file.read_text(encoding="utf-8"))
        for tier in TIERS:
            yield from _rows(file.stem, dialogues, tier)


def _rows(part: str, dialogues: list[dict[str, Any]], tier: Tier) -> Iterator[Row]:
    pack = load_packs().get("en")
    watch = Stopwatch.new()
    errors: dict[int, list[float]] = {1: [], 2: []}
    golds: list[bool] = []
    founds: dict[int, list[bool]] = {1: [], 2: []}
    for dialogue in dialogues:
        lines, lengths = dialogue["utterances"], dialogue["segments"]
        asks = [
            partial(find_shift, lines[at], lines[:at], pack=pack, classify=tier == "classifier")
            for at in range(len(lines))
        ]
        shifts = [watch.time(ask).shifts for ask in asks]
        gold = starts(lengths)
        golds += gold
        for step, errors_of in errors.items():
            found = [shift and at % step == 0 for at, shift in enumerate(shifts)]
            errors_of.append(p_k(gold, found, window(lengths)))
            founds[step] += found
    for step, figure, note in (
        (1, "Pk (lower is better)", "mean over dialogues; every line is asked about"),
        (2, "Pk, lines of the user", "as the engine asks: only lines of the user, who speaks first"),
    ):
        value = 100 * sum(errors[step]) / len(errors[step])
        f1 = precision_recall_f1(golds, founds[step])[2]
        yield Row(
            DATA,
            part,
            len(dialogues),
            figure,
            tier,
            value,
            floor="38.1",
            reach=f"≤ {REACH:g}",
            met=value <= REACH,
            ms=watch.quantile(0.5),
            note=f"{figure}: {note}; F1 of boundaries {f1:.1f}",
        )
    f1 = precision_recall_f1(golds, founds[1])[2]
    yield Row(DATA, part, len(dialogues), "F1 of boundaries", tier, f1, floor="45.9", published="46.7")
