"""The folder of a run: what was planned, every transcript as soon as it is there, verdicts, results, reports.

``run.json`` says what is compared with what. ``transcripts.jsonl`` has one line a finished trial and is only ever added to; a line that
was cut short by a crash is passed over, and its trial held again.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from harness.blindtest.transcript import Graded, Transcript
from harness.errors import RunError
from harness.state.base import Frozen

RUN = "run.json"
TRANSCRIPTS = "transcripts.jsonl"
VERDICTS = "verdicts.jsonl"
RESULTS = "results.json"


class RunInfo(Frozen):
    """What a run is.

    Attributes:
        suites: id -> digest. ``personas``: id -> digest. ``witnesses``: name -> what it is.
        texts: id -> the suite, whole, so that a run can be graded and shown without its files.
        people: id -> the persona, whole.
        machine: hardware and versions, for the report.
        planned: trials of the whole run.
        prices: model -> price of a million prompt and completion tokens.
    """

    format: int = 1
    suites: dict[str, str]
    personas: dict[str, str]
    witnesses: dict[str, dict[str, Any]]
    trials: int
    seed: int
    texts: dict[str, dict[str, Any]]
    people: dict[str, dict[str, Any]]
    machine: dict[str, str] = Field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    planned: int = 0
    prices: dict[str, tuple[float, float]] = Field(default_factory=dict)

    def same_run(self, other: RunInfo) -> tuple[str, ...]:
        """What differs from another run such that the two cannot be one: names of fields."""
        return tuple(
            name
            for name in ("suites", "personas", "witnesses", "trials", "seed")
            if getattr(self, name) != getattr(other, name)
        )


class RunFolder:
    """Reads and writes one run."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)

    @property
    def exists(self) -> bool:
        """Whether a run was begun here."""
        return (self.path / RUN).is_file()

    def begin(self, info: RunInfo, *, resume: bool) -> dict[str, Transcript]:
        """Begin a run, or go on with one; gives the transcripts that are there, by trial key.

        Raises:
            RunError: there is a run and ``resume`` is False; it is another run; the folder cannot be written.
        """
        if self.exists:
            if not resume:
                raise RunError(
                    f"{self.path} holds a run already.",
                    remedy="Go on with it by --resume, or name another folder with --out.",
                )
            if differing := info.same_run(self.info()):
                raise RunError(
                    f"The run in {self.path} is another one: {', '.join(differing)} differ.",
                    remedy="Resume with the same suites, characters, witnesses, trials and seed, or name another folder.",
                )
            return {one.trial.key: one for one in self.transcripts()}
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            (self.path / TRANSCRIPTS).unlink(missing_ok=True)
            self.write(RUN, json.dumps(info.model_dump(mode="json"), ensure_ascii=False, indent=1) + "\n")
        except OSError as failure:
            raise RunError(
                f"{self.path} cannot be written: {failure.strerror or failure}.", remedy="Choose another folder."
            ) from failure
        return {}

    def info(self) -> RunInfo:
        """What the run is. Raises RunError: there is none, or it cannot be read."""
        try:
            return RunInfo.model_validate_json((self.path / RUN).read_bytes())
        except FileNotFoundError as failure:
            raise RunError(
                f"Expected a run (a folder with {RUN}) at {self.path}, found none.",
                remedy="Give the folder that `harness blindtest run --out` wrote.",
            ) from failure
        except (OSError, ValidationError) as failure:
            raise RunError(f"{self.path / RUN} cannot be read: {failure}.", remedy="Run again.") from failure

    def add(self, transcript: Transcript) -> None:
        """Append a transcript; it is on the disk when this returns. A torn last line is ended first."""
        line = transcript.model_dump_json() + "\n"
        file = self.path / TRANSCRIPTS
        with file.open("ab+") as out:
            size = out.seek(0, os.SEEK_END)
            if size:
                out.seek(size - 1)
                if out.read(1) != b"\n":
                    out.write(b"\n")
            out.write(line.encode())
            out.flush()
            os.fsync(out.fileno())

    def transcripts(self) -> tuple[Transcript, ...]:
        """Every whole transcript, each trial once (the last one written counts). Lines that a crash cut short are passed over.

        Raises:
            RunError: a whole line is no transcript; another version wrote it.
        """
        found: dict[str, Transcript] = {}
        for line in self._lines(TRANSCRIPTS):
            try:
                one = Transcript.model_validate_json(line)
            except ValidationError as failure:
                if not _is_whole(line):
                    continue
                raise RunError(
                    f"{self.path / TRANSCRIPTS} holds a line that is no transcript: {failure.errors()[0]['msg']}.",
                    remedy="Read it with the version of harness that wrote it, or run again in another folder.",
                ) from failure
            found[one.trial.key] = one
        return tuple(found.values())

    def graded(self) -> dict[str, Graded]:
        """Verdicts by trial key, as far as they are there and can be read; they can be made again."""
        found: dict[str, Graded] = {}
        for line in self._lines(VERDICTS):
            with contextlib.suppress(ValidationError):
                one = Graded.model_validate_json(line)
                found[one.key] = one
        return found

    def write_graded(self, graded: Iterable[Graded]) -> None:
        """Write all verdicts, in place of earlier ones."""
        self.write(VERDICTS, "".join(one.model_dump_json() + "\n" for one in graded))

    def write(self, name: str, text: str) -> Path:
        """Write a file of the run as a whole or not at all."""
        target = self.path / name
        beside = target.with_name(f".{name}.{os.getpid()}")
        with beside.open("w", encoding="utf-8", newline="\n") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        beside.replace(target)
        return target

    def _lines(self, name: str) -> Iterator[str]:
        try:
            with (self.path / name).open(encoding="utf-8", errors="replace") as file:
                yield from (line for line in file if line.strip())
        except FileNotFoundError:
            return


def _is_whole(line: str) -> bool:
    """Whether a line is JSON, and not the beginning of one that a crash cut short."""
    try:
        json.loads(line)
    except ValueError:
        return False
    return True
