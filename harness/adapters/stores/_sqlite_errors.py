"""What SQLite's result codes mean for somebody who talks to a character.

Codes: https://www.sqlite.org/rescode.html
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from harness.errors import CorruptStore, StorageFull, StoreError

if TYPE_CHECKING:
    from pathlib import Path

_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL})
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_UNWRITABLE = frozenset({sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH})
# A quota (EDQUOT) or a file-size limit (EFBIG) surfaces as a failed write, not as SQLITE_FULL, which is ENOSPC only.
_NO_ROOM = frozenset({sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_TRUNCATE, sqlite3.SQLITE_IOERR_SHMSIZE})


def is_busy(error: sqlite3.Error) -> bool:
    """Whether another connection held a lock for too long."""
    return _code(error) & 0xFF in _BUSY


def corrupt(place: Path | str, reason: str, what: str = "session store") -> CorruptStore:
    """The file is not what it should be; nothing was changed in it."""
    return CorruptStore(
        f"Expected a {what} at {str(place)!r}, but {reason}. The file was left untouched.",
        remedy=(
            "Restore it from a backup, or move it away together with the -wal and -shm files beside it: a new, empty "
            "store is made where there is none. `sqlite3 FILE .recover` may save what is left."
        ),
        path=str(place),
    )


def translate(
    error: sqlite3.Error, place: Path | str, busy_timeout_s: float, what: str = "session store"
) -> StoreError:
    """The :class:`StoreError` for an error that SQLite raised on the file at ``place``."""
    code = _code(error)
    primary = code & 0xFF
    where = repr(str(place))
    # sqlite3 finds invalid UTF-8 itself and raises without a code of SQLite.
    if primary in _DAMAGED or "Could not decode to UTF-8" in str(error):
        return corrupt(place, f"it is damaged ({error})", what)
    if primary == sqlite3.SQLITE_FULL or code in _NO_ROOM:
        return StorageFull(
            f"The {what} {where} could not be written ({error}); nothing was half-written.",
            remedy="Free some space or raise the quota, and repeat the action.",
            path=str(place),
        )
    if primary in _BUSY:
        return StoreError(
            f"Another program has held a lock on the {what} {where} for more than {busy_timeout_s:g} s.",
            remedy="Close the other program (perhaps a database browser with an open transaction), then try again.",
            path=str(place),
        )
    if primary in _UNWRITABLE:
        return StoreError(
            f"The {what} {where} cannot be opened for writing ({error}).",
            remedy="Make the file and its folder writable for this user, or choose another place.",
            path=str(place),
        )
    if primary == sqlite3.SQLITE_TOOBIG:
        return StoreError(f"A document for the {what} {where} is larger than SQLite takes.", path=str(place))
    return StoreError(
        f"The {what} {where} failed ({type(error).__name__}: {error}).",
        remedy="See whether the disk is well; the last complete write is still there.",
        path=str(place),
    )


def _code(error: sqlite3.Error) -> int:
    # Errors that the Python module raises itself (a closed connection …) carry no code.
    return getattr(error, "sqlite_errorcode", 0)
