"""A real HTTP server on loopback that speaks OpenAI's chat completions and embeddings, and misbehaves on demand.

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
import ssl
import threading
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

from harness.testing._scripted_answers import Answer, Received
from harness.testing._scripted_wire import (
    MAX_HEAD,
    NotHTTP,
    completion,
    embedded,
    error_body,
    receive,
    send,
    stream,
    until_closed,
)

__all__ = ["Answer", "Embeddings", "Received", "Script", "ScriptedServer", "ServerThread"]

Script = Answer | Sequence[Answer | str] | Callable[[Received], Answer]
"""One answer for everything; answers in order, the last repeating, a text standing for a plain reply; or a function."""


Embeddings = int | Callable[[Received], Answer | Sequence[Sequence[float]]]
"""Vectors of so many numbers, the same for the same text; or a function of the request, which gives the vectors or an answer."""


class ScriptedServer:
    """The server. Use as an async context manager.

    Args:
        script: answers in order (the last repeats), or a function of the request.
        models: ids listed at ``/models``; None answers 404 there.
        prefix: path below which the API lives; anything else is 404.
        key: when set, another bearer token is answered with 401.
        strict_models: whether an id that is not in ``models`` is answered with 404.
        tls: serve https with this context.
        embeddings: what ``/embeddings`` gives; None answers 404 there.
        tokenize: the answer to ``POST /tokenize`` for a text; None answers 404 there.

    Attributes:
        requests: every request received, oldest first.
        disconnects: how many clients left before their answer was complete.
        connections: how many connections were opened.
    """

    def __init__(
        self,
        script: Script = ("Hello.",),
        *,
        models: Sequence[str] | None = ("test-model",),
        prefix: str = "/v1",
        key: str = "",
        strict_models: bool = False,
        tls: ssl.SSLContext | None = None,
        embeddings: Embeddings | None = None,
        tokenize: Callable[[str], object] | None = None,
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
        self.embeddings = embeddings
        self._tokenize = tokenize
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
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", port, ssl=self._tls, limit=MAX_HEAD)

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
            while (request := await receive(reader)) is not None:
                self.requests.append(request)
                if not await self._serve_watching(request, reader, writer):
                    break
        except NotHTTP:
            await send(writer, 400, "expected plain HTTP")
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.transport.abort() if writer.transport.is_closing() else writer.close()

    async def _serve_watching(
        self, request: Received, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Answer while watching whether the client leaves; False when the connection is over."""
        serving = asyncio.ensure_future(self._serve(request, writer))
        leaving = asyncio.ensure_future(until_closed(reader))
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
            await send(writer, 401, error_body("Incorrect API key provided.", "invalid_api_key"))
        elif route == "/models" and request.method == "GET" and self._models is not None:
            await send(
                writer, 200, {"object": "list", "data": [{"id": name, "object": "model"} for name in self._models]}
            )
        elif route == "/embeddings" and request.method == "POST" and self.embeddings is not None:
            return await self._complete(embedded(self.embeddings, request), request, writer)
        elif request.route == "/tokenize" and self._tokenize is not None:
            await send(writer, 200, self._tokenize(request.body["content"]))
        elif route != "/chat/completions":
            await send(writer, 404, {"detail": "Not Found"})
        elif request.method != "POST":
            await send(writer, 405, {"detail": "Method Not Allowed"})
        elif self._strict_models and request.body.get("model") not in (self._models or ()):
            said = f"The model `{request.body.get('model')}` does not exist or you do not have access to it."
            await send(writer, 404, error_body(said, "model_not_found"))
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
            body = answer.body if answer.body is not None else error_body(f"scripted {answer.status}", None)
            await send(writer, answer.status, body, answer.headers, answer.content_type)
            return True
        if answer.stream and request.body.get("stream"):
            return await stream(answer, request, writer)
        await send(writer, 200, completion(answer, request), answer.headers)
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
