"""The model without an engine: the persona in a system prompt, and the last messages; with a running summary as a variant."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from harness.blindtest.metering import Meter, MeteredModel, added
from harness.blindtest.transcript import Said, Trial, Used
from harness.blindtest.witness import Unsupported
from harness.ports import ChatMessage, Model, ModelRequest
from harness.state import Persona

System = Callable[[Persona], str]
"""The system prompt for a character."""


@dataclass(frozen=True, slots=True)
class BareWitness:
    """A model that gets the persona and the last messages.

    Attributes:
        model: gives the connected model.
        system: the system prompt; the engine's own, so that only the engine makes the difference.
        request: sampling of a reply (temperature, length …); messages and seed are filled in.
        window: messages that are sent; 0 sends all.
        summarize: replaces older messages by a running summary made by the same model: (summary so far, messages, language) -> request.
    """

    name: str
    model: Callable[[], Awaitable[Model]]
    system: System
    request: ModelRequest
    window: int = 12
    summarize: Callable[[str, tuple[ChatMessage, ...], str], ModelRequest] | None = None
    about: Mapping[str, Any] = field(default_factory=dict)
    closing: Callable[[], Awaitable[None]] | None = None

    async def begin(self, trial: Trial, persona: Persona) -> _Talk:
        """A new conversation."""
        return _Talk(self, trial, persona, await self.model())

    async def close(self) -> None:
        """Close what the trials share."""
        if self.closing is not None:
            await self.closing()


class _Talk:
    """A conversation with the model. One message a side; nothing else is kept."""

    def __init__(self, witness: BareWitness, trial: Trial, persona: Persona, model: Model) -> None:
        self._witness, self._trial, self._persona = witness, trial, persona
        self._meter = Meter()
        self._model = MeteredModel(model, self._meter)
        self._system = witness.system(persona)
        self._messages: list[ChatMessage] = []
        self._summary, self._summarized = "", 0
        self._task = ""

    async def say(self, text: str) -> Said:
        """One call, and one more where older messages are summarized."""
        self._messages.append(ChatMessage("user", text))
        started = time.perf_counter()
        try:
            await self._summarize()
            request = replace(
                self._witness.request,
                messages=(*self._head(), *self._newest()),
                seed=self._trial.seed % 2**31,  # the engine's settings fix one for all turns as well
            )
            reply = await self._model.complete(request)
        except BaseException:
            self._messages.pop()
            raise
        used = self._meter.taken()
        said = reply.text.strip()
        self._messages.append(ChatMessage("assistant", said))
        return Said(
            text=said,
            seconds=time.perf_counter() - started,
            calls=sum(one.calls for one in used),
            prompt_tokens=sum(one.prompt_tokens for one in used),
            completion_tokens=sum(one.completion_tokens for one in used),
            model=reply.model,
            used=used,
        )

    def _head(self) -> tuple[ChatMessage, ...]:
        parts = "\n\n".join(part for part in (self._system, self._summary, self._task) if part)
        return (ChatMessage("system", parts),) if parts else ()

    def _newest(self) -> tuple[ChatMessage, ...]:
        """The window, from a message of the user on, since chat templates want that first; with a summary, all that is not in it."""
        window = self._witness.window
        rest = self._messages[self._summarized :]
        if not window or self._witness.summarize is not None or len(rest) <= window:
            return tuple(rest)
        begin = len(rest) - window
        return tuple(rest[begin - (rest[begin].role == "assistant") :])

    async def _summarize(self) -> None:
        window, summarize = self._witness.window, self._witness.summarize
        old = len(self._messages) - self._summarized - window
        if summarize is None or not window or old < window:
            return
        end = self._summarized + old - (old % 2)
        old_messages = tuple(self._messages[self._summarized : end])
        request = summarize(self._summary, old_messages, self._persona.language)
        reply = await self._model.complete(replace(request, seed=self._trial.seed % 2**31))
        self._summary, self._summarized = reply.text.strip(), end

    async def wait(self, span: timedelta) -> None:
        """Nothing: without an engine there is no clock."""

    async def undo(self, turns: int) -> None:
        """Drop the last exchanges."""
        if 2 * turns > len(self._messages) - self._summarized:
            raise Unsupported("turns that are summarized cannot be taken back")
        del self._messages[len(self._messages) - 2 * turns :]

    async def new_session(self) -> None:
        """Forget everything."""
        self._messages.clear()
        self._summary, self._summarized, self._task = "", 0, ""

    async def task(self, goal: str) -> None:
        """Tell the task in the system prompt."""
        self._task = goal

    async def close(self) -> None:
        """Nothing is held."""

    def unsaid(self) -> tuple[Used, ...]:
        """What was used for replies that failed."""
        return added(self._meter.taken())
