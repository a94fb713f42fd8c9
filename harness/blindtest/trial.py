"""Holding one trial: a script is walked through with a witness, and everything that happens is written down."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

from harness.blindtest.captures import capture
from harness.blindtest.grading.reading import message_of, unwrapped
from harness.blindtest.passing import passed_line
from harness.blindtest.suite import Script, Step, Suite, duration
from harness.blindtest.templates import fill, missing
from harness.blindtest.transcript import Exchange, Happening, Transcript, Trial
from harness.blindtest.witness import Conversation, Unsupported, Witness, unsaid
from harness.errors import (
    AuthenticationFailed,
    ConfigurationError,
    EndpointNotFound,
    HarnessError,
    LocalModelError,
    ModelNotFound,
    PermissionRefused,
    RunError,
)
from harness.language import LanguagePack
from harness.state import Persona

_HOPELESS = (AuthenticationFailed, PermissionRefused, EndpointNotFound, ModelNotFound)
"""What an endpoint answers to a wrong key, address or model: the next trial would get the same."""
EVENT = "({event})\n{text}"
"""How a message carries what happened before it, and how much time has passed; the same for every witness."""


def hopeless(failure: HarnessError) -> bool:
    """Whether no other trial would fare better: a setting, a key, an address, a model that is not there."""
    return isinstance(failure, (ConfigurationError, LocalModelError, *_HOPELESS))


async def hold(
    trial: Trial,
    *,
    suite: Suite,
    persona: Persona,
    witness: Witness,
    pack: LanguagePack,
) -> Transcript:
    """Walk a witness through the script of a trial.

    A witness that fails ends the trial; what had been said is kept, with the reason in ``error``. What would fail every other trial as well (a
    setting, a key, an address, a model that is not there) is raised. Cancelling ends it without a
    transcript.
    """
    script = suite.script(trial.script)
    return await walked(
        trial, persona, witness, lambda talk: _Walk(trial, script, suite, pack, talk, dict(trial.slots))
    )


class Walk(Protocol):
    """One conversation on its way."""

    error: str
    """Why it ended early."""

    async def run(self) -> None:
        """Hold it. Raises a HarnessError: it ends here."""
        ...

    def transcript(self) -> Transcript:
        """What was said, and why it ended early."""
        ...


async def walked(trial: Trial, persona: Persona, witness: Witness, walk: Callable[[Conversation], Walk]) -> Transcript:
    """Begin a conversation, hold it, and close it whatever happens.

    What ends the trial is in its transcript; what would end every other trial as well is raised.
    """
    try:
        talk = await witness.begin(trial, persona)
    except HarnessError as failure:
        if hopeless(failure):
            raise
        return Transcript(trial=trial, error=told(failure))
    walking = walk(talk)
    try:
        await walking.run()
    except HarnessError as failure:
        if hopeless(failure) and not isinstance(
            failure, RunError
        ):  # a recording that does not go on ends its own trial only
            raise
        walking.error = told(failure)
    finally:
        await asyncio.shield(talk.close())
    return walking.transcript()


def told(failure: HarnessError) -> str:
    """Why a trial ended early, as its transcript has it."""
    return f"{type(failure).__name__}: {failure.message}"


def fillers_of(suite: Suite, script: Script, seed: int, wanted: int) -> Sequence[str]:
    """So many lines of small talk, in an order drawn by the seed; they come again only when all were used."""
    lines: list[str] = []
    draw = random.Random(f"{seed}/{suite.suite}/{script.id}/fillers")
    while len(lines) < wanted:
        lines += draw.sample(suite.fillers, len(suite.fillers))
    return lines[:wanted]


@dataclass(slots=True)
class _Walk:
    trial: Trial
    script: Script
    suite: Suite
    pack: LanguagePack
    talk: Conversation
    values: dict[str, str]
    exchanges: list[Exchange] = field(default_factory=list)
    happenings: list[Happening] = field(default_factory=list)
    captures: dict[str, str] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    pending: list[str] = field(default_factory=list)
    passed: list[str] = field(default_factory=list)
    error: str = ""
    started_at: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))

    async def run(self) -> None:
        wanted = sum(step.filler or 0 for one in self.script.rounds for step in one.steps)
        fillers = iter(fillers_of(self.suite, self.script, self.trial.seed, wanted))
        for number, one in enumerate(self.script.rounds):
            for index, step in enumerate(one.steps):
                if step.filler:
                    for _ in range(step.filler):
                        await self._say(next(fillers), number, index, filler=True)
                elif step.say is not None:
                    await self._asked(step, number, index)
                else:
                    await self._happens(step, number, index)

    async def _asked(self, step: Step, number: int, index: int) -> None:
        if missing(step.say or "", self.values):
            return  # a value that an earlier reply should have given; the graders say so
        reply = await self._say(step.say or "", number, index)
        for name, how in step.capture.items():
            value = capture(unwrapped(reply), how, self.pack, message_of(self.exchanges[-1]))
            if value:
                self.captures[name] = self.values[name] = value
            else:
                self.lost.append(name)

    async def _say(self, text: str, number: int, index: int, *, filler: bool = False) -> str:
        message = fill(text, self.values)
        for event in reversed(self.pending):
            message = EVENT.format(event=event, text=message)
        self.pending.clear()
        said = await self.talk.say(message)
        exchange = Exchange(
            number=len(self.exchanges) + 1, round=number, step=index, user=message, said=said, filler=filler,
            passed=tuple(self.passed),
        )  # fmt: skip
        self.passed.clear()
        self.exchanges.append(exchange)
        return said.text

    async def _happens(self, step: Step, number: int, index: int) -> None:
        kind, text, refused = step.kind, "", ""
        try:
            if step.wait is not None:
                text = step.wait
                await self.talk.wait(duration(step.wait))
                line = passed_line(step.wait, self.suite.language)
                self.pending.append(line)
                self.passed.append(f"({line})")
            elif step.undo is not None:
                text = str(step.undo)
                await self.talk.undo(step.undo)
            elif step.new_session:
                await self.talk.new_session()
            elif step.task is not None:
                text = fill(step.task, self.values)
                await self.talk.task(text)
            elif step.event is not None:
                text = fill(step.event, self.values)
                self.pending.append(text)
        except Unsupported as failure:
            refused = failure.what or "this witness cannot do it"
            self.skipped.append(refused)
        self.happenings.append(
            Happening(before=len(self.exchanges) + 1, kind=kind, text=text, refused=refused, round=number, step=index)
        )

    def transcript(self) -> Transcript:
        return Transcript(
            trial=self.trial,
            exchanges=tuple(self.exchanges),
            happenings=tuple(self.happenings),
            captures=self.captures,
            lost=tuple(self.lost),
            error=self.error,
            skipped=tuple(self.skipped),
            started_at=self.started_at,
            unsaid=unsaid(self.talk),
        )
