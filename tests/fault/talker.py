"""A program that talks on and on; the fault tests kill it. Prints what its user has seen, as the user would see it."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from harness.app import Harness
from harness.ports import Ports
from harness.settings import load
from harness.state import Persona
from harness.testing import ScriptedModel
from harness.turn import MACHINE, Done, Token, Turn

MIA = Persona(name="Mia", id="mia")


async def slowly(turn: Turn, ports: Ports) -> Turn:
    """Bookkeeping that takes long enough to be killed in."""
    await asyncio.sleep(0.05)
    return turn


async def main(folder: Path) -> None:
    overrides = {"harness.analysis": "rules", "storage.path": str(folder / "sessions.db"), "harness.max_revisions": 0}
    machine = MACHINE.inserting("slowly", slowly, after="extract_facts")
    model = ScriptedModel(lambda request: "Yes, " + request.messages[-1].content + " and so on. " * 10)
    async with Harness(load(start=folder, environ={}, overrides=overrides), model=model, machine=machine) as harness:
        session = await harness.open(MIA, session="s")
        number = (await session.state()).turn_count
        while True:
            number += 1
            async for event in session.stream(f"My thing{number} code is {number}{number}."):
                if isinstance(event, Token):
                    await asyncio.sleep(0.0005)
                elif isinstance(event, Done):
                    print(event.reply.number, flush=True)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
