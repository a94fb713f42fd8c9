"""A session of a human test on the disk.

``session.json`` is written once, before the first message; it has the commitment and nothing that tells. ``lines.jsonl`` has what was said,
by letter. ``verdict.json`` comes with the verdict, and only after it ``key.json``, with the key and everything that would have told.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field, ValidationError

from harness.blindtest.human.sealing import Key, Letter
from harness.errors import RunError
from harness.state.base import Frozen

M = TypeVar("M", bound=Frozen)
SESSION, LINES, VERDICT, KEY = "session.json", "lines.jsonl", "verdict.json", "key.json"
FORMAT = 1
"""Of what is written here."""
REASONS = ("style", "socio_emotional", "knowledge", "situational")
Reason = Literal["style", "socio_emotional", "knowledge", "situational"]


class SessionInfo(Frozen):
    """What is known of a session before its verdict."""

    format: int = FORMAT
    id: str
    commitment: str
    language: str
    minutes: float
    seed: int
    started_at: str


class Line(Frozen):
    """Something that was said. ``at``: seconds since the beginning, of sending or of release. ``text`` is empty for silence."""

    at: float
    channel: Letter
    who: Literal["judge", "other"]
    text: str


class Judgement(Frozen):
    """The verdict of the judge.

    Attributes:
        human: the channel taken for the human being; empty when the session ended without a verdict.
        confidence: from 0.5, a guess, to 1.
        reason: what it was decided on. ``words``: the judge's own.
    """

    human: Letter | Literal[""] = ""
    confidence: Annotated[float, Field(ge=0.5, le=1)] = 0.5
    reason: Reason | Literal[""] = ""
    words: str = ""
    ended: Literal["verdict", "abandoned"] = "verdict"


class Opened(Frozen):
    """What is written after the verdict.

    Attributes:
        timings: channel -> for each message the real seconds to its reply; 0 for none.
        failures: channel -> why there was no reply.
    """

    key: Key
    timings: dict[Letter, tuple[float, ...]] = Field(default_factory=dict)
    failures: dict[Letter, tuple[str, ...]] = Field(default_factory=dict)


class SessionFolder:
    """Writes and reads one session."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)

    def begin(self, info: SessionInfo) -> None:
        """Make the folder. Raises RunError: it cannot be written."""
        try:
            self.path.mkdir(parents=True, exist_ok=False)
            self._write(SESSION, info.model_dump(mode="json"))
        except OSError as failure:
            raise RunError(
                f"{self.path} cannot be written: {failure.strerror or failure}.", remedy="Choose another folder."
            ) from failure

    def add(self, line: Line) -> None:
        """Append a line; it is on the disk when this returns."""
        with (self.path / LINES).open("a", encoding="utf-8", newline="\n") as out:
            out.write(line.model_dump_json() + "\n")
            out.flush()
            os.fsync(out.fileno())

    def judge(self, judgement: Judgement) -> None:
        """Write the verdict, once.

        Raises:
            RunError: there is one already: a verdict is not changed after the key could be read.
        """
        if (self.path / VERDICT).exists():
            raise RunError(f"{self.path} has a verdict already.", remedy="Hold another session.")
        self._write(VERDICT, judgement.model_dump(mode="json"))

    def open(self, opened: Opened) -> None:
        """Write the key. Raises RunError: there is no verdict yet."""
        verdict = self.judgement()
        if verdict is None or not verdict.human:
            raise RunError(f"{self.path} has no verdict yet.", remedy="The key is opened by the verdict.")
        self._write(KEY, opened.model_dump(mode="json"))

    def info(self) -> SessionInfo:
        """What was known before. Raises RunError: there is no session."""
        found = self._read(SESSION)
        if found is None:
            raise RunError(f"There is no session of a human test at {self.path}.", remedy="Give its folder.")
        made = self._valid(SessionInfo, found, SESSION)
        if made.format != FORMAT:
            raise RunError(
                f"{self.path / SESSION} is of format {made.format}, and this version of harness reads {FORMAT}.",
                remedy="Count it with the version that wrote it.",
            )
        return made

    def judgement(self) -> Judgement | None:
        """The verdict, if there is one."""
        found = self._read(VERDICT)
        return None if found is None else self._valid(Judgement, found, VERDICT)

    def opened(self) -> Opened | None:
        """The key, if there is one."""
        found = self._read(KEY)
        return None if found is None else self._valid(Opened, found, KEY)

    def lines(self) -> tuple[Line, ...]:
        """What was said. A line that a crash cut short is passed over."""
        found = []
        try:
            text = (self.path / LINES).read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return ()
        for line in text.split("\n"):
            try:
                found.append(Line.model_validate_json(line))
            except ValidationError:
                continue
        return tuple(found)

    def _valid(self, model: type[M], data: bytes, name: str) -> M:
        try:
            return model.model_validate_json(data)
        except ValidationError as failure:
            raise RunError(
                f"{self.path / name} cannot be read: {failure}.", remedy="Take this session away."
            ) from failure

    def _read(self, name: str) -> bytes | None:
        try:
            return (self.path / name).read_bytes()
        except FileNotFoundError:
            return None

    def _write(self, name: str, data: Mapping[str, Any]) -> None:
        beside = self.path / f".{name}.{os.getpid()}"
        with beside.open("w", encoding="utf-8", newline="\n") as out:
            out.write(json.dumps(data, ensure_ascii=False, indent=1) + "\n")
            out.flush()
            os.fsync(out.fileno())
        beside.replace(self.path / name)


def sessions_in(folder: Path) -> tuple[SessionFolder, ...]:
    """The sessions below a folder, by name; the folder itself, when it is one."""
    if (folder / SESSION).is_file():
        return (SessionFolder(folder),)
    return tuple(SessionFolder(path.parent) for path in sorted(folder.glob(f"*/{SESSION}")))
