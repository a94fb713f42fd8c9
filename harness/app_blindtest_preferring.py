"""Two witnesses of a run against each other, as a model sees them. Part of the composition root."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from harness.app_blindtest_judging import Judging, judge_of
from harness.blindtest.folder import RunFolder
from harness.blindtest.grading.pairs import Preference, Preferences, prefer as prefer_pair
from harness.blindtest.metering import Meter
from harness.blindtest.transcript import Transcript
from harness.errors import RunError

if TYPE_CHECKING:
    from harness.app_blindtest import Bench

PREFERENCES = "preferences.json"


async def prefer(
    bench: Bench, path: str | Path, first: str, second: str, judge: str | Judging = "model"
) -> Preferences:
    """Two witnesses of a run against each other, case by case, as a model sees them; written into the folder of the run.

    Raises:
        RunError: there is no run, one of them is not in it, or another process writes there. ModelError: the judge cannot be reached.
    """
    folder = RunFolder(path)
    with folder.alone(begun=True):
        return await _preferred(bench, folder, first, second, Judging.of(judge))


async def _preferred(bench: Bench, folder: RunFolder, first: str, second: str, judging: Judging) -> Preferences:
    info = folder.info()
    for name in (first, second):
        if name not in info.witnesses:
            raise RunError(
                f"There is no witness {name!r} in {folder.path}.", remedy=f"There are {', '.join(info.witnesses)}."
            )
    meter = Meter()
    asking = judge_of(bench, judging, meter)
    suites, people = info.examined()
    sides: dict[str, dict[tuple[str, str, str, int], Transcript]] = {first: {}, second: {}}
    for one in folder.transcripts():
        if one.trial.witness in sides and one.exchanges:
            sides[one.trial.witness][one.trial.case] = one
    pairs: list[Preference] = []
    try:
        for case in sorted(set(sides[first]) & set(sides[second])):
            one, other = sides[first][case], sides[second][case]
            suite = suites[one.trial.suite]
            pairs.append(
                await prefer_pair(
                    one,
                    other,
                    persona=people[one.trial.persona],
                    packs=bench.base.languages,
                    judge=asking,
                    probe=suite.script(one.trial.script).probe,
                )
            )
    finally:
        if meter.used:
            folder.write_judges_used((*folder.judges_used(), *meter.used))
    made = Preferences.of(first, second, pairs)
    folder.write(PREFERENCES, made.model_dump_json(indent=1) + "\n")
    return made
