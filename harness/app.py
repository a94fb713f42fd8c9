"""The composition root: settings in, sessions out. Only this module and those named ``app_…`` import adapters."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import structlog

from harness import logs, settings as settings_module
from harness.app_connecting import ModelParts, role_models
from harness.app_elsewhere import Elsewhere, files_beside
from harness.app_graph import GraphParts
from harness.app_memory import MemoryParts, redactor_of
from harness.app_servers import store_options
from harness.app_short_term import ShortTermParts
from harness.app_tokens import token_counter
from harness.context.views import as_shown
from harness.errors import (
    HarnessError,
    InputError,
    MalformedInput,
    SessionExists,
    SessionNotFound,
    SettingsError,
)
from harness.forgetting import (
    ARTIFACTS,
    SHORT_TERM,
    Forgetter,
    Forgotten,
    forget_artifacts,
    forget_short_term,
    forget_user,
    not_overwritten,
)
from harness.language import load_packs
from harness.later import LaterModel
from harness.memory import Graphs, Memories, WriteGate
from harness.memory.scopes import check_place
from harness.persona import find_persona, list_personas
from harness.ports import (
    Artifacts,
    Clock,
    Embedder,
    Graph,
    Ids,
    MemoryFilter,
    MemoryStore,
    Model,
    Ports,
    RandomIds,
    SessionStore,
    ShortTerm,
    SystemClock,
)
from harness.prompts import Prompts
from harness.resources import data_path
from harness.session import Session, Turnstile, reference
from harness.settings import EngineSettings, Loaded, Settings
from harness.state import USER, Persona, SessionInfo
from harness.turn.machine import MACHINE, TurnMachine
from harness.turn.withholding import for_replies

log = structlog.get_logger("harness.app")

DEFAULT_PERSONA = "mia"


class Harness:
    """Everything that sessions share: the model, the store, personas, prompts and languages.

    Use as an async context manager::

        async with Harness() as harness:
            session = await harness.open("mia", session="s1")
            print((await session.say("Hello!")).text)

    Nothing is started or connected before it is needed: the embedded model, for instance, when the first session
    is opened.

    Attributes:
        redactor: takes secrets out of texts, as the settings say.
        forgetters: what further stores forget of a user, by their name; :meth:`forget_user` calls them all. ``artifacts`` (long
            tool results) belong to the journal and go only with it; ``short_term`` is there where such messages are kept.
    """

    def __init__(
        self,
        settings: Settings | Loaded | None = None,
        *,
        model: Model | None = None,
        store: SessionStore | None = None,
        memory: MemoryStore | None = None,
        graph: Graph | None = None,
        artifacts: Artifacts | None = None,
        short_term: ShortTerm | None = None,
        write_gate: WriteGate | None = None,
        machine: TurnMachine = MACHINE,
        clock: Clock | None = None,
        ids: Ids | None = None,
        progress: Callable[[Any], None] | None = None,
    ) -> None:
        """Put the parts together.

        Args:
            settings: read with :func:`harness.settings.load` when not given.
            model, store, memory, graph, artifacts: use these instead of what the settings name. With a store of your own and no memory, what is
                remembered ends with the process.
            short_term: keep the newest messages there too, whatever ``short_term.backend`` is.
            write_gate: decides, behind the settings, what a turn leaves in memory, in which layer and how important.
            machine: a turn machine with replaced or inserted steps.
            progress: receives the progress of a model download (:class:`harness.adapters.local.Progress`).

        Raises:
            ConfigurationError: a setting, language file or prompt folder is wrong. MissingExtra: ``context.tokenizer`` needs one.
        """
        if settings is None:
            settings = settings_module.load()
            if settings.note:
                log.warning("settings_of_another_program", note=settings.note)
        self.settings = settings.settings if isinstance(settings, Loaded) else settings
        self.machine = machine
        self._models = ModelParts(self.settings, given=model, clock=clock or SystemClock(), progress=progress)
        self._artifacts, self._durable = artifacts, store is None
        self._store, self._own_store = store, store is None
        self._clock, self._ids = clock or SystemClock(), ids or RandomIds()
        self._turnstiles: weakref.WeakValueDictionary[str, Turnstile] = weakref.WeakValueDictionary()
        paths = self.settings.paths
        languages = self.settings.path(paths.languages)
        self.languages = load_packs(sorted(languages.glob("*.yaml")) if languages.is_dir() else ())
        self.tokens = token_counter(self.settings, lambda: self._models.connected, own_model=self._models.own)
        self.prompts = Prompts([self.settings.path(paths.prompts), data_path("prompts")])
        self._memory = MemoryParts(
            self.settings,
            self.languages,
            given=memory,
            durable=store is None,
            endpoint=self._models.provider,
            tokens=self.tokens,
            shown=as_shown(self.prompts),
            gate=write_gate,
        )
        self._graph = GraphParts(self.settings, self.languages, self._memory, given=graph, tokens=self.tokens)
        self._short_term = ShortTermParts(self.settings, given=short_term)
        self.persona_paths = (self.settings.path(paths.personas), data_path("personas"))
        self.forgetters: dict[str, Forgetter] = {ARTIFACTS: forget_artifacts(self.artifacts)}
        if short_term is not None or self.settings.short_term.backend != "off":
            self.forgetters[SHORT_TERM] = forget_short_term(self.short_term)
        self.redactor = redactor_of(self.settings, self.languages)
        self._models.clean = lambda text: for_replies(self.redactor).redact(text).text
        logs.configure(self.settings.log, self.redactor)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Finish the bookkeeping of open sessions, stop the embedded model, release store and connections.

        Each is released whatever happens to the others; the first error is raised at the end.
        """
        async with AsyncExitStack() as stack:
            if self._store is not None and self._own_store:
                stack.push_async_callback(self._store.close)
                self._store = None
            stack.push_async_callback(self._models.close)
            stack.push_async_callback(self._memory.close)
            stack.push_async_callback(self._graph.close)
            stack.push_async_callback(self._short_term.close)
            # Sessions that nobody holds any more may still be busy: the bookkeeping keeps their turnstile.
            for turnstile in list(self._turnstiles.values()):
                stack.push_async_callback(turnstile.wait)

    # --- parts ----------------------------------------------------------------------------------------------------

    def store(self) -> SessionStore:
        """The session store, opened when first asked for."""
        if self._store is None:
            from harness.adapters.stores import BACKENDS

            options = store_options(self.settings, self.database_path())
            self._store = BACKENDS[self.settings.storage.backend].open(options)
        return self._store

    def database_path(self) -> Path:
        """Where sessions are kept."""
        path = self.settings.storage.path
        return self.settings.path(path) if path else settings_module.home() / "sessions.db"

    def artifacts(self) -> Artifacts:
        """Where long tool results are kept: in files where sessions are, else in this process."""
        if self._artifacts is None:
            from harness.adapters.artifacts import ArtifactFiles, InProcessArtifacts

            lasting = self.settings.storage.artifacts or (self._durable and self.settings.storage.backend != "memory")
            self._artifacts = ArtifactFiles(self.artifacts_path()) if lasting else InProcessArtifacts()
        return self._artifacts

    def artifacts_path(self) -> Path:
        """The folder of long tool results."""
        storage = self.settings.storage
        if storage.artifacts:
            return self.settings.path(storage.artifacts)
        if storage.path:  # beside the sessions they belong to
            sessions = self.settings.path(storage.path)
            return sessions.with_name(f"{sessions.stem}-artifacts")
        return settings_module.home() / "artifacts"

    async def delete(self, session_id: str) -> tuple[str, ...]:
        """Delete a session with all its branches, what was remembered of it, and its long tool results. Gives the files that may still
        hold words of it: another program reads them, or they could not be used; mostly none.

        Raises:
            SessionNotFound: there is none. StoreError: something of it could not be removed; delete it again.
        """
        store = self.store()
        await store.info(session_id)
        if self.memory_store() is not None:
            await self.memories().forget(MemoryFilter(everything=True, session=session_id, statuses=()))
            await self.memories().unfollow([session_id])
        await self.artifacts().delete(session_id)
        if self._short_term.mirroring() is not None:
            await self.short_term().clear(session_id)
        elsewhere = self._elsewhere()
        remains = await elsewhere.delete(session_id) if elsewhere is not None else ()
        await store.delete(session_id)
        if self.memory_store() is not None:
            await self.memories().unfollow([session_id])
        await self.artifacts().delete(session_id)  # again: another program may have written meanwhile
        if self._short_term.mirroring() is not None:
            await self.short_term().clear(session_id)
        remains = (*remains, *await not_overwritten((store, *self._beside())))
        if remains:
            log.warning("words_remain", session=session_id, files=remains)
        return remains

    def memory_store(self) -> MemoryStore | None:
        """The store of memories, opened when first asked for; None when memory is off."""
        return self._memory.store()

    def memories(self) -> Memories:
        """Everything that is remembered, of all sessions.

        Raises:
            SettingsError: memory is off. MissingExtra: the embedder's package is not installed.
        """
        shared = self._memory.shared()
        if shared is None:
            raise SettingsError("Memory is off.", remedy="Set memory.backend to auto or sqlite.")
        return Memories(replace(shared, graph=self._graph.graph()), self._clock, self._ids)

    def embedder(self) -> Embedder | None:
        """What turns texts into vectors; None without one.

        Raises:
            MissingExtra: its package is not installed. SettingsError: it needs a provider, or ``models.embedder``.
        """
        return self._memory.embedder()

    def graphs(self) -> Graphs:
        """The graph of entities and relations, of all sessions.

        Raises:
            SettingsError: it is off, or a server has no address. MissingExtra: the backend's package is not installed.
        """
        graph = self._graph.graph()
        if graph is None:
            raise SettingsError("The graph is off.", remedy="Set graph.backend to auto, and memory.backend too.")
        return Graphs(graph, self.languages, self._clock)

    def short_term(self) -> ShortTerm:
        """The newest messages of every session, as other programs see them.

        Raises:
            SettingsError: they are not kept, or nothing says where. MissingExtra: the package of the server is not installed.
        """
        store = self._short_term.store()
        if store is None:
            raise SettingsError(
                "Short-term messages are off.", remedy="Set short_term.backend to sqlite, redis or memory."
            )
        return store

    async def model(self) -> Model:
        """The model, connected when first asked for; without a provider the embedded one is fetched and started.

        Raises:
            MissingExtra: no provider is configured and the extra ``local`` is not installed.
            LocalModelError: the embedded model could not be fetched or started.
            AuthenticationFailed: the key is malformed.
        """
        return await self._models.model()

    def engine_settings(self) -> EngineSettings:
        """The engine's settings with every ``auto`` decided for the model at hand."""
        engine, embedded = self.settings.harness, self.settings.embedded and self._models.own
        changes: dict[str, str] = {}
        if engine.analysis == "auto":
            changes["analysis"] = "classifier" if embedded else "combined"
        if engine.begin_answers == "auto":
            changes["begin_answers"] = "always" if embedded else "never"
        if engine.summarize_with == "auto":
            changes["summarize_with"] = "rules" if embedded else "model"
        return engine.model_copy(update=changes)

    async def ports(self, *, connect: bool = True) -> Ports:
        """The bundle that steps receive. Without ``connect`` the model is connected when a step first calls it."""
        connected = connect or self._models.connected is not None
        return Ports(
            model=await self.model() if connected else LaterModel(self.model, role_models(self.settings)),
            prompts=self.prompts,
            languages=self.languages,
            clock=self._clock,
            ids=self._ids,
            redactor=self.redactor,
            tokens=self.tokens,
            layers=self.settings.layers,
        )

    # --- sessions -------------------------------------------------------------------------------------------------

    async def open(
        self,
        persona: str | Persona = "",
        *,
        session: str = "",
        user: str = "",
        project: str = "",
        world: str = "",
        connect: bool = True,
    ) -> Session:
        """Open a session: the stored one of this id, or a new one.

        Args:
            persona: id or name of a character, the path of a persona file, or a Persona. Empty: the stored session's,
                or the default character for a new one.
            session: id; a fresh one is made when empty.
            user: who the character talks with; kept apart from other users. Empty: the stored session's, or the one nameless
                user for a new one.
            project, world: what it is about and where it plays; memory keeps each apart. Empty: as the settings
                ``memory.project`` and ``memory.world`` say for a new session, and the stored ones for a stored session.
            connect: connect the model now; False leaves that to the first call, for work that may need none.

        Raises:
            PersonaError: no such character.
            SettingsError: the stored session is with another character or user, or in another project or world.
            MalformedInput: an id or name cannot be one.
        """
        check_id(session, "session id")
        check_id(user, "user id")
        memory = self.settings.memory
        for what, name in (("project", project or memory.project), ("world", world or memory.world)):
            check_place(name, what)
        store, ports = self.store(), await self.ports(connect=connect)
        chosen = self._persona(persona) if persona else None
        info = await self._find(store, session)
        if info is None:
            chosen = chosen or self._persona(DEFAULT_PERSONA)
            now = self._clock.now()
            info = SessionInfo(
                id=session or self._ids.new(),
                persona_ref=reference(chosen),
                persona=chosen,
                user=user or USER,  # an item of no user would be one for everybody
                project=project or memory.project,
                world=world or memory.world,
                created_at=now,
                updated_at=now,
            )
            try:
                await store.create(info)
            except SessionExists:  # another caller was quicker
                info = await store.info(info.id)
        elif chosen is not None and reference(chosen).id != info.persona_ref.id:
            raise SettingsError(
                f"Session {info.id!r} is a conversation with {info.persona_ref.name!r}, not with {chosen.name!r}.",
                remedy="Open it without a persona, or choose another session id.",
            )
        elif user not in ("", info.user):
            raise SettingsError(
                f"Session {info.id!r} is a conversation with {info.user!r}, not with {user!r}.",
                remedy="Choose another session id: what one user said is not shown to another.",
            )
        for what, wanted, stored in (("project", project, info.project), ("world", world, info.world)):
            if wanted not in ("", stored):
                raise SettingsError(
                    f"Session {info.id!r} belongs to the {what} {stored!r}, not to {wanted!r}.",
                    remedy=f"Choose another session id: what belongs to one {what} is not shown in another.",
                )
        return self._bind(info, store, ports)

    async def forget_user(self, user: str, *, persona: str = "", journal: bool = False) -> Forgotten:
        """Remove what is remembered of a user, from every store, and from files that earlier settings left; it cannot be brought back.

        Args:
            persona: only what this character knows.
            journal: delete the user's sessions too, with all that was said in them. Without it a session still has its words,
                and memory is not made from them again.

        Raises:
            InputError: no user is named. StoreError: a store does not answer; do it again.
        """
        if not user:
            raise InputError("Nobody was named who is to be forgotten.", remedy="Name a user.")
        for turnstile in list(self._turnstiles.values()):  # what is still being written would come back
            await turnstile.wait()
        return await forget_user(
            user,
            persona=persona,
            journal=journal,
            store=self.store(),
            memories=self.memories() if self.memory_store() is not None else None,
            forgetters=self.forgetters,
            remains=files_beside(self.settings, user, persona),
            elsewhere=self._elsewhere(),
            beside=self._beside(),
        )

    def _beside(self) -> tuple[object, ...]:
        """The stores beside that of the sessions, as far as there are any."""
        memory = self.memory_store()
        return (memory, self._graph.graph() if memory is not None else None, self._short_term.store())

    def _elsewhere(self) -> Elsewhere | None:
        """Files that are not in use; a program that brings its own store has nothing to do with them."""
        if not self._own_store:
            return None
        return Elsewhere(
            self.settings,
            self.languages,
            self._clock,
            self._memory,
            self._graph,
            self._short_term,
            self.database_path(),
            self.artifacts_path(),
        )

    async def warm(self, session: Session) -> HarnessError | None:
        """Ready the language rules for a session, and the embedded model; never a provider, whose tokens cost money.

        Gives what made it fail, and logs it: all that costs is a slower first reply.
        """
        own = self.settings.embedded and self._models.own
        try:
            await (session.warm() if own else session.ready())
        except HarnessError as error:
            log.warning("warming_failed", session=session.id, error=str(error))
            return error
        return None

    def _bind(self, info: SessionInfo, store: SessionStore, ports: Ports) -> Session:
        turnstile = self._turnstiles.setdefault(info.id, Turnstile())
        return Session(
            info,
            store=store,
            ports=ports,
            settings=self.engine_settings(),
            machine=self.machine,
            turnstile=turnstile,
            memory=self._memory.shared(),
            graph=self._graph.shared(),
            artifacts=self.artifacts(),
            short_term=self._short_term.mirroring(),
        )

    async def _find(self, store: SessionStore, session_id: str) -> SessionInfo | None:
        if not session_id:
            return None
        try:
            return await store.info(session_id)
        except SessionNotFound:
            return None

    def _persona(self, persona: str | Persona) -> Persona:
        return (
            persona if isinstance(persona, Persona) else find_persona(persona, self.persona_paths, packs=self.languages)
        )

    def personas(self) -> tuple[Any, ...]:
        """All characters that can be opened by id, a project's own first."""
        return list_personas(self.persona_paths, packs=self.languages)


MAX_ID = 200
"""Longest session or user id, in characters."""


def check_id(value: str, what: str) -> None:
    """Refuse an id that cannot be shown or typed.

    Raises:
        MalformedInput: too long, with control characters, or with blanks around it.
    """
    if value and (len(value) > MAX_ID or not value.isprintable() or value != value.strip()):
        raise MalformedInput(
            f"A {what} has at most {MAX_ID} printable characters and no blanks around it, not {value[:80]!r}.",
            remedy="Choose another one.",
        )
