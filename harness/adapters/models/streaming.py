"""Reading a streamed completion: server-sent events, deadline, and whether it came to its end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import Protocol

from harness import errors
from harness.adapters.models.failures import Target
from harness.adapters.models.replies import (
    Cleaner,
    Completion,
    check_text,
    content_of,
    first_choice,
    has_reasoning,
    raise_error_body,
    read_usage,
    without_echo,
    without_reasoning,
)
from harness.errors import ModelError
from harness.ports.models import visible
from harness.state.record import Usage

_TRAILER_S = 2.0
"""Seconds to wait for usage and end marker after ``finish_reason``."""
_DRAIN_S = 0.05
"""Seconds to wait for the end of the body after ``[DONE]``, so that the connection can be used again."""


class Chunks(Protocol):
    """An open answer that gives its body in pieces."""

    def aiter_bytes(self) -> AsyncIterator[bytes]:
        """The decoded body."""
        ...


class StreamReader:
    """The visible pieces of one streamed answer.

    Args:
        response: the open answer; its status was 200 and its type that of an event stream.
        target: for errors.
        deadline: in the loop's time.
        timed_out: makes the error for a passed deadline out of the text that had arrived.
        broken: makes the error for a broken connection.
        close: releases the connection.
        prefill: the begun answer.
        failures: exception types that mean a broken connection.
    """

    def __init__(
        self,
        response: Chunks,
        target: Target,
        *,
        deadline: float,
        timed_out: Callable[[str], ModelError],
        broken: Callable[[BaseException], ModelError],
        close: Callable[[], Awaitable[object]],
        prefill: str,
        failures: tuple[type[BaseException], ...],
    ) -> None:
        self._events = _events(response.aiter_bytes())
        self._target = target
        self._deadline = deadline
        self._timed_out = timed_out
        self._broken = broken
        self._close = close
        self._prefill = prefill
        self._failures = failures
        self._cleaner = Cleaner(prefill)
        self._first: str | None = None
        self._whole = ""
        self._shown = ""
        self._finish = ""
        self._refusal = ""
        self._model = ""
        self._usage: Usage | None = None
        self._ended = False
        self._done = False
        self._reasoned = False
        self._tools = False

    async def start(self) -> None:
        """Read up to the first piece that can be shown (or to the end). Raises like the iteration."""
        self._first = await self._next_piece()

    def __aiter__(self) -> AsyncIterator[str]:
        """The pieces, never empty."""
        return self

    async def __anext__(self) -> str:
        """The next piece. Raises a ModelError when the stream fails or holds nothing."""
        if self._first is None:
            await self.start()
        piece, self._first = self._first, ""
        piece = piece or await self._next_piece()
        if not piece:
            raise StopAsyncIteration
        return piece

    @property
    def completion(self) -> Completion:
        """The finished answer; its text is authoritative."""
        text = without_echo(without_reasoning(visible(self._whole)), self._prefill)
        return Completion(text, self._model or self._target.model, self._finish or "stop", self._usage)

    async def aclose(self) -> None:
        """Release the connection: kept when the answer was read to its end, closed otherwise."""
        if self._done:
            with suppress(TimeoutError, StopAsyncIteration, *self._failures):
                async with asyncio.timeout(_DRAIN_S):
                    while True:
                        await anext(self._events)
        await self._close()

    async def _next_piece(self) -> str:
        """The next visible piece; empty at the end."""
        while not self._ended:
            event = await self._next_event()
            piece = self._take(event) if event is not None else self._end()
            if piece:
                self._shown += piece
                return piece
        return ""

    async def _next_event(self) -> str | None:
        """The data of the next event; None at the end of the body or at the end marker."""
        deadline = self._deadline
        if self._finish:
            deadline = min(deadline, asyncio.get_running_loop().time() + _TRAILER_S)
        try:
            async with asyncio.timeout_at(deadline):
                event = await anext(self._events)
        except StopAsyncIteration:
            return None
        except TimeoutError:
            if self._finish:
                return None
            raise self._timed_out(self._shown) from None
        except self._failures as error:
            if self._finish:
                return None
            if not self._shown:
                raise self._broken(error) from error
            raise self._truncated(str(error) or type(error).__name__) from error
        if event == "[DONE]":
            self._done = True
            return None
        return event

    def _take(self, event: str) -> str:
        try:
            chunk = json.loads(event)
        except (ValueError, RecursionError) as error:
            if self._shown:
                raise self._truncated(f"an unreadable event: {event[:120]!r}") from error
            msg = f"Expected JSON in the stream of {self._target.shown}, but {event[:120]!r} came."
            raise self._target.error(
                errors.NotJSON, msg, "base_url may not point at a chat completions API."
            ) from error
        if not isinstance(chunk, dict):
            return ""
        raise_error_body(chunk, self._target)
        self._model = self._model or str(chunk.get("model") or "")
        self._usage = read_usage(chunk) or self._usage
        choice = first_choice(chunk)
        if choice is None:
            return ""
        raw = choice.get("delta") or choice.get("message")
        delta = raw if isinstance(raw, dict) else {}
        self._finish = str(choice.get("finish_reason") or "") or self._finish
        self._reasoned = self._reasoned or has_reasoning(delta)
        self._tools = self._tools or bool(delta.get("tool_calls"))
        self._refusal += str(delta.get("refusal") or "")
        text = content_of(delta)
        self._whole += text
        return self._cleaner.feed(text) if text else ""

    def _end(self) -> str:
        """The held rest at the end of the stream. Raises TruncatedStream, EmptyReply or ContentFiltered."""
        self._ended = True
        rest = self._cleaner.finish()
        if not (self._finish or self._done):
            self._shown += rest
            raise self._truncated("the connection ended")
        text = self._shown + rest
        check_text(text, self._finish or "stop", self._target, refusal=self._refusal, tools=self._tools,
                   reasoning=self._reasoned or bool(self._whole.strip()))  # fmt: skip
        return rest

    def _truncated(self, why: str) -> ModelError:
        msg = f"Expected the stream of {self._target.shown} to end with a finish_reason or [DONE], but {why}."
        remedy = "Try again; if it stays, a proxy or the server cuts long answers off."
        return self._target.error(errors.TruncatedStream, msg, remedy, text=self._shown)


async def _events(body: AsyncIterator[bytes]) -> AsyncIterator[str]:
    """The data lines of an event stream; one line is one event in this API. Errors sent as bare JSON are taken, too."""
    buffer = b""
    async for chunk in body:
        buffer += chunk
        *lines, buffer = buffer.split(b"\n")
        for line in lines:
            if data := _data(line):
                yield data
    if data := _data(buffer):
        yield data


def _data(line: bytes) -> str:
    text = line.decode("utf-8", "replace").strip()
    if text.startswith("data:"):
        return text[5:].strip()
    return text if text.startswith("{") else ""
