"""Calibration of a judge: how often it is right where the answer is known, and whether that is enough for its verdicts to count."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from harness.blindtest import statistics
from harness.blindtest.grading.grade import grade
from harness.blindtest.grading.labelled import Case, Label, Labels, cases_of
from harness.blindtest.grading.model import ModelJudge
from harness.blindtest.grading.opinions import JudgeMode, second_opinion
from harness.blindtest.suite import FORM
from harness.blindtest.transcript import Graded, Verdict
from harness.errors import RunError
from harness.language import LanguagePacks
from harness.state.base import Frozen

FILE = "calibration.json"
FORMAT = 1
"""Of what is written there."""
THRESHOLD = 0.8
"""Least lower bound of a judge's accuracy. A judge that is wrong in a share e of verdicts, on either side alike, shows a difference d of two
witnesses as d·(1 − 2e): at 0.8 no less than three fifths of it are left. Of 40 rows of a language 37 must be right for it."""
Got = Literal["pass", "fail", "undecided"]
Told = Callable[["RowResult"], None]


class RowResult(Frozen):
    """One row: what was known, and what the judge said. ``evidence``: of the verdict that decided."""

    id: str
    language: str
    probe: str
    label: Label
    got: Got
    grader: str = ""
    evidence: str = ""


class Tally(Frozen):
    """Rows together.

    Attributes:
        right, wrong: of those decided. ``low``, ``high``: the 95 % Wilson interval of the accuracy.
        confusion: "label/verdict" -> rows, such as ``pass/fail``.
    """

    rows: int = 0
    right: int = 0
    wrong: int = 0
    undecided: int = 0
    accuracy: float = 0.0
    low: float = 0.0
    high: float = 1.0
    confusion: dict[str, int] = Field(default_factory=dict)

    @classmethod
    def of(cls, rows: Iterable[RowResult]) -> Tally:
        """Count. Raises MissingExtra: the extra ``blindtest`` is not installed."""
        listed = list(rows)
        right = sum(one.label == one.got for one in listed)
        undecided = sum(one.got == "undecided" for one in listed)
        decided = len(listed) - undecided
        found = statistics.rate(right, decided)
        confusion: dict[str, int] = {}
        for one in listed:
            name = f"{one.label}/{one.got}"
            confusion[name] = confusion.get(name, 0) + 1
        return cls(
            rows=len(listed),
            right=right,
            wrong=decided - right,
            undecided=undecided,
            accuracy=found.share,
            low=found.low,
            high=found.high,
            confusion=dict(sorted(confusion.items())),
        )


class Calibration(Frozen):
    """What a judge is worth.

    Attributes:
        judge: ``rules``, ``model`` or ``both``. ``about``: of the model judge; empty for rules.
        labels: language -> digest of the rows.
        threshold: least lower bound for verdicts to count.
        languages, probes: by name.
        calls: of models.
    """

    format: int = FORMAT
    judge: JudgeMode
    about: dict[str, Any] = Field(default_factory=dict)
    labels: dict[str, str] = Field(default_factory=dict)
    threshold: float = THRESHOLD
    all: Tally = Tally()
    languages: dict[str, Tally] = Field(default_factory=dict)
    probes: dict[str, Tally] = Field(default_factory=dict)
    rows: tuple[RowResult, ...] = ()
    calls: int = 0

    def why_not(self, language: str) -> str:
        """Why verdicts of this judge in a language do not count; empty when they do."""
        found = self.languages.get(language)
        if found is None:
            return f"the judge is not calibrated for {language}"
        if found.low < self.threshold:
            return (
                f"the judge was right in {found.right} of {found.right + found.wrong} known cases in {language}, "
                f"lower bound {found.low:.2f}, below {self.threshold:.2f}"
            )
        return ""

    def fits(self, judge: ModelJudge) -> bool:
        """Whether it says what this judge is worth: the same model, votes, prompts and rubrics, and every row was the model's to judge (what
        rules decide in the mode ``both`` is not its merit).
        """
        return self.judge == "model" and self.about == judge.about()


async def calibrate(
    labels: Sequence[Labels],
    *,
    packs: LanguagePacks,
    judge: ModelJudge | None = None,
    mode: JudgeMode = "model",
    threshold: float = THRESHOLD,
    told: Told | None = None,
) -> Calibration:
    """Grade rows with known verdicts.

    Args:
        judge: the model judge; not needed for ``rules``.
        told: each row, as soon as it is judged.

    Raises:
        ModelError: the judge cannot be reached. MissingExtra: the extra ``blindtest`` is not installed.
    """
    results: list[RowResult] = []
    before = judge.calls if judge is not None else 0
    for one in labels:
        for case in cases_of(one):
            result = await _judged(case, packs, judge, mode)
            results.append(result)
            if told is not None:
                told(result)
    languages = list(dict.fromkeys(one.language for one in results))
    probes = list(dict.fromkeys(one.probe for one in results))
    return Calibration(
        judge=mode,
        about=judge.about() if judge is not None and mode != "rules" else {},
        labels={name: _digest(one for one in labels if one.language == name) for name in languages},
        threshold=threshold,
        all=Tally.of(results),
        languages={name: Tally.of(one for one in results if one.language == name) for name in languages},
        probes={name: Tally.of(one for one in results if one.probe == name) for name in probes},
        rows=tuple(results),
        calls=(judge.calls - before) if judge is not None else 0,
    )


async def _judged(case: Case, packs: LanguagePacks, judge: ModelJudge | None, mode: JudgeMode) -> RowResult:
    graded = grade(case.transcript, suite=case.suite, persona=case.persona, packs=packs)
    if mode != "rules":
        if judge is None:
            raise TypeError("expected a model judge for a mode other than rules")
        # Each row is of one kind of probe; form is judged by rules alone and left out below.
        graded, _ = await second_opinion(
            case.transcript, graded, suite=case.suite, persona=case.persona, packs=packs, judge=judge, mode=mode
        )
    got, verdict = _together(graded)
    return RowResult(
        id=case.row.id,
        language=case.suite.language,
        probe=case.row.probe,
        label=case.row.label,
        got=got,
        grader=verdict.grader if verdict else "",
        evidence=verdict.evidence if verdict else "nothing was judged",
    )


def _together(graded: Graded) -> tuple[Got, Verdict | None]:
    """What the verdicts on a row come to: one failure fails it, one undecided leaves it undecided."""
    own = [one for one in graded.verdicts if one.probe != FORM and one.outcome != "not_applicable"]
    order: tuple[Got, ...] = ("fail", "undecided", "pass")
    for outcome in order:
        found = next((one for one in own if one.outcome == outcome), None)
        if found is not None:
            return outcome, found
    return "undecided", None


def _digest(labels: Iterable[Labels]) -> str:
    body = json.dumps([one.digest() for one in labels])
    return hashlib.sha256(body.encode()).hexdigest()[:16]


def read_calibration(path: Path) -> Calibration:
    """Read what :func:`calibrate` gave and was stored.

    Raises:
        RunError: there is no such file, it is none, or a version of harness with another format wrote it.
    """
    try:
        text = path.read_bytes()
        data = json.loads(text)
        if isinstance(data, dict) and data.get("format", FORMAT) != FORMAT:
            raise RunError(
                f"{path} is of format {data['format']!r}, and this version of harness reads {FORMAT}.",
                remedy="Calibrate again with this version (harness blindtest calibrate --out), or use the version that wrote it.",
            )
        return Calibration.model_validate_json(text)
    except FileNotFoundError as failure:
        raise RunError(
            f"There is no calibration at {path}.", remedy="Make one: harness blindtest calibrate."
        ) from failure
    except (OSError, ValueError) as failure:
        told = failure.errors()[0]["msg"] if isinstance(failure, ValidationError) else failure
        raise RunError(
            f"{path} is no calibration: {told}.",
            remedy="Calibrate again (harness blindtest calibrate --out), or take it away.",
        ) from failure
