"""Judging runs with a model: second opinions on what the rules leave open. Part of the composition root."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from harness.app_blindtest_calibrating import calibrate, calibration_for, stored_calibration
from harness.app_blindtest_grading import judge_of_run, without_judge, written
from harness.app_blindtest_judges import MODES, Judging, evaluator, judge_of
from harness.app_blindtest_regrading import as_before
from harness.blindtest.folder import RunFolder, RunInfo
from harness.blindtest.grading.calibration import Calibration, Told
from harness.blindtest.grading.model import ModelJudge
from harness.blindtest.grading.opinions import JudgeMode, question_for, second_opinion
from harness.blindtest.judgements import JUDGEMENTS, judgement_lines, read_judgements
from harness.blindtest.limits import Limits, all_used
from harness.blindtest.metering import Meter, added
from harness.blindtest.results import JudgeShown, JudgeWorth, Results
from harness.blindtest.suite import Suite
from harness.blindtest.transcript import Graded, Transcript
from harness.state import Persona

if TYPE_CHECKING:
    from harness.app_blindtest import Bench

__all__ = ["MODES", "Judging", "calibrate", "evaluator", "judge_of", "judge_run", "judged"]


async def judge_run(
    bench: Bench, path: str | Path, judge: str | Judging | None = "both", *, told: Told | None = None
) -> Results:
    """Judge the transcripts of a run; verdicts, results and the calibration are written into its folder.

    What was asked before is not asked again (``judgements.jsonl``). With None the run is graded by the rules of today and keeps what a model
    judged before; with ``rules`` a model's verdicts are given up.

    Raises:
        RunError: there is no run, another process writes there, or the numbers are out of their range. ModelError: the judge cannot be reached.
    """
    folder = RunFolder(path)
    with folder.alone(begun=True):
        return await judged(bench, folder, folder.info(), folder.transcripts(), judge, told=told)


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
        limits: asked before each transcript; once they are reached the judge is asked nothing more: what it has said stands, the rest
            stays as the rules have judged it, and ``limits.stopped`` says so.
    """
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
    languages = list(dict.fromkeys(suite.language for suite in suites.values()))
    if not _wanted(bench, judging.mode, transcripts, graded, suites, people):
        return written(folder, info, transcripts, graded)  # no calibration is worth its calls where nothing is asked

    held = added(used for one in transcripts for used in all_used(one))

    def reached() -> bool:
        meter.used = list(added(meter.used))
        bounds.judged = (*held, *before, *meter.used)
        bounds.stopped = bounds.stopped or bounds.reached(())
        return bool(bounds.stopped)

    if reached():
        shown = judge_of_run(folder)
        if shown is None and asking.known:  # it was ended while it was judged
            shown = _shown(judging, asking, stored_calibration(folder, asking, languages))
        return written(folder, info, transcripts, *await as_before(bench, folder, info, transcripts, shown))
    try:
        calibration = await calibration_for(bench, folder, asking, judging, languages, told)
        opinions = _Opinions(bench, asking, judging.mode, calibration, suites, people, reached)
        second = await opinions.on(transcripts, graded)
    finally:
        folder.write(JUDGEMENTS, judgement_lines(asking.known.values()))
        if meter.used:
            folder.write_judges_used((*before, *meter.used))
    shown = _shown(judging, asking, calibration)
    rest = [one for one in transcripts if one.trial.key not in second]
    if rest:
        kept, shown = await as_before(bench, folder, info, rest, shown)
        second |= kept
    return written(folder, info, transcripts, second, shown)


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
