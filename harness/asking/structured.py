"""A question with a structured answer, down the ladder of forms as far as the endpoint needs."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter

from harness.asking.calls import OnCall, call, ignore
from harness.asking.reading import adapter_of, read, schema_of
from harness.errors import (
    ContentFiltered,
    EmptyReply,
    ModelError,
    TruncatedStream,
    UnreadableStructure,
    UnsupportedFeature,
)
from harness.ports import ChatMessage, Clock, Model, ModelReply, ModelRequest, StructuredForm, SystemClock
from harness.state.record import ModelCall

T = TypeVar("T")

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
    adapter = adapter_of(schema)
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
        return json.dumps(schema_of(self._adapter), ensure_ascii=False)

    async def _call(self, request: ModelRequest, form: StructuredForm) -> ModelReply:
        left = max(0.001, self._deadline - self._clock.monotonic())
        request = replace(request, structured=form, schema=schema_of(self._adapter), timeout_s=left)
        return await call(self._model, request, phase=self._phase, on_call=self._note_call, clock=self._clock)

    def _note_call(self, made: ModelCall) -> None:
        self._calls.append(made)
        self._on_call(made)


def _with_hint(messages: tuple[ChatMessage, ...], hint: str) -> tuple[ChatMessage, ...]:
    """The hint at the end of the last message, so that the prefix stays as it is; a message of its own after an answer."""
    if messages and messages[-1].role == "user":
        last = messages[-1]
        return (*messages[:-1], ChatMessage("user", f"{last.content}\n\n{hint}"))
    return (*messages, ChatMessage("user", hint))
