"""How many threads the embedded model should compute with."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

MOST = 16
"""Past this, generation is bound by memory bandwidth and more threads only wait for each other."""

_CPUS = Path("/sys/devices/system/cpu")
_QUOTA = Path("/sys/fs/cgroup/cpu.max")


def compute_threads() -> int:
    """Physical cores this process may use (hyper-threads do not help matrix products), at least 1, at most ``MOST``."""
    return max(1, min(_physical_cores(), _container_cores(), MOST))


def _physical_cores() -> int:
    logical = os.cpu_count() or 1
    if sys.platform == "linux":
        return _linux_cores(os.sched_getaffinity(0)) or logical
    if sys.platform == "darwin":
        return _sysctl("hw.perflevel0.physicalcpu") or _sysctl("hw.physicalcpu") or logical
    return max(1, logical // 2)  # Windows has no cheap portable count; nearly every desktop core runs two threads


def _linux_cores(usable: set[int], cpus: Path = _CPUS) -> int:
    """Distinct cores among the usable logical CPUs, by their sibling lists; 0 when the kernel does not tell."""
    siblings = set()
    for cpu in usable:
        try:
            siblings.add((cpus / f"cpu{cpu}" / "topology" / "thread_siblings_list").read_text())
        except OSError:
            return 0
    return len(siblings)


def _container_cores(quota: Path = _QUOTA) -> int:
    """Whole cores a cgroup v2 quota allows; ``MOST`` without one."""
    try:
        allowed, period = quota.read_text().split()
        return max(1, int(allowed) // int(period))
    except (OSError, ValueError, ZeroDivisionError):
        return MOST


def _sysctl(name: str) -> int:
    try:
        told = subprocess.run(["/usr/sbin/sysctl", "-n", name], capture_output=True, text=True, check=True)  # noqa: S603
        return int(told.stdout)
    except (OSError, subprocess.CalledProcessError, ValueError):
        return 0
