"""Witnesses at other endpoints, each with a connection of its own. Part of the composition root."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from harness.blindtest.endpoints import Endpoint
from harness.blindtest.transcript import Trial
from harness.blindtest.witness import Conversation
from harness.blindtest.witnesses.bare import BareWitness
from harness.settings import Settings
from harness.state import Persona

if TYPE_CHECKING:
    from harness.app_blindtest import Bench
    from harness.app_connecting import ModelParts


@dataclass(slots=True)
class EndpointWitness:
    """What answers at an endpoint. It is connected at its first trial, so that it can be sent to worker processes before.

    Attributes:
        settings: sampling, time limits and prompts; address, model and key are replaced by those of the endpoint.
    """

    name: str
    settings: Settings
    endpoint: Endpoint
    _together: ModelParts | None = field(default=None, init=False, repr=False)
    _bench: Bench | None = field(default=None, init=False, repr=False)
    _inner: BareWitness | None = field(default=None, init=False, repr=False)

    def __reduce__(self) -> tuple[type[EndpointWitness], tuple[str, Settings, Endpoint]]:
        """What is sent to a worker: nothing open, and no ledger; the worker has one that all of them share."""
        return EndpointWitness, (self.name, self.settings, self.endpoint)

    def count_with(self, models: ModelParts) -> None:
        """Keep the limits of requests together with the model of a bench, and with other witnesses at the same address."""
        self._together = models

    @property
    def about(self) -> Mapping[str, Any]:
        """Address and model; the key's value is nowhere."""
        return {"kind": "endpoint", **self.endpoint.model_dump(mode="json")}

    async def begin(self, trial: Trial, persona: Persona) -> Conversation:
        """A new conversation. Raises a ModelError: the endpoint cannot be reached."""
        if self._inner is None:
            self._bench = _bench_at(self.settings, self.endpoint)
            if self._together is not None:
                self._bench.base._models.count_with(self._together)  # noqa: SLF001 - the same part of the package
            bare = self._bench.bare(self.name)
            system = bare.system if self.endpoint.persona else _nothing
            self._inner = replace(bare, system=system, window=self.endpoint.history)
        return await self._inner.begin(trial, persona)

    async def close(self) -> None:
        """Close the connection."""
        bench, self._bench, self._inner = self._bench, None, None
        if bench is not None:
            await bench.close()


def _nothing(_: Persona) -> str:
    return ""


def _bench_at(settings: Settings, endpoint: Endpoint) -> Bench:
    from harness.app_blindtest import Bench

    provider = settings.provider.model_copy(
        update={
            "base_url": endpoint.url,
            "record": "",
            "replay": "",
            **({"api_key_env": endpoint.key} if endpoint.key else {}),
        }
    )
    models = settings.models.model_copy(update={"responder": endpoint.model} if endpoint.model else {})
    return Bench(settings.model_copy(update={"provider": provider, "models": models}))
