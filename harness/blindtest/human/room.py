"""The room of a human test: the judge says something to a channel, and what comes back is shown when it is due."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from harness.blindtest.human.channels import Channel
from harness.blindtest.human.saved import Judgement, Line, Opened, SessionFolder
from harness.blindtest.human.schedule import Schedule
from harness.blindtest.human.sealing import LETTERS, Key, Letter
from harness.errors import RunError

LONGEST = 2000
"""Characters of a message or a reply that are shown."""
Show = Callable[[Letter, str], None]
"""Shows what came back; an empty text is silence."""


@dataclass(slots=True)
class Room:
    """One session.

    Attributes:
        seconds: time limit, counted from the first message.
        sleep, clock: of the machine; tests give their own.
    """

    channels: Mapping[Letter, Channel]
    key: Key
    schedule: Schedule
    folder: SessionFolder
    show: Show
    seconds: float = 300.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    clock: Callable[[], float] = time.monotonic
    _began: float | None = None
    _asked: dict[Letter, int] = field(default_factory=lambda: {"A": 0, "B": 0})
    _pending: dict[Letter, asyncio.Task[None]] = field(default_factory=dict)
    _timings: dict[Letter, list[float]] = field(default_factory=lambda: {"A": [], "B": []})
    _failures: dict[Letter, list[str]] = field(default_factory=lambda: {"A": [], "B": []})
    _ended: bool = False

    def left(self) -> float:
        """Seconds left; all of them before the first message."""
        return self.seconds if self._began is None else max(0.0, self.seconds - (self.clock() - self._began))

    def waiting(self, letter: Letter) -> bool:
        """Whether a reply of a channel is still to come."""
        task = self._pending.get(letter)
        return task is not None and not task.done()

    async def say(self, letter: Letter, text: str) -> bool:
        """Say something to a channel, once its last reply is there. False when the time was over before it could be said."""
        await self.settled(letter)
        if self._ended or self.left() <= 0:
            return False
        if self._began is None:
            self._began = self.clock()
        said = plain(text)
        self._asked[letter] += 1
        self._note(letter, "judge", said)
        self._pending[letter] = asyncio.create_task(self._exchange(letter, said, self._asked[letter]))
        return True

    async def settled(self, letter: Letter | None = None) -> None:
        """Wait until the replies that were asked for are shown."""
        tasks = [task for key, task in self._pending.items() if letter in (None, key) and not task.done()]
        for task in tasks:
            await asyncio.wait({task})

    async def _exchange(self, letter: Letter, text: str, number: int) -> None:
        """Ask a channel and release what it says when it is due, whether it was there long ago or is not there at all."""
        delay = self.schedule.delay(number)
        started = self.clock()
        answering = asyncio.create_task(self.channels[letter].answer(text, delay))
        answering.add_done_callback(lambda _: self._timings[letter].append(self.clock() - started))
        try:
            await self.sleep(delay)
        finally:
            reply = await self._taken(letter, answering)
        self._note(letter, "other", reply)
        self.show(letter, reply)

    async def _taken(self, letter: Letter, answering: asyncio.Task[str]) -> str:
        """What there is of a reply now. A failure looks like silence; its reason is kept until the verdict."""
        if not answering.done():
            answering.cancel()
            await asyncio.wait({answering})
            self._timings[letter][-1] = 0.0
            self._failures[letter].append("not ready in time")
            return ""
        if answering.cancelled():
            self._failures[letter].append("ended")
            return ""
        failure = answering.exception()
        if failure is not None:
            self._failures[letter].append(f"{type(failure).__name__}: {failure}")
            return ""
        return plain(answering.result())

    def _note(self, letter: Letter, who: str, text: str) -> None:
        at = 0.0 if self._began is None else round(self.clock() - self._began, 1)
        self.folder.add(Line.model_validate({"at": at, "channel": letter, "who": who, "text": text}))

    def answered(self) -> dict[Letter, int]:
        """Replies that were shown, by channel; silence left out."""
        lines = self.folder.lines()
        return {
            one: sum(line.who == "other" and bool(line.text) for line in lines if line.channel == one)
            for one in LETTERS
        }

    async def judge(self, judgement: Judgement) -> Key:
        """Store the verdict, and only then open the key.

        Raises:
            RunError: no channel is named, or there is a verdict already.
        """
        if not judgement.human:
            raise RunError("A verdict names a channel, A or B.", remedy="Give one, or abandon the session.")
        await self._end()
        self.folder.judge(judgement)
        self.folder.open(
            Opened(
                key=self.key,
                timings={letter: tuple(round(one, 3) for one in found) for letter, found in self._timings.items()},
                failures={letter: tuple(found) for letter, found in self._failures.items()},
            )
        )
        return self.key

    async def abandon(self) -> None:
        """End without a verdict. The key is forgotten; nothing that was stored can tell which was which."""
        if self._ended:
            return
        await self._end()
        self.folder.judge(Judgement(ended="abandoned"))

    async def _end(self) -> None:
        self._ended = True
        for task in self._pending.values():
            task.cancel()
        if self._pending:
            await asyncio.wait(set(self._pending.values()))
        for channel in self.channels.values():
            await channel.close()


def plain(text: str) -> str:
    """A text on one line, without what a terminal would obey; both sides look alike in this."""
    line = " ".join(text.split())
    return "".join(letter for letter in line if letter.isprintable())[:LONGEST]
