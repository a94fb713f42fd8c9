"""``harness sessions``: list, export, import, delete."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from harness.cli.options import Config, Json, SessionId, Set, load_settings

app = typer.Typer(help="List, export, import and delete stored sessions.", no_args_is_help=True)

Form = Literal["jsonl", "json"]


@app.command("list")
def list_sessions(*, as_json: Json = False, config: Config = None, overrides: Set = None) -> None:
    """List the stored sessions, last changed first."""
    from harness.cli import render
    from harness.cli.running import print_json, with_harness

    async def work(harness: Any) -> None:
        found = await harness.store().sessions()
        if as_json:
            print_json([info.model_dump(mode="json", exclude={"persona"}) for info in found])
        else:
            render.console().print(render.sessions(found))

    with_harness(load_settings(config, overrides), work)


@app.command("export")
def export_session(
    session: SessionId,
    file: Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where to; default: standard output.")] = None,
    form: Annotated[Form, typer.Option("--format", metavar="jsonl|json", help="One document, or a line for each turn.")] = "jsonl",
    *,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
    config: Config = None,
    overrides: Set = None,
) -> None:  # fmt: skip
    """Write a session with all its branches."""
    from harness.cli.exchange import dump
    from harness.cli.running import with_harness
    from harness.errors import InputError

    async def work(harness: Any) -> str:
        store = harness.store()
        info = await store.info(session)
        return dump(info, await store.records(session), form)

    text = with_harness(load_settings(config, overrides), work)
    if file is None or str(file) == "-":
        sys.stdout.write(text)
        return
    try:
        with file.open("w" if force else "x", encoding="utf-8", newline="\n") as out:
            out.write(text)
    except FileExistsError:
        raise InputError(f"{file} exists already.", remedy="Give another name, or --force.") from None
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror}.") from error
    typer.echo(f"Exported {session!r} to {file}.", err=True)


@app.command("import")
def import_session(
    file: Annotated[str, typer.Argument(metavar="FILE", help="An exported session; - reads standard input.")],
    new_id: Annotated[str, typer.Option("--as", metavar="ID", help="Store it under another id.")] = "",
    *,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Store an exported session. It is checked as a whole first; an existing session is never touched."""
    from harness.cli.exchange import read_export, restore
    from harness.cli.running import with_harness
    from harness.errors import InputError

    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file} cannot be read: {error}.") from error
    info, records = read_export(text)
    if new_id:
        info = info.model_copy(update={"id": new_id})

    async def work(harness: Any) -> None:
        await restore(harness.store(), info, records)

    with_harness(load_settings(config, overrides), work)
    turns = sum(1 for record in records if record.origin != "change")
    typer.echo(f"Imported {info.id!r}: {turns} turns with {info.persona.name}.")


@app.command("delete")
def delete_session(
    session: SessionId,
    *,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Delete a session with all its branches, and what was remembered of it. It cannot be brought back."""
    from harness.cli.running import with_harness

    async def look(harness: Any) -> Any:
        return await harness.store().info(session)

    loaded = load_settings(config, overrides)
    info = with_harness(loaded, look)
    if not yes:
        typer.confirm(f"Delete {session!r}, {info.turns} turns with {info.persona.name}?", abort=True)

    async def work(harness: Any) -> None:
        await harness.delete(session)

    with_harness(loaded, work)
    typer.echo(f"Deleted {session!r}.")
