"""A graph that ends with the process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from harness.adapters.graphs._edges import closed
from harness.adapters.graphs._walking import Walking, doomed, matches
from harness.ports.graphs import MOST_EDGES, GraphFilter, GraphStats
from harness.state.graph import Edge


class InProcessGraph(Walking):
    """A :class:`~harness.ports.graphs.Graph` in dictionaries."""

    def __init__(self) -> None:
        self._edges: dict[str, Edge] = {}
        self._of: dict[str, set[str]] = {}
        self._followed: dict[str, str] = {}
        self._closed = False

    async def follow(
        self,
        session: str,
        turn_id: str | None,
        *,
        put: Sequence[Edge] = (),
        hide: Collection[str] = (),
        show: Collection[str] = (),
    ) -> None:
        """Store, hide and show statements, and note the turn."""
        self._check()
        for edge in put:
            self._remove(edge.id)
            self._edges[edge.id] = edge
            for key in edge.keys:
                self._of.setdefault(key, set()).add(edge.id)
        for turns, hidden in ((set(hide), True), (set(show), False)):
            for edge in [edge for edge in self._edges.values() if edge.session == session and edge.turn_id in turns]:
                self._edges[edge.id] = edge.model_copy(update={"hidden": hidden})
        self._followed[session] = turn_id or ""

    async def followed(self, session: str) -> str | None:
        """The turn it stands at."""
        self._check()
        return self._followed.get(session)

    async def all_followed(self) -> tuple[str, ...]:
        """See :class:`~harness.ports.NamesFollowed`."""
        return tuple(self._followed)

    async def unfollow(self, sessions: Collection[str]) -> None:
        """Remove where the graph stands in sessions that were deleted."""
        self._check()
        for session in sessions:
            self._followed.pop(session, None)

    async def touching(self, keys: Collection[str], where: GraphFilter, *, limit: int = MOST_EDGES) -> tuple[Edge, ...]:
        """Statements about entities."""
        self._check()
        ids = sorted({name for key in keys for name in self._of.get(key, ())})
        return tuple(self._edges[name] for name in ids if matches(self._edges[name], where))[: max(limit, 0)]

    async def _of_slots(self, slots: Collection[tuple[str, str]], where: GraphFilter) -> tuple[Edge, ...]:
        wanted = set(slots)
        some = await self.touching({key for key, _ in wanted}, where, limit=len(self._edges))
        return tuple(edge for edge in some if (edge.subject_key, edge.relation) in wanted)

    async def browse(self, where: GraphFilter, *, after: str = "", limit: int = 100) -> tuple[Edge, ...]:
        """Statements in order of their ids."""
        self._check()
        found = (self._edges[name] for name in sorted(self._edges) if name > after)
        return tuple([edge for edge in found if matches(edge, where)][: max(limit, 0)])

    async def delete(self, ids: Collection[str]) -> int:
        """Remove statements."""
        self._check()
        return sum(self._remove(name) for name in set(ids))

    async def forget(self, where: GraphFilter) -> int:
        """Remove what the filter holds for."""
        self._check()
        return await self.delete([edge.id for edge in self._edges.values() if doomed(edge, where)])

    async def stats(self) -> GraphStats:
        """What it holds."""
        self._check()
        edges = self._edges.values()
        return GraphStats(
            entities=len(self._of),
            edges=len(edges),
            hidden=sum(edge.hidden for edge in edges),
            by_relation=dict(Counter(edge.relation for edge in edges)),
        )

    async def close(self) -> None:
        """Let go of everything."""
        self._closed = True
        self._edges, self._of, self._followed = {}, {}, {}

    def _remove(self, name: str) -> int:
        edge = self._edges.pop(name, None)
        for key in edge.keys if edge is not None else ():
            self._of[key].discard(name)
            if not self._of[key]:
                del self._of[key]
        return int(edge is not None)

    def _check(self) -> None:
        if self._closed:
            raise closed()
