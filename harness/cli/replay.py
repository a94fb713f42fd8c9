"""``harness replay``: run a session again offline and compare."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from harness.cli.options import Config, Json, SessionId, Set, load_settings

if TYPE_CHECKING:
    from harness.replaying import ReplayReport


def replay_session(session: SessionId, *, as_json: Json = False, config: Config = None, overrides: Set = None) -> None:
    """Run the current branch again from its recorded model calls, without a network, and report every difference.

    Exit code 1 when a turn came out differently.
    """
    from harness.cli.running import print_json, with_harness

    async def work(harness: Any) -> ReplayReport:
        from harness.replaying import replay

        return await replay(harness, session)

    report = with_harness(load_settings(config, overrides), work)
    if as_json:
        print_json(report)
    else:
        _print(report)
    if not report.same:
        raise typer.Exit(1)


def _print(report: ReplayReport) -> None:
    from harness.cli import render

    out = render.console()
    made = render.table(("turn", "right"), "how", ("calls", "right"), "result")
    for turn in report.turns:
        result = "the same" if turn.same else "differs"
        render.row(made, turn.number, turn.origin, turn.calls, result, style="" if turn.same else "red")
    out.print(made)
    for turn in report.turns:
        if not turn.same:
            lines = [*([turn.error] if turn.error else []), *turn.differences]
            if turn.unused:
                lines.append(f"{turn.unused} recorded calls were not asked for")
            out.print(render.heading(f"Turn {turn.number}"), render.bullets(lines, ""), sep="\n")
    out.print("Every turn came out the same." if report.same else "Not every turn came out the same.")
