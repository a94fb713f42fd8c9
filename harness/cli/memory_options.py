"""Options that the commands of ``harness memory`` share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from pathlib import Path

    from harness.ports import MemoryFilter
    from harness.state.memory import MemoryKind, Scope

Item = Annotated[str, typer.Argument(metavar="ID", help="Id of a memory, its end, or words that only it has.")]
Persona = Annotated[str, typer.Option("--persona", "-p", help="Only of this character.")]
User = Annotated[str, typer.Option("--user", "-u", help="Only of this user.")]
Session = Annotated[str, typer.Option("--session", help="Only what this session wrote.")]
Project = Annotated[str, typer.Option("--project", help="Only of this project.")]
World = Annotated[str, typer.Option("--world", help="Only of this world.")]
Task = Annotated[str, typer.Option("--task", metavar="ID", help="Only of this task.")]

Subject = Annotated[
    str, typer.Option("--subject", help="Only what is about `user`, `character`, or somebody of this name.")
]
Speaker = Annotated[str, typer.Option("--speaker", help="Only what was said by `user`, `character`, or a tool.")]
Kind = Annotated[
    list[str] | None, typer.Option("--kind", help="Only of this kind: message, fact, preference … May be given again.")
]


def kinds_of(names: list[str] | None) -> tuple[MemoryKind, ...]:
    """Kinds of memories by name.

    Raises:
        InputError: there is no such kind.
    """
    from typing import get_args

    from harness.errors import InputError
    from harness.state.memory import MemoryKind

    known = [kind for kind in get_args(MemoryKind) if kind != "mark"]
    for name in names or ():
        if name not in known:
            raise InputError(f"There is no kind {name!r}.", remedy=f"Kinds are: {', '.join(known)}.")
    return tuple(names or ())  # type: ignore[arg-type]  # checked above


def scope_of(persona: str, user: str, project: str = "", world: str = "", task: str = "") -> Scope:
    """What the options name.

    Raises:
        MalformedInput: one cannot be the name of what it is to be.
    """
    from harness.app import check_id
    from harness.memory.scopes import check_place
    from harness.state.memory import Scope

    for what, name in (("user id", user), ("persona id", persona), ("task id", task)):
        check_id(name, what)
    check_place(project, "project")
    check_place(world, "world")
    return Scope(persona=persona, user=user, project=project, world=world, task=task)


def persona_id(persona: str, config: Path | None, overrides: list[str] | None) -> str:
    """The id of a character that something is written for, named by its id, name or alias. That none of these is known here is
    said: it may live in a file elsewhere, or be misspelt.
    """
    from harness.cli.options import load_settings
    from harness.errors import PersonaError
    from harness.persona import find_persona
    from harness.resources import data_path

    if not persona:
        return ""
    settings = load_settings(config, overrides).settings
    folders = (settings.path(settings.paths.personas), data_path("personas"))
    try:
        return find_persona(persona, folders, allow_path=False).id
    except PersonaError:
        typer.echo(f"No character {persona!r} is known here: only one with this id will know it.", err=True)
        return persona


def filter_of(scope: Scope, session: str = "", *, hidden: bool = False) -> MemoryFilter:
    """What belongs to the very ones that are named, and was written in a session, if one is named."""
    from harness.ports import MemoryFilter

    return MemoryFilter(scope=scope, everything=True, session=session, statuses=() if hidden else ("active",))


def change(
    work: Callable[[Any], Any],
    say: Callable[[Any], str],
    *,
    as_json: bool,
    config: Path | None,
    overrides: list[str] | None,
) -> Any:
    """Do something with all memories, and say what was done."""
    from harness.cli.options import load_settings
    from harness.cli.running import print_json, with_harness

    async def main(harness: Any) -> Any:
        return await work(harness.memories())

    done = with_harness(load_settings(config, overrides), main)
    print_json(done) if as_json else typer.echo(say(done))
    return done
