"""Walking along edges, step by step: the same over every backend, which only has to find the statements about some entities."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime

from harness.ports.graphs import MOST_EDGES, GraphFilter, Neighbour
from harness.state.graph import ALIAS, Edge, name_key, standing
from harness.state.memory import Scope

LONGEST_PATH = 6
MOST_PATHS = 10


class Walking(ABC):
    """The reading half of a :class:`~harness.ports.graphs.Graph`, on top of :meth:`touching`."""

    @abstractmethod
    async def touching(self, keys: Collection[str], where: GraphFilter, *, limit: int = MOST_EDGES) -> tuple[Edge, ...]:
        """Statements about entities, in order of their ids."""

    @abstractmethod
    async def _of_slots(self, slots: Collection[tuple[str, str]], where: GraphFilter) -> tuple[Edge, ...]:
        """All statements of (key of a subject, relation)."""

    async def neighbours(
        self,
        entities: Collection[str],
        where: GraphFilter,
        *,
        depth: int = 1,
        at: datetime | None = None,
        limit: int = MOST_EDGES,
    ) -> tuple[Neighbour, ...]:
        """What holds of entities and of those near them, the nearest first. Raises StoreError."""
        known: dict[str, str] = {key: key for key in map(name_key, entities) if key}  # key -> what it is reached from
        front = list(known)
        found: dict[str, Neighbour] = {}
        for distance in range(1, max(depth, 0) + 1):
            if not front or len(found) >= limit:
                break
            edges = await self._standing(front, where, at)
            edges = await self._with_aliases(edges, known, where, at)
            after: dict[str, str] = {}
            for edge in edges:
                origin = next((key for key in edge.keys if key in known), None)
                if origin is None or edge.id in found or len(found) >= limit:
                    continue
                found[edge.id] = Neighbour(edge, distance, known[origin])
                after.update({key: known[origin] for key in edge.keys if key not in known})
            known.update(after)
            front = list(after)
        return tuple(found.values())

    async def paths(
        self, first: str, second: str, where: GraphFilter, *, max_length: int = 3, at: datetime | None = None
    ) -> tuple[tuple[Edge, ...], ...]:
        """The shortest ways between two entities. Raises StoreError."""
        start, goal = name_key(first), name_key(second)
        if not start or not goal or start == goal:
            return ()
        names = await self._names({start, goal}, where, at)
        starts = {key for key, meant in names.items() if meant == names.get(start, start)} | {start}
        goals = {key for key, meant in names.items() if meant == names.get(goal, goal)} | {goal}
        if starts & goals:
            return ()
        ways: dict[str, list[tuple[Edge, ...]]] = {key: [()] for key in starts}
        seen = set(starts)
        for _ in range(min(max(max_length, 0), LONGEST_PATH)):
            edges = [edge for edge in await self._standing(list(ways), where, at) if edge.object]
            further: dict[str, list[tuple[Edge, ...]]] = {}
            for edge in edges:
                for here, there in (edge.keys, edge.keys[::-1]):
                    if here in ways and there not in seen:
                        some = further.setdefault(there, [])
                        some += [(*way, edge) for way in ways[here]][: MOST_PATHS - len(some)]
            reached = [way for goal_key in sorted(goals) for way in further.get(goal_key, ())]
            if reached:
                return tuple(reached[:MOST_PATHS])
            seen |= set(further)
            ways = further
            if not ways:
                break
        return ()

    async def _standing(self, keys: Collection[str], where: GraphFilter, at: datetime | None) -> tuple[Edge, ...]:
        """What holds of the entities with these keys, in the order it was said; what never held, or holds no more then, is left out."""
        statements = {edge.id: edge for edge in await self.touching(keys, where)}
        slots = {(edge.subject_key, edge.relation) for edge in statements.values() if edge.subject_key not in set(keys)}
        # Whether an edge still holds, all statements about its subject say, which may be no neighbour itself.
        if slots:
            statements |= {edge.id: edge for edge in await self._of_slots(slots, where)}
        wanted = set(keys)
        return tuple(edge for edge in come_to(statements.values()) if wanted & set(edge.keys) and edge.holds_at(at))

    async def _names(self, keys: Collection[str], where: GraphFilter, at: datetime | None) -> dict[str, str]:
        """Of every name that one of these is another name for (or that is one for it): the key that stands for them all."""
        meant = {key: key for key in keys}
        for edge in await self._standing(keys, where, at):
            if edge.relation == ALIAS and edge.object:
                one, other = edge.keys
                stands = meant.get(one) or meant.get(other) or one
                meant.update({one: stands, other: stands})
        return meant

    async def _with_aliases(
        self, edges: tuple[Edge, ...], known: dict[str, str], where: GraphFilter, at: datetime | None
    ) -> tuple[Edge, ...]:
        """The edges, and those of the entities' other names, which are as near."""
        other: dict[str, str] = {}
        for edge in edges:
            if edge.relation == ALIAS:
                here = next((key for key in edge.keys if key in known), "")
                other.update({key: known[here] for key in edge.keys if here and key not in known})
        if not other:
            return edges
        more = await self._standing(list(other), where, at)
        known.update(other)
        return tuple({edge.id: edge for edge in (*edges, *more)}.values())


def come_to(statements: Iterable[Edge]) -> tuple[Edge, ...]:
    """:func:`~harness.state.graph.standing` of each scope by itself: what one user says ends nothing that another said."""
    groups: dict[Scope, list[Edge]] = {}
    for edge in statements:
        groups.setdefault(edge.scope, []).append(edge)
    return tuple(edge for group in groups.values() for edge in standing(group))


def named(scope: Scope) -> dict[str, str]:
    """The fields of a scope that set a limit."""
    return {name: value for name, value in scope if value}


def matches(edge: Edge, where: GraphFilter) -> bool:
    """Whether a query with this filter may find a statement."""
    seen = _belongs(edge, where) if where.everything else edge.scope.admits(where.scope)
    return seen and (where.hidden or not edge.hidden) and (not where.session or edge.session == where.session)


def doomed(edge: Edge, where: GraphFilter) -> bool:
    """Whether forgetting by this filter removes a statement."""
    if not named(where.scope) and not where.everything and not where.session and named(edge.scope):
        return False
    return _belongs(edge, where) and (not where.session or edge.session == where.session)


def scope_limits(scope: Scope) -> Mapping[str, list[str]]:
    """For every field of a scope the values that a statement may have there to be seen."""
    return {name: ["", value] if value else [""] for name, value in scope}


def _belongs(edge: Edge, where: GraphFilter) -> bool:
    return all(getattr(edge.scope, name) == value for name, value in named(where.scope).items())
