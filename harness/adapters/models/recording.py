"""Recording a model's calls into a file, and answering from recorded ones without a network."""

from __future__ import annotations

import asyncio
import json
import re
from collections import defaultdict, deque
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import aclosing
from pathlib import Path

from pydantic import ValidationError

from harness import errors
from harness.errors import ModelError, StoreError
from harness.ports import Capabilities, Model, ModelDelta, ModelReply, ModelRequest, Role, StructuredForm
from harness.ports.passing import PassingModel
from harness.state.record import ModelCall, Usage

_PIECES = re.compile(r"[^\s.!?。！？]*[.!?。！？\n]+|\s*[^\s.!?。！？]+|\s+")
"""Words; a piece never goes on behind the end of a sentence, where a reader of the stream may stop."""
_SHOWN = 80


class RecordingModel(PassingModel):
    """Passes every call on and appends it to a file of JSON lines, one :class:`~harness.state.record.ModelCall` each.

    Args:
        inner: the model that answers.
        path: the file; created with its folder, appended to.
        clean: makes what the model answered fit to be kept (takes secrets out); what it was sent is so already.
    """

    def __init__(self, inner: Model, path: Path, *, clean: Callable[[str], str] = str) -> None:
        super().__init__(inner)
        self._clean = clean
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Answer and record; a failure is recorded and raised."""
        try:
            reply = await super().complete(request)
        except ModelError as error:
            await self._keep(request, None, error)
            raise
        await self._keep(request, reply, None)
        return reply

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """Stream and record. A stream its reader closes early is not recorded: nobody knows how it would have ended."""
        try:
            async with aclosing(super().stream(request)) as pieces:
                async for delta in pieces:
                    if delta.reply is not None:
                        await self._keep(request, delta.reply, None)
                    yield delta
        except ModelError as error:
            await self._keep(request, None, error)
            raise

    async def _keep(self, request: ModelRequest, reply: ModelReply | None, error: ModelError | None) -> None:
        model = self.model_id(request.role)
        made = ModelCall(
            phase="",
            purpose=request.purpose,
            role=request.role,
            model=model,
            request_hash=request.hash(model),
            messages=tuple((message.role, message.content) for message in request.messages),
            prefill=request.prefill,
            parameters=json.dumps({"structured": request.structured} if request.structured else {}),
            reply=self._clean(_text(reply, error)),
            finish_reason=reply.finish_reason if reply is not None else "",
            usage=reply.usage if reply is not None else Usage(),
            attempts=reply.attempts if reply is not None else 1,
            error="" if error is None else self._clean(f"{type(error).__name__}: {error.message}"),
        )
        await asyncio.to_thread(self._append, made.model_dump_json() + "\n")

    def _append(self, line: str) -> None:
        with self._path.open("ab", buffering=0) as file:
            file.write(line.encode())  # in one piece: several processes may record into it


def _text(reply: ModelReply | None, error: ModelError | None) -> str:
    """What was answered, be it before a failure."""
    if reply is not None:
        return reply.text
    return str(error.details.get("text") or "") if error is not None else ""


class ReplayModel:
    """Answers from recorded calls, in the order they were made for each request; never touches a network.

    Args:
        calls: recorded calls (of a session's journal, say), or the file of a :class:`RecordingModel`.
        capabilities: what the endpoint could do. By default they follow the recording: the form of structured output is
            that of the next recorded call that has one, and a begun answer is taken when one was recorded.

    Attributes:
        unused: how many recorded calls have not been asked for.
    """

    def __init__(self, calls: Iterable[ModelCall] | Path, *, capabilities: Capabilities | None = None) -> None:
        recorded = tuple(read_calls(calls) if isinstance(calls, Path) else calls)
        self._recorded = recorded
        self._follows = capabilities is None
        self._capabilities = capabilities or Capabilities(
            prefill=None if any(call.prefill for call in recorded) else False
        )
        self._used: set[int] = set()
        self._models = {call.role: call.model for call in recorded}
        self._waiting: dict[str, deque[ModelCall]] = defaultdict(deque)
        for call in recorded:
            self._waiting[call.request_hash].append(call)

    @property
    def capabilities(self) -> Capabilities:
        """As given, or as the next recorded call needs them."""
        if not self._follows:
            return self._capabilities
        ahead = (_form(call) for call in self._recorded if id(call) not in self._used)
        self._capabilities.structured = next(filter(None, ahead), self._capabilities.structured)
        return self._capabilities

    @property
    def unused(self) -> int:
        """How many recorded calls have not been asked for."""
        return sum(len(waiting) for waiting in self._waiting.values())

    def model_id(self, role: Role) -> str:
        """The model id the role had when it was recorded; empty when it made no call."""
        return self._models.get(role, "")

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The recorded reply. Raises the recorded error, or a ModelError when the request was not recorded."""
        call = self._next(request)
        if call.error:
            raise _recorded_error(call)
        return _reply(call)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """The recorded reply in pieces; an error comes after what had arrived."""
        call = self._next(request)
        for piece in _PIECES.findall(call.reply):
            yield ModelDelta(text=piece)
        if call.error:
            raise _recorded_error(call)
        yield ModelDelta(reply=_reply(call))

    async def close(self) -> None:
        """Nothing to release."""

    def _next(self, request: ModelRequest) -> ModelCall:
        waiting = self._waiting[request.hash(self.model_id(request.role))]
        if waiting:
            call = waiting.popleft()
            self._used.add(id(call))
            return call
        msg = f"Expected a recorded answer for this request ({request.purpose or request.role}), but there is none: {self._why(request)}."
        remedy = "A replay needs the prompts, persona and settings of the recording; record again if they were changed on purpose."
        raise ModelError(msg, remedy=remedy, role=request.role, purpose=request.purpose)

    def _why(self, request: ModelRequest) -> str:
        """Where the nearest recorded request differs."""
        same = [call for call in self._recorded if call.purpose == request.purpose and call.role == request.role]
        if not same:
            return f"no call of this purpose is among the {len(self._recorded)} recorded"
        sent = tuple((message.role, message.content) for message in request.messages)
        nearest = max(same, key=lambda call: _common(sent, call.messages))
        index = _common(sent, nearest.messages)
        if index == len(sent) == len(nearest.messages):
            return "its messages were recorded, but with other parameters, or all such calls are used up"
        if index >= min(len(sent), len(nearest.messages)):
            return f"it has {len(sent)} messages where {len(nearest.messages)} were recorded"
        old, new = nearest.messages[index][1], sent[index][1]
        at = next(
            (place for place, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new))
        )
        return f"message {index + 1} has {new[at : at + _SHOWN]!r} where {old[at : at + _SHOWN]!r} was recorded"


