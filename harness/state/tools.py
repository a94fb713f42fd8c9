"""Results of tools that the host ran: what was called with what, and what came back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic import field_validator

from harness.state.base import Frozen


class ToolResult(Frozen):
    """One call of a tool and its result. The host gives ``name``, ``arguments``, ``text`` and ``error``; the rest is filled in.

    Attributes:
        name: of the tool.
        arguments: JSON text with sorted keys, so that the same call has the same text. A mapping is taken, too.
        text: what came back. A mapping or a list is taken, too, and becomes JSON text. Of a long result the conversation keeps
            the digest here, and ``ref`` leads to the whole.
        error: the tool failed; ``text`` says how.
        id: unique on the branch. ``turn``: the turn it was given with, or after. ``task``: id of the task at hand then.
        ref: of the whole text in the artifacts; empty when it stands here.
        characters: of the whole text. ``sha256``: of it in UTF-8, 64 hexadecimal digits.
    """

    name: str
    arguments: str = ""
    text: str
    error: bool = False
    id: str = ""
    turn: int = 0
    at: datetime | None = None
    task: str = ""
    ref: str = ""
    characters: int = 0
    sha256: str = ""

    @field_validator("arguments", mode="before")
    @classmethod
    def _as_text(cls, value: Any) -> Any:
        """Arguments in one form, however they were written."""
        if isinstance(value, str):
            try:
                parsed = json.loads(value)
            except (ValueError, RecursionError):
                return value.strip()
            return _json(parsed) if isinstance(parsed, dict | list) else value.strip()
        if value is None:
            return ""
        return _json(value) if isinstance(value, Mapping | list | tuple) else value

    @field_validator("text", mode="before")
    @classmethod
    def _result_as_text(cls, value: Any) -> Any:
        """A structured result as JSON text."""
        return _json(value) if isinstance(value, Mapping | list | tuple) else value

    @property
    def call(self) -> tuple[str, str]:
        """What was asked: the same for the same call."""
        return self.name, self.arguments

    @property
    def said(self) -> str:
        """The call in a few words: ``weather(city=杭州, days=3)``."""
        try:
            parsed = json.loads(self.arguments) if self.arguments else {}
        except (ValueError, RecursionError):
            parsed = self.arguments
        if isinstance(parsed, dict):
            inside = ", ".join(
                f"{key}={value if isinstance(value, str) else _json(value)}" for key, value in parsed.items()
            )
        else:
            inside = self.arguments
        return f"{self.name}({inside})"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
