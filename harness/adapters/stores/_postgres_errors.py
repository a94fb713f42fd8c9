"""What PostgreSQL's errors mean for somebody who talks to a character.

Codes: https://www.postgresql.org/docs/current/errcodes-appendix.html
"""

from __future__ import annotations

from typing import Any

from harness.addresses import masked, said_of
from harness.errors import CorruptStore, StorageFull, StoreError

_REMEDIES = {
    "28": "Correct the user and the password in the address; ${NAME} in it takes them from the environment.",
    "3D": "Create the database (`createdb NAME`), or name another one in the address.",
    "3F": "Create the schema that search_path names, or leave search_path out of the address.",
    "42501": "Give the user the rights to create and use tables in this schema, or name another user.",
    "53300": "Lower pool_size, or raise max_connections of the server.",
    "25006": "Name the primary server in the address, not a standby.",
}
_STARTING = "57P03"


def starting(error: BaseException) -> bool:
    """The server is there, but not ready yet."""
    # libpq gives no code for what is said while connecting.
    return getattr(error, "sqlstate", None) == _STARTING or "starting up" in str(error)


def away(url: str, what: str, reason: object) -> StoreError:
    """No connection could be made."""
    said = _said(url, reason)
    code = next((code for words, code in _WORDS if words in said), "")
    remedy = _REMEDIES.get(code, "Start the server, or correct the address; `harness doctor` tries it.")
    return StoreError(f"The {what} at {masked(url)!r} cannot be reached ({said}).", remedy=remedy, url=masked(url))


_WORDS = (
    ("password", "28"),
    ("role ", "28"),
    ("pg_hba", "28"),
    ("database ", "3D"),
    ("too many", "53300"),
    ("connection slots", "53300"),
)
"""Words of what is said while connecting → code."""


def silent(url: str, what: str, timeout_s: float) -> StoreError:
    """The server takes connections but does not answer."""
    return StoreError(
        f"The {what} at {masked(url)!r} gave no answer within {timeout_s:g} s; nothing was half-written.",
        remedy="See whether the server is overloaded or hangs, or raise timeout_s.",
        url=masked(url),
    )


def busy(url: str, what: str, pool_size: int, timeout_s: float) -> StoreError:
    """All connections of the pool are in use."""
    return StoreError(
        f"All {pool_size} connections to the {what} at {masked(url)!r} were in use for {timeout_s:g} s.",
        remedy="Raise pool_size or timeout_s.",
        url=masked(url),
    )


def lost(url: str, what: str, error: object) -> StoreError:
    """The connection ended while it was used, and could not be made again in time."""
    return StoreError(
        f"The {what} at {masked(url)!r} went away during a call ({_said(url, error)}); nothing was half-written.",
        remedy="Start the server, then repeat the action.",
        url=masked(url),
    )


def corrupt(url: str, reason: str, what: str) -> CorruptStore:
    """What is stored is not what it should be; nothing was changed."""
    return CorruptStore(
        f"Expected a {what} at {masked(url)!r}, but {reason}. It was left untouched.",
        remedy="Restore the database from a backup, or name another database or schema in the address.",
        url=masked(url),
    )


def translate(error: Any, url: str, what: str, timeout_s: float) -> StoreError:
    """The :class:`StoreError` for an error that psycopg raised on an open connection."""
    code = str(getattr(error, "sqlstate", None) or "")
    said, where = _said(url, error), masked(url)
    if code in {"57014", "55P03"}:
        return silent(url, what, timeout_s)
    if code == "53100":
        return StorageFull(
            f"The {what} at {where!r} could not be written ({said}); nothing was half-written.",
            remedy="Free some space on the server, and repeat the action.",
            url=where,
        )
    if code in {"XX001", "XX002"}:
        return corrupt(url, f"it is damaged ({said})", what)
    if code in {"42P01", "42703"}:
        return corrupt(url, f"a table or column of it is missing ({said})", what)
    remedy = _REMEDIES.get(code) or _REMEDIES.get(code[:2], "The last complete write is still there.")
    return StoreError(f"The {what} at {where!r} refused ({said}).", remedy=remedy, url=where)


def _said(url: str, reason: object) -> str:
    """The first line of a message, without the password."""
    text = str(reason).strip() or type(reason).__name__
    return said_of(url, text).splitlines()[0].rstrip(".")
