"""What a run comes to: pass rates of rounds, scripts and probes, the first failing turn, fluency, and what it cost."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import Field

from harness.blindtest import pairing, statistics
from harness.blindtest.comparing import Compared, Lost
from harness.blindtest.fluency import Fluency
from harness.state.base import Frozen

ALL = pairing.ALL
"""The kind that stands for all probes together, form left out."""

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

    ``unasked``: questions that it was not asked, since a bound was reached or the run was graded anew; they are as the rules left them.
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
