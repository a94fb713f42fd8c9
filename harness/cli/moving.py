"""What commands that copy much share: how the ends are named, a bar, and what is told at the end."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import asdict
from typing import Annotated, Any

import typer

from harness.errors import InputError

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


Ends = tuple[Any, Any, Any]
"""Where it was, where it is now, and what a move did."""


async def moved(
    source: str, target: str, open_at: Callable[[str, bool], tuple[Any, Any]], move: Callable[..., Awaitable[Any]]
) -> Ends:
    """Open both ends, copy with a bar, and close them.

    Args:
        open_at: for what an option says, and whether it is to be written to: the place and the store there.

    Raises:
        InputError: no target is given, or it is the source.
    """
    if not target:
        raise InputError("Where to is missing.", remedy="Give --to sqlite:FILE, or another backend.")
    async with AsyncExitStack() as stack:
        opened = [open_at(text, write) for text, write in ((source, False), (target, True))]
        for _, store in opened:
            stack.push_async_callback(store.close)
        (first, here), (second, there) = opened
        if first == second:
            raise InputError(f"{first} is both where it is and where it is to be.")
        with progress("Copying") as show:
            return first, second, await move(here, there, progress=show)


def told(ends: Ends, said: Callable[..., str], troubles: dict[str, tuple[str, ...]], *, as_json: bool) -> None:
    """Say what a move did. Exit code 1 when not all of it is there."""
    from harness.cli.running import print_json

    first, second, done = ends
    if as_json:
        print_json({"from": str(first), "to": str(second), "whole": done.whole, **asdict(done)})
    else:
        typer.echo(said(*ends))
        tell(getattr(done, "notes", ()), troubles)
    if not done.whole:
        raise typer.Exit(1)
