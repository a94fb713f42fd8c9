"""What a judge is worth: calibrations made, and those that stand in runs. Part of the composition root."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from harness.app_blindtest_judges import Judging, judge_of
from harness.blindtest.folder import RunFolder
from harness.blindtest.grading.calibration import (
    FILE as CALIBRATION,
    Calibration,
    Told,
    calibrate as calibrate_judge,
    read_calibration,
)
from harness.blindtest.grading.labelled import Labels, load_labels, shipped_labels
from harness.blindtest.grading.model import ModelJudge
from harness.errors import RunError

if TYPE_CHECKING:
    from harness.app_blindtest import Bench


async def calibration_for(
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
    found = given or stored_calibration(folder, judge, languages)
    if found is None and judging.calibrate:
        rows = shipped_labels(languages)
        if rows:
            found = await calibrate_judge(rows, packs=bench.base.languages, judge=judge, told=told)
    if found is not None:
        found = found.model_copy(update={"threshold": judging.threshold})
        folder.write(CALIBRATION, found.model_dump_json(indent=1) + "\n")
    return found


def stored_calibration(folder: RunFolder, judge: ModelJudge, languages: Sequence[str]) -> Calibration | None:
    """The calibration in the folder of a run, where it is of this judge and has these languages. Raises RunError: it cannot be read."""
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
        SuiteError: a file of labels is wrong. RunError: no rows of that language; ``out`` cannot be written, or another process writes there.
        ModelError: the judge cannot be reached.
    """
    judging = Judging.of(judge)
    rows: tuple[Labels, ...] = tuple(load_labels(path) for path in labels) or shipped_labels()
    rows = tuple(one for one in rows if not language or one.language == language)
    if not rows:
        raise RunError(f"There are no labelled rows in {language!r}.", remedy="Give a file of them with --labels.")
    asking = None if judging.mode == "rules" else judge_of(bench, judging)
    folder = RunFolder(out) if out is not None else None
    with (
        folder.alone() if folder is not None else nullcontext()
    ):  # what cannot be written is said before a model is asked
        made = await calibrate_judge(
            rows,
            packs=bench.base.languages,
            judge=asking,
            mode=judging.mode,
            threshold=judging.threshold,
            told=told,
        )
        if folder is not None:
            folder.write(CALIBRATION, made.model_dump_json(indent=1) + "\n")
    return made
