"""Programs that the fault tests start beside themselves: they say on standard output what was acknowledged."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import harness

FOLDER = Path(__file__).parent


def start(program: str, *arguments: object) -> subprocess.Popen[str]:
    """``program``: a file beside this one. It imports the same package as the tests."""
    return subprocess.Popen(
        [sys.executable, str(FOLDER / program), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(Path(harness.__file__).parents[1]), "PYTHONIOENCODING": "utf-8"},
    )


def finish(process: subprocess.Popen[str]) -> list[list[str]]:
    """The words of each line it said by its end, which must be a good one."""
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    return [line.split() for line in out.splitlines()]


def kill_after(process: subprocess.Popen[str], lines: int, wait_s: float = 0.0) -> list[list[str]]:
    """Let the program say so many lines, kill it ``wait_s`` later, and give all it said."""
    assert process.stdout is not None
    assert process.stderr is not None
    said = [process.stdout.readline() for _ in range(lines)]
    try:
        process.wait(timeout=wait_s)
    except subprocess.TimeoutExpired:
        process.kill()
    # Not communicate(), which would leave out what readline() has read ahead.
    rest, err = process.stdout.read(), process.stderr.read()
    process.wait(timeout=60)
    process.stdout.close()
    process.stderr.close()
    assert all(said), err
    # The last line may be cut off by the kill; what was not said whole was not acknowledged.
    return [line.split() for line in (*said, *rest.splitlines(keepends=True)) if line.endswith("\n")]
