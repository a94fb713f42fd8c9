"""``harness blindtest suites``, ``show`` and ``report``: what can be asked, and what a run came to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from harness.cli.blindtest import app
from harness.cli.blindtest_options import Directory, Language, Personas, Plots, Times, with_bench, wrong_usage
from harness.cli.options import Config, Json, Set, load_settings

if TYPE_CHECKING:
    from rich.console import RenderableType

    from harness.app_blindtest import Bench
    from harness.blindtest.regression import Regression
    from harness.blindtest.reporting import Held
    from harness.blindtest.suite import Script, Slot, Suite
    from harness.errors import RunBusy
    from harness.state import Persona


@app.command("suites")
def list_suites(
    names: Annotated[list[str] | None, typer.Argument(metavar="SUITE...", help="Names, files or folders; default: the suites of the package.")] = None,
    *,
    language: Language = "",
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:  # fmt: skip
    """List suites with their titles, scripts and languages."""
    from harness.cli import render
    from harness.cli.running import print_json

    with wrong_usage():
        found = _suites(names or (), language, config, overrides)
    if as_json:
        print_json([
            {"suite": one.id, "title": one.title, "about": one.about, "language": one.language, "threshold": one.threshold,
             "scripts": [script.id for script in one.scripts], "digest": one.digest()}
            for one in found
        ])  # fmt: skip
        return
    from harness.blindtest.reporting.narrow import sheet

    made = sheet("suite", "title", "language", ("scripts", "right"), ("needs", "right"), "about")
    for one in found:
        render.row(
            made,
            one.id,
            one.title,
            one.language,
            len(one.scripts),
            f"{one.threshold * 100:g} %",
            render.short(one.about, 80),
        )
    render.console().print(made)


def _suites(names: Sequence[str], language: str, config: Path | None, overrides: list[str] | None) -> tuple[Suite, ...]:
    from harness.blindtest import shipped_suites

    async def work(bench: Bench) -> tuple[Suite, ...]:
        found = bench.suites(names or shipped_suites(), language=language)
        return tuple(one for one in found if not language or one.language == language)

    return with_bench(load_settings(config, overrides), work)


@app.command("show")
def show_suite(
    suite: Annotated[str, typer.Argument(metavar="SUITE", help="Name, file or folder.")],
    *,
    script: Annotated[str, typer.Option("--script", metavar="ID", help="Also the steps of this script.")] = "",
    personas: Personas = None,
    seed: Annotated[int, typer.Option("--seed", metavar="S", help="Base of the seeds that values are drawn by.")] = 0,
    language: Language = "",
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Show the scripts of a suite and what they need of a character; with --persona, the values it gives."""
    from harness.cli import render
    from harness.cli.running import print_json

    async def work(bench: Bench) -> list[tuple[Suite, list[dict[str, Any]]]]:
        found = [one for one in bench.suites([suite], language=language) if not language or one.language == language]
        people = bench.personas(personas, found) if personas else {}
        return [(one, [_script(one, each, people, bench, seed) for each in one.scripts]) for one in found]

    with wrong_usage():
        shown = with_bench(load_settings(config, overrides), work)
        known = [each["id"] for _, scripts in shown for each in scripts]
        if script and script not in known:
            from harness.errors import RunError

            raise RunError(f"There is no script {script!r}.", remedy=f"There are {', '.join(dict.fromkeys(known))}.")
    if as_json:
        print_json([
            {"suite": one.id, "title": one.title, "about": one.about, "threshold": one.threshold,
             "scripts": [each for each in scripts if script in ("", each["id"])]}
            for one, scripts in shown
        ])  # fmt: skip
        return
    out = render.console()
    for one, scripts in shown:
        for line in _shown(one, scripts, script):
            out.print(line)


def _script(suite: Suite, script: Script, people: Mapping[str, Persona], bench: Bench, seed: int) -> dict[str, Any]:
    from harness.blindtest.plan import seed_of
    from harness.blindtest.slots import Lacking, fill_slots, slots_of

    made: dict[str, Any] = {
        "id": script.id,
        "title": script.title,
        "probe": script.probe,
        "rounds": [one.name or f"round {number}" for number, one in enumerate(script.rounds, 1)],
        "turns": sum(step.filler or int(step.say is not None) for one in script.rounds for step in one.steps),
        "needs": {name: _needs(suite.slots[name]) for name in slots_of(script, suite)},
        "steps": [
            {"round": one.name, **step.model_dump(mode="json", exclude_defaults=True)}
            for one in script.rounds
            for step in one.steps
        ],
    }
    for name, persona in people.items():
        if persona.language != suite.language:
            continue
        drawn = seed_of(seed, suite.id, script.id, name, 0)
        try:
            made.setdefault("slots", {})[name] = fill_slots(
                script, suite, persona, bench.base.languages.get(suite.language), drawn
            )
        except Lacking as lack:
            made.setdefault("lacks", {})[name] = f"{persona.name} has no {lack.wanted} (slot {lack.slot!r})"
    return made


def _needs(slot: Slot) -> str:
    if slot.fact:
        return f"fact {' or '.join(slot.fact)}"
    if slot.bait:
        return f"a wrong {' or '.join(slot.bait)}"
    if slot.choice:
        return f"one of {', '.join(slot.choice)}"
    return f"a number from {slot.number[0]} to {slot.number[1]}" if slot.number else ""


