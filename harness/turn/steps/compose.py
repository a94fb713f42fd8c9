"""compose: note what the message asks about what it refers to, and build the prompt."""

from __future__ import annotations

import structlog

from harness.context import compose_prompt
from harness.ports import Ports
from harness.state import ContextReport
from harness.turn.turn import Turn
from harness.understanding.checks.calling import NAME
from harness.understanding.checks.naming_asked import reference_notices

log = structlog.get_logger("harness.context")


async def compose(turn: Turn, ports: Ports) -> Turn:
    """Fill ``messages`` and ``context``; a question about what was resolved adds to ``notices``.

    Where the endpoint counts tokens, it is asked about what is new, and the prompt is built again with the exact counts.

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
    await turn.tokens.measure((turn.text, *(message.text for message in turn.state.messages)))
    composed = compose_prompt(turn, ports)
    if await turn.tokens.measure(composed.texts):
        composed = compose_prompt(turn, ports)
    _log(turn, composed.report)
    return turn.with_(messages=composed.messages, context=composed.report, heard=composed.heard)


def _log(turn: Turn, report: ContextReport) -> None:
    log.debug(
        "context_built",
        turn=turn.number,
        tokens=report.total_tokens,
        budget=report.budget,
        counted_by=report.counted_by,
        layers={name: report.tokens_of(name) for name in ("L0", "L1", "L2", "L3", "history")},
        retrieved={name: sum(1 for item in report.items_of(name) if not item.dropped) for name in ("L1", "L2", "L3")},
        conflicts=len(report.resolved),
        warnings=[f"{one.kind}: {one.text}" for one in report.troubles],
    )
