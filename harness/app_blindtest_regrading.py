"""Grading runs anew: what older rules graded, with what a model judged before in its places. Part of the composition root."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from harness.app_blindtest_grading import Cast, counted, embedder_of, judge_of_run, results_in, without_judge, written
from harness.blindtest.folder import RunFolder, RunInfo
from harness.blindtest.grading.calibration import FILE as CALIBRATION, read_calibration
from harness.blindtest.grading.model import KeptJudge
from harness.blindtest.grading.opinions import Counts, JudgeMode, second_opinion
from harness.blindtest.grading.version import stale
from harness.blindtest.judgements import read_judgements
from harness.blindtest.reporting.reading import Held, read_held
from harness.blindtest.results import JudgeShown
from harness.blindtest.transcript import Graded, Transcript

if TYPE_CHECKING:
    from harness.app_blindtest import Bench


async def as_before(
    bench: Bench,
    folder: RunFolder,
    info: RunInfo,
    transcripts: Sequence[Transcript],
    shown: JudgeShown | None = None,
) -> tuple[dict[str, Graded], JudgeShown | None]:
    """Verdicts by the rules of today, with what a model judged before in its places. No model is asked: what it was never asked is as the
    rules have judged it.

    ``shown``: the judge; that of the run when it is not given.

    Raises:
        RunError: the calibration in the folder cannot be read. MissingExtra, SettingsError: as for :func:`without_judge`.
    """
    graded, shown = await without_judge(bench, info, transcripts), shown or judge_of_run(folder)
    if shown is None:
        return graded, None
    judge = KeptJudge(
        bench.base.model,
        bench.base.prompts,
        known=read_judgements(folder.path),
        described=dict(shown.about),
    )
    run, mode = Cast.of(info), cast("JudgeMode", shown.mode)
    worth = _worth(folder, judge, shown)
    for one in transcripts:
        graded[one.trial.key], _ = await second_opinion(
            one,
            graded[one.trial.key],
            suite=run.suites[one.trial.suite],
            persona=run.people[one.trial.persona],
            packs=bench.base.languages,
            judge=judge,
            mode=mode,
            counts=worth,
        )
    return graded, shown.model_copy(update={"unasked": judge.unasked})


def _worth(folder: RunFolder, judge: KeptJudge, shown: JudgeShown) -> Counts:
    """Why verdicts of a judge do not count, by language, as its calibration in the folder says."""
    path = folder.path / CALIBRATION
    found = read_calibration(path) if path.is_file() else None
    if found is None or not found.fits(judge):
        return lambda _: "the judge is not calibrated"
    return found.model_copy(update={"threshold": shown.threshold}).why_not


def is_current(bench: Bench, folder: RunFolder, transcripts: Sequence[Transcript]) -> bool:
    """Whether everything is graded, by the rules of today, and counted."""
    results = results_in(folder)
    if results is None or {one.key for one in results.trials} != {one.trial.key for one in transcripts}:
        return False
    return not stale(transcripts, folder.graded(), bench.base.languages, embedder=embedder_of(bench))


async def regrade(bench: Bench, folder: RunFolder) -> bool:
    """Grade a run anew where something of it is not graded, or by older rules, or has changed since; what a model judged is kept.

    Returns:
        Whether that was necessary.

    Raises:
        RunError: there is no run, or another process writes there (RunBusy). MissingExtra, SettingsError: as for :func:`without_judge`.
    """
    with folder.alone(begun=True):
        info, transcripts = folder.info(), folder.transcripts()
        if is_current(bench, folder, transcripts):
            return False
        graded, judge = await as_before(bench, folder, info, transcripts)
        written(folder, info, transcripts, graded, judge)
        return True


async def read_current(bench: Bench, path: Path | str) -> Held:
    """The run in a folder by the rules of today; where it was graded by others, it is graded anew in memory, and the folder left as it is.

    Raises:
        RunError: there is no run. MissingExtra, SettingsError: as for :func:`without_judge`.
    """
    folder = RunFolder(path)
    info, transcripts = folder.info(), folder.transcripts()
    if not transcripts or is_current(bench, folder, transcripts):
        return read_held(folder)
    graded, judge = await as_before(bench, folder, info, transcripts)
    results, run, found = (
        counted(info, transcripts, graded, judge),
        Cast.of(info),
        {one.trial.key: one for one in transcripts},
    )
    return Held(
        info=info,
        transcripts=tuple(found[one.key] for one in results.trials),
        graded=graded,
        results=results,
        suites=run.suites,
        people=run.people,
        judges_used=folder.judges_used(),
    )
