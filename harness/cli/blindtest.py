"""``harness blindtest``: does the character hold up? Scripted interrogation, reports, comparisons."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from harness.cli.blindtest_options import (
    Against,
    CalibrationFile,
    Endpoints,
    Judge,
    Language,
    MaxCost,
    MaxMinutes,
    Pace,
    Personas,
    Plots,
    Prices,
    Suites,
    Temperature,
    Threshold,
    Times,
    Votes,
    call,
    endpoints_of,
    judging_of,
    limits_of,
    pacing_of,
    split,
    with_bench,
    wrong_usage,
)
from harness.cli.options import Config, Json, Set, load_settings

if TYPE_CHECKING:
    from harness.app_blindtest import Bench, Run
    from harness.app_blindtest_workers import ExecutorName
    from harness.blindtest.regression import Regression
    from harness.blindtest.reporting import Held
    from harness.errors import RunError

app = typer.Typer(
    no_args_is_help=True, help="Examine characters by scripts, against other witnesses, with honest statistics."
)


@app.command("run")
def run_suites(
    context: typer.Context,
    suites: Suites,
    *,
    personas: Personas = None,
    against: Against = None,
    endpoints: Endpoints = None,
    ablate: Annotated[
        list[str] | None,
        typer.Option("--ablate", metavar="FEATURE", help="Also the engine without this: facts, topics, consistency, revision, memory, emotion; may be given several times, or with commas."),
    ] = None,
    witness: Annotated[str, typer.Option("--witness", metavar="NAME", help="The witness that is examined.")] = "harness",
    trials: Annotated[int, typer.Option("--trials", "-n", min=1, metavar="N", help="Repeats of each script.")] = 1,
    seed: Annotated[int, typer.Option("--seed", metavar="S", help="Base of all seeds.")] = 0,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, metavar="J", help="Worker processes.")] = 1,
    at_once: Annotated[int, typer.Option("--at-once", min=1, metavar="N", help="Trials side by side in each of them.")] = 1,
    executor: Annotated[str, typer.Option("--executor", metavar="NAME", help="auto, inline (this process), processes, or ray (extra ray).")] = "auto",
    ray_address: Annotated[str, typer.Option("--ray-address", metavar="ADDRESS", help="Of a Ray cluster; default: RAY_ADDRESS, else one of this machine for the run.")] = "",
    language: Language = "",
    judge: Judge = "rules",
    votes: Votes = None,
    temperature: Temperature = None,
    threshold: Threshold = None,
    calibration: CalibrationFile = None,
    pace: Pace = None,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Folder of the run.")] = Path("blindtest"),
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in the folder; nothing is held twice.")] = False,
    baseline: Annotated[
        Path | None, typer.Option("--baseline", metavar="DIR", help="Compare with this run afterwards; worse is exit code 1.")
    ] = None,
    prices: Prices = None,
    max_cost: MaxCost = None,
    max_minutes: MaxMinutes = None,
    times: Times = False,
    plots: Plots = None,
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:  # fmt: skip
    """Hold suites of scripts with a witness (the engine) and those it is compared with, grade them, and write the reports.

    Exit codes: 0 every suite reached its threshold, 1 not (or the run was stopped before its end, or is worse than the baseline),
    2 wrong usage, 130 interrupted: finished trials stay, and --resume goes on.
    """
    from harness.cli.blindtest_progress import RunBar
    from harness.cli.running import print_json

    with wrong_usage(), RunBar() as bar:
        limits, elsewhere, pacing = limits_of(prices, max_cost, max_minutes), endpoints_of(endpoints), pacing_of(pace)
        judging = judging_of(judge, votes=votes, temperature=temperature, threshold=threshold, calibration=calibration)

        async def work(bench: Bench) -> tuple[Run, tuple[Path, ...], Held, Held | None]:
            from harness.app_blindtest_regrading import read_current
            from harness.blindtest.reporting import read_held, write_reports

            # Read before anything is held, so that a wrong folder is told at once; by the rules of today, as the run will be.
            before = await read_current(bench, baseline) if baseline is not None else None
            bench.add_endpoints(elsewhere)
            run = await bench.run(
                suites, personas=personas or (), against=split(against), ablate=split(ablate), witness=witness,
                language=language, trials=trials, seed=seed, jobs=jobs, at_once=at_once,
                executor=cast("ExecutorName", executor), ray_address=ray_address, out=out, resume=resume, limits=limits, judge=judging,
                pacing=pacing, call=call(context), on_plan=bar.planned, on_trial=bar.trial,
            )  # fmt: skip
            packs = bench.base.languages
            return run, write_reports(run.folder, packs=packs, times=times, plots=plots), read_held(run.folder), before

        with bar.kept(out):
            run, files, held, before = with_bench(load_settings(config, overrides), work)
        bar.stop()
        found, misfit = _compared(held, before, witness)
        passed = run.passed and (found is None or found.kept)
        if as_json:
            from harness.cli.blindtest_looking import as_object

            print_json(as_object(held, files=files, stopped=run.stopped, passed=passed, regression=found))
        else:
            _print(held, files, run.stopped, found)
        if misfit is not None:
            raise misfit
    if not passed:
        raise typer.Exit(1)


def _compared(held: Held, before: Held | None, witness: str) -> tuple[Regression | None, RunError | None]:
    """The run against its baseline, or why it cannot be compared; that is told after the run's own results."""
    from harness.blindtest.regression import against_baseline
    from harness.errors import RunError

    if before is None:
        return None, None
    same = any(one.name == witness for one in before.results.witnesses)
    examined = before.results.witnesses[0].name if before.results.witnesses else ""
    try:
        return against_baseline(held, before, witness=witness, baseline_witness=witness if same else examined), None
    except RunError as failure:
        return None, failure


def _print(held: Held, files: tuple[Path, ...], stopped: str, found: Regression | None) -> None:
    from harness.cli import render
    from harness.cli.blindtest_looking import summary_lines
    from harness.cli.blindtest_weighing import regression_lines

    out = render.console()
    for line in summary_lines(held, timed=True):
        out.print(line)
    if stopped:
        out.print(f"Stopped: {stopped}. Go on with --resume and a higher bound.", style="red")
    if found is not None:
        for line in regression_lines(found):
            out.print(line)
    out.print(f"Report: {files[0]}")
