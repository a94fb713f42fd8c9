"""compose: resolve what the message refers to, note what it asks about it, and build the prompt."""

from __future__ import annotations

from harness.context import compose_prompt
from harness.ports import Ports
from harness.turn.turn import Turn
from harness.understanding.checks.calling import NAME
from harness.understanding.checks.naming_asked import reference_notices
from harness.understanding.references.entities import resolve
from harness.understanding.references.mixed import packs_beside


async def compose(turn: Turn, ports: Ports) -> Turn:
    """Fill ``resolved``, ``references``, ``messages`` and ``context``; a question about what was resolved adds to ``notices``.

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
    if turn.settings.persona_consistency_check and all(notice.attribute == NAME for notice in turn.notices):
        meant = reference_notices(turn.text, resolution.references, state=turn.state, pack=pack)
        turn = turn.with_(notices=(*turn.notices, *meant))
    if turn.state.summary is not None:
        turn = turn.with_(earlier=tuple(await ports.journal.earlier(turn.state.summary.last_turn)))
    composed = compose_prompt(turn, ports)
    return turn.with_(messages=composed.messages, context=composed.report)
