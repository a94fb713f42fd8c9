"""Vectors for what is stored. A model that fails, or makes vectors that cannot be compared, never costs the words themselves."""

from __future__ import annotations

import math
from collections.abc import Sequence

from harness.errors import HarnessError, StoreError
from harness.ports import Embedder, EmbeddingSpace, MemoryStore, Vector

UNIT = 0.01
"""How far from one the length of a vector may be; stores refuse others."""


async def embedded(
    embedder: Embedder | None, store: MemoryStore, texts: Sequence[str]
) -> tuple[Sequence[Vector | None], str]:
    """A vector for each text, None where there is none, and what went wrong (empty: nothing).

    The store's space is set when it has none yet. Items without a vector are found by their words, and
    :meth:`harness.memory.Memories.reindex` makes what is missing.
    """
    none: list[Vector | None] = [None] * len(texts)
    if embedder is None or not texts:
        return none, ""
    try:
        made = await embedder.passages(texts)
        await same_space(store, embedder.space)
        usable = [fit(vector, embedder.space) for vector in made]
    except HarnessError as error:
        return none, error.message
    if len(made) != len(texts):
        return none, wrong_number(embedder.space, len(texts), len(made)).message
    bad = sum(not good for good in usable)
    trouble = f"{bad} of {len(made)} vectors from {embedder.space.model!r} {_expected(embedder.space)}." if bad else ""
    return [vector if good else None for vector, good in zip(made, usable, strict=True)], trouble


async def query_vector(
    embedder: Embedder | None, store: MemoryStore, text: str, *, beside: bool = False
) -> tuple[Vector | None, str]:
    """The vector of what is looked for, None where nothing can be compared with it, and what went wrong.

    Args:
        beside: there are vectors beside those of the store.
    """
    if embedder is None:
        return None, ""
    try:
        vector = await embedder.query(text)
        stored, space = await store.space(), embedder.space
        if stored is None and not beside:
            return None, ""
        if stored not in (None, space):
            raise other_space(stored, space)
        if not fit(vector, space):
            raise unusable(space)
    except HarnessError as error:
        return None, f"nothing was looked for by meaning: {error.message}"
    return vector, ""


async def same_space(store: MemoryStore, space: EmbeddingSpace) -> None:
    """Note the space of the first vectors. Raises StoreError when the stored ones are of another."""
    stored = await store.space()
    if stored is None:
        await store.embed(space, {})
    elif stored != space:
        raise other_space(stored, space)


def fit(vector: Vector, space: EmbeddingSpace) -> bool:
    """Whether a vector has the dimensions of its space and the length one; NaN has not."""
    return len(vector) == space.dimensions and abs(math.sqrt(math.fsum(value * value for value in vector)) - 1) <= UNIT


def unusable(space: EmbeddingSpace) -> StoreError:
    """The error for a query's vector that cannot be compared."""
    return StoreError(
        f"The vector from {space.model!r} {_expected(space)}.", remedy="See which model the endpoint serves."
    )


def unusable_vectors(space: EmbeddingSpace, names: Sequence[str], made: int) -> StoreError:
    """The error for items whose vectors cannot be compared, when those of all others are made."""
    some = ", ".join(names[:3]) + (" …" if len(names) > 3 else "")
    return StoreError(
        f"{len(names)} vectors from {space.model!r} {_expected(space)} ({some}); {made} others were made.",
        remedy="These items are found by their words. See what the embedder makes of their texts.",
    )


def wrong_number(space: EmbeddingSpace, expected: int, got: int) -> StoreError:
    """The error for an embedder that does not give one vector for each text."""
    return StoreError(
        f"Expected {expected} vectors from {space.model!r}, got {got}.", remedy="See which model the endpoint serves."
    )


def _expected(space: EmbeddingSpace) -> str:
    return f"cannot be compared: expected {space.dimensions} numbers and the length 1"


def other_space(stored: EmbeddingSpace, wanted: EmbeddingSpace) -> StoreError:
    """The error for vectors that another model made."""
    return StoreError(
        f"The stored vectors were made by {stored.model!r} ({stored.dimensions} numbers), and memory.embedder makes those of "
        f"{wanted.model!r} ({wanted.dimensions}).",
        remedy="Run `harness memory reindex`, or set the embedder that made them.",
    )
