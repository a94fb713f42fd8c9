"""The judge's side of a human test: lines that are typed become messages, commands and, at the end, a verdict."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol, cast

from harness.blindtest.human.room import Room
from harness.blindtest.human.saved import REASONS, Judgement, Reason
from harness.blindtest.human.sealing import Letter
from harness.prompts import language_chain
from harness.yaml_strict import load_yaml

FILE = Path(__file__).with_name("lines.yaml")
_SAID = re.compile(r"\s*([ABab])\s*[:：]\s*(.+)", re.DOTALL)
_LETTER = re.compile(r"\s*([ABab])\s*")


class Typing(Protocol):
    """Where lines come from."""

    async def line(self, prompt: str = "") -> str | None:
        """The next line; None at the end of all input. Can be cancelled."""
        ...


@lru_cache(maxsize=1)
def _all() -> dict[str, Any]:
    return dict(load_yaml(FILE))


def line(name: str, language: str, **values: object) -> str:
    """A line of the terminals in a language."""
    known = _all()
    text: str = next(known[code][name] for code in language_chain(language) if code in known)
    for key, value in values.items():
        text = text.replace(f"{{{key}}}", str(value))
    return text


@dataclass(slots=True)
class JudgeDesk:
    """Reads what the judge types until there is a verdict.

    Attributes:
        tell: shows a line that comes from neither channel.
    """

    room: Room
    typing: Typing
    tell: Callable[[str], None]
    language: str

    async def sit(self) -> Judgement | None:
        """Hold the session; gives the verdict, or None when the judge left without one."""
        while True:
            text = await self._until_over()
            if text is None:
                return None
            word = text.strip().casefold()
            if word == "/quit":
                return None
            if word == "/time":
                self.tell(line("left", self.language, seconds=round(self.room.left())))
                continue
            if word in ("/verdict", _OVER):
                await self.room.settled()
                if word == _OVER:
                    self.tell(line("over", self.language))
                return await self._verdict()
            said = _SAID.fullmatch(text)
            if said is None:
                if word:
                    self.tell(line("form", self.language))
                continue
            letter: Letter = "A" if said[1].upper() == "A" else "B"
            if not await self.room.say(letter, said[2]):
                await self.room.settled()
                self.tell(line("over", self.language))
                return await self._verdict()

    async def _until_over(self) -> str | None:
        """The next line; the mark of the end when the time is over first."""
        reading = asyncio.ensure_future(self.typing.line("> "))
        try:
            while True:
                # The clock begins with the first message, so what is left is asked for again and again.
                done, _ = await asyncio.wait({reading}, timeout=min(1.0, max(0.05, self.room.left())))
                if done:
                    return reading.result()
                if self.room.left() <= 0:
                    return _OVER
        finally:
            if not reading.done():
                reading.cancel()
                await asyncio.wait({reading})

    async def _verdict(self) -> Judgement | None:
        letter = await self._answer(
            "which", "A / B", lambda text: found[1].upper() if (found := _LETTER.fullmatch(text)) else None
        )
        sure = await self._answer("sure", "50–100", _percent) if letter else None
        why = await self._answer("why", "1–4", _reason) if sure else None
        if not letter or not sure or not why:
            return None
        words = await self.typing.line(line("words", self.language) + " ")
        return Judgement(
            human=cast("Letter", letter),
            confidence=int(sure) / 100,
            reason=cast("Reason", why),
            words=(words or "").strip()[:2000],
        )

    async def _answer(self, name: str, expected: str, read: Callable[[str], str | None]) -> str | None:
        """An answer that fits; asked for again until it does. None at the end of all input."""
        while True:
            text = await self.typing.line(line(name, self.language) + " ")
            if text is None or text.strip().casefold() == "/quit":
                return None
            found = read(text)
            if found is not None:
                return found
            self.tell(line("again", self.language, expected=expected, given=repr(text.strip())))


_OVER = "\x00over"


def _percent(text: str) -> str | None:
    plain = text.strip().rstrip("%％").strip()
    return plain if plain.isascii() and plain.isdigit() and 50 <= int(plain) <= 100 else None


def _reason(text: str) -> str | None:
    plain = text.strip().casefold()
    if plain in REASONS:
        return plain
    return REASONS[int(plain) - 1] if plain in ("1", "2", "3", "4") else None
