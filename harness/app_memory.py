"""What memory is made of, as the settings name it. Part of the composition root, so it may import adapters."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from harness import settings as settings_module
from harness.app_servers import memory_options
from harness.errors import SettingsError
from harness.language import LanguagePacks
from harness.language.redaction import redactor
from harness.memory import Background, JoinedStore, LayerPolicy, MemoryFiles, MemoryPolicy, Shared, WriteGate
from harness.ports import Embedder, Estimate, MemoryStore, TokenCounter
from harness.redacting import Policy as RedactionPolicy, Redactor
from harness.settings import Settings
from harness.state.memory import MemoryItem, MemoryLayer

if TYPE_CHECKING:
    from harness.adapters.models.openai_sdk import OpenAIModel
    from harness.settings import LayerSettings

OFF = "off"


class MemoryParts:
    """The store of memories and the embedder, each made when first asked for.

    Args:
        given: a store to use instead of what the settings name; whoever gave it closes it (``own`` is False then).
        durable: sessions are kept where the settings say; else memory ends with the process, unless the settings name a place.
        endpoint: makes the connection to the provider, for its embeddings.
        tokens: counts what the layers' limits are in. ``shown``: what a memory is in the prompt.
        gate: has the last word on what is written.
    """

    def __init__(
        self,
        settings: Settings,
        languages: LanguagePacks,
        *,
        given: MemoryStore | None,
        durable: bool,
        endpoint: Callable[[], OpenAIModel],
        tokens: TokenCounter | None = None,
        shown: Callable[[MemoryItem, str, str, str], str] | None = None,
        gate: WriteGate | None = None,
    ) -> None:
        self._settings = settings
        self._languages = languages
        self._store, self.own = given, given is None
        self._durable = durable
        self._endpoint = endpoint
        self._tokens = tokens or Estimate()
        self._gate = gate
        self._embedder: Embedder | None = None
        self._model: OpenAIModel | None = None
        self._files: MemoryFiles | None = None
        self._background = Background()
        self._shown = shown

    @property
    def backend(self) -> str:
        """What memory is kept in: a name of the settings, ``auto`` decided."""
        wanted = self._settings.memory.backend
        if wanted != "auto":
            return wanted
        return self._settings.storage.backend if self._durable else "memory"

    @property
    def path(self) -> Path:
        """Where memories are kept."""
        settings = self._settings
        if settings.memory.path:
            return settings.path(settings.memory.path)
        if settings.storage.path:  # beside the sessions it remembers
            sessions = settings.path(settings.storage.path)
            return sessions.with_name(f"{sessions.stem}-memory.db")
        return settings_module.home() / "memory.db"

    def store(self) -> MemoryStore | None:
        """The store; None when memory is off. Raises SettingsError, MissingExtra."""
        if self._store is None and self.backend != OFF:
            from harness.adapters.memories import MEMORY_BACKENDS

            if self._settings.memory.vector_index != "exact" and self.backend not in ("postgres", "memory"):
                message = f"memory.vector_index is {self._settings.memory.vector_index!r}, which only the backend postgres has; memory is in {self.backend!r}."
                raise SettingsError(
                    message, remedy='Set memory.vector_index to "exact", or memory.backend to "postgres".'
                )
            options = memory_options(self._settings, self.backend, self.path)
            self._store = MEMORY_BACKENDS[self.backend].open(options)
        return self._store

    def embedder(self) -> Embedder | None:
        """What turns memories into vectors; None without one.

        Raises:
            MissingExtra: its package is not installed. SettingsError: no provider, or no ``models.embedder``.
        """
        wanted = self._settings.memory.embedder
        if self._embedder is None and wanted != "none":
            from harness.adapters.embedders import EMBEDDERS, EmbedderOptions

            endpoint = None if self._settings.embedded else self._connected
            self._embedder = EMBEDDERS[wanted](EmbedderOptions(self._settings.models.embedder, endpoint))
        return self._embedder

    def shared(self) -> Shared | None:
        """What the memories of all sessions share; None when memory is off."""
        store = self.store()
        if store is None:
            return None
        embedder, files = self.embedder(), self.files()
        joined = store if files is None else JoinedStore(store, files.store)
        policy, redact = memory_policy(self._settings), redactor_of(self._settings, self._languages)
        return Shared(
            joined,
            policy,
            self._languages,
            self._tokens.count,
            embedder,
            files,
            redact,
            background=self._background,
            shown=self._shown,
            gate=self._gate,
        )

    def files(self) -> MemoryFiles | None:
        """What stands in files; None when no folder is set."""
        folder = self._settings.paths.memory
        if self._files is None and folder:
            from harness.adapters.memories.ram import InProcessMemoryStore

            self._files = MemoryFiles(
                self._settings.path(folder),
                InProcessMemoryStore(),
                self._languages,
                self.embedder(),
                redactor_of(self._settings, self._languages),
            )
        return self._files

    async def close(self) -> None:
        """Release what was made here."""
        async with AsyncExitStack() as stack:
            if self._model is not None:
                stack.push_async_callback(self._model.close)
                self._model = None
            if self._embedder is not None:
                stack.push_async_callback(self._embedder.close)
                self._embedder = None
            if self._files is not None:
                stack.push_async_callback(self._files.close)
                self._files = None
            if self._store is not None and self.own:
                stack.push_async_callback(self._store.close)
                self._store = None

    def _connected(self) -> OpenAIModel:
        if self._model is None:
            self._model = self._endpoint()
        return self._model


def redactor_of(settings: Settings, languages: LanguagePacks) -> Redactor:
    """What takes secrets out of texts, as the settings say."""
    redaction = settings.redaction
    extra = {name: re.compile(source) for name, source in redaction.patterns.items()}
    seen = redaction.model_sees == "raw"
    return redactor(languages, RedactionPolicy(redaction.enabled, redaction.kinds, extra, model_sees_typed=seen))


def memory_policy(settings: Settings) -> MemoryPolicy:
    """How memory is written and weighed."""
    memory = settings.memory
    layers: Mapping[MemoryLayer, LayerPolicy] = {
        "L2": _layer(settings.memory_l2),
        "L3": _layer(settings.memory_l3),
    }
    return MemoryPolicy(
        layers=layers,
        constraints=frozenset(memory.constraints),
        lasting=frozenset(memory.lasting),
        recurrence=memory.recurrence,
        promotion_gate=memory.promotion_gate,
        archive_above=memory.archive_above,
        drop_below=memory.drop_below,
        model_weighs=memory.importance == "model",
        lexical_weight=memory.lexical_weight,
        vector_weight=memory.vector_weight,
        relevance_weight=memory.relevance_weight,
        recency_weight=memory.recency_weight,
        importance_weight=memory.importance_weight,
        candidates=memory.candidates,
        resolution=settings.context.conflict_resolution,
    )


def _layer(layer: LayerSettings) -> LayerPolicy:
    return LayerPolicy(
        enabled=layer.enabled,
        top_k=layer.top_k,
        max_tokens=layer.max_tokens,
        similarity_threshold=layer.similarity_threshold,
        half_life_hours=layer.decay_half_life_hours,
        ttl_seconds=layer.ttl_seconds,
        always_inject=layer.always_inject,
        left_out=layer.left_out(),
    )
