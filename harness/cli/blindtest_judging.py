"""``harness blindtest calibrate | interrogate | prefer | pace``: judges, and what they are worth."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from harness.cli.options import Config, Json, Set, load_settings

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from harness.app_blindtest import Bench
    from harness.settings import Loaded

Votes = Annotated[int, typer.Option("--votes", min=1, max=99, help="Votes of the model for each question.")]
Temperature = Annotated[float, typer.Option("--temperature", min=0.0, max=2.0, help="Of the votes.")]


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
    votes: Votes = 3,
    temperature: Temperature = 0.7,
    threshold: Annotated[
        float,
        typer.Option("--threshold", min=0.0, max=1.0, help="Least lower bound of the accuracy for verdicts to count."),
    ] = 0.8,
    language: Annotated[str, typer.Option("--language", help="Only rows of this language.")] = "",
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Folder, of a run for instance, for calibration.json.")
    ] = None,
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Let a judge grade replies whose verdict is known. Exit code 1: its verdicts do not count in every language."""
    from dataclasses import replace

    from harness.app_blindtest_judging import Judging, calibrate as run_calibration
    from harness.cli.render_judging import calibration_lines
    from harness.cli.running import print_json

    judging = replace(Judging.of(judge), votes=votes, temperature=temperature, threshold=threshold)
    loaded = load_settings(config, overrides)

    async def work(bench: Bench) -> Any:
        return await run_calibration(
            bench, labels=labels or (), judge=judging, language=language, out=out, told=_counting(as_json)
        )

    made = with_bench(loaded, work)
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
    votes: Votes = 3,
    temperature: Temperature = 0.7,
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Let a model choose between the conversations of two witnesses, each pair in both orders."""
    from harness.app_blindtest_judging import Judging, prefer as run_preference
    from harness.cli.render_judging import preference_lines
    from harness.cli.running import print_json

    judging = Judging(mode="model", votes=votes, temperature=temperature)

    async def work(bench: Bench) -> Any:
        return await run_preference(bench, run, first, second, judging)

    made = with_bench(load_settings(config, overrides), work)
    if as_json:
        print_json(made)
    else:
        typer.echo("\n".join(preference_lines(made)))


def interrogate(
    *,
    strategy: Annotated[
        list[str] | None,
        typer.Option(
            "--strategy",
            help="detail, contradiction, time, emotion, nonsense; may be given several times. Default: all.",
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
    against: Annotated[list[str] | None, typer.Option("--against", help="Witnesses to compare with.")] = None,
    language: Annotated[str, typer.Option("--language", help="Of the characters, when none is named.")] = "",
    trials: Annotated[int, typer.Option("--trials", min=1, help="Conversations of each strategy.")] = 1,
    seed: Annotated[int, typer.Option("--seed", help="Base of all seeds.")] = 0,
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="Conversations side by side.")] = 1,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder of the run.")] = Path("interrogation"),
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run that is there.")] = False,
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Let a model with a strategy of its own find out whom it talks to. Exit code 1: the witness did not pass."""
    from harness.app_blindtest_interrogating import interrogate as run_interrogation
    from harness.cli.render_judging import interrogation_lines, interrogation_rows
    from harness.cli.running import print_json

    async def work(bench: Bench) -> Any:
        return await run_interrogation(
            bench,
            strategy=strategy or (),
            interrogator=interrogator,
            question=question,
            turns=turns,
            personas=persona or (),
            witness=witness,
            against=against or (),
            language=language,
            trials=trials,
            seed=seed,
            jobs=jobs,
            out=out,
            resume=resume,
        )

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
    """Fit the pace of people's answers to recorded timings."""
    from harness.blindtest.pacing import fit as fit_pacing, read_timings
    from harness.cli.running import print_json
    from harness.errors import RunError

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


def with_bench(loaded: Loaded, work: Callable[[Bench], Awaitable[Any]]) -> Any:
    """Run ``work`` on a bench that is closed afterwards."""
    from harness.cli.running import run

    async def main() -> Any:
        from harness.app_blindtest import Bench
        from harness.cli.pulling import PullBar

        with PullBar() as bar:
            async with Bench(loaded, progress=bar) as bench:
                return await work(bench)

    return run(main)
