"""Characters of the session tests, and a model that can be waited for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from harness.ports import ModelReply, ModelRequest
from harness.state import Persona, PersonaFact
from harness.testing.scripted_model import ScriptedModel
from harness.turn import StreamEvent

MIA = Persona(
    name="Mia",
    id="mia",
    facts=(PersonaFact(attribute="pet", value="a cat called Biscuit", statement="I have a cat called Biscuit."),),
)
LIN = Persona(
    name="林晓",
    id="lin",
    language="zh",
    facts=(PersonaFact(attribute="宠物", value="一只叫豆豆的猫", statement="我养了一只叫豆豆的猫。"),),
)


async def gather(events: AsyncIterator[StreamEvent]) -> list[StreamEvent]:
    return [event async for event in events]


class Slow(ScriptedModel):
    """Answers when told to."""

    def __init__(self, text: str = "Slow.") -> None:
        super().__init__(text)
        self.go = asyncio.Event()
        self.started = asyncio.Event()
        self.cancelled = 0

    async def complete(self, request: ModelRequest) -> ModelReply:
        self.started.set()
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return await super().complete(request)
