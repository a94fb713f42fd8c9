"""What the engine asks of a graph of entities and relations."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from harness.state.graph import Edge
from harness.state.memory import Scope

MOST_EDGES = 500
"""Edges that one step away from some entities may lead over: what has more is no neighbourhood for a prompt."""


@dataclass(frozen=True, slots=True)
class GraphFilter:
    """Which statements count. The scope always does (see :class:`~harness.state.memory.Scope`).

    Attributes:
        scope: what the query was given; ``everything`` is for administration: it looks into all scopes, or into those that have
            the very fields that the scope names.
        session: only what this session wrote.
        hidden: with those of branches that were left.
    """

    scope: Scope = field(default_factory=Scope)
    everything: bool = False
    session: str = ""
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An edge that was reached.

    Attributes:
        edge: with the end that later statements gave it.
        distance: 1 for an edge at one of the entities that were asked for.
        origin: key of the entity it was reached from.
    """

    edge: Edge
    distance: int
    origin: str


@dataclass(frozen=True, slots=True)
class GraphStats:
    """What a graph holds. ``size_bytes``: on disk, or in memory; None where it cannot be told."""

    entities: int = 0
    edges: int = 0
    hidden: int = 0
    by_relation: Mapping[str, int] = field(default_factory=dict)
    size_bytes: int | None = None


class Graph(Protocol):
    """Statements about entities, which can be walked along.

    Every write can be repeated and changes nothing then. One that was interrupted has not moved what :meth:`followed` says, so
    that it is done again. All reads return validated edges or raise a :class:`~harness.errors.StoreError` /
    :class:`~harness.errors.NewerSchema`.
    """

    async def follow(
        self,
        session: str,
        turn_id: str | None,
        *,
        put: Sequence[Edge] = (),
        hide: Collection[str] = (),
        show: Collection[str] = (),
    ) -> None:
        """Go along with a session: store statements, each in place of the one with its id, hide what the turns ``hide`` of this session wrote,
        show again what the turns ``show`` wrote, and note that the graph stands at ``turn_id``.
        """
        ...

    async def followed(self, session: str) -> str | None:
        """The turn that the graph stands at; None when it never followed the session, ``""`` for its beginning."""
        ...

    async def unfollow(self, sessions: Collection[str]) -> None:
        """Remove where the graph stands in sessions that were deleted, their ids from files too, as :meth:`delete` does."""
        ...

    async def touching(self, keys: Collection[str], where: GraphFilter, *, limit: int = MOST_EDGES) -> tuple[Edge, ...]:
        """Statements as they were made, about the entities with these keys (:func:`~harness.state.graph.name_key`), in order of
        their ids.
        """
        ...

    async def neighbours(
        self,
        entities: Collection[str],
        where: GraphFilter,
        *,
        depth: int = 1,
        at: datetime | None = None,
        limit: int = MOST_EDGES,
    ) -> tuple[Neighbour, ...]:
        """What holds at a moment (at any, for None) of the entities with these names, and of those that stand up to ``depth``
        steps from them, the nearest first. Other names of an entity lead to the same edges.
        """
        ...

    async def paths(
        self, first: str, second: str, where: GraphFilter, *, max_length: int = 3, at: datetime | None = None
    ) -> tuple[tuple[Edge, ...], ...]:
        """The shortest ways between two entities, over at most ``max_length`` edges that hold at a moment; all of the same length."""
        ...

    async def browse(self, where: GraphFilter, *, after: str = "", limit: int = 100) -> tuple[Edge, ...]:
        """Statements as they were made, in order of their ids, those behind the id ``after``."""
        ...

    async def delete(self, ids: Collection[str]) -> int:
        """Remove statements for good; gives how many there were. Entities that no statement is left about go too."""
        ...

    async def forget(self, where: GraphFilter) -> int:
        """Remove all statements for which the filter holds, hidden ones too, as :meth:`delete` does. The filter's scope is matched
        exactly on the fields it names. A scope that names none, without a session, means statements without limits, unless ``everything`` is set.
        """
        ...

    async def stats(self) -> GraphStats:
        """What it holds."""
        ...

    async def close(self) -> None:
        """Release files and connections; later calls raise StoreError."""
        ...
