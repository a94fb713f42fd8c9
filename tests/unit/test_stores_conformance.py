"""Every backend that can be configured passes the whole suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.adapters.stores import BACKENDS, StoreOptions
from harness.adapters.stores.sqlite import SQLiteSessionStore
from harness.testing.conformance.sessions import CHECKS, Check, run_check, storage_of

if TYPE_CHECKING:
    from pathlib import Path

    from harness.ports import SessionStore
    from tests.conftest import Places


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", BACKENDS)
async def test_backend_conforms(name: str, check: Check, server_place: Places) -> None:
    backend = BACKENDS[name]

    def make(folder: Path) -> SessionStore:
        place = server_place(backend.server, folder)
        return backend.open(StoreOptions(path=folder / "deep" / "sessions.db", **place))

    await run_check(check, storage_of(make, durable=backend.durable))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
async def test_sqlite_in_memory_conforms(check: Check) -> None:
    await run_check(check, storage_of(lambda _: SQLiteSessionStore(":memory:"), durable=False))


def test_checks_have_names_and_descriptions() -> None:
    names = [check.__name__ for check in CHECKS]
    assert len(set(names)) == len(names) >= 40
    assert all(check.__doc__ for check in CHECKS)
