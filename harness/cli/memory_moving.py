"""``harness memory``: vectors made anew, exports, imports, and moves to another backend."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from harness.cli.files import Force, Output, is_stdout, lines_of, written
from harness.cli.memory import app
from harness.cli.memory_options import (
    Persona,
    Project,
    Session,
    User,
    World,
    change,
    filter_of,
    scope_of,
)
from harness.cli.moving import From, To, progress, tell
from harness.cli.options import Config, Json, Set, load_settings


@app.command("reindex")
def reindex_memories(*, as_json: Json = False, config: Config = None, overrides: Set = None) -> None:
    """Make the missing vectors, or all of them anew after a change of the embedder. May be interrupted and repeated."""

    async def work(memories: Any) -> Any:
        with progress("Embedding") as show:
            return {"made": await memories.reindex(show)}

    change(work, lambda done: f"Made {done['made']} vectors.", as_json=as_json, config=config, overrides=overrides)


@app.command("export")
def export_memories(
    file: Output = None,
    *,
    persona: Persona = "",
    user: User = "",
    session: Session = "",
    project: Project = "",
    world: World = "",
    force: Force = False,
    as_json: Annotated[bool, typer.Option("--json", help="With --output: say in JSON how many there were.")] = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Write memories as JSON lines. What stands in files is not written: the files are that already."""
    from harness.cli.running import print_json, with_harness

    where = filter_of(scope_of(persona, user, project, world), session, hidden=True)

    async def work(harness: Any) -> int:
        memories, count = harness.memories(), 0
        with written(file, force=force) as out:
            async for item in memories.all(where):
                if item.source != "file":
                    out.write(item.model_dump_json() + "\n")
                    count += 1
        return count

    count = with_harness(load_settings(config, overrides), work)
    if not is_stdout(file):
        print_json({"exported": count, "file": file}) if as_json else typer.echo(
            f"Exported {count} memories to {file}.", err=True
        )


@app.command("import")
def import_memories(
    file: Annotated[str, typer.Argument(metavar="FILE", help="An exported file; - reads standard input.")],
    *,
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Store exported memories. The file is checked as a whole first."""
    with lines_of(file) as lines:

        async def work(memories: Any) -> Any:
            with progress("Importing") as show:
                return {"imported": await memories.load(lines, show)}

        change(work, lambda done: f"Imported {done['imported']}.", as_json=as_json, config=config, overrides=overrides)


@app.command("migrate")
def migrate_memories(
    source: From = "",
    target: To = "",
    *,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace what the target has in other words; default: leave it.")
    ] = False,
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Copy everything that is remembered to another backend, and compare. May be interrupted and repeated.

    Exit code 1 when the target does not have all of it, in the same words. The source stays as it is; set memory.backend to
    use the target.
    """
    from harness.app_moving import memory_at
    from harness.cli.running import print_json, with_harness
    from harness.errors import InputError
    from harness.memory.moving import move

    if not target:
        raise InputError("Where to is missing.", remedy="Give --to sqlite:FILE, or another backend.")
    loaded = load_settings(config, overrides)

    async def work(harness: Any) -> Any:
        from contextlib import AsyncExitStack

        packs = harness.languages
        async with AsyncExitStack() as stack:
            opened = [
                memory_at(text, loaded.settings, packs, write=write)
                for text, write in ((source, False), (target, True))
            ]
            for _, store in opened:
                stack.push_async_callback(store.close)
            (first, here), (second, there) = opened
            if first == second:
                raise InputError(f"{first} is both where it is and where it is to be.")
            with progress("Copying") as show:
                return first, second, await move(here, there, packs=packs, overwrite=overwrite, progress=show)

    first, second, moved = with_harness(loaded, work)
    if as_json:
        print_json({"from": str(first), "to": str(second), "whole": moved.whole, **asdict(moved)})
    else:
        typer.echo(
            f"{moved.items} memories in {first}: {moved.copied} copied to {second}, {moved.present} were there. "
            f"{moved.vectors} vectors and the places of {moved.followed} sessions were copied."
        )
        if loaded.settings.graph.backend != "off":
            typer.echo("The graph is moved by `harness graph migrate`.", err=True)
        tell(moved.notes, {"are other there, and were left": moved.different, "are missing there": moved.missing})
    if not moved.whole:
        raise typer.Exit(1)
