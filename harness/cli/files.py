"""Files that commands write and read: exports and imports."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Annotated, TextIO

import typer

from harness.errors import InputError

Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where to; default: standard output.")
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite the file.")]
MAX_LINE = 16_000_000
"""Bytes of one line of an import."""
MAX_FILE = 256_000_000
"""Bytes of an import that is read as a whole."""


def is_stdout(file: Path | None) -> bool:
    """Whether an export goes to standard output."""
    return file is None or str(file) == "-"


@contextlib.contextmanager
def written(
    file: Path | None, *, force: bool = False, remedy: str = "Give another name, or --force."
) -> Iterator[TextIO]:
    """Where an export goes. A file is there whole or not at all, and an old one stays until the new one is whole.

    Args:
        remedy: what to do when there is such a file.

    Raises:
        InputError: it exists already, or cannot be written.
    """
    if file is None or is_stdout(file):
        yield sys.stdout
        return
    try:
        if not force:
            file.open("x").close()  # nobody else takes the name meanwhile
    except FileExistsError:
        raise InputError(f"{file} exists already.", remedy=remedy) from None
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror}.") from error
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        with part.open("w", encoding="utf-8", newline="\n") as out:
            yield out
        part.replace(file)
    except BaseException as error:
        part.unlink(missing_ok=True)
        if not force:
            file.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise InputError(f"{file} cannot be written: {error.strerror}.") from error
        raise


def text_of(file: str) -> str:
    """A whole file, or standard input for ``-``.

    Raises:
        InputError: it cannot be read, is no UTF-8 text, or is too large.
    """
    with _bytes(file) as given:
        raw = given.read(MAX_FILE + 1)
    if len(raw) > MAX_FILE:
        raise InputError(f"{file} is larger than {MAX_FILE:,} bytes.", remedy="It is no export of one session.")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{file} cannot be read: {error}.") from error


@contextlib.contextmanager
def lines_of(file: str) -> Iterator[Callable[[], Iterator[str]]]:
    """What gives the lines of a file, or of standard input, anew each time. They part at line feeds only: a text may hold
    other separators.

    Raises:
        InputError: it cannot be read; and by the lines: one is too long, or no UTF-8 text.
    """
    with _bytes(file) as given, contextlib.ExitStack() as stack:
        source = given
        if file == "-":  # what comes through a pipe comes once
            source = stack.enter_context(tempfile.TemporaryFile())
            while block := given.read(1 << 20):
                source.write(block)
        yield lambda: _lines(file, source)


def _lines(file: str, source: IO[bytes]) -> Iterator[str]:
    source.seek(0)
    number = 0
    while raw := source.readline(MAX_LINE + 1):
        number += 1
        if len(raw) > MAX_LINE:
            raise InputError(
                f"Line {number} of {file} is longer than {MAX_LINE:,} bytes.", remedy="The file is no export."
            )
        try:
            yield raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise InputError(f"Line {number} of {file} is not UTF-8 text: {error}.") from error


@contextlib.contextmanager
def _bytes(file: str) -> Iterator[IO[bytes]]:
    if file == "-":
        yield sys.stdin.buffer
        return
    with contextlib.ExitStack() as stack:
        try:
            opened = stack.enter_context(Path(file).open("rb"))
        except OSError as error:
            raise InputError(f"{file} cannot be read: {error.strerror}.") from error
        yield opened
