"""What the engine asks of the outside world: models, stores, memory, clock, ids, prompts, languages.

Adapters implement these protocols; nothing but :mod:`harness.app` imports adapters.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from harness.ports.artifacts import Artifacts
from harness.ports.following import NamesFollowed
from harness.ports.graphs import Graph, GraphFilter, GraphStats, Neighbour
from harness.ports.memories import (
    Embedder,
    EmbeddingSpace,
    GivesVectors,
    IndexesVectors,
    MemoryEntry,
    MemoryFilter,
    MemoryHit,
    MemoryHits,
    MemoryQuery,
    MemoryStats,
    MemoryStore,
    NullMemory,
    Recalled,
    Remembered,
    Remembering,
    RunsHere,
    Slot,
    Vector,
    VectorSearch,
)
from harness.ports.models import (
    Capabilities,
    ChatMessage,
    Model,
    ModelDelta,
    ModelReply,
    ModelRequest,
    Role,
    StructuredForm,
    visible,
)
from harness.ports.overwriting import Overwrites
from harness.ports.sessions import Journal, NullJournal, SessionStore, TurnPlace, places
from harness.ports.short_term import RecentMessage, ShortTerm
from harness.ports.times import Clock, Ids, RandomIds, SystemClock
from harness.ports.tokens import Estimate, TokenCounter
from harness.settings import Layers

if TYPE_CHECKING:
    from harness.language import LanguagePacks
    from harness.prompts import Prompts
    from harness.redacting import Redactor

Emit = Callable[[object], Awaitable[None]]


async def _discard(event: object) -> None:
    """The sink of a turn that is not streamed."""


@dataclass(frozen=True, slots=True)
class Ports:
    """Everything a step may use besides the turn itself.

    Attributes:
        memory: what is known from elsewhere; bound to the session.
        redactor: takes secrets out of what is stored; a session without one makes the usual one.
        tokens: counts tokens for the model that answers. ``layers``: the settings of what the model sees.
        emit: takes stream events (token, revised) while a turn runs; set when the turn is streamed.
        streaming: whether somebody listens to ``emit``.
    """

    model: Model
    prompts: Prompts
    languages: LanguagePacks
    clock: Clock = field(default_factory=SystemClock)
    ids: Ids = field(default_factory=RandomIds)
    journal: Journal = field(default_factory=NullJournal)
    memory: Remembering = field(default_factory=NullMemory)
    redactor: Redactor | None = None
    tokens: TokenCounter = field(default_factory=Estimate)
    layers: Layers = field(default_factory=Layers)
    emit: Emit = _discard
    streaming: bool = False


__all__: Sequence[str] = [
    "Artifacts",
    "Capabilities",
    "ChatMessage",
    "Clock",
    "Embedder",
    "EmbeddingSpace",
    "Emit",
    "Estimate",
    "GivesVectors",
    "Graph",
    "GraphFilter",
    "GraphStats",
    "Ids",
    "IndexesVectors",
    "Journal",
    "MemoryEntry",
    "MemoryFilter",
    "MemoryHit",
    "MemoryHits",
    "MemoryQuery",
    "MemoryStats",
    "MemoryStore",
    "Model",
    "ModelDelta",
    "ModelReply",
    "ModelRequest",
    "NamesFollowed",
    "Neighbour",
    "NullJournal",
    "NullMemory",
    "Overwrites",
    "Ports",
    "RandomIds",
    "Recalled",
    "RecentMessage",
    "Remembered",
    "Remembering",
    "Role",
    "RunsHere",
    "SessionStore",
    "ShortTerm",
    "Slot",
    "StructuredForm",
    "SystemClock",
    "TokenCounter",
    "TurnPlace",
    "Vector",
    "VectorSearch",
    "places",
    "visible",
]
