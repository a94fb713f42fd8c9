"""The folder of a run: what was planned, every transcript as soon as it is there, verdicts, results, reports.

``run.json`` says what is compared with what. ``transcripts.jsonl`` has one line a finished trial and is only ever added to; a last line that
was cut short by a crash is passed over, and cut off when the run is gone on with, and its trial held again. One process writes at a time.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field, TypeAdapter, ValidationError

from harness.blindtest.locking import alone_or_inside
from harness.blindtest.metering import added
from harness.blindtest.suite import Suite
from harness.blindtest.transcript import Graded, Transcript, Used
from harness.errors import RunError
from harness.state import Persona
from harness.state.base import Frozen

RUN = "run.json"
TRANSCRIPTS = "transcripts.jsonl"
VERDICTS = "verdicts.jsonl"
RESULTS = "results.json"
USAGE = "usage.json"
"""What judges of the run were asked really, interrupted work included; so it is kept apart from the results."""
FORMAT = 1
"""Of what is written here."""


_USED: TypeAdapter[tuple[Used, ...]] = TypeAdapter(tuple[Used, ...])


class RunInfo(Frozen):
    """What a run is.

    Attributes:
        suites: id -> digest. ``personas``: id -> digest. ``witnesses``: name -> what it is.
        texts: id -> the suite, whole, so that a run can be graded and shown without its files.
        people: id -> the persona, whole.
        machine: hardware and versions, for the report.
        planned: trials of the whole run.
        prices: model -> price of a million prompt and completion tokens.
        call: the words of the command that began it, but for its folder; empty where Python did.
        resumed: machines that it was gone on with on, where they are not the first.
    """

    format: int = FORMAT
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
    call: tuple[str, ...] = ()
    resumed: tuple[dict[str, str], ...] = ()

    def same_run(self, other: RunInfo) -> tuple[str, ...]:
        """What differs from another run such that the two cannot be one: names of fields."""
        differing = [
            name
            for name in ("suites", "personas", "witnesses", "trials", "seed")
            if getattr(self, name) != getattr(other, name)
        ]
        if not differing and next(iter(self.witnesses), "") != next(iter(other.witnesses), ""):
            differing.append("the examined witnesses")
        return tuple(differing)

    def gone_on_with(self, now: RunInfo) -> RunInfo:
        """The same run, with the prices and on the machine of today."""
        prices = now.prices or self.prices
        again = now.machine not in (self.machine, *self.resumed)
        return self.model_copy(update={"prices": prices, "resumed": (*self.resumed, *([now.machine] if again else ()))})

    def examined(self) -> tuple[dict[str, Suite], dict[str, Persona]]:
        """Suites and characters, by id. Raises RunError: another version of harness wrote them."""
        try:
            return (
                {name: Suite.model_validate(text) for name, text in self.texts.items()},
                {name: Persona.model_validate(text) for name, text in self.people.items()},
            )
        except ValidationError as failure:
            raise RunError(
                f"The suites or characters in {RUN} are not as this version knows them: {_first(failure)}.",
                remedy="Read the run with the version of harness that wrote it, or hold it again in another folder.",
            ) from failure


class Begun(NamedTuple):
    """A run that is begun or gone on with: what it is, as its folder has it, and the transcripts that are there, by trial key."""

    info: RunInfo
    done: dict[str, Transcript]


class RunFolder:
    """Reads and writes one run."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)

    @property
    def exists(self) -> bool:
        """Whether a run was begun here."""
        return (self.path / RUN).is_file()

    @contextlib.contextmanager
    def alone(self, *, begun: bool = False) -> Iterator[None]:
        """A context in which nobody else writes here; it may stand inside another one of the same folder.

        ``begun``: there must be a run; otherwise the folder is made where it is missing.

        Raises:
            RunBusy: somebody else writes here. RunError: the folder cannot be written, or there is no run in it.
        """
        if begun:
            self.info()  # a wrong folder is told, and not made
        with alone_or_inside(self.path):
            yield

    def begin(self, info: RunInfo, *, resume: bool) -> Begun:
        """Begin a run, or go on with one: then it is what it was, with new prices where there are any.

        Raises:
            RunError: there is a run and ``resume`` is False; it is another run; the folder cannot be written.
        """
        if self.exists:
            if not resume:
                raise RunError(
                    f"{self.path} holds a run already.",
                    remedy="Go on with it by --resume, or name another folder with --out.",
                )
            stored = self.info()
            if differing := info.same_run(stored):
                raise RunError(
                    f"The run in {self.path} is another one: {', '.join(differing)} differ.",
                    remedy="Resume with the same suites, characters, witnesses, trials and seed, or name another folder.",
                )
            done = {one.trial.key: one for one in self.transcripts()}
            info = stored.gone_on_with(info)
            if info != stored:
                self._write_info(info)
            return Begun(info, done)
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            (self.path / TRANSCRIPTS).unlink(missing_ok=True)
            self._write_info(info)
        except OSError as failure:
            raise RunError(
                f"{self.path} cannot be written: {failure.strerror or failure}.", remedy="Choose another folder."
            ) from failure
        return Begun(info, {})

    def priced(self, prices: Mapping[str, tuple[float, float]]) -> RunInfo:
        """What the run is, with these prices from now on where there are any. Raises RunError, as :meth:`info`."""
        info = self.info()
        if prices and dict(prices) != info.prices:
            info = info.model_copy(update={"prices": dict(prices)})
            self._write_info(info)
        return info

    def _write_info(self, info: RunInfo) -> None:
        self.write(RUN, json.dumps(info.model_dump(mode="json"), ensure_ascii=False, indent=1) + "\n")

    def info(self) -> RunInfo:
        """What the run is. Raises RunError: there is none, or it cannot be read."""
        try:
            text = (self.path / RUN).read_bytes()
            data = json.loads(text)
            if isinstance(data, dict) and data.get("format", FORMAT) != FORMAT:
                raise RunError(
                    f"{self.path / RUN} is of format {data['format']!r}, and this version of harness reads {FORMAT}.",
                    remedy="Read it with the version that wrote it.",
                )
            return RunInfo.model_validate_json(text)
        except FileNotFoundError as failure:
            raise RunError(
                f"Expected a run (a folder with {RUN}) at {self.path}, found none.",
                remedy="Give the folder that `harness blindtest run --out` wrote.",
            ) from failure
        except (OSError, ValueError) as failure:
            raise RunError(
                f"{self.path / RUN} cannot be read: {_first(failure)}.",
                remedy="Read it with the version of harness that wrote it, or run again in another folder.",
            ) from failure

    def add(self, transcript: Transcript) -> None:
        """Append a transcript; it is on the disk when this returns. A last line that a crash cut short is cut off first."""
        line = transcript.model_dump_json() + "\n"
        file = self.path / TRANSCRIPTS
        with file.open("ab+") as out:
            if size := out.seek(0, os.SEEK_END):
                out.seek(size - 1)
                if out.read(1) != b"\n":
                    out.seek(0)
                    out.truncate(out.read().rfind(b"\n") + 1)  # its trial is held again: it was not told as finished
            out.write(line.encode())
            out.flush()
            os.fsync(out.fileno())

    def transcripts(self) -> tuple[Transcript, ...]:
        """Every whole transcript, each trial once (the last one written counts). A last line without its end was cut short by a crash, and
        is passed over.

        Raises:
            RunError: another line is no transcript: it was changed, or another version wrote it.
        """
        found: dict[str, Transcript] = {}
        for number, line in enumerate(self._lines(TRANSCRIPTS), 1):
            if not line.endswith("\n") or not line.strip():
                continue
            try:
                one = Transcript.model_validate_json(line)
            except ValidationError as failure:
                raise RunError(
                    f"{self.path / TRANSCRIPTS}, line {number}, is no transcript: {_first(failure)}.",
                    remedy="Read it with the version of harness that wrote it; or take the line away, and --resume holds its trial again.",
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

    def judges_used(self) -> tuple[Used, ...]:
        """What judges of the run have used so far. Raises RunError: the file cannot be read."""
        try:
            return _USED.validate_json((self.path / USAGE).read_bytes())
        except FileNotFoundError:
            return ()
        except (OSError, ValidationError) as failure:
            raise RunError(
                f"{self.path / USAGE} cannot be read: {_first(failure)}.", remedy="Take it away."
            ) from failure

    def write_judges_used(self, used: Iterable[Used]) -> None:
        """Write what judges have used, in place of what was there."""
        self.write(USAGE, _USED.dump_json(added(used), indent=1).decode() + "\n")

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
            with (self.path / name).open(encoding="utf-8", errors="replace", newline="\n") as file:
                yield from file
        except FileNotFoundError:
            return


def _first(failure: Exception) -> str:
    """What is wrong, in one line."""
    if not isinstance(failure, ValidationError):
        return str(failure)
    error = failure.errors()[0]
    place = ".".join(str(part) for part in error["loc"])
    return f"{place}: {error['msg']}" if place else str(error["msg"])
