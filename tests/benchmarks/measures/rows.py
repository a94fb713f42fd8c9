"""One line of the table, and what all measures share."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

T = TypeVar("T")

Tier = Literal["rules", "classifier"]
TIERS: tuple[Tier, ...] = ("rules", "classifier")


@dataclass(frozen=True, slots=True)
class Row:
    """One figure of one part of one data set, for one tier.

    Attributes:
        data: the data set's name and language.
        part: the file's name.
        items: how many items were measured.
        figure: what the value is ("F1 of contradiction").
        value: the figure, in percent where it is a share.
        floor: the simple floor, as published in the task; empty when there is none.
        published: the best published figure.
        reach: the goal, as text ("≥ 46").
        met: whether the goal is met; None without a goal.
        ms: median milliseconds an item took; None when not timed.
        note: what a reader has to know, for instance that a classifier was trained on other folds of the same file.
    """

    data: str
    part: str
    items: int
    figure: str
    tier: Tier
    value: float
    floor: str = ""
    published: str = ""
    reach: str = ""
    met: bool | None = None
    ms: float | None = None
    note: str = ""


def files(folder: Path, pattern: str, *, but: str = "train") -> list[Path]:
    """Files of a folder by pattern, sorted, without those whose name holds ``but``."""
    return [file for file in sorted(folder.glob(pattern)) if but not in file.name] if folder.is_dir() else []


def precision_recall_f1(gold: Iterable[bool], found: Iterable[bool]) -> tuple[float, float, float]:
    """Precision, recall and F1 of the positive class, each from 0 to 100."""
    pairs = list(zip(gold, found, strict=True))
    hits = sum(1 for want, got in pairs if want and got)
    named, wanted = sum(got for _, got in pairs), sum(want for want, _ in pairs)
    precision = 100 * hits / named if named else 0.0
    recall = 100 * hits / wanted if wanted else 0.0
    return precision, recall, 2 * precision * recall / (precision + recall) if precision + recall else 0.0


@dataclass(slots=True)
class Stopwatch:
    """Times many short calls one by one."""

    seconds: list[float]

    @classmethod
    def new(cls) -> Stopwatch:
        """A watch that has timed nothing."""
        return cls([])

    def time(self, call: Callable[[], T]) -> T:
        """Call and keep how long it took."""
        started = time.perf_counter()
        try:
            return call()
        finally:
            self.seconds.append(time.perf_counter() - started)

    def quantile(self, share: float) -> float:
        """Milliseconds that a share of the calls stayed below; 0 without calls."""
        ordered = sorted(self.seconds)
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


Measure = Callable[[Path], Iterator[Row]]
