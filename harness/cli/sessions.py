"""``harness sessions``: list, export, import, delete, move."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from harness.cli.files import Force, Output, is_stdout, text_of, written
from harness.cli.moving import Ends, From, To, moved, told
from harness.cli.options import Config, Json, SessionId, Set, load_settings

app = typer.Typer(help="List, export, import, delete and move stored sessions.", no_args_is_help=True)

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
    file: Output = None,
    form: Annotated[Form, typer.Option("--format", metavar="jsonl|json", help="One document, or a line for each turn.")] = "jsonl",
    *,
    force: Force = False,
    config: Config = None,
    overrides: Set = None,
) -> None:  # fmt: skip
    """Write a session with all its branches."""
    from harness.cli.exchange import dump
    from harness.cli.running import with_harness

    async def work(harness: Any) -> str:
        store = harness.store()
        info = await store.info(session)
        return dump(info, await store.records(session), form)

    text = with_harness(load_settings(config, overrides), work)
    with written(file, force=force) as out:
        out.write(text)
    if is_stdout(file):
        return
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

    info, records = read_export(text_of(file))
    if new_id:
        info = info.model_copy(update={"id": new_id})

    async def work(harness: Any) -> None:
        await restore(harness.store(), info, records)

    with_harness(load_settings(config, overrides), work)
    turns = sum(1 for record in records if record.origin != "change")
    from harness.cli.render import counted

    typer.echo(f"Imported {info.id!r}: {counted(turns, 'turn')} with {info.persona.name}.")


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
        from harness.cli.render import counted

        typer.confirm(f"Delete {session!r}, {counted(info.turns, 'turn')} with {info.persona.name}?", abort=True)

    async def work(harness: Any) -> Any:
        return await harness.delete(session)

    remains = with_harness(loaded, work)
    typer.echo(f"Deleted {session!r}.")
    for file in remains:
        typer.echo(f"{file} may still have words of it: another program is reading it, or it cannot be used.", err=True)


@app.command("migrate")
def migrate_sessions(
    source: From = "", target: To = "", *, as_json: Json = False, config: Config = None, overrides: Set = None
) -> None:
    """Copy all sessions to another backend, with all their branches. May be interrupted and repeated.

    Exit code 1 when a session has other turns there; it is left as it is. The source stays too; set storage.backend to use the
    target.
    """
    from harness.app_moving import sessions_at
    from harness.cli.running import run
    from harness.session.moving import move_sessions

    loaded = load_settings(config, overrides)

    async def main() -> Ends:
        return await moved(
            source, target, lambda text, write: sessions_at(text, loaded.settings, write=write), move_sessions
        )

    ends = run(main)
    told(
        ends,
        lambda first, second, done: (
            f"{done.sessions} sessions in {first}: {done.copied} with {done.turns} turns copied to {second}, "
            f"{done.present} were there."
        ),
        {"have other turns there, and were left": ends[2].different},
        as_json=as_json,
    )
