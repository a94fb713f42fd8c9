"""``harness memory``: vectors made anew, exports, imports, and moves to another backend."""

from __future__ import annotations

from functools import partial
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
from harness.cli.moving import Ends, From, To, moved, progress, told
from harness.cli.options import Config, Json, Set, load_settings


@app.command("reindex")
def reindex_memories(*, as_json: Json = False, config: Config = None, overrides: Set = None) -> None:
    """Make the missing vectors, or all of them anew after a change of the embedder, then the index that memory.vector_index asks for. May
    be interrupted and repeated.
    """

    async def work(memories: Any) -> Any:
        with progress("Vectors") as show:
            made = await memories.reindex(show)
        return {"made": made, "vector_search": (await memories.stats()).vector_search}

    def say(done: Any) -> str:
        by = "" if done["vector_search"] == "exact" else f" They are searched by an index ({done['vector_search']})."
        return f"Made {done['made']} vectors.{by}"

    change(work, say, as_json=as_json, config=config, overrides=overrides)


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
    from harness.cli.running import with_harness
    from harness.memory.moving import move

    loaded = load_settings(config, overrides)

    async def work(harness: Any) -> Ends:
        packs = harness.languages
        return await moved(
            source,
            target,
            lambda text, write: memory_at(text, loaded.settings, packs, write=write),
            partial(move, packs=packs, overwrite=overwrite),
        )

    ends = with_harness(loaded, work)
    if not as_json and loaded.settings.graph.backend != "off":
        typer.echo("The graph is moved by `harness graph migrate`.", err=True)
    told(
        ends,
        lambda first, second, done: (
            f"{done.items} memories in {first}: {done.copied} copied to {second}, {done.present} were there. "
            f"{done.vectors} vectors and the places of {done.followed} sessions were copied."
        ),
        {"are other there, and were left": ends[2].different, "are missing there": ends[2].missing},
        as_json=as_json,
    )
