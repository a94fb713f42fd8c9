"""What the commands of blind tests share: options, a bench, and exit codes."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

if TYPE_CHECKING:
    from harness.app_blindtest import Bench
    from harness.app_blindtest_judging import Judging
    from harness.blindtest.endpoints import Endpoint
    from harness.blindtest.limits import Limits
    from harness.blindtest.pacing import Pacing
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
Against = Annotated[
    list[str] | None,
    typer.Option("--against", metavar="NAME", help="Witness to compare with: bare, window, eliza …; may be given several times, or with commas."),
]  # fmt: skip
Endpoints = Annotated[
    list[str] | None,
    typer.Option("--endpoint", metavar="NAME=URL…", help="A witness at another OpenAI-compatible endpoint, for --against or --witness: NAME=URL[,model=ID][,key=VARIABLE][,persona=no][,history=N]; may be given several times."),
]  # fmt: skip
Prices = Annotated[
    list[str] | None,
    typer.Option("--price", metavar="MODEL=IN,OUT", help="Price of a million prompt and completion tokens; may be given several times."),
]  # fmt: skip
MaxCost = Annotated[
    float | None, typer.Option("--max-cost", metavar="X", help="Begin no trial, and ask no judge, once the run has cost this much; needs --price.")
]  # fmt: skip
MaxMinutes = Annotated[
    float | None, typer.Option("--max-minutes", metavar="M", help="Begin no trial, and ask no judge, after so many minutes.")
]  # fmt: skip
Pace = Annotated[
    Path | None, typer.Option("--pace", metavar="FILE", help="Replies come at the pace of people that `pace --out` wrote.")
]  # fmt: skip
Votes = Annotated[
    int | None, typer.Option("--votes", min=1, max=99, metavar="N", help="Votes of the judge for each question; 3.")
]
Temperature = Annotated[
    float | None, typer.Option("--temperature", min=0.0, max=2.0, metavar="T", help="Of the votes; 0.7.")
]
Threshold = Annotated[
    float | None,
    typer.Option("--threshold", min=0.0, max=1.0, metavar="X", help="Least lower bound of the judge's accuracy for its verdicts to count; 0.8."),
]  # fmt: skip
CalibrationFile = Annotated[
    Path | None,
    typer.Option("--calibration", metavar="FILE", help="Calibration of the judge that `calibrate --out` wrote; default: that of the run, else one is made."),
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
    from harness.cli.running import DEBUGGING, show_error
    from harness.errors import ConfigurationError

    try:
        yield
    except ConfigurationError as error:
        if DEBUGGING.get():
            raise
        show_error(error)
        raise typer.Exit(WRONG_USAGE) from error


def split(values: Sequence[str] | None) -> tuple[str, ...]:
    """Names that were given several times, or with commas."""
    return tuple(name.strip() for value in values or () for name in value.split(",") if name.strip())


def limits_of(prices: list[str] | None, max_cost: float | None, max_minutes: float | None) -> Limits:
    """Prices and bounds. Raises RunError."""
    from harness.blindtest.limits import Limits, read_price

    return Limits(dict(map(read_price, prices or ())), max_cost, max_minutes)


def endpoints_of(given: list[str] | None) -> dict[str, Endpoint]:
    """Other endpoints by name. Raises RunError."""
    from harness.blindtest.endpoints import read_endpoint

    return dict(map(read_endpoint, given or ()))


def pacing_of(path: Path | None) -> Pacing | None:
    """A pacing in a file. Raises RunError."""
    from harness.blindtest.pacing import Pacing

    return Pacing.read(path) if path is not None else None


def judging_of(mode: str, **given: Any) -> Judging:
    """How to judge: a mode, and of the rest what was given. Raises RunError: it is not as it must be, or nothing is asked of a model."""
    from dataclasses import replace

    from harness.app_blindtest_judging import Judging
    from harness.errors import RunError

    chosen = {name: value for name, value in given.items() if value is not None}
    made = Judging.of(mode)
    if made.mode == "rules" and chosen:
        raise RunError(
            f"Rules have no {' and no '.join(chosen)}.", remedy="Ask a model with --judge both or --judge model, or leave it out."
        )  # fmt: skip
    return Judging.of(replace(made, **chosen))


_NOT_IN_A_CALL = frozenset(
    "out resume as_json times plots baseline jobs at_once executor ray_address max_cost max_minutes".split()  # noqa: SIM905 - names
)
"""Parameters that change nothing in what a run comes to."""


def call(context: typer.Context) -> tuple[str, ...]:
    """The words of a command, but for where and how it is held: what comes to the same. Passwords in addresses are left out."""
    from harness.addresses import masked_in

    words: list[str] = []
    for parameter in context.command.params:
        name = str(parameter.name)
        source = context.get_parameter_source(name)
        if name in _NOT_IN_A_CALL or source is None or source.name != "COMMANDLINE":
            continue
        value = context.params[name]
        several = [str(one) for one in (value if isinstance(value, (list, tuple)) else [value])]
        if parameter.param_type_name == "argument":
            words += several
        elif isinstance(value, bool):
            words.append(parameter.opts[0] if value else parameter.secondary_opts[0])
        else:
            words += [word for one in several for word in (parameter.opts[0], masked_in(one))]
    return ("harness", "blindtest", str(context.command.name), *words)


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
