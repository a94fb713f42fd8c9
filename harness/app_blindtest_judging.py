"""Judging runs with a model: second opinions on a run, and the calibration of the judge."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from harness.app_blindtest_grading import without_judge, written
from harness.blindtest.folder import RunFolder, RunInfo
from harness.blindtest.grading.calibration import (
    FILE as CALIBRATION,
    THRESHOLD,
    Calibration,
    Told,
    calibrate as calibrate_judge,
    read_calibration,
)
from harness.blindtest.grading.labelled import Labels, load_labels, shipped_labels
from harness.blindtest.grading.model import ModelJudge
from harness.blindtest.grading.opinions import JudgeMode, question_for, second_opinion
from harness.blindtest.judgements import JUDGEMENTS, judgement_lines, read_judgements
from harness.blindtest.limits import Limits, all_used
from harness.blindtest.metering import Meter, MeteredModel, added
from harness.blindtest.results import JudgeShown, JudgeWorth, Results
from harness.blindtest.suite import Suite
from harness.blindtest.transcript import Graded, Transcript
from harness.errors import RunError
from harness.ports import Model
from harness.settings import Settings
from harness.state import Persona

if TYPE_CHECKING:
    from harness.app_blindtest import Bench

MODES: tuple[JudgeMode, ...] = ("rules", "model", "both")


@dataclass(frozen=True, slots=True)
class Judging:
    """How replies are judged.

    Attributes:
        mode: ``rules``; ``both``: rules first, a model for what they leave undecided; ``model``: a model for all that is about meaning.
        votes, temperature: of the model, a question.
        calibration: of this judge, or where it is stored. Without one, the run's own is used, or made on the shipped rows.
        calibrate: False: make none; then verdicts of a judge without one do not count.
        threshold: least lower bound of the judge's accuracy for its verdicts to count.
        at_once: questions side by side.
    """

    mode: JudgeMode = "rules"
    votes: int = 3
    temperature: float = 0.7
    calibration: Calibration | Path | None = None
    calibrate: bool = True
    threshold: float = THRESHOLD
    at_once: int = 1

    @classmethod
    def of(cls, judge: str | Judging) -> Judging:
        """From a mode.

        Raises:
            RunError: there is no such mode, or a number is out of its range.
        """
        if isinstance(judge, Judging):
            made = judge
        elif judge in MODES:
            made = cls(mode=judge)
        else:
            raise RunError(f"There is no judge {judge!r}.", remedy=f"There are {', '.join(MODES)}.")
        if made.votes < 1 or made.at_once < 1 or not 0 <= made.temperature <= 2 or not 0 <= made.threshold <= 1:
            raise RunError(
                f"Expected at least one vote, a temperature from 0 to 2 and a threshold from 0 to 1, got {made.votes}, "
                f"{made.temperature} and {made.threshold}.",
                remedy="Correct these numbers.",
            )
        return made


def judge_of(bench: Bench, judging: Judging, meter: Meter | None = None) -> ModelJudge:
    """The model judge of a bench: the evaluator of its settings. ``meter``: counts what it uses."""

    async def model() -> Model:
        found = await bench.base.model()
        return found if meter is None else MeteredModel(found, meter)

    return ModelJudge(
        model,
        bench.base.prompts,
        votes=judging.votes,
        temperature=judging.temperature,
        at_once=judging.at_once,
        model_name=evaluator(bench),
    )


def evaluator(bench: Bench) -> str:
    """The id of the model that judges."""
    settings = bench.base.settings
    assert isinstance(settings, Settings)  # noqa: S101 - a Harness keeps them so
    if bench.model is not None:
        return bench.model.model_id("evaluator")
    models = settings.models
    return models.evaluator or models.responder or (settings.local.model if settings.embedded else "")


async def judge_run(
    bench: Bench, path: str | Path, judge: str | Judging | None = "both", *, told: Told | None = None
) -> Results:
    """Judge the transcripts of a run; verdicts, results and the calibration are written into its folder.

    What was asked before is not asked again (``judgements.jsonl``). With None the run is graded by the rules of today and keeps what a model
    judged before; with ``rules`` a model's verdicts are given up.

    Raises:
        RunError: there is no run, or the numbers are out of their range. ModelError: the judge cannot be reached.
    """
    folder = RunFolder(path)
    info = folder.info()
    with folder.alone():
        return await judged(bench, folder, info, folder.transcripts(), judge, told=told)


async def judged(
    bench: Bench,
    folder: RunFolder,
    info: RunInfo,
    transcripts: Sequence[Transcript],
    judge: str | Judging | None,
    *,
    told: Told | None = None,
    limits: Limits | None = None,
) -> Results:
    """Like :func:`judge_run`, for transcripts at hand, in a folder that nobody else writes.

    Args:
        limits: asked before each transcript; once they are reached the rest stays as the rules, or a model before, have judged it, and
            ``limits.stopped`` says so.
    """
    from harness.app_blindtest_regrading import as_before

    if judge is None:
        return written(folder, info, transcripts, *await as_before(bench, folder, info, transcripts))
    judging = Judging.of(judge)
    graded = await without_judge(bench, info, transcripts)
    if judging.mode == "rules":
        return written(folder, info, transcripts, graded)
    meter, before, bounds = Meter(), folder.judges_used(), limits or Limits()
    asking = judge_of(bench, judging, meter)
    asking.known.update(read_judgements(folder.path))
    suites, people = info.examined()
    if not _wanted(bench, judging.mode, transcripts, graded, suites, people):
        return written(folder, info, transcripts, graded)  # no calibration is worth its calls where nothing is asked
    second: dict[str, Graded] = {}

    held = added(used for one in transcripts for used in all_used(one))

    def reached() -> bool:
        meter.used = list(added(meter.used))
        bounds.judged = (*held, *before, *meter.used)
        bounds.stopped = bounds.stopped or bounds.reached(())
        return bool(bounds.stopped)

    if reached():
        return written(folder, info, transcripts, *await as_before(bench, folder, info, transcripts))
    bounded = bounds.max_cost is not None or bounds.max_minutes is not None
    kept = (await as_before(bench, folder, info, transcripts))[0] if bounded else graded
    try:
        languages = list(dict.fromkeys(suite.language for suite in suites.values()))
        calibration = await _calibration(bench, folder, asking, judging, languages, told)
        opinions = _Opinions(bench, asking, judging.mode, calibration, suites, people, reached)
        second = {**kept, **await opinions.on(transcripts, graded)}
    finally:
        folder.write(JUDGEMENTS, judgement_lines(asking.known.values()))
        if meter.used:
            folder.write_judges_used((*before, *meter.used))
    return written(folder, info, transcripts, second, _shown(judging, asking, calibration))


def _wanted(
    bench: Bench,
    mode: JudgeMode,
    transcripts: Sequence[Transcript],
    graded: Mapping[str, Graded],
    suites: Mapping[str, Suite],
    people: Mapping[str, Persona],
) -> bool:
    """Whether anything is left for a model to judge."""
    return any(
        question_for(verdict, one, suites[one.trial.suite], people[one.trial.persona], bench.base.languages, mode)
        for one in transcripts
        for verdict in graded[one.trial.key].verdicts
    )


def _shown(judging: Judging, judge: ModelJudge, calibration: Calibration | None) -> JudgeShown:
    """The judge for the reader of the results."""
    return JudgeShown(
        mode=judging.mode,
        about=judge.about(),
        threshold=judging.threshold,
        worth=tuple(
            JudgeWorth(
                language=name,
                right=tally.right,
                decided=tally.right + tally.wrong,
                undecided=tally.undecided,
                low=tally.low,
                high=tally.high,
                counts=not calibration.why_not(name),
            )
            for name, tally in calibration.languages.items()
        )
        if calibration is not None
        else (),
    )


@dataclass(slots=True)
class _Opinions:
    bench: Bench
    judge: ModelJudge
    mode: JudgeMode
    calibration: Calibration | None
    suites: Mapping[str, Suite]
    people: Mapping[str, Persona]
    reached: Callable[[], bool]
    done: dict[str, Graded] = field(default_factory=dict)

    async def on(self, transcripts: Sequence[Transcript], graded: Mapping[str, Graded]) -> dict[str, Graded]:
        todo = iter(transcripts)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self.judge.at_once):
                    group.create_task(self._worker(todo, graded))
        except* Exception as several:  # the first says what is wrong; the others say the same
            raise several.exceptions[0] from several
        return self.done

    async def _worker(self, todo: object, graded: Mapping[str, Graded]) -> None:
        for one in todo:  # type: ignore[attr-defined]  # one iterator, shared by all workers
            if self.reached():
                return
            self.done[one.trial.key], _ = await second_opinion(
                one,
                graded[one.trial.key],
                suite=self.suites[one.trial.suite],
                persona=self.people[one.trial.persona],
                packs=self.bench.base.languages,
                judge=self.judge,
                mode=self.mode,
                counts=self._why_not,
            )

    def _why_not(self, language: str) -> str:
        return "the judge is not calibrated" if self.calibration is None else self.calibration.why_not(language)


async def _calibration(
    bench: Bench,
    folder: RunFolder,
    judge: ModelJudge,
    judging: Judging,
    languages: Sequence[str],
    told: Told | None,
) -> Calibration | None:
    """The calibration that decides whether verdicts count; it stands in the folder of the run afterwards."""
    given = judging.calibration
    if isinstance(given, Path):
        given = read_calibration(given)
    if given is not None and not given.fits(judge):
        raise RunError(
            f"The calibration is of another judge: {given.about or given.judge}, not {judge.about()}.",
            remedy="Calibrate this judge: harness blindtest calibrate.",
        )
    found = given or _stored(folder, judge, languages)
    if found is None and judging.calibrate:
        rows = shipped_labels(languages)
        if rows:
            found = await calibrate_judge(rows, packs=bench.base.languages, judge=judge, told=told)
    if found is not None:
        found = found.model_copy(update={"threshold": judging.threshold})
        folder.write(CALIBRATION, found.model_dump_json(indent=1) + "\n")
    return found


def _stored(folder: RunFolder, judge: ModelJudge, languages: Sequence[str]) -> Calibration | None:
    path = folder.path / CALIBRATION
    if not path.is_file():
        return None
    found = read_calibration(path)
    return found if found.fits(judge) and set(languages) <= set(found.languages) else None


async def calibrate(
    bench: Bench,
    *,
    labels: Sequence[str | Path] = (),
    judge: str | Judging = "model",
    language: str = "",
    out: str | Path | None = None,
    told: Told | None = None,
) -> Calibration:
    """Let a judge grade replies whose verdict is known.

    Args:
        labels: files of labelled rows; those of the package when none is given.
        judge: a mode, or how it judges; ``rules`` needs no model.
        language: only rows of this language.
        out: the folder of a run, or any other, in which ``calibration.json`` is written.
        told: each row, as soon as it is judged.

    Raises:
        SuiteError: a file of labels is wrong. RunError: no rows of that language. ModelError: the judge cannot be reached.
    """
    judging = Judging.of(judge)
    rows: tuple[Labels, ...] = tuple(load_labels(path) for path in labels) or shipped_labels()
    rows = tuple(one for one in rows if not language or one.language == language)
    if not rows:
        raise RunError(f"There are no labelled rows in {language!r}.", remedy="Give a file of them with --labels.")
    asking = None if judging.mode == "rules" else judge_of(bench, judging)
    made = await calibrate_judge(
        rows,
        packs=bench.base.languages,
        judge=asking,
        mode=judging.mode,
        threshold=judging.threshold,
        told=told,
    )
    if out is not None:
        folder = RunFolder(out)
        try:
            folder.path.mkdir(parents=True, exist_ok=True)
            folder.write(CALIBRATION, made.model_dump_json(indent=1) + "\n")
        except OSError as failure:
            raise RunError(
                f"{out} cannot be written: {failure.strerror or failure}.", remedy="Choose another folder."
            ) from failure
    return made
