"""How much a memory is worth in a turn.

    score = a * relevance + b * exp(-ln 2 * age / half-life) + c * importance * use

Relevance joins words and meaning; the other two terms only order what is relevant (the three terms are those of Park et al.
2023, Generative Agents). Use rises slowly with how often an item was shown and is capped, so that the same lines do not
return for ever.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from harness.memory.background import Spread
from harness.memory.lexical import rarity, share
from harness.memory.policy import LayerPolicy, MemoryPolicy
from harness.ports import MemoryHit, MemoryHits
from harness.state.memory import MemoryItem

FAR = 4.0
"""Standard deviations above the mean cosine at which a vector counts as wholly relevant."""
NEAR = 1.0
"""Standard deviations below which it does not count."""
NEXT, BEFORE, SECOND = 0.4, 0.24, 0.15
"""Share of a message's relevance that goes to the message after it, the one before it, and those two away: an answer often
shares no word with what is asked for, its question does. Chosen on dialogues of one corpus, see the benchmark of memory.
"""
ASKED = 0.6
"""Least relevance of a fact whose attribute the message asks for, in whatever words."""
MOST_USE = 2.0
"""Cap of the factor that use gives."""


@dataclass(frozen=True, slots=True)
class Relevance:
    """How much an item has to do with the query, 0 to 1, and what by."""

    words: float = 0.0
    meaning: float = 0.0
    total: float = 0.0


def relevances(
    found: MemoryHits,
    terms: Sequence[str],
    asked: Collection[str],
    policy: MemoryPolicy,
    unrelated: Mapping[str, Spread] | None = None,
) -> dict[str, Relevance]:
    """Relevance of every hit by id.

    Args:
        found: what the store gave for ``terms`` and ``asked`` together.
        terms: words of the query.
        asked: words that stand for the attributes it asks for.
        unrelated: by language of the item, how the query's cosines with texts of no relation to it lie; ``""``: of any other
            language. For a store that holds few vectors.
    """
    weights = {term: rarity(term, found.documents, found.frequencies) for term in terms}
    by_meaning = found.cosine_mean is not None
    whole = policy.lexical_weight + (policy.vector_weight if by_meaning else 0.0)
    result = {}
    for hit in found.hits:
        words = share(terms, hit.matched, weights)
        if not hit.matched.isdisjoint(asked):
            words = max(words, ASKED)
        meaning = _meaning(hit, found, unrelated or {})
        total = (policy.lexical_weight * words + policy.vector_weight * meaning) / whole if whole else 0.0
        result[hit.item.id] = Relevance(words, meaning, total)
    return result


def _meaning(hit: MemoryHit, found: MemoryHits, unrelated: Mapping[str, Spread]) -> float:
    if hit.cosine is None or found.cosine_mean is None:
        return 0.0
    mean, deviation = found.cosine_mean, found.cosine_deviation or 0.0
    known = unrelated.get(hit.item.language) or unrelated.get("")
    if known is not None:
        others = _others(hit.cosine, mean, deviation, vectors_of(found))
        whole = known.and_others(*others)
        mean, deviation = whole.mean, whole.deviation
    if not deviation:
        return 0.0
    distance = (hit.cosine - mean) / deviation
    return min(max((distance - NEAR) / (FAR - NEAR), 0.0), 1.0)


def _others(cosine: float, mean: float, deviation: float, number: int) -> tuple[float, float, int]:
    """Mean, deviation and number of the cosines but this one: of few, the nearest moves the measure it is held against."""
    left = number - 1
    if left <= 0:
        return 0.0, 0.0, 0
    middle = (number * mean - cosine) / left
    square = (number * (deviation**2 + mean**2) - cosine**2) / left
    return middle, math.sqrt(max(square - middle**2, 0.0)), left


def vectors_of(found: MemoryHits) -> int:
    """How many vectors mean and deviation are of; where the store does not tell, those of the hits."""
    return found.vectors or sum(hit.cosine is not None for hit in found.hits)


def spread(relevance: Mapping[str, float], items: Mapping[str, MemoryItem]) -> dict[str, float]:
    """Relevance of messages with a share of their neighbours' in the same session."""
    placed = {(item.session, item.place): item.id for item in items.values() if item.place}
    result = {}
    for item in items.values():
        own = relevance.get(item.id, 0.0)
        if item.place:
            for step, part in ((-1, NEXT), (1, BEFORE), (-2, SECOND), (2, SECOND)):
                neighbour = placed.get((item.session, item.place + step))
                own += part * relevance.get(neighbour, 0.0) if neighbour is not None else 0.0
        result[item.id] = own
    return result


def score(relevance: float, item: MemoryItem, *, now: datetime, layer: LayerPolicy, policy: MemoryPolicy) -> float:
    """The score of an item in a turn at ``now``."""
    return (
        policy.relevance_weight * relevance
        + policy.recency_weight * recency(item, now, layer.half_life_hours)
        + policy.importance_weight * item.importance * use(item.uses)
    )


def recency(item: MemoryItem, now: datetime, half_life_hours: float) -> float:
    """1 for what was just said, halved with every half-life; 0 for what has no time."""
    if item.at is None:
        return 0.0
    hours = max((now - item.at).total_seconds() / 3600, 0.0)
    return math.exp(-math.log(2) * hours / half_life_hours)


def use(uses: int) -> float:
    """1 for what was never shown, rising with the logarithm of how often, never above ``MOST_USE``."""
    return min(1.0 + 0.1 * math.log1p(uses), MOST_USE)
