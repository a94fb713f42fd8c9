"""The fixed regression set: a run against an earlier one of the same cases, to keep or roll back a change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from harness.blindtest.comparing import Compared, Lost
from harness.blindtest.fluency import losses_between, talks
from harness.blindtest.pairing import compare_trials
from harness.blindtest.reporting.reading import Held
from harness.blindtest.results import ALL, TrialResult, WitnessResult
from harness.errors import RunError

NOW, BASELINE = "this run", "the baseline"
Verdict = Literal["better", "worse", "no difference"]


@dataclass(frozen=True, slots=True)
class Regression:
    """A run against its baseline.

    Attributes:
        verdict: ``worse`` and ``better`` only where a comparison shows it beyond the noise.
        cases: that both have.
        comparisons: by kind of probe; ``first`` is the run, ``second`` the baseline. ``losses``: of fluency, likewise.
        risk: a loss as large as the margin cannot be ruled out; always False without a margin.
        notes: what differs between the two besides the replies.
        now, before: the witnesses that are compared, over all their trials.
    """

    verdict: Verdict
    cases: int
    comparisons: tuple[Compared, ...]
    losses: tuple[Lost, ...]
    risk: bool
    notes: tuple[str, ...]
    now: WitnessResult
    before: WitnessResult

    @property
    def kept(self) -> bool:
        """Whether nothing speaks against keeping the change."""
        return self.verdict != "worse" and not self.risk


def against_baseline(
    now: Held, baseline: Held, *, witness: str = "", baseline_witness: str = "", margin: float | None = None
) -> Regression:
    """Compare a run with its baseline on the cases that both have.

    Args:
        witness, baseline_witness: which of each run; the one that was examined when empty.
        margin: the share of probes by which the run may be worse; with it, a loss of more must be ruled out by the interval.

    Raises:
        RunError: there is no such witness, or there is no case that both have. MissingExtra: the extra ``blindtest`` is not installed.
    """
    own, other = _named(now, witness, "run"), _named(baseline, baseline_witness or witness, "baseline")
    changed = tuple(name for name, suite in now.suites.items() if baseline.suites.get(name) != suite)
    shared = {name for name in now.info.suites if name not in changed}
    firsts = [one for one in now.results.trials if one.witness == own and one.suite in shared]
    seconds = [one for one in baseline.results.trials if one.witness == other and one.suite in shared]
    cases = {one.case for one in firsts} & {one.case for one in seconds}
    if not cases:
        raise RunError(
            "The run and the baseline have no case in common.",
            remedy="Compare runs of the same suites (unchanged), characters and repeats."
            + (f" These suites differ: {', '.join(changed)}." if changed else ""),
        )
    found = compare_trials(NOW, _of(firsts, cases), BASELINE, _of(seconds, cases))
    if not found:
        early = sum(bool(one.error) for one in firsts), sum(bool(one.error) for one in seconds)
        raise RunError(
            f"Nothing was judged in both: {early[0]} trials of the run and {early[1]} of the baseline ended early.",
            remedy="Go on with the run by --resume, once what it asks answers again.",
        )
    return Regression(
        verdict=_verdict(found),
        cases=len(cases),
        comparisons=found,
        losses=_losses(now, own, baseline, other, cases),
        risk=margin is not None and any(one.kind == ALL and one.low < -margin for one in found),
        notes=tuple(_notes(now, baseline, own, other, changed)),
        now=now.results.witness(own),
        before=baseline.results.witness(other),
    )


def _losses(now: Held, own: str, baseline: Held, other: str, cases: set[tuple[str, str, str, int]]) -> tuple[Lost, ...]:
    made = []
    for held, witness, name in ((now, own, NOW), (baseline, other, BASELINE)):
        whole = {one.key for one in held.results.trials if one.held and one.witness == witness and one.case in cases}
        chosen = [one for one in held.transcripts if one.trial.key in whole]
        made += [replace(one, witness=name) for one in talks(chosen, held.graded)]
    return losses_between([NOW], [BASELINE], made, by_case=True)


def _verdict(found: tuple[Compared, ...]) -> Verdict:
    winners = {one.winner for one in found}
    if "second" in winners:
        return "worse"
    return "better" if "first" in winners else "no difference"


def _named(held: Held, wanted: str, what: str) -> str:
    names = [one.name for one in held.results.witnesses]
    if not names:
        raise RunError(f"The {what} has no trials.", remedy="Hold it again, or go on with it by --resume.")
    if wanted and wanted not in names:
        raise RunError(f"The {what} has no witness {wanted!r}.", remedy=f"It has {', '.join(names)}.")
    return wanted or names[0]


def _of(trials: list[TrialResult], cases: set[tuple[str, str, str, int]]) -> list[TrialResult]:
    return [one for one in trials if one.case in cases]


def _notes(now: Held, baseline: Held, own: str, other: str, changed: tuple[str, ...]) -> Iterator[str]:
    if own != other:
        yield f"the witnesses are {own}, in the baseline {other}"
    if changed:
        yield f"left out, since they are not the same in the baseline: {', '.join(changed)}"
    rules = ({one.rules for one in held.graded.values()} for held in (now, baseline))
    if len(set().union(*rules)) > 1:
        yield "the two were graded by different rules; `harness blindtest report DIR` grades a run anew"
    embedders = [{one.embedder for one in held.graded.values() if one.embedder} for held in (now, baseline)]
    if embedders[0] != embedders[1]:
        told = (", ".join(sorted(found)) or "none" for found in embedders)
        yield "the vectors that decide about `like` are of {}, in the baseline of {}".format(*told)
    people = [name for name, persona in now.people.items() if baseline.people.get(name, persona) != persona]
    if people:
        yield f"characters that have changed since: {', '.join(people)}"
    if now.info.seed != baseline.info.seed:
        yield f"other seeds ({now.info.seed}, {baseline.info.seed}): what was drawn for the scripts is not the same"
    mine, theirs = now.info.witnesses.get(own, {}), baseline.info.witnesses.get(other, {})
    alike = mine.get("kind") == theirs.get("kind")
    for name in sorted(set(mine) | set(theirs)) if alike else ("kind",):  # of two kinds everything else differs, too
        if mine.get(name) != theirs.get(name):
            yield f"{name} of the witness: {mine.get(name)!r}, in the baseline {theirs.get(name)!r}"
    for held, what in ((now, NOW), (baseline, BASELINE)):
        if held.missing:
            yield f"{what} lacks {held.missing} of its {held.info.planned} trials"
