"""What one endpoint takes: the body of a request, and what a refusal teaches about the next one."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Literal

import structlog

from harness import errors
from harness.adapters.models import wordings
from harness.adapters.models.endpoint import is_local
from harness.adapters.models.failures import Refusal, Target
from harness.errors import ModelError
from harness.ports import Capabilities, ModelRequest
from harness.ports.models import visible

PrefillStyle = Literal["auto", "plain", "vllm", "deepseek", "off"]

_LOG = structlog.get_logger(__name__)
_DROPPABLE = ("stream_options", "temperature", "top_p", "seed", "stop")
_REFUSALS = frozenset({400, 404, 413, 415, 422, 500, 501})
_VLLM = {"continue_final_message": True, "add_generation_prompt": False}


class Dialect:
    """Turns requests into bodies and remembers what was refused.

    Args:
        host: of the endpoint; decides what ``prefill_style = "auto"`` means.
        extra_body: fields added to every body.
    """

    def __init__(
        self, host: str, *, prefill_style: PrefillStyle = "auto", extra_body: Mapping[str, Any] | None = None
    ) -> None:
        self.capabilities = Capabilities()
        self._extra = dict(extra_body or {})
        self._dropped: dict[str, set[str]] = {}
        self._prefill = _style_of(host) if prefill_style == "auto" else prefill_style
        if self._prefill == "off":
            self.capabilities.prefill = False
        elif prefill_style != "auto":
            self.capabilities.prefill = True

    def body(self, request: ModelRequest, model: str, *, stream: bool) -> dict[str, Any]:
        """The JSON body of a request."""
        dropped = self._dropped.get(model, set())
        optional: dict[str, Any] = {
            "temperature": request.temperature,
            "top_p": request.top_p,
            "seed": request.seed,
            "stop": list(request.stop) or None,
            "max_completion_tokens" if "max_tokens" in dropped else "max_tokens": request.max_tokens,
            "response_format": _response_format(request),
            "stream_options": {"include_usage": True} if stream else None,
        }
        body: dict[str, Any] = {"model": model, "messages": self._messages(request), **self._extra}
        body |= {name: value for name, value in optional.items() if value is not None and name not in dropped}
        if request.prefill:
            body |= _VLLM if self._prefill in {"vllm", "local"} else {}
        if stream:
            body["stream"] = True
        return body

    def check(self, request: ModelRequest, target: Target) -> None:
        """Raise UnsupportedFeature for what is known not to work, without a request."""
        if request.prefill and self.capabilities.prefill is False:
            raise _unsupported("prefill", target, "a begun answer is not continued there")
        if request.structured and _RUNGS.index(request.structured) < _RUNGS.index(self.capabilities.structured):
            raise _unsupported(request.structured, target, "it was refused before")

    def learn(self, refusal: Refusal, request: ModelRequest, body: Mapping[str, Any], target: Target) -> bool:
        """Whether the request should be sent again in another form, because the refusal was about its form.

        Raises:
            UnsupportedFeature: the form cannot be changed here; the caller must ask otherwise.
        """
        if refusal.status not in _REFUSALS or refusal.says(wordings.CONTEXT_TOO_LONG):
            return False
        if refusal.says(wordings.SINGLE_SYSTEM) and not self.capabilities.single_system:
            self.capabilities.single_system = True
            return _several_systems(request)
        if "max_tokens" in body and "max_completion_tokens" in refusal.lowered:
            return self._drop("max_tokens", target)
        if request.prefill and refusal.says(wordings.PREFILL):
            self.capabilities.prefill = False
            raise _unsupported("prefill", target, refusal.message, refusal.status)
        name = _refused_parameter(refusal, body)
        if name is not None:
            return self._drop(name, target)
        self._refuse_structured(refusal, request, target)
        return False

    def _refuse_structured(self, refusal: Refusal, request: ModelRequest, target: Target) -> None:
        form = request.structured
        if form in {None, "prompt"} or not refusal.says((*wordings.RESPONSE_FORMAT, *wordings.BAD_SCHEMA)):
            return
        remember = not refusal.says(wordings.BAD_SCHEMA)
        if remember:
            self.capabilities.structured = "json_object" if form == "json_schema" else "prompt"
        raise _unsupported(str(form), target, refusal.message, refusal.status, remember=remember)

    def _drop(self, name: str, target: Target) -> bool:
        known = self._dropped.setdefault(target.model, set())
        if name in known:
            return False
        known.add(name)
        _LOG.warning(
            "%s does not take %r for the model %r; it is left out from now on.", target.shown, name, target.model
        )
        return True

    def _messages(self, request: ModelRequest) -> list[dict[str, Any]]:
        messages: list[dict[str, Any]] = [
            {"role": message.role, "content": visible(message.content)} for message in request.messages
        ]
        if self.capabilities.single_system:
            messages = _with_one_system(messages)
        if request.prefill:
            begun: dict[str, Any] = {"role": "assistant", "content": visible(request.prefill)}
            if self._prefill == "deepseek":
                begun["prefix"] = True
            messages.append(begun)
        return messages


_RUNGS = ("json_schema", "json_object", "prompt")


def _style_of(host: str) -> str:
    """What ``auto`` means at a host. On a local one, vLLM's fields go along: llama.cpp and others ignore them."""
    for suffix, style in wordings.PREFILL_BY_HOST.items():
        if host == suffix or host.endswith(f".{suffix}"):
            return style
    return "local" if is_local(host) else "plain"


