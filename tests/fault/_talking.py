"""A talk that leaves something in every store: facts, relations, promises, tool results long and short."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from harness.app import Harness
from harness.ports import Ports
from harness.state import ToolResult
from harness.turn import MACHINE, Turn, TurnMachine
from tests._owners import OWNERS, TOLD, TOOL, answering, settings_for, words

OWNER = OWNERS[0]
SESSION = "s"


def machine(happens: Callable[[], None] | None = None, *, takes_s: float = 0.02) -> TurnMachine:
    """The turn machine with bookkeeping in which something happens, and which takes long enough to be killed in."""

    async def slowly(turn: Turn, ports: Ports) -> Turn:
        del ports
        if happens is not None:
            await asyncio.to_thread(happens)
        await asyncio.sleep(takes_s)
        return turn

    return MACHINE.inserting("slowly", slowly, after="extract_facts")


def said(number: int, code: str) -> tuple[str, list[ToolResult]]:
    """The message of a turn, and what a tool gave with it."""
    own = words(OWNER, code)
    text = TOLD[code][number % len(TOLD[code])].format(**own)
    board = "\n".join(TOOL[code].format(n=f"{number}.{line}", **own) for line in range(80))
    results = [ToolResult(name="board", arguments=f'{{"page": {number}}}', text=board if number % 2 else board[:40])]
    return text, results if number % 3 == 1 else []


async def say(app: Harness, number: int, code: str) -> int:
    text, results = said(number, code)
    names = OWNER.names(code)
    reply = await (await app.open(session=SESSION, **names)).say(text, tool_results=results)
    return reply.number


@asynccontextmanager
async def talking(code: str, folder: Path, overrides: Mapping[str, Any]) -> AsyncIterator[Callable[[], Awaitable[int]]]:
    """A program's own harness; what it gives says the next message of the stored session and tells the turn's number."""
    async with Harness(settings_for(folder, overrides), model=answering(code), machine=machine()) as app:
        session = await app.open(session=SESSION, **OWNER.names(code))

        async def next_one() -> int:
            return await say(app, (await session.state()).turn_count, code)

        yield next_one
