"""How steps ask a model: a plain call, a streamed one, and a question with a structured answer.

Every call, answered or failed or broken off, is reported once to ``on_call`` as the
:class:`~harness.state.record.ModelCall` that goes into the turn record.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Generic, TypeVar, cast

from pydantic import BaseModel, TypeAdapter, ValidationError

from harness.errors import (
    ContentFiltered,
    EmptyReply,
    ModelError,
    ModelTimeout,
    TruncatedStream,
    UnreadableStructure,
    UnsupportedFeature,
)
from harness.ports import ChatMessage, Clock, Model, ModelDelta, ModelReply, ModelRequest, StructuredForm, SystemClock
from harness.state.record import ModelCall, Usage
from harness.tolerant import Reading, readings

T = TypeVar("T")

GRACE_S = 0.25
"""How much longer than its deadline a model may take before it is not waited for: adapters give the better message."""

_TEMPLATE_TOKEN = re.compile(r"<\|([A-Za-z_][\w-]{0,40})\|>")
OnCall = Callable[[ModelCall], None]

_RUNGS: tuple[StructuredForm, ...] = ("json_schema", "json_object", "prompt")
_CLOCK = SystemClock()


@dataclass(frozen=True, slots=True)
class Hints:
    """What is said to a model that is not held to a schema by its endpoint.

    Attributes:
        schema: appended to the last message; ``{schema}`` is the JSON schema.
        repair: asks once more after an unreadable answer; ``{problem}`` says what was wrong with it, ``{schema}`` as above.
    """

    schema: str = "Answer with one JSON object and nothing else. It must match this JSON schema:\n{schema}"
    repair: str = (
        "That was not the JSON that was asked for: {problem}\n"
        "Write the whole answer again as one JSON object that matches this JSON schema, and nothing else:\n{schema}"
    )


HINTS = Hints()


@dataclass(frozen=True, slots=True)
class Asked(Generic[T]):
    """The outcome of a question with a structured answer.

    Attributes:
        value: the validated answer; None when there is none, and then nothing may change.
        calls: every call that was made, failed ones included.
        form: the form of structured output that was asked for last.
        error: why there is no value, for the reader of the turn record; empty when there is one.
        failure: the same as an exception.
        notes: how the answer was got at when it was not plain JSON: a fallback to a lower form, a repair, a cut.
        repaired: whether the second, mending call gave the value.
    """

    value: T | None
    calls: tuple[ModelCall, ...] = ()
    form: StructuredForm = "json_schema"
    error: str = ""
    failure: ModelError | None = field(default=None, compare=False)
    notes: tuple[str, ...] = ()
    repaired: bool = False


def ignore(call: ModelCall) -> None:
    """The ``on_call`` of a caller that keeps no record."""


async def call(
    model: Model, request: ModelRequest, *, phase: str, on_call: OnCall = ignore, clock: Clock = _CLOCK
) -> ModelReply:
    """One call of a model.

    Raises:
        ModelError: as the model raised it; ``on_call`` has been told before.
    """
    request = _neutral(request)
    started = clock.monotonic()
    reply: ModelReply | None = None
    error: BaseException | None = None
    try:
        async with asyncio.timeout(request.timeout_s + GRACE_S):
            reply = await model.complete(request)
    except TimeoutError as late:
        error = _late(request)
        raise error from late
    except BaseException as raised:
        error = raised
        raise
    finally:
        on_call(_record(model, request, phase, reply=reply, error=error, seconds=clock.monotonic() - started))
    return reply


async def stream(
    model: Model, request: ModelRequest, *, phase: str, on_call: OnCall = ignore, clock: Clock = _CLOCK
) -> AsyncGenerator[ModelDelta, None]:
    """One streamed call of a model; close it (``contextlib.aclosing``) to close the connection.

    A stream closed by its reader is recorded with what had come and ``finish_reason`` ``closed``.

    Raises:
        ModelError: as the model raised it; ``on_call`` has been told before.
    """
    request = _neutral(request)
    started = clock.monotonic()
    first: float | None = None
    reply: ModelReply | None = None
    error: BaseException | None = None
    shown = ""
    pieces = model.stream(request)
    try:
        async for delta in pieces:
            if delta.text and first is None:
                first = clock.monotonic() - started
            shown += delta.text
            reply = delta.reply or reply
            yield delta
    except BaseException as raised:
        error = raised
        raise
    finally:
        seconds = clock.monotonic() - started
        on_call(_record(model, request, phase, reply=reply, error=error, seconds=seconds, shown=shown, first=first))
        close = getattr(pieces, "aclose", None)
        if close is not None:
            await close()


async def ask(
    model: Model,
    request: ModelRequest,
    schema: TypeAdapter[T] | type[T],
    *,
    phase: str,
    on_call: OnCall = ignore,
    repair: bool = True,
    hints: Hints = HINTS,
    clock: Clock = _CLOCK,
) -> Asked[T]:
    """Ask for an answer of a given shape, down the ladder as far as the endpoint needs.

    ``json_schema`` → ``json_object`` → the prompt alone with tolerant reading → one mending call → no value and a reason. A
    form the endpoint refuses is remembered in ``model.capabilities``. Never raises a ModelError: see ``Asked.failure``.

    Args:
        model: the endpoint.
        request: ``structured`` may name the form to begin with; ``schema`` is filled in here. A ``prefill`` counts as
            the begin of the answer.
        schema: a pydantic model, or a module-level ``TypeAdapter``.
        phase: for the records of the calls.
        on_call: told of every call.
        repair: whether an unreadable answer is worth one more call.
        hints: what to say where no schema is enforced.
        clock: for the times in the records.
    """
    adapter = _adapter(schema)
    question = _Question(model, request, adapter, phase=phase, on_call=on_call, hints=hints, clock=clock)
    form = max(request.structured or _RUNGS[0], model.capabilities.structured, key=_RUNGS.index)
    while True:
        try:
            reply = await question.put(form)
        except UnsupportedFeature as refused:
            feature = refused.details.get("feature")
            if feature not in _RUNGS or form == "prompt":
                return question.failed(refused, form)
            form = _RUNGS[_RUNGS.index(form) + 1]
            if refused.details.get("remember", True):
                model.capabilities.structured = max(model.capabilities.structured, form, key=_RUNGS.index)
            question.notes.append(f"fell back to {form}: {refused.message}")
        except (EmptyReply, TruncatedStream) as nothing:
            return await question.mend("", nothing.message, nothing, form) if repair else question.failed(nothing, form)
        except ModelError as failure:
            return question.failed(failure, form)
        else:
            break
    value, problem = question.read(reply)
    if not problem:
        return question.answered(value, form)
    unreadable = question.unreadable(problem, reply.text)
    return await question.mend(reply.text, problem, unreadable, form) if repair else question.failed(unreadable, form)


def read(text: str, schema: TypeAdapter[T] | type[T]) -> tuple[T | None, str, str]:
    """The structured answer in a text: value, problem, note. Without a problem the value holds, even if it is None."""
    adapter = _adapter(schema)
    shape = _schema(adapter)
    problem = "there is no JSON in it" if text.strip() else "it is empty"
    found: list[tuple[T | None, str]] = []
    for reading in readings(text):
        for candidate in _shapes(reading, shape):
            value, wrong = _validated(candidate, adapter, shape)
            if not wrong:
                found.append((value, candidate.note))
                break
            problem = wrong
    if not found:
        return None, problem, ""
    value, note = found[0] if len(found) == 1 or not found[0][1] else found[-1]
    if len(found) > 1:
        note = "; ".join(filter(None, (note, f"{len(found)} different answers in the text, the last one taken")))
    return value, "", note


class _Question:
    """One question on its way down the ladder: what was called and noted so far."""

    def __init__(
        self,
        model: Model,
        request: ModelRequest,
        adapter: TypeAdapter[Any],
        *,
        phase: str,
        on_call: OnCall,
        hints: Hints,
        clock: Clock,
    ) -> None:
        self.notes: list[str] = []
        self._calls: list[ModelCall] = []
        self._model = model
        self._request = request
        self._adapter = adapter
        self._phase = phase
        self._on_call = on_call
        self._hints = hints
        self._clock = clock
        self._deadline = clock.monotonic() + request.timeout_s

    async def put(self, form: StructuredForm) -> ModelReply:
        """Ask in one form."""
        messages = self._request.messages
        if form != "json_schema":
            messages = _with_hint(messages, self._hints.schema.replace("{schema}", self._shown_schema))
        return await self._call(replace(self._request, messages=messages), form)

    async def mend(self, text: str, problem: str, failure: ModelError, form: StructuredForm) -> Asked[Any]:
        """Ask once more, saying what was wrong."""
        said = self._hints.repair.replace("{problem}", problem).replace("{schema}", self._shown_schema)
        messages = self._request.messages
        messages = (
            (*messages, ChatMessage("assistant", text), ChatMessage("user", said))
            if text.strip()
            else _with_hint(messages, said)
        )
        try:
            reply = await self._call(replace(self._request, messages=messages, temperature=0.0, prefill=""), form)
        except ContentFiltered as filtered:
            return self.failed(filtered, form)
        except ModelError as second:
            self.notes.append(f"the mending call failed: {second.message}")
            return self.failed(failure, form)
        value, still = self.read(reply, prefill="")
        if still:
            return self.failed(self.unreadable(still, reply.text), form)
        self.notes.append(f"mended by a second call: {problem}")
        return replace(self.answered(value, form), repaired=True)

    def read(self, reply: ModelReply, prefill: str | None = None) -> tuple[Any, str]:
        """Value and problem of an answer."""
        value, problem, note = read((self._request.prefill if prefill is None else prefill) + reply.text, self._adapter)
        if note:
            self.notes.append(note)
        if problem and reply.finish_reason == "length":
            problem = f"it was cut off at the limit of tokens; {problem}"
        return value, problem

    def answered(self, value: Any, form: StructuredForm) -> Asked[Any]:
        """The outcome with a value."""
        return Asked(value, tuple(self._calls), form, notes=tuple(self.notes))

    def failed(self, failure: ModelError, form: StructuredForm) -> Asked[Any]:
        """The outcome without one."""
        error = f"{type(failure).__name__}: {failure.message}"
        return Asked(None, tuple(self._calls), form, error, failure, tuple(self.notes))

    def unreadable(self, problem: str, text: str) -> ModelError:
        """The error for an answer no reading could save."""
        role = self._request.role
        msg = f"Expected JSON for {self._request.purpose or 'the question'!r} from the {role}, but {problem}. It said: {text[:200]!r}."
        remedy = "Use a larger model for this role, or raise max_tokens if the answer was cut off."
        return UnreadableStructure(msg, remedy=remedy, role=role, model=self._model.model_id(role), text=text)

    @property
    def _shown_schema(self) -> str:
        return json.dumps(_schema(self._adapter), ensure_ascii=False)

    async def _call(self, request: ModelRequest, form: StructuredForm) -> ModelReply:
        left = max(0.001, self._deadline - self._clock.monotonic())
        request = replace(request, structured=form, schema=_schema(self._adapter), timeout_s=left)
        return await call(self._model, request, phase=self._phase, on_call=self._note_call, clock=self._clock)

    def _note_call(self, made: ModelCall) -> None:
        self._calls.append(made)
        self._on_call(made)


def _neutral(request: ModelRequest) -> ModelRequest:
    """The request without chat-template tokens in its messages: typed into a message they would open a new one."""
    if not any(_TEMPLATE_TOKEN.search(message.content) for message in request.messages):
        return request
    messages = tuple(
        replace(message, content=_TEMPLATE_TOKEN.sub(r"<\1>", message.content)) for message in request.messages
    )
    return replace(request, messages=messages)


def _late(request: ModelRequest) -> ModelTimeout:
    return ModelTimeout(
        f"The {request.role} did not answer within {request.timeout_s:g} s.",
        remedy="Raise provider.timeout_s or harness.turn_timeout_s, or use a faster model.",
        role=request.role,
    )


def _with_hint(messages: tuple[ChatMessage, ...], hint: str) -> tuple[ChatMessage, ...]:
    """The hint at the end of the last message, so that the prefix stays as it is; a message of its own after an answer."""
    if messages and messages[-1].role == "user":
        last = messages[-1]
        return (*messages[:-1], ChatMessage("user", f"{last.content}\n\n{hint}"))
    return (*messages, ChatMessage("user", hint))


def _shapes(reading: Reading, shape: Mapping[str, Any]) -> list[Reading]:
    """A value as it is, and in the shapes it should have had: unwrapped from a list or key, wrapped into the only list."""
    value, note = reading.value, reading.note
    found = [reading]

    def add(other: Any, how: str) -> None:
        found.append(Reading(other, "; ".join(filter(None, (note, how)))))

    properties: Mapping[str, Any] = shape.get("properties", {})
    if shape.get("type") == "array":
        if isinstance(value, dict):
            lists = [item for item in value.values() if isinstance(item, list)]
            if len(lists) == 1:
                add(lists[0], "the list inside an object")
            add([value], "one element without its list")
        return found
    if isinstance(value, list):
        if len(value) == 1 and isinstance(value[0], dict):
            add(value[0], "the only element of a list")
        arrays = [name for name, part in properties.items() if part.get("type") == "array"]
        if len(arrays) == 1:
            add({arrays[0]: value}, f"a bare list taken as {arrays[0]!r}")
    elif len(value) == 1:
        key, inner = next(iter(value.items()))
        if key not in properties and isinstance(inner, dict):
            add(inner, f"unwrapped from {key!r}")
    return found


def _validated(reading: Reading, adapter: TypeAdapter[Any], shape: Mapping[str, Any]) -> tuple[Any, str]:
    """Value and problem. An object that shares no key with the schema is no answer, even if every key has a default."""
    value = reading.value
    properties: Mapping[str, Any] = shape.get("properties", {})
    if properties and isinstance(value, dict) and not properties.keys() & value.keys():
        return None, f"none of the keys {sorted(properties)!r} is in it"
    try:
        return adapter.validate_json(json.dumps(value)), ""
    except ValidationError as error:
        wrong = [
            f"{'.'.join(map(str, part['loc'])) or 'answer'}: {part['msg']}" for part in error.errors(include_url=False)
        ]
        return None, "; ".join(wrong[:3])


def _adapter(schema: TypeAdapter[T] | type[T]) -> TypeAdapter[T]:
    return (
        schema
        if isinstance(schema, TypeAdapter)
        else cast("TypeAdapter[T]", _adapter_of(cast("type[BaseModel]", schema)))
    )


@lru_cache(maxsize=128)
def _adapter_of(schema: type[BaseModel]) -> TypeAdapter[BaseModel]:
    return TypeAdapter(schema)


@lru_cache(maxsize=128)
def _schema(adapter: TypeAdapter[Any]) -> dict[str, Any]:
    return adapter.json_schema()


def _record(
    model: Model,
    request: ModelRequest,
    phase: str,
    *,
    reply: ModelReply | None,
    error: BaseException | None,
    seconds: float,
    shown: str = "",
    first: float | None = None,
) -> ModelCall:
    """The record of one call."""
    details = error.details if isinstance(error, ModelError) else {}
    # A generator that its reader closes ends in GeneratorExit: that is no failure of the call.
    closed = isinstance(error, GeneratorExit)
    failed = (
        ""
        if error is None or closed or reply is not None
        else f"{type(error).__name__}: {getattr(error, 'message', error)}"
    )
    text = reply.text if reply is not None else shown or str(details.get("text") or "")
    finish = reply.finish_reason if reply is not None else "closed" if closed else ""
    attempts = reply.attempts if reply is not None else details.get("attempts", 1)
    model_id = model.model_id(request.role)
    return ModelCall(
        phase=phase,
        purpose=request.purpose,
        role=request.role,
        model=model_id,
        request_hash=request.hash(model_id),
        messages=tuple((message.role, message.content) for message in request.messages),
        prefill=request.prefill,
        parameters=_parameters(request),
        reply=text,
        finish_reason=finish,
        usage=reply.usage if reply is not None else Usage(),
        seconds=seconds,
        first_token_seconds=first,
        attempts=attempts if isinstance(attempts, int) else 1,
        error=failed,
    )


def _parameters(request: ModelRequest) -> str:
    """The settings of a request as JSON; those left to the endpoint are left out."""
    values = {
        "temperature": request.temperature,
        "top_p": request.top_p,
        "max_tokens": request.max_tokens,
        "seed": request.seed,
        "stop": list(request.stop),
        "structured": request.structured,
        "schema": request.schema_name if request.structured == "json_schema" else None,
    }
    return json.dumps({name: value for name, value in values.items() if value not in (None, [])}, ensure_ascii=False)
