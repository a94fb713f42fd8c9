"""The suite that every :class:`~harness.ports.memories.MemoryStore` must pass.

With pytest, one test per check::

    import pytest
    from harness.testing.conformance.memories import MEMORY_CHECKS, MemoryCheck, memory_storage_of, run_memory_check

    @pytest.mark.parametrize("check", MEMORY_CHECKS, ids=lambda check: check.__name__)
    async def test_my_store(check: MemoryCheck) -> None:
        await run_memory_check(check, memory_storage_of(lambda folder: MyStore(folder / "memory"), durable=True))

Without pytest, all at once::

    await check_memory_store(memory_storage_of(lambda _: MyMemoryStore(), durable=False))

A check is an ``async`` function of a :class:`MemoryStorage`; each one gets fresh, empty storage. A store whose data end with
it passes the checks about reopening by having nothing to reopen, and plays both parts in those about two stores.
"""

from __future__ import annotations

from collections.abc import Sequence

from harness.testing.conformance import _memory_branches, _memory_life, _memory_removal, _memory_scopes, _memory_search
from harness.testing.conformance._memory_storage import (
    MemoryCheck,
    MemoryStorage,
    MemoryStorageFactory,
    memory_storage_of,
)
from harness.testing.conformance._suite import CHECK_TIMEOUT_S, CheckError, ConformanceError, run, run_all

MEMORY_CHECKS: tuple[MemoryCheck, ...] = (
    *_memory_life.CHECKS,
    *_memory_removal.CHECKS,
    *_memory_scopes.CHECKS,
    *_memory_search.CHECKS,
    *_memory_branches.CHECKS,
)
"""All checks; each fails by raising."""


async def run_memory_check(check: MemoryCheck, factory: MemoryStorageFactory) -> None:
    """Run one check on fresh storage. Raises what the check raises, TimeoutError after ``CHECK_TIMEOUT_S``."""
    await run(check, factory)


async def check_memory_store(factory: MemoryStorageFactory, *, checks: Sequence[MemoryCheck] = MEMORY_CHECKS) -> None:
    """Run every check, each on fresh storage from ``factory``.

    Raises:
        ConformanceError: one or more checks failed; all were run.
    """
    await run_all(checks, factory)


__all__ = [
    "CHECK_TIMEOUT_S",
    "MEMORY_CHECKS",
    "CheckError",
    "ConformanceError",
    "MemoryCheck",
    "MemoryStorage",
    "MemoryStorageFactory",
    "check_memory_store",
    "memory_storage_of",
    "run_memory_check",
]
