"""compose: resolve what the message refers to, and build the prompt."""

from __future__ import annotations

from harness.context import compose_prompt
from harness.ports import Ports
from harness.turn.turn import Turn
from harness.understanding.entities import resolve


async def compose(turn: Turn, ports: Ports) -> Turn:
    """Fill ``resolved``, ``references``, ``messages`` and ``context``.

    Raises:
        BudgetError: what must never be cut is over the token budget.
    """
    resolution = resolve(turn.text, state=turn.state, pack=ports.languages.get(turn.language))
    references = tuple(f"{reference.surface} = {reference.name}" for reference in resolution.references)
    turn = turn.with_(resolved=resolution.text, references=references)
    if turn.state.summary is not None:
        turn = turn.with_(earlier=tuple(await ports.journal.earlier(turn.state.summary.last_turn)))
    composed = compose_prompt(turn, ports)
    return turn.with_(messages=composed.messages, context=composed.report)
