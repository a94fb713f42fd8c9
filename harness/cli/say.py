"""``harness say``: one turn, for scripts."""

from __future__ import annotations

import json
import sys
from contextlib import aclosing
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from harness.cli.chat import Persona, Project, Session, User, World
from harness.cli.options import Config, Json, Set, load_settings

if TYPE_CHECKING:
    from harness.session import Reply, Session as OpenSession
    from harness.state import DialogueState, TurnRecord


def say(
    text: Annotated[str, typer.Argument(help="What to say; - reads it from standard input.")],
    persona: Persona = "",
    session: Session = "",
    user: User = "",
    project: Project = "",
    world: World = "",
    tool_result: Annotated[list[str] | None, typer.Option("--tool-result", metavar="FILE", help="JSON with what tools gave for this message: name, arguments, text; a list of such objects, or one a line. May be given several times.")] = None,
    *,
    as_json: Json = False,
    stream: Annotated[bool, typer.Option("--stream", help="Print the reply as it comes; with --json, an event a line.")] = False,
    config: Config = None,
    overrides: Set = None,
) -> None:  # fmt: skip
    """Say one thing and print the answer.

    Exit codes: 0 answered, 1 failed (the message is on standard error; with --json an object with type, message and
    remedy is on standard output), 2 wrong usage.
    """
    from harness.cli.running import error_object, print_json, show_error, with_harness
    from harness.errors import HarnessError

    if text == "-" and "-" in (tool_result or ()):
        raise typer.BadParameter("standard input is either the text or the tool results")
    if text == "-":
        text = sys.stdin.read().removeprefix("\ufeff").rstrip("\r\n")

    from harness.cli.artifacts import read_results

    async def work(harness: Any) -> None:
        results = [one for path in tool_result or () for one in read_results(path)]
        opened = await harness.open(persona, session=session, user=user, project=project, world=world)
        if not session and not as_json:
            typer.echo(f"session: {opened.id}", err=True)
        try:
            if stream:
                await _streamed(opened, text, results, as_json=as_json)
                return
            reply = await opened.say(text, tool_results=results)
        except HarnessError:
            if not session:  # made for this one message: an empty session would only be in the way
                await harness.artifacts().delete(opened.id)
                await harness.store().delete(opened.id)
            raise
        if as_json:
            print_json(await summary(opened, reply))
        else:
            typer.echo(reply.text)

    try:
        with_harness(load_settings(config, overrides), work)
    except HarnessError as error:
        if not as_json:
            raise
        if stream:
            _event("failed", error=error_object(error))
        else:
            print_json({"error": error_object(error)})
        show_error(error)
        raise typer.Exit(1) from error


async def _streamed(session: OpenSession, text: str, results: list[Any], *, as_json: bool) -> None:
    from harness.turn.events import Done, Failed, Revised, Token

    shown = ""
    async with aclosing(cast("Any", session.stream(text, tool_results=results))) as events:
        async for event in events:
            match event:
                case Token(text=piece):
                    shown += piece
                    _event("token", text=piece) if as_json else typer.echo(piece, nl=False)
                case Revised(text=whole, reason=reason) if as_json:
                    _event("revised", text=whole, reason=reason)
                case Failed(error=error):
                    if shown and not as_json:
                        typer.echo()
                    raise error
                case Done(reply=reply) if as_json:
                    _event("done", **await summary(session, reply))
                case Done(reply=reply):
                    same = shown.strip() == reply.text.strip()
                    typer.echo("" if same else f"\n(revised) {reply.text}" if shown else reply.text)
                case _:
                    pass


def _event(kind: str, **fields: Any) -> None:
    from pydantic_core import to_jsonable_python

    typer.echo(json.dumps({"event": kind, **to_jsonable_python(fields)}, ensure_ascii=False))


async def summary(session: OpenSession, reply: Reply) -> dict[str, Any]:
    """A turn for programs: reply, turn, session, state, events, calls, usage. Waits for the bookkeeping."""
    if reply.ended:
        return {"session": session.id, "persona": session.persona.name, "reply": reply.text, "ended": True}
    record, state = await session.report(), await session.state()
    return {
        "session": session.id,
        "persona": session.persona.name,
        "reply": reply.text,
        "ended": False,
        "revised": reply.revised,
        **turn_summary(record, state),
    }


def turn_summary(record: TurnRecord, state: DialogueState) -> dict[str, Any]:
    """What programs mostly want to know of a turn."""
    from harness.cli.changes import new_facts

    usage = {
        "prompt": sum(call.usage.prompt for call in record.calls),
        "completion": sum(call.usage.completion for call in record.calls),
        "cached": sum(call.usage.cached or 0 for call in record.calls),
    }
    topic = state.topics.current
    return {
        "turn": record.number,
        "turn_id": record.id,
        "state": {
            "topic": topic.label if topic else None,
            "emotion": state.emotion,
            "user_emotion": state.user_emotion,
            "facts": len(state.active_facts()),
            "new_facts": new_facts(state, record.number),
            "open_promises": len(state.open_commitments()),
        },
        "notices": record.notices,
        "events": record.events,
        "calls": [
            {"phase": call.phase, "purpose": call.purpose, "model": call.model, "seconds": call.seconds,
             "attempts": call.attempts, "error": call.error, "usage": call.usage}
            for call in record.calls
        ],
        "usage": usage,
    }  # fmt: skip
