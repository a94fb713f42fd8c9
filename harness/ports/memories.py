"""What the engine asks of memory: stores of items, embedders, and the memory bound to one session."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol, runtime_checkable

from harness.state.dialogue import DialogueState
from harness.state.memory import MemoryItem, MemoryKind, MemoryLayer, MemoryStatus, MemoryWrite, Scope
from harness.state.record import ContextWarning, TurnRecord

Vector = Sequence[float]
"""An embedding, of length one (L2), so that a dot product is the cosine."""
VectorSearch = Literal["exact", "hnsw"]
"""All vectors are compared, or an approximate index is used where that is quicker."""
Slot = tuple[str, str, str]
"""(subject, attribute, value) as :meth:`harness.state.memory.MemoryItem.slot` gives it."""


@dataclass(frozen=True, slots=True)
class EmbeddingSpace:
    """Which model made vectors, and how long they are: vectors of different spaces cannot be compared."""

    model: str
    dimensions: int


class Embedder(Protocol):
    """Turns texts into vectors. Questions and the texts that answer them may be treated differently."""

    @property
    def space(self) -> EmbeddingSpace:
        """What the vectors are. Raises StoreError when it is only known after a call and none was made."""
        ...

    async def passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        """One vector for each text that may be found. Raises ModelError."""
        ...

    async def query(self, text: str) -> Vector:
        """The vector of what is looked for. Raises ModelError."""
        ...

    async def close(self) -> None:
        """Release the model or the connections."""
        ...


@runtime_checkable
class RunsHere(Protocol):
    """What an embedder may say besides: whether it runs on this machine, so that a call costs time and no money."""

    @property
    def runs_here(self) -> bool:
        """Whether it does."""
        ...


@dataclass(frozen=True, slots=True)
class MemoryEntry:
    """An item with what it is found by.

    Attributes:
        terms: words of its text as the language packs make them (stems, bigrams), repeated as often as they occur; each is
            letters and digits only.
        vector: of the embedding space of the store; None without one.
        read_as: of an item that is changed, the status it was read with. If it has another one by now (a turn was undone), that one
            stays; if it is gone, nothing is stored.
    """

    item: MemoryItem
    terms: tuple[str, ...] = ()
    vector: Vector | None = None
    read_as: MemoryStatus | None = None


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """Which items count. Empty parts set no limit, except the scope: it always does (see :class:`Scope`).

    Attributes:
        scope: what the query was given; ``everything`` is for administration: it looks
            into all scopes, or into those that have the very fields that the scope names.
        session: only those written in this session. ``other_than``: none of this session.
        since, until: of ``when_at``, or of ``at`` where there is none; the end is not included.
        now: leaves out what has expired at this moment.
        speaker, subject: the same in capitals.
    """

    scope: Scope = field(default_factory=Scope)
    everything: bool = False
    layers: tuple[MemoryLayer, ...] = ()
    kinds: tuple[MemoryKind, ...] = ()
    statuses: tuple[MemoryStatus, ...] = ("active",)
    speaker: str = ""
    subject: str = ""
    session: str = ""
    other_than: str = ""
    pinned: bool | None = None
    since: datetime | None = None
    until: datetime | None = None
    now: datetime | None = None


@dataclass(frozen=True, slots=True)
class MemoryQuery:
    """What is looked for: by words, by meaning, or by both."""

    where: MemoryFilter
    terms: tuple[str, ...] = ()
    vector: Vector | None = None
    limit: int = 50


@dataclass(frozen=True, slots=True)
class MemoryHit:
    """An item that was found.

    Attributes:
        lexical: its BM25 score, 0 when it shares no word. ``cosine``: of its vector; None without one.
        matched: the terms of the query that it has.
        lexical_rank, vector_rank: its place among what was found by words and by vectors, from 1; None when not found so.
    """

    item: MemoryItem
    lexical: float = 0.0
    cosine: float | None = None
    matched: frozenset[str] = frozenset()
    lexical_rank: int | None = None
    vector_rank: int | None = None


@dataclass(frozen=True, slots=True)
class MemoryHits:
    """What a search found, and what its scores are to be measured by.

    Attributes:
        hits: in no order.
        documents: how many items the query's scope and layers admit, whatever the rest of the filter. BM25 counts over those
            alone, so that what is kept for others changes neither order nor score.
        frequencies: for each term of the query, how many of those items have it.
        cosine_mean, cosine_deviation: mean and standard deviation of the query's cosines over the vectors that its scope and
            layers admit, whatever the rest of the filter, or over a sample of them: cosines mean nothing by themselves. None
            without vectors.
        vectors: how many vectors that are (not how many of them were drawn); 0 without any, and where a store does not tell.
    """

    hits: tuple[MemoryHit, ...] = ()
    documents: int = 0
    frequencies: Mapping[str, int] = field(default_factory=dict)
    cosine_mean: float | None = None
    cosine_deviation: float | None = None
    vectors: int = 0


@dataclass(frozen=True, slots=True)
class MemoryStats:
    """What a store holds.

    Attributes:
        size_bytes: on disk, or in memory; None where it cannot be told.
        vector_search: how vectors are found.
        notice: what its owner should know or do; empty for nothing.
    """

    items: int = 0
    by_layer: Mapping[str, int] = field(default_factory=dict)
    by_kind: Mapping[str, int] = field(default_factory=dict)
    by_status: Mapping[str, int] = field(default_factory=dict)
    vectors: int = 0
    space: EmbeddingSpace | None = None
    size_bytes: int | None = None
    vector_search: VectorSearch = "exact"
    notice: str = ""


class MemoryStore(Protocol):
    """Items that can be found by words and by vectors.

    Every write is whole or not at all, and doing it twice is doing it once. All reads return validated items or raise a
    :class:`~harness.errors.StoreError` / :class:`~harness.errors.NewerSchema`.
    """

    async def put(self, entries: Sequence[MemoryEntry]) -> None:
        """Store items, each in place of the one with its id (of two with one id the later). How often an item was used is kept;
        so is its vector, when none is given and its text is the same. Raises StoreError for a vector of another space's
        dimensions, or before any space was set by :meth:`embed`.
        """
        ...

    async def follow(
        self,
        session: str,
        turn_id: str | None,
        *,
        put: Sequence[MemoryEntry] = (),
        hide: Collection[str] = (),
        show: Collection[str] = (),
    ) -> None:
        """Go along with a session, in one step: store what its turn wrote, hide what the turns ``hide`` wrote (active items
        only), show again what the turns ``show`` wrote (hidden items only), and note that memory stands at ``turn_id``.
        """
        ...

    async def followed(self, session: str) -> str | None:
        """The turn that memory stands at; None when it never followed the session, ``""`` for its beginning."""
        ...

    async def unfollow(self, sessions: Collection[str]) -> None:
        """Remove where memory stands in sessions that were deleted, their ids from files too, as :meth:`delete` does."""
        ...

    async def get(self, ids: Sequence[str]) -> tuple[MemoryItem, ...]:
        """Items by id, in that order, whatever their status; unknown ids are left out."""
        ...

    async def search(self, query: MemoryQuery) -> MemoryHits:
        """The best ``limit`` by words (BM25, Robertson and Zaragoza 2009; how rare a word is and how long a text is on average
        are counted over what the query's scope and layers admit) and the best ``limit`` by vectors; those found both ways once.
        """
        ...

    async def around(self, places: Mapping[str, Collection[int]], where: MemoryFilter) -> tuple[MemoryItem, ...]:
        """Messages by session and place in it."""
        ...

    async def of_slots(self, slots: Collection[Slot], where: MemoryFilter) -> tuple[MemoryItem, ...]:
        """Items that state the same facts, to see which is the newest."""
        ...

    async def with_keys(self, keys: Collection[str], where: MemoryFilter) -> tuple[MemoryItem, ...]:
        """Items that say the same."""
        ...

    async def browse(self, where: MemoryFilter, *, after: str = "", limit: int = 100) -> tuple[MemoryItem, ...]:
        """Items in order of their ids, those behind the id ``after``."""
        ...

    async def used(self, ids: Collection[str], at: datetime) -> None:
        """Count one use of each item; the same moment again counts nothing."""
        ...

    async def delete(self, ids: Collection[str]) -> int:
        """Remove items for good, their text from files and indexes too; gives how many there were."""
        ...

    async def forget(self, where: MemoryFilter) -> int:
        """Remove all items for which the filter holds, as :meth:`delete` does. The filter's scope is matched exactly on the
        fields it names: forgetting a user removes what belongs to that user in any session or persona. A scope that names
        none means items without limits, unless ``everything`` is set. Mind ``statuses``: empty for hidden and archived ones too.
        """
        ...

    async def space(self) -> EmbeddingSpace | None:
        """The space that was set last by :meth:`embed`, whether or not there are vectors; None before."""
        ...

    async def embed(self, space: EmbeddingSpace, vectors: Mapping[str, Vector]) -> None:
        """Set the space, and the vectors of items by id (unknown ones are passed over). Another space than the stored one drops
        all stored vectors first. Raises StoreError for wrong dimensions or a length that is not one, MissingExtra.
        """
        ...

    async def unembedded(self, *, limit: int = 100) -> tuple[MemoryItem, ...]:
        """Items without a vector, in order of their ids, whatever their status."""
        ...

    async def stats(self) -> MemoryStats:
        """What it holds."""
        ...

    async def close(self) -> None:
        """Release files and connections; later calls raise StoreError."""
        ...


@runtime_checkable
class GivesVectors(Protocol):
    """What a store may do besides: give back the vectors it keeps, so that they can be taken elsewhere without the model that
    made them.
    """

    async def vectors(self, ids: Collection[str]) -> Mapping[str, Vector]:
        """The vectors of items by id, those without one left out."""
        ...


@runtime_checkable
class IndexesVectors(Protocol):
    """What a store may do besides: keep an approximate index of its vectors, which takes long to build."""

    async def index_vectors(self) -> VectorSearch:
        """Build the index that the store was opened for, if it is not there or not whole; drop one that it was not opened for. Gives
        how vectors are found after that. Others may read and write meanwhile. Raises StoreError.
        """
        ...


@dataclass(frozen=True, slots=True)
class Remembered:
    """An item that was considered for a turn.

    Attributes:
        score: by which it was ranked. ``why``: what the score is made of, in words.
        dropped: why it does not go into the prompt; empty when it does.
        own: it was said earlier in the session that asks.
    """

    item: MemoryItem
    score: float = 0.0
    why: str = ""
    dropped: str = ""
    own: bool = False


@dataclass(frozen=True, slots=True)
class Recalled:
    """What memory has to say in a turn.

    Attributes:
        items: what was considered, best first; those with ``dropped`` do not go into the prompt.
        conflicts: which statement gave way to which.
        warnings: what a reader of the report should know.
        troubles: those of the warnings that are of a known kind.
        considered: how many items of each layer were looked at; ``items`` may list fewer of those left out.
        told: the facts that the messages among ``items`` state, those with ``dropped`` left out.
        resolution: how a memory and this session that say different things of the same are settled.
    """

    items: tuple[Remembered, ...] = ()
    conflicts: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    troubles: tuple[ContextWarning, ...] = ()
    considered: Mapping[str, int] = field(default_factory=dict)
    told: tuple[MemoryItem, ...] = ()
    resolution: Literal["higher_layer_wins", "newest_wins", "keep_both"] = "higher_layer_wins"


class Remembering(Protocol):
    """The memory of one session; bound by the session."""

    async def recall(self, text: str, *, language: str, now: datetime, before: int = 0, task: str = "") -> Recalled:
        """What is known about the self-contained message ``text`` from other sessions, in the task of this id, and from turns of
        this session that are older than ``before``, the first that the prompt shows. Never raises for want of a store that
        answers: what went wrong is a warning.
        """
        ...

    async def plan(
        self, record: TurnRecord, *, before: DialogueState | None, after: DialogueState
    ) -> tuple[MemoryWrite, ...]:
        """What :meth:`keep` will write of a turn, which belongs into its record; nothing of it is written yet.

        Raises:
            StoreError: memory could not be read.
        """
        ...

    async def keep(
        self, record: TurnRecord, *, before: DialogueState | None, after: DialogueState
    ) -> tuple[MemoryWrite, ...]:
        """Write what a turn leaves behind that led from the state ``before`` (looked up when None) to ``after``. Writing the same turn again
        changes nothing.

        Raises:
            StoreError: nothing was written.
        """
        ...


class NullMemory:
    """Remembers nothing."""

    async def recall(
        self,
        text: str,  # noqa: ARG002 - the protocol's argument
        *,
        language: str,  # noqa: ARG002 - the protocol's argument
        now: datetime,  # noqa: ARG002 - the protocol's argument
        before: int = 0,  # noqa: ARG002 - the protocol's argument
        task: str = "",  # noqa: ARG002 - the protocol's argument
    ) -> Recalled:
        """Nothing."""
        return Recalled()

    async def plan(
        self,
        record: TurnRecord,  # noqa: ARG002 - the protocol's argument
        *,
        before: DialogueState | None,  # noqa: ARG002 - the protocol's argument
        after: DialogueState,  # noqa: ARG002 - the protocol's argument
    ) -> tuple[MemoryWrite, ...]:
        """Nothing."""
        return ()

    async def keep(
        self,
        record: TurnRecord,  # noqa: ARG002 - the protocol's argument
        *,
        before: DialogueState | None,  # noqa: ARG002 - the protocol's argument
        after: DialogueState,  # noqa: ARG002 - the protocol's argument
    ) -> tuple[MemoryWrite, ...]:
        """Do nothing."""
        return ()
