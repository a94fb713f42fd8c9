"""The files of a memory folder: which there are, whose they are, and what stands in them. Nothing is written here."""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from urllib.parse import unquote

from harness.errors import InputError
from harness.memory.markdown import Piece, pieces
from harness.state.memory import Scope

GLOBAL = "global.md"
FOLDERS: Mapping[str, str] = MappingProxyType(
    {"repo": "project", "project": "project", "user": "user", "persona": "persona", "task": "task", "world": "world"}
)
"""Folder → the field of the scope that the names of its files stand for."""
SUFFIX = ".md"
MAX_BYTES = 1_000_000
MAX_PIECES = 5_000
"""Most of one file; more than that is a document to be searched, not a memory."""
MAX_FILES = 5_000
DEEPEST = 6
Stamp = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file that can be read.

    Attributes:
        name: relative to the folder, with ``/``. ``scope``: for whom it is.
        stamp: changes when the file does.
    """

    name: str
    path: Path
    scope: Scope
    stamp: Stamp


@dataclass(frozen=True, slots=True)
class Scanned:
    """What is in a folder. ``refused``: name → why it is not read; ``scopes``: whose those would be, where that is known."""

    files: Mapping[str, FoundFile]
    refused: Mapping[str, str]
    scopes: Mapping[str, Scope]


def scan(folder: Path) -> Scanned:
    """Look through a folder. What is not named like a memory file is passed over, with a reason when it is Markdown."""
    files: dict[str, FoundFile] = {}
    refused: dict[str, str] = {}
    scopes: dict[str, Scope] = {}
    root = Path(os.path.realpath(folder))
    for path in _walk(folder, refused, depth=0):
        if not path.name.lower().endswith(SUFFIX) or path.name.startswith("."):
            continue
        name = shown(path.relative_to(folder))
        if len(files) >= MAX_FILES:
            refused[name] = f"there are more than {MAX_FILES} files"
            break
        try:
            scope = scope_of(path.relative_to(folder))
            if scope is None:
                continue
            scopes[name] = scope
            files[name] = FoundFile(name, path, scope, _stamp(path, root))
        except InputError as error:
            refused[name] = error.message
        except (OSError, RuntimeError) as error:  # a loop of links is a RuntimeError to some versions of pathlib
            refused[name] = f"it cannot be read: {getattr(error, 'strerror', None) or error}"
    return Scanned(files, refused, scopes)


def scope_of(name: Path) -> Scope | None:
    """Whom a file is for, by its name relative to the folder; None for a README, which is for people.

    ``user/小明.md`` is for the user 小明, ``repo/org/shop.md`` for the project org/shop. What a file name cannot hold is written as
    in an address: ``user/a%2Fb.md`` is for the user a/b.

    Raises:
        InputError: it is not the name of a memory file.
    """
    parts = name.parts
    if parts == (GLOBAL,):
        return Scope()
    if name.stem.casefold() == "readme":
        return None
    field = FOLDERS.get(parts[0]) if len(parts) > 1 else None
    if field is None:
        raise InputError(
            f"memory is read from {GLOBAL} and from files in {', '.join(FOLDERS)}, and this is neither",
        )
    owner = "/".join(parts[1:])[: -len(SUFFIX)]
    try:
        owner.encode()
        owner = unicodedata.normalize("NFC", unquote(owner, errors="strict"))
    except UnicodeError:
        raise InputError("its name is not UTF-8") from None
    if not owner.isprintable() or owner != owner.strip() or any(part in ("", ".", "..") for part in owner.split("/")):
        raise InputError(f"{owner!r} cannot be the name of a {field}")
    return Scope.model_validate({field: owner})


def read(file: FoundFile) -> tuple[Piece, ...]:
    """What a file says.

    Raises:
        InputError: it is too large, or not UTF-8 text. OSError.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(file.path, flags), "rb") as opened:
        raw = opened.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise InputError(f"it is larger than {MAX_BYTES:,} bytes")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"it is not UTF-8 text (byte {error.start}: {raw[error.start]:#04x})") from None
    if "\0" in text:
        raise InputError("it is not text: it holds a zero byte")
    found = pieces(text.replace("\r\n", "\n").replace("\r", "\n"))
    if len(found) > MAX_PIECES:
        raise InputError(f"it says {len(found):,} things, and at most {MAX_PIECES:,} are read from one file")
    return found


def changed_at(file: FoundFile) -> datetime:
    """When a file was last written."""
    return datetime.fromtimestamp(file.stamp[0] / 1e9, tz=UTC)


def shown(name: Path) -> str:
    """A name that can be printed and stored, with ``/`` on every system."""
    return name.as_posix().encode("utf-8", "replace").decode()


def _walk(folder: Path, refused: dict[str, str], *, depth: int, root: Path | None = None) -> Iterator[Path]:
    root = root or folder
    try:
        with os.scandir(folder) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        refused[shown(folder.relative_to(root)) + "/"] = f"it cannot be read: {error.strerror}"
        return
    for entry in found:
        path = folder / entry.name
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False):
            if depth < DEEPEST:
                yield from _walk(path, refused, depth=depth + 1, root=root)
            else:
                refused[shown(path.relative_to(root)) + "/"] = f"it lies deeper than {DEEPEST} folders"
        elif entry.is_symlink() and not entry.name.lower().endswith(SUFFIX) and path.is_dir():
            refused[shown(path.relative_to(root)) + "/"] = "links to folders are not followed"
        else:
            yield path


def _stamp(path: Path, root: Path) -> Stamp:
    """Raises InputError for what is no file of this folder, OSError for a link to nothing or to itself."""
    if path.is_symlink() and not Path(os.path.realpath(path, strict=True)).is_relative_to(root):
        raise InputError("it is a link that leads out of the folder")
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise InputError("it is no ordinary file")
    return found.st_mtime_ns, found.st_size, found.st_ino, found.st_ctime_ns
