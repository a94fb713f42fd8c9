"""Results of tools in the prompt: those of this turn (L1) and those of the turns before it (L2).

A model that does not see what was looked up looks it up again. So every result of the session that belongs to the task at hand
has at least its digest in the prompt, the newest first while there is room, and those the message is about stand whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from harness.language import LanguagePack
from harness.memory.digests import digest
from harness.prompt_views import ToolView
from harness.state import ContextReport, LayerReport, Retrieved, ToolResult
from harness.understanding.text import terms

if TYPE_CHECKING:
    from harness.turn.turn import Turn

FRESH = 2
"""Turns for which a result stands whole whatever the talk is about."""
TOOL = "tool:"
"""Begins the id of a tool result in a report."""
TASK = "task:"
RULED_OUT = "ruled_out:"
REPORTED = 8
"""Results left out that are listed in the report, the newest."""


@dataclass(frozen=True, slots=True)
class ToolSelection:
    """Results as lines of the prompt, oldest first, and what the report says: ``now`` of this turn, ``before`` of others."""

    views: tuple[ToolView, ...] = ()
    now: tuple[Retrieved, ...] = ()
    before: tuple[Retrieved, ...] = ()


def select_tools(turn: Turn, pack: LanguagePack) -> ToolSelection:
    """Choose among the results that the state keeps.

    Score: share of the message's content words that a result or its call has. Results of another task are left out, and of the
    same call only the newest is shown.
    """
    settings = turn.settings
    task = turn.state.task.task_id if turn.state.task is not None else ""
    newer: dict[tuple[tuple[str, str], bool], str] = {}
    asked = terms(turn.resolved or turn.text, pack)
    room, shown = settings.tool_results_max_tokens, 0
    views: list[ToolView] = []
    now: list[Retrieved] = []
    before: list[Retrieved] = []
    for one in reversed(turn.state.tools):
        fresh = one.turn == turn.number
        words = _words(_line(one, one.text), pack)
        score = len(asked & words) / len(asked) if asked else 0.0
        whole = fresh or bool(score) or turn.number - one.turn <= FRESH
        dropped = _unwanted(one, task, newer)
        newer.setdefault((one.call, one.error), one.id)
        text = one.text if whole else digest(one.text)
        if not dropped and shown >= settings.tool_results_shown:
            dropped = f"more than {settings.tool_results_shown} tool results"
        if not dropped and turn.tokens.count(_line(one, text)) > room:
            text = digest(one.text)
            if turn.tokens.count(_line(one, text)) > room:
                dropped = "tool_results_max_tokens is reached"
        tokens = turn.tokens.count(_line(one, text))
        if not dropped:
            room, shown = room - tokens, shown + 1
            views.append(ToolView(one.said, text, one.error, fresh, one.ref))
        item = Retrieved(
            id=f"{TOOL}{one.id}", text=_line(one, text), score=round(score, 4), tokens=tokens, dropped=dropped
        )
        if not dropped or fresh or sum(bool(other.dropped) for other in before) < REPORTED:
            (now if fresh else before).append(item)
    return ToolSelection(tuple(reversed(views)), tuple(now), tuple(before))


def _unwanted(one: ToolResult, task: str, newer: dict[tuple[tuple[str, str], bool], str]) -> str:
    """Why a result is of no use any more. A call that failed of late does not take away what it had given before."""
    if one.task and one.task != task:
        return f"it belongs to task {one.task}"
    known = newer.get((one.call, False)) or (newer.get((one.call, True)) if one.error else None)
    return f"the same call has a newer result ({known})" if known else ""


@lru_cache(maxsize=512)
def _words(line: str, pack: LanguagePack) -> frozenset[str]:
    """What a result is about, worked out once: every turn asks again."""
    return frozenset(terms(line, pack))


def _line(one: ToolResult, text: str) -> str:
    return f"{one.said}: {text}"


def with_tools(report: ContextReport, turn: Turn, selection: ToolSelection) -> ContextReport:
    """The report with the task at hand and the tool results, which stand inside the context block."""
    added = []
    task = turn.state.task
    if task is not None:
        lines = (
            (f"{TASK}{task.task_id}", task.goal or task.task_id),
            *((f"{RULED_OUT}{number}", line) for number, line in enumerate(task.ruled_out, 1)),
        )
        items = tuple(Retrieved(id=name, text=text, tokens=turn.tokens.count(text)) for name, text in lines)
        added.append(_block("L1", "task", items))
    if selection.now:
        added.append(_block("L1", "tools", selection.now))
    if selection.before:
        added.append(_block("L2", "tools", selection.before))
    if not added:
        return report
    left = [item for item in selection.now if item.dropped]
    warnings = (f"{len(left)} tool results of this turn were left out: {left[0].dropped}",) if left else ()
    return report.model_copy(update={"layers": (*report.layers, *added), "warnings": (*report.warnings, *warnings)})


def _block(layer: str, block: str, items: tuple[Retrieved, ...]) -> LayerReport:
    shown = [item for item in items if not item.dropped]
    return LayerReport(
        layer="L1" if layer == "L1" else "L2",
        block=block,
        injected=bool(shown),
        tokens=sum(item.tokens for item in shown),
        items=items,
    )
