"""Getting ready before the first turn: the language rules, and a model on this machine."""

from __future__ import annotations

import asyncio

from harness.context import compose_prompt
from harness.errors import EmptyReply
from harness.ports import ModelRequest, Ports
from harness.state import Persona
from harness.turn.turn import Turn
from harness.understanding.readying import readying


async def ready_rules(ports: Ports, persona: Persona) -> None:
    """Build what the rules of the persona's language need, in a thread."""
    for step in readying(ports.languages.get(persona.language), persona):
        await asyncio.to_thread(step)


async def read_prefix(ports: Ports, turn: Turn) -> None:
    """Have the model read what the next prompts will begin with. Raises ModelError."""
    prefix = compose_prompt(turn, ports).messages[: 1 + len(turn.state.messages)]
    request = ModelRequest(role="responder", messages=prefix, purpose="warm", max_tokens=1, temperature=0.0)
    try:
        await ports.model.complete(request)
    except EmptyReply:
        return
