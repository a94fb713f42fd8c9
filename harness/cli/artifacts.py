"""``harness artifacts``: results of tools, and the whole text of the long ones."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from harness.cli.files import is_stdout, written
from harness.cli.options import Config, Json, SessionId, Set
from harness.cli.tree import in_session

if TYPE_CHECKING:
    from harness.state import ToolResult

app = typer.Typer(help="List the tool results of a session, and read the long ones back.", no_args_is_help=True)


@app.command("list")
def list_artifacts(session: SessionId, *, as_json: Json = False, config: Config = None, overrides: Set = None) -> None:
    """List what tools gave on the current branch. Those with a reference are kept whole beside the session."""
    from harness.cli import render
    from harness.cli.running import print_json

    async def work(opened: Any) -> Any:
        return await opened.tool_results()

    found = in_session(session, work, config, overrides, connect=False)
    print_json(found) if as_json else render.console().print(table_of(found))


@app.command("show")
def show_artifact(
    session: SessionId,
    ref: Annotated[str, typer.Argument(metavar="REF", help="Reference or id of a result, as list shows them.")],
    file: Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where to; default: standard output.")] = None,
    *,
    config: Config = None,
    overrides: Set = None,
) -> None:  # fmt: skip
    """Print the whole text of a result."""

    async def work(opened: Any) -> Any:
        return await opened.artifact(ref)

    text = in_session(session, work, config, overrides, connect=False)
    with written(file, remedy="Give another name.") as out:
        out.write(text if text.endswith("\n") or not is_stdout(file) else f"{text}\n")
    if not is_stdout(file):
        typer.echo(f"Wrote {len(text)} characters to {file}.", err=True)


@app.command("sweep")
def sweep_artifacts(session: SessionId, *, config: Config = None, overrides: Set = None) -> None:
    """Remove texts that no turn of any branch refers to: what turns that failed left behind."""

    async def work(opened: Any) -> int:
        gone: int = await opened.sweep_artifacts()
        return gone

    gone = in_session(session, work, config, overrides, connect=False)
    typer.echo(f"Removed {gone} texts." if gone else "There is nothing to remove.")


def table_of(results: tuple[ToolResult, ...]) -> Any:
    """Tool results as a table."""
    from rich.text import Text

    from harness.cli import render

    if not results:
        return Text("  no tool results", style="dim")
    made = render.table("id", ("turn", "right"), "call", "result", "reference", whole=("id", "call", "reference"))
    for one in results:
        text = f"failed: {one.text}" if one.error else one.text
        cells = (one.id, one.turn, render.short(one.said, 40), render.short(text, 80), one.ref)
        render.row(made, *cells, style="red" if one.error else "")
    return made


def read_results(path: str) -> list[Any]:
    """The tool results of a JSON file: one object, a list of them, or one a line.

    Raises:
        InputError: the file cannot be read, or is no JSON.
    """
    import json

    from harness.errors import InputError

    try:
        text = sys.stdin.read() if path == "-" else Path(path).expanduser().read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}.", remedy="Give a JSON file with tool results.") from error
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError) as error:
        try:
            parsed = [json.loads(line) for line in text.split("\n") if line.strip()]
        except (ValueError, RecursionError):
            raise InputError(
                f"{path} is not JSON: {error}.",
                remedy='Give {"name": …, "arguments": …, "text": …}, a list of such objects, or one a line.',
            ) from error
    found = parsed if isinstance(parsed, list) else [parsed]
    if not found:
        raise InputError(f"{path} has no tool result.", remedy='Give {"name": …, "arguments": …, "text": …}.')
    return found
