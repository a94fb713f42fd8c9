"""What a run was made on, for its report."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

_TIMEOUT_S = 5.0


def machine() -> dict[str, str]:
    """Versions, processor, and the commit of the package where it runs from a checkout."""
    from harness import __version__

    found = {
        "harness": __version__,
        "commit": _commit(),
        "python": platform.python_version(),
        "system": platform.system(),
        "processor": _processor(),
        "cores": str(os.cpu_count() or 0),
    }
    return {name: value for name, value in found.items() if value}


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    named = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    return f"{named} ({platform.machine()})" if named else platform.machine()


def _commit() -> str:
    """The commit that is checked out where the package lies, with a mark for changes; empty where that is no checkout."""
    root = Path(__file__).resolve().parents[2]
    if not (root / ".git").exists():
        return ""
    try:
        head = _git(root, "rev-parse", "--short=12", "HEAD")
        changed = _git(root, "status", "--porcelain", "--untracked-files=no", "--", "harness", "prompts", "personas")
    except (OSError, subprocess.SubprocessError):
        return ""
    return f"{head} with changes" if changed else head


def _git(root: Path, *words: str) -> str:
    command = ("git", "-C", str(root), *words)
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=_TIMEOUT_S)  # noqa: S603 - fixed words
    return done.stdout.strip()
