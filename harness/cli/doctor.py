"""``harness doctor``: are the stores well, and why does the model not answer?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.options import Config, Json, Set, load_settings

if TYPE_CHECKING:
    from harness.doctor import Check


def doctor(
    timeout: Annotated[float, typer.Option("--timeout", metavar="SECONDS", help="Deadline of each request.", min=0.1)] = 60.0,
    *,
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:  # fmt: skip
    """Open the stores, on this machine and on servers, then walk from the model's configuration to structured output, name the first fault,
    and say what to do.

    Exit code 1 when a check fails.
    """
    from harness.app_files import check_files
    from harness.app_models import diagnose_settings
    from harness.app_servers import check_servers
    from harness.cli.running import print_json, run

    loaded = load_settings(config, overrides)

    async def work() -> list[Check]:
        told = (lambda _: None) if as_json else _show
        stores = [
            *await check_files(loaded.settings, on_check=told),
            *await check_servers(loaded.settings, on_check=told),
        ]
        return [*stores, *await diagnose_settings(loaded.settings, timeout_s=timeout, on_check=told)]

    checks = run(work)
    if as_json:
        print_json(checks)
    if not all(check.ok for check in checks):
        raise typer.Exit(1)


def _show(check: Check) -> None:
    mark, colour = {True: ("ok  ", "green"), False: ("FAIL", "red"), None: ("-   ", "bright_black")}[check.ok]
    if check.warning:
        mark, colour = "warn", "yellow"
    seconds = f" ({check.seconds:.1f} s)" if check.ok is not None and check.seconds >= 0.1 else ""
    typer.echo(f"{typer.style(mark, fg=colour)} {check.name}: {check.detail}{seconds}")
    if check.remedy:
        typer.echo(f"     {check.remedy}")
