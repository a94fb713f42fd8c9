"""What memory gave in the report on a prompt: per layer what was found with which score, what was dropped and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.context.tokens import estimate
from harness.memory.informing import KNOWN, overruled
from harness.ports import Remembered
from harness.state import ContextReport, LayerReport, Retrieved
from harness.state.memory import MemoryLayer

if TYPE_CHECKING:
    from harness.turn.turn import Turn

LAYERS: tuple[MemoryLayer, ...] = ("L2", "L3")


def with_memory(report: ContextReport, turn: Turn) -> ContextReport:
    """The report with what memory gave. Facts it knows stand in the block of facts; here it says where they came from."""
    recalled = turn.recalled
    if not recalled.items and not recalled.warnings:
        return report
    fitted = {item.id: item.dropped for layer in report.layers if layer.block == "facts" for item in layer.items}
    added = []
    for name in LAYERS:
        items = tuple(_item(one, fitted) for one in recalled.items if one.item.layer == name)
        if items:
            shown = [item for item in items if not item.dropped]
            tokens = sum(item.tokens for item in shown)
            added.append(LayerReport(layer=name, block="memory", injected=bool(shown), tokens=tokens, items=items))
    return report.model_copy(
        update={
            "layers": (*report.layers, *added),
            "conflicts": (*report.conflicts, *recalled.conflicts, *overruled(turn.state, recalled)),
            "warnings": (*report.warnings, *recalled.warnings),
        }
    )


def _item(one: Remembered, fitted: dict[str, str]) -> Retrieved:
    dropped = one.dropped
    if not dropped and one.item.attribute:
        dropped = fitted.get(f"{KNOWN}{one.item.id}", "this session says otherwise")
    tokens = estimate(one.item.text)
    return Retrieved(id=one.item.id, text=one.item.text, score=one.score, tokens=tokens, dropped=dropped, why=one.why)
