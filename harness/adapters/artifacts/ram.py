"""Long tool results in memory, gone with the process."""

from __future__ import annotations

import time
from collections.abc import Collection

from harness.adapters.artifacts._refs import SETTLED_S, not_found, ref_of


class InProcessArtifacts:
    """An :class:`~harness.ports.Artifacts` for tests and for sessions that are not kept."""

    def __init__(self) -> None:
        """Nothing is held yet."""
        self._texts: dict[str, dict[str, tuple[str, float]]] = {}

    async def put(self, session_id: str, text: str) -> str:
        """Keep a text."""
        ref = ref_of(text)
        self._texts.setdefault(session_id, {})[ref] = (text, time.monotonic())
        return ref

    async def get(self, session_id: str, ref: str) -> str:
        """The whole text. Raises ArtifactNotFound."""
        found = self._texts.get(session_id, {}).get(ref)
        if found is None:
            raise not_found(session_id, ref)
        return found[0]

    async def held(self, session_id: str) -> tuple[str, ...]:
        """References of what is there, sorted."""
        return tuple(sorted(self._texts.get(session_id, {})))

    async def copy(self, session_id: str, new_id: str, refs: Collection[str]) -> None:
        """Have another session hold the same texts."""
        known = self._texts.get(session_id, {})
        for ref in refs:
            if ref in known:
                self._texts.setdefault(new_id, {})[ref] = known[ref]

    async def sweep(self, session_id: str, keep: Collection[str]) -> int:
        """Remove what is not to be kept and not new."""
        known = self._texts.get(session_id, {})
        old = time.monotonic() - SETTLED_S
        gone = [ref for ref, (_, at) in known.items() if ref not in keep and at < old]
        for ref in gone:
            del known[ref]
        return len(gone)

    async def delete(self, session_id: str) -> int:
        """Remove everything a session holds."""
        return len(self._texts.pop(session_id, {}))
