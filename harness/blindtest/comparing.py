"""Comparisons of two witnesses, paired on what both were given, by statsmodels and scipy (extra ``blindtest``)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal

from harness.blindtest.statistics import CONFIDENCE, holm, library
from harness.state.base import Frozen

POWER = 0.8
RESAMPLES = 2000
PERMUTATIONS = 9999
Winner = Literal["first", "second", "neither"]
Paired = Sequence[tuple[str, bool, bool]]
"""(script, first passed, second passed) for each probe that both were given; of a regression set each repeat of a script is one of its own."""
Weighed = Sequence[tuple[str, float, float]]
"""(script, what the first loses, what that is a part of) for each case that both were given."""


class Compared(Frozen):
    """One witness against another, on the probes that both were given.

    Attributes:
        only_first, only_second: probes that only one of them passed.
        difference: share of the first minus share of the second. ``low``, ``high``: its 95 % interval by :func:`bootstrap` over scripts, the
            probes of a script drawn together; at least that of independent pairs by Agresti and Min (2005), which is no point where no pair
            differs.
        p: exact McNemar test (McNemar 1947), two-sided, which takes every probe for independent.
        by_script: two-sided permutation test that turns the signs of whole scripts, with all their repeats: five scripts or fewer never show a
            difference by it.
        adjusted: the larger of the two (of one regression set: ``p``) by Holm's procedure (Holm 1979), over all comparisons made together.
        detectable: see :func:`detectable`.
        scripts: that the pairs are of; of a regression set scripts and repeats.
        unpaired: probes that were judged of one of them only, and are in no pair.
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
    by_script: float = 1.0
    adjusted: float
    detectable: float
    scripts: int = 0
    unpaired: int = 0
    winner: Winner


class Lost(Frozen):
    """What one witness loses against another by a measure, as a share.

    Attributes:
        loss: above 0 the first is worse, below 0 the second. ``low``, ``high``: its 95 % interval by bootstrap over scripts.
        p: two-sided permutation test that turns the signs of whole scripts. ``adjusted``: by Holm's procedure, over all that are asked together.
        cases: that both were given, in ``scripts`` scripts.
    """

    first: str
    second: str
    measure: str
    loss: float
    low: float
    high: float
    p: float
    adjusted: float
    cases: int
    scripts: int

    @property
    def shown(self) -> bool:
        """Whether the adjusted p is below 0.05 and the interval leaves out 0."""
        return _clear(self.adjusted, self.low, self.high)


def compare_all(
    asked: Sequence[tuple[str, str, Mapping[str, Paired]]], *, of_these_scripts: bool = False, seed: int = 0
) -> tuple[Compared, ...]:
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
    sums = [by_script([(script, first - second, 1) for script, first, second in pairs]) for *_, pairs in rows]
    flipped = [sign_flips([won for won, _ in one], seed) for one in sums]
    counted = [p if of_these_scripts else max(p, one) for (_, _, p), one in zip(tests, flipped, strict=True)]
    level = (1 - CONFIDENCE) / max(1, len(rows))
    made = []
    for index, corrected in enumerate(holm(counted)):
        (first, second, kind, pairs), (only_first, only_second, p) = rows[index], tests[index]
        drawn, least = bootstrap(sums[index], seed), _agresti(only_first, only_second, len(pairs))
        low, high = max(-1.0, min(drawn[0], least[0])), min(1.0, max(drawn[1], least[1]))
        difference = (only_first - only_second) / len(pairs)
        winner: Winner = "neither"
        if _clear(corrected, low, high):
            winner = "first" if difference > 0 else "second"
        made.append(
            Compared(
                first=first, second=second, kind=kind, pairs=len(pairs), only_first=only_first, only_second=only_second,
                difference=difference, low=low, high=high, p=p, by_script=flipped[index], adjusted=corrected,
                detectable=detectable(pairs, level=level, of_these_scripts=of_these_scripts),
                scripts=len(sums[index]), winner=winner,
            )
        )  # fmt: skip
    return tuple(made)


def losses_of(asked: Sequence[tuple[str, str, Mapping[str, Weighed]]], *, seed: int = 0) -> tuple[Lost, ...]:
    """What witnesses lose against others by several measures, corrected for the number of all together.

    Args:
        asked: (first, second, rows by measure). Measures without a row are left out.

    Raises:
        MissingExtra: the extra ``blindtest`` is not installed.
    """
    rows = [(first, second, name, found) for first, second, by in asked for name, found in by.items() if found]
    sums = [by_script(found) for *_, found in rows]
    tests = [sign_flips([lost for lost, _ in one], seed) for one in sums]
    made = []
    for index, corrected in enumerate(holm(tests)):
        first, second, name, found = rows[index]
        whole = sum(of for _, _, of in found)
        low, high = bootstrap(sums[index], seed)
        made.append(
            Lost(
                first=first, second=second, measure=name, loss=sum(lost for _, lost, _ in found) / whole if whole else 0.0,
                low=low, high=high, p=tests[index], adjusted=corrected, cases=len(found), scripts=len(sums[index]),
            )
        )  # fmt: skip
    return tuple(made)


