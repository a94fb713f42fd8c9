"""``harness settings``: every setting, its value, and where that came from; files of other programs taken over."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from harness.cli.options import Config, Json, Set, load_settings

if TYPE_CHECKING:
    from harness.settings import Translation


app = typer.Typer(invoke_without_command=True)


@app.callback()
def show_settings(
    context: typer.Context,
    *,
    origin: Annotated[bool, typer.Option("--origin", help="Only what does not have its default.")] = False,
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Print each setting and where it came from: default, file, environment, or --set. Keys are never printed."""
    if context.invoked_subcommand:
        return
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


@app.command("import")
def import_settings(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A TOML or JSON file of another program.")],
    *,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="FILE", help="Settings file to write; default: the one here, or harness.toml."
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be written, and write nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Take over the settings of another program: show what each of them is called here, and write those that are known.

    Known are a memory_config.json with memory_layers, a config.toml with a section llm and sections of memories, and a settings.json of
    environment names. Values that the settings file has besides stay. Keys and passwords are never written.
    """
    from harness import settings
    from harness.cli import render
    from harness.cli.files import written
    from harness.cli.running import print_json
    from harness.errors import SettingsError

    if not file.is_file():
        raise SettingsError(f"There is no file {str(file)!r}.")
    raw = settings.read_raw(file)
    try:
        found = settings.translate(raw)
    except ValueError as error:
        raise SettingsError(
            f"{file} is of no kind that is known here: {error}.", remedy="See the documentation, Settings, Importing."
        ) from error
    target = out or settings.find_file(Path.cwd(), {}) or Path("harness.toml")
    if target.resolve() == file.resolve():
        raise SettingsError(f"{file} would be written over itself.", remedy="Give --out FILE.")
    before = target.read_text(encoding="utf-8-sig") if target.is_file() else ""
    after = settings.merged(before, found.values, as_json=target.suffix == ".json") if found.values else before
    if not dry_run and after != before:
        with written(target, force=True) as opened:
            opened.write(after)
    if as_json:
        print_json({**_summary(found, target, written=not dry_run and after != before), "rows": found.rows})
        return
    made = render.table("their name", "value", "ours", "becomes", "")
    for row in found.rows:
        becomes = "" if row.becomes is None else str(row.becomes)
        told = (
            ""
            if row.outcome == "mapped" and not row.note
            else f"{row.outcome}: {row.note}"
            if row.outcome != "mapped"
            else row.note
        )
        render.row(
            made, row.theirs, str(row.value), row.ours, becomes, told, style="yellow" if row in found.left else ""
        )
    render.console().print(made)
    done = "would be written to" if dry_run else "are in"
    count = sum(len(keys) for keys in found.values.values())
    left = len(found.left)
    settings_, values = "setting" if count == 1 else "settings", "value was" if left == 1 else "values were"
    done = done.replace("are", "is") if count == 1 and not dry_run else done
    typer.echo(f"{count} {settings_} {done} {target}; {left} {values} not taken over.")


def _summary(found: Translation, target: Path, *, written: bool) -> dict[str, Any]:
    return {"form": found.form, "file": target, "written": written, "values": found.values, "left": len(found.left)}
