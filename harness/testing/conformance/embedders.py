"""The suite that every :class:`~harness.ports.Embedder` must pass.

With pytest, one test per check::

    import pytest
    from harness.testing.conformance.embedders import CHECKS, EmbedderCheck

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    async def test_my_embedder(check: EmbedderCheck) -> None:
        await check(MyEmbedder)

A check is a coroutine function of what makes an embedder; it closes what it made.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

from harness.ports import Embedder, Vector
from harness.testing.conformance._suite import expect

MakeEmbedder = Callable[[], Embedder]
EmbedderCheck = Callable[[MakeEmbedder], Awaitable[None]]

TEXTS = ("I live by the harbour.", "我住在港口旁边。", "", "🦊 " * 40, "line\nbreak", "x" * 9000)


@asynccontextmanager
async def _made(make: MakeEmbedder) -> AsyncIterator[Embedder]:
    embedder = make()
    try:
        yield embedder
    finally:
        await embedder.close()


def _dot(first: Vector, second: Vector) -> float:
    return math.fsum(a * b for a, b in zip(first, second, strict=True))


async def vectors_have_length_one_and_the_size_of_the_space(make: MakeEmbedder) -> None:
    """Whatever the text: empty, very long, in any script."""
    async with _made(make) as embedder:
        found = await embedder.passages(TEXTS)
        expect(len(found) == len(TEXTS), f"Expected {len(TEXTS)} vectors, got {len(found)}.")
        for text, vector in zip(TEXTS, found, strict=True):
            expect(len(vector) == embedder.space.dimensions, f"{text[:20]!r} has {len(vector)} numbers.")
            expect(math.isclose(_dot(vector, vector), 1.0, abs_tol=1e-3), f"{text[:20]!r} is not of length one.")


async def the_same_text_gives_the_same_vector(make: MakeEmbedder) -> None:
    """In one call or in two, alone or among others."""
    async with _made(make) as embedder:
        alone = (await embedder.passages(TEXTS[:1]))[0]
        among = (await embedder.passages(TEXTS[:2]))[0]
        expect(_dot(alone, among) > 1 - 1e-3, "A text has another vector among others.")
        first, second = await embedder.query(TEXTS[0]), await embedder.query(TEXTS[0])
        expect(_dot(first, second) > 1 - 1e-3, "A question has another vector the second time.")


async def a_text_is_nearest_to_itself(make: MakeEmbedder) -> None:
    """A question finds the passage of the same words before one of others, in English and Chinese."""
    async with _made(make) as embedder:
        passages = await embedder.passages(TEXTS[:2])
        for number in (0, 1):
            query = await embedder.query(TEXTS[number])
            near, far = _dot(query, passages[number]), _dot(query, passages[1 - number])
            expect(
                near > far, f"{TEXTS[number]!r} is nearer to the other text ({far:.3f}) than to itself ({near:.3f})."
            )


async def no_texts_give_no_vectors(make: MakeEmbedder) -> None:
    """And cost no call that could fail."""
    async with _made(make) as embedder:
        expect(list(await embedder.passages([])) == [], "No texts gave vectors.")


CHECKS: Sequence[EmbedderCheck] = (
    vectors_have_length_one_and_the_size_of_the_space,
    the_same_text_gives_the_same_vector,
    a_text_is_nearest_to_itself,
    no_texts_give_no_vectors,
)
"""All checks; each fails by raising AssertionError."""

__all__ = ["CHECKS", "EmbedderCheck", "MakeEmbedder"]
