"""Every graph backend that can be configured passes the whole suite, those of servers on a real one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.adapters.graphs import GRAPH_BACKENDS, GraphOptions
from harness.adapters.graphs.sqlite import SQLiteGraph
from harness.testing.conformance.graphs import GRAPH_CHECKS, GraphCheck, graph_storage_of, run_graph_check

if TYPE_CHECKING:
    from pathlib import Path

    from harness.ports.graphs import Graph
    from tests._graph_server import GraphServer


@pytest.mark.parametrize("check", GRAPH_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", GRAPH_BACKENDS)
async def test_backend_conforms(name: str, check: GraphCheck, request: pytest.FixtureRequest) -> None:
    backend = GRAPH_BACKENDS[name]
    url = ""
    if backend.server:
        server: GraphServer = request.getfixturevalue(f"{backend.server}_server")
        url = server.url

    def make(folder: Path) -> Graph:
        path = folder / "deep" / f"graph.{backend.suffix}"
        return backend.open(GraphOptions(path=path, url=url, database=f"{name}{folder.name}".replace("-", "")))

    await run_graph_check(check, graph_storage_of(make, durable=backend.durable))


@pytest.mark.parametrize("check", GRAPH_CHECKS, ids=lambda check: check.__name__)
async def test_sqlite_in_memory_conforms(check: GraphCheck) -> None:
    await run_graph_check(check, graph_storage_of(lambda _: SQLiteGraph(":memory:"), durable=False))


def test_checks_have_names_and_descriptions() -> None:
    names = [check.__name__ for check in GRAPH_CHECKS]
    assert len(set(names)) == len(names) >= 15
    assert all(check.__doc__ for check in GRAPH_CHECKS)
