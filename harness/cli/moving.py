"""What commands that copy much share: how the ends are named, a bar, and what is told at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

From = Annotated[
    str, typer.Option("--from", metavar="BACKEND[:PLACE]", help="Where it is; default: what the settings name.")
]
To = Annotated[
    str, typer.Option("--to", metavar="BACKEND[:PLACE]", help="Where it is to be: sqlite:FILE, or an address.")
]
SHOWN = 5


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on standard error."""
    from rich.progress import Progress

    from harness.cli import render

    with Progress(console=render.console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def tell(notes: tuple[str, ...], troubles: dict[str, tuple[str, ...]]) -> None:
    """What a reader of a move should know, on standard error."""
    for note in notes:
        typer.echo(note, err=True)
    for what, ids in troubles.items():
        if ids:
            more = f" and {len(ids) - SHOWN} more" if len(ids) > SHOWN else ""
            typer.echo(f"{len(ids)} {what}: {', '.join(ids[:SHOWN])}{more}", err=True)
