"""compose: note what the message asks about what it refers to, and build the prompt."""

from __future__ import annotations

from harness.context import compose_prompt
from harness.ports import Ports
from harness.turn.turn import Turn
from harness.understanding.checks.calling import NAME
from harness.understanding.checks.naming_asked import reference_notices


async def compose(turn: Turn, ports: Ports) -> Turn:
    """Fill ``messages`` and ``context``; a question about what was resolved adds to ``notices``.

    Raises:
        BudgetError: what must never be cut is over the token budget.
    """
    pack = ports.languages.get(turn.language)
    found = turn.resolution.references if turn.resolution is not None else ()
    if turn.settings.persona_consistency_check and all(notice.attribute == NAME for notice in turn.notices):
        meant = reference_notices(turn.text, found, state=turn.state, pack=pack)
        turn = turn.with_(notices=(*turn.notices, *meant))
    if turn.state.summary is not None:
        turn = turn.with_(earlier=tuple(await ports.journal.earlier(turn.state.summary.last_turn)))
    composed = compose_prompt(turn, ports)
    return turn.with_(messages=composed.messages, context=composed.report)
