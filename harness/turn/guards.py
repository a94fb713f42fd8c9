"""Guards of the turn table: questions about a turn with a yes or no answer."""

from __future__ import annotations

from harness.context.tokens import message_tokens
from harness.turn.turn import Turn

REVISION_PENALTY = 0.5
"""A candidate whose findings add up to this much is not sent while revision is allowed."""


def needs_revision(turn: Turn) -> bool:
    """The chosen reply failed its check and a round of revision is left."""
    settings = turn.settings
    return (
        settings.persona_consistency_check
        and turn.revisions < settings.max_revisions
        and bool(turn.candidates)
        and turn.candidates[turn.chosen].penalty >= REVISION_PENALTY
    )


def summary_is_due(turn: Turn) -> bool:
    """Recent messages are more than twice the window, or over the token limit, and something may be compressed."""
    settings, messages = turn.settings, turn.state.messages
    if len(messages) <= settings.short_term_window:
        return False
    return (
        len(messages) > 2 * settings.short_term_window
        or message_tokens(messages, turn.tokens) > settings.summary_trigger_tokens
    )
