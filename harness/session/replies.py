"""What a session gives back: a reply, and a place in the tree of turns."""

from __future__ import annotations

from dataclasses import dataclass

from harness.state import ModelCall, TurnRecord


@dataclass(frozen=True, slots=True)
class Reply:
    """What :meth:`Session.say` gives.

    Attributes:
        text: what the character said.
        turn_id, number: which turn it was; empty and 0 when ``ended``.
        ended: the session has reached ``max_turns``; nothing was stored and the text says so.
        revised: the first reply failed its check and another one was sent.
        calls: model calls made for the reply (bookkeeping not included).
    """

    text: str
    turn_id: str = ""
    number: int = 0
    ended: bool = False
    revised: bool = False
    calls: tuple[ModelCall, ...] = ()


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """One turn of the tree. ``current``: on the branch that leads to the head."""

    record: TurnRecord
    current: bool
    head: bool
