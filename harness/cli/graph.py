"""``harness graph``: the persons, places and organizations that were spoken of, and what stands between them."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from harness.cli.memory_options import Project, World
from harness.cli.moving import From, To
from harness.cli.options import Config, Json, Set, load_settings

if TYPE_CHECKING:
    from harness.ports import GraphFilter

app = typer.Typer(help="Look at the graph of entities and relations, and move it.", no_args_is_help=True)

Persona = Annotated[str, typer.Option("--persona", "-p", help="Only what this character knows.")]
User = Annotated[str, typer.Option("--user", "-u", help="Only what this user said.")]
At = Annotated[str, typer.Option("--at", help="What held at this date or time (2026-05-01), instead of now.")]


def _where(persona: str, user: str, project: str, world: str, *, hidden: bool = False) -> GraphFilter:
    """Of those that are named, whatever belongs to anybody else besides: this is for administration."""
    from harness.ports import GraphFilter
    from harness.state.memory import Scope

    return GraphFilter(
        scope=Scope(persona=persona, user=user, project=project, world=world), everything=True, hidden=hidden
    )


def _moment(text: str) -> datetime | None:
    from datetime import UTC

    from harness.errors import InputError

    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise InputError(f"{text!r} is no date.", remedy="Write it as 2026-05-01, or as 2026-05-01T12:00.") from error
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def _row(graphs: Any, edge: Any, **more: Any) -> dict[str, Any]:
    return {"text": graphs.told(edge), **more, "edge": edge}


@app.command("show")
def show_entity(
    entity: Annotated[str, typer.Argument(help="A name, or `user` or `character`.")],
    *,
    persona: Persona = "",
    user: User = "",
    project: Project = "",
    world: World = "",
    depth: Annotated[int, typer.Option("--depth", "-d", min=1, max=6, help="Steps away from it.")] = 1,
    at: At = "",
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Show what holds of an entity, and who said so."""
    from harness.cli import render
    from harness.cli.running import print_json, with_harness

    moment = _moment(at)

    async def work(harness: Any) -> list[dict[str, Any]]:
        graphs = harness.graphs()
        found = await graphs.near(entity, _where(persona, user, project, world), depth=depth, at=moment)
        return [_row(graphs, one.edge, distance=one.distance, origin=one.origin) for one in found]

    rows = with_harness(load_settings(config, overrides), work)
    if as_json:
        print_json(rows)
        return
    if not rows:
        typer.echo("Nothing holds of it then.", err=True)
        return
    made = render.table("steps", "what", "since", "said by", "of", "quote")
    for row in rows:
        edge = row["edge"]
        since = edge.valid_from.date().isoformat() if edge.valid_from is not None else ""
        render.row(made, str(row["distance"]), row["text"], since, edge.speaker, _whose(edge), edge.quote)
    render.console().print(made)


