"""One conversation of one character with one user: talking, looking, moving in the tree of turns, changing by hand."""

from harness.session.folding import initial_state, messages_of, rebuild, reference
from harness.session.mirror import Mirroring
from harness.session.replies import Reply, TimelineEntry
from harness.session.session import Change, Session
from harness.session.turns import given_with
from harness.session.turnstile import Turnstile

__all__ = [
    "Change",
    "Mirroring",
    "Reply",
    "Session",
    "TimelineEntry",
    "Turnstile",
    "given_with",
    "initial_state",
    "messages_of",
    "rebuild",
    "reference",
]
