"""What the engine asks of the outside world: models, stores, clock, ids, prompts, languages.

Adapters implement these protocols; nothing but :mod:`harness.app` imports adapters.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from harness.state.dialogue import DialogueState, Message
from harness.state.record import SessionInfo, TurnRecord, Usage

if TYPE_CHECKING:
    from harness.language import LanguagePacks
    from harness.prompts import Prompts

Role = Literal["responder", "summarizer", "evaluator", "extractor"]
StructuredForm = Literal["json_schema", "json_object", "prompt"]


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message as sent to a model."""

    role: Literal["system", "user", "assistant"]
    content: str


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

    def hash(self, model: str = "") -> str:
        """SHA-256 of the request in canonical JSON (deadline and purpose left out): the key of record and replay."""
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


@dataclass(frozen=True, slots=True)
class TurnPlace:
    """Where a record stands in the tree, without its content.

    Attributes:
        change: it is a change by hand: it has the number of the turn before it (0 at the beginning).
    """

    id: str
    parent: str | None
    number: int
    change: bool = False


def places(rows: Iterable[tuple[str, str | None, int]]) -> tuple[TurnPlace, ...]:
    """Places of a branch from its (id, parent, number) rows, root first: a number that does not rise is a change."""
    found: list[TurnPlace] = []
    before = 0
    for turn_id, parent, number in rows:
        found.append(TurnPlace(turn_id, parent, number, change=number == before))
        before = number
    return tuple(found)


class SessionStore(Protocol):
    """A journal of turn records in a tree per session, with snapshots and an optimistic lock.

    Every write takes ``expected_version`` (the session's version the caller has seen), fails with
    :class:`~harness.errors.ConflictError` when the stored one differs, and returns the new version.
    A write is whole or not at all. All reads return validated, migrated objects or raise a
    :class:`~harness.errors.StoreError` / :class:`~harness.errors.NewerSchema`.
    """

    async def create(self, info: SessionInfo) -> None:
        """Store a new session (version 0, no head). Raises SessionExists."""
        ...

    async def info(self, session_id: str) -> SessionInfo:
        """Raises SessionNotFound."""
        ...

    async def version(self, session_id: str) -> int:
        """The stored version only; cheap, called before every turn. Raises SessionNotFound."""
        ...

    async def sessions(self) -> tuple[SessionInfo, ...]:
        """All sessions, last changed first."""
        ...

    async def delete(self, session_id: str) -> None:
        """Remove a session with all its records and snapshots. Raises SessionNotFound."""
        ...

    async def append(
        self, session_id: str, record: TurnRecord, *, expected_version: int, move_head: bool = True
    ) -> int:
        """Add a record below its parent; make it the head unless told not to. Raises ConflictError when the
        version differs or the record's id exists, TurnNotFound when the parent does not exist.
        """
        ...

    async def amend(self, session_id: str, record: TurnRecord, *, expected_version: int) -> int:
        """Replace the record of the same id (bookkeeping completed). Raises TurnNotFound, ConflictError."""
        ...

    async def move_head(self, session_id: str, turn_id: str | None, *, expected_version: int) -> int:
        """Make another turn (or the empty beginning) the head. Raises TurnNotFound, ConflictError."""
        ...

    async def record(self, session_id: str, turn_id: str) -> TurnRecord:
        """One record. Raises TurnNotFound."""
        ...

    async def records(self, session_id: str) -> tuple[TurnRecord, ...]:
        """All records of all branches, oldest first."""
        ...

    async def branch(self, session_id: str, turn_id: str | None, *, after: str | None = None) -> tuple[TurnRecord, ...]:
        """The records from the root to ``turn_id``, oldest first; only those below ``after`` when given."""
        ...

    async def path(self, session_id: str, turn_id: str | None) -> tuple[TurnPlace, ...]:
        """The places from the root to ``turn_id``, oldest first, without reading the records. Raises TurnNotFound."""
        ...

    async def save_snapshot(self, session_id: str, turn_id: str, state: DialogueState) -> None:
        """Keep the state at a turn. A cache: may be dropped at any time, never bumps the version."""
        ...

    async def snapshot(self, session_id: str, turn_id: str) -> tuple[str, DialogueState] | None:
        """The nearest snapshot at ``turn_id`` or above it on its branch: (its turn id, state); None without one.
        A snapshot that cannot be read, or that was written by another schema version, counts as none.
        """
        ...

    async def close(self) -> None:
        """Release files and connections; later calls raise StoreError."""
        ...


class Clock(Protocol):
    """Time, replaceable in tests."""

    def now(self) -> datetime:
        """Aware current time."""
        ...

    def monotonic(self) -> float:
        """Seconds, never going back."""
        ...


class Ids(Protocol):
    """Fresh ids, replaceable in tests."""

    def new(self) -> str:
        """A short unique id."""
        ...


class SystemClock:
    """The real clock, UTC."""

    def now(self) -> datetime:
        """Aware current time in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """``time.perf_counter``."""
        import time

        return time.perf_counter()


class RandomIds:
    """Twelve hex digits from uuid4."""

    def new(self) -> str:
        """A short unique id."""
        return uuid.uuid4().hex[:12]


class Journal(Protocol):
    """Where the running turn of one session is written down; bound by the session."""

    async def record(self, record: TurnRecord, state: DialogueState) -> None:
        """Make the reply durable and the turn the head. Raises ConflictError when the session moved on elsewhere;
        the turn is then kept as a side branch.
        """
        ...

    async def earlier(self, last_turn: int) -> Sequence[Message]:
        """The messages of the branch up to ``last_turn``, oldest first: those that a summary has replaced."""
        ...

    async def complete(self, record: TurnRecord, state: DialogueState) -> None:
        """Replace the record by its complete form, and keep a snapshot of the state when one is due."""
        ...


class NullJournal:
    """Writes nothing: for turns that are only tried out."""

    async def record(self, record: TurnRecord, state: DialogueState) -> None:
        """Do nothing."""

    async def earlier(self, last_turn: int) -> Sequence[Message]:  # noqa: ARG002 - the protocol's argument
        """Nothing."""
        return ()

    async def complete(self, record: TurnRecord, state: DialogueState) -> None:
        """Do nothing."""


Emit = Callable[[object], Awaitable[None]]


async def _discard(event: object) -> None:
    """The sink of a turn that is not streamed."""


@dataclass(frozen=True, slots=True)
class Ports:
    """Everything a step may use besides the turn itself.

    Attributes:
        emit: takes stream events (token, revised) while a turn runs; set when the turn is streamed.
        streaming: whether somebody listens to ``emit``.
    """

    model: Model
    prompts: Prompts
    languages: LanguagePacks
    clock: Clock = field(default_factory=SystemClock)
    ids: Ids = field(default_factory=RandomIds)
    journal: Journal = field(default_factory=NullJournal)
    emit: Emit = _discard
    streaming: bool = False


__all__: Sequence[str] = [
    "Capabilities",
    "ChatMessage",
    "Clock",
    "Emit",
    "Ids",
    "Journal",
    "Model",
    "ModelDelta",
    "ModelReply",
    "ModelRequest",
    "NullJournal",
    "Ports",
    "RandomIds",
    "Role",
    "SessionStore",
    "StructuredForm",
    "SystemClock",
    "TurnPlace",
    "places",
]
