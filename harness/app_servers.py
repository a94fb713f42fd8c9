"""Servers that stores may be on: their addresses from the settings, and whether they are well. Part of the composition root, so
it may import adapters.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from harness.addresses import expanded, kind_of
from harness.doctor import Check
from harness.errors import HarnessError, SettingsError

if TYPE_CHECKING:
    from harness.settings import Settings

KINDS: Mapping[str, str] = {"redis": "redis"}
"""Backend -> kind of server, as :func:`harness.addresses.kind_of` names it."""
_ELSEWHERE: Mapping[str, tuple[str, ...]] = {
    "storage": ("storage",),
    "memory": ("memory", "storage"),
    "short_term": ("short_term", "storage", "memory"),
}
"""Where the address of a section is looked for."""
_CALLED = {"storage": "session store", "memory": "memory store", "short_term": "short-term messages"}


def server_url(settings: Settings, section: str, backend: str, environ: Mapping[str, str] | None = None) -> str:
    """The address for a section's backend, variables filled in; empty for a backend without a server.

    Raises:
        SettingsError: none is set, or it names a variable that is not.
    """
    kind = KINDS.get(backend)
    if kind is None:
        return ""
    for name in _ELSEWHERE[section]:
        url: str = getattr(settings, name).url
        # An own address is taken as it is, so that a wrong one is named instead of passed over.
        if url and (name == section or kind_of(url) == kind):
            return expanded(url, os.environ if environ is None else environ, setting=f"{name}.url")
    raise SettingsError(
        f"{section}.backend is {backend!r}, and {section}.url is empty.",
        remedy=f"Set {section}.url, for instance to {_EXAMPLES[kind]}.",
    )


_EXAMPLES = {"redis": "redis://localhost:6379/0"}


async def check_servers(settings: Settings, *, on_check: Callable[[Check], None] = lambda _: None) -> list[Check]:
    """Examine each server that the settings name, once for each of its uses."""
    memory = settings.memory.backend
    backends = {
        "storage": settings.storage.backend,
        "memory": settings.storage.backend if memory == "auto" else memory,
        "short_term": settings.short_term.backend,
    }
    checks = []
    for section, backend in backends.items():
        if backend not in KINDS:
            continue
        started = time.monotonic()
        try:
            detail, remedy = await _examined(settings, section, backend)
            check = Check(_CALLED[section], ok=True, detail=detail, remedy=remedy, seconds=time.monotonic() - started)
        except HarnessError as error:
            seconds = time.monotonic() - started
            check = Check(_CALLED[section], False, error.message, error.remedy, seconds, type(error).__name__)  # noqa: FBT003  see the class
        checks.append(check)
        on_check(check)
    return checks


async def _examined(settings: Settings, section: str, backend: str) -> tuple[str, str]:
    """What was found, and what to do about it (a warning). Raises a HarnessError."""
    from harness.adapters.redis.health import examined
    from harness.adapters.redis.options import RedisOptions

    chosen = settings.memory if section == "memory" else settings.storage
    url = server_url(settings, section, backend)
    options = RedisOptions(url, chosen.timeout_s, chosen.pool_size, settings.storage.key_prefix)
    return await examined(options, lasting=section != "short_term")
