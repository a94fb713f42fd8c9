"""The suite that every :class:`~harness.ports.SessionStore` must pass.

With pytest, one test per check::

    import pytest
    from harness.testing.conformance.sessions import CHECKS, Check, run_check, storage_of

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    async def test_my_store(check: Check) -> None:
        await run_check(check, storage_of(lambda folder: MyStore(folder / "sessions"), durable=True))

Without pytest, all at once::

    await check_session_store(storage_of(lambda _: MyMemoryStore(), durable=False))

A check is an ``async`` function of a :class:`Storage`; each one gets fresh, empty storage. A store whose data end with
it passes the checks about reopening by having nothing to reopen, and plays both parts in those about two stores.
"""

from __future__ import annotations

from collections.abc import Sequence

from harness.testing.conformance import _session_journal, _session_life, _session_races, _session_tree
from harness.testing.conformance._storage import Check, Storage, StorageFactory, storage_of
from harness.testing.conformance._suite import CHECK_TIMEOUT_S, CheckError, ConformanceError, run, run_all

CHECKS: tuple[Check, ...] = (
    *_session_life.CHECKS,
    *_session_journal.CHECKS,
    *_session_tree.CHECKS,
    *_session_races.CHECKS,
)
"""All checks; each fails by raising."""


async def run_check(check: Check, factory: StorageFactory) -> None:
    """Run one check on fresh storage. Raises what the check raises, TimeoutError after ``CHECK_TIMEOUT_S``."""
    await run(check, factory)


async def check_session_store(factory: StorageFactory, *, checks: Sequence[Check] = CHECKS) -> None:
    """Run every check, each on fresh storage from ``factory``.

    Raises:
        ConformanceError: one or more checks failed; all were run.
    """
    await run_all(checks, factory)


__all__ = [
    "CHECKS",
    "CHECK_TIMEOUT_S",
    "Check",
    "CheckError",
    "ConformanceError",
    "Storage",
    "StorageFactory",
    "check_session_store",
    "run_check",
    "storage_of",
]
