"""Settings of the endpoint."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from harness.settings.section import FROM_JSON, Section, VariableName


class ProviderSettings(Section):
    """The endpoint. Without ``base_url`` the embedded model is used (extra ``local``)."""

    base_url: str = Field(
        default="",
        repr=False,
        description="Address of an OpenAI-compatible API, with or without /v1, or a pasted endpoint. Empty: OpenAI's own when a key is set, else the embedded model.",
    )
    api_key_env: VariableName = Field(
        default="OPENAI_API_KEY",
        description="Name of the environment variable that holds the key. The key itself never stands in a file.",
    )
    timeout_s: float = Field(
        default=120.0, gt=0, description="Deadline of one model call in seconds, retries included."
    )
    connect_timeout_s: float = Field(default=10.0, gt=0, description="Seconds to wait for a connection.")
    max_attempts: int = Field(default=3, ge=1, le=10, description="Requests made for one call, the first included.")
    requests_per_minute: float = Field(
        default=0.0,
        ge=0,
        description="Requests begun in a minute, retries included; all workers of a blind test share them. 0: any number.",
    )
    max_concurrency: int = Field(
        default=0, ge=0, description="Calls under way at once, those of all workers together. 0: any number."
    )
    prefill: Literal["auto", "plain", "vllm", "deepseek", "off"] = Field(
        default="auto",
        description="How the endpoint takes a begun answer: as a plain last assistant message, with vLLM's or DeepSeek's field, or not at all.",
    )
    extra_body: Annotated[dict[str, Any], FROM_JSON] = Field(
        default={},
        description="Fields added to every request, for what an endpoint takes beyond the standard; an inline table, or JSON in the environment.",
    )

    record: str = Field(default="", description="A JSON-lines file that every model call is appended to.")
    replay: str = Field(
        default="", description="A file made with record: calls are answered from it, and nothing is asked."
    )
    trust_env: bool = Field(default=True, description="Honour HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY.")

    @field_validator("extra_body")
    @classmethod
    def _is_json(cls, value: dict[str, Any]) -> dict[str, Any]:
        """TOML has dates and infinities; JSON has not."""
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise ValueError(f"cannot be sent as JSON: {error}") from error
        return value
