"""What models were asked and what they answered, in tokens, by the model that answered."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from dataclasses import dataclass, field

from harness.blindtest.transcript import Used
from harness.ports import Model, ModelDelta, ModelReply, ModelRequest
from harness.ports.passing import PassingModel
from harness.state import ModelCall


def added(used: Iterable[Used]) -> tuple[Used, ...]:
    """The same, each model once, by name."""
    found: dict[str, Used] = {}
    for one in used:
        so_far = found.get(one.model, Used(model=one.model))
        found[one.model] = Used(
            model=one.model,
            calls=so_far.calls + one.calls,
            prompt_tokens=so_far.prompt_tokens + one.prompt_tokens,
            completion_tokens=so_far.completion_tokens + one.completion_tokens,
        )
    return tuple(found[name] for name in sorted(found))


def used_in(calls: Iterable[ModelCall]) -> tuple[Used, ...]:
    """What recorded calls used; those that an endpoint never answered used nothing that anybody knows of."""
    return added(
        Used(model=one.model, calls=1, prompt_tokens=one.usage.prompt, completion_tokens=one.usage.completion)
        for one in calls
    )


@dataclass(slots=True)
class Meter:
    """Adds up what passes a :class:`MeteredModel`."""

    used: list[Used] = field(default_factory=list)

    def add(self, reply: ModelReply) -> None:
        """Count an answer."""
        usage = reply.usage
        self.used.append(
            Used(model=reply.model, calls=1, prompt_tokens=usage.prompt, completion_tokens=usage.completion)
        )

    def taken(self) -> tuple[Used, ...]:
        """What was counted since this was last asked."""
        found, self.used = added(self.used), []
        return found


class MeteredModel(PassingModel):
    """Passes calls on and counts what they use."""

    def __init__(self, inner: Model, meter: Meter) -> None:
        super().__init__(inner)
        self._meter = meter

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Answer. Raises what the inner model raises."""
        reply = await super().complete(request)
        self._meter.add(reply)
        return reply

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """Answer piece by piece. A stream that its reader closes early is not counted: its end tells what it used."""
        async with aclosing(super().stream(request)) as pieces:
            async for piece in pieces:
                if piece.reply is not None:
                    self._meter.add(piece.reply)
                yield piece
