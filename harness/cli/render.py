"""How the state of a conversation looks in a terminal.

Everything is :class:`rich.text.Text`, so that what people and models wrote is never taken for markup.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from harness.cli.changes import emotion_words, new_facts

if TYPE_CHECKING:
    from harness.session import TimelineEntry
    from harness.state import (
        Commitment,
        DialogueState,
        Entity,
        Fact,
        SessionInfo,
        TaskState,
        TopicStack,
        TurnRecord,
    )

_SHORT = 60
_WORD = 20
"""Longest word, or part of one, that is left out whole where a line is cut."""
PIPED = 4096
"""Columns where there is no terminal: a row is a line, which other programs can look through."""


def console(file: TextIO | None = None, *, stderr: bool = False) -> Console:
    """A console that prints text as it is; without colours, and without breaking lines, where there is no terminal. The variable
    ``COLUMNS`` says otherwise.
    """
    made = Console(file=file, stderr=stderr, markup=False, highlight=False, emoji=False)
    if not made.is_terminal and not os.environ.get("COLUMNS", "").isdecimal():
        made.width = PIPED
    return made


def table(*columns: str | tuple[str, str], whole: Sequence[str] = ()) -> Table:
    """A table whose columns are names, or (name, justification). Cells of ``whole`` columns are never broken."""
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        name, justify = column if isinstance(column, tuple) else (column, "left")
        made.add_column(name, justify=justify, overflow="fold", no_wrap=name in whole)  # type: ignore[arg-type]  # a literal in a tuple
    return made


def row(made: Table, *cells: object, style: str = "") -> None:
    """Add a row of plain texts."""
    made.add_row(*(Text(str(cell)) for cell in cells), style=style or None)


def counted(number: int, noun: str) -> str:
    """A number with what it counts, in the singular for one."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def short(text: str, limit: int = _SHORT) -> str:
    """One line of at most ``limit`` columns; wide characters count twice."""
    from rich.cells import cell_len, set_cell_size

    line = " ".join(text.split())
    if cell_len(line) <= limit:
        return line
    cut = set_cell_size(line, limit - 1)
    if line[len(cut)].isascii() and not line[len(cut)].isspace():  # not in the middle of a word, where there are such
        space = cut.rfind(" ")
        cut = cut[:space] if space > 0 and space >= len(cut) - _WORD else cut
    return cut.rstrip() + "…"


def heading(text: str) -> Text:
    """A bold line."""
    return Text(text, style="bold")


def bullets(lines: Sequence[str], empty: str) -> RenderableType:
    """Lines with a mark each, or a dim line that says there are none."""
    if not lines:
        return Text(f"  {empty}", style="dim")
    grid = Table.grid(padding=(0, 1))
    grid.add_column(width=1)
    grid.add_column(overflow="fold")
    for line in lines:
        grid.add_row(Text("·"), Text(line))
    return grid


# --- the state ----------------------------------------------------------------------------------------------------


def facts(found: Sequence[Fact], *, history: bool = False) -> RenderableType:
    """Facts, newest last; ``history`` shows those no longer in force as well."""
    chosen = [fact for fact in found if history or fact.status in {"active", "disputed"}]
    if not chosen:
        return Text("  no facts yet", style="dim")
    made = table("id", "about", "attribute", "value", ("turn", "right"), "said by")
    for fact in chosen:
        marks = "".join((" (pinned)" if fact.pinned else "", f" ({fact.status})" if fact.status != "active" else ""))
        when = f" ({fact.when}: {fact.when_at:%Y-%m-%d})" if fact.when and fact.when_at else ""
        value = f"{'' if fact.polarity else 'not '}{fact.value}{when}{marks}"
        style = "" if fact.status == "active" else "dim"
        row(made, fact.id, fact.subject, fact.attribute, value, fact.turn or "", fact.speaker, style=style)
    return made


def topics(stack: TopicStack) -> RenderableType:
    """The topic stack, current first, then past ones."""
    if not stack.open and not stack.past:
        return Text("  no topic yet", style="dim")
    made = table("", "topic", ("turns", "right"), "about")
    for index, topic in enumerate(reversed(stack.open)):
        about = ", ".join(topic.entities or topic.keywords[:6])
        row(made, "now" if index == 0 else "open", topic.label, f"{topic.first_turn}–{topic.last_turn}", about)
    for topic in reversed(stack.past):
        about = ", ".join(topic.entities or topic.keywords[:6])
        row(made, "past", topic.label, f"{topic.first_turn}–{topic.last_turn}", about, style="dim")
    return made


def entities(found: Sequence[Entity]) -> RenderableType:
    """The entity table, most salient first."""
    if not found:
        return Text("  nothing mentioned yet", style="dim")
    made = table("id", "name", "kind", "also", ("last turn", "right"), ("mentions", "right"), ("salience", "right"))
    for entity in sorted(found, key=lambda entity: -entity.salience):
        cells = (entity.id, entity.name, entity.kind, ", ".join(entity.aliases), entity.last_turn, entity.mentions)
        row(made, *cells, f"{entity.salience:.2f}")
    return made


