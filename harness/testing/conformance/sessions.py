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

import asyncio
from collections.abc import Mapping, Sequence

from harness.testing.conformance import _session_journal, _session_life, _session_races, _session_tree
from harness.testing.conformance._storage import Check, CheckError, Storage, StorageFactory, storage_of

CHECKS: tuple[Check, ...] = (
    *_session_life.CHECKS,
    *_session_journal.CHECKS,
    *_session_tree.CHECKS,
    *_session_races.CHECKS,
)
"""All checks; each fails by raising."""

CHECK_TIMEOUT_S = 60.0


class ConformanceError(AssertionError):
    """A store failed checks of the suite. ``failures``: name of the check → what it raised."""

    def __init__(self, failures: Mapping[str, Exception]) -> None:
        lines = [f"  {name}: {type(error).__name__}: {error}" for name, error in failures.items()]
        super().__init__("\n".join([f"{len(failures)} checks failed:", *lines]))
        self.failures = dict(failures)


async def run_check(check: Check, factory: StorageFactory) -> None:
    """Run one check on fresh storage. Raises what the check raises, TimeoutError after ``CHECK_TIMEOUT_S``."""
    async with factory() as storage, asyncio.timeout(CHECK_TIMEOUT_S):
        await check(storage)


async def check_session_store(factory: StorageFactory, *, checks: Sequence[Check] = CHECKS) -> None:
    """Run every check, each on fresh storage from ``factory``.

    Raises:
        ConformanceError: one or more checks failed; all were run.
    """
    failures: dict[str, Exception] = {}
    for check in checks:
        try:
            await run_check(check, factory)
        except Exception as error:  # noqa: BLE001 - whatever a broken store raises is a finding
            failures[getattr(check, "__name__", repr(check))] = error
    if failures:
        raise ConformanceError(failures)


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
