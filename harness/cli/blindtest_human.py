"""``harness blindtest human``: two channels and a judge; ``human join`` for the person, ``human results`` for what it comes to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from harness.cli.blindtest_options import Endpoints, Pace, endpoints_of, pacing_of, with_bench, wrong_usage
from harness.cli.options import Config, Json, Set, load_settings

if TYPE_CHECKING:
    from harness.app_blindtest import Bench

app = typer.Typer(help="Two channels, one judge: which of them is the human being?", no_args_is_help=False)
FOLDER = Path("human")
Out = Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder of the sessions.")]


def register(parent: typer.Typer) -> None:
    """Add the commands of this module."""
    parent.add_typer(app, name="human")


@app.callback(invoke_without_command=True)
def human(
    context: typer.Context,
    *,
    persona: Annotated[str, typer.Option("--persona", "-p", help="The character of the witness.")] = "",
    witness: Annotated[str, typer.Option("--witness", help="harness, bare, window, eliza …")] = "harness",
    endpoints: Endpoints = None,
    recorded: Annotated[
        Path | None,
        typer.Option("--recorded", metavar="DIR", help="Take the other side from a run, or from earlier human tests."),
    ] = None,
    recorded_witness: Annotated[str, typer.Option("--recorded-witness", help="Which witness of the run.")] = "",
    brief: Annotated[
        str, typer.Option("--brief", help="What the person is told. Default: to answer as themselves.")
    ] = "",
    minutes: Annotated[float, typer.Option("--minutes", help="Time limit, from the first message.")] = 5.0,
    seconds: Annotated[
        float, typer.Option("--seconds", help="Median seconds to a reply; 0: as the pacing says, about 19.")
    ] = 0.0,
    pace: Pace = None,
    wait: Annotated[float, typer.Option("--wait", min=1.0, help="Seconds to wait for the person.")] = 600.0,
    out: Out = FOLDER,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Judge two channels, A and B, one of them a witness, the other a person or a recording.

    Replies of both come when a clock that knows neither says so; nothing on the screen or the disk tells which is which before the
    verdict.

    Exit codes: 0 the session is over, 2 wrong usage.
    """
    if context.invoked_subcommand is not None:
        return
    from harness.app_blindtest_human import HumanTest, hold_human, told
    from harness.blindtest.pacing import Pacing
    from harness.cli.typed_lines import typed_lines
    from harness.errors import RunError

    async def work(bench: Bench) -> str:
        bench.add_endpoints(elsewhere)
        held = await hold_human(bench, test, out=out, typing=typed_lines(), show=_show)
        return told(held, held.folder.info().language)

    with wrong_usage():
        if not persona:
            raise RunError(
                "Expected a character for the witness.", remedy="Name one: harness blindtest human --persona ada."
            )
        elsewhere = endpoints_of(endpoints)
        test = HumanTest(
            persona=persona,
            witness=witness,
            recorded=recorded,
            recorded_witness=recorded_witness,
            brief=brief,
            minutes=minutes,
            wait_s=wait,
            pacing=pacing_of(pace) or Pacing(),
            median_s=seconds,
        )
        # A warning of the engine in the middle of a session would tell that it is at work.
        loaded = load_settings(config, [*(overrides or []), "log.level=error"])
        typer.echo(with_bench(loaded, work))


@app.command("join")
def join(
    *,
    out: Out = FOLDER,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Instead of what is in --out.")] = 0,
    code: Annotated[str, typer.Option("--code", help="Belongs to --port.")] = "",
    wait: Annotated[float, typer.Option("--wait", min=0.0, help="Seconds to wait for a test to begin.")] = 60.0,
) -> None:
    """Be the person of a human test that waits in another terminal of this machine."""
    from harness.blindtest.human.joining import JOIN, join as run_side
    from harness.blindtest.human.judging import line
    from harness.cli.running import run
    from harness.cli.typed_lines import typed_lines

    with wrong_usage():
        where, word = (port, code) if port else _note(out / JOIN, wait)
    language = "en"

    def tell(message: dict[str, Any]) -> None:
        nonlocal language
        if message["type"] == "welcome":
            language = str(message.get("language", "en"))
            _show(line("person", language, brief=message.get("brief", "")))
        elif message["type"] in ("late", "end"):
            _show(line(str(message["type"]), language))

    async def main() -> None:
        typing = typed_lines()

        async def ask(text: str, seconds: float) -> str | None:
            _show(line("asked", language, seconds=round(seconds), text=text))
            return await typing.line("> ")

        await run_side(where, word, ask=ask, tell=tell)

    run(main)


def _note(path: Path, seconds: float) -> tuple[int, str]:
    """Port and code, as soon as a test waits."""
    import time

    from harness.blindtest.human.joining import read_note

    until = time.monotonic() + seconds
    while not path.exists() and time.monotonic() < until:
        time.sleep(0.2)
    return read_note(path)


@app.command("results")
def results(
    folder: Annotated[Path | None, typer.Argument(metavar="DIR", help="Folder of the sessions.")] = None,
    *,
    out: Out = FOLDER,
    as_json: Json = False,
) -> None:
    """Count the sessions: how often the judges were right, against chance, and what they decided on. The folder is DIR, or that of --out.

    Exit codes: 0 they are counted, 2 wrong usage.
    """
    from harness.blindtest.human.results import human_results
    from harness.cli.render_judging import human_lines
    from harness.cli.running import print_json

    with wrong_usage():
        made = human_results(folder or out)
    if as_json:
        print_json(made)
    else:
        typer.echo("\n".join(human_lines(made)))


def _show(text: str) -> None:
    """Print a line at once."""
    import sys

    sys.stdout.write(text + "\n")
    sys.stdout.flush()
