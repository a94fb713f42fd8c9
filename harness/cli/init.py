"""``harness init``: a project that runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

IGNORED = "*.db\n*.db-*\n.env\n"
PROMPTS_README = """# Prompts

A template here replaces the packaged one of the same name: `en/system.j2`, `zh/turn_analysis.j2`, …

    harness prompts list                 which file serves each prompt
    harness prompts show system          the template in use
    harness prompts render system        the text a model gets
"""


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the project; made if it is not there.")],
    name: Annotated[str, typer.Option("--name", help="Name of the first character.")] = "Robin",
    language: Annotated[str, typer.Option("--language", help="Its language; default: that of the name.")] = "",
) -> None:
    """Begin a project: settings with comments, a character, a place for prompts. Nothing is ever overwritten."""
    from harness.errors import SettingsError
    from harness.persona import new_persona, suggest_id
    from harness.settings import to_toml

    who = suggest_id(name)
    files = {
        "harness.toml": to_toml(),
        f"personas/{who}.yaml": new_persona(name, language),
        "prompts/README.md": PROMPTS_README,
        ".gitignore": IGNORED,
    }
    taken = [path for path in files if (folder / path).exists()]
    if (folder / "harness.json").exists():
        taken.append("harness.json")
    if taken:
        raise SettingsError(
            f"{folder} already has {', '.join(taken)}.", remedy="Nothing was written. Choose another folder."
        )
    try:
        for path, text in files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("x", encoding="utf-8", newline="\n") as file:
                file.write(text)
            typer.echo(f"wrote {target}")
    except OSError as error:
        raise SettingsError(f"{error.filename} cannot be written: {error.strerror}.") from error
    typer.echo(f"\nNow: cd {folder} && harness chat --persona {who}")
