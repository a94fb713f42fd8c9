"""Intervals of pass rates and survival, by statsmodels and scipy (extra ``blindtest``)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from harness.errors import MissingExtra

CONFIDENCE = 0.95
EXTRA = "blindtest"


@dataclass(frozen=True, slots=True)
class Rate:
    """A share with its Wilson score interval (Wilson 1927) at 95 %. With ``total`` 0 nothing is known: 0 to 1.

    Attributes:
        low, high: bounds, 0 to 1.
        effective: independent outcomes that the interval is made for. ``scripts``: of which they are; 0 where they were not told.
    """

    passed: int
    total: int
    low: float
    high: float
    effective: float = 0.0
    scripts: int = 0

    @property
    def share(self) -> float:
        """Passed of all; 0 of none."""
        return self.passed / self.total if self.total else 0.0


def rate(passed: int, total: int) -> Rate:
    """A share of independent outcomes with its interval. Raises MissingExtra."""
    if not total:
        return Rate(0, 0, 0.0, 1.0)
    low, high = _wilson(passed, total)
    return Rate(passed, total, low, high, effective=total)


def clustered(outcomes: Sequence[tuple[str, str, bool]]) -> Rate:
    """A share with the interval that its repeats and scripts are worth.

    Probes of one script are alike, and repeats of one probe more so. The variance of the share is that between clusters, by linearisation; over
    that of independent outcomes it is the design effect, and the number of outcomes divided by it the effective one, corrected for few
    clusters by quantiles of t (Korn and Graubard 1998), for which the Wilson interval is made. The larger effect of the two counts, between
    scripts or between probes. So that a share of nought or of all is not taken for one without a spread, one probe with all its repeats is
    thought to pass besides, and one to fail.

    Args:
        outcomes: (script, probe, passed). A probe has the same name in each of its repeats.

    Raises:
        MissingExtra: the extra ``blindtest`` is not installed.
    """
    total = len(outcomes)
    if not total:
        return Rate(0, 0, 0.0, 1.0)
    passed = sum(good for *_, good in outcomes)
    scripts, probes = (
        Counter(script for script, *_ in outcomes),
        Counter((script, name) for script, name, _ in outcomes),
    )
    repeats = total / len(probes)
    besides = [(0.0, repeats), (repeats, repeats)]
    by_probe: Counter[tuple[str, str]] = Counter()
    by_script: Counter[str] = Counter()
    for script, name, good in outcomes:
        by_probe[script, name] += good
        by_script[script] += good
    effect = max(
        1.0,
        _design_effect([*besides, *((by_probe[one], size) for one, size in probes.items())]),
        _design_effect([*besides, *((by_script[one], size) for one, size in scripts.items())]),
    )
    effective = max(1.0, total / effect * _few(total, len(scripts)))
    low, high = _wilson(passed / total * effective, effective)
    return Rate(passed, total, low, high, effective=effective, scripts=len(scripts))


def _design_effect(clusters: Sequence[tuple[float, float]]) -> float:
    """How much larger the variance of a share is for being measured in clusters of (passed, outcomes)."""
    count, whole = len(clusters), sum(size for _, size in clusters)
    share = sum(passed for passed, _ in clusters) / whole
    between = sum((passed - share * size) ** 2 for passed, size in clusters) * count / (count - 1) / whole**2
    return between / (share * (1 - share) / whole)


def _few(total: int, clusters: int) -> float:
    """The factor for few clusters: the squared ratio of the quantiles of t with so many outcomes and so many clusters."""
    if clusters < 2 or total <= clusters:
        return 1.0 if clusters > 1 else 0.0
    t, at = library("scipy.stats").t, (1 + CONFIDENCE) / 2
    return float((t.ppf(at, total - 1) / t.ppf(at, clusters - 1)) ** 2)


def _wilson(passed: float, total: float) -> tuple[float, float]:
    low, high = library("statsmodels.stats.proportion").proportion_confint(
        passed, total, alpha=1 - CONFIDENCE, method="wilson"
    )
    share = passed / total  # of nought or all, rounding would leave the bound a hair inside
    return max(0.0, min(share, float(low))), min(1.0, max(share, float(high)))


def binomial(passed: int, total: int, chance: float = 0.5) -> float:
    """Two-sided p of the exact binomial test of a share against chance; 1 for nothing. Raises MissingExtra."""
    if not total:
        return 1.0
    return float(library("scipy.stats").binomtest(passed, total, chance).pvalue)


def holm(values: Sequence[float]) -> list[float]:
    """Several p values corrected for their number (Holm 1979). Raises MissingExtra."""
    if not values:
        return []
    made = library("statsmodels.stats.multitest").multipletests(list(values), method="holm")[1]
    return [float(value) for value in made]


def survival(ends: Sequence[tuple[int, bool]]) -> tuple[tuple[int, float], ...]:
    """The share that has not failed after each turn in which one fails: (turn, share), by the product-limit estimate (Kaplan and Meier 1958).

    Args:
        ends: (turn, failed) of each trial: where it failed first, or where it ended without a failure.

    Raises:
        MissingExtra: the extra ``blindtest`` is not installed.
    """
    counted = [(turn, failed) for turn, failed in ends if turn > 0]
    if not any(failed for _, failed in counted):
        return ()
    found = library("statsmodels.duration.survfunc").SurvfuncRight(
        [turn for turn, _ in counted], [int(failed) for _, failed in counted]
    )
    return tuple((int(turn), float(share)) for turn, share in zip(found.surv_times, found.surv_prob, strict=True))


def median_survival(ends: Sequence[tuple[int, bool]]) -> int | None:
    """The first turn after which at most half have not failed, by :func:`survival`; None where it never comes to that. Raises MissingExtra."""
    return next((turn for turn, share in survival(ends) if share <= 0.5 + 1e-12), None)


def library(name: str) -> Any:
    """A module of the extra ``blindtest``. Raises MissingExtra."""
    try:
        return import_module(name)
    except ImportError as failure:
        message = "The statistics of blind tests need statsmodels and scipy."
        raise MissingExtra(message, extra=EXTRA) from failure
