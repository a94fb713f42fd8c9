"""What a run comes to, in plain sentences: who passed, who is better, what cannot be told, and what a gain costs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from harness.blindtest.comparing import Compared, Lost
from harness.blindtest.reporting.asking import judge_worth
from harness.blindtest.reporting.wording import Sentence, Tone, Value, listed, p_value, percent, points
from harness.blindtest.results import ALL, Results, Share, TrialResult, WitnessResult
from harness.blindtest.statistics import median_survival

TOLERATED = 0.05
"""A proxy of fluency may be so much worse, as a share of itself or in points, before it is said."""
_POINTS = frozenset({"repeated", "in_language"})


def kind_name(kind: str) -> tuple[Sentence, ...]:
    """The kind of a probe as a value of a sentence."""
    return (Sentence("all_probes") if kind == ALL else Sentence("kind_named", {"kind": kind}),)


def ends(trials: Iterable[TrialResult]) -> tuple[tuple[int, bool], ...]:
    """Where each trial failed first, or was judged to without a failure: (exchange, failed)."""
    return tuple(
        (one.first_failure or one.followed, bool(one.first_failure)) for one in trials if one.held and one.followed
    )


def median_failure(results: Results, witness: str) -> int | None:
    """The exchange by which half of the trials have failed, those without a failure counted as far as they went; None where it never comes to that.

    Raises:
        MissingExtra: the extra ``blindtest`` is not installed.
    """
    return median_survival(ends(one for one in results.trials if one.witness == witness))


def sentences(results: Results, *, planned: int = 0, languages: Sequence[str] = ()) -> Iterator[Sentence]:
    """What a run comes to. ``planned``: trials of the whole run. ``languages``: of its suites; those the judge is calibrated for when empty."""
    if planned > len(results.trials):
        values: dict[str, Value] = {"missing": str(planned - len(results.trials)), "planned": str(planned)}
        yield Sentence("says_missing", values, "bad")
    if not results.witnesses:
        return
    first = results.witnesses[0]
    yield _share(first)
    suites = [one for one in results.suites if one.witness == first.name]
    good = sum(one.passed for one in suites)
    yield Sentence(
        "says_passed",
        {"witness": first.name, "suites": str(good), "all": str(len(suites))},
        "good" if good == len(suites) and suites else "bad",
    )
    yield from _ended_early(results.witnesses)
    yield from _not_judged(results.witnesses)
    if results.judge is not None:
        yield from judge_worth(results.judge, languages)
    yield from _together(
        [
            sentence
            for other in results.witnesses[1:]
            for sentence in compared(
                [one for one in results.comparisons if one.second == other.name],
                [one for one in results.losses if one.second == other.name],
            )
        ]
    )
    costs = [{"witness": one.name, "cost": f"{one.cost:.4g}"} for one in results.witnesses if one.cost is not None]
    yield from _one_or_all("says_price", costs)


def _ended_early(witnesses: Sequence[WitnessResult]) -> Iterator[Sentence]:
    early = [{"witness": one.name, "errors": str(one.errors)} for one in witnesses if one.errors]
    yield from _one_or_all("says_errors", early, "bad")


def _not_judged(witnesses: Sequence[WitnessResult]) -> Iterator[Sentence]:
    """Details that no reply gave, and expectations that could not be judged, in a sentence for all witnesses."""
    found = [one for one in witnesses if one.lost or one.inapplicable]
    if len(found) == 1:
        one = found[0]
        values: dict[str, Value] = {
            "witness": one.name, "lost": str(one.lost), "captures": str(one.captures), "inapplicable": str(one.inapplicable),
        }  # fmt: skip
        yield Sentence("says_lost" if one.captures else "says_inapplicable", values)
        return
    lost = [{"witness": one.name, "lost": str(one.lost), "captures": str(one.captures)} for one in found if one.lost]
    if lost:
        yield Sentence("says_lost_all", {"each": listed("each_lost", lost)})
    open_ones = [{"witness": one.name, "number": str(one.inapplicable)} for one in found if one.inapplicable]
    if open_ones:
        yield Sentence("says_inapplicable_all", {"each": listed("each_number", open_ones)})


def _one_or_all(key: str, found: Sequence[dict[str, str]], tone: Tone = "plain") -> Iterator[Sentence]:
    """The same said of one witness, or of several in one sentence (``key_all``, with ``each_key``)."""
    if len(found) == 1:
        yield Sentence(key, dict(found[0]), tone)
    elif found:
        yield Sentence(f"{key}_all", {"each": listed(f"each_{key.removeprefix('says_')}", found)}, tone)


_EACH = {"says_unpaired": "each_number", "says_one_script": "each_points"}
_NEITHER = ("says_neither", "says_neither_ever", "says_one_script")


def _together(found: Sequence[Sentence]) -> Iterator[Sentence]:
    """Comparisons with several witnesses: what is shown, each by itself; then, in a sentence for all of them, where nothing is."""
    merged: dict[str, list[dict[str, str]]] = {}
    for one in found:
        if one.key in (*_NEITHER, "says_unpaired"):
            merged.setdefault(one.key, []).append({name: str(value) for name, value in one.values.items()})
        else:
            yield one
    for key in (*_NEITHER, "says_unpaired"):
        same = merged.get(key, [])
        if len(same) < 2:  # one alone is said as it is
            yield from (Sentence(key, dict(values)) for values in same)
            continue
        values: dict[str, Value] = {
            "first": same[0]["first"],
            "each": listed(_EACH.get(key, "each_difference"), [
                {"witness": one["second"], **{name: one.get(name, "") for name in ("number", "difference", "low", "high")}} for one in same
            ]),
            "pairs": _range(one["pairs"] for one in same) if key != "says_unpaired" else "",
            "detectable": _range(one["detectable"] for one in same) if key == "says_neither" else "",
        }  # fmt: skip
        yield Sentence(f"{key}_all", values)


def _range(figures: Iterable[str]) -> str:
    """``12``, or ``12–13`` where they differ."""
    found = sorted(map(int, figures))
    return f"{found[0]}" if found[0] == found[-1] else f"{found[0]}–{found[-1]}"


def compared(found: Sequence[Compared], lost: Iterable[Lost] = ()) -> Iterator[Sentence]:
    """One witness against another: all probes, then the kinds where a difference is clear, then what it costs in fluency."""
    gained = False
    for one in found:
        if one.winner == "neither" and one.kind != ALL:
            continue
        gained = gained or one.winner == "first"
        yield _compared(one)
        if one.kind == ALL and one.unpaired:
            yield Sentence("says_unpaired", {"first": one.first, "second": one.second, "number": str(one.unpaired)})
    worse = tuple(losses(lost))
    if found and worse:
        names: dict[str, Value] = {"first": found[0].first, "second": found[0].second, "what": worse}
        if gained:
            del names["first"]
        yield Sentence("says_costs" if gained else "says_less_fluent", names, "bad")


def told_in_full(found: Sequence[Compared]) -> list[Compared]:
    """Comparisons without those of one kind of probe in which no difference is shown, where there are several witnesses: they are many."""
    several = len({one.second for one in found}) > 1
    return [one for one in found if not several or one.kind == ALL or one.winner != "neither"]


def losses(lost: Iterable[Lost]) -> Iterator[Sentence]:
    """What the first of two is less fluent in, shown by a test over scripts, and by more than is tolerated."""
    for one in lost:
        if one.shown and one.loss > TOLERATED:
            change = f"{one.loss * 100:.0f}" if one.measure in _POINTS else percent(one.loss)
            yield Sentence(f"cost_{one.measure}", {"change": change})


def _share(witness: WitnessResult) -> Sentence:
    share = witness.probes.get(ALL, Share())
    if not share.total:
        return Sentence("says_none", {"witness": witness.name}, "bad")
    values: dict[str, Value] = {
        "witness": witness.name, "passed": str(share.passed), "total": str(share.total), "share": percent(share.share),
        "low": percent(share.low), "high": percent(share.high), "scripts": str(share.scripts),
    }  # fmt: skip
    return Sentence("says_share_one" if share.scripts == 1 else "says_share", values)


def _compared(one: Compared) -> Sentence:
    values: dict[str, Value] = {
        "first": one.first, "second": one.second, "difference": points(one.difference), "pairs": str(one.pairs),
    }  # fmt: skip
    interval: dict[str, Value] = {"low": points(one.low), "high": points(one.high), "p": p_value(one.adjusted)}
    if one.winner != "neither":
        better = one.winner == "first"
        values |= interval | {"kind": kind_name(one.kind)}
        return Sentence("says_better" if better else "says_worse", values, "good" if better else "bad")
    if one.scripts == 1:
        return Sentence("says_one_script", values)
    values |= interval
    if one.detectable >= 1:
        return Sentence("says_neither_ever", values)
    return Sentence("says_neither", values | {"detectable": f"{one.detectable * 100:.0f}"})
