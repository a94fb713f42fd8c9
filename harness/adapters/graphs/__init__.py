"""Where the graph is kept. ``GRAPH_BACKENDS`` is the table that the app builds from and the conformance suite runs over."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from harness.adapters.backends import AnyBackend, Synchronous, table

if TYPE_CHECKING:
    from harness.ports.graphs import Graph


@dataclass(frozen=True, slots=True)
class GraphOptions:
    """What a backend may need to know; each takes what concerns it.

    Attributes:
        path: the file of an embedded graph.
        url: of a server, as it is given to its driver. ``user``, ``password``: for Neo4j.
        database: of Neo4j, or the key of the graph on a FalkorDB server; empty: the usual one.
        timeout_s: for a connection, and for an answer.
        synchronous, busy_timeout_s: see :class:`~harness.adapters.graphs.sqlite.SQLiteGraph`.
    """

    path: Path | str = ":memory:"
    url: str = field(default="", repr=False)
    user: str = ""
    password: str = field(default="", repr=False)
    database: str = ""
    timeout_s: float = 5.0
    synchronous: Synchronous = "NORMAL"
    busy_timeout_s: float = 5.0


@dataclass(frozen=True, slots=True)
class GraphBackend(AnyBackend[GraphOptions, "Graph"]):
    """A way to keep the graph."""


def _memory(options: GraphOptions) -> Graph:  # noqa: ARG001 - the signature all backends share
    from harness.adapters.graphs.ram import InProcessGraph

    return InProcessGraph()


def _sqlite(options: GraphOptions) -> Graph:
    from harness.adapters.graphs.sqlite import SQLiteGraph

    return SQLiteGraph(options.path, synchronous=options.synchronous, busy_timeout_s=options.busy_timeout_s)


def _ladybug(options: GraphOptions) -> Graph:
    from harness.adapters.graphs.ladybug import LadybugGraph

    return LadybugGraph(options.path, timeout_s=options.timeout_s)


def _neo4j(options: GraphOptions) -> Graph:
    from harness.adapters.graphs.neo4j import Neo4jGraph

    return Neo4jGraph(
        options.url,
        user=options.user,
        password=options.password,
        database=options.database,
        timeout_s=options.timeout_s,
    )


def _falkordb(options: GraphOptions) -> Graph:
    from harness.adapters.graphs.falkordb import GRAPH, FalkorGraph

    return FalkorGraph(options.url, name=options.database or GRAPH, timeout_s=options.timeout_s)


GRAPH_BACKENDS = table(
    memory=GraphBackend(_memory, durable=False),
    sqlite=GraphBackend(_sqlite, durable=True),
    ladybug=GraphBackend(_ladybug, durable=True, suffix="lbug"),
    neo4j=GraphBackend(_neo4j, durable=True, server="bolt"),
    falkordb=GraphBackend(_falkordb, durable=True, server="falkordb"),
)
"""Name in the settings → backend."""

__all__ = ["GRAPH_BACKENDS", "GraphBackend", "GraphOptions"]
