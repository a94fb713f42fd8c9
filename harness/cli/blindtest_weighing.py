"""``harness blindtest compare``, ``judge`` and ``import``: one run against another, graded anew, or of another system."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from harness.cli.blindtest import app
from harness.cli.blindtest_options import (
    CalibrationFile,
    Directory,
    Judge,
    MaxCost,
    Plots,
    Prices,
    Temperature,
    Threshold,
    Votes,
    Witness,
    call,
    judging_of,
    limits_of,
    with_bench,
    wrong_usage,
)
from harness.cli.options import Config, Json, Set, load_settings

if TYPE_CHECKING:
    from rich.console import RenderableType

    from harness.app_blindtest import Bench
    from harness.blindtest.regression import Regression
    from harness.blindtest.reporting import Held

_SHOWN = 20
"""Changed verdicts that are printed."""


@app.command("compare")
def compare_runs(
    directory: Directory,
    baseline: Annotated[Path, typer.Argument(metavar="BASELINE", help="Folder of the run before the change.")],
    *,
    witness: Witness = "",
    baseline_witness: Annotated[
        str, typer.Option("--baseline-witness", metavar="NAME", help="Which witness of the baseline; default: the same.")
    ] = "",
    margin: Annotated[
        float | None,
        typer.Option("--margin", min=0, max=1, metavar="SHARE", help="Also exit code 1 when a loss of more than this share of probes cannot be ruled out."),
    ] = None,
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:  # fmt: skip
    """Compare a run with an earlier one on the cases that both have: keep a change of memory, prompt or persona, or roll it back.

    Exit codes: 0 keep, 1 worse (or a loss beyond the margin cannot be ruled out), 2 wrong usage.
    """
    from harness.cli import render
    from harness.cli.running import print_json

    async def work(bench: Bench) -> Regression:
        from harness.app_blindtest_regrading import read_current
        from harness.blindtest.regression import against_baseline

        now, before = await read_current(bench, directory), await read_current(bench, baseline)
        return against_baseline(now, before, witness=witness, baseline_witness=baseline_witness, margin=margin)

    with wrong_usage():
        found = with_bench(load_settings(config, overrides), work)
    if as_json:
        print_json(regression_object(found))
    else:
        out = render.console()
        for line in regression_lines(found):
            out.print(line)
    if not found.kept:
        raise typer.Exit(1)


def regression_object(found: Regression) -> dict[str, Any]:
    """A comparison with a baseline, for programs."""
    from harness.blindtest.reporting.statements import compared

    return {
        "keep": found.kept,
        "verdict": found.verdict,
        "risk": found.risk,
        "cases": found.cases,
        "says": [one.read() for one in compared(found.comparisons, found.losses)],
        "comparisons": [one.model_dump(mode="json") for one in found.comparisons],
        "losses": [one.model_dump(mode="json") for one in found.losses],
        "notes": found.notes,
    }


def regression_lines(found: Regression) -> list[RenderableType]:
    """A comparison with a baseline, for people."""
    from rich.text import Text

    from harness.blindtest.reporting.terminal import compared_lines, comparisons

    lines: list[RenderableType] = comparisons(found.comparisons)
    lines += [Text(f"Note: {note}.", style="dim") for note in found.notes]
    lines += compared_lines(found.comparisons, found.losses)
    if found.verdict == "worse":
        lines.append(Text("Roll back: this run is worse than the baseline.", style="bold red"))
    elif found.risk:
        lines.append(
            Text(
                "Roll back: a loss beyond the margin cannot be ruled out. More trials may settle it.", style="bold red"
            )
        )
    elif found.verdict == "better":
        lines.append(Text("Keep: this run is better than the baseline.", style="bold green"))
    else:
        lines.append(Text("Keep: nothing speaks against it. That is no proof that both are the same.", style="bold"))
    return lines


@app.command("judge")
def judge_again(
    directory: Directory,
    *,
    judge: Judge = "",
    votes: Votes = None,
    temperature: Temperature = None,
    threshold: Threshold = None,
    calibration: CalibrationFile = None,
    at_once: Annotated[
        int | None, typer.Option("--at-once", min=1, metavar="N", help="Questions side by side; 1.")
    ] = None,
    prices: Prices = None,
    max_cost: MaxCost = None,
    plots: Plots = None,
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Grade the transcripts of a run anew with the rules of today, and say which verdicts have changed. With --judge a model is asked,
    for what the rules leave undecided (both) or for all that is about meaning (model); nothing is asked twice. Without --judge what a model
    judged before is kept; --judge rules gives it up. New prices take the place of those of the run.

    Exit codes: 0 it passed its thresholds, 1 not, 2 wrong usage.
    """
    from harness.cli import render
    from harness.cli.blindtest_looking import as_object, summary_lines
    from harness.cli.running import print_json

    async def work(bench: Bench) -> tuple[Held, tuple[Path, ...], list[dict[str, Any]]]:
        from harness.app_blindtest_judging import judged
        from harness.blindtest.folder import RunFolder
        from harness.blindtest.limits import Limits
        from harness.blindtest.reporting import read_held, write_reports

        folder = RunFolder(directory)
        with folder.alone(begun=True):
            info = folder.priced(given.prices)
            limits = Limits(info.prices, max_cost)
            before = {key: one.verdicts for key, one in folder.graded().items()}
            await judged(bench, folder, info, folder.transcripts(), judging if judge else None, limits=limits)
            stopped.append(limits.stopped)
            files = write_reports(folder, packs=bench.base.languages, plots=plots)
            held = read_held(folder)
        return held, files, _changed(before, held)

    stopped: list[str] = []
    with wrong_usage():
        given = limits_of(prices, None, None)
        judging = judging_of(
            judge or "rules",
            votes=votes,
            temperature=temperature,
            threshold=threshold,
            calibration=calibration,
            at_once=at_once,
        )
        held, files, changed = with_bench(load_settings(config, overrides), work)
    passed = held.results.passed() and not held.missing and not any(stopped)
    if as_json:
        print_json({**as_object(held, files=files, passed=passed, stopped="".join(stopped)), "changed": changed})
    else:
        out = render.console()
        for line in (*summary_lines(held), *_changes(changed)):
            out.print(line)
        if any(stopped):
            out.print(
                f"Stopped: {stopped[0]}. What is left was judged by rules; go on with a higher bound.", style="red"
            )
        out.print(f"Report: {files[0]}")
    if not passed:
        raise typer.Exit(1)


