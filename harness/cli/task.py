"""``harness task``: the task that a session works on, looked at and changed by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from harness.cli.options import Config, Json, SessionId, Set, load_settings
from harness.cli.tree import in_session

if TYPE_CHECKING:
    from harness.session import Session
    from harness.state import TaskState

app = typer.Typer(help="Show, set, change and leave the task of a session.", no_args_is_help=True)

WORDS = {
    "done": "done",
    "todo": "todo",
    "out": "ruled_out",
    "confirmed": "confirmed",
    "made": "artifacts",
    "remove": "remove",
}
"""Word of ``/task`` → argument of ``Session.update_task``."""

Line = list[str] | None


@app.command("show")
def show_task(session: SessionId, *, as_json: Json = False, config: Config = None, overrides: Set = None) -> None:
    """Show the task at hand."""
    from harness.cli import render
    from harness.cli.running import print_json, with_harness

    async def work(harness: Any) -> Any:
        from harness.cli.stored import Stored

        return (await Stored.read(harness.store(), session)).state().task

    found = with_harness(load_settings(config, overrides), work)
    print_json(found) if as_json else render.console().print(render.task(found))


@app.command("set")
def set_task(
    session: SessionId,
    goal: Annotated[str, typer.Argument(help="What is to be done.")],
    *,
    task_id: Annotated[str, typer.Option("--id", help="How the task is called; made up when left out.")] = "",
    todo: Annotated[Line, typer.Option("--todo", help="A step to do; may be given several times.")] = None,
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Take up a task. What stood in the old one is gone with it; `harness undo` brings it back."""
    _change(session, lambda opened: opened.set_task(goal, task_id=task_id, todo=todo or ()), as_json, config, overrides)


@app.command("update")
def update_task(
    session: SessionId,
    *,
    goal: Annotated[str | None, typer.Option("--goal", help="Another wording of what is to be done.")] = None,
    done: Annotated[Line, typer.Option("--done", help="A step that is finished.")] = None,
    todo: Annotated[Line, typer.Option("--todo", help="A step that is left.")] = None,
    ruled_out: Annotated[Line, typer.Option("--ruled-out", help="What must not be proposed again.")] = None,
    confirmed: Annotated[Line, typer.Option("--confirmed", help="What is settled.")] = None,
    artifact: Annotated[Line, typer.Option("--artifact", help="Name of something that was made.")] = None,
    remove: Annotated[Line, typer.Option("--remove", help="A line to take out, as the task shows it.")] = None,
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Add lines to the task at hand, or take some out. Every option but --goal may be given several times."""
    lines = {
        "done": done,
        "todo": todo,
        "ruled_out": ruled_out,
        "confirmed": confirmed,
        "artifacts": artifact,
        "remove": remove,
    }
    given = {name: value for name, value in lines.items() if value}
    if goal is None and not given:
        raise typer.BadParameter("say what changes: see `harness task update --help`")
    _change(session, lambda opened: opened.update_task(goal=goal, **given), as_json, config, overrides)


@app.command("leave")
def leave_task(session: SessionId, *, config: Config = None, overrides: Set = None) -> None:
    """Leave the task at hand."""

    async def work(opened: Any) -> str:
        await opened.leave_task()
        return f"Session {session!r} has no task now."

    typer.echo(in_session(session, work, config, overrides, connect=False))


async def change_by_words(session: Session, words: str) -> TaskState | None:
    """What ``/task`` does: nothing for no words, else the change they say. Gives the task at hand.

    Raises:
        InputError: the first word is none of those known, or its line is missing.
    """
    from harness.errors import InputError

    word, *rest = words.split(maxsplit=1) or [""]
    line = rest[0].strip() if rest else ""
    if word == "leave":
        await session.leave_task()
    elif word == "set" and line:
        await session.set_task(line)
    elif word in WORDS and line:
        await session.update_task(**{WORDS[word]: (line,)})  # type: ignore[arg-type]
    elif word:
        known = ", ".join(["set", *WORDS, "leave"])
        raise InputError(f"/task takes nothing, or one of {known} and a line; not {words.strip()!r}.")
    return (await session.state()).task


def _change(session: str, make: Any, as_json: bool, config: Any, overrides: Any) -> None:
    from harness.cli import render
    from harness.cli.running import print_json

    async def work(opened: Any) -> Any:
        return await make(opened)

    task = in_session(session, work, config, overrides, connect=False)
    print_json(task) if as_json else render.console().print(render.task(task))
