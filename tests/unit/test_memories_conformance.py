"""Every memory backend that can be configured passes the whole suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.adapters.memories import MEMORY_BACKENDS, MemoryOptions
from harness.adapters.memories._postgres_index import Hnsw
from harness.adapters.memories.postgres import PostgresMemoryStore
from harness.adapters.memories.sqlite import SQLiteMemoryStore
from harness.testing.conformance.memories import MEMORY_CHECKS, MemoryCheck, memory_storage_of, run_memory_check

if TYPE_CHECKING:
    from pathlib import Path

    from harness.ports.memories import MemoryStore
    from harness.testing.postgres import PostgresForTests
    from tests.conftest import Places


@pytest.mark.parametrize("check", MEMORY_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", MEMORY_BACKENDS)
async def test_backend_conforms(name: str, check: MemoryCheck, server_place: Places) -> None:
    backend = MEMORY_BACKENDS[name]

    def make(folder: Path) -> MemoryStore:
        place = server_place(backend.server, folder)
        return backend.open(MemoryOptions(path=folder / "deep" / "memory.db", **place))

    await run_memory_check(check, memory_storage_of(make, durable=backend.durable))


@pytest.mark.parametrize("check", MEMORY_CHECKS, ids=lambda check: check.__name__)
async def test_sqlite_in_memory_conforms(check: MemoryCheck) -> None:
    await run_memory_check(check, memory_storage_of(lambda _: SQLiteMemoryStore(":memory:"), durable=False))


@pytest.mark.parametrize("check", MEMORY_CHECKS, ids=lambda check: check.__name__)
async def test_postgres_without_pgvector_conforms(check: MemoryCheck, postgres_server: PostgresForTests) -> None:
    def make(folder: Path) -> MemoryStore:
        # Only this schema is searched, and the extension is in another.
        place = postgres_server.place(f"plain_{folder.name}".replace("-", "_")).removesuffix(",public")
        return PostgresMemoryStore(place)

    await run_memory_check(check, memory_storage_of(make, durable=True))


@pytest.mark.parametrize("check", MEMORY_CHECKS, ids=lambda check: check.__name__)
async def test_postgres_with_an_approximate_index_conforms(
    check: MemoryCheck, postgres_server: PostgresForTests
) -> None:
    def make(folder: Path) -> MemoryStore:
        # By the index, however few there are.
        place = postgres_server.place(f"index_{folder.name}".replace("-", "_"))
        return PostgresMemoryStore(place, hnsw=Hnsw(candidate_cost=0))

    await run_memory_check(check, memory_storage_of(make, durable=True))


def test_checks_have_names_and_descriptions() -> None:
    names = [check.__name__ for check in MEMORY_CHECKS]
    assert len(set(names)) == len(names) >= 40
    assert all(check.__doc__ for check in MEMORY_CHECKS)
