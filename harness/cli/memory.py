"""``harness memory``: what is remembered across sessions, listed, searched and counted."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import typer

from harness.cli.memory_options import (
    Item,
    Kind,
    Persona,
    Project,
    Session,
    Speaker,
    Subject,
    Task,
    User,
    World,
    filter_of,
    kinds_of,
    scope_of,
)
from harness.cli.options import Config, Json, Set, load_settings

app = typer.Typer(
    help="List, search, write, change, forget, export, import and move what is remembered.", no_args_is_help=True
)


@app.command("list")
def list_memories(
    *,
    persona: Persona = "",
    user: User = "",
    session: Session = "",
    project: Project = "",
    world: World = "",
    task: Task = "",
    subject: Subject = "",
    speaker: Speaker = "",
    kind: Kind = None,
    layer: Annotated[str, typer.Option("--layer", help="Only of this layer: L2 or L3.")] = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="Most that are shown.")] = 50,
    hidden: Annotated[
        bool,
        typer.Option("--all", help="With those of branches that were left, and those that a newer statement replaced."),
    ] = False,
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """List what is remembered, files included. Of several statements of the same fact only the newest."""
    from harness.cli import render, render_memory
    from harness.cli.running import print_json, with_harness
    from harness.errors import InputError

    if layer not in ("", "L2", "L3"):
        raise InputError(f"A layer is L2 or L3, not {layer!r}.")
    where = filter_of(scope_of(persona, user, project, world, task), session, hidden=hidden)
    where = replace(where, subject=subject, speaker=speaker, kinds=kinds_of(kind))
    if layer:
        where = replace(where, layers=(layer,))  # type: ignore[arg-type]  # checked above

    async def work(harness: Any) -> list[Any]:
        found = []
        async for item, newer in harness.memories().standing(where):
            if hidden or not newer:
                found.append((item, newer))
            if len(found) > limit:
                break
        return found

    found = with_harness(load_settings(config, overrides), work)
    if as_json:
        rows = [item.model_dump(mode="json") | ({"replaced_by": newer} if newer else {}) for item, newer in found]
        print_json(rows[:limit])
        return
    newer_ones = {item.id for item, newer in found if newer}
    render.console().print(render_memory.items([item for item, _ in found[:limit]], replaced=newer_ones))
    if len(found) > limit:
        typer.echo(f"There are more than {limit}; see --limit.", err=True)


@app.command("search")
def search_memories(
    text: Annotated[str, typer.Argument(help="What a message would say.")],
    *,
    persona: Persona = "",
    user: User = "",
    project: Project = "",
    world: World = "",
    task: Task = "",
    subject: Subject = "",
    speaker: Speaker = "",
    kind: Kind = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="Most that are shown.")] = 10,
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Search as a message would: only what belongs to those that are named, or to nobody."""
    from harness.cli import render, render_memory
    from harness.cli.running import print_json, with_harness

    scope, kinds = scope_of(persona, user, project, world, task), kinds_of(kind)

    async def work(harness: Any) -> Any:
        return await harness.memories().search(
            text, scope=scope, limit=limit, subject=subject, speaker=speaker, kinds=kinds
        )

    found = with_harness(load_settings(config, overrides), work)
    if as_json:
        print_json(
            [{"score": one.score, "why": one.why, "dropped": one.dropped, "item": one.item} for one in found.items]
        )
        return
    render.console().print(render_memory.found(found))
    if not any(value for _, value in scope):
        typer.echo("Only what is for everybody was looked through; see --persona and --user.", err=True)


@app.command("show")
def show_memory(
    item: Item,
    *,
    persona: Persona = "",
    user: User = "",
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Show one memory with where it came from."""
    from harness.cli import render, render_memory
    from harness.cli.running import print_json, with_harness

    async def work(harness: Any) -> Any:
        return await harness.memories().chosen(item, scope=scope_of(persona, user))

    found = with_harness(load_settings(config, overrides), work)
    print_json(found) if as_json else render.console().print(render_memory.item(found))


@app.command("files")
def show_files(*, as_json: Json = False, config: Config = None, overrides: Set = None) -> None:
    """List the files that are read as memory, whom each is for, and what is wrong with it. Exit code 1 when one is not read."""
    from harness.cli import render, render_memory
    from harness.cli.running import print_json, with_harness

    loaded = load_settings(config, overrides)

    async def work(harness: Any) -> Any:
        return await harness.memories().files()

    found = with_harness(loaded, work)
    folder = loaded.settings.path(loaded.settings.paths.memory) if loaded.settings.paths.memory else None
    if as_json:
        print_json({"folder": folder, "files": found})
    else:
        render.console().print(render_memory.files(found, folder))
    if any(file.problem for file in found):
        raise typer.Exit(1)


@app.command("stats")
def show_stats(*, as_json: Json = False, config: Config = None, overrides: Set = None) -> None:
    """Show how much is remembered of conversations; files are counted by `harness memory files`."""
    from harness.cli import render, render_memory
    from harness.cli.running import print_json, with_harness

    async def work(harness: Any) -> Any:
        return await harness.memories().stats()

    found = with_harness(load_settings(config, overrides), work)
    print_json(found) if as_json else render.console().print(render_memory.stats(found))
    if found.notice:
        typer.echo(found.notice, err=True)


@app.command("recent")
def show_recent(
    session: Annotated[str, typer.Argument(metavar="SESSION", help="Id of a session.")],
    *,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", min=1, help="Only the newest that fit; default: all that are kept.")
    ] = None,
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Show the newest messages of a session as they are kept for other programs (see short_term.backend)."""
    from harness.cli import render, render_memory
    from harness.cli.running import print_json, with_harness

    async def work(harness: Any) -> Any:
        return await harness.short_term().recent(session, max_tokens=max_tokens)

    found = with_harness(load_settings(config, overrides), work)
    if as_json:
        print_json(
            [{**one.message.model_dump(mode="json"), "turn_id": one.turn_id, "tokens": one.tokens} for one in found]
        )
    else:
        render.console().print(render_memory.recent(found))
    tokens = sum(one.tokens for one in found)
    if max_tokens is not None and tokens > max_tokens:
        typer.echo(f"The newest message alone has {tokens} tokens.", err=True)
