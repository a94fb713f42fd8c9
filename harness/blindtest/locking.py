"""One writer at a time: a lock on the folder of a run, which the system takes back when its holder dies, however it dies."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path

import structlog

from harness.errors import RunBusy, RunError
from harness.file_lock import try_lock

LOCK = ".lock"
"""Holds the number of the process that writes."""
log = structlog.get_logger("harness.blindtest")
_BEYOND = 1 << 20
"""The byte that is locked on Windows: beyond the number, so that others can read it."""
_HELD: ContextVar[frozenset[Path]] = ContextVar("harness_blindtest_held", default=frozenset())
"""Folders that this task, or the one that began it, is the only writer of."""


@contextlib.contextmanager
def alone_or_inside(folder: Path) -> Iterator[None]:
    """Like :func:`alone`; inside a context that holds the folder already there is nothing to do. Raises RunBusy, RunError."""
    place = folder.resolve()
    if place in _HELD.get():
        yield
        return
    with alone(folder):
        before = _HELD.set(_HELD.get() | {place})
        try:
            yield
        finally:
            _HELD.reset(before)


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Be the only writer of a folder, which is made where it is missing.

    The file alone says nothing: the lock is the system's. One that a killed process left behind is taken over.

    Raises:
        RunBusy: another process writes there. RunError: the folder cannot be written.
    """
    path = folder / LOCK
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = _opened(path)
    except OSError as failure:
        raise RunError(
            f"{folder} cannot be written: {failure.strerror or failure}.", remedy="Choose another folder."
        ) from failure
    try:
        if left := os.read(descriptor, 32).decode("ascii", "replace").strip():
            log.info("lock_taken_over", folder=str(folder), left_by=left)
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.truncate(descriptor, 0)
        os.write(descriptor, f"{os.getpid()}\n".encode())
        yield
    finally:
        with contextlib.suppress(OSError):  # Windows deletes no open file; the next one takes it over
            path.unlink()
        os.close(descriptor)


def _opened(path: Path) -> int:
    """The lock file, open and locked."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        if not try_lock(descriptor, at=_BEYOND):
            holder = os.read(descriptor, 32).decode("ascii", "replace").strip()
            os.close(descriptor)
            raise RunBusy(
                f"{path.parent} is being written by another process{f' ({holder})' if holder else ''}.",
                remedy="Wait until it has ended, or end it: a run is gone on with by --resume. A new one can be held in another folder, named with --out.",
            )
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(descriptor), path.stat()):
                return descriptor
        os.close(descriptor)  # whoever held it has taken the file away meanwhile
