"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from harness.settings import Loaded

Config = Annotated[
    Path | None, typer.Option("--config", metavar="FILE", help="Settings file; default: harness.toml here, if any.")
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="SECTION.KEY=VALUE", help="Override a setting; may be given several times."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
SessionId = Annotated[str, typer.Argument(metavar="SESSION", help="Id of a stored session.")]
Turn = Annotated[int | None, typer.Option("--turn", metavar="N", help="Number of a turn on the current branch.")]


def load_settings(config: Path | None, overrides: list[str] | None) -> Loaded:
    """The settings as the command line asks for them.

    Raises:
        SettingsError: see :func:`harness.settings.load`; also for an override without ``=``.
    """
    from harness.errors import SettingsError
    from harness.settings import load

    if config is not None and not config.is_file():
        raise SettingsError(f"There is no settings file {str(config)!r}.", remedy="Correct --config, or leave it out.")
    values: dict[str, object] = {}
    for item in overrides or []:
        name, equals, value = item.partition("=")
        if not equals:
            raise SettingsError(f"--set expects SECTION.KEY=VALUE, not {item!r}.")
        values[name.strip()] = value.strip()
    loaded = load(file=config, overrides=values)
    if loaded.note:
        typer.secho(loaded.note, fg="yellow", err=True)
    return loaded
