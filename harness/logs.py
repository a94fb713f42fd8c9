"""Logging: structlog, to standard error, with secrets taken out just before rendering."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Mapping, MutableMapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import structlog

from harness.addresses import masked_in
from harness.settings import LogSettings

if TYPE_CHECKING:
    from harness.redacting import Redactor

SECRET = re.compile(r"(?i)(?:\bsk-[A-Za-z0-9_-]{8,}|\bBearer\s+\S+|\b(?:api[_-]?key|token|password)\s*[=:]\s*\S+)")
HIDDEN = "[redacted]"
_USER = re.compile(r"(?<=://)\S*?:(?:\[redacted\]|\*{3})(?=@)")
"""Goes with its password: a user before a ``:`` looks like a password to the redactor, which would take the host out, too."""


def redact(value: str) -> str:
    """A text without keys, tokens, passwords in addresses, cards, id numbers and phone numbers, nor what the last Harness that
    was made takes out besides: what its languages call a secret, and its own patterns.
    """
    value = _redactor().plain(SECRET.sub(HIDDEN, _USER.sub(HIDDEN, masked_in(value, HIDDEN))), HIDDEN)
    return value if _with_words is None else _with_words.plain(value, HIDDEN)


_with_words: Redactor | None = None


@lru_cache(maxsize=1)
def _redactor() -> Redactor:
    """Without the words of any language: what is told by its form alone. Made for the first line, not for every command."""
    from harness.redacting import Redactor

    return Redactor()


def _redact_event(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for key, value in event.items():
        event[key] = _redacted(value)
    return event


def _redacted(value: Any) -> Any:
    """The same without secrets. What is neither a number nor made of such parts is taken as the text that would be shown of it."""
    if isinstance(value, bool | int | float | None):
        return value
    if isinstance(value, Mapping):
        return {_redacted(name): _redacted(item) for name, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_redacted(item) for item in value]
    return redact(value if isinstance(value, str) else repr(value))


def _logger(*_: Any) -> structlog.PrintLogger:
    """A logger on standard error as it is now, not as it was when logging was set up."""
    return structlog.PrintLogger(sys.stderr)


def configure(settings: LogSettings, redactor: Redactor | None = None) -> None:
    """Set up structlog once for the process; a program that configured structlog itself is left alone.

    Args:
        redactor: takes out of lines what the forms alone do not tell.
    """
    global _with_words  # noqa: PLW0603 - so is the configuration of structlog
    _with_words = redactor or _with_words
    if structlog.is_configured():
        return
    renderer: Any = (
        structlog.processors.JSONRenderer(ensure_ascii=False)
        if settings.format == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            _redact_event,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, settings.level.upper())),
        logger_factory=_logger,
        cache_logger_on_first_use=False,
    )
