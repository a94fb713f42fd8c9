"""Servers that stores may be on: their addresses from the settings, and whether they are well. Part of the composition root, so
it may import adapters.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.addresses import expanded, kind_of, masked
from harness.doctor import Check
from harness.errors import HarnessError, SettingsError

if TYPE_CHECKING:
    from harness.adapters.backends import AnyBackend
    from harness.adapters.graphs import GraphOptions
    from harness.adapters.memories import MemoryOptions
    from harness.adapters.stores import StoreOptions
    from harness.settings import Settings

_ELSEWHERE: Mapping[str, tuple[str, ...]] = {
    "storage": ("storage",),
    "memory": ("memory", "storage"),
    "short_term": ("short_term", "storage", "memory"),
}
"""Where the address of a section is looked for."""
_CALLED = {"storage": "session store", "memory": "memory store", "short_term": "short-term messages", "graph": "graph"}
_EXAMPLES = {
    "postgres": "postgresql://USER:${PASSWORD}@HOST:5432/DATABASE",
    "redis": "redis://localhost:6379/0",
    "neo4j": "bolt://localhost:7687",
    "falkordb": "redis://localhost:6379",
}


def store_options(settings: Settings, path: Path) -> StoreOptions:
    """What the backend of sessions is opened with. Raises SettingsError for a server without a usable address."""
    from harness.adapters.stores import StoreOptions

    storage = settings.storage
    return StoreOptions(
        path,
        storage.synchronous,
        storage.busy_timeout_s,
        url=server_url(settings, "storage", storage.backend),
        timeout_s=storage.timeout_s,
        pool_size=storage.pool_size,
        key_prefix=storage.key_prefix,
    )


def memory_options(settings: Settings, backend: str, path: Path) -> MemoryOptions:
    """What the backend of memory items is opened with. Raises SettingsError for a server without a usable address."""
    from harness.adapters.memories import MemoryOptions

    storage, memory = settings.storage, settings.memory
    return MemoryOptions(
        path,
        storage.synchronous,
        storage.busy_timeout_s,
        url=server_url(settings, "memory", backend),
        timeout_s=memory.timeout_s,
        pool_size=memory.pool_size,
        key_prefix=storage.key_prefix,
        vector_index=memory.vector_index,
        ef_search=memory.ef_search,
    )


def server_of(section: str, backend: str) -> str:
    """The kind of server that a section's backend needs, as :func:`harness.addresses.kind_of` names it; empty for none."""
    from harness.adapters.graphs import GRAPH_BACKENDS
    from harness.adapters.memories import MEMORY_BACKENDS
    from harness.adapters.short_term import SHORT_TERM_BACKENDS
    from harness.adapters.stores import BACKENDS

    tables: Mapping[str, Mapping[str, AnyBackend[Any, Any]]] = {
        "storage": BACKENDS,
        "memory": MEMORY_BACKENDS,
        "short_term": SHORT_TERM_BACKENDS,
        "graph": GRAPH_BACKENDS,
    }
    known = tables[section].get(backend)  # "off" is in none of them
    return known.server if known is not None else ""


def server_url(settings: Settings, section: str, backend: str, environ: Mapping[str, str] | None = None) -> str:
    """The address for a section's backend, variables filled in; empty for a backend without a server. A section without an
    address takes another's that is of the same kind.

    Raises:
        SettingsError: none is set, it is of another kind, or it names a variable that is not set.
    """
    kind = server_of(section, backend)
    if not kind:
        return ""
    remedy = f"Set {section}.url, for instance to {_EXAMPLES[kind]}."
    for name in _ELSEWHERE[section]:
        url: str = getattr(settings, name).url.strip()
        # Its own is taken as it is, so that a wrong one is named instead of passed over. The kind of another may be in a variable.
        if not url or (name != section and kind_of(url) not in {kind, ""}):
            continue
        found = expanded(url, os.environ if environ is None else environ, setting=f"{name}.url")
        if kind_of(found) == kind:
            return found
        if name == section:
            raise SettingsError(
                f"Expected {name}.url to be the address of a server for the backend {backend!r}, got {masked(found)!r}.",
                remedy=remedy,
            )
    raise SettingsError(f"{section}.backend is {backend!r}, and {section}.url is empty.", remedy=remedy)


