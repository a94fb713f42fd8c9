"""Files that the settings do not use, or no longer, and that have words of a user all the same: memory that was switched off, the file
from before a server. Part of the composition root, so it may import adapters.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import structlog

from harness.addresses import masked
from harness.app_memory import memory_policy
from harness.app_servers import server_of, server_url
from harness.errors import HarnessError
from harness.forgetting import Swept, sessions_of
from harness.memory import Memories, Shared
from harness.memory.folder import scan
from harness.ports import GraphFilter, MemoryFilter, Overwrites
from harness.settings import CHAT_HISTORY, home
from harness.state.memory import Scope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.app_graph import GraphParts
    from harness.app_memory import MemoryParts
    from harness.app_short_term import ShortTermParts
    from harness.language import LanguagePacks
    from harness.ports import Clock, Graph, MemoryStore, SessionStore, ShortTerm
    from harness.settings import Settings

log = structlog.get_logger("harness.app")

IN_FILES: Final = ("sqlite", "faiss")
"""Backends whose items are in a SQLite file."""
_SQLITE: Final = b"SQLite format 3\0"


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """The places of all file backends, those left out that are in use.

    A program whose sessions end with it (``storage.backend`` is ``memory``) does not touch what others left in files: it names them.

    Args:
        sessions: where sessions would be in a file. ``artifacts``: the folder of long tool results.
    """

    settings: Settings
    packs: LanguagePacks
    clock: Clock
    memory: MemoryParts
    graph: GraphParts
    short_term: ShortTermParts
    sessions: Path
    artifacts: Path
    _remains: list[str] = field(default_factory=list)
    _pending: list[str] = field(default_factory=list)

    async def sessions_of(self, user: str, persona: str) -> tuple[str, ...]:
        """The sessions of a user in a file that is not in use."""
        found: list[str] = []

        async def look(store: SessionStore) -> None:
            found.extend(info.id for info in await sessions_of(user, store, persona))

        await self._each(self._session_files(), look)
        return tuple(found)

    async def forget(self, user: str, persona: str, sessions: Sequence[str], *, journal: bool) -> Swept:
        """Remove what these files have of a user. What cannot be used is named, and takes nothing from the rest."""
        scope, counts = Scope(persona=persona, user=user), dict.fromkeys(("memories", "graph", "short_term"), 0)

        async def items(store: MemoryStore) -> None:
            where = MemoryFilter(scope=scope, everything=True, statuses=())
            counts["memories"] += await self._memories(store).forget(where)
            await store.unfollow(sessions if journal else ())

        async def edges(graph: Graph) -> None:
            counts["graph"] += await graph.forget(GraphFilter(scope=scope))
            await graph.unfollow(sessions if journal else ())

        async def messages(store: ShortTerm) -> None:
            counts["short_term"] += sum([await store.clear(session) for session in sessions])

        async def journals(store: SessionStore) -> None:
            for info in await sessions_of(user, store, persona) if journal else ():
                await store.delete(info.id)

        await self._each(self._message_files(), messages)
        await self._each(self._session_files(), journals)
        await self._each(self._memory_files(), items)
        await self._each(self._graph_files(), edges)
        self._remains.extend([*self._left_by_others(), *self._servers()])
        return Swept(**counts, remains=tuple(dict.fromkeys(self._remains)), pending=tuple(self._pending))

    async def delete(self, session: str) -> tuple[str, ...]:
        """Remove what these files have of a session; the files that may still have something."""

        async def items(store: MemoryStore) -> None:
            await self._memories(store).forget(MemoryFilter(everything=True, session=session, statuses=()))
            await store.unfollow([session])

        async def edges(graph: Graph) -> None:
            await graph.forget(GraphFilter(session=session))
            await graph.unfollow([session])

        async def messages(store: ShortTerm) -> None:
            await store.clear(session)

        await self._each(self._message_files(), messages)
        await self._each(self._memory_files(), items)
        await self._each(self._graph_files(), edges)
        return (*self._remains, *self._pending)

    async def _each(
        self, places: Iterator[tuple[Path, Callable[[], Any]]], work: Callable[[Any], Awaitable[None]]
    ) -> None:
        if self.settings.storage.backend == "memory":
            return
        for path, opened in places:
            store: Any = None
            try:
                store = opened()
                await work(store)
                if isinstance(store, Overwrites):
                    self._pending.extend(await store.not_overwritten())
            except HarnessError as error:
                log.warning("not_forgotten", file=str(path), error=error.message)
                self._remains.append(str(path))
            finally:
                with suppress(HarnessError):
                    await store.close() if store is not None else None

    def _memories(self, store: MemoryStore) -> Memories:
        return Memories(Shared(store, memory_policy(self.settings), self.packs, len), self.clock)

    def _session_files(self) -> Iterator[tuple[Path, Callable[[], Any]]]:
        from harness.adapters.stores import BACKENDS, StoreOptions

        if self.settings.storage.backend != "sqlite" and self.sessions.is_file():
            storage = self.settings.storage
            options = StoreOptions(self.sessions, storage.synchronous, storage.busy_timeout_s)
            yield self.sessions, lambda: BACKENDS["sqlite"].open(options)

    def _memory_files(self) -> Iterator[tuple[Path, Callable[[], Any]]]:
        from harness.adapters.memories import MEMORY_BACKENDS, MemoryOptions

        path = self.memory.path
        if self.memory.own and self.memory.backend not in IN_FILES and path.is_file():
            storage = self.settings.storage
            options = MemoryOptions(path, storage.synchronous, storage.busy_timeout_s)
            yield path, lambda: MEMORY_BACKENDS["sqlite"].open(options)

    def _graph_files(self) -> Iterator[tuple[Path, Callable[[], Any]]]:
        from harness.adapters.graphs import GRAPH_BACKENDS, GraphOptions

        storage = self.settings.storage
        used = "off" if self.memory.backend == "off" else self.graph.backend  # without memory there is none
        for name, backend in GRAPH_BACKENDS.items():
            path = self.graph.path(backend.suffix)
            if not self.graph.own or name not in ("sqlite", "ladybug") or not path.is_file():
                continue
            if used in (name, *(("sqlite", "ladybug") if self.settings.graph.path else ())):
                continue
            with path.open("rb") as file:
                is_sqlite = file.read(len(_SQLITE)) == _SQLITE
            if is_sqlite is (name == "sqlite"):
                options = GraphOptions(
                    path=path,
                    timeout_s=self.settings.graph.timeout_s,
                    synchronous=storage.synchronous,
                    busy_timeout_s=storage.busy_timeout_s,
                )
                yield path, lambda backend=backend, options=options: backend.open(options)  # type: ignore[misc]  # of this round

    def _message_files(self) -> Iterator[tuple[Path, Callable[[], Any]]]:
        from harness.adapters.short_term import SHORT_TERM_BACKENDS, ShortTermOptions

        chosen, path, storage = self.settings.short_term, self.short_term.path, self.settings.storage
        if self.short_term.own and chosen.backend != "sqlite" and path.is_file():
            options = ShortTermOptions(
                chosen.max_tokens,
                path=path,
                synchronous=storage.synchronous,
                busy_timeout_s=storage.busy_timeout_s,
            )
            yield path, lambda: SHORT_TERM_BACKENDS["sqlite"].open(options)

    def _left_by_others(self) -> Iterator[str]:
        """What is there although this program keeps nothing."""
        if self.settings.storage.backend != "memory":
            return
        found = (self._session_files(), self._memory_files(), self._graph_files(), self._message_files())
        yield from (str(path) for some in found for path, _ in some)
        if not self.settings.storage.artifacts and self.artifacts.is_dir():
            yield str(self.artifacts)

    def _servers(self) -> Iterator[str]:
        """Addresses in the settings that nothing uses."""
        used: Mapping[str, str] = {
            "storage": self.settings.storage.backend,
            "memory": self.memory.backend,
            "short_term": self.settings.short_term.backend,
            "graph": self.graph.backend,
        }
        reached = set()
        for section, backend in used.items():
            if section != "graph" and server_of(section, backend):
                with suppress(HarnessError):
                    reached.add(masked(server_url(self.settings, section, backend)))
        for section, backend in used.items():
            url = masked(getattr(self.settings, section).url.strip())
            if url and not server_of(section, backend) and url not in reached:
                yield url


def files_beside(settings: Settings, user: str, persona: str) -> tuple[str, ...]:
    """Files that may have words of a user and of others too, so that nobody but a person can change them."""
    found = []
    if settings.paths.memory and (folder := settings.path(settings.paths.memory)).is_dir():
        for name, scope in sorted(scan(folder).scopes.items()):
            if scope.user == user and persona in ("", scope.persona):
                found.append(str(folder / name))
    record = settings.provider.record
    alone = [settings.path(record)] if record else []
    return (*found, *(str(path) for path in (*alone, home() / CHAT_HISTORY) if path.exists()))
