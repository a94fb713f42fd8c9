"""Tables that stay readable where there is little room: in several parts one below the other, or, below seventy columns, a line for each cell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

NARROW = 70
"""Columns of a terminal below which a table is lines."""
_PART = re.compile(r"(?:\[[^\]]*\]|[^\s/-]+[/-]?|[/-])\s*")
"""What is not broken in a heading: words, the parts of a name with dashes, what stands in brackets."""


class Sheet(Table):
    """A table, or lines ``name: value``."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """What is printed, as wide as there is room."""
        if options.max_width >= NARROW:
            yield from super().__rich_console__(console, options)
            return
        names = [str(column.header) for column in self.columns]
        for cells in zip(*(column.cells for column in self.columns), strict=True):
            first, *rest = (str(cell).strip() for cell in cells)
            yield Text(f"{names[0]}: {first}" if names[0] else first, style="bold")
            for name, cell in zip(names[1:], rest, strict=True):
                if cell:
                    yield Padding(Text(f"{name}: {cell}" if name else cell, justify="left"), (0, 0, 0, 2), expand=False)


class Figures(Sheet):
    """A table of figures, no cell of which is broken: columns that have no room stand in another part below, with the first column again."""

    def without_empty(self) -> Figures:
        """The same without columns that have nothing in them."""
        first, *rest = self.columns
        return self._of([first, *(column for column in rest if any(str(cell) for cell in column.cells))])

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """What is printed, as wide as there is room."""
        if options.max_width < NARROW:
            yield from super().__rich_console__(console, options)
            return
        for part in self._parts(console, options):
            yield from Table.__rich_console__(part, console, options)

    def _parts(self, console: Console, options: ConsoleOptions) -> Iterator[Figures]:
        first, *rest = self.columns
        taken: list[Column] = []
        for column in rest:
            wider = self._of([first, *taken, column], headed=True)
            if taken and Measurement.get(console, options.update(max_width=10_000), wider).maximum > options.max_width:
                yield self._of([first, *taken], headed=True)
                taken = []
            taken.append(column)
        yield self._of([first, *taken], headed=True)

    def _of(self, chosen: Sequence[Column], *, headed: bool = False) -> Figures:
        """A table of some of the columns. ``headed``: headings are as wide as what stands below, if their words let them."""
        made = Figures(box=box.SIMPLE_HEAD, pad_edge=False)
        for column in chosen:
            heading = _folded(column) if headed else str(column.header)
            made.add_column(Text(heading), justify=column.justify, no_wrap=headed)
        for row, cells in zip(self.rows, zip(*(column.cells for column in chosen), strict=True), strict=True):
            made.add_row(*cells, style=row.style)
        return made


def _folded(column: Column) -> str:
    """The heading of a column in as many lines as it needs to be no wider than the cells."""
    parts = _PART.findall(str(column.header))
    cells = max((cell_len(str(cell)) for cell in column.cells), default=0)
    room = max([cells, *(cell_len(part.rstrip()) for part in parts)])
    lines: list[str] = []
    for part in parts:
        if lines and cell_len((lines[-1] + part).rstrip()) <= room:
            lines[-1] += part
        else:
            lines.append(part)
    return "\n".join(line.rstrip() for line in lines)


def sheet(*columns: str | tuple[str, str]) -> Sheet:
    """A table whose columns are names, or (name, justification)."""
    made = Sheet(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        name, justify = column if isinstance(column, tuple) else (column, "left")
        made.add_column(Text(name), justify=justify, overflow="fold")  # type: ignore[arg-type]  # a literal in a tuple
    return made


def columns(names: Sequence[str]) -> Figures:
    """A table with figures: the first column is left-aligned, the others right-aligned."""
    made = Figures(box=box.SIMPLE_HEAD, pad_edge=False)
    for index, name in enumerate(names):
        made.add_column(Text(name), justify="right" if index else "left")
    return made
