"""``harness memory``: writing, changing and forgetting by hand."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from harness.cli.memory import app
from harness.cli.memory_options import (
    Item,
    Persona,
    Project,
    Session,
    Task,
    User,
    World,
    change,
    filter_of,
    scope_of,
)
from harness.cli.options import Config, Json, Set


@app.command("note")
def write_note(
    text: Annotated[str, typer.Argument(help="What is to be remembered.")],
    *,
    persona: Persona = "",
    user: User = "",
    project: Project = "",
    world: World = "",
    task: Task = "",
    pin: Annotated[bool, typer.Option("--pin", help="Always show it.")] = False,
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Write something down. Without options every character knows it with every user, in all projects."""
    scope = scope_of(persona, user, project, world, task)

    async def work(memories: Any) -> Any:
        return await memories.note(text, scope=scope, pinned=pin)

    change(work, lambda made: f"Noted [{made.id}].", as_json=as_json, config=config, overrides=overrides)


@app.command("edit")
def edit_memory(
    item: Item,
    text: Annotated[str, typer.Argument(help="The words that stand there instead.")],
    *,
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Put other words in a memory's place."""

    async def work(memories: Any) -> Any:
        return await memories.edit((await memories.chosen(item)).id, text)

    change(work, lambda made: f"[{made.id}] changed.", as_json=as_json, config=config, overrides=overrides)


@app.command("pin")
def pin_memory(item: Item, *, as_json: Json = False, config: Config = None, overrides: Set = None) -> None:
    """Always show a memory where its scope is seen."""

    async def work(memories: Any) -> Any:
        return await memories.pin((await memories.chosen(item)).id)

    change(work, lambda made: f"Pinned [{made.id}].", as_json=as_json, config=config, overrides=overrides)


@app.command("unpin")
def unpin_memory(item: Item, *, as_json: Json = False, config: Config = None, overrides: Set = None) -> None:
    """Take the pin off."""

    async def work(memories: Any) -> Any:
        return await memories.pin((await memories.chosen(item)).id, pinned=False)

    change(work, lambda made: f"Unpinned [{made.id}].", as_json=as_json, config=config, overrides=overrides)


@app.command("delete")
def delete_memories(
    items: Annotated[list[str], typer.Argument(metavar="ID…", help="Ids of memories.")],
    *,
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Remove memories for good."""

    async def work(memories: Any) -> Any:
        return {"deleted": await memories.delete([(await memories.chosen(item)).id for item in items])}

    change(work, lambda done: f"Deleted {done['deleted']}.", as_json=as_json, config=config, overrides=overrides)


@app.command("forget")
def forget_memories(
    *,
    persona: Persona = "",
    user: User = "",
    session: Session = "",
    project: Project = "",
    world: World = "",
    task: Task = "",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Remove everything that belongs to a user, a character, a session, a project … It cannot be brought back."""
    scope = scope_of(persona, user, project, world, task)
    owners = (*scope, ("session", session))
    named = ", ".join(f"{what} {who!r}" for what, who in dict(owners).items() if who)
    if named and not yes:
        typer.confirm(f"Forget all that is remembered of {named}?", abort=True)
    where = filter_of(scope, session, hidden=True)

    async def work(memories: Any) -> Any:
        forgotten = await memories.forget(where)
        left = sorted({item.origin.rpartition(":")[0] async for item in memories.all(where)})
        return {"forgotten": forgotten, "files": left}

    done = change(
        work, lambda done: f"Forgot {done['forgotten']}.", as_json=as_json, config=config, overrides=overrides
    )
    if done["files"]:
        typer.echo(f"What stands in files stays: {', '.join(done['files'])}. Delete them, if it is to go.", err=True)