def _response_format(request: ModelRequest) -> dict[str, Any] | None:
    if request.structured == "json_schema" and request.schema is not None:
        schema: dict[str, Any] = {"name": request.schema_name, "schema": dict(request.schema)}
        if _is_strict(request.schema):
            schema["strict"] = True
        return {"type": "json_schema", "json_schema": schema}
    return {"type": "json_object"} if request.structured in {"json_schema", "json_object"} else None


def _is_strict(schema: object) -> bool:
    """Whether a schema meets OpenAI's rules for strict mode: every object closed and every property required."""
    if isinstance(schema, list):
        return all(_is_strict(part) for part in schema)
    if not isinstance(schema, Mapping):
        return True
    if "properties" in schema or schema.get("type") == "object":
        properties = schema.get("properties", {})
        if schema.get("additionalProperties") is not False or set(schema.get("required", ())) != set(properties):
            return False
    return all(_is_strict(part) for key, part in schema.items() if key not in {"enum", "const", "default", "examples"})


def _refused_parameter(refusal: Refusal, body: Mapping[str, Any]) -> str | None:
    """The optional parameter a refusal is about."""
    sent = [name for name in _DROPPABLE if name in body]
    if not sent or not refusal.says(wordings.NOT_TAKEN):
        return None
    try:
        error = json.loads(refusal.text).get("error", {})
        named = error.get("param") if isinstance(error, dict) else None
    except (ValueError, AttributeError):
        named = None
    if isinstance(named, str) and named:
        return next((name for name in sent if named.startswith(name)), None)
    return next((name for name in sent if _mentions(refusal.lowered, name)), None)


def _mentions(text: str, name: str) -> bool:
    """A name with an underscore anywhere; an ordinary word only in quotes."""
    return name in text if "_" in name else re.search(rf"[\"'`\\]{name}[\"'`\\]", text) is not None


def _several_systems(request: ModelRequest) -> bool:
    return any(message.role == "system" for message in request.messages[1:])


def _with_one_system(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """All system messages joined into one at the start, in order."""
    system = "\n\n".join(message["content"] for message in messages if message["role"] == "system")
    rest = [message for message in messages if message["role"] != "system"]
    return [{"role": "system", "content": system}, *rest] if system else rest


def _unsupported(
    feature: str, target: Target, said: str, status: int | None = None, *, remember: bool = True
) -> ModelError:
    msg = f"{target.shown} does not take {feature!r} for the model {target.model!r}: {said}."
    remedy = "Ask in another form; the endpoint's abilities are remembered." if remember else "Simplify the schema."
    return target.error(errors.UnsupportedFeature, msg, remedy, feature=feature, status=status, remember=remember)
