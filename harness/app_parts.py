"""What the sessions of a harness share, made from the settings. Part of the composition root."""

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
from harness.app_graph import GraphParts
from harness.app_memory import MemoryParts, redactor_of
from harness.app_servers import store_options
from harness.app_short_term import ShortTermParts
from harness.app_tokens import token_counter
from harness.context.views import as_shown
from harness.errors import (
    SettingsError,
)
from harness.forgetting import (
    ARTIFACTS,
    SHORT_TERM,
    Forgetter,
    forget_artifacts,
    forget_short_term,
)
from harness.language import load_packs
from harness.later import LaterModel
from harness.memory import Graphs, Memories, WriteGate
from harness.persona import find_persona, list_personas
from harness.ports import (
    Artifacts,
    Clock,
    Embedder,
    Graph,
    Ids,
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
from harness.session import Turnstile
from harness.settings import EngineSettings, Loaded, Settings
from harness.state import Persona
from harness.turn.machine import MACHINE, TurnMachine
from harness.turn.withholding import for_replies

log = structlog.get_logger("harness.app")


class Parts:
    """What sessions share, each made when first asked for: the model, the stores, personas, prompts and languages.

    Attributes:
        redactor: takes secrets out of texts, as the settings say.
        forgetters: what further stores forget of a user, by their name. ``artifacts`` (long tool results) belong to the journal and go
            only with it; ``short_term`` is there where such messages are kept.
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
        self.languages = load_packs(self.settings.language_files())
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

    def _persona(self, persona: str | Persona) -> Persona:
        return (
            persona if isinstance(persona, Persona) else find_persona(persona, self.persona_paths, packs=self.languages)
        )

    def personas(self) -> tuple[Any, ...]:
        """All characters that can be opened by id, a project's own first."""
        return list_personas(self.persona_paths, packs=self.languages)
