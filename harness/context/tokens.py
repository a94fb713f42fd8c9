"""Tokens of messages, as the budget counts them."""

from __future__ import annotations

from collections.abc import Iterable

from harness.ports.tokens import PER_MESSAGE, Estimate, TokenCounter, estimate
from harness.state import Message

__all__ = ["ESTIMATE", "PER_MESSAGE", "estimate", "message_tokens"]

ESTIMATE = Estimate()


def message_tokens(messages: Iterable[Message], tokens: TokenCounter = ESTIMATE) -> int:
    """Tokens of recent messages with their chat template."""
    return sum(tokens.count(message.text) + tokens.per_message for message in messages)
