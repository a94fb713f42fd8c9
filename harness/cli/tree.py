"""``harness undo``, ``retry``, ``edit``, ``fork``, ``goto``: moving in the tree of a session's turns."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from harness.cli.options import Config, Json, SessionId, Set, Turn, load_settings


def undo(
    session: SessionId,
    turns: Annotated[int, typer.Argument(help="How many turns.", min=1)] = 1,
    *,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Go back some turns. They stay in the timeline; `harness goto` returns to them."""

    async def work(opened: Any) -> str:
        state = await opened.undo(turns)
        return f"Session {session!r} is back at turn {state.turn_count}."

    typer.echo(in_session(session, work, config, overrides, connect=False))


def goto(
    session: SessionId,
    turn_id: Annotated[str, typer.Argument(metavar="TURN", help="Id of a turn, as --timeline shows it.")],
    *,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Make any turn of the timeline the current one."""

    async def work(opened: Any) -> str:
        state = await opened.goto(turn_id)
        return f"Session {session!r} is at turn {state.turn_count}."

    typer.echo(in_session(session, work, config, overrides, connect=False))


def retry(session: SessionId, *, as_json: Json = False, config: Config = None, overrides: Set = None) -> None:
    """Have the last message answered again. The old answer stays in the timeline."""
    _answer(session, lambda opened: opened.retry(), as_json, config, overrides)


def edit(
    session: SessionId,
    text: Annotated[str, typer.Argument(help="What to say instead.")],
    turn: Turn = None,
    *,
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Say something else in the last turn, or in turn N, and go on from there. What followed stays in the timeline."""
    _answer(session, lambda opened: opened.edit(text, number=turn), as_json, config, overrides)


def fork(
    session: SessionId,
    new_id: Annotated[str, typer.Argument(metavar="NEW", help="Id of the copy; made up when left out.")] = "",
    turn: Turn = None,
    *,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Copy the conversation, up to turn N if given, into a new session. Prints its id."""

    async def work(opened: Any) -> str:
        return str(await opened.fork(new_id, number=turn))

    typer.echo(in_session(session, work, config, overrides, connect=False))


def _answer(session: str, ask: Any, as_json: bool, config: Any, overrides: Any) -> None:
    from harness.cli.running import print_json
    from harness.cli.say import summary

    async def work(opened: Any) -> Any:
        reply = await ask(opened)
        return await summary(opened, reply) if as_json else reply.text

    result = in_session(session, work, config, overrides)
    print_json(result) if as_json else typer.echo(result)


def in_session(session: str, work: Any, config: Any, overrides: Any, *, connect: bool = True) -> Any:
    """Run ``work`` on a stored session. Raises SessionNotFound: none is ever made here."""
    from harness.cli.running import with_harness

    async def run(harness: Any) -> Any:
        await harness.store().info(session)
        return await work(await harness.open(session=session, connect=connect))

    return with_harness(load_settings(config, overrides), run)
