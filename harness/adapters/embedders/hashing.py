"""Vectors from hashed character n-grams: no model, the same on every machine. For tests, and where nothing else is there.

The hashing trick (Weinberger et al. 2009) on n-grams of two and three characters. It finds other forms of a word, not other
words for the same.
"""

from __future__ import annotations

import math
import unicodedata
import zlib
from collections.abc import Sequence

from harness.ports import EmbeddingSpace, Vector

SIZES = (2, 3)


class HashEmbedder:
    """An :class:`~harness.ports.Embedder` of ``dimensions`` buckets."""

    runs_here = True

    def __init__(self, dimensions: int = 256) -> None:
        self.space = EmbeddingSpace(f"hash-{dimensions}", dimensions)

    async def passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        """One vector for each text."""
        return [self._vector(text) for text in texts]

    async def query(self, text: str) -> Vector:
        """The vector of a question: made like those of the passages."""
        return self._vector(text)

    async def close(self) -> None:
        """Nothing to release."""

    def _vector(self, text: str) -> Vector:
        size = self.space.dimensions
        vector = [0.0] * size
        folded = f" {' '.join(unicodedata.normalize('NFKC', text).casefold().split())} "
        for length in SIZES:
            for start in range(len(folded) - length + 1):
                code = zlib.crc32(folded[start : start + length].encode("utf-8", "surrogatepass"))
                vector[code % size] += 1.0 if code >> 31 else -1.0
        norm = math.sqrt(sum(value * value for value in vector))
        return [value / norm for value in vector] if norm else [1.0 / math.sqrt(size)] * size
