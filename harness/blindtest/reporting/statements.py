"""What a run comes to, in plain sentences: who passed, who is better, what cannot be told, and what a gain costs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from harness.blindtest.comparing import Compared, Lost
from harness.blindtest.reporting.texts import text
from harness.blindtest.results import ALL, Results, Share, TrialResult, WitnessResult
from harness.blindtest.statistics import median_survival

Tone = Literal["good", "bad", "plain"]
TOLERATED = 0.05
"""A proxy of fluency may be so much worse, as a share of itself or in points, before it is said."""
_POINTS = frozenset({"repeated", "in_language"})
Value = str | tuple["Sentence", ...]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A text with values, to be read in any language. ``tone``: whether it is good or bad news for the witness that is examined."""

    key: str
    values: dict[str, Value] = field(default_factory=dict)
    tone: Tone = "plain"

    def read(self, language: str = "en") -> str:
        """The sentence in a language."""
        filled = {name: _read(value, language) for name, value in self.values.items()}
        return text(self.key, language, **filled)


def _read(value: Value, language: str) -> str:
    if isinstance(value, str):
        return value
    return text("and", language).join(one.read(language) for one in value)


def percent(share: float) -> str:
    """``94 %``."""
    return f"{share * 100:.0f} %"


def points(difference: float) -> str:
    """A difference of shares in points, with its sign: ``+12``."""
    rounded = round(difference * 100)
    return f"{rounded:+d}".replace("-", "−") if rounded else "0"


def rated(share: Share) -> str:
    """``94 % [82, 98]``; a dash where nothing was counted."""
    if not share.total:
        return "–"
    return f"{percent(share.share)} [{share.low * 100:.0f}, {share.high * 100:.0f}]"


def p_value(p: float) -> str:
    """``0.012``, ``< 0.001``."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


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


def sentences(results: Results, *, planned: int = 0) -> Iterator[Sentence]:
    """What a run comes to. ``planned``: trials of the whole run."""
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
    for one in results.witnesses:
        if one.errors:
            yield Sentence("says_errors", {"witness": one.name, "errors": str(one.errors)}, "bad")
        if one.lost or one.inapplicable:
            yield Sentence(
                "says_lost" if one.captures else "says_inapplicable",
                {
                    "witness": one.name,
                    "lost": str(one.lost),
                    "captures": str(one.captures),
                    "inapplicable": str(one.inapplicable),
                },
            )
    if results.judge is not None and results.judge.unasked:
        yield Sentence("says_unasked", {"number": str(results.judge.unasked)}, "bad")
    for other in results.witnesses[1:]:
        yield from compared(
            [one for one in results.comparisons if one.second == other.name],
            [one for one in results.losses if one.second == other.name],
        )
    for one in results.witnesses:
        if one.cost is not None:
            yield Sentence("says_price", {"witness": one.name, "cost": f"{one.cost:.4g}"})


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
