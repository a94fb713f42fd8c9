"""``harness persona``: list, check, show, new."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from harness.cli.options import Config, Json, Set, load_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.language import LanguagePacks, WrongFile
    from harness.settings import Loaded

app = typer.Typer(help="List, check, show and begin characters.", no_args_is_help=True)


def _places(loaded: Loaded) -> tuple[Any, tuple[Path, ...]]:
    """Language packs and persona folders, a project's own first. Wrong language files are told."""
    from harness.cli.packs import persona_folders, readable_packs, tell

    packs, wrong = readable_packs(loaded)
    tell(wrong)
    return packs, persona_folders(loaded)


@app.command("list")
def list_characters(*, as_json: Json = False, config: Config = None, overrides: Set = None) -> None:
    """List the characters that can be talked to, a project's own and those that came along."""
    from harness.cli import render
    from harness.cli.running import print_json
    from harness.persona import list_personas

    packs, folders = _places(load_settings(config, overrides))
    found = list_personas(folders, packs=packs)
    if as_json:
        print_json(found)
        return
    made = render.table("id", "name", "language", "who")
    for entry in found:
        who = f"broken: {entry.error}" if entry.error else entry.role
        render.row(made, entry.id, entry.name, entry.language, who, style="red" if entry.error else "")
    render.console().print(made)


@app.command("show")
def show_character(
    name: Annotated[str, typer.Argument(help="Id, name or file of a character.")],
    *,
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Show everything a character is."""
    from harness.cli import render
    from harness.cli.render_persona import persona
    from harness.cli.running import print_json
    from harness.persona import find_persona

    packs, folders = _places(load_settings(config, overrides))
    found = find_persona(name, folders, packs=packs)
    print_json(found) if as_json else render.console().print(persona(found))


@app.command("check")
def check_characters(
    files: Annotated[
        list[Path] | None, typer.Argument(help="Persona files, or ids of characters; default: all of the project.")
    ] = None,
    *,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Check persona files. Exit code 1 when one of them has an error, or the language file of its language."""
    from harness.cli.packs import persona_folders, readable_packs, tell
    from harness.persona import check_persona
    from harness.persona.finding import SUFFIXES

    loaded = load_settings(config, overrides)
    packs, wrong = readable_packs(loaded)
    folders = persona_folders(loaded)
    tell(wrong)
    chosen = files or [p for f in folders[:1] if f.is_dir() for p in sorted(f.iterdir()) if p.suffix in SUFFIXES]
    if not chosen:
        typer.echo(f"There are no persona files in {folders[0]}.")
    broken = False
    for path in (_by_id(path, folders) for path in chosen):
        problems = check_persona(path, packs=packs)
        unread = _unread(path, packs, wrong)
        if unread is not None:
            broken = True
            message = f"its language {unread.code!r} cannot be used: {unread.error.message}"
            typer.secho(f"{path}: error: {message}", fg="red")
        elif not problems:
            typer.secho(f"{path}: fine", fg="green")
        for problem in problems:
            broken = broken or problem.severity == "error"
            place = f"{path}:{problem.line}" if problem.line else str(path)
            colour = "red" if problem.severity == "error" else "yellow"
            typer.secho(f"{place}: {problem.severity}: {problem.message}", fg=colour)
            if problem.hint:
                typer.echo(f"    {problem.hint}")
    if broken:
        raise typer.Exit(1)


def _unread(path: Path, packs: LanguagePacks, wrong: Sequence[WrongFile]) -> WrongFile | None:
    """The wrong file of the language of a character, if there is one."""
    from harness.errors import PersonaError
    from harness.persona.reading import read_persona

    try:
        persona = read_persona(path, packs).persona
    except PersonaError:
        return None
    return next((one for one in wrong if persona is not None and one.code == persona.language.lower()), None)


def _by_id(path: Path, folders: tuple[Path, ...]) -> Path:
    """The file of a character that was named by its id; the path itself when it is one."""
    from harness.persona.finding import SUFFIXES

    if path.exists() or len(path.parts) > 1 or path.suffix:
        return path
    named = (folder / f"{path}{suffix}" for folder in folders for suffix in sorted(SUFFIXES))
    return next((file for file in named if file.is_file()), path)


@app.command("new")
def new_character(
    name: Annotated[str, typer.Argument(help="The character's name.")],
    role: Annotated[str, typer.Option("--role", help="One line: who this is.")] = "",
    language: Annotated[str, typer.Option("--language", help="Language code; default: that of the name.")] = "",
    output: Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Default: a file named as the character in the persona folder; - prints it.")] = None,
    *,
    config: Config = None,
    overrides: Set = None,
) -> None:  # fmt: skip
    """Write a persona file to start from: valid as it is, with comments on what belongs where."""
    from harness.errors import PersonaError
    from harness.persona import new_persona, suggest_id

    packs, folders = _places(load_settings(config, overrides))
    text = new_persona(name, language, role=role, packs=packs)
    if str(output) == "-":
        typer.echo(text, nl=False)
        return
    path = output or folders[0] / f"{suggest_id(name)}.yaml"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise PersonaError(f"{path} exists already.", remedy="Give another name, or -o FILE.") from None
    except OSError as error:
        raise PersonaError(
            f"{path} cannot be written: {error.strerror}.", remedy="Give a place with -o FILE."
        ) from error
    typer.echo(f"Wrote {path}. Talk with it: harness chat --persona {path.stem}")
