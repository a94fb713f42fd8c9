"""Getting ready before the first turn: the language rules, and a model on this machine."""

from __future__ import annotations

import asyncio
from itertools import chain

from harness.context import compose_prompt
from harness.errors import EmptyReply
from harness.ports import ModelRequest, Ports
from harness.state import Persona
from harness.turn.checking import NOTES
from harness.turn.turn import Turn
from harness.understanding.readying import readying, readying_beside


async def ready_rules(ports: Ports, persona: Persona) -> None:
    """Build what the rules of the persona's language need, and read the words of the prompts, in a thread."""
    packs = ports.languages
    own = packs.get(persona.language)
    beside = chain.from_iterable(readying_beside(packs.get(code)) for code in packs.codes if code != own.code)
    for step in chain(readying(own, persona), beside):
        await asyncio.to_thread(step)
    await asyncio.to_thread(ports.prompts.wording, NOTES, persona.language)


async def read_prefix(ports: Ports, turn: Turn) -> None:
    """Have the model read what the next prompts will begin with. Raises ModelError."""
    prefix = compose_prompt(turn, ports).messages[: 1 + len(turn.state.messages)]
    request = ModelRequest(role="responder", messages=prefix, purpose="warm", max_tokens=1, temperature=0.0)
    try:
        await ports.model.complete(request)
    except EmptyReply:
        return
