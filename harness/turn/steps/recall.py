"""recall: put the message into words that stand alone, and ask memory what is known about it from elsewhere."""

from __future__ import annotations

from harness.ports import Ports
from harness.turn.turn import Turn
from harness.understanding.references.entities import resolve
from harness.understanding.references.mixed import packs_beside


async def recall(turn: Turn, ports: Ports) -> Turn:
    """Fill ``resolved``, ``references``, ``resolution`` and ``recalled``."""
    pack = ports.languages.get(turn.language)
    beside = packs_beside(turn.text, pack, ports.languages)
    resolution = resolve(turn.text, state=turn.state, pack=pack, beside=beside)
    # Where something was left out, the surface is the whole message.
    references = tuple(
        f"{one.surface} = {resolution.text if one.surface == turn.text else one.name}" for one in resolution.references
    )
    turn = turn.with_(resolved=resolution.text, references=references, resolution=resolution)
    messages = turn.state.messages
    shown = messages[0].turn if messages else turn.number
    task = turn.state.task.task_id if turn.state.task is not None else ""
    recalled = await ports.memory.recall(turn.resolved, language=turn.language, now=turn.now, before=shown, task=task)
    return turn.with_(recalled=recalled)
