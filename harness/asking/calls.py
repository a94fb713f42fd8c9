"""A plain call of a model and a streamed one, each recorded once."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace

from harness.errors import (
    ModelError,
    ModelTimeout,
)
from harness.ports import Clock, Model, ModelDelta, ModelReply, ModelRequest, SystemClock, visible
from harness.state.record import ModelCall, Usage

GRACE_S = 0.25
"""How much longer than its deadline a model may take before it is not waited for: adapters give the better message."""

_TEMPLATE_TOKEN = re.compile(r"<\|([A-Za-z_][\w-]{0,40})\|>")
OnCall = Callable[[ModelCall], None]

_CLOCK = SystemClock()


def ignore(call: ModelCall) -> None:
    """The ``on_call`` of a caller that keeps no record."""


async def call(
    model: Model, request: ModelRequest, *, phase: str, on_call: OnCall = ignore, clock: Clock = _CLOCK
) -> ModelReply:
    """One call of a model. Whatever cannot be stored in its answer (a lone surrogate) is replaced, whichever model it is.

    Raises:
        ModelError: as the model raised it; ``on_call`` has been told before.
    """
    request = _neutral(request)
    started = clock.monotonic()
    reply: ModelReply | None = None
    error: BaseException | None = None
    try:
        async with asyncio.timeout(request.timeout_s + GRACE_S):
            reply = _storable(await model.complete(request))
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
    shown = held = ""
    pieces = model.stream(request)
    try:
        async for delta in pieces:
            if delta.text and first is None:
                first = clock.monotonic() - started
            text, held = _whole(held + delta.text, last=delta.reply is not None)
            shown += text
            if delta.reply is None:
                yield ModelDelta(text)
                continue
            reply = _storable(delta.reply)
            if text != delta.text:  # what was held back is shown before the answer is over
                yield ModelDelta(text)
                text = ""
            yield ModelDelta(text, reply)
        if held:
            shown += visible(held)
            yield ModelDelta(visible(held))
    except BaseException as raised:
        error = raised
        raise
    finally:
        seconds = clock.monotonic() - started
        on_call(_record(model, request, phase, reply=reply, error=error, seconds=seconds, shown=shown, first=first))
        close = getattr(pieces, "aclose", None)
        if close is not None:
            await close()


def _storable(reply: ModelReply) -> ModelReply:
    """The answer with a mark in the place of lone surrogates, so that it can be checked, shown and stored."""
    return replace(
        reply, text=visible(reply.text), model=visible(reply.model), finish_reason=visible(reply.finish_reason)
    )


def _whole(text: str, *, last: bool) -> tuple[str, str]:
    """What of a stream can be shown, and the first half of a pair whose second half is still to come."""
    if not last and "\ud800" <= text[-1:] <= "\udbff":
        return visible(text[:-1]), text[-1]
    return visible(text), ""


def _neutral(request: ModelRequest) -> ModelRequest:
    """The request without chat-template tokens in its messages: typed into a message they would open a new one."""
    typed = request.typed
    texts = [message.content for message in request.messages] + ([typed.text] if typed is not None else [])
    if not any(_TEMPLATE_TOKEN.search(text) for text in texts):
        return request
    messages = tuple(replace(message, content=_plain(message.content)) for message in request.messages)
    if typed is not None:
        typed = replace(typed, told=_plain(typed.told), text=_plain(typed.text))
    return replace(request, messages=messages, typed=typed)


def _plain(text: str) -> str:
    return _TEMPLATE_TOKEN.sub(r"<\1>", text)


def _late(request: ModelRequest) -> ModelTimeout:
    return ModelTimeout(
        f"The {request.role} did not answer within {request.timeout_s:g} s.",
        remedy="Raise provider.timeout_s or harness.turn_timeout_s, or use a faster model.",
        role=request.role,
    )


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
        else visible(f"{type(error).__name__}: {getattr(error, 'message', error)}")
    )
    text = reply.text if reply is not None else shown or visible(str(details.get("text") or ""))
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
