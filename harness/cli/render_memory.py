"""How memories look in a terminal."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from harness.cli.render import row, short, table

if TYPE_CHECKING:
    from pathlib import Path

    from harness.memory import FileReport
    from harness.ports import MemoryStats, Recalled, RecentMessage
    from harness.state.memory import MemoryItem

_LEAST = 24
"""Columns that the text of a memory has in a narrow terminal."""
_DATE = "%Y-%m-%d %H:%M"


def items(found: Sequence[MemoryItem], *, replaced: Collection[str] = ()) -> RenderableType:
    """Memories, a row each; ``replaced``: ids of those of which there is a newer statement."""
    if not found:
        return Text("Nothing is remembered.")
    made = table("id", "layer", "kind", "for", "said", "text", whole=("id", "layer"))
    made.columns[-1].min_width = _LEAST
    for item in found:
        marks = " (pinned)" if item.pinned else ""
        hidden = "" if item.status == "active" else f" ({item.status})"
        hidden += " (replaced)" if item.id in replaced else ""
        row(
            made,
            item.id,
            item.layer,
            item.kind + hidden,
            _whom(item),
            item.at.strftime(_DATE) if item.at else "",
            short(item.text) + marks,
        )
    return made


def recent(found: Sequence[RecentMessage]) -> RenderableType:
    """Short-term messages, a row each, oldest first."""
    if not found:
        return Text("No messages are kept of this session.")
    made = table("turn", "speaker", "tokens", "text", whole=("turn", "speaker", "tokens"))
    for one in found:
        row(made, str(one.message.turn), one.message.speaker, str(one.tokens), one.message.text)
    return made


def item(one: MemoryItem) -> RenderableType:
    """One memory, with everything about it."""
    made = table("", "")
    for name, value in one.model_dump(mode="json", exclude={"scope", "schema_version"}).items():
        if value not in ("", None, 0):
            row(made, name, value)
    row(made, "for", _whom(one))
    return made


def found(recalled: Recalled) -> RenderableType:
    """What a search found, best first, with what its score is made of."""
    if not recalled.items:
        return Text("Nothing was found.")
    made = table("score", "id", "layer", "text", "why", whole=("id",))
    made.columns[-2].min_width = _LEAST
    for one in sorted(recalled.items, key=lambda one: -one.score):
        why = f"{one.why} — left out: {one.dropped}" if one.dropped else one.why
        row(
            made,
            f"{one.score:.3f}",
            one.item.id,
            one.item.layer,
            short(one.item.text),
            why,
            style="dim" * bool(one.dropped),
        )
    return Group(made, *(Text(warning, style="yellow") for warning in recalled.warnings))


def files(found: Sequence[FileReport], folder: Path | None) -> RenderableType:
    """The files that are read as memory, a row each."""
    if folder is None:
        return Text("No folder is read: paths.memory is empty.")
    if not found:
        return Text(f"Nothing is read from {folder}: see the documentation, Memory, Files.")
    made = table("file", "for", ("items", "right"), "", whole=("file",))
    for one in found:
        whom = ", ".join(f"{name} {value}" for name, value in one.scope if value) or "everybody"
        row(made, one.name, whom, one.items, f"not read: {one.problem}" if one.problem else "")
    return Group(Text(str(folder)), made)


def stats(counted: MemoryStats) -> RenderableType:
    """What a store holds."""
    made = table("", ("", "right"))
    row(made, "memories", counted.items)
    for title, counts in (("layer", counted.by_layer), ("kind", counted.by_kind), ("status", counted.by_status)):
        for name, count in sorted(counts.items()):
            row(made, f"{title} {name}", count)
    row(made, "with a vector", counted.vectors)
    if counted.space is not None:
        row(made, "embedded by", f"{counted.space.model} ({counted.space.dimensions})")
        row(made, "search by vectors", counted.vector_search)
    if counted.size_bytes is not None:
        row(made, "size", f"{counted.size_bytes / 1_000_000:.1f} MB")
    return made


def _whom(one: MemoryItem) -> str:
    return ", ".join(f"{name} {value}" for name, value in one.scope if value) or "everybody"
