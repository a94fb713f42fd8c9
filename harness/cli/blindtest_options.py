"""What the commands of blind tests share: options, a bench, and exit codes."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

if TYPE_CHECKING:
    from harness.app_blindtest import Bench
    from harness.settings import Loaded

T = TypeVar("T")
WRONG_USAGE, INTERRUPTED = 2, 130

Suites = Annotated[
    list[str], typer.Argument(metavar="SUITE...", help="Name of a suite of the package, or a suite file or folder.")
]
Directory = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a run.")]
Personas = Annotated[
    list[str] | None,
    typer.Option("--persona", "-p", metavar="NAME", help="Character by id, name or path; may be given several times. Default: one for each language."),
]  # fmt: skip
Language = Annotated[str, typer.Option("--language", metavar="CODE", help="Only suites in this language.")]
Witness = Annotated[str, typer.Option("--witness", metavar="NAME", help="Which witness; default: the one examined.")]
Judge = Annotated[
    str, typer.Option("--judge", metavar="JUDGE", help="Who grades: rules; both: a model what rules leave undecided; model: all that is about meaning.")
]  # fmt: skip
Times = Annotated[
    bool, typer.Option("--times", help="Put the seconds of replies into report.html, which is then another one each time.")
]  # fmt: skip
Plots = Annotated[
    bool | None, typer.Option("--plots/--no-plots", help="Write plots/ as PNG and SVG; default: when matplotlib is there.")
]  # fmt: skip


@contextlib.contextmanager
def wrong_usage() -> Iterator[None]:
    """What was asked for wrongly (a suite, a folder, a price) ends with exit code 2, since 1 means that something did not pass."""
    from harness.cli.running import show_error
    from harness.errors import ConfigurationError

    try:
        yield
    except ConfigurationError as error:
        import click

        context = click.get_current_context(silent=True)
        if context is not None and context.find_root().params.get("debug"):
            raise
        show_error(error)
        raise typer.Exit(WRONG_USAGE) from error


def with_bench(loaded: Loaded, work: Callable[[Bench], Awaitable[T]]) -> T:
    """Run ``work`` on a bench that is closed afterwards. The download of a model is shown."""
    from harness.cli.running import run

    async def main() -> T:
        from harness.app_blindtest import Bench
        from harness.cli.pulling import PullBar

        with PullBar() as bar:
            async with Bench(loaded, progress=bar) as bench:
                return await work(bench)

    return run(main)