def promises(found: Sequence[Commitment]) -> RenderableType:
    """What was promised, and how it stands."""
    if not found:
        return Text("  no promises", style="dim")
    made = table("id", "by", "to", "what", "due", "status", ("turn", "right"))
    for promise in found:
        style = "" if promise.status == "open" else "dim"
        row(
            made,
            *(promise.id, promise.by, promise.to, promise.text, promise.due, promise.status, promise.turn),
            style=style,
        )
    return made


def task(shown: TaskState | None) -> RenderableType:
    """The task at hand."""
    if shown is None:
        return Text("  no task", style="dim")
    made = Table.grid(padding=(0, 2))
    made.add_column(style="dim")
    made.add_column(overflow="fold")
    for name in ("task_id", "goal", "confirmed_facts", "done", "todo", "ruled_out", "artifacts"):
        value = getattr(shown, name)
        if value:
            made.add_row(name.replace("_", " "), Text(value if isinstance(value, str) else "\n".join(value)))
    return made


def _who(shown: DialogueState) -> Text:
    cells = {
        "character ": shown.persona.name,
        "   user ": shown.user,
        "   turn ": str(shown.turn_count),
        "   language ": shown.language,
    }
    return Text.assemble(*(part for label, value in cells.items() for part in ((label, "dim"), value)))


def state(shown: DialogueState, *, history: bool = False) -> Group:
    """Everything that is true of a conversation."""
    parts: list[RenderableType] = [
        _who(shown),
        Text.assemble(("emotion   ", "dim"), emotion_words(shown.emotion)),
        Text.assemble(("user's    ", "dim"), emotion_words(shown.user_emotion)),
        Text(),
        heading("Topics"),
        topics(shown.topics),
        heading("Facts"),
        facts(shown.facts, history=history),
        heading("Entities"),
        entities(shown.entities),
        heading("Promises"),
        promises(shown.commitments),
    ]
    if shown.task is not None:
        parts += [heading("Task"), task(shown.task)]
    if shown.summary is not None:
        parts += [heading(f"Summary of turns {shown.summary.first_turn} to {shown.summary.last_turn}"), Text(shown.summary.text)]  # fmt: skip
    if shown.notes:
        parts += [heading("Notes"), bullets([f"{note.key}: {note.value}" for note in shown.notes], "")]
    return Group(*parts)


# --- sessions and turns -------------------------------------------------------------------------------------------


def sessions(found: Sequence[SessionInfo]) -> RenderableType:
    """The stored sessions."""
    if not found:
        return Text("No sessions are stored yet.", style="dim")
    placed = any(info.project or info.world for info in found)
    made = table("session", "character", "user", *["project"] * placed, ("turns", "right"), "last change")
    for info in found:
        when = info.updated_at.astimezone().strftime("%Y-%m-%d %H:%M") if info.updated_at else ""
        place = " in ".join(name for name in (info.project, info.world) if name)
        row(made, info.id, info.persona_ref.name, info.user, *[place] * placed, info.turns, when)
    return made


def timeline(entries: Sequence[TimelineEntry]) -> RenderableType:
    """Every turn of the tree; those of other branches are dim."""
    if not entries:
        return Text("  no turns yet", style="dim")
    made = table("", "id", ("turn", "right"), "how", "user", "reply")
    for entry in entries:
        record = entry.record
        mark = "▶" if entry.head else "│" if entry.current else " "
        said, reply = short(record.user_text, 22), short(record.reply, 22)
        if record.origin == "change":
            said = short(", ".join(applied.operation.op for applied in record.operations), 22)
        how = record.origin + ("" if record.phase == "done" else " (unfinished)")
        row(made, mark, record.id, record.number, how, said, reply, style="" if entry.current else "dim")
    return made


def exchange(record: TurnRecord, name: str) -> Group:
    """What was said in a turn."""
    return Group(
        Text.assemble((f"{record.number:>3} you: ", "dim"), record.user_text),
        Text.assemble((f"    {name}: ", "bold"), record.reply),
    )


def state_line(record: TurnRecord, after: DialogueState) -> str:
    """One line about the turn that is over: topic, mood, new facts, tokens, calls, seconds."""
    parts = []
    if (topic := after.topics.current) is not None:
        parts.append(f"topic {short(topic.label, 24)}")
    parts.append(f"mood {after.emotion.label}")
    if found := new_facts(after, record.number):
        shown = "; ".join(short(f"{fact.attribute}: {'' if fact.polarity else 'not '}{fact.value}", 28) for fact in found[:2])  # fmt: skip
        more = "; …" if len(found) > 2 else ""
        parts.append(f"+{len(found)} fact{'s' * (len(found) != 1)} ({shown}{more})")
    tokens = sum(call.usage.prompt + call.usage.completion for call in record.calls)
    parts.append(f"{tokens} tokens")
    parts.append(f"{len(record.calls)} call{'s' * (len(record.calls) != 1)}")
    if record.started_at is not None and record.replied_at is not None:
        parts.append(f"{(record.replied_at - record.started_at).total_seconds():.1f} s")
    if record.phase != "done":
        parts.append("bookkeeping is unfinished")
    return " · ".join(parts)
