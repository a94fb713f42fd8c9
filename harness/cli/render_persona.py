"""How a character looks in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from harness.cli.render import bullets, heading, row, table

if TYPE_CHECKING:
    from harness.state import Persona


def persona(shown: Persona) -> Group:
    """Everything a persona file says."""
    role = f" · {shown.role}" if shown.role else ""
    parts: list[RenderableType] = [heading(f"{shown.name} ({shown.id}, {shown.language}){role}")]
    for text in (shown.biography, shown.voice):
        if text:
            parts += [Text(text), Text()]
    if shown.facts:
        made = table("attribute", "value")
        for fact in shown.facts:
            row(made, fact.attribute, f"{'' if fact.polarity else 'not '}{fact.value}")
        parts.append(made)
    for name in ("habits", "knowledge", "knowledge_limits", "never_says"):
        if lines := getattr(shown, name):
            parts += [heading(name.replace("_", " ").capitalize()), bullets(lines, "")]
    return Group(*parts)
