"""``harness show``: look into a stored session, turn by turn. Nothing is changed and no model is started."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from harness.cli.options import Config, Json, SessionId, Set, Turn, load_settings

if TYPE_CHECKING:
    from harness.cli.stored import Stored

LAST_EXCHANGES = 3


def show(
    session: SessionId,
    turn: Turn = None,
    *,
    state: Annotated[bool, typer.Option("--state", help="Everything that was true then.")] = False,
    context: Annotated[bool, typer.Option("--context", help="What the model saw: tokens per block, facts with scores, what was dropped.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="What the turn changed, in words.")] = False,
    calls: Annotated[bool, typer.Option("--calls", help="Model calls with the exact messages.")] = False,
    timeline: Annotated[bool, typer.Option("--timeline", help="Every turn, those of other branches too.")] = False,
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:  # fmt: skip
    """Show a session: an overview, or one side of it.

    Without --turn it is about the last turn, or the state now.
    """
    from harness.cli.running import print_json, with_harness

    chosen = [name for name, on in (("state", state), ("context", context), ("diff", diff), ("calls", calls), ("timeline", timeline)) if on]  # fmt: skip
    if len(chosen) > 1:
        raise typer.BadParameter(f"choose one of --{' and --'.join(chosen)}")
    what = chosen[0] if chosen else "overview"

    async def work(harness: Any) -> None:
        from harness.cli.stored import Stored

        found = await Stored.read(harness.store(), session)
        if as_json:
            print_json(await _as_json(found, what, turn))
        else:
            await _print(found, what, turn)

    with_harness(load_settings(config, overrides), work)


async def _as_json(found: Stored, what: str, number: int | None) -> Any:
    from harness.cli.changes import changes
    from harness.cli.say import turn_summary

    match what:
        case "state":
            return found.state(number)
        case "timeline":
            return [
                {"id": e.record.id, "parent": e.record.parent, "turn": e.record.number, "origin": e.record.origin,
                 "phase": e.record.phase, "user": e.record.user_text, "reply": e.record.reply, "current": e.current, "head": e.head}
                for e in await found.timeline()
            ]  # fmt: skip
    if what == "overview" and number is None:
        return {
            "session": found.info.model_dump(mode="json", exclude={"persona"}),
            "turns": [{"turn": r.number, "id": r.id, "user": r.user_text, "reply": r.reply} for r in found.branch if r.origin != "change"],
            "state": found.state(),
        }  # fmt: skip
    record = found.turn(number)
    match what:
        case "context":
            return record.context
        case "calls":
            return record.calls
        case "diff":
            before, after = found.before(record), found.state_at(record)
            return {"turn": record.number, "changes": changes(before, after), "operations": record.operations}
        case _:
            return {"user": record.user_text, "reply": record.reply, **turn_summary(record, found.state_at(record))}


async def _print(found: Stored, what: str, number: int | None) -> None:
    from harness.cli import render, render_turn
    from harness.cli.changes import changes

    out = render.console()
    match what:
        case "state":
            out.print(render.state(found.state(number), history=True))
            return
        case "timeline":
            out.print(render.timeline(await found.timeline()))
            return
    if what == "overview" and number is None:
        _print_overview(found)
        return
    record = found.turn(number)
    match what:
        case "context":
            out.print(render_turn.context(record.context))
        case "calls":
            out.print(render_turn.calls(record))
        case "diff":
            found_changes = changes(found.before(record), found.state_at(record))
            out.print(
                render.heading(f"Turn {record.number} changed"), render.bullets(found_changes, "nothing"), sep="\n"
            )
        case _:
            name = found.info.persona.name
            after = found.state_at(record)
            out.print(
                render.exchange(record, name), render.state_line(record, after), render_turn.overview(record), sep="\n"
            )
            out.print(render_turn.why(record), render_turn.calls(record, full=False), sep="\n")


def _print_overview(found: Stored) -> None:
    from harness.cli import render

    out = render.console()
    info, now = found.info, found.state()
    spoken = [record for record in found.branch if record.origin != "change"]
    out.print(render.heading(f"{info.id}: {info.persona.name} and {info.user}, {render.counted(len(spoken), 'turn')}"))
    if spoken and spoken[-1].phase != "done":
        out.print("The bookkeeping of the last turn is unfinished; it is completed when the session is next opened.")
    for record in spoken[-LAST_EXCHANGES:]:
        out.print(render.exchange(record, info.persona.name))
        out.print(f"    {render.state_line(record, found.state_at(record))}", style="dim")
    if not spoken and info.persona.greeting:
        out.print(f"{info.persona.name}: {info.persona.greeting}")
    out.print()
    out.print(render.state(now))
