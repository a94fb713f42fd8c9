"""A real HTTP server on loopback that speaks OpenAI's chat completions and misbehaves on demand.

::

    async with ScriptedServer([Answer(status=429, headers={"Retry-After": "0"}), Answer("Hello.")]) as server:
        model = OpenAIModel(server.base_url, models={"responder": "test-model"})
        ...
        assert server.requests[0].body["model"] == "test-model"

Answers are taken in order and the last one repeats; a function of the request can stand in for the list. Standard library
only. :class:`ServerThread` runs one beside synchronous code.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import ssl
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

_REASONS = {
    200: "OK",
    307: "Temporary Redirect",
    400: "Bad Request",
    401: "Unauthorized",
    404: "Not Found",
    429: "Too Many Requests",
}
_MAX_HEAD = 1 << 16


@dataclass(frozen=True, slots=True)
class Answer:
    """How to answer one ``POST …/chat/completions``.

    Attributes:
        text: the reply. ``None`` gives ``content: null``.
        status: HTTP status; with 400 and above ``body`` or a plain error object is sent.
        headers: added to the response.
        body: sent as it is instead of a completion; a mapping or list as JSON.
        content_type: of ``body``; by default JSON for a mapping, HTML for text that begins with ``<``.
        message: fields added to the message (``refusal``, ``reasoning_content``); in a stream, to the first delta.
        finish_reason: of the completion; None leaves it out.
        usage: None leaves it out; by default counted in words.
        delay_s: before anything is sent.
        pieces: of the stream; by default the text in words.
        piece_delay_s: between pieces.
        cut_after: end a stream cleanly after so many pieces, without finish_reason and end marker.
        drop_after: break the connection after so many pieces; 0 before the status line.
        done: whether ``data: [DONE]`` ends a stream.
        stream: False answers whole even when a stream was asked for.
    """

    text: str | None = "Hello."
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: object = None
    content_type: str = ""
    message: Mapping[str, Any] = field(default_factory=dict)
    finish_reason: str | None = "stop"
    usage: Mapping[str, Any] | None = field(default_factory=lambda: {"counted": True})
    delay_s: float = 0.0
    pieces: Sequence[str] | None = None
    piece_delay_s: float = 0.0
    cut_after: int | None = None
    drop_after: int | None = None
    done: bool = True
    stream: bool = True


@dataclass(frozen=True, slots=True)
class Received:
    """A request as it arrived. ``headers`` have lower-case names; ``body`` is the decoded JSON, or None."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any

    @property
    def route(self) -> str:
        """The path without its query."""
        return self.path.partition("?")[0]


Script = Answer | Sequence[Answer | str] | Callable[[Received], Answer]
"""One answer for everything; answers in order, the last repeating, a text standing for a plain reply; or a function."""


