"""The graph as a whole, beside any session: looked through, walked along, taken elsewhere, forgotten."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import datetime

from harness.errors import InputError
from harness.language import LanguagePacks
from harness.memory.naming import line
from harness.ports import Clock, SystemClock
from harness.ports.graphs import Graph, GraphFilter, GraphStats, Neighbour
from harness.state.graph import ALIAS, Edge, name_key
from harness.state.memory import Scope

PAGE = 200


@dataclass(frozen=True, slots=True)
class EntitySeen:
    """An entity, as the statements about it show it.

    Attributes:
        names: other names of it. ``edges``: how many statements are about it.
    """

    name: str
    kind: str
    names: tuple[str, ...]
    edges: int


@dataclass(frozen=True, slots=True)
class Graphs:
    """Everything in one graph."""

    graph: Graph
    packs: LanguagePacks
    clock: Clock = field(default_factory=SystemClock)

    async def all(self, where: GraphFilter | None = None) -> AsyncIterator[Edge]:
        """Statements as they were made, in order of their ids; all of them, hidden ones too, without a filter."""
        where = where or GraphFilter(everything=True, hidden=True)
        after = ""
        while page := await self.graph.browse(where, after=after, limit=PAGE):
            for edge in page:
                yield edge
            after = page[-1].id

    async def entities(self, where: GraphFilter) -> tuple[EntitySeen, ...]:
        """The entities that statements are about, those with most of them first."""
        names: dict[str, str] = {}
        kinds: dict[str, str] = {}
        other: dict[str, set[str]] = {}
        counts: dict[str, int] = {}
        async for edge in self.all(where):
            ends = ((edge.subject, edge.subject_kind), (edge.object, edge.object_kind))
            for name, kind in ends[: len(edge.keys)]:
                key = name_key(name)
                names.setdefault(key, name)
                if kinds.get(key, "other") == "other":
                    kinds[key] = kind
                counts[key] = counts.get(key, 0) + 1
            if edge.relation == ALIAS and edge.object:
                other.setdefault(edge.subject_key, set()).add(edge.object)
                other.setdefault(edge.object_key, set()).add(edge.subject)
        found = [
            EntitySeen(names[key], kinds[key], tuple(sorted(other.get(key, ()))), count)
            for key, count in counts.items()
        ]
        return tuple(sorted(found, key=lambda one: (-one.edges, name_key(one.name))))

    async def near(
        self, entity: str, where: GraphFilter, *, depth: int = 1, at: datetime | None = None
    ) -> tuple[Neighbour, ...]:
        """What holds of an entity and of those near it: now, or at a moment.

        Raises:
            InputError: nothing is known of it.
        """
        found = await self.graph.neighbours([entity], where, depth=depth, at=at or self.clock.now())
        if not found:
            await self._known(entity, where)
        return found

    async def paths(
        self, first: str, second: str, where: GraphFilter, *, max_length: int = 3, at: datetime | None = None
    ) -> tuple[tuple[Edge, ...], ...]:
        """The shortest ways between two entities, over what holds now or at a moment.

        Raises:
            InputError: nothing is known of one of them.
        """
        found = await self.graph.paths(first, second, where, max_length=max_length, at=at or self.clock.now())
        if not found:
            for name in (first, second):
                await self._known(name, where)
        return found

    async def _known(self, entity: str, where: GraphFilter) -> None:
        """Raises InputError where nothing is known of it, at any time."""
        if not await self.graph.touching([name_key(entity)], where):
            raise InputError(
                f"The graph knows nothing of {entity!r} here.",
                remedy="`harness graph list` shows what it knows; --persona and --user say of whom.",
            )

    def told(self, edge: Edge, language: str = "") -> str:
        """An edge in words: of a language, or of the one it was said in."""
        return line(edge, self.packs.get(language or edge.language or "en"))

    async def stats(self) -> GraphStats:
        """What the graph holds."""
        return await self.graph.stats()

    async def forget_user(self, user: str) -> int:
        """Remove whatever this user said, and what was said to them, with every character; gives how many statements there were.

        What the journals of their sessions still say is written again when they are used: ``Memories.forget`` keeps that away, and does this too.

        Raises:
            InputError: no user is named.
        """
        if not user:
            raise InputError("Nobody was named whose part of the graph is to be removed.", remedy="Name a user.")
        return await self.graph.forget(GraphFilter(scope=Scope(user=user)))
