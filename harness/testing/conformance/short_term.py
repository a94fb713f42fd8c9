"""The suite that every :class:`~harness.ports.short_term.ShortTerm` must pass.

With pytest, one test per check::

    import pytest
    from functools import partial
    from harness.testing.conformance.short_term import (
        SHORT_TERM_CHECKS, ShortTermCheck, run_short_term_check, short_term_storage_of,
    )

    @pytest.mark.parametrize("check", SHORT_TERM_CHECKS, ids=lambda check: check.__name__)
    async def test_mine(check: ShortTermCheck, tmp_path) -> None:
        make = partial(MyShortTerm, tmp_path / "recent")
        await run_short_term_check(check, short_term_storage_of(make, durable=True))

``make`` is called with ``max_tokens`` and ``ttl_seconds``; each call opens the same data, which must be empty when a check
begins.
"""

from __future__ import annotations

from harness.testing.conformance._short_term_checks import (
    CHECKS as SHORT_TERM_CHECKS,
    Open,
    ShortTermCheck,
    ShortTermFactory,
    ShortTermStorage,
    short_term_storage_of,
)
from harness.testing.conformance._suite import run


async def run_short_term_check(check: ShortTermCheck, factory: ShortTermFactory) -> None:
    """Run one check. Raises what the check raises, TimeoutError after ``CHECK_TIMEOUT_S``."""
    await run(check, factory)


__all__ = [
    "SHORT_TERM_CHECKS",
    "Open",
    "ShortTermCheck",
    "ShortTermFactory",
    "ShortTermStorage",
    "run_short_term_check",
    "short_term_storage_of",
]
