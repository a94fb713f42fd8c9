"""Tables that stay readable where there is little room: below seventy columns each cell is a line with the name of its column."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

NARROW = 70
"""Columns of a terminal below which a table is lines."""


class Sheet(Table):
    """A table, or lines ``name: value``."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """What is printed, as wide as there is room."""
        if options.max_width >= NARROW:
            yield from super().__rich_console__(console, options)
            return
        names = [str(column.header) for column in self.columns]
        for cells in zip(*(column.cells for column in self.columns), strict=True):
            first, *rest = (str(cell) for cell in cells)
            yield Text(f"{names[0]}: {first}" if names[0] else first, style="bold")
            for name, cell in zip(names[1:], rest, strict=True):
                if cell:
                    yield Padding(Text(f"{name}: {cell}" if name else cell, justify="left"), (0, 0, 0, 2), expand=False)


def sheet(*columns: str | tuple[str, str]) -> Sheet:
    """A table whose columns are names, or (name, justification)."""
    made = Sheet(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        name, justify = column if isinstance(column, tuple) else (column, "left")
        made.add_column(Text(name), justify=justify, overflow="fold")  # type: ignore[arg-type]  # a literal in a tuple
    return made


def columns(names: Sequence[str]) -> Sheet:
    """A table with figures: the first column is left-aligned, the others right-aligned."""
    return sheet(*((name, "right" if index else "left") for index, name in enumerate(names)))
