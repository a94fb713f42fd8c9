"""A lock of the operating system on an open file: it goes with the process that holds it, however that ends."""

from __future__ import annotations

import os
import sys

if sys.platform == "win32":
    import msvcrt

    def try_lock(descriptor: int, *, at: int = 0) -> bool:
        """Lock an open file for this process; False when another one has it. ``at``: the byte locked on Windows, which nobody else can read."""
        os.lseek(descriptor, at, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def try_lock(descriptor: int, *, at: int = 0) -> bool:
        """Lock an open file for this process; False when another one has it. ``at``: the byte locked on Windows, which nobody else can read."""
        del at  # the whole file is locked, and may be read by all
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


__all__ = ["try_lock"]
