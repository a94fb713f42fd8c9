"""Vectors for the store, made by the embedder that the store's own were made by."""

from __future__ import annotations

from collections.abc import Sequence

import structlog

from harness.errors import HarnessError, MalformedReply, StoreError
from harness.ports import Embedder, EmbeddingSpace, MemoryStore, Vector

log = structlog.get_logger("harness.memory")


async def passages(texts: Sequence[str], embedder: Embedder | None, store: MemoryStore) -> Sequence[Vector | None]:
    """A vector for each text, to be stored with it. None for all of them without an embedder, and when it fails, gives what
    it should not, or is another than the one that made the stored vectors: then they are found by words until the next reindex,
    and the log says why.
    """
    nothing: Sequence[Vector | None] = [None] * len(texts)
    if embedder is None or not texts:
        return nothing
    try:
        vectors = await embedder.passages(texts)
        space = embedder.space
        if len(vectors) != len(texts) or any(len(vector) != space.dimensions for vector in vectors):
            lengths = ", ".join(map(str, sorted({len(vector) for vector in vectors})))
            raise MalformedReply(
                f"Expected {len(texts)} vectors of {space.dimensions} dimensions, got {len(vectors)} of {lengths or 'none'}.",
                remedy="Look whether the endpoint serves another model than before; then run `harness memory reindex`.",
            )
        stored = await store.space()
        if stored is None:
            await store.embed(space, {})
        elif stored != space:
            raise other_space(stored, space)
    except HarnessError as error:
        log.warning("embedding_failed", error=error.message)
        return nothing
    return vectors


async def query_or_warning(
    text: str, embedder: Embedder | None, store: MemoryStore
) -> tuple[Vector | None, tuple[str, ...]]:
    """The vector of a question, or why there is none although an embedder is set."""
    try:
        return await query(text, embedder, store), ()
    except HarnessError as error:
        return None, (f"nothing was looked for by meaning: {error.message}",)


async def query(text: str, embedder: Embedder | None, store: MemoryStore) -> Vector | None:
    """The vector of a question; None where nothing can be found by one.

    Raises:
        ModelError: it cannot be made. StoreError: the stored ones are another model's.
    """
    if embedder is None:
        return None
    vector = await embedder.query(text)
    stored = await store.space()
    if stored is None:
        return None
    if stored != embedder.space:
        raise other_space(stored, embedder.space)
    if len(vector) != stored.dimensions:
        raise MalformedReply(
            f"Expected a vector of {stored.dimensions} dimensions, got one of {len(vector)}.",
            remedy="Look whether the endpoint serves another model than before; then run `harness memory reindex`.",
        )
    return vector


def other_space(stored: EmbeddingSpace, wanted: EmbeddingSpace) -> StoreError:
    """The error for vectors that another model made."""
    return StoreError(
        f"The stored vectors were made by {stored.model!r}, and memory.embedder makes those of {wanted.model!r}.",
        remedy="Run `harness memory reindex`, or set the embedder that made them.",
    )
