"""compose: resolve what the message refers to, and build the prompt."""

from __future__ import annotations

from harness.context import compose_prompt
from harness.ports import Ports
from harness.turn.turn import Turn
from harness.understanding.references.entities import resolve
from harness.understanding.references.mixed import packs_beside


async def compose(turn: Turn, ports: Ports) -> Turn:
    """Fill ``resolved``, ``references``, ``messages`` and ``context``.

    Raises:
        BudgetError: what must never be cut is over the token budget.
    """
    pack = ports.languages.get(turn.language)
    beside = packs_beside(turn.text, pack, ports.languages)
    resolution = resolve(turn.text, state=turn.state, pack=pack, beside=beside)
    # Where something was left out, the surface is the whole message.
    references = tuple(
        f"{one.surface} = {resolution.text if one.surface == turn.text else one.name}" for one in resolution.references
    )
    turn = turn.with_(resolved=resolution.text, references=references)
    if turn.state.summary is not None:
        turn = turn.with_(earlier=tuple(await ports.journal.earlier(turn.state.summary.last_turn)))
    composed = compose_prompt(turn, ports)
    return turn.with_(messages=composed.messages, context=composed.report)