def _shown(suite: Suite, scripts: Sequence[dict[str, Any]], wanted: str) -> list[RenderableType]:
    from rich.text import Text

    from harness.blindtest.reporting.narrow import sheet
    from harness.cli import render

    lines: list[RenderableType] = [render.heading(f"{suite.title or suite.id} ({suite.id})")]
    if suite.about:
        lines.append(Text(f"  {suite.about}"))
    made = sheet("script", "probe", "rounds", ("turns", "right"), "needs", "of the character")
    for one in scripts:
        slots = [f"{who}: {_values(values)}" for who, values in one.get("slots", {}).items()]
        slots += list(one.get("lacks", {}).values())
        needs = "; ".join(f"{name}: {need}" for name, need in one["needs"].items())
        render.row(made, one["id"], one["probe"], ", ".join(one["rounds"]), one["turns"], needs, "; ".join(slots))
    lines.append(made)
    for one in scripts:
        if wanted == one["id"]:
            lines.append(render.heading(one["id"]))
            lines += [Text(f"  {_step(step)}") for step in one["steps"]]
    return lines


def _values(values: Mapping[str, str]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in values.items() if "." not in name)


def _step(step: Mapping[str, Any]) -> str:
    from harness.blindtest.suite import STEP_KINDS

    kind = next(name for name in STEP_KINDS if name in step)
    rest = {name: value for name, value in step.items() if name not in (kind, "round") and value}
    told = "; ".join(f"{name}: {_as_in_a_suite(value)}" for name, value in rest.items())
    return f"{step['round'] or '-'} · {kind}: {_as_in_a_suite(step[kind])}" + (f"  [{told}]" if told else "")


def _as_in_a_suite(value: Any) -> str:
    """A value as a suite file has it, on one line."""
    import yaml

    if isinstance(value, str):
        return value
    plain = yaml.safe_dump(value, allow_unicode=True, default_flow_style=True, sort_keys=False, width=10**6)
    return plain.removesuffix("\n").removesuffix("\n...")


@app.command("report")
def write_report(
    directory: Directory,
    *,
    times: Times = False,
    plots: Plots = None,
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Write the reports of a run again, and print its summary. What is not graded yet, or by older rules, is graded; what a model judged is kept.
    While another process writes there, a run under way for instance, the summary is of what there is so far, and nothing is written.

    Exit codes: 0 it passed its thresholds, 1 not, 2 wrong usage.
    """
    from harness.cli import render
    from harness.cli.running import print_json

    async def work(bench: Bench) -> tuple[Held, tuple[Path, ...]]:
        from harness.app_blindtest_regrading import read_current, regrade
        from harness.blindtest.folder import RunFolder
        from harness.blindtest.reporting import read_held, write_reports
        from harness.errors import RunBusy

        folder = RunFolder(directory)
        try:
            with folder.alone(begun=True):
                await regrade(bench, folder)
                files = write_reports(folder, packs=bench.base.languages, times=times, plots=plots)
                return read_held(folder), files
        except RunBusy as busy:
            return await read_current(bench, directory), _not_written(busy)

    with wrong_usage():
        held, files = with_bench(load_settings(config, overrides), work)
    passed = held.results.passed() and not held.missing
    if as_json:
        print_json(as_object(held, files=files, passed=passed))
    else:
        out = render.console()
        for line in summary_lines(held, timed=True):
            out.print(line)
        if files:
            out.print(f"Report: {files[0]}")
    if not passed:
        raise typer.Exit(1)


def _not_written(busy: RunBusy) -> tuple[Path, ...]:
    """Say that no report is written; gives the files, of which there are none."""
    typer.echo(f"{busy.message} This is what there is so far; no report is written.", err=True)
    return ()


def summary_lines(held: Held, *, timed: bool = False) -> list[RenderableType]:
    """The summary of a run."""
    from rich.text import Text

    from harness.blindtest.reporting.terminal import summary
    from harness.blindtest.reporting.timing import timing

    made = summary(
        held.results,
        planned=held.info.planned,
        languages=held.languages,
        left_out=held.info.left_out,
        timing=timing(held.transcripts) if timed else None,
    )
    return [*made, *(Text(line) for line in asking_lines(held))]


def asking_lines(held: Held) -> Iterator[str]:
    """What the judge and a simulated interrogator used, and what that cost."""
    from harness.blindtest.reporting.asking import asking

    yield from (one.read() for one in asking(held))


def as_object(
    held: Held, *, passed: bool, files: Sequence[Path] = (), stopped: str = "", regression: Regression | None = None
) -> dict[str, Any]:
    """A run for programs. Trials are left out; they stand in ``results.json``."""
    from harness.blindtest.reporting.statements import sentences

    made = {
        "passed": passed,
        "stopped": stopped,
        "missing": held.missing,
        "left_out": held.info.left_out,
        "says": [one.read() for one in sentences(held.results, planned=held.info.planned, languages=held.languages)],
        "asking": dict(held.asking),
        "files": [str(file) for file in files],
        **held.results.model_dump(mode="json", exclude={"trials"}),
    }
    if regression is not None:
        from harness.cli.blindtest_weighing import regression_object

        made["baseline"] = regression_object(regression)
    return made
