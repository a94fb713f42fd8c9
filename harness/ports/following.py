"""What a store of memories or statements may do besides what its port asks: name the sessions that it goes along with."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class NamesFollowed(Protocol):
    """A store that can name all sessions of which it notes a turn, so that notes of sessions that are long deleted are found."""

    async def all_followed(self) -> tuple[str, ...]:
        """Ids of sessions, in any order.

        Raises:
            StoreError: the store does not answer.
        """
        ...
