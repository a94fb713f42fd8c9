"""Stores on this machine: whether what the settings name can be opened. Part of the composition root, so it may import adapters."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness import settings as settings_module
from harness.app_graph import GraphParts
from harness.app_memory import OFF, MemoryParts
from harness.app_servers import graph_options, memory_options, store_options
from harness.doctor import Check
from harness.errors import HarnessError
from harness.language import load_packs

if TYPE_CHECKING:
    from harness.settings import Settings

UNMADE = ":memory:"
"""Opened in place of a file that is not there yet: to look is not to make it."""


async def check_files(settings: Settings, *, on_check: Callable[[Check], None] = lambda _: None) -> list[Check]:
    """Open the sessions, the memory and the graph that the settings keep on this machine, and the embedder. Nothing is made and
    nothing is written; what is kept on a server :func:`~harness.app_servers.check_servers` examines.
    """
    looks: Mapping[str, Callable[[], Awaitable[str]]] = {
        "session store": lambda: _sessions(settings),
        "memory store": lambda: _memory(settings),
        "graph": lambda: _graph(settings),
        "embedder": lambda: _embedder(settings),
    }
    checks = []
    for name, look in looks.items():
        started = time.monotonic()
        try:
            detail = await look()
            if not detail:
                continue
            check = Check(name, ok=True, detail=detail, seconds=time.monotonic() - started)
        except HarnessError as error:
            seconds = time.monotonic() - started
            check = Check(name, False, error.message, error.remedy, seconds, type(error).__name__)  # noqa: FBT003  see the class
        checks.append(check)
        on_check(check)
    return checks


def _parts(settings: Settings) -> MemoryParts:
    return MemoryParts(settings, load_packs(), given=None, durable=True, endpoint=_never)


def _never() -> Any:
    raise AssertionError("nothing is asked of the endpoint")


async def _sessions(settings: Settings) -> str:
    """What was found; empty where there is nothing to look at. Raises a HarnessError."""
    from harness.adapters.stores import BACKENDS

    backend = BACKENDS[settings.storage.backend]
    if backend.server or not backend.durable:
        return ""
    place = settings.storage.path
    path = settings.path(place) if place else settings_module.home() / "sessions.db"
    store = backend.open(replace(store_options(settings, path), path=_there(path)))
    try:
        return _told(settings.storage.backend, path, f"sessions: {len(await store.sessions())}")
    finally:
        await store.close()


async def _memory(settings: Settings) -> str:
    from harness.adapters.memories import MEMORY_BACKENDS

    parts = _parts(settings)
    if parts.backend == OFF or MEMORY_BACKENDS[parts.backend].server or not MEMORY_BACKENDS[parts.backend].durable:
        return ""
    options = memory_options(settings, parts.backend, parts.path)
    store = MEMORY_BACKENDS[parts.backend].open(replace(options, path=_there(parts.path)))
    try:
        stats = await store.stats()
    finally:
        await store.close()
    return _told(parts.backend, parts.path, f"items: {stats.items}, vectors: {stats.vectors}")


async def _graph(settings: Settings) -> str:
    from harness.adapters.graphs import GRAPH_BACKENDS

    memory = _parts(settings)
    parts = GraphParts(settings, load_packs(), memory)
    if OFF in (parts.backend, memory.backend):
        return ""
    backend = GRAPH_BACKENDS[parts.backend]
    if backend.server or not backend.durable:
        return ""
    path = parts.path(backend.suffix)
    graph = backend.open(graph_options(settings, parts.backend, _there(path)))
    try:
        held = await graph.stats()
    finally:
        await graph.close()
    return _told(parts.backend, path, f"entities: {held.entities}, relations: {held.edges}")


async def _embedder(settings: Settings) -> str:
    if settings.memory.backend == OFF:
        return ""
    embedder = _parts(settings).embedder()
    if embedder is None:
        return ""
    try:
        return f"{settings.memory.embedder} is there"
    finally:
        await embedder.close()


def _there(path: Path) -> Path | str:
    return path if path.exists() else UNMADE


def _told(backend: str, path: Path, held: str) -> str:
    return f"{backend} in {path}, {held}" if path.exists() else f"{backend}; {path} is made when it is needed"
