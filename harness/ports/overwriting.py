"""What a store in files may do besides what its port asks: say where deleted words still are."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class Overwrites(Protocol):
    """A store whose deleted words stay in its files for as long as another program reads them. It tries again by itself, with every
    later call and when it is closed.
    """

    async def not_overwritten(self) -> tuple[str, ...]:
        """Try now, and name the files that may still hold words of what was deleted; empty when none does.

        Raises:
            StoreError: the files cannot be used.
        """
        ...
