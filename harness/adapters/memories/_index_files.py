"""Where the FAISS index of a memory file is, and how it goes: with every vector that is removed, whatever searches the file then."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Final

from harness.errors import StoreError

NEW: Final = ".new"
"""How the name of a file ends that is not whole yet."""


def index_of(memories: Path) -> Path:
    """The index of a memory file."""
    return memories.with_name(f"{memories.name}.faiss")


def note_of(index: Path) -> Path:
    """What tells what an index was made from."""
    return index.with_name(f"{index.name}.json")


def remove_index(memories: Path) -> None:
    """Take the index of a memory file away, first what makes it count, last what a killed program left of one.

    Raises:
        StoreError: one of the files cannot be removed.
    """
    index = index_of(memories)
    for file in (note_of(index), index, *index.parent.glob(f"{index.name}*{NEW}")):
        try:
            with suppress(FileNotFoundError):
                file.unlink()
        except OSError as error:
            raise StoreError(
                f"The index {str(file)!r} holds what is to be removed, and cannot be removed ({error.strerror or error}). "
                "Nothing was removed.",
                remedy="Close the program that has it open, or delete it yourself (it is made again), and repeat the action.",
                path=str(file),
            ) from error
