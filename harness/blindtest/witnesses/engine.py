"""The engine as a witness: a harness of its own for every trial, with nothing on disk and a clock that is moved by hand."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Protocol

from harness.blindtest.metering import Meter, added, used_in
from harness.blindtest.transcript import LayerSeen, Said, Sight, Trial, Used
from harness.blindtest.witnesses.clock import PER_TURN, TrialClock
from harness.session import Session
from harness.state import DialogueState, Persona, TurnRecord

USER = "visitor"
_SHOWN = 12
"""Items of a block that a sight keeps, of those in the prompt and of those left out."""


class Household(Protocol):
    """What a trial needs of a harness: sessions to open, and to let go of it."""

    async def open(self, persona: Persona, *, session: str, user: str) -> Session:
        """Open a session."""
        ...

    async def close(self) -> None:
        """Let go of everything."""
        ...


Founding = Callable[[Trial, TrialClock, Meter], Awaitable[Household]]
"""Gives a harness for one trial: its seed and its clock, a model that is metered, stores that end with it."""


@dataclass(frozen=True, slots=True)
class EngineWitness:
    """The engine.

    Attributes:
        found: makes the harness of a trial.
    """

    name: str
    found: Founding
    about: Mapping[str, Any] = field(default_factory=dict)
    closing: Callable[[], Awaitable[None]] | None = None

    async def begin(self, trial: Trial, persona: Persona) -> _Talk:
        """A new conversation, in a harness of its own."""
        clock, meter = TrialClock(), Meter()
        household = await self.found(trial, clock, meter)
        talk = _Talk(household, persona, clock, meter)
        try:
            await talk.new_session()
        except BaseException:
            await asyncio.shield(talk.close())
            raise
        return talk

    async def close(self) -> None:
        """Close what the trials share."""
        if self.closing is not None:
            await self.closing()


class _Talk:
    """A conversation with the engine."""

    def __init__(self, household: Household, persona: Persona, clock: TrialClock, meter: Meter) -> None:
        self._household, self._persona, self._clock, self._meter = household, persona, clock, meter
        self._sessions: list[Session] = []
        self._unsaid: tuple[Used, ...] = ()

    async def say(self, text: str) -> Said:
        """One turn, its bookkeeping included."""
        session = self._sessions[-1]
        self._clock.advance(PER_TURN)
        self._unsaid += self._meter.taken()  # of a session that was opened or closed
        started = time.perf_counter()
        reply = await session.say(text)
        seconds = time.perf_counter() - started
        await session.settled()
        if reply.ended:
            return Said(text=reply.text, seconds=seconds)
        record = await session.report()
        self._meter.taken()  # the record knows it better: a reply that was broken off has an estimate there
        replying = [call for call in record.calls if call.role == "responder"] or list(record.calls)
        return Said(
            text=reply.text,
            seconds=seconds,
            calls=len(record.calls),
            prompt_tokens=sum(call.usage.prompt for call in record.calls),
            completion_tokens=sum(call.usage.completion for call in record.calls),
            model=replying[-1].model if replying else "",
            used=used_in(record.calls),
            sight=sight_of(await session.state(), record),
        )

    async def wait(self, span: timedelta) -> None:
        """Move the clock."""
        self._clock.advance(span)

    async def undo(self, turns: int) -> None:
        """Take turns back."""
        await self._sessions[-1].undo(turns)

    async def new_session(self) -> None:
        """Begin a session with the same user, in the same memory."""
        if self._sessions:
            await self._sessions[-1].close()
        opened = await self._household.open(self._persona, session=f"talk-{len(self._sessions) + 1}", user=USER)
        self._sessions.append(opened)

    async def task(self, goal: str) -> None:
        """Set the task of the session."""
        await self._sessions[-1].set_task(goal)

    async def close(self) -> None:
        """Close the session and the harness, whatever happens to the session."""
        try:
            if self._sessions:
                await self._sessions[-1].close()
        finally:
            await self._household.close()

    def unsaid(self) -> tuple[Used, ...]:
        """What failed turns, and the beginning and end of sessions used."""
        return added((*self._unsaid, *self._meter.taken()))


def sight_of(state: DialogueState, record: TurnRecord) -> Sight:
    """What a turn left behind, in the form of a transcript."""
    chosen = record.candidates[record.chosen] if record.candidates else None
    current = state.topics.current
    return Sight(
        facts=state.active_facts(),
        topics=tuple(topic.label for topic in state.topics.open),
        topic_words=(*current.keywords, *current.entities) if current else (),
        past_topics=tuple(topic.label for topic in state.topics.past),
        entities=state.entities,
        emotion=state.emotion,
        user_emotion=state.user_emotion,
        commitments=state.commitments,
        task=state.task.goal if state.task else "",
        summary=state.summary.text if state.summary else "",
        notices=record.notices,
        findings=chosen.findings if chosen else (),
        refused=tuple(
            (one.form, one.text, tuple(finding.kind for finding in one.findings))
            for index, one in enumerate(record.candidates)
            if index != record.chosen
        ),
        form=chosen.form if chosen else "plain",
        resolved=record.resolved,
        layers=tuple(
            LayerSeen(
                layer=layer.layer,
                block=layer.block,
                injected=layer.injected,
                tokens=layer.tokens,
                shown=tuple(item.text for item in layer.items if not item.dropped)[:_SHOWN],
                dropped=tuple((item.text, item.dropped) for item in layer.items if item.dropped)[:_SHOWN],
            )
            for layer in record.context.layers
        ),
        warnings=record.context.warnings,
        prompt_tokens=record.context.total_tokens,
        written=tuple(f"{write.layer}: {write.text}" for write in record.memory),
        recent=len({message.turn for message in state.messages if message.speaker == "user"}),
        events=tuple(f"{event.kind}: {event.message}" for event in record.events),
    )
