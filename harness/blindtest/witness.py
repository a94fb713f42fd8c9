"""What is examined: a witness, and a conversation with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Protocol, runtime_checkable

from harness.blindtest.transcript import Said, Trial, Used
from harness.state import Persona


@dataclass(frozen=True, slots=True)
class Unsupported(Exception):
    """A witness cannot do what a step asks (take a turn back, for one). What its script asks from there on is not applicable."""

    what: str


@runtime_checkable
class Conversation(Protocol):
    """One talk with a witness. Methods other than ``say`` and ``close`` may raise :class:`Unsupported`."""

    async def say(self, text: str) -> Said:
        """Say something and wait for the reply. Raises a HarnessError when there is none."""
        ...

    async def wait(self, span: timedelta) -> None:
        """Let time pass. The next message says so anyway; those that have a clock move it."""
        ...

    async def undo(self, turns: int) -> None:
        """Take the last turns back."""
        ...

    async def new_session(self) -> None:
        """Begin a new conversation of the same two; what is remembered across conversations stays."""
        ...

    async def task(self, goal: str) -> None:
        """Switch to a task."""
        ...

    async def close(self) -> None:
        """Let go of everything."""
        ...


@runtime_checkable
class Metered(Protocol):
    """A conversation that knows what it used of models for no reply: for one that failed, or at its end."""

    def unsaid(self) -> tuple[Used, ...]:
        """That, by model; asked once, after the conversation is closed."""
        ...


def unsaid(talk: Conversation) -> tuple[Used, ...]:
    """What a conversation used for no reply; nothing where it does not tell."""
    return talk.unsaid() if isinstance(talk, Metered) else ()


@runtime_checkable
class Witness(Protocol):
    """One of those compared in a run. ``about``: model and settings, for the report; by it a run is known again."""

    @property
    def name(self) -> str:
        """Unique in the run."""
        ...

    @property
    def about(self) -> Mapping[str, Any]:
        """What it is."""
        ...

    async def begin(self, trial: Trial, persona: Persona) -> Conversation:
        """A new conversation; nothing of another trial is in it."""
        ...

    async def close(self) -> None:
        """Let go of everything."""
        ...
