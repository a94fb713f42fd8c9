"""``harness memory``: writing, changing and forgetting by hand."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from harness.cli.forgetting import files_of, forget_a_user, say_what_stays
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
    persona_id,
    scope_of,
)
from harness.cli.options import Config, Json, Set, load_settings


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
    scope = scope_of(persona_id(persona, config, overrides), user, project, world, task)

    async def work(memories: Any) -> Any:
        return await memories.note(text, scope=scope, pinned=pin)

    change(work, lambda made: f"Noted [{made.id}].", as_json=as_json, config=config, overrides=overrides)


@app.command("edit")
def edit_memory(
    item: Item,
    text: Annotated[str, typer.Argument(help="The words that stand there instead.")],
    *,
    persona: Persona = "",
    user: User = "",
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Put other words in a memory's place."""

    async def work(memories: Any) -> Any:
        return await memories.edit((await memories.chosen(item, scope=scope_of(persona, user))).id, text)

    change(work, lambda made: f"[{made.id}] changed.", as_json=as_json, config=config, overrides=overrides)


@app.command("pin")
def pin_memory(
    item: Item,
    *,
    persona: Persona = "",
    user: User = "",
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Always show a memory where its scope is seen."""

    async def work(memories: Any) -> Any:
        return await memories.pin((await memories.chosen(item, scope=scope_of(persona, user))).id)

    change(work, lambda made: f"Pinned [{made.id}].", as_json=as_json, config=config, overrides=overrides)


@app.command("unpin")
def unpin_memory(
    item: Item,
    *,
    persona: Persona = "",
    user: User = "",
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Take the pin off."""

    async def work(memories: Any) -> Any:
        return await memories.pin((await memories.chosen(item, scope=scope_of(persona, user))).id, pinned=False)

    change(work, lambda made: f"Unpinned [{made.id}].", as_json=as_json, config=config, overrides=overrides)


@app.command("delete")
def delete_memories(
    items: Annotated[list[str], typer.Argument(metavar="ID…", help="Ids of memories.")],
    *,
    persona: Persona = "",
    user: User = "",
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Remove memories for good."""

    async def work(memories: Any) -> Any:
        return {
            "deleted": await memories.delete(
                [(await memories.chosen(item, scope=scope_of(persona, user))).id for item in items]
            )
        }

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
    journal: Annotated[bool, typer.Option("--journal", help="Delete the sessions of the user too: with them, what was said is nowhere.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:  # fmt: skip
    """Remove everything that belongs to a user, a character, a session, a project … It cannot be brought back."""
    from harness.errors import InputError

    scope = scope_of(persona, user, project, world, task)
    part = session or project or world or task
    if journal and (part or not user):
        raise InputError(
            "--journal deletes the sessions of a user: it needs --user, and no --session, --project, --world or --task.",
            remedy="`harness sessions delete` deletes one session.",
        )
    if user and not part:
        forget_a_user(user, persona, load_settings(config, overrides), journal=journal, yes=yes, as_json=as_json)
        return
    owners = (*scope, ("session", session))
    named = ", ".join(f"{what} {who!r}" for what, who in dict(owners).items() if who)
    if named and not yes:
        typer.confirm(f"Forget all that is remembered of {named}?", abort=True)
    where = filter_of(scope, session, hidden=True)

    async def work(memories: Any) -> Any:
        forgotten = await memories.forget(where)
        return {"forgotten": forgotten, "files": await files_of(memories, where)}

    done = change(
        work, lambda done: f"Forgot {done['forgotten']}.", as_json=as_json, config=config, overrides=overrides
    )
    say_what_stays(done["files"])
