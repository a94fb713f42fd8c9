"""How a turn record looks in a terminal: why the reply is what it is, what the model saw, which calls were made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from harness.cli.render import bullets, heading, row, short, table
from harness.state.operations import Found
from harness.state.record import WITHIN

if TYPE_CHECKING:
    from harness.state import ContextReport, ModelCall, Operation, TurnRecord


def operation_words(operation: Operation) -> str:
    """An operation with the fields that are set: ``assert_fact subject=user attribute=pet value=a cat``."""
    fields = operation.model_dump(mode="json", exclude_defaults=True)
    return f"{operation.op} " + " ".join(f"{name}={value}" for name, value in fields.items() if name != "op")


def why(record: TurnRecord) -> Group:
    """What the checks found, which replies were considered, and what was refused."""
    notices = [
        f"{notice.kind} ({notice.tier}): {notice.quote!r}"
        + (f" means {notice.claim}" if notice.kind == "reference" else "")
        + (f" against {f'[{notice.fact_id}] ' * bool(notice.fact_id)}{notice.truth}" if notice.truth else "")
        for notice in record.notices
    ]
    events = [f"{event.phase}: {event.kind}: {event.message}" for event in record.events]
    rejected = [f"{item.phase}: {short(operation_words(item.operation), 160)}: {item.reason}" for item in record.rejected]  # fmt: skip
    found = [_found(applied.operation) for applied in record.operations if isinstance(applied.operation, Found)]
    parts: list[RenderableType] = [
        heading("Noticed in what you said"),
        bullets(notices, "nothing"),
        heading("Replies considered"),
        bullets(_candidates(record), "none"),
        heading("Found in this turn"),
        bullets(found, "nothing"),
        heading("Refused changes of the state"),
        bullets(rejected, "none"),
        heading("Events"),
        bullets(events, "none"),
    ]
    return Group(understood(record), *parts)


def understood(record: TurnRecord) -> Group:
    """The user's message with what it refers to put into words; nothing when it stood by itself."""
    return Group(heading("Understood as"), Text(f"  {record.resolved}")) if record.resolved else Group()


def _found(operation: Found) -> str:
    """An operation with who found it and the words that show it."""
    shown = operation.evidence or getattr(operation, "quote", "")
    plain = operation.model_copy(update={"tier": "rules", "evidence": "", **({"quote": ""} if shown else {})})
    return f"{short(operation_words(plain), 160)} ({operation.tier}{f': {short(shown, 60)!r}' if shown else ''})"  # type: ignore[arg-type]  # every Found is an Operation


def _candidates(record: TurnRecord) -> list[str]:
    lines = []
    for index, candidate in enumerate(record.candidates):
        mark = "sent" if index == record.chosen else "not sent"
        found = "; ".join(
            f"{finding.kind} ({finding.tier}, {finding.severity:.1f}){f': {finding.evidence!r}' if finding.evidence else ''}"
            f"{f' against turn {finding.turn}: {finding.against!r}' if finding.against else ''}"
            for finding in candidate.findings
        )
        lines.append(f"{candidate.form}, {mark}: {candidate.text}\n  {found or 'passes the check'}")
    return lines


def context(report: ContextReport) -> Group:
    """What the model saw: per block the tokens and their limit, what was found with its score, what was left out, warnings.

    Tokens in brackets are counted in the context of their layer.
    """
    made = table("layer", "block", ("tokens", "right"), ("of", "right"), ("shown", "right"), "")
    for layer in report.layers:
        kept = sum(1 for item in layer.items if not item.dropped)
        found = max(layer.retrieved, len(layer.items))
        count = f"{kept}/{found}" if layer.items else ""
        style = "" if layer.injected else "dim"
        within = f"({layer.tokens})" if layer.block in WITHIN else layer.tokens
        note = "" if layer.injected else layer.note or "left out"
        row(made, layer.layer, layer.block, within, layer.cap or "", count, note, style=style)
    counted = f"counted by {report.counted_by}" if report.counted_by else ""
    row(made, "", "total", report.total_tokens, report.budget, "", counted, style="bold")
    parts: list[RenderableType] = [made]
    items = [(layer, item) for layer in report.layers for item in layer.items]
    if items:
        listed = table("block", "id", "text", ("score", "right"), ("tokens", "right"), "")
        for layer, item in items:
            style = "dim" if item.dropped else ""
            text = short(item.text, 100)
            row(listed, layer.block, item.id, text, f"{item.score:.2f}", item.tokens, item.dropped, style=style)
        parts.append(listed)
    order = [" → ".join(report.order)] if report.order else []
    known = {trouble.text for trouble in report.troubles}
    warnings = [f"{trouble.kind.replace('_', ' ')}: {trouble.text}" for trouble in report.troubles]
    warnings += [text for text in report.warnings if text not in known]
    for title, lines in (
        ("Order", order),
        ("Left out", report.dropped),
        ("Conflicts", report.conflicts),
        ("Warnings", warnings),
    ):
        if lines:
            parts += [heading(title), bullets(lines, "")]
    return Group(*parts)


def calls(record: TurnRecord, *, full: bool = True) -> Group:
    """The model calls of a turn; ``full`` with the exact messages."""
    if not record.calls:
        return Group(Text("  no model calls", style="dim"))
    cached = any(call.usage.cached is not None for call in record.calls)
    numbers = [("prompt", "right"), *([("cached", "right")] if cached else []), ("reply", "right"), ("s", "right")]
    made = table(("#", "right"), "phase", "purpose", "model", *numbers, whole=("phase", "purpose"))
    for number, call in enumerate(record.calls, 1):
        served = ["" if call.usage.cached is None else call.usage.cached] if cached else []
        cells = (call.usage.prompt, *served, call.usage.completion, f"{call.seconds:.2f}")
        row(made, number, call.phase, call.purpose, call.model, *cells)
    parts: list[RenderableType] = [made]
    if full:
        for number, call in enumerate(record.calls, 1):
            parts += [heading(f"Call {number}: {call.purpose}"), exact(call)]
    return Group(*parts)


def exact(call: ModelCall) -> Group:
    """A call's messages as they were sent, and the answer as it came."""
    parts: list[RenderableType] = []
    for role, content in call.messages:
        parts += [Text(f"--- {role}", style="dim"), Text(content)]
    if call.prefill:
        parts += [Text("--- begun answer", style="dim"), Text(call.prefill)]
    ending = f" ({call.finish_reason})" if call.finish_reason else ""
    parts += [Text(f"--- answer{ending}", style="dim"), Text(call.reply)]
    if call.error:
        parts += [Text("--- error", style="red"), Text(call.error)]
    if call.parameters:
        parts += [Text("--- parameters", style="dim"), Text(call.parameters)]
    return Group(*parts)


def overview(record: TurnRecord) -> RenderableType:
    """A turn's phases and times in a line."""
    steps = " → ".join(f"{timing.phase} {timing.seconds * 1000:.0f} ms" for timing in record.timings)
    return Text(steps, style="dim")
