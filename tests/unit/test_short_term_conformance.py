"""Every short-term memory that can be configured passes the whole suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harness.adapters.short_term import SHORT_TERM_BACKENDS, ShortTermOptions
from harness.testing.conformance.short_term import (
    SHORT_TERM_CHECKS,
    ShortTermCheck,
    run_short_term_check,
    short_term_storage_of,
)

if TYPE_CHECKING:
    from pathlib import Path

    from harness.ports import ShortTerm
    from tests.conftest import Places


@pytest.mark.parametrize("check", SHORT_TERM_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", SHORT_TERM_BACKENDS)
async def test_backend_conforms(name: str, check: ShortTermCheck, server_place: Places, tmp_path: Path) -> None:
    backend = SHORT_TERM_BACKENDS[name]
    place = server_place(backend.server, tmp_path)

    def make(*, max_tokens: int = 100, ttl_seconds: int = 0) -> ShortTerm:
        path = tmp_path / "deep" / "recent.db"
        options = ShortTermOptions(max_tokens, ttl_seconds, path=path, **place)
        return backend.open(options)

    await run_short_term_check(check, short_term_storage_of(make, durable=backend.durable))


def test_checks_have_names_and_descriptions() -> None:
    names = [check.__name__ for check in SHORT_TERM_CHECKS]
    assert len(set(names)) == len(names) >= 15
    assert all(check.__doc__ for check in SHORT_TERM_CHECKS)
