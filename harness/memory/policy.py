"""What goes into which layer, and how it is found there: as data, read from the settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from harness.settings import ConflictResolution
from harness.state.memory import MemoryLayer


@dataclass(frozen=True, slots=True)
class LayerPolicy:
    """One retrieved layer.

    Attributes:
        enabled: whether it is written and read at all.
        top_k: most items of one turn. ``max_tokens``: most tokens of them together.
        similarity_threshold: least relevance, 0 to 1, of an item that is shown.
        half_life_hours: after which recency is halved.
        ttl_seconds: after which an item is shown no more; 0: never.
        always_inject: whether the best items are shown also when they have nothing to do with the message.
        left_out: kinds of items that are not shown.
    """

    enabled: bool = True
    top_k: int = 5
    max_tokens: int = 300
    similarity_threshold: float = 0.2
    half_life_hours: float = 24.0
    ttl_seconds: int = 0
    always_inject: bool = False
    left_out: frozenset[str] = frozenset()


EPISODIC = LayerPolicy()
SEMANTIC = LayerPolicy(top_k=8, max_tokens=300, similarity_threshold=0.15, half_life_hours=720.0)


@dataclass(frozen=True, slots=True)
class MemoryPolicy:
    """How memory is written and weighed.

    Attributes:
        layers: the retrieved ones, ``L2`` and ``L3``.
        constraints: attributes that are always minded (an allergy), wherever they were told.
        lasting: attributes that hold for long (a name, a home).
        recurrence: in how many turns, of any session, something must have been told to hold for long, whatever it is about.
        promotion_gate: whether something must, to hold for long for that reason or because its task was left, also have been
            used in two tasks, be true without a date, and be one sentence that can be checked.
        archive_above: importance above which something outlives its task. ``drop_below``: below which it goes with it.
        model_weighs: whether a fact is as important as the analysis model says, where it says so; else rules weigh it.
        lexical_weight, vector_weight: shares of words and of meaning in the relevance.
        relevance_weight, recency_weight, importance_weight: the terms of the score (see :mod:`harness.memory.scoring`).
        candidates: items looked at for one turn, by words and by vectors each.
        resolution: what counts when a memory and the running session say different things of the same.
    """

    layers: Mapping[MemoryLayer, LayerPolicy] = field(
        default_factory=lambda: MappingProxyType({"L2": EPISODIC, "L3": SEMANTIC})
    )
    constraints: frozenset[str] = frozenset()
    lasting: frozenset[str] = frozenset()
    recurrence: int = 3
    promotion_gate: bool = False
    archive_above: float = 0.7
    drop_below: float = 0.3
    model_weighs: bool = True
    lexical_weight: float = 1.0
    vector_weight: float = 0.5
    relevance_weight: float = 0.8
    recency_weight: float = 0.1
    importance_weight: float = 0.1
    candidates: int = 50
    resolution: ConflictResolution = "higher_layer_wins"