def _changed(before: dict[str, Any], held: Held) -> list[dict[str, Any]]:
    """Verdicts that came out differently; of trials that were graded before."""
    changed: list[dict[str, Any]] = []
    for trial in held.results.trials:
        if trial.key not in before:
            continue
        old = {(one.round, one.step, one.exchange, one.expectation): one.outcome for one in before[trial.key]}
        for one in held.graded[trial.key].verdicts:
            was = old.get((one.round, one.step, one.exchange, one.expectation), "")
            if was != one.outcome:
                changed.append({
                    "trial": trial.key, "suite": trial.suite, "script": trial.script, "witness": trial.witness,
                    "turn": one.exchange, "expectation": one.expectation, "was": was or "not judged", "is": one.outcome,
                    "evidence": one.evidence,
                })  # fmt: skip
    return changed


def _changes(changed: list[dict[str, Any]]) -> list[RenderableType]:
    from rich.text import Text

    from harness.blindtest.reporting.narrow import sheet
    from harness.cli import render

    if not changed:
        return [Text("No verdict has changed.")]
    made = sheet("witness", "script", ("turn", "right"), "expectation", "was", "is", "evidence")
    for one in changed[:_SHOWN]:
        where = f"{one['suite']}/{one['script']}"
        cells = (one["expectation"], one["was"], one["is"], render.short(one["evidence"]))
        render.row(made, one["witness"], where, one["turn"] or "-", *cells)
    rest = [Text(f"… and {len(changed) - _SHOWN} more")] if len(changed) > _SHOWN else []
    return [Text(f"{render.counted(len(changed), 'verdict')} changed:"), made, *rest]


@app.command("import")
def import_conversations(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="JSON lines or CSV with the conversations.")],
    *,
    suite: Annotated[str, typer.Option("--suite", metavar="SUITE", help="Suite they were held by, where lines do not say; name or file.")] = "",
    script: Annotated[str, typer.Option("--script", metavar="ID", help="Script, where lines do not say.")] = "",
    persona: Annotated[str, typer.Option("--persona", "-p", metavar="NAME", help="Character, where lines do not say.")] = "",
    witness: Annotated[str, typer.Option("--witness", metavar="NAME", help="What to call the other system, where lines do not say.")] = "",
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Folder of the run.")] = Path("blindtest"),
    plots: Plots = None,
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:  # fmt: skip
    """Take in conversations that another system held by our scripts, grade them, and write the reports.

    Exit codes: 0 they passed the thresholds, 1 not, 2 wrong usage or a conversation that is not its script's.
    """
    from harness.cli import render
    from harness.cli.blindtest_looking import as_object, summary_lines
    from harness.cli.running import print_json

    async def work(bench: Bench) -> tuple[Held, tuple[Path, ...]]:
        from harness.app_blindtest_importing import keep
        from harness.blindtest.importing import recorded_in
        from harness.blindtest.reporting import read_held, write_reports

        named = bench.suites([suite]) if suite else ()
        given = {"script": script, "persona": persona, "witness": witness}
        if len(named) == 1:
            given["suite"] = named[0].id
        found = recorded_in(file, given)
        run = await keep(
            bench,
            found.recorded,
            [suite] if suite else [],
            out=out,
            file=file,
            problems=found.problems,
            call=call(context),
        )
        return read_held(run.folder), write_reports(run.folder, packs=bench.base.languages, plots=plots)

    with wrong_usage():
        held, files = with_bench(load_settings(config, overrides), work)
    passed = held.results.passed()
    if as_json:
        print_json(as_object(held, files=files, passed=passed))
    else:
        shown = render.console()
        for line in summary_lines(held):
            shown.print(line)
        shown.print(f"Report: {files[0]}")
    if not passed:
        raise typer.Exit(1)
