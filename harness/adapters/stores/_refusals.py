"""The refusals every store answers with, in the same words."""

from __future__ import annotations

from harness.errors import ConflictError, SessionExists, SessionNotFound, StoreError, TurnNotFound


def closed() -> StoreError:
    """A call after :meth:`close`."""
    return StoreError("The session store is closed.", remedy="Open a new one.")


def no_session(session_id: str) -> SessionNotFound:
    """The session is not stored."""
    return SessionNotFound(f"No session {session_id!r} is stored.", session_id=session_id)


def session_exists(session_id: str) -> SessionExists:
    """The id is taken."""
    return SessionExists(
        f"A session {session_id!r} is stored already.",
        remedy="Open it, choose another id, or delete it first.",
        session_id=session_id,
    )


def no_turn(session_id: str, turn_id: str) -> TurnNotFound:
    """The session has no such turn."""
    return TurnNotFound(f"Session {session_id!r} has no turn {turn_id!r}.", session_id=session_id, turn_id=turn_id)


def not_above(session_id: str, turn_id: str | None, after: str) -> TurnNotFound:
    """``after`` is not on the branch that was asked for."""
    return TurnNotFound(
        f"Turn {after!r} of session {session_id!r} is not on the branch that ends at {turn_id!r}.",
        session_id=session_id,
        turn_id=after,
    )


def stale(session_id: str, expected: int, found: int) -> ConflictError:
    """The session was changed elsewhere."""
    return ConflictError(
        f"Session {session_id!r} was changed elsewhere: expected version {expected}, found {found}.",
        session_id=session_id,
        expected=expected,
        found=found,
    )


def turn_exists(session_id: str, turn_id: str, version: int) -> ConflictError:
    """The record's id is taken; records are only ever replaced by ``amend``."""
    return ConflictError(
        f"Session {session_id!r} already has a turn {turn_id!r}.",
        remedy="Give the record a fresh id, or amend the stored one.",
        session_id=session_id,
        turn_id=turn_id,
        expected=version,
        found=version,
    )


def moved(session_id: str, turn_id: str, stored: str | None, given: str | None) -> StoreError:
    """An amended record names another parent; the tree would change under its children."""
    return StoreError(
        f"Turn {turn_id!r} of session {session_id!r} hangs below {stored!r}; amending cannot move it below {given!r}.",
        remedy="Append a new record instead.",
        session_id=session_id,
        turn_id=turn_id,
    )
