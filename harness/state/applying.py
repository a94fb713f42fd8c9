"""What every handler of :func:`~harness.state.apply.apply` shares: refusing, limits, the form values are compared in."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from harness.state.dialogue import DialogueState

MAX_VALUE = 500
"""Longest fact value, label, name or note key, in characters."""
MAX_TEXT = 20_000
"""Longest commitment, task line, note or summary, in characters."""
MAX_FACTS = 2_000
_SHORT = 80
"""Length up to which it is remembered how a text is compared: a table of names is looked through many times a turn."""


class Refused(Exception):
    """Carries the reason out of a handler."""


def refuse(reason: str) -> Refused:
    """What a handler raises to refuse an operation."""
    return Refused(reason)


def normal(text: str) -> str:
    """The form in which values are compared: NFKC, case-folded, single spaces, no closing punctuation."""
    return _normal_short(text) if len(text) <= _SHORT else _normal(text)


def _normal(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).strip(" .,!?;:。，！？；：\"'“”‘’")


_normal_short = lru_cache(maxsize=4096)(_normal)


def checked_text(value: str, what: str, limit: int = MAX_VALUE) -> str:
    """``value``, when it is text that can be kept. Raises Refused."""
    if not value.strip():
        raise refuse(f"{what} is empty")
    if any(unicodedata.category(char) in ("Cc", "Cs") and char not in "\n\t" for char in value):
        raise refuse(f"{what} has control characters or lone surrogates")
    if len(value) > limit:
        raise refuse(f"{what} has {len(value)} characters, at most {limit} are kept")
    return value


def merged(*groups: Iterable[str], limit: int) -> tuple[str, ...]:
    """The items of all groups, each once, at most ``limit``."""
    return tuple(dict.fromkeys(item for group in groups for item in group if item))[:limit]


def next_id(state: DialogueState, prefix: str) -> tuple[int, str]:
    """The next serial number of a state, and the id made of it."""
    serial = state.serial + 1
    return serial, f"{prefix}{serial}"


def changed(state: DialogueState, **changes: Any) -> DialogueState:
    """A copy with some fields changed. The values are validated models already, so nothing is validated again."""
    return state.model_copy(update=changes)