def detectable(pairs: Paired, *, level: float = 1 - CONFIDENCE, of_these_scripts: bool = False) -> float:
    """The least difference, to either side, that the test of :func:`compare_all` would show with a power of 0.8 on as many probes, 0 to 1.

    For a regression set that of the McNemar test, by its normal approximation with the share of pairs that differ (Connor 1987). Otherwise
    the larger of that and (t₁ + t₂)·s, where s is the standard error of the difference between scripts, at least that of independent pairs,
    and t₁, t₂ are the quantiles of t for level and power. One pair more is thought to differ to each side, so that some spread is left where
    no pair does. 1 where nothing could be found, as with so few scripts that no turn of their signs is rare enough.

    Args:
        level: of the test, two-sided: that of the comparison divided by the number of comparisons, the strictest of Holm's.

    Raises:
        MissingExtra: the extra ``blindtest`` is not installed.
    """
    count = len(pairs)
    if count < 2:
        return 1.0
    differing = (sum(first != second for _, first, second in pairs) + 2) / (count + 2)
    least = _connor(count, differing, level)
    if of_these_scripts:
        return least
    sums = by_script([(script, first - second, 1) for script, first, second in pairs])
    if max(2.0 ** (1 - len(sums)), 2 / (PERMUTATIONS + 1)) > level:
        return 1.0
    t, free = library("scipy.stats").t, len(sums) - 1
    spread = max(_standard_error(sums), math.sqrt(differing / count))
    return min(1.0, max(least, float(t.ppf(1 - level / 2, free) + t.ppf(POWER, free)) * spread))


def _connor(count: int, differing: float, level: float) -> float:
    """The least d for which so many pairs, of which a share differs, give the power: d²·n = (z₁·√ψ + z₂·√(ψ − d²))²."""
    normal = library("scipy.stats").norm
    first, second = float(normal.ppf(1 - level / 2)), float(normal.ppf(POWER))
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        share = max(differing, middle)  # a difference of d needs d of the pairs to differ at least
        wanted = (first * math.sqrt(share) + second * math.sqrt(share - middle**2)) ** 2
        if middle**2 * count < wanted:
            low = middle
        else:
            high = middle
    return high


def _agresti(only_first: int, only_second: int, pairs: int) -> tuple[float, float]:
    """95 % interval of the difference of paired shares, half a pair thought to be in each cell of the table."""
    count = pairs + 2
    middle, differing = (only_first - only_second) / count, (only_first + only_second + 1) / count
    reach = float(library("scipy.stats").norm.ppf((1 + CONFIDENCE) / 2)) * math.sqrt((differing - middle**2) / count)
    return middle - reach, middle + reach


def _standard_error(sums: Sequence[tuple[float, float]]) -> float:
    """Of a ratio of sums over clusters, by linearisation."""
    count, whole = len(sums), sum(of for _, of in sums)
    ratio = sum(won for won, _ in sums) / whole
    return math.sqrt(sum((won - ratio * of) ** 2 for won, of in sums) * count / (count - 1)) / whole


def _clear(adjusted: float, low: float, high: float) -> bool:
    return adjusted < 1 - CONFIDENCE and (low > 0 or high < 0)


def _mcnemar(pairs: Paired) -> tuple[int, int, float]:
    table = [[0, 0], [0, 0]]
    for _, first, second in pairs:
        table[not first][not second] += 1
    only_first, only_second = table[0][1], table[1][0]
    if not only_first + only_second:
        return 0, 0, 1.0
    found = library("statsmodels.stats.contingency_tables").mcnemar(table, exact=True)
    return only_first, only_second, float(found.pvalue)


def by_script(rows: Weighed) -> list[tuple[float, float]]:
    """For each script the sums of both numbers, in the order of the scripts' names."""
    sums: dict[str, tuple[float, float]] = {}
    for script, won, of in rows:
        before = sums.get(script, (0.0, 0.0))
        sums[script] = before[0] + won, before[1] + of
    return [sums[script] for script in sorted(sums)]


def sign_flips(won: Sequence[float], seed: int = 0) -> float:
    """Two-sided p of the permutation test that turns signs, exact up to 13 of them; 1 where nothing differs, or there is one. Raises MissingExtra."""
    if len(won) < 2 or not any(won):
        return 1.0
    np = library("numpy")
    found = library("scipy.stats").permutation_test(
        (np.array(won, dtype=float),),
        np.sum,
        permutation_type="samples",
        vectorized=True,
        n_resamples=PERMUTATIONS,
        rng=np.random.default_rng(seed),
    )
    return float(found.pvalue)


def bootstrap(sums: Sequence[tuple[float, float]], seed: int = 0) -> tuple[float, float]:
    """95 % interval of the ratio of two sums, clusters drawn with replacement; -1 to 1 for one cluster.

    Percentiles of the bootstrap are too narrow for few clusters; they are expanded as t is wider than the normal distribution (Hesterberg 2015).
    Even the extremes of all draws are too narrow for four or five, so the interval is never narrower than that by t and the standard error
    between clusters.

    Raises:
        MissingExtra: the extra ``blindtest`` is not installed.
    """
    np, count = library("numpy"), len(sums)
    if count < 2:
        return -1.0, 1.0
    cells = np.array(sums, dtype=float)
    drawn = np.random.default_rng(seed).integers(0, count, size=(RESAMPLES, count))
    totals = cells[drawn].sum(axis=1)
    ratios = np.divide(totals[:, 0], totals[:, 1], out=np.zeros(RESAMPLES), where=totals[:, 1] != 0)
    stats = library("scipy.stats")
    wide = float(stats.t.ppf((1 + CONFIDENCE) / 2, count - 1)) * math.sqrt(count / (count - 1))
    tail = float(stats.norm.cdf(-wide))
    low, high = np.quantile(ratios, [tail, 1 - tail])
    whole = sum(of for _, of in sums)
    if not whole:
        return float(low), float(high)
    middle = sum(won for won, _ in sums) / whole
    reach = float(stats.t.ppf((1 + CONFIDENCE) / 2, count - 1)) * _standard_error(sums)
    return min(float(low), middle - reach), max(float(high), middle + reach)
