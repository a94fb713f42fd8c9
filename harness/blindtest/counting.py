"""Counting a run: what verdicts come to, for each trial, witness and suite."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from harness.blindtest import pairing
from harness.blindtest.fluency import fluency, losses_between, talks
from harness.blindtest.limits import cost_of
from harness.blindtest.results import ALL, Outcome, Results, RoundResult, Share, SuiteResult, TrialResult, WitnessResult
from harness.blindtest.suite import FORM, Round, Suite
from harness.blindtest.transcript import Graded, Transcript, Verdict
from harness.errors import RunError

REPLIES = frozenset({"facts", "patterns", "embeddings", "model", "human"})
"""Graders of what is said. What a witness shows of its state is counted apart, since not every witness shows any."""
_SAID = REPLIES | {FORM}


def results_of(
    transcripts: Sequence[Transcript],
    graded: Mapping[str, Graded],
    suites: Mapping[str, Suite],
    *,
    reference: str = "",
    prices: Mapping[str, tuple[float, float]] | None = None,
) -> Results:
    """What a run comes to.

    Args:
        transcripts: of all witnesses.
        graded: verdicts by trial key.
        reference: the witness that others are compared with; the first when empty.
        prices: model -> price of a million prompt and completion tokens.

    Raises:
        MissingExtra: the extra ``blindtest`` is not installed.
    """
    ordered = sorted(transcripts, key=lambda one: (*one.trial.case, one.trial.witness))
    trials = tuple(_trial(one, graded[one.trial.key], suites[one.trial.suite]) for one in ordered)
    names = list(dict.fromkeys(one.trial.witness for one in transcripts))
    names.sort()
    if reference in names:
        names.insert(0, names.pop(names.index(reference)))
    witnesses = tuple(_witness(name, ordered, trials, graded, prices or {}) for name in names)
    return Results(
        witnesses=witnesses,
        suites=tuple(_suites(names, trials, graded, suites)),
        trials=trials,
        comparisons=pairing.comparisons(names, trials),
        losses=losses_between(
            names[:1],
            names[1:],
            talks([one for one, trial in zip(ordered, trials, strict=True) if trial.held], graded),
        ),
    )


def _trial(transcript: Transcript, graded: Graded, suite: Suite) -> TrialResult:
    trial, script = transcript.trial, suite.script(transcript.trial.script)
    # What a broken connection left unasked says nothing about who was asked; a recording that ends early does.
    whole = not transcript.error or transcript.error.startswith(RunError.__name__)
    rounds = tuple(
        _round(
            one, number, [verdict for verdict in graded.verdicts if verdict.round == number and verdict.grader in _SAID]
        )
        for number, one in enumerate(script.rounds)
    )
    applicable = [one.passed for one in rounds if one.passed is not None]
    failed = [
        verdict.exchange or transcript.exchanges[-1].number if transcript.exchanges else 1
        for verdict in graded.verdicts
        if verdict.outcome == "fail" and verdict.probe != FORM and verdict.grader in REPLIES
    ]
    return TrialResult(
        key=trial.key,
        suite=trial.suite,
        script=trial.script,
        persona=trial.persona,
        witness=trial.witness,
        repeat=trial.repeat,
        passed=_passed(applicable, transcript) if whole else None,
        held=whole,
        rounds=rounds if whole else (),
        first_failure=min(failed, default=0) if whole else 0,
        exchanges=len(transcript.exchanges),
        followed=_followed(transcript),
        probes=tuple(_probes(graded.verdicts)) if whole else (),
        captures=len(transcript.captures) + len(transcript.lost) if whole else 0,
        lost=len(transcript.lost) if whole else 0,
        inapplicable=sum(_inapplicable(one) for one in graded.verdicts) if whole else 0,
        error=transcript.error,
    )


def _passed(rounds: Sequence[bool], transcript: Transcript) -> bool | None:
    """Whether a script passed: not known where no round can be judged, or where only those before something refused could be."""
    if not all(rounds):
        return False
    return None if not rounds or any(one.refused for one in transcript.happenings) else True


def _followed(transcript: Transcript) -> int:
    refused = [one.before - 1 for one in transcript.happenings if one.refused]
    return min(refused, default=len(transcript.exchanges))


def _inapplicable(verdict: Verdict) -> bool:
    return verdict.outcome == "not_applicable" and verdict.probe != FORM and verdict.grader in REPLIES


def _round(one: Round, number: int, verdicts: list[Verdict]) -> RoundResult:
    name = one.name or f"round {number + 1}"
    counted = [verdict for verdict in verdicts if verdict.outcome in ("pass", "fail")]
    asked = [
        verdict for verdict in counted if verdict.probe != FORM
    ]  # lines of small talk in good form make up for nothing
    if not asked:
        return RoundResult(name=name, passed=None)
    met = sum(one.weight for one in asked if one.outcome == "pass") / sum(one.weight for one in asked)
    if one.rule == "all":
        good = all(verdict.outcome == "pass" for verdict in counted)
    elif one.rule == "any":
        good = any(verdict.outcome == "pass" for verdict in asked)
    else:
        good = met >= float(one.rule)
    return RoundResult(name=name, passed=good, met=met)


def _probes(verdicts: Sequence[Verdict]) -> Iterator[tuple[str, str, bool]]:
    steps: dict[tuple[int, int], list[Verdict]] = {}
    for verdict in verdicts:
        if verdict.probe != FORM and verdict.grader in REPLIES and verdict.outcome in ("pass", "fail"):
            steps.setdefault((verdict.round, verdict.step), []).append(verdict)
    for (number, index), found in sorted(steps.items()):
        yield found[0].probe, f"{number}/{index}", all(verdict.outcome == "pass" for verdict in found)


def _witness(
    name: str,
    transcripts: Sequence[Transcript],
    trials: Sequence[TrialResult],
    graded: Mapping[str, Graded],
    prices: Mapping[str, tuple[float, float]],
) -> WitnessResult:
    own = [one for one in transcripts if one.trial.witness == name]
    results = [one for one in trials if one.witness == name]
    whole = [one for one in results if one.held]  # what a broken connection ended is in no share
    keys = {one.key for one in whole}
    said = [exchange.said for one in own for exchange in one.exchanges]
    kinds: dict[str, list[Outcome]] = {ALL: []}
    rounds: dict[str, list[Outcome]] = {}
    for result in results:
        for kind, place, good in result.probes:
            kinds[ALL].append((result.place, f"{result.persona}/{place}", good))
            kinds.setdefault(kind, []).append((result.place, f"{result.persona}/{place}", good))
        for number, one in enumerate(result.rounds):
            if one.passed is not None:
                rounds.setdefault(one.name, []).append((result.place, f"{result.persona}/{number}", one.passed))
    turns = max(1, len(said))
    return WitnessResult(
        name=name,
        trials=len(own),
        errors=sum(bool(one.error) for one in own),
        probes={kind: Share.by_script(found) for kind, found in kinds.items()},
        rounds={kind: Share.by_script(found) for kind, found in rounds.items()},
        scripts=_scripts(results),
        state=Share.by_script(_outcomes(whole, graded, "state")),
        form=Share.by_script(_outcomes(whole, graded, FORM)),
        captures=sum(one.captures for one in results),
        lost=sum(one.lost for one in results),
        inapplicable=sum(one.inapplicable for one in results),
        fluency=fluency(talks([one for one in own if one.trial.key in keys], graded)),
        calls=sum(one.calls for one in said) / turns,
        prompt_tokens=sum(one.prompt_tokens for one in said) / turns,
        completion_tokens=sum(one.completion_tokens for one in said) / turns,
        cost=_cost(own, prices),
    )


def _scripts(results: Iterable[TrialResult]) -> Share:
    return Share.by_script((one.place, one.persona, one.passed) for one in results if one.passed is not None)


def _outcomes(results: Iterable[TrialResult], graded: Mapping[str, Graded], grader: str) -> Iterator[Outcome]:
    for one in results:
        for verdict in graded[one.key].verdicts:
            if verdict.grader == grader and verdict.outcome in ("pass", "fail"):
                name = f"{one.persona}/{verdict.round}/{verdict.step}/{verdict.expectation}"
                yield one.place, name, verdict.outcome == "pass"


def _cost(transcripts: Sequence[Transcript], prices: Mapping[str, tuple[float, float]]) -> float | None:
    """What they cost together; None where a model of theirs has no price."""
    found = [cost_of(one, prices) for one in transcripts]
    return None if not prices or any(unknown for _, unknown in found) else sum(cost for cost, _ in found)


def _suites(
    names: Sequence[str],
    trials: Sequence[TrialResult],
    graded: Mapping[str, Graded],
    suites: Mapping[str, Suite],
) -> Iterator[SuiteResult]:
    for suite in suites.values():
        for name in names:
            found = [one for one in trials if (one.suite, one.witness) == (suite.id, name)]
            if not found:
                continue
            share = _scripts(found)
            state = Share.by_script(_outcomes([one for one in found if one.held], graded, "state"))
            yield SuiteResult(
                suite=suite.id,
                witness=name,
                scripts=share,
                threshold=suite.threshold,
                passed=bool(share.total) and share.share >= suite.threshold,
                state=state,
                state_passed=not state.total or state.share >= suite.threshold,
            )