@app.command("path")
def show_path(
    first: Annotated[str, typer.Argument(metavar="A", help="A name.")],
    second: Annotated[str, typer.Argument(metavar="B", help="Another name.")],
    *,
    persona: Persona = "",
    user: User = "",
    project: Project = "",
    world: World = "",
    longest: Annotated[int, typer.Option("--max", "-m", min=1, max=6, help="Most steps.")] = 3,
    at: At = "",
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Show the shortest ways between two entities."""
    from harness.cli.running import print_json, with_harness

    moment = _moment(at)

    async def work(harness: Any) -> list[list[dict[str, Any]]]:
        graphs = harness.graphs()
        ways = await graphs.paths(first, second, _where(persona, user, project, world), max_length=longest, at=moment)
        return [[_row(graphs, edge) for edge in way] for way in ways]

    ways = with_harness(load_settings(config, overrides), work)
    if as_json:
        print_json(ways)
        return
    for way in ways:
        typer.echo(" → ".join(row["text"] for row in way))
    if not ways:
        typer.echo(f"No way of at most {longest} steps leads from {first} to {second}.", err=True)


@app.command("list")
def list_entities(
    *,
    persona: Persona = "",
    user: User = "",
    project: Project = "",
    world: World = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="Most that are shown.")] = 50,
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """List the entities, those with most relations first."""
    from harness.cli import render
    from harness.cli.running import print_json, with_harness

    async def work(harness: Any) -> Any:
        return await harness.graphs().entities(_where(persona, user, project, world))

    found = with_harness(load_settings(config, overrides), work)
    if as_json:
        print_json(found[:limit])
        return
    made = render.table("entity", "kind", "also called", "relations")
    for one in found[:limit]:
        render.row(made, one.name, one.kind, ", ".join(one.names), str(one.edges))
    render.console().print(made)
    if len(found) > limit:
        typer.echo(f"There are {len(found)}; see --limit.", err=True)


@app.command("stats")
def show_stats(*, as_json: Json = False, config: Config = None, overrides: Set = None) -> None:
    """Show how much the graph holds."""
    from harness.cli import render
    from harness.cli.running import print_json, with_harness

    async def work(harness: Any) -> Any:
        return await harness.graphs().stats()

    found = with_harness(load_settings(config, overrides), work)
    if as_json:
        print_json(found)
        return
    made = render.table("what", "how many")
    for name, value in (("entities", found.entities), ("relations", found.edges), ("of left branches", found.hidden)):
        render.row(made, name, str(value))
    for name, value in sorted(found.by_relation.items(), key=lambda one: (-one[1], one[0])):
        render.row(made, f"  {name}", str(value))
    if found.size_bytes is not None:
        render.row(made, "bytes", str(found.size_bytes))
    render.console().print(made)


@app.command("export")
def export_graph(
    *,
    persona: Persona = "",
    user: User = "",
    project: Project = "",
    world: World = "",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON list instead of one line for each.")] = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Write every statement of the graph to standard output as JSON lines, those of left branches too."""
    from harness.cli.running import print_json, with_harness

    async def work(harness: Any) -> list[Any]:
        return [edge async for edge in harness.graphs().all(_where(persona, user, project, world, hidden=True))]

    found = with_harness(load_settings(config, overrides), work)
    if as_json:
        print_json(found)
        return
    for edge in found:
        typer.echo(edge.model_dump_json())


@app.command("migrate")
def migrate_graph(
    source: From = "",
    target: To = "",
    *,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace statements that are other there; default: leave them.")
    ] = False,
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Copy the graph to another backend, and compare. May be interrupted and repeated.

    Times, who said it and where, statements of left branches, and at which turn the graph stands in every session are copied. The
    source stays as it is; set graph.backend to use the target. Exit code 1 when the target does not have all of it.
    """
    from dataclasses import asdict

    from harness.app_moving import graph_at
    from harness.cli.moving import progress, tell
    from harness.cli.running import print_json, with_harness
    from harness.errors import InputError
    from harness.memory.graph_moving import move_graph

    if not target:
        raise InputError("Where to is missing.", remedy="Give --to sqlite:FILE, ladybug:FILE, or an address.")
    loaded = load_settings(config, overrides)

    async def work(harness: Any) -> Any:
        from contextlib import AsyncExitStack

        async with AsyncExitStack() as stack:
            ends = []
            for text, write in ((source, False), (target, True)):
                named, graph = graph_at(text, loaded.settings, harness.languages, write=write)
                stack.push_async_callback(graph.close)
                ends.append((named, graph))
            (first, here), (second, there) = ends
            if first == second:
                raise InputError(f"{first} is both where it is and where it is to be.")
            sessions = [info.id for info in await harness.store().sessions()]
            with progress("Copying") as show:
                moved = await move_graph(here, there, overwrite=overwrite, sessions=sessions, progress=show)
            return first, second, moved

    first, second, moved = with_harness(loaded, work)
    if as_json:
        print_json({"from": str(first), "to": str(second), "whole": moved.whole, **asdict(moved)})
    else:
        typer.echo(
            f"{moved.edges} statements in {first}: {moved.copied} copied to {second}, {moved.present} were there. "
            f"The places of {moved.followed} sessions were copied."
        )
        tell((), {"are other there, and were left": moved.different, "are missing there": moved.missing})
    if not moved.whole:
        raise typer.Exit(1)


def _whose(edge: Any) -> str:
    return " with ".join(part for part in (edge.scope.persona, edge.scope.user) if part) + "".join(
        f", in {part}" for part in (edge.scope.project, edge.scope.world) if part
    )
