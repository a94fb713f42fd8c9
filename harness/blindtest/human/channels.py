"""Who answers at a channel: a witness, or what was recorded of somebody. The person at another terminal is in ``joining``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from harness.blindtest.folder import RunFolder
from harness.blindtest.human.saved import sessions_in
from harness.blindtest.witness import Conversation
from harness.errors import RunError
from harness.language import LanguagePack
from harness.understanding.text import fold, likeness, terms


class Channel(Protocol):
    """One side of a human test."""

    async def answer(self, text: str, seconds: float) -> str:
        """The reply to a message, due after so many seconds; may be cancelled then. Raises whatever goes wrong."""
        ...

    async def close(self) -> None:
        """Let go of everything."""
        ...


class WitnessChannel:
    """A conversation with a witness."""

    def __init__(self, talk: Conversation) -> None:
        self._talk = talk
        self._closed = False

    async def answer(self, text: str, seconds: float) -> str:
        """What the witness says."""
        del seconds
        return (await self._talk.say(text)).text

    async def close(self) -> None:
        """End the conversation. Once is enough."""
        if not self._closed:
            self._closed = True
            await self._talk.close()


class RecordedChannel:
    """Replies that were given before. To a message the reply that was given to the one most like it; each is said once.

    Attributes:
        pairs: (message, reply).
    """

    def __init__(self, pairs: Sequence[tuple[str, str]], pack: LanguagePack) -> None:
        self._left = list(pairs)
        self._pack = pack

    async def answer(self, text: str, seconds: float) -> str:
        """The reply. Raises RunError: all of them were said."""
        del seconds
        if not self._left:
            raise RunError("Everything that was recorded was said.", remedy="Record more, or hold shorter sessions.")
        best = max(range(len(self._left)), key=lambda index: (self._like(text, self._left[index][0]), -index))
        return self._left.pop(best)[1]

    async def close(self) -> None:
        """Nothing is held."""

    def _like(self, text: str, recorded: str) -> float:
        one, other = terms(text, self._pack), terms(recorded, self._pack)
        shared = len(one & other) / len(one | other) if one | other else 0.0
        return shared + 0.1 * likeness(fold(text), fold(recorded))


def recorded_pairs(folder: Path, witness: str = "") -> tuple[str, tuple[tuple[str, str], ...]]:
    """Whose they are, and (message, reply) of a run of blind tests, or of sessions of human tests that were held to their end.

    Args:
        witness: of the run; its first when empty. Of human tests, what the persons said is taken.

    Raises:
        RunError: nothing was recorded there.
    """
    run = RunFolder(folder)
    if run.exists:
        info = run.info()
        name = witness or next(iter(info.witnesses))
        if name not in info.witnesses:
            raise RunError(
                f"There is no witness {name!r} in {folder}.", remedy=f"There are {', '.join(info.witnesses)}."
            )
        talks = [one for one in run.transcripts() if one.trial.witness == name]
        found = [(one.user, one.said.text) for talk in talks for one in talk.exchanges]
    else:
        name, found = "person", []
        for session in sessions_in(folder):
            opened = session.opened()
            letter = (
                next((key for key, seat in opened.key.seats.items() if seat.kind == "person"), None) if opened else None
            )
            asked = ""
            for line in session.lines():
                if line.channel == letter and line.who == "judge":
                    asked = line.text
                elif line.channel == letter and line.text:
                    found.append((asked, line.text))
    if not found:
        raise RunError(
            f"Nothing that was said is recorded in {folder}.",
            remedy="Give the folder of a run, or of human tests in which a person took part.",
        )
    return name, tuple(found)