class ScriptedServer:
    """The server. Use as an async context manager.

    Args:
        script: answers in order (the last repeats), or a function of the request.
        models: ids listed at ``/models``; None answers 404 there.
        prefix: path below which the API lives; anything else is 404.
        key: when set, another bearer token is answered with 401.
        strict_models: whether an id that is not in ``models`` is answered with 404.
        tls: serve https with this context.

    Attributes:
        requests: every request received, oldest first.
        disconnects: how many clients left before their answer was complete.
        connections: how many connections were opened.
    """

    def __init__(
        self,
        script: Script = (Answer(),),
        *,
        models: Sequence[str] | None = ("test-model",),
        prefix: str = "/v1",
        key: str = "",
        strict_models: bool = False,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.requests: list[Received] = []
        self.disconnects = 0
        self.connections = 0
        self._script = script
        self._next = 0
        self._models = models
        self._prefix = prefix.rstrip("/")
        self._key = key
        self._strict_models = strict_models
        self._tls = tls
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._left = asyncio.Event()

    @property
    def port(self) -> int:
        """The port in use."""
        if self._server is None:
            msg = "The scripted server is not running; use it with `async with`."
            raise RuntimeError(msg)
        return int(self._server.sockets[0].getsockname()[1])

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}"

    @property
    def base_url(self) -> str:
        """What a user would configure."""
        return self.origin + self._prefix

    @property
    def chats(self) -> list[Received]:
        """The completion requests among :attr:`requests`."""
        return [request for request in self.requests if request.route == f"{self._prefix}/chat/completions"]

    async def client_left(self, timeout_s: float = 2.0) -> bool:
        """Wait until a client has left before its answer was complete; False when none does in time."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                await self._left.wait()
        return self._left.is_set()

    async def start(self, port: int = 0) -> None:
        """Listen on loopback."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", port, ssl=self._tls, limit=_MAX_HEAD)

    async def stop(self) -> None:
        """Stop listening and break every open connection."""
        if self._server is not None:
            self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def __aenter__(self) -> Self:
        """Start."""
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Stop."""
        await self.stop()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.current_task()
        if task is not None:
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        try:
            while (request := await _receive(reader)) is not None:
                self.requests.append(request)
                if not await self._serve_watching(request, reader, writer):
                    break
        except _NotHTTP:
            await _send(writer, 400, "expected plain HTTP")
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.transport.abort() if writer.transport.is_closing() else writer.close()

    async def _serve_watching(
        self, request: Received, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Answer while watching whether the client leaves; False when the connection is over."""
        serving = asyncio.ensure_future(self._serve(request, writer))
        leaving = asyncio.ensure_future(_until_closed(reader))
        try:
            await asyncio.wait({serving, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if not serving.done():
                self._note_departure()
                return False
            try:
                return serving.result()
            except ConnectionError:
                self._note_departure()
                return False
        finally:
            for future in (serving, leaving):
                future.cancel()
            await asyncio.gather(serving, leaving, return_exceptions=True)

    def _note_departure(self) -> None:
        self.disconnects += 1
        self._left.set()

    async def _serve(self, request: Received, writer: asyncio.StreamWriter) -> bool:
        route = request.route.removeprefix(self._prefix) if request.route.startswith(f"{self._prefix}/") else ""
        if self._key and request.headers.get("authorization") != f"Bearer {self._key}":
            await _send(writer, 401, _error("Incorrect API key provided.", "invalid_api_key"))
        elif route == "/models" and request.method == "GET" and self._models is not None:
            await _send(
                writer, 200, {"object": "list", "data": [{"id": name, "object": "model"} for name in self._models]}
            )
        elif route != "/chat/completions":
            await _send(writer, 404, {"detail": "Not Found"})
        elif request.method != "POST":
            await _send(writer, 405, {"detail": "Method Not Allowed"})
        elif self._strict_models and request.body.get("model") not in (self._models or ()):
            said = f"The model `{request.body.get('model')}` does not exist or you do not have access to it."
            await _send(writer, 404, _error(said, "model_not_found"))
        else:
            return await self._complete(self._answer(request), request, writer)
        return True

    def _answer(self, request: Received) -> Answer:
        if callable(self._script):
            return self._script(request)
        if isinstance(self._script, Answer):
            return self._script
        answer = self._script[min(self._next, len(self._script) - 1)]
        self._next += 1
        return Answer(text=answer) if isinstance(answer, str) else answer

    async def _complete(self, answer: Answer, request: Received, writer: asyncio.StreamWriter) -> bool:
        if answer.delay_s:
            await asyncio.sleep(answer.delay_s)
        if answer.drop_after == 0:
            writer.transport.abort()
            return False
        if answer.body is not None or answer.status != 200:
            body = answer.body if answer.body is not None else _error(f"scripted {answer.status}", None)
            await _send(writer, answer.status, body, answer.headers, answer.content_type)
            return True
        if answer.stream and request.body.get("stream"):
            return await _stream(answer, request, writer)
        await _send(writer, 200, _completion(answer, request), answer.headers)
        return True


class ServerThread:
    """A :class:`ScriptedServer` in a thread of its own, for synchronous tests and child processes.

    ::

        with ServerThread(ScriptedServer([Answer("Hi.")])) as server:
            subprocess.run([..., server.base_url])
    """

    def __init__(self, server: ScriptedServer) -> None:
        self.server = server
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> ScriptedServer:
        """Start."""
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self.server.start(), self._loop).result(10)
        return self.server

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Stop."""
        asyncio.run_coroutine_threadsafe(self.server.stop(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()


class _NotHTTP(Exception):
    """The client began with something else, a TLS handshake most likely."""


async def _receive(reader: asyncio.StreamReader) -> Received | None:
    """One request; None when the client closed the connection."""
    try:
        first_byte = await reader.readexactly(1)
        if not first_byte.isalpha():
            raise _NotHTTP
        head = (first_byte + await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.rstrip("\r\n").split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    raw = await reader.readexactly(int(headers.get("content-length", "0")))
    return Received(method, path, headers, json.loads(raw) if raw else None)


async def _until_closed(reader: asyncio.StreamReader) -> None:
    """Return when the client has closed; a client sends nothing while it waits for an answer."""
    with contextlib.suppress(ConnectionError):
        await reader.read(1)


async def _send(
    writer: asyncio.StreamWriter,
    status: int,
    body: object,
    headers: Mapping[str, str] | None = None,
    content_type: str = "",
) -> None:
    text = body if isinstance(body, str) else json.dumps(body)
    kind = content_type or (
        "application/json" if not isinstance(body, str) else "text/html" if body.startswith("<") else "text/plain"
    )
    raw = text.encode()
    _head(writer, status, {"Content-Type": kind, "Content-Length": str(len(raw)), **(headers or {})})
    writer.write(raw)
    await writer.drain()


def _head(writer: asyncio.StreamWriter, status: int, headers: Mapping[str, str]) -> None:
    lines = [
        f"HTTP/1.1 {status} {_REASONS.get(status, 'Scripted')}",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    writer.write(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))


async def _stream(answer: Answer, request: Received, writer: asyncio.StreamWriter) -> bool:
    """Server-sent events in HTTP chunks."""
    _head(writer, 200, {"Content-Type": "text/event-stream", "Transfer-Encoding": "chunked", **answer.headers})
    pieces = list(answer.pieces) if answer.pieces is not None else re.findall(r"\S+\s*|\s+", answer.text or "")
    await _event(writer, _chunk(request, {"role": "assistant", **answer.message}))
    for index, piece in enumerate(pieces):
        if index == answer.cut_after:
            break
        if index == answer.drop_after:
            writer.transport.abort()
            return False
        await _event(writer, _chunk(request, {"content": piece}))
        if answer.piece_delay_s:
            await asyncio.sleep(answer.piece_delay_s)
    if answer.cut_after is None:
        await _event(writer, _chunk(request, {}, answer.finish_reason))
        usage = _usage(answer, request)
        if usage is not None and (request.body.get("stream_options") or {}).get("include_usage"):
            await _event(writer, {"object": "chat.completion.chunk", "choices": [], "usage": usage})
        if answer.done:
            await _event(writer, "[DONE]")
    writer.write(b"0\r\n\r\n")
    await writer.drain()
    return True


async def _event(writer: asyncio.StreamWriter, data: object) -> None:
    raw = f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n".encode()
    writer.write(f"{len(raw):x}\r\n".encode() + raw + b"\r\n")
    await writer.drain()


def _chunk(request: Received, delta: Mapping[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": dict(delta), "finish_reason": finish}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "model": request.body.get("model"),
        "choices": [choice],
    }


def _completion(answer: Answer, request: Received) -> dict[str, Any]:
    message = {"role": "assistant", "content": answer.text, **answer.message}
    body: dict[str, Any] = {"id": "chatcmpl-1", "object": "chat.completion", "model": request.body.get("model"),
                            "choices": [{"index": 0, "message": message, "finish_reason": answer.finish_reason}]}  # fmt: skip
    usage = _usage(answer, request)
    return body if usage is None else {**body, "usage": usage}


def _usage(answer: Answer, request: Received) -> Mapping[str, Any] | None:
    if answer.usage is None or "counted" not in answer.usage:
        return answer.usage
    prompt = sum(len(str(message.get("content")).split()) for message in request.body.get("messages", ()))
    completion = len((answer.text or "").split())
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def _error(message: str, code: str | None) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": code}}
