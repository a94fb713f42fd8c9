"""Messages as they are stored: one JSON object each, for any program to read."""

from __future__ import annotations

import json
from collections.abc import Sequence

from pydantic import ValidationError

from harness.errors import SettingsError, StoreError
from harness.ports.short_term import RecentMessage
from harness.state.dialogue import Message


def closed() -> StoreError:
    """A call after ``close``."""
    return StoreError("The short-term memory is closed.", remedy="Open a new one.")


def check_limits(max_tokens: int, ttl_seconds: int) -> None:
    """Raise SettingsError for limits that keep nothing."""
    if max_tokens < 1:
        raise SettingsError(f"Expected max_tokens to be 1 or more, got {max_tokens!r}.")
    if ttl_seconds < 0:
        raise SettingsError(f"Expected ttl_seconds to be 0 or more, got {ttl_seconds!r}.")


def encoded(messages: Sequence[RecentMessage]) -> list[str]:
    """JSON of each. Raises StoreError for text that is no valid Unicode."""
    return [_encoded(one) for one in messages]


def _encoded(one: RecentMessage) -> str:
    found = {
        "speaker": one.message.speaker,
        "text": one.message.text,
        "turn": one.message.turn,
        "at": one.message.at.isoformat() if one.message.at is not None else None,
        "turn_id": one.turn_id,
        "tokens": one.tokens,
    }
    text = json.dumps(found, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise StoreError(f"A message cannot be stored ({error}).", remedy="Use valid Unicode text.") from error
    return text


def decoded(document: str | bytes) -> RecentMessage:
    """The inverse. Raises ValueError for anything else."""
    found = json.loads(document)
    if not isinstance(found, dict):
        raise ValueError(f"expected an object, found {type(found).__name__}")  # noqa: TRY004 - one kind of error for its callers
    turn_id, tokens = found.pop("turn_id", ""), found.pop("tokens", 0)
    try:
        message = Message.model_validate(found)
    except ValidationError as error:
        raise ValueError(str(error)) from error
    return RecentMessage(message, str(turn_id), int(tokens))
