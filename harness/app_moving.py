"""Stores that the command line names, opened: the parts of ``migrate``. Part of the composition root, so it may import adapters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.addresses import masked
from harness.app_graph import GraphParts
from harness.app_memory import MemoryParts
from harness.app_servers import graph_options, memory_options, server_of, store_options
from harness.errors import SettingsError
from harness.settings import Settings, home

if TYPE_CHECKING:
    from harness.language import LanguagePacks
    from harness.ports import Graph, MemoryStore, SessionStore

SCHEMES: Mapping[str, str] = {
    "postgres": "postgres",
    "postgresql": "postgres",
    "redis": "redis",
    "rediss": "redis",
    "unix": "redis",
    "sqlite": "sqlite",
}
"""How an address begins → backend, for those who paste an address alone."""

GRAPH_SCHEMES: Mapping[str, str] = {
    "bolt": "neo4j",
    "neo4j": "neo4j",
    "redis": "falkordb",
    "rediss": "falkordb",
    "falkor": "falkordb",
    "sqlite": "sqlite",
}
"""The same for the graph."""


@dataclass(frozen=True, slots=True)
class Place:
    """A store by name: ``sqlite``, ``sqlite:/data/memory.db``, ``postgres:postgresql://…``, or an address alone.

    Attributes:
        backend: as in the settings. ``where``: its path or address; empty for the one the settings name.
    """

    backend: str
    where: str = ""

    def __str__(self) -> str:
        """Without a password."""
        address = masked(self.where)
        return f"{self.backend}:{address}" if address else self.backend


def place(text: str, known: Mapping[str, Any], default: str, schemes: Mapping[str, str] = SCHEMES) -> Place:
    """Read how a store is called.

    Args:
        known: the table of backends. ``default``: the backend that the settings name, for an empty text or ``auto``. ``schemes``: how an address begins → backend.

    Raises:
        SettingsError: there is no such backend.
    """
    name, colon, where = text.strip().partition(":")
    if colon and where.startswith("//"):
        name, where = schemes.get(name.partition("+")[0].casefold(), name), text.strip()
        if name == "sqlite":
            where = where.partition("://")[2]
    elif colon and len(name) == 1 and name not in known:  # C:\data
        raise SettingsError(f"{text!r} names no backend.", remedy=f"Write sqlite:{text}, for instance.")
    name = default if name in ("", "auto") else name
    if name not in known:
        raise SettingsError(
            f"There is no backend {name!r}.", remedy=f"Known are: {', '.join(known)}. Write BACKEND or BACKEND:PATH."
        )
    return Place(name, where)


def memory_at(text: str, settings: Settings, languages: LanguagePacks, *, write: bool) -> tuple[Place, MemoryStore]:
    """A memory store by name, opened; whoever asked closes it.

    Args:
        write: it is to be written: a store that ends with the process is refused, and so is, when read, a file that is not there.

    Raises:
        SettingsError: no such backend, or it cannot be one end of a move.
    """
    from harness.adapters.memories import MEMORY_BACKENDS

    asked = MemoryParts(settings, languages, given=None, durable=True, endpoint=_no_endpoint)
    wanted = place(text, MEMORY_BACKENDS, asked.backend)
    named = _naming(settings, "memory", wanted)
    parts = MemoryParts(named, languages, given=None, durable=True, endpoint=_no_endpoint)
    _check(
        wanted,
        MEMORY_BACKENDS[wanted.backend].durable,
        "" if server_of("memory", wanted.backend) else parts.path,
        write=write,
    )
    return wanted, MEMORY_BACKENDS[wanted.backend].open(memory_options(named, wanted.backend, parts.path))


def sessions_at(text: str, settings: Settings, *, write: bool) -> tuple[Place, SessionStore]:
    """A session store by name, opened; as :func:`memory_at`."""
    from harness.adapters.stores import BACKENDS

    wanted = place(text, BACKENDS, settings.storage.backend)
    named = _naming(settings, "storage", wanted)
    path = named.path(named.storage.path) if named.storage.path else home() / "sessions.db"
    _check(wanted, BACKENDS[wanted.backend].durable, "" if server_of("storage", wanted.backend) else path, write=write)
    return wanted, BACKENDS[wanted.backend].open(store_options(named, path))


def graph_at(
    text: str, settings: Settings, languages: LanguagePacks, *, write: bool, environ: Mapping[str, str] | None = None
) -> tuple[Place, Graph]:
    """A graph by name, opened; as :func:`memory_at`. What stands behind ``#`` in an address is the database of Neo4j, or the name
    of the graph on a FalkorDB server.
    """
    from harness.adapters.graphs import GRAPH_BACKENDS

    memory = MemoryParts(settings, languages, given=None, durable=True, endpoint=_no_endpoint)
    asked = GraphParts(settings, languages, memory, environ=environ).backend
    wanted = place(text, GRAPH_BACKENDS, asked, GRAPH_SCHEMES)
    backend = GRAPH_BACKENDS[wanted.backend]
    address, hash_sign, database = wanted.where.partition("#") if backend.server else (wanted.where, "", "")
    named = _naming(settings, "graph", Place(wanted.backend, address))
    if hash_sign:
        named = named.model_copy(update={"graph": named.graph.model_copy(update={"database": database})})
    path = GraphParts(named, languages, memory, environ=environ).path(backend.suffix)
    _check(wanted, backend.durable, "" if backend.server else path, write=write)
    return wanted, backend.open(graph_options(named, wanted.backend, path, environ))


def _naming(settings: Settings, section: str, wanted: Place) -> Settings:
    """The settings as if they named the place."""
    named: dict[str, str] = {"backend": wanted.backend}
    if wanted.where and server_of(section, wanted.backend):
        named["url"] = wanted.where
    elif wanted.where:
        if "://" in wanted.where:
            raise SettingsError(f"The backend {wanted.backend!r} is a file, and {wanted} is an address.")
        named["path"] = wanted.where
    return settings.model_copy(update={section: getattr(settings, section).model_copy(update=named)})


def _check(wanted: Place, durable: bool, path: Path | str, *, write: bool) -> None:
    """``path``: the file; empty for what is on a server."""
    if not durable:
        raise SettingsError(f"The backend {wanted.backend!r} ends with the process; nothing can be moved.")
    if path and not write and not Path(path).exists():
        raise SettingsError(
            f"There is no file {str(path)!r} to move from.", remedy=f"Name it: --from {wanted.backend}:PATH."
        )


def _no_endpoint() -> Any:
    raise SettingsError("Moving memory makes no vectors.")
