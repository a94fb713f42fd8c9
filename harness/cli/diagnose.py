"""``harness diagnose``: which layer is at fault when a character forgets, repeats or mixes things up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from harness.cli.options import Config, Json, SessionId, Set, load_settings

if TYPE_CHECKING:
    from rich.console import RenderableType

    from harness.diagnosing import Diagnosis


def diagnose_session(
    session: SessionId, *, as_json: Json = False, config: Config = None, overrides: Set = None
) -> None:
    """Read a session and name the layer at fault for repeated tool calls, refuted claims, a task before that bleeds in, rules
    of another project, a forgotten goal, one fact with two values, and what was lost after a restart.

    Nothing is changed and no model is asked. Exit codes: 0 nothing was found, 1 something was, or the session cannot be read
    (then the message is on standard error), 2 wrong usage.
    """
    from harness.cli.running import print_json, with_harness

    async def work(harness: Any) -> Diagnosis:
        from harness.diagnosing import diagnose

        return await diagnose(harness, session)

    found = with_harness(load_settings(config, overrides), work)
    if as_json:
        print_json(as_object(found))
    else:
        _print(found)
    if not found.healthy:
        raise typer.Exit(1)


def as_object(found: Diagnosis) -> dict[str, Any]:
    """A diagnosis for programs."""
    return {
        "session": found.session,
        "turns": found.turns,
        "healthy": found.healthy,
        "faults": [
            {"kind": fault.kind, "title": fault.title, "layer": fault.layer, "part": fault.part, "turns": fault.turns,
             "evidence": fault.evidence, "remedy": fault.remedy}
            for fault in found.faults
        ],
        "unread": found.unread,
    }  # fmt: skip


def _print(found: Diagnosis) -> None:
    from harness.cli import render

    out = render.console()
    for line in lines_of(found):
        out.print(line)


def lines_of(found: Diagnosis) -> list[RenderableType]:
    """A diagnosis for people."""
    from rich.text import Text

    from harness.cli import render

    made: list[RenderableType] = []
    for fault in found.faults:
        turns = ", ".join(str(turn) for turn in fault.turns if turn)
        where = f"turn{'s' if ',' in turns else ''} {turns}" if turns else "as it stands"
        made += [render.heading(f"{fault.layer}: {fault.title}"), Text(f"  {fault.part} · {where}")]
        made += [render.bullets(list(fault.evidence), ""), Text(f"  What to do: {fault.remedy}", style="dim")]
    made += [Text(f"Not looked at: {line}", style="red") for line in found.unread]
    if found.healthy:
        made.append(Text(f"Nothing was found in {render.counted(found.turns, 'turn')}."))
    return made
