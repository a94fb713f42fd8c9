"""Witnesses made of a function, for tests and for planted faults; and recorded ones, which say again what a transcript has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from harness.blindtest.transcript import Exchange, Said, Transcript, Trial
from harness.errors import RunError
from harness.state import Persona

Answer = Callable[["Asked"], str | Said]
"""Gives the reply to a message."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a function answers.

    Attributes:
        text: the message. ``number``: of the exchange in this session, from 1.
        history: (message, reply) of this session so far.
    """

    text: str
    number: int
    history: tuple[tuple[str, str], ...]
    trial: Trial
    persona: Persona


@dataclass(frozen=True, slots=True)
class ScriptedWitness:
    """A witness whose replies a function gives."""

    name: str
    answer: Answer
    about: Mapping[str, Any] = field(default_factory=dict)

    async def begin(self, trial: Trial, persona: Persona) -> _Talk:
        """A new conversation."""
        return _Talk(self.answer, trial, persona)

    async def close(self) -> None:
        """Nothing is held."""


class _Talk:
    def __init__(self, answer: Answer, trial: Trial, persona: Persona) -> None:
        self._answer, self._trial, self._persona = answer, trial, persona
        self._history: list[tuple[str, str]] = []

    async def say(self, text: str) -> Said:
        """What the function gives."""
        asked = Asked(text, len(self._history) + 1, tuple(self._history), self._trial, self._persona)
        given = self._answer(asked)
        said = Said(text=given) if isinstance(given, str) else given
        self._history.append((text, said.text))
        return said

    async def wait(self, span: timedelta) -> None:
        """Nothing."""

    async def undo(self, turns: int) -> None:
        """Drop the last exchanges."""
        del self._history[max(0, len(self._history) - turns) :]

    async def new_session(self) -> None:
        """Begin anew."""
        self._history.clear()

    async def task(self, goal: str) -> None:
        """Nothing."""

    async def close(self) -> None:
        """Nothing is held."""


@dataclass(frozen=True, slots=True)
class RecordedWitness:
    """A witness that says again what it said in a run before, trial by trial."""

    name: str
    transcripts: Mapping[tuple[str, str, str, int], Transcript]
    about: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, name: str, transcripts: Sequence[Transcript]) -> RecordedWitness:
        """From the transcripts of one witness."""
        return cls(name, {one.trial.case: one for one in transcripts}, {"recorded": len(transcripts)})

    async def begin(self, trial: Trial, persona: Persona) -> _Talk:
        """The conversation of a trial. Raises RunError: it is not among the transcripts."""
        found = self.transcripts.get(trial.case)
        if found is None:
            raise RunError(
                f"Nothing was recorded for {'/'.join(map(str, trial.case))}.",
                remedy="Record it, or run the suites that were recorded.",
            )
        exchanges = iter(found.exchanges)
        return _Talk(lambda asked: _recorded(asked, exchanges), trial, persona)

    async def close(self) -> None:
        """Nothing is held."""


def _recorded(asked: Asked, exchanges: Any) -> Said:
    exchange: Exchange | None = next(exchanges, None)
    if exchange is None or exchange.user != asked.text:
        raise RunError(
            f"The recording does not go on with {asked.text[:80]!r}.",
            remedy="The suite or the character has changed since; record anew.",
        )
    return exchange.said
