"""Embeddings of an OpenAI-compatible endpoint (``POST /v1/embeddings``)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from harness.errors import MalformedReply, StoreError
from harness.ports import EmbeddingSpace, Vector

if TYPE_CHECKING:
    from harness.adapters.models.openai_sdk import OpenAIModel


class OpenAIEmbedder:
    """An :class:`~harness.ports.Embedder` at an endpoint.

    Args:
        endpoint: gives the connection; called when it is first needed.
        model: its id there.
        batch: texts of one request.
        timeout_s: deadline of one request, retries included.

    How long its vectors are is known after the first call.
    """

    def __init__(
        self, endpoint: Callable[[], OpenAIModel], model: str, *, batch: int = 64, timeout_s: float = 60.0
    ) -> None:
        self._endpoint = endpoint
        self._model = model
        self._batch = batch
        self._timeout_s = timeout_s
        self._dimensions = 0

    @property
    def space(self) -> EmbeddingSpace:
        """What the vectors are. Raises StoreError before the first call."""
        if not self._dimensions:
            raise StoreError(f"How long the vectors of {self._model!r} are is known after a first call.")
        return EmbeddingSpace(self._model, self._dimensions)

    async def passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        """One vector for each text. Raises ModelError."""
        found: list[Vector] = []
        for start in range(0, len(texts), self._batch):
            found.extend(await self._embed(texts[start : start + self._batch]))
        return found

    async def query(self, text: str) -> Vector:
        """The vector of a question. Raises ModelError."""
        return (await self._embed([text]))[0]

    async def close(self) -> None:
        """The connection belongs to whoever made it."""

    async def _embed(self, texts: Sequence[str]) -> list[Vector]:
        raw = await self._endpoint().embed(texts, model=self._model, timeout_s=self._timeout_s)
        lengths = {len(vector) for vector in raw}
        if len(lengths) != 1 or (self._dimensions and lengths != {self._dimensions}):
            raise MalformedReply(
                f"Expected vectors of one length from {self._model!r}, but they have {sorted(lengths)} numbers.",
                remedy="See which model the endpoint serves; `harness memory reindex` makes the stored vectors anew.",
            )
        self._dimensions = lengths.pop()
        return [_unit(vector) for vector in raw]


def _unit(vector: Sequence[float]) -> Vector:
    norm = math.sqrt(sum(value * value for value in vector))
    return [value / norm for value in vector] if norm else vector