def graph_options(
    settings: Settings, backend: str, path: Path | str = "", environ: Mapping[str, str] | None = None
) -> GraphOptions:
    """What a backend of the graph needs to know, the user and password taken from the environment.

    Raises:
        SettingsError: a server has no address.
    """
    from harness.adapters.graphs import GRAPH_BACKENDS, GraphOptions

    graph, storage = settings.graph, settings.storage
    environ = os.environ if environ is None else environ
    server = bool(GRAPH_BACKENDS[backend].server)
    if server and not graph.url.strip():
        raise SettingsError(
            f"graph.backend is {backend!r}, and graph.url is empty.",
            remedy=f"Set graph.url, for instance to {_EXAMPLES[backend]}.",
        )
    return GraphOptions(
        path=path,
        url=expanded(graph.url.strip(), environ, setting="graph.url") if server else "",
        user=environ.get(graph.user_env, ""),
        password=environ.get(graph.password_env, ""),
        database=graph.database,
        timeout_s=graph.timeout_s,
        synchronous=storage.synchronous,
        busy_timeout_s=storage.busy_timeout_s,
    )


async def check_servers(settings: Settings, *, on_check: Callable[[Check], None] = lambda _: None) -> list[Check]:
    """Examine each server that the settings name, once for each of its uses, as ``harness`` would use it: the tables of
    PostgreSQL are made when they are missing.
    """
    memory = settings.memory.backend
    backends = {
        "storage": settings.storage.backend,
        "memory": settings.storage.backend if memory == "auto" else memory,
        "short_term": settings.short_term.backend,
        "graph": settings.graph.backend,
    }
    checks = []
    for section, backend in backends.items():
        kind = server_of(section, backend)
        if not kind:
            continue
        started = time.monotonic()
        try:
            detail, remedy = await _EXAMINE[kind](settings, section, backend)
            check = Check(_CALLED[section], ok=True, detail=detail, remedy=remedy, seconds=time.monotonic() - started)
        except HarnessError as error:
            seconds = time.monotonic() - started
            check = Check(_CALLED[section], False, error.message, error.remedy, seconds, type(error).__name__)  # noqa: FBT003  see the class
        checks.append(check)
        on_check(check)
    return checks


async def _redis(settings: Settings, section: str, backend: str) -> tuple[str, str]:
    """What was found, and what to do about it (a warning). Raises a HarnessError."""
    from harness.adapters.redis.health import examined
    from harness.adapters.redis.options import RedisOptions

    chosen = settings.memory if section == "memory" else settings.storage
    url = server_url(settings, section, backend)
    options = RedisOptions(url, chosen.timeout_s, chosen.pool_size, settings.storage.key_prefix)
    return await examined(options, lasting=section != "short_term")


async def _graph(settings: Settings, section: str, backend: str) -> tuple[str, str]:  # noqa: ARG001  as the others are called
    """What the graph's server holds; ``section`` is ``graph``. Raises a HarnessError."""
    from harness.adapters.graphs import GRAPH_BACKENDS

    options = graph_options(settings, backend)
    graph = GRAPH_BACKENDS[backend].open(options)
    try:
        held = await graph.stats()
    finally:
        await graph.close()
    return f"{backend} at {masked(options.url)}, {held.entities} entities and {held.edges} relations", ""


async def _postgres(settings: Settings, section: str, backend: str) -> tuple[str, str]:
    """What was found, and what to do about it (a warning). Raises a HarnessError."""
    from harness.adapters.memories import MEMORY_BACKENDS
    from harness.adapters.stores import BACKENDS

    shown = masked(server_url(settings, section, backend))
    if section == "storage":
        sessions = BACKENDS[backend].open(store_options(settings, Path()))
        try:
            return f"{shown} answers; sessions: {len(await sessions.sessions())}", ""
        finally:
            await sessions.close()
    memories = MEMORY_BACKENDS[backend].open(memory_options(settings, backend, Path()))
    try:
        stats = await memories.stats()
    finally:
        await memories.close()
    return (
        f"{shown} answers; items: {stats.items}, vectors: {stats.vectors}, search: {stats.vector_search}",
        stats.notice,
    )


_EXAMINE = {"redis": _redis, "postgres": _postgres, "bolt": _graph, "falkordb": _graph}
"""Kind of server -> how it is examined."""
