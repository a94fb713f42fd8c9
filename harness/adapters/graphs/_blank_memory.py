"""Memory that is blank when it is allocated, for a library that writes what it did not set.

ladybug writes whole pages and sets only what it uses of them: in the rest of the last page of its catalogue and the like, and of the
first page, is what stood in that memory before. Any text of this process can stand there, so also one that was deleted from the graph
just now. What the file has of it stays until the page is written again.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Final

_M_PERTURB: Final = -6
"""See mallopt(3): what is allocated is filled with the complement of a byte, and what is freed with that byte."""
_ZEROS: Final = 0xFF
_counting = threading.Lock()
_inside: list[None] = []
"""One entry for each that is inside."""


def can_be_blank() -> bool:
    """Whether this system's C library can do it: glibc can."""
    return _mallopt() is not None


@contextmanager
def blank_memory() -> Iterator[None]:
    """What is allocated inside is all zeros, in every thread. Elsewhere than with glibc this does nothing.

    Pieces of up to 1 KiB that one thread freed and takes again may be left as they were; the pages that are written are larger.
    """
    mallopt = _mallopt()
    if mallopt is None:
        yield
        return
    with _counting:
        _inside.append(None)
        mallopt(_M_PERTURB, _ZEROS)
    try:
        yield
    finally:
        with _counting:
            _inside.pop()
            if not _inside:
                mallopt(_M_PERTURB, _as_it_was())


@cache
def _mallopt() -> Callable[[int, int], int] | None:
    try:
        name = os.confstr("CS_GNU_LIBC_VERSION") or ""
        if not name.startswith("glibc"):
            return None
        found = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, ValueError):
        return None
    found.argtypes, found.restype = [ctypes.c_int, ctypes.c_int], ctypes.c_int
    return found


def _as_it_was() -> int:
    try:
        return int(os.environ.get("MALLOC_PERTURB_", "0")) & 0xFF
    except ValueError:
        return 0
