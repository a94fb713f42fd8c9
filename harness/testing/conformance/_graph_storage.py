"""What a check of a graph works on, and the edges it works with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from harness.ports.graphs import Graph, GraphFilter
from harness.state.graph import Edge
from harness.state.memory import Scope
from harness.testing.conformance._suite import StorageOn, fresh

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
ANN = Scope(persona="mia", user="ann")
BOB = Scope(persona="mia", user="bob")
OF_ANN = GraphFilter(scope=ANN)
ANYTHING = GraphFilter(everything=True, hidden=True)


class GraphStorage(StorageOn[Graph]):
    """Fresh, empty storage and a graph on it; see :class:`StorageOn`."""

    @property
    def graph(self) -> Graph:
        """The graph under test; checks may close it."""
        return self.store


GraphStorageFactory = Callable[[], AbstractAsyncContextManager[GraphStorage]]
GraphCheck = Callable[[GraphStorage], Awaitable[None]]


def graph_storage_of(make: Callable[[Path], Graph], *, durable: bool) -> GraphStorageFactory:
    """A factory that gives every check fresh storage.

    Args:
        make: builds a graph; gets a new, empty folder for each check, which is removed afterwards. For a durable graph,
            calling it again with the same folder opens the same data.
        durable: whether that is so.
    """
    return fresh(GraphStorage, make, durable=durable)


def later(days: int) -> datetime:
    """Noon, days after the first one."""
    return NOON + timedelta(days=days)


def edge(name: str, subject: str, relation: str, other: str = "", **fields: Any) -> Edge:
    """A statement of the session ``s1`` and the turn ``t1``, said at noon to Mia by Ann, unless fields say otherwise."""
    given: dict[str, Any] = {
        "scope": ANN,
        "session": "s1",
        "turn_id": "t1",
        "at": NOON,
        "valid_from": fields.get("at", NOON),
        "speaker": "user",
        **fields,
    }
    return Edge(id=name, subject=subject, relation=relation, object=other, **given)


async def seen(graph: Graph, name: str, where: GraphFilter = OF_ANN, **how: Any) -> list[tuple[str, str, str]]:
    """(subject, relation, object or value) of what is near an entity, sorted."""
    found = await graph.neighbours([name], where, **how)
    return sorted((one.edge.subject, one.edge.relation, one.edge.object or one.edge.value) for one in found)
