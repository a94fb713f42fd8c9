"""The model that the settings name: the provider's, or the embedded one, connected when first asked for. Part of the
composition root, so it may import adapters.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.errors import MissingExtra

if TYPE_CHECKING:
    from harness.adapters.local import ServerOptions
    from harness.adapters.models.endpoint import EndpointConfig
    from harness.adapters.models.openai_sdk import OpenAIModel
    from harness.adapters.models.pacing import Ledger, Pace
    from harness.ports import Clock, Model, Role
    from harness.settings import Settings

ROLES: tuple[Role, ...] = ("responder", "summarizer", "evaluator", "extractor")
EMBEDDED_SAMPLING: Mapping[str, Any] = {"repeat_penalty": 1.1}
"""What a small model needs beyond temperature: without it Chinese replies echo the system prompt."""
OPENAI_URL = "https://api.openai.com/v1"
"""Where a key without a ``base_url`` leads."""


@dataclass(frozen=True, slots=True)
class Served:
    """The embedded model as another process serves it. ``api_key``: of that one server on loopback."""

    base_url: str
    name: str
    api_key: str | None = None


class ModelParts:
    """The model, and the server of the embedded one.

    Args:
        given: a model to use instead of what the settings name; whoever gave it closes it.
        progress: receives the progress of a model download (:class:`harness.adapters.local.Progress`).

    Attributes:
        own: it is what the settings name. ``connected``: the model, None before it was asked for. ``clean``: makes answers fit
            to be recorded.
        served: a server of the embedded model that another process started; it is used instead of one of our own.
        ledger: counts requests and places at endpoints; one shared with other processes where there are any. ``owner``: our name in it.
    """

    def __init__(
        self, settings: Settings, *, given: Model | None, clock: Clock, progress: Callable[[Any], None] | None = None
    ) -> None:
        self._settings = settings
        self.clean: Callable[[str], str] = str
        self.connected, self.own = given if given is None else self._restoring(given), given is None
        self._clock = clock
        self._progress = progress
        self._server: Any = None
        self.served: Served | None = None
        self._serving: Served | None = None
        self.ledger: Ledger | None = None
        self.owner = ""
        self._opening = asyncio.Lock()

    async def model(self) -> Model:
        """The model. Raises MissingExtra, LocalModelError, AuthenticationFailed."""
        async with self._opening:
            if self.connected is None:
                self.connected = await self._connect()
            return self.connected

    async def close(self) -> None:
        """Close the connection, and stop the embedded model, whatever happens to the other; a given model stays open."""
        async with AsyncExitStack() as stack:
            if self._server is not None:
                stack.push_async_callback(asyncio.to_thread, self._server.stop)
                self._server = None
            if self.connected is not None and self.own:
                stack.push_async_callback(self.connected.close)
                self.connected = None

    async def _connect(self) -> Model:
        """The configured model; recorded to a file, or replaced by such a file, when the settings say so."""
        from harness.adapters.models.recording import RecordingModel, ReplayModel

        provider = self._settings.provider
        if provider.replay:
            return ReplayModel(self._settings.path(provider.replay))
        model = self._restoring(
            await (self._embedded_model() if self._settings.embedded else self._provider_model())
        )  # within the recording, which has references
        if not provider.record:
            return model
        return RecordingModel(model, self._settings.path(provider.record), clean=self.clean)

    def _restoring(self, model: Model) -> Model:
        """The model, told what was typed where ``redaction.model_sees`` says so."""
        redaction = self._settings.redaction
        if not redaction.enabled or redaction.model_sees != "raw":
            return model
        from harness.adapters.models.restoring import RestoringModel

        return RestoringModel(model)

    async def _provider_model(self) -> Model:
        model = self.provider()
        await model.warm()
        return model

    def provider(self) -> OpenAIModel:
        """A new connection to the provider; whoever asked for it closes it."""
        from harness.adapters.models.endpoint import usable_key
        from harness.adapters.models.openai_sdk import OpenAIModel

        provider = self._settings.provider
        config = endpoint_config(self._settings)
        return OpenAIModel(
            config.base_url,
            models=config.models,
            api_key=usable_key(config),
            timeout_s=provider.timeout_s,
            connect_timeout_s=provider.connect_timeout_s,
            max_attempts=provider.max_attempts,
            extra_body=provider.extra_body,
            trust_env=provider.trust_env,
            prefill_style=provider.prefill,
            max_concurrency=provider.max_concurrency or None,
            pace=self.pace(config.base_url),
            clock=self._clock,
        )

    def pace(self, base_url: str, *, places: int = 0) -> Pace:
        """The pace at an endpoint: the provider's limits, with everyone who shares the ledger."""
        from harness.adapters.models.endpoint import normalize_base_url
        from harness.adapters.models.pacing import Pace

        provider = self._settings.provider
        return Pace(
            normalize_base_url(base_url).partition("?")[0],
            self.counting(),
            requests_per_minute=provider.requests_per_minute,
            places=places or provider.max_concurrency,
            owner=self.owner,
        )

    def counting(self) -> Ledger:
        """Where starts and places are counted: in this process, unless something else was given."""
        from harness.adapters.models.pacing import ProcessLedger

        if self.ledger is None:
            self.ledger = ProcessLedger()
        return self.ledger

    def count_with(self, other: ModelParts) -> None:
        """Count together with others, as the same owner."""
        self.ledger, self.owner = other.counting(), other.owner

    async def share(self) -> Served | None:
        """The embedded model, started, for other processes to use; None where the settings name a provider or a recording."""
        if not self._settings.embedded or self._settings.provider.replay or not self.own:
            return None
        await self.model()
        return self._serving

    async def _embedded_model(self) -> Model:
        from harness.adapters.models.openai_sdk import OpenAIModel

        served = self._serving = self.served or await self._serve()
        connected = OpenAIModel(
            served.base_url,
            models=dict.fromkeys(ROLES, served.name),
            api_key=served.api_key,
            timeout_s=self._settings.provider.timeout_s,
            extra_body=EMBEDDED_SAMPLING,
            trust_env=False,
            prefill_style="plain",
            max_concurrency=1,
            pace=self.pace(served.base_url, places=1) if self.served else None,
            clock=self._clock,
        )
        await connected.warm()
        return connected

    async def _serve(self) -> Served:
        """Fetch the embedded model and start its server."""
        from harness.adapters.local import LocalServer, ensure_model, load_catalogue
        from harness.adapters.local.pull import quiet

        if importlib.util.find_spec("xllamacpp") is None:
            raise MissingExtra(
                "No provider is configured, and the embedded model needs the extra 'local' (package xllamacpp).",
                remedy="Or set provider.base_url.",
                extra="local",
            )
        local = self._settings.local
        model = await asyncio.to_thread(
            ensure_model,
            self._local_name(),
            cache_dir=self._settings.path(local.cache_dir) if local.cache_dir else None,
            catalogue=load_catalogue(self._settings.path(local.catalogue) if local.catalogue else None),
            progress=self._progress or quiet,
        )
        server = LocalServer(model.path, name=model.name, options=server_options(self._settings, model.context))
        self._server = server
        await asyncio.to_thread(server.start)
        return Served(server.base_url, model.name, server.api_key)

    def _local_name(self) -> str:
        """The model's name, a path made absolute against the settings file."""
        name = self._settings.local.model
        return str(self._settings.path(name)) if name.lower().endswith(".gguf") else name


def endpoint_config(settings: Settings, environ: Mapping[str, str] | None = None) -> EndpointConfig:
    """Where the configured provider is, with its key from the environment."""
    from harness.adapters.models.endpoint import EndpointConfig

    provider = settings.provider
    environ = os.environ if environ is None else environ
    return EndpointConfig(
        base_url=provider.base_url or OPENAI_URL,
        api_key_env=provider.api_key_env,
        api_key=environ.get(provider.api_key_env),
        models=role_models(settings),
        timeout_s=provider.timeout_s,
    )


def server_options(settings: Settings, context: int) -> ServerOptions:
    """How the embedded model is served."""
    from harness.adapters.local import ServerOptions

    local = settings.local
    return ServerOptions(
        context=local.context or context, threads=local.threads or None, start_timeout_s=local.start_timeout_s
    )


def role_models(settings: Settings) -> Mapping[Role, str]:
    """Which model id answers in which role, empty ones filled in as the settings say."""
    models = settings.models
    responder = models.responder
    summarizer = models.summarizer or responder
    return {
        "responder": responder,
        "summarizer": summarizer,
        "evaluator": models.evaluator or responder,
        "extractor": models.extractor or summarizer,
    }
