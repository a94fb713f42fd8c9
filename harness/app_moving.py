"""Stores that the command line names, opened: the parts of ``migrate``. Part of the composition root, so it may import adapters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.app_memory import MemoryParts
from harness.errors import SettingsError
from harness.settings import Settings, home

if TYPE_CHECKING:
    from harness.language import LanguagePacks
    from harness.ports import MemoryStore, SessionStore

SCHEMES: Mapping[str, str] = {
    "postgres": "postgres",
    "postgresql": "postgres",
    "redis": "redis",
    "rediss": "redis",
    "unix": "redis",
    "sqlite": "sqlite",
}
"""How an address begins → backend, for those who paste an address alone."""


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
        from harness.logs import redact

        address = redact(self.where)
        before, at, after = address.rpartition("@")
        if at and "://" in before:
            address = f"{before.partition('://')[0]}://…@{after}"
        return f"{self.backend}:{address}" if address else self.backend


def place(text: str, known: Mapping[str, Any], default: str) -> Place:
    """Read how a store is called.

    Args:
        known: the table of backends. ``default``: the backend that the settings name, for an empty text or ``auto``.

    Raises:
        SettingsError: there is no such backend.
    """
    name, colon, where = text.strip().partition(":")
    if colon and where.startswith("//"):
        name, where = SCHEMES.get(name.partition("+")[0].casefold(), name), text.strip()
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
    from harness.adapters.memories import MEMORY_BACKENDS, MemoryOptions

    parts = MemoryParts(settings, languages, given=None, durable=True, endpoint=_no_endpoint)
    wanted = place(text, MEMORY_BACKENDS, parts.backend)
    storage = settings.storage
    options = MemoryOptions(parts.path, storage.synchronous, storage.busy_timeout_s)
    options = _directed(options, wanted, settings, settings.memory)
    _check(wanted, MEMORY_BACKENDS[wanted.backend], options, write=write)
    return wanted, MEMORY_BACKENDS[wanted.backend].open(options)


def sessions_at(text: str, settings: Settings, *, write: bool) -> tuple[Place, SessionStore]:
    """A session store by name, opened; as :func:`memory_at`."""
    from harness.adapters.stores import BACKENDS, StoreOptions

    storage = settings.storage
    wanted = place(text, BACKENDS, storage.backend)
    path = settings.path(storage.path) if storage.path else home() / "sessions.db"
    options = _directed(StoreOptions(path, storage.synchronous, storage.busy_timeout_s), wanted, settings, storage)
    _check(wanted, BACKENDS[wanted.backend], options, write=write)
    return wanted, BACKENDS[wanted.backend].open(options)


def _directed(options: Any, wanted: Place, settings: Settings, section: Any) -> Any:
    """Options with the place that was named: a path, or an address for backends that have one."""
    takes_url = "url" in {one.name for one in fields(options)}
    if "://" in wanted.where:
        if not takes_url:
            raise SettingsError(f"No backend of this version takes an address, and {wanted} is one.")
        return replace(options, url=wanted.where)
    if wanted.where:
        options = replace(options, path=settings.path(wanted.where))
    elif takes_url and (address := str(getattr(section, "url", "") or "")):
        options = replace(options, url=address)
    return options


def _check(wanted: Place, backend: Any, options: Any, *, write: bool) -> None:
    if not backend.durable:
        raise SettingsError(f"The backend {wanted.backend!r} ends with the process; nothing can be moved.")
    if getattr(backend, "server", "") and not getattr(options, "url", ""):
        raise SettingsError(
            f"The backend {wanted.backend!r} is a server, and no address was given.",
            remedy=f"Write {wanted.backend}:ADDRESS, or set the address in the settings.",
        )
    if not write and wanted.backend == "sqlite" and not Path(options.path).is_file():
        raise SettingsError(
            f"There is no file {str(options.path)!r} to move from.", remedy="Name it: --from sqlite:PATH."
        )


def _no_endpoint() -> Any:
    raise SettingsError("Moving memory makes no vectors.")
