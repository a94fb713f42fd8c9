"""The suite that every :class:`~harness.ports.graphs.Graph` must pass.

With pytest, one test per check::

    import pytest
    from harness.testing.conformance.graphs import GRAPH_CHECKS, GraphCheck, graph_storage_of, run_graph_check

    @pytest.mark.parametrize("check", GRAPH_CHECKS, ids=lambda check: check.__name__)
    async def test_my_graph(check: GraphCheck) -> None:
        await run_graph_check(check, graph_storage_of(lambda folder: MyGraph(folder / "graph"), durable=True))

A check is an ``async`` function of a :class:`GraphStorage`; each one gets fresh, empty storage.
"""

from __future__ import annotations

from collections.abc import Sequence

from harness.testing.conformance._graph_checks import CHECKS
from harness.testing.conformance._graph_storage import (
    GraphCheck,
    GraphStorage,
    GraphStorageFactory,
    graph_storage_of,
)
from harness.testing.conformance._suite import CHECK_TIMEOUT_S, CheckError, ConformanceError, run, run_all

GRAPH_CHECKS: tuple[GraphCheck, ...] = CHECKS
"""All checks; each fails by raising."""


async def run_graph_check(check: GraphCheck, factory: GraphStorageFactory) -> None:
    """Run one check on fresh storage. Raises what the check raises, TimeoutError after ``CHECK_TIMEOUT_S``."""
    await run(check, factory)


async def check_graph(factory: GraphStorageFactory, *, checks: Sequence[GraphCheck] = GRAPH_CHECKS) -> None:
    """Run every check, each on fresh storage from ``factory``.

    Raises:
        ConformanceError: one or more checks failed; all were run.
    """
    await run_all(checks, factory)


__all__ = [
    "CHECK_TIMEOUT_S",
    "GRAPH_CHECKS",
    "CheckError",
    "ConformanceError",
    "GraphCheck",
    "GraphStorage",
    "GraphStorageFactory",
    "check_graph",
    "graph_storage_of",
    "run_graph_check",
]
