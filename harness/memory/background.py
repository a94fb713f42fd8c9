"""What an embedder makes of texts that have nothing to do with a message: cosines are measured by it while few memories are there.

A cosine means nothing by itself: texts without any relation lie at 0.8 with one model and at 0 with another. What counts is how
far above the others it stands. With many memories these are the others; the first ones are held against the sentences
``keeping.unrelated`` of the language packs, which the embedder is given once.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from operator import mul

import structlog

from harness.errors import HarnessError, LanguageError
from harness.language import LanguagePacks
from harness.memory.embedding import fit
from harness.ports import Embedder, EmbeddingSpace, Vector

log = structlog.get_logger("harness.memory")

ENOUGH = 240
"""Vectors of a scope that need no other measure: the sentences would count for less than a tenth."""
LEAST = 8
"""Sentences that a language must have, for a deviation to say anything."""
AT_ONCE = 4
"""Sentences that are given to the embedder together when this is made beforehand: a question may come in between."""
TOLD_APART = 1e-4
"""Deviation below which a model makes the same of everything, and nothing is measured by it."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Cosines of a message with texts that have nothing to do with it: their mean, standard deviation and number."""

    mean: float
    deviation: float
    number: int

    def and_others(self, mean: float, deviation: float, number: float) -> Spread:
        """This with more cosines of which mean, deviation and number are known."""
        if number <= 0:
            return self
        whole = self.number + number
        middle = (self.number * self.mean + number * mean) / whole
        squares = self.number * (self.deviation**2 + (self.mean - middle) ** 2)
        squares += number * (deviation**2 + (mean - middle) ** 2)
        return Spread(middle, math.sqrt(squares / whole), round(whole))


Unrelated = Callable[[Collection[str]], Awaitable[Mapping[str, Spread]]]
"""Gives by language how one message stands to texts that have nothing to do with it."""


@dataclass(slots=True)
class Background:
    """The vectors of unrelated sentences, made when first needed and kept as long as the process."""

    _made: dict[tuple[EmbeddingSpace, str], list[Vector]] = field(default_factory=dict)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def ready(self, embedder: Embedder, packs: LanguagePacks, language: str) -> None:
        """Make the vectors of a language's sentences, a few at a time. Raises LanguageError, ModelError, StoreError."""
        sentences = packs.get(language).keeping.unrelated
        while len(await self._vectors(embedder, packs, language, most=AT_ONCE)) < len(sentences):
            pass

    async def spreads(
        self, query: Vector, embedder: Embedder, packs: LanguagePacks, languages: Collection[str]
    ) -> Mapping[str, Spread]:
        """By language how a message's vector stands to unrelated sentences of it; languages without sentences are left out, and
        so are all where the embedder fails.
        """
        result = {}
        for language in languages:
            try:
                vectors = await self._vectors(embedder, packs, language)
            except LanguageError:  # of an item that was written with another set of packs
                continue
            except HarnessError as error:
                log.warning("embedding_failed", language=language, error=error.message)
                return {}
            cosines = [sum(map(mul, query, vector)) for vector in vectors if len(vector) == len(query)]
            if len(cosines) >= LEAST:
                mean = math.fsum(cosines) / len(cosines)
                deviation = math.sqrt(math.fsum((one - mean) ** 2 for one in cosines) / len(cosines))
                if deviation > TOLD_APART:
                    result[language] = Spread(mean, deviation, len(cosines))
        return result

    async def _vectors(
        self, embedder: Embedder, packs: LanguagePacks, language: str, *, most: int | None = None
    ) -> Sequence[Vector]:
        """Of the sentences of a language, in their order, after at most so many more were made; all without a number."""
        async with self._lock:
            made = self._made.setdefault((embedder.space, language), [])
            missing = packs.get(language).keeping.unrelated[len(made) :][:most]
            if missing:
                vectors = await embedder.passages(missing)
                usable = [vector if fit(vector, embedder.space) else () for vector in vectors[: len(missing)]]
                made += usable + [()] * (len(missing) - len(usable))
            return made
