"""Commitments: who promised what to whom by when."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from harness.state.base import Frozen


class CommitmentStatus(StrEnum):
    """Where a promise stands."""

    open = "open"
    kept = "kept"
    broken = "broken"
    withdrawn = "withdrawn"


class Commitment(Frozen):
    """One promise. ``due`` keeps the words ("tomorrow", 下周三), ``due_at`` the moment they meant at that turn."""

    id: str
    by: str
    to: str
    text: str
    due: str = ""
    due_at: datetime | None = None
    status: CommitmentStatus = CommitmentStatus.open
    turn: int = 0
    closed_turn: int | None = None
    quote: str = ""
