"""What the graph is made of, as the settings name it. Part of the composition root, so it may import adapters."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from harness import settings as settings_module
from harness.app_memory import memory_policy
from harness.app_servers import graph_options
from harness.errors import SettingsError
from harness.memory import GraphPolicy, SharedGraph
from harness.ports import Estimate

if TYPE_CHECKING:
    from harness.app_memory import MemoryParts
    from harness.language import LanguagePacks
    from harness.ports import Graph, TokenCounter
    from harness.settings import Settings

OFF = "off"
RELATION = "relation"
"""Kind of item of an edge."""


class GraphParts:
    """The graph, opened when first asked for.

    Args:
        memory: beside which it stands: without memory there is none.
        tokens: counts what its limit is in.
        given: a graph to use instead of what the settings name; whoever gave it closes it (``own`` is False then).
        environ: where the address's variables, the user and the password are looked for; the process's own by default.
    """

    def __init__(
        self,
        settings: Settings,
        languages: LanguagePacks,
        memory: MemoryParts,
        *,
        given: Graph | None = None,
        tokens: TokenCounter | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self._settings = settings
        self._languages = languages
        self._memory = memory
        self._tokens = tokens or Estimate()
        self._graph, self.own = given, given is None
        self._environ = os.environ if environ is None else environ

    @property
    def backend(self) -> str:
        """What the graph is kept in: a name of the settings, ``auto`` decided."""
        wanted, memory = self._settings.graph.backend, self._memory.backend
        if wanted == "auto":
            return {OFF: OFF, "memory": "memory"}.get(memory, "sqlite")
        return wanted

    def path(self, suffix: str) -> Path:
        """Where an embedded graph is kept."""
        settings = self._settings
        if settings.graph.path:
            return settings.path(settings.graph.path)
        memory = self._memory.path
        if memory == settings_module.home() / "memory.db":
            return memory.with_name(f"graph.{suffix}")
        return memory.with_name(f"{memory.stem.removesuffix('-memory')}-graph.{suffix}")

    def graph(self) -> Graph | None:
        """The graph; None when it is off.

        Raises:
            SettingsError: it has no memory beside it, or a server no address. MissingExtra: a package is not installed.
        """
        if self._graph is None and self.backend != OFF:
            from harness.adapters.graphs import GRAPH_BACKENDS

            if self._memory.backend == OFF:
                raise SettingsError(
                    "The graph needs memory, which is off.",
                    remedy="Set memory.backend to auto, or graph.backend to off.",
                )
            backend = GRAPH_BACKENDS[self.backend]
            options = graph_options(self._settings, self.backend, self.path(backend.suffix), self._environ)
            self._graph = backend.open(options)
        return self._graph

    def shared(self) -> SharedGraph | None:
        """What the graphs of all sessions share; None when it is off, or the layer it belongs to."""
        graph = self.graph()
        if graph is None or not self._settings.memory_l3.enabled:
            return None
        settings, memory = self._settings.graph, memory_policy(self._settings)
        policy = GraphPolicy(
            depth=settings.depth,
            top_k=settings.top_k,
            max_tokens=settings.max_tokens,
            lasting=memory.constraints | memory.lasting,
            left_out="the fields of L3 leave out graph" if RELATION in memory.layers["L3"].left_out else "",
        )
        return SharedGraph(graph, policy, self._languages, self._tokens.count, self._memory.store())

    async def close(self) -> None:
        """Release what was made here."""
        if self._graph is not None and self.own:
            graph, self._graph = self._graph, None
            await graph.close()