def read_calls(path: Path) -> tuple[ModelCall, ...]:
    """The calls in a file of JSON lines. A last line that was cut off by a crash is left out.

    Raises:
        StoreError: the file cannot be read, or another line is no recorded call.
    """
    try:
        lines = path.read_text("utf-8").splitlines(keepends=True)
    except (OSError, UnicodeDecodeError) as error:
        msg = f"Expected recorded calls in {str(path)!r}, but it cannot be read: {error}."
        raise StoreError(msg, path=str(path)) from error
    calls: list[ModelCall] = []
    for number, line in enumerate(lines, 1):
        try:
            calls.append(ModelCall.model_validate_json(line))
        except ValidationError as error:
            if number == len(lines) and not line.endswith("\n"):
                break
            msg = f"Expected a recorded call in line {number} of {str(path)!r}, but got {line[:_SHOWN]!r}."
            raise StoreError(msg, remedy="Remove the line, or record again.", path=str(path), line=number) from error
    return tuple(calls)


def _common(sent: tuple[tuple[str, str], ...], recorded: tuple[tuple[str, str], ...]) -> int:
    """How many messages at the beginning are the same."""
    return next(
        (index for index, (a, b) in enumerate(zip(sent, recorded, strict=False)) if a != b),
        min(len(sent), len(recorded)),
    )


def _reply(call: ModelCall) -> ModelReply:
    return ModelReply(call.reply, call.model, call.finish_reason or "stop", call.usage, call.attempts)


def _form(call: ModelCall) -> StructuredForm | None:
    """The form of structured output a call asked for."""
    form = json.loads(call.parameters).get("structured") if call.parameters else None
    return form if form in {"json_schema", "json_object", "prompt"} else None


def _recorded_error(call: ModelCall) -> ModelError:
    name, _, message = call.error.partition(": ")
    kind = getattr(errors, name, ModelError)
    if not (isinstance(kind, type) and issubclass(kind, ModelError)):
        kind = ModelError
    feature = "prefill" if call.prefill else _form(call)
    return kind(
        message or call.error,
        remedy="(as recorded)",
        text=call.reply,
        model=call.model,
        role=call.role,
        feature=feature,
    )
