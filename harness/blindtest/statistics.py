"""Intervals and comparisons of pass rates, by statsmodels and scipy (extra ``blindtest``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from harness.errors import MissingExtra

CONFIDENCE = 0.95
POWER = 0.8
RESAMPLES = 2000
PERMUTATIONS = 9999
EXTRA = "blindtest"


@dataclass(frozen=True, slots=True)
class Rate:
    """A share with its Wilson score interval (Wilson 1927) at 95 %. With ``total`` 0 nothing is known: 0 to 1.

    Attributes:
        low, high: bounds, 0 to 1.
    """

    passed: int
    total: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """Passed of all; 0 of none."""
        return self.passed / self.total if self.total else 0.0


@dataclass(frozen=True, slots=True)
class Comparison:
    """One witness against another, on the probes that both were given.

    Attributes:
        only_first, only_second: probes that only one of them passed.
        difference: share of the first minus share of the second. ``low``, ``high``: its 95 % interval by bootstrap over scripts, the
            probes of a script drawn together.
        p: exact McNemar test (McNemar 1947), two-sided, which takes every probe for independent.
        by_script: two-sided permutation test that turns the signs of whole scripts, with all their repeats: five scripts or fewer never show a
            difference by it.
        adjusted: the larger of the two (of one regression set: ``p``) by Holm's procedure (Holm 1979), over all comparisons made together.
        detectable: the least difference that so many probes would show with a power of 0.8, if each were independent.
        winner: ``first`` or ``second`` where the adjusted p is below 0.05 and the interval leaves out 0, else ``neither``.
    """

    first: str
    second: str
    kind: str
    pairs: int
    only_first: int
    only_second: int
    difference: float
    low: float
    high: float
    p: float
    by_script: float
    adjusted: float
    detectable: float
    winner: Literal["first", "second", "neither"]


Paired = Sequence[tuple[str, bool, bool]]
"""(script, first passed, second passed) for each probe that both were given."""


def rate(passed: int, total: int) -> Rate:
    """A share with its interval. Raises MissingExtra."""
    if not total:
        return Rate(0, 0, 0.0, 1.0)
    low, high = _library("statsmodels.stats.proportion").proportion_confint(
        passed, total, alpha=1 - CONFIDENCE, method="wilson"
    )
    return Rate(passed, total, max(0.0, float(low)), min(1.0, float(high)))


def binomial(passed: int, total: int, chance: float = 0.5) -> float:
    """Two-sided p of the exact binomial test of a share against chance; 1 for nothing. Raises MissingExtra."""
    if not total:
        return 1.0
    return float(_library("scipy.stats").binomtest(passed, total, chance).pvalue)


def compare_all(
    asked: Sequence[tuple[str, str, Mapping[str, Paired]]], *, of_these_scripts: bool = False, seed: int = 0
) -> tuple[Comparison, ...]:
    """Several pairs of witnesses on several kinds of probes, corrected for the number of all comparisons together.

    Args:
        asked: (first, second, pairs by kind of probe). Kinds without a pair are left out.
        of_these_scripts: what is found shall hold for just these scripts (a regression set); otherwise for scripts like them, and then
            ``by_script`` counts as well.
        seed: of the bootstrap and of the permutations.

    Raises:
        MissingExtra: the extra ``blindtest`` is not installed.
    """
    rows = [(first, second, kind, pairs) for first, second, paired in asked for kind, pairs in paired.items() if pairs]
    tests = [_mcnemar(pairs) for *_, pairs in rows]
    by_script = [_sign_flips(pairs, seed) for *_, pairs in rows]
    adjusted = _holm(
        [p if of_these_scripts else max(p, flipped) for (_, _, p), flipped in zip(tests, by_script, strict=True)]
    )
    made = []
    for (first, second, kind, pairs), (only_first, only_second, p), flipped, corrected in zip(
        rows, tests, by_script, adjusted, strict=True
    ):
        low, high = _bootstrap(pairs, seed)
        difference = (only_first - only_second) / len(pairs)
        clear = corrected < 1 - CONFIDENCE and (low > 0 or high < 0)
        winner: Literal["first", "second", "neither"] = "neither"
        if clear:
            winner = "first" if difference > 0 else "second"
        made.append(
            Comparison(
                first=first, second=second, kind=kind, pairs=len(pairs), only_first=only_first, only_second=only_second,
                difference=difference, low=low, high=high, p=p, by_script=flipped, adjusted=corrected,
                detectable=minimum_detectable(sum(second for _, _, second in pairs) / len(pairs), len(pairs)), winner=winner,
            )
        )  # fmt: skip
    return tuple(made)


def minimum_detectable(base: float, probes: int) -> float:
    """The least gain over a share that a two-sided test of so many probes a side finds with a power of 0.8, 0 to 1.

    By the arcsine effect size (Cohen 1988). 1 where nothing could be found.
    """
    if probes < 2:
        return 1.0
    power, proportion = _library("statsmodels.stats.power"), _library("statsmodels.stats.proportion")
    effect = float(power.NormalIndPower().solve_power(nobs1=probes, alpha=1 - CONFIDENCE, power=POWER, ratio=1.0))
    low, high = base, 1.0
    if proportion.proportion_effectsize(high, base) < effect:
        return 1.0
    for _ in range(40):
        middle = (low + high) / 2
        if proportion.proportion_effectsize(middle, base) < effect:
            low = middle
        else:
            high = middle
    return high - base


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
    found = _library("statsmodels.duration.survfunc").SurvfuncRight(
        [turn for turn, _ in counted], [int(failed) for _, failed in counted]
    )
    return tuple((int(turn), float(share)) for turn, share in zip(found.surv_times, found.surv_prob, strict=True))


def _mcnemar(pairs: Paired) -> tuple[int, int, float]:
    table = [[0, 0], [0, 0]]
    for _, first, second in pairs:
        table[not first][not second] += 1
    only_first, only_second = table[0][1], table[1][0]
    if not only_first + only_second:
        return 0, 0, 1.0
    return (
        only_first,
        only_second,
        float(_library("statsmodels.stats.contingency_tables").mcnemar(table, exact=True).pvalue),
    )


def _by_script(pairs: Paired) -> list[tuple[int, int]]:
    """For each script what the first won over the second, and its number of pairs."""
    sums: dict[str, tuple[int, int]] = {}
    for script, first, second in pairs:
        won, count = sums.get(script, (0, 0))
        sums[script] = won + int(first) - int(second), count + 1
    return [sums[script] for script in sorted(sums)]


def _sign_flips(pairs: Paired, seed: int) -> float:
    """The permutation test over scripts; 1 where nothing differs, or there is one script."""
    won = [one for one, _ in _by_script(pairs)]
    if len(won) < 2 or not any(won):
        return 1.0
    np = _library("numpy")
    found = _library("scipy.stats").permutation_test(
        (np.array(won, dtype=float),),
        np.sum,
        permutation_type="samples",
        vectorized=True,
        n_resamples=PERMUTATIONS,
        rng=np.random.default_rng(seed),
    )
    return float(found.pvalue)


def _holm(values: Sequence[float]) -> list[float]:
    if not values:
        return []
    return [
        float(value) for value in _library("statsmodels.stats.multitest").multipletests(list(values), method="holm")[1]
    ]


def _bootstrap(pairs: Paired, seed: int) -> tuple[float, float]:
    """Percentile interval of the difference of shares, scripts drawn with replacement."""
    np = _library("numpy")
    sums = _by_script(pairs)
    if len(sums) < 2:
        return -1.0, 1.0
    cells = np.array(sums, dtype=float)
    drawn = np.random.default_rng(seed).integers(0, len(cells), size=(RESAMPLES, len(cells)))
    totals = cells[drawn].sum(axis=1)
    low, high = np.quantile(totals[:, 0] / totals[:, 1], [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return float(low), float(high)


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as failure:
        message = "The statistics of blind tests need statsmodels and scipy."
        raise MissingExtra(message, extra=EXTRA) from failure
