"""What a run comes to: pass rates of rounds, scripts and probes, the first failing turn, fluency, and what it cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import Field

from harness.blindtest import pairing, statistics
from harness.blindtest.comparing import Compared, Lost
from harness.blindtest.fluency import Fluency, fluency, losses_between, talks
from harness.blindtest.limits import cost_of
from harness.blindtest.suite import FORM, Round, Suite
from harness.blindtest.transcript import Graded, Transcript, Verdict
from harness.errors import RunError
from harness.state.base import Frozen

ALL = pairing.ALL
"""The kind that stands for all probes together, form left out."""
REPLIES = frozenset({"facts", "patterns", "embeddings", "model", "human"})
"""Graders of what is said. What a witness shows of its state is counted apart, since not every witness shows any."""
_SAID = REPLIES | {FORM}


Outcome = tuple[str, str, bool]
"""(script, what is asked there, passed)."""


class Share(Frozen):
    """A share with its 95 % Wilson interval.

    Attributes:
        scripts: that the outcomes are of; ``effective``: independent outcomes that they are worth, and the interval is made for, see
            :func:`harness.blindtest.statistics.clustered`. Both 0 where every outcome stands for itself.
    """

    passed: int = 0
    total: int = 0
    low: float = 0.0
    high: float = 1.0
    scripts: int = 0
    effective: float = 0.0

    @property
    def share(self) -> float:
        """Passed of all; 0 of none."""
        return self.passed / self.total if self.total else 0.0

    @classmethod
    def of(cls, outcomes: Iterable[bool]) -> Share:
        """Of independent outcomes. Raises MissingExtra."""
        listed = list(outcomes)
        found = statistics.rate(sum(listed), len(listed))
        return cls(passed=found.passed, total=found.total, low=found.low, high=found.high)

    @classmethod
    def by_script(cls, outcomes: Iterable[Outcome]) -> Share:
        """Of outcomes some of which are of one script, or repeats of each other. Raises MissingExtra."""
        found = statistics.clustered(list(outcomes))
        return cls(
            passed=found.passed, total=found.total, low=found.low, high=found.high, scripts=found.scripts,
            effective=found.effective,
        )  # fmt: skip


class RoundResult(Frozen):
    """Whether a round passed; None where nothing of it was applicable."""

    name: str
    passed: bool | None
    met: float = 0.0
    """Share of the weights that was met."""


class TrialResult(Frozen):
    """What one trial comes to.

    Attributes:
        followed: exchanges up to the first thing the witness could not do; all of them where it did everything.
        passed: all rounds that are applicable passed; None without any.
            A trial in which the witness could not do something has failed or comes to None.
        first_failure: number of the exchange of the first failed verdict that is not about form; 0 for none.
        held: no broken connection ended it; otherwise nothing of it is counted.
        captures: values asked for; ``lost``: that no reply gave. ``inapplicable``: expectations on replies that could not be judged.
        probes: (kind, "round/step", passed) of the steps with expectations on their reply.
    """

    key: str
    suite: str
    script: str
    persona: str
    witness: str
    repeat: int
    passed: bool | None
    held: bool = True
    rounds: tuple[RoundResult, ...] = ()
    first_failure: int = 0
    exchanges: int = 0
    followed: int = 0
    probes: tuple[tuple[str, str, bool], ...] = ()
    captures: int = 0
    lost: int = 0
    inapplicable: int = 0
    error: str = ""

    @property
    def place(self) -> str:
        """The script, whoever and however often it was held with."""
        return f"{self.suite}/{self.script}"

    @property
    def case(self) -> tuple[str, str, str, int]:
        """What trials of several witnesses have in common."""
        return self.suite, self.script, self.persona, self.repeat


class WitnessResult(Frozen):
    """What the trials of one witness come to.

    Attributes:
        probes: by kind, :data:`ALL` first. ``rounds``: by name. ``scripts``: trials. ``state``, ``form``: verdicts.
        captures: values asked for; ``lost``: that no reply gave. ``inapplicable``: expectations on replies that could not be judged: a value they
            need was not given, or the witness could not do what they depend on.
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
    captures: int = 0
    lost: int = 0
    inapplicable: int = 0
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
    """The model judge of a run. Without ``worth`` it was never calibrated, and no verdict of it counts.

    ``unasked``: questions that it was not asked again when the run was graded anew; they are undecided.
    """

    mode: str
    about: dict[str, Any] = Field(default_factory=dict)
    threshold: float
    worth: tuple[JudgeWorth, ...] = ()
    unasked: int = 0


class Results(Frozen):
    """Everything a report is made of. The same transcripts and verdicts give the same bytes; times are kept apart.

    Attributes:
        losses: of fluency, of the first witness against each other one.
        judge: of the meaning of replies, where a model was asked.
    """

    witnesses: tuple[WitnessResult, ...]
    suites: tuple[SuiteResult, ...]
    trials: tuple[TrialResult, ...]
    comparisons: tuple[Compared, ...] = ()
    losses: tuple[Lost, ...] = ()
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
