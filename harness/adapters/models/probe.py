"""An endpoint as :mod:`harness.doctor` wants to examine it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from harness.adapters.models.connecting import proxy_for
from harness.adapters.models.endpoint import (
    EndpointConfig,
    is_local,
    normalize_base_url,
    usable_key,
    without_credentials,
)
from harness.adapters.models.openai_sdk import OpenAIModel
from harness.errors import SettingsError
from harness.ports import Role


class EndpointProbe:
    """Examines one configured endpoint, with one attempt per call.

    Args:
        config: as the user configured it.
        options: further keyword arguments of :class:`~harness.adapters.models.openai_sdk.OpenAIModel`.
    """

    def __init__(self, config: EndpointConfig, **options: Any) -> None:
        self._config = config
        self._options = {"max_attempts": 1, **options}
        self._model: OpenAIModel | None = None

    def configure(self) -> str:
        """Check address, models and key. Raises SettingsError or AuthenticationFailed."""
        url = normalize_base_url(self._config.base_url)
        key = usable_key(self._config)
        if not self._config.models.get("responder"):
            msg = "No model is configured for the role 'responder'."
            raise SettingsError(
                msg, remedy="Set models.responder to a model id the endpoint serves.", setting="models.responder"
            )
        self._model = OpenAIModel(
            url, models=self._config.models, api_key=key, timeout_s=self._config.timeout_s, **self._options
        )
        source = f"key from {self._config.api_key_env or 'the program'}" if key else "no key"
        parts = [without_credentials(url), source]
        proxy = proxy_for(url) if self._options.get("trust_env", True) else None
        if proxy is not None:
            parts.append(f"through {proxy.shown}")
        if key and url.startswith("http://") and not is_local(urlsplit(url).hostname or ""):
            parts.append("the key travels unencrypted")
        return ", ".join(parts)

    @property
    def model(self) -> OpenAIModel:
        """The model; :meth:`configure` comes first."""
        if self._model is None:
            self.configure()
        if self._model is None:  # pragma: no cover  configure sets it or raises
            raise AssertionError
        return self._model

    @property
    def models(self) -> Mapping[Role, str]:
        """Role to model id, as configured."""
        return {role: name for role, name in self._config.models.items() if name}

    async def list_models(self) -> tuple[str, ...]:
        """The model ids the endpoint lists. Raises a ModelError."""
        return await self.model.list_models()

    async def close(self) -> None:
        """Release connections."""
        if self._model is not None:
            await self._model.close()
