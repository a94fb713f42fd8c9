"""What a run comes to: pass rates of rounds, scripts and probes, the first failing turn, fluency, and what it cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import Field

from harness.blindtest import statistics
from harness.blindtest.fluency import Fluency, fluency
from harness.blindtest.limits import cost_of
from harness.blindtest.suite import FORM, Round, Suite
from harness.blindtest.transcript import Graded, Transcript, Verdict
from harness.errors import RunError
from harness.state.base import Frozen

ALL = "all"
"""The kind that stands for all probes together, form left out."""
REPLIES = frozenset({"facts", "patterns", "embeddings", "model", "human"})
"""Graders of what is said. What a witness shows of its state is counted apart, since not every witness shows any."""
_SAID = REPLIES | {FORM}


class Share(Frozen):
    """A share with its 95 % Wilson interval."""

    passed: int = 0
    total: int = 0
    low: float = 0.0
    high: float = 1.0

    @property
    def share(self) -> float:
        """Passed of all; 0 of none."""
        return self.passed / self.total if self.total else 0.0

    @classmethod
    def of(cls, outcomes: Iterable[bool]) -> Share:
        """Of some outcomes."""
        listed = list(outcomes)
        found = statistics.rate(sum(listed), len(listed))
        return cls(passed=found.passed, total=found.total, low=found.low, high=found.high)


class RoundResult(Frozen):
    """Whether a round passed; None where nothing of it was applicable."""

    name: str
    passed: bool | None
    met: float = 0.0
    """Share of the weights that was met."""


class TrialResult(Frozen):
    """What one trial comes to.

    Attributes:
        passed: all rounds that are applicable passed; None without any.
        first_failure: number of the exchange of the first failed verdict that is not about form; 0 for none.
        probes: (kind, "round/step", passed) of the steps with expectations on their reply.
    """

    key: str
    suite: str
    script: str
    persona: str
    witness: str
    repeat: int
    passed: bool | None
    rounds: tuple[RoundResult, ...] = ()
    first_failure: int = 0
    exchanges: int = 0
    probes: tuple[tuple[str, str, bool], ...] = ()
    error: str = ""

    @property
    def case(self) -> tuple[str, str, str, int]:
        """What trials of several witnesses have in common."""
        return self.suite, self.script, self.persona, self.repeat


class WitnessResult(Frozen):
    """What the trials of one witness come to.

    Attributes:
        probes: by kind, :data:`ALL` first. ``rounds``: by name. ``scripts``: trials. ``state``, ``form``: verdicts.
        surviving: (exchange, trials that got so far, those that have not failed up to it).
        calls, prompt_tokens, completion_tokens: a turn.
        cost: of the run in the currency of the prices; None without prices.
    """

    name: str
    trials: int = 0
    errors: int = 0
    probes: dict[str, Share] = Field(default_factory=dict)
    rounds: dict[str, Share] = Field(default_factory=dict)
    scripts: Share = Share()
    state: Share = Share()
    form: Share = Share()
    surviving: tuple[tuple[int, int, int], ...] = ()
    fluency: Fluency = Fluency()
    calls: float = 0.0
    prompt_tokens: float = 0.0
    completion_tokens: float = 0.0
    cost: float | None = None


class SuiteResult(Frozen):
    """Whether a suite passed with a witness.

    Attributes:
        scripts: by what was said, the same for every witness; ``passed``: their share reaches the suite's threshold.
        state: expectations on the state that were met; ``state_passed``: their share reaches it too, or the witness shows none.
    """

    suite: str
    witness: str
    scripts: Share
    threshold: float
    passed: bool
    state: Share = Share()
    state_passed: bool = True


class Compared(Frozen):
    """See :class:`harness.blindtest.statistics.Comparison`."""

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
    winner: str


class JudgeWorth(Frozen):
    """How often the model judge was right in a language, where the answer is known. ``counts``: whether its verdicts do."""

    language: str
    right: int
    decided: int
    undecided: int
    low: float
    high: float
    counts: bool


class JudgeShown(Frozen):
    """The model judge of a run. Without ``worth`` it was never calibrated, and no verdict of it counts."""

    mode: str
    about: dict[str, Any] = Field(default_factory=dict)
    threshold: float
    worth: tuple[JudgeWorth, ...] = ()


class Results(Frozen):
    """Everything a report is made of. The same transcripts and verdicts give the same bytes; times are kept apart.

    Attributes:
        judge: of the meaning of replies, where a model was asked.
    """

    witnesses: tuple[WitnessResult, ...]
    suites: tuple[SuiteResult, ...]
    trials: tuple[TrialResult, ...]
    comparisons: tuple[Compared, ...] = ()
    judge: JudgeShown | None = None

    def passed(self, name: str = "") -> bool:
        """Whether a witness (the first when empty) passed every suite, by what it said and what it kept, and no trial of it ended early. False without trials."""
        if not self.witnesses:
            return False
        chosen = self.witness(name) if name else self.witnesses[0]
        return not chosen.errors and all(
            one.passed and one.state_passed for one in self.suites if one.witness == chosen.name
        )

    def witness(self, name: str) -> WitnessResult:
        """The results of one witness. Raises KeyError."""
        found = next((one for one in self.witnesses if one.name == name), None)
        if found is None:
            raise KeyError(name)
        return found


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
        comparisons=tuple(_comparisons(names, trials)),
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
        passed=all(applicable) if applicable and whole else None,
        rounds=rounds if whole else (),
        first_failure=min(failed, default=0) if whole else 0,
        exchanges=len(transcript.exchanges),
        probes=tuple(_probes(graded.verdicts)) if whole else (),
        error=transcript.error,
    )


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
    verdicts = [verdict for one in own for verdict in graded[one.trial.key].verdicts]
    said = [exchange.said for one in own for exchange in one.exchanges]
    kinds: dict[str, list[bool]] = {ALL: []}
    rounds: dict[str, list[bool]] = {}
    for result in results:
        for kind, _, good in result.probes:
            kinds[ALL].append(good)
            kinds.setdefault(kind, []).append(good)
        for one in result.rounds:
            if one.passed is not None:
                rounds.setdefault(one.name, []).append(one.passed)
    strayed = sum(
        verdict.outcome == "fail" and verdict.grader == FORM and verdict.expectation.startswith("language ")
        for verdict in verdicts
    )
    turns = max(1, len(said))
    return WitnessResult(
        name=name,
        trials=len(own),
        errors=sum(bool(one.error) for one in own),
        probes={kind: Share.of(found) for kind, found in kinds.items()},
        rounds={kind: Share.of(found) for kind, found in rounds.items()},
        scripts=Share.of(one.passed for one in results if one.passed is not None),
        state=Share.of(_outcomes(verdicts, "state")),
        form=Share.of(_outcomes(verdicts, FORM)),
        surviving=tuple(_surviving(results)),
        fluency=fluency(([exchange.said.text for exchange in one.exchanges] for one in own), strayed=strayed),
        calls=sum(one.calls for one in said) / turns,
        prompt_tokens=sum(one.prompt_tokens for one in said) / turns,
        completion_tokens=sum(one.completion_tokens for one in said) / turns,
        cost=_cost(own, prices),
    )


def _outcomes(verdicts: Iterable[Verdict], grader: str) -> Iterator[bool]:
    return (one.outcome == "pass" for one in verdicts if one.grader == grader and one.outcome in ("pass", "fail"))


def _surviving(results: Sequence[TrialResult]) -> Iterator[tuple[int, int, int]]:
    """(exchange, trials that got so far, those of them that have not failed up to it)."""
    for number in range(1, max((one.exchanges for one in results), default=0) + 1):
        there = [one for one in results if one.exchanges >= number]
        yield number, len(there), sum(not one.first_failure or one.first_failure > number for one in there)


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
            counted = [one.passed for one in found if one.passed is not None]
            if not found:
                continue
            share = Share.of(counted)
            verdicts = [verdict for one in found if one.passed is not None for verdict in graded[one.key].verdicts]
            state = Share.of(_outcomes(verdicts, "state"))
            yield SuiteResult(
                suite=suite.id,
                witness=name,
                scripts=share,
                threshold=suite.threshold,
                passed=bool(counted) and share.share >= suite.threshold,
                state=state,
                state_passed=not state.total or state.share >= suite.threshold,
            )


def _comparisons(names: Sequence[str], trials: Sequence[TrialResult]) -> Iterator[Compared]:
    """The first witness against each other one, on the probes that both were given; all corrected together."""
    own = {name: [one for one in trials if one.witness == name] for name in names}
    asked = [(names[0], other, _paired(own[names[0]], own[other])) for other in names[1:]]
    yield from (Compared(**_plain(one)) for one in statistics.compare_all(asked))


def compare_trials(
    first: str, firsts: Sequence[TrialResult], second: str, seconds: Sequence[TrialResult]
) -> tuple[Compared, ...]:
    """Two sets of trials of the same cases against each other, by kind of probe; what is found holds for these scripts."""
    asked = [(first, second, _paired(firsts, seconds))]
    return tuple(Compared(**_plain(one)) for one in statistics.compare_all(asked, of_these_scripts=True))


def _paired(firsts: Sequence[TrialResult], seconds: Sequence[TrialResult]) -> dict[str, list[tuple[str, bool, bool]]]:
    """The probes that both were given, by kind."""
    probes = {one.case: {place: (kind, good) for kind, place, good in one.probes} for one in seconds}
    paired: dict[str, list[tuple[str, bool, bool]]] = {ALL: []}
    for one in firsts:
        for kind, place, good in one.probes:
            other = probes.get(one.case, {}).get(place)
            if other is not None:
                row = (f"{one.suite}/{one.script}", good, other[1])
                paired[ALL].append(row)
                paired.setdefault(kind, []).append(row)
    return paired


def _plain(comparison: statistics.Comparison) -> dict[str, Any]:
    return {name: getattr(comparison, name) for name in Compared.model_fields}
