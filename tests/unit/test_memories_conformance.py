"""Every memory backend that can be configured passes the whole suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.adapters.memories import MEMORY_BACKENDS, MemoryOptions
from harness.adapters.memories.sqlite import SQLiteMemoryStore
from harness.testing.conformance.memories import MEMORY_CHECKS, MemoryCheck, memory_storage_of, run_memory_check

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from harness.ports.memories import MemoryStore


@pytest.mark.parametrize("check", MEMORY_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", MEMORY_BACKENDS)
async def test_backend_conforms(name: str, check: MemoryCheck, server_url: Callable[[str], str]) -> None:
    backend = MEMORY_BACKENDS[name]
    url = server_url(backend.server)

    def make(folder: Path) -> MemoryStore:
        return backend.open(MemoryOptions(path=folder / "deep" / "memory.db", url=url, key_prefix=folder.name))

    await run_memory_check(check, memory_storage_of(make, durable=backend.durable))


@pytest.mark.parametrize("check", MEMORY_CHECKS, ids=lambda check: check.__name__)
async def test_sqlite_in_memory_conforms(check: MemoryCheck) -> None:
    await run_memory_check(check, memory_storage_of(lambda _: SQLiteMemoryStore(":memory:"), durable=False))


def test_checks_have_names_and_descriptions() -> None:
    names = [check.__name__ for check in MEMORY_CHECKS]
    assert len(set(names)) == len(names) >= 40
    assert all(check.__doc__ for check in MEMORY_CHECKS)
