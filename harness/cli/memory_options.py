"""Options that the commands of ``harness memory`` share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from pathlib import Path

    from harness.ports import MemoryFilter
    from harness.state.memory import Scope

Item = Annotated[str, typer.Argument(metavar="ID", help="Id of a memory, its end, or words that only it has.")]
Persona = Annotated[str, typer.Option("--persona", "-p", help="Only of this character.")]
User = Annotated[str, typer.Option("--user", "-u", help="Only of this user.")]
Session = Annotated[str, typer.Option("--session", help="Only what this session wrote.")]
Project = Annotated[str, typer.Option("--project", help="Only of this project.")]
World = Annotated[str, typer.Option("--world", help="Only of this world.")]
Task = Annotated[str, typer.Option("--task", metavar="ID", help="Only of this task.")]


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
