"""What the engine asks of the place where long tool results are kept."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol


class Artifacts(Protocol):
    """Whole texts that a conversation only has the digest of, kept for each session apart.

    A text is known by its content: the same text stored twice is there once, and a reference never leads to another text.
    So undo, goto and retry need nothing done, and a fork takes copies along.
    """

    async def put(self, session_id: str, text: str) -> str:
        """Store a text whole or not at all; gives its reference. Raises StoreError, StorageFull."""
        ...

    async def get(self, session_id: str, ref: str) -> str:
        """The whole text. Raises ArtifactNotFound, CorruptStore when it is not what was stored, StoreError."""
        ...

    async def held(self, session_id: str) -> tuple[str, ...]:
        """References of what is there, sorted."""
        ...

    async def copy(self, session_id: str, new_id: str, refs: Collection[str]) -> None:
        """Have another session hold the same texts; those that are not there are left out. Raises StoreError."""
        ...

    async def sweep(self, session_id: str, keep: Collection[str]) -> int:
        """Remove what is not to be kept, unless it was written within the last hour (by a turn that is still running); gives
        how many were removed.
        """
        ...

    async def delete(self, session_id: str) -> int:
        """Remove everything a session holds; gives how many texts there were."""
        ...
