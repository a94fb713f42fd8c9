"""Grading runs: by rules, then by vectors where a suite asks for them. Part of the composition root."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import ValidationError

from harness.blindtest.counting import results_of
from harness.blindtest.folder import RESULTS, RunFolder, RunInfo
from harness.blindtest.grading import grade_all
from harness.blindtest.grading.alike import GRADER as EMBEDDINGS, Alike
from harness.blindtest.results import JudgeShown, Results
from harness.blindtest.suite import Suite
from harness.blindtest.transcript import Graded, Transcript
from harness.state import Persona

if TYPE_CHECKING:
    from harness.app_blindtest import Bench


@dataclass(frozen=True, slots=True)
class Cast:
    """Suites and characters of a run, by id."""

    suites: Mapping[str, Suite]
    people: Mapping[str, Persona]

    @classmethod
    def of(cls, info: RunInfo) -> Cast:
        """As they stand in the run. Raises RunError: another version of harness wrote them."""
        return cls(*info.examined())


def by_rules(bench: Bench, info: RunInfo, transcripts: Sequence[Transcript], *, jobs: int = 1) -> dict[str, Graded]:
    """Verdicts by trial key. ``jobs``: processes, see :func:`harness.blindtest.grading.grade_all`."""
    cast = Cast.of(info)
    given = grade_all(
        transcripts,
        suites=cast.suites,
        personas=cast.people,
        packs=bench.base.languages,
        jobs=jobs,
        pack_paths=bench.base.settings.language_files(),
    )
    return dict(zip((one.trial.key for one in transcripts), given, strict=True))


async def without_judge(bench: Bench, info: RunInfo, transcripts: Sequence[Transcript]) -> dict[str, Graded]:
    """Verdicts by rules, and by the vectors of the embedder of the settings where a suite asks for them.

    Raises:
        MissingExtra: a suite asks for an embedder whose package is not installed. SettingsError: it lacks a provider.
    """
    graded = by_rules(bench, info, transcripts)
    if not any(verdict.grader == EMBEDDINGS for one in graded.values() for verdict in one.verdicts):
        return graded
    embedder = bench.base.embedder()
    if embedder is None:
        return graded
    return await Alike(embedder, embedder_of(bench)).on(transcripts, graded, Cast.of(info).suites)


def embedder_of(bench: Bench) -> str:
    """Name and model of the embedder of the settings, by which verdicts of another one are known; empty without one."""
    settings = bench.base.settings
    if settings.memory.embedder == "none":
        return ""
    model = settings.models.embedder if settings.memory.embedder == "openai" else ""
    return f"{settings.memory.embedder}:{model}" if model else settings.memory.embedder


def counted(
    info: RunInfo, transcripts: Sequence[Transcript], graded: Mapping[str, Graded], judge: JudgeShown | None = None
) -> Results:
    """What verdicts come to."""
    made = results_of(
        transcripts, graded, Cast.of(info).suites, reference=next(iter(info.witnesses)), prices=info.prices
    )
    return made if judge is None else made.model_copy(update={"judge": judge})


def written(
    folder: RunFolder,
    info: RunInfo,
    transcripts: Sequence[Transcript],
    graded: Mapping[str, Graded],
    judge: JudgeShown | None = None,
) -> Results:
    """Write verdicts and results into the folder of their run."""
    results = counted(info, transcripts, graded, judge)
    folder.write_graded(graded[one.trial.key] for one in transcripts)
    folder.write(RESULTS, results.model_dump_json(indent=1) + "\n")
    return results


def judge_of_run(folder: RunFolder) -> JudgeShown | None:
    """The model that judged a run; None where rules did, or nothing can be read of it."""
    results = results_in(folder)
    return results.judge if results is not None else None


def results_in(folder: RunFolder) -> Results | None:
    """The results in a folder; None where there are none, or they cannot be read."""
    try:
        return Results.model_validate_json((folder.path / RESULTS).read_bytes())
    except (OSError, ValidationError):
        return None
