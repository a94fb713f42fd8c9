"""The language packs and the characters' folders of the settings, for commands that need no engine. A wrong language file is told, and left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from harness.language import LanguagePacks, WrongFile
    from harness.settings import Loaded


def readable_packs(loaded: Loaded) -> tuple[LanguagePacks, tuple[WrongFile, ...]]:
    """The packs, and the files of `paths.languages` that are wrong."""
    from harness.language import load_readable

    return load_readable(loaded.settings.language_files())


def persona_folders(loaded: Loaded) -> tuple[Path, ...]:
    """Where characters are, a project's own first."""
    from harness.resources import data_path

    return (loaded.settings.path(loaded.settings.paths.personas), data_path("personas"))


def tell(wrong: Sequence[WrongFile]) -> None:
    """Say on standard error which language files are wrong."""
    for one in wrong:
        typer.secho(f"error: {one.error.message}", fg="red", err=True)
        typer.echo(f"  `harness language check {one.file}` says everything that is wrong with it.", err=True)
