"""What the engine asks of a model: one request, one answer, whole or piece by piece."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

from harness.state.record import Usage


def visible(text: str) -> str:
    """The text with each lone surrogate replaced by U+FFFD, so that it can be stored and shown."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


Role = Literal["responder", "summarizer", "evaluator", "extractor"]
StructuredForm = Literal["json_schema", "json_object", "prompt"]


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message as sent to a model."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Typed:
    """The user's message as it was typed, for a model that is to see it. It is told in no ``repr`` and never stored.

    Attributes:
        told: how the message stands in the request, with references. ``text``: the same with what they stand for.
        secrets: (reference, what it stands for) of the message.
    """

    told: str = field(repr=False)
    text: str = field(repr=False)
    secrets: tuple[tuple[str, str], ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One call.

    Attributes:
        role: which of the configured models answers; the adapter maps it to a model id.
        purpose: name of the prompt template, for the trace.
        prefill: a begun answer the model must continue; the reply's text does **not** repeat it. Only sent when
            ``Model.capabilities.prefill`` is not False.
        structured: how to ask for JSON; ``schema`` is a JSON schema (used by ``json_schema`` only).
        timeout_s: deadline of the whole call, retries included.
        typed: what stands behind references in the user's message, where the model is to see it; no part of the hash.
    """

    role: Role
    messages: tuple[ChatMessage, ...]
    purpose: str = ""
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    prefill: str = ""
    structured: StructuredForm | None = None
    schema: Mapping[str, Any] | None = None
    schema_name: str = "answer"
    timeout_s: float = 120.0
    typed: Typed | None = field(default=None, repr=False, compare=False)

    def hash(self, model: str = "") -> str:
        """SHA-256 of the request in canonical JSON (deadline, purpose and what was typed left out): the key of record and replay."""
        body = {
            "model": model,
            "messages": [[message.role, message.content] for message in self.messages],
            "temperature": self.temperature,
            "top_p": self.top_p,
            "max_tokens": self.max_tokens,
            "seed": self.seed,
            "stop": list(self.stop),
            "prefill": self.prefill,
            "structured": self.structured,
            "schema": self.schema,
        }
        return hashlib.sha256(json.dumps(body, ensure_ascii=False, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A finished answer."""

    text: str
    model: str = ""
    finish_reason: str = "stop"
    usage: Usage = field(default_factory=Usage)
    attempts: int = 1


@dataclass(frozen=True, slots=True)
class ModelDelta:
    """A piece of a streamed answer. The last one has ``reply`` set, with the whole text and the usage."""

    text: str = ""
    reply: ModelReply | None = None


@dataclass(slots=True)
class Capabilities:
    """What is known of an endpoint. Learned at run time and remembered with the model object.

    Attributes:
        structured: best form of structured output known to work; starts at the top of the ladder.
        prefill: takes a begun answer; None until known.
        single_system: the chat template takes one system message only, at the start; None until known.
    """

    structured: StructuredForm = "json_schema"
    prefill: bool | None = None
    single_system: bool | None = None


@runtime_checkable
class Model(Protocol):
    """An OpenAI-compatible endpoint with its roles."""

    @property
    def capabilities(self) -> Capabilities:
        """What is known of the endpoint."""
        ...

    def model_id(self, role: Role) -> str:
        """The model id a role is mapped to."""
        ...

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Answer at once. Raises a :class:`harness.errors.ModelError`."""
        ...

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelDelta]:
        """Answer piece by piece; closing the iterator closes the connection. Raises like :meth:`complete`."""
        ...

    async def close(self) -> None:
        """Release connections."""
        ...
