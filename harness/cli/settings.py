"""``harness settings``: every setting, its value, and where that came from."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from harness.cli.options import Config, Json, Set, load_settings


def show_settings(
    *,
    origin: Annotated[bool, typer.Option("--origin", help="Only what does not have its default.")] = False,
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Print each setting and where it came from: default, file, environment, or --set. Keys are never printed."""
    from harness import settings
    from harness.cli import render
    from harness.cli.running import print_json
    from harness.logs import redact

    loaded = load_settings(config, overrides)
    variable = loaded.settings.provider.api_key_env
    key = "set" if variable and os.environ.get(variable) else "not set"
    rows = [
        (
            name,
            redact(value.partition("?")[0] + "?…" if name == "provider.base_url" and "?" in value else value)
            if isinstance(value, str) and not name.endswith(".url")  # masked already
            else value,
            source,
        )
        for name, value, source in loaded.rows()
    ]
    if origin:
        rows = [entry for entry in rows if entry[2] != "default" and not loaded.is_default(entry[0])]
    if as_json:
        print_json(
            {
                "file": loaded.file,
                "home": settings.home(),
                "key": {"variable": variable, "state": key},
                "settings": {name: {"value": value, "origin": source} for name, value, source in rows},
            }
        )
        return
    made = render.table("setting", "value", "from")
    for name, value, source in rows:
        shown = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
        render.row(made, name, shown, source, style="dim" if source == "default" else "")
    out = render.console()
    out.print(made)
    out.print(f"file: {loaded.file or 'none'}")
    out.print(f"data: {settings.home()}")
    out.print(f"key:  {variable or 'none needed'} is {key}" if variable else "key:  none needed")
