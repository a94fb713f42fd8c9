"""Vectors of items on a Redis server: stored there, scanned here.

Not Redis' own vector sets: they need Redis 8, are approximate under a filter by scope, and give no mean and deviation of the
cosines, which is what a score by meaning is measured by.
"""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from harness.adapters.memories._sqlite_vectors import unpacked
from harness.adapters.memories._vectors import Scan, VectorIndex, numpy_module
from harness.adapters.redis.client import chunks
from harness.adapters.redis.failures import damaged
from harness.ports.memories import EmbeddingSpace

if TYPE_CHECKING:
    from harness.adapters.redis.client import RedisClient

_AT_ONCE = 2048
_GROUP = 4
"""Bytes before a vector: the number of its group."""


class RedisVectors:
    """The vectors of a server, read once, and after that only what has changed."""

    def __init__(self, client: RedisClient) -> None:
        self._client = client
        self._index: VectorIndex | None = None
        self._of: EmbeddingSpace | None = None
        self._changes = self._removals = 0
        self._lock = asyncio.Lock()

    async def scan(self, space: EmbeddingSpace, query: array[float], groups: Collection[int] | None) -> Scan:
        """The vectors of these groups, or all, beside the query. Raises MissingExtra."""
        async with self._lock:
            if self._index is None or self._of != space:
                self._index, self._of = VectorIndex(space.dimensions), space
                self._changes = self._removals = 0
            try:
                await self._catch_up(self._index)
            except BaseException:
                self._index = None  # half of a change may have been taken in
                raise
            return self._index.scan(query, groups)

    async def stored(self, docs: Collection[int]) -> dict[int, array[float]]:
        """Those of the docs that have one."""
        names = sorted(docs)
        if not names:
            return {}
        rows = await self._client.read(lambda client: client.hmget(self._key("vectors"), names))
        return {doc: unpacked(row[_GROUP:]) for doc, row in zip(names, rows, strict=True) if row is not None}

    async def cosines(self, query: array[float], docs: Collection[int]) -> dict[int, float]:
        """Those of the docs that have a vector."""
        names = sorted(docs)
        if not names:
            return {}
        rows = await self._client.read(lambda client: client.hmget(self._key("vectors"), names))
        there = [(doc, row) for doc, row in zip(names, rows, strict=True) if row is not None]
        # Of another space: it was changed while this was looked for.
        there = [(doc, row) for doc, row in there if len(row) == _GROUP + 4 * len(query)]
        if not there:
            return {}
        np = numpy_module()
        matrix = np.frombuffer(b"".join(row[_GROUP:] for _, row in there), "<f4").reshape(len(there), -1)
        values = np.vecdot(matrix, np.asarray(query, np.float32))
        return dict(zip((doc for doc, _ in there), values.tolist(), strict=True))

    async def _catch_up(self, index: VectorIndex) -> None:
        found = await self._client.together(
            lambda pipeline: (
                pipeline.hmget(self._key("totals"), "changes", "removals")
                .zrangebyscore(self._key("vgone"), f"({self._removals}", "+inf")
                .zrangebyscore(self._key("vchanges"), f"({self._changes}", "+inf")
            )
        )
        (changes, removals), gone, changed = found
        changes, removals = int(changes or 0), int(removals or 0)
        if removals != self._removals and len(index):
            if removals - self._removals == len(gone):
                index.discard([int(doc) for doc in gone])
            else:  # more than the server remembers, or all at once
                every = await self._client.read(lambda client: client.hkeys(self._key("vectors")))
                index.keep([int(doc) for doc in every])
        if not len(index):
            index.reserve(len(changed))
        for some in chunks([int(doc) for doc in changed], _AT_ONCE):
            await self._extend(index, some)
        self._changes, self._removals = changes, removals

    async def _extend(self, index: VectorIndex, docs: Sequence[int]) -> None:
        rows = await self._client.read(lambda client: client.hmget(self._key("vectors"), list(docs)))
        # One that was removed meanwhile is among the removals of the next time.
        there = [(doc, row) for doc, row in zip(docs, rows, strict=True) if row is not None]
        if any(len(row) != _GROUP + 4 * index.dimensions for _, row in there):
            raise damaged(self._client.place, "a vector there has another length than its space")
        groups = [int.from_bytes(row[:_GROUP], "little") for _, row in there]
        if there:
            index.extend([doc for doc, _ in there], groups, b"".join(row[_GROUP:] for _, row in there))

    def _key(self, name: str) -> str:
        return self._client.key("memory", name)
