"""A run as it lies in its folder, ready to be shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from harness.blindtest.folder import RESULTS, VERDICTS, RunFolder, RunInfo
from harness.blindtest.metering import added
from harness.blindtest.results import Results, TrialResult
from harness.blindtest.suite import Script, Suite
from harness.blindtest.transcript import Graded, Transcript, Used
from harness.errors import RunError
from harness.state import Persona


@dataclass(frozen=True, slots=True)
class Held:
    """A run that is held and graded.

    Attributes:
        transcripts: in the order of ``results.trials``. ``graded``: by trial key.
    """

    info: RunInfo
    transcripts: tuple[Transcript, ...]
    graded: Mapping[str, Graded]
    results: Results
    suites: Mapping[str, Suite]
    people: Mapping[str, Persona]
    judges_used: tuple[Used, ...] = ()

    @property
    def asking(self) -> tuple[tuple[str, tuple[Used, ...]], ...]:
        """What was used besides the witnesses: by the judge and by the simulated interrogator, where there were any."""
        asked = added(used for one in self.transcripts if one.interrogation for used in one.interrogation.used)
        return tuple((who, used) for who, used in (("judge", self.judges_used), ("interrogator", asked)) if used)

    @property
    def missing(self) -> int:
        """Planned trials that were not held."""
        return max(0, self.info.planned - len(self.transcripts))

    @property
    def languages(self) -> tuple[str, ...]:
        """Languages of the suites, each once."""
        return tuple(dict.fromkeys(one.language for one in self.suites.values()))

    def script(self, trial: TrialResult) -> Script:
        """The script of a trial."""
        return self.suites[trial.suite].script(trial.script)


def read_held(path: Path | str | RunFolder) -> Held:
    """The run in a folder.

    Raises:
        RunError: there is none, it is not graded yet, or a file of it cannot be read.
    """
    folder = path if isinstance(path, RunFolder) else RunFolder(path)
    info = folder.info()
    try:
        results = Results.model_validate_json((folder.path / RESULTS).read_bytes())
        graded = folder.graded()
    except FileNotFoundError as failure:
        raise RunError(
            f"The run in {folder.path} is not graded.", remedy="Grade it: `harness blindtest judge DIR`."
        ) from failure
    except (OSError, ValidationError) as failure:
        raise RunError(
            f"{RESULTS} or {VERDICTS} in {folder.path} cannot be read: {failure}.",
            remedy="Grade the run again: `harness blindtest judge DIR`.",
        ) from failure
    found = {one.trial.key: one for one in folder.transcripts()}
    keys = [one.key for one in results.trials]
    if absent := [key for key in keys if key not in found or key not in graded]:
        raise RunError(
            f"The run in {folder.path} lacks the transcripts or verdicts of {len(absent)} of its {len(keys)} trials.",
            remedy="Grade it again: `harness blindtest judge DIR`.",
        )
    suites, people = info.examined()
    return Held(
        info=info,
        transcripts=tuple(found[key] for key in keys),
        graded=graded,
        results=results,
        suites=suites,
        people=people,
        judges_used=folder.judges_used(),
    )
