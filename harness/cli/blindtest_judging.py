"""``harness blindtest calibrate | interrogate | prefer | pace``: judges, and what they are worth."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from harness.cli.blindtest_options import (
    Against,
    Endpoints,
    MaxCost,
    MaxMinutes,
    Prices,
    Temperature,
    Threshold,
    Votes,
    call,
    endpoints_of,
    judging_of,
    limits_of,
    split,
    with_bench,
    wrong_usage,
)
from harness.cli.options import Config, Json, Set, load_settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.app_blindtest import Bench


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("calibrate")(calibrate)
    app.command("prefer")(prefer)
    app.command("interrogate")(interrogate)
    app.command("pace")(pace)


def calibrate(
    *,
    labels: Annotated[
        list[Path] | None,
        typer.Option(
            "--labels", metavar="FILE", help="Labelled rows; may be given several times. Default: those of the package."
        ),
    ] = None,
    judge: Annotated[str, typer.Option("--judge", help="rules, model, or both.")] = "model",
    votes: Votes = None,
    temperature: Temperature = None,
    threshold: Threshold = None,
    language: Annotated[str, typer.Option("--language", help="Only rows of this language.")] = "",
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Folder, of a run for instance, for calibration.json.")
    ] = None,
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Let a judge grade replies whose verdict is known.

    Exit codes: 0 its verdicts count in every language, 1 not, 2 wrong usage.
    """
    from dataclasses import replace

    from harness.app_blindtest_judging import calibrate as run_calibration
    from harness.cli.render_judging import calibration_lines
    from harness.cli.running import print_json

    async def work(bench: Bench) -> Any:
        return await run_calibration(
            bench, labels=labels or (), judge=judging, language=language, out=out, told=_counting(as_json)
        )

    with wrong_usage():
        judging = judging_of(judge, votes=votes, temperature=temperature)
        if threshold is not None:  # the rules are calibrated, too
            judging = replace(judging, threshold=threshold)
        made = with_bench(load_settings(config, overrides), work)
    if as_json:
        print_json(made)
    else:
        typer.echo("\n".join(calibration_lines(made)))
    if any(made.why_not(name) for name in made.languages):
        raise typer.Exit(1)


def _counting(quiet: bool) -> Callable[[Any], None] | None:
    """Shows how far it is, on a terminal."""
    import sys

    if quiet or not sys.stderr.isatty():
        return None
    seen = 0

    def told(row: Any) -> None:
        nonlocal seen
        seen += 1
        sys.stderr.write(f"\r{seen} rows, the last one {row.got}\x1b[K")
        sys.stderr.flush()

    return told


def prefer(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run.")],
    first: Annotated[str, typer.Argument(help="A witness of the run.")],
    second: Annotated[str, typer.Argument(help="Another one.")],
    *,
    votes: Votes = None,
    temperature: Temperature = None,
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Let a model choose between the conversations of two witnesses, each pair in both orders.

    Exit codes: 0 it has chosen, 2 wrong usage.
    """
    from harness.app_blindtest_preferring import prefer as run_preference
    from harness.cli.render_judging import preference_lines
    from harness.cli.running import print_json

    async def work(bench: Bench) -> Any:
        return await run_preference(bench, run, first, second, judging)

    with wrong_usage():
        judging = judging_of("model", votes=votes, temperature=temperature)
        made = with_bench(load_settings(config, overrides), work)
    if as_json:
        print_json(made)
    else:
        typer.echo("\n".join(preference_lines(made)))


def interrogate(
    context: typer.Context,
    *,
    strategy: Annotated[
        list[str] | None,
        typer.Option(
            "--strategy",
            metavar="NAME",
            help="detail, contradiction, time, emotion, nonsense; may be given several times, or with commas. Default: all.",
        ),
    ] = None,
    interrogator: Annotated[
        str, typer.Option("--as", help="Who asks: neighbour, student, retired, or a description in free words.")
    ] = "neighbour",
    question: Annotated[
        str, typer.Option("--question", help="machine: is it a human being? character: does it hold up?")
    ] = "machine",
    turns: Annotated[int, typer.Option("--turns", min=1, max=200, help="Messages of the interrogator.")] = 10,
    persona: Annotated[list[str] | None, typer.Option("--persona", "-p", help="Characters that are examined.")] = None,
    witness: Annotated[str, typer.Option("--witness", help="The witness that is examined.")] = "harness",
    against: Against = None,
    endpoints: Endpoints = None,
    language: Annotated[str, typer.Option("--language", help="Of the characters, when none is named.")] = "",
    trials: Annotated[int, typer.Option("--trials", min=1, help="Conversations of each strategy.")] = 1,
    seed: Annotated[int, typer.Option("--seed", help="Base of all seeds.")] = 0,
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="Conversations side by side.")] = 1,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder of the run.")] = Path("interrogation"),
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run that is there.")] = False,
    prices: Prices = None,
    max_cost: MaxCost = None,
    max_minutes: MaxMinutes = None,
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Let a model with a strategy of its own find out whom it talks to.

    Exit codes: 0 the witness passed, 1 not (or the run was stopped before its end), 2 wrong usage,
    130 interrupted: finished conversations stay, and --resume goes on.
    """
    from harness.app_blindtest_interrogating import interrogate as run_interrogation
    from harness.cli.blindtest_progress import RunBar
    from harness.cli.render_judging import interrogation_lines, interrogation_rows
    from harness.cli.running import print_json

    async def work(bench: Bench) -> Any:
        bench.add_endpoints(elsewhere)
        return await run_interrogation(
            bench,
            strategy=split(strategy),
            interrogator=interrogator,
            question=question,
            turns=turns,
            personas=persona or (),
            witness=witness,
            against=split(against),
            language=language,
            trials=trials,
            seed=seed,
            jobs=jobs,
            out=out,
            resume=resume,
            limits=limits,
            call=call(context),
            on_plan=bar.planned,
            on_trial=bar.trial,
        )

    with wrong_usage(), RunBar() as bar:
        limits, elsewhere = limits_of(prices, max_cost, max_minutes), endpoints_of(endpoints)
        with bar.kept(out):
            made = with_bench(load_settings(config, overrides), work)
    if as_json:
        print_json(interrogation_rows(made))
    else:
        typer.echo("\n".join(interrogation_lines(made)))
    if not made.passed:
        raise typer.Exit(1)


def pace(
    *,
    fit: Annotated[
        Path,
        typer.Option("--fit", metavar="FILE", help='JSON lines of {"text": …, "seconds": …}, one for each answer.'),
    ],
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write the pacing there.")] = None,
    as_json: Json = False,
) -> None:
    """Fit the pace of people's answers to recorded timings.

    Exit codes: 0 it is fitted, 2 wrong usage: a file that cannot be read, or timings that tell nothing.
    """
    from harness.blindtest.pacing import fit as fit_pacing, read_timings
    from harness.cli.running import print_json
    from harness.errors import RunError

    with wrong_usage():
        made = fit_pacing(read_timings(fit))
        if out is not None:
            try:
                out.write_text(made.model_dump_json(indent=1) + "\n", encoding="utf-8")
            except OSError as failure:
                raise RunError(
                    f"{out} cannot be written: {failure.strerror or failure}.", remedy="Choose another file."
                ) from failure
    if as_json:
        print_json(made)
        return
    typer.echo(
        f"{made.timings} timings: {made.chars_per_second:.2f} characters a second after {made.think_s:.1f} s of thinking, "
        f"spread {made.spread:.2f}; half of them are met within {made.error:.0%}."
    )
