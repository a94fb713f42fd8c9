"""Any OpenAI-compatible endpoint as a :class:`harness.ports.Model`. The only module that imports ``openai``.

The SDK carries the request: connection, authentication, pooling. What comes back is read here from the raw answer,
because the SDK's typed reading turns a web page into a ``str`` and an error object into ``choices=None``, and hides
whether a stream was complete.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import ssl
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qsl, urlsplit, urlunsplit

import anyio

from harness import errors
from harness.adapters.models.connecting import from_connection, proxy_for
from harness.adapters.models.dialect import Dialect, PrefillStyle
from harness.adapters.models.embeddings import read_embeddings
from harness.adapters.models.endpoint import normalize_base_url
from harness.adapters.models.failures import Refusal, Target, from_status
from harness.adapters.models.pacing import Pace
from harness.adapters.models.queueing import Queue, QueueTimeout
from harness.adapters.models.replies import Completion, decode, estimated_usage, read_completion
from harness.adapters.models.retrying import parse_retry_after, retrying
from harness.adapters.models.streaming import StreamReader
from harness.adapters.models.tokenizing import read_count, tokenize_body, tokenize_url
from harness.errors import ModelError, SettingsError
from harness.ports import Capabilities, Clock, ModelDelta, ModelReply, ModelRequest, Role, SystemClock

if TYPE_CHECKING:
    import httpx2
    import openai

T = TypeVar("T")

_FALLBACK_ROLES: Mapping[Role, Role] = {"extractor": "summarizer", "summarizer": "responder", "evaluator": "responder"}
COUNT_TIMEOUT_S = 2.0
"""Seconds that an endpoint may take to count the tokens of a text."""
_NO_KEY = "none"
"""Sent where no key is configured: the SDK insists on one, and local servers do not look."""
_PREPARING = threading.Lock()


@dataclass(slots=True)
class _Call:
    """One call under way. ``deadline`` is in the loop's time; ``attempts`` counts requests sent."""

    request: ModelRequest
    target: Target
    timeout_s: float
    deadline: float
    attempts: int = 0

    def remaining(self) -> float:
        """Seconds left."""
        return self.deadline - asyncio.get_running_loop().time()

    def reply(self, done: Completion) -> ModelReply:
        """The reply as the port wants it."""
        usage = done.usage or estimated_usage(
            "\n".join(message.content for message in self.request.messages), done.text
        )
        return ModelReply(done.text, done.model, done.finish_reason, usage, self.attempts)


class OpenAIModel:
    """One endpoint with its roles.

    Args:
        base_url: as the user wrote it; see :func:`~harness.adapters.models.endpoint.normalize_base_url`.
        models: role to model id. A missing extractor is the summarizer, a missing summarizer or evaluator the responder.
        api_key: None for a server that needs none.
        timeout_s: upper bound of any call's deadline in seconds, retries included.
        connect_timeout_s: seconds for one connection attempt.
        max_attempts: requests per call when the failures are passing ones.
        extra_body: fields added to every request, such as ``{"chat_template_kwargs": {"enable_thinking": False}}``.
        trust_env: whether the proxy variables and ``SSL_CERT_FILE`` count.
        prefill_style: how a begun answer is sent; see :mod:`~harness.adapters.models.dialect`.
        first_wait_s: wait before the second attempt in seconds; doubles after that.
        max_concurrency: completions under way at once, a stream until it is closed; the others wait for their turn, and
            the wait counts against their deadline. A stream's consumer that makes a call of its own waits for itself.
        pace: limits shared with others who ask the endpoint.
        clock: for dates in ``Retry-After``.

    No other variable of the environment is read: neither ``OPENAI_BASE_URL`` nor key, organization, project or headers.
    """

    def __init__(
        self,
        base_url: str,
        *,
        models: Mapping[Role, str],
        api_key: str | None = None,
        timeout_s: float = 120.0,
        connect_timeout_s: float = 10.0,
        max_attempts: int = 3,
        extra_body: Mapping[str, Any] | None = None,
        trust_env: bool = True,
        prefill_style: PrefillStyle = "auto",
        first_wait_s: float = 0.5,
        max_concurrency: int | None = None,
        pace: Pace | None = None,
        clock: Clock | None = None,
    ) -> None:
        parts = urlsplit(normalize_base_url(base_url))
        self.base_url = urlunsplit((parts.scheme, parts.netloc, parts.path, "", ""))
        self._query = dict(parse_qsl(parts.query))
        self._models = dict(models)
        self._key = _sendable(api_key or "")
        self._timeout_s = timeout_s
        self._connect_timeout_s = connect_timeout_s
        self._max_attempts = max_attempts
        self._trust_env = trust_env
        self._first_wait_s = first_wait_s
        self._queue = Queue(max_concurrency)
        self._pace = pace or Pace(self.base_url)
        self._clock = clock or SystemClock()
        self._dialect = Dialect(parts.hostname or "", prefill_style=prefill_style, extra_body=extra_body)
        self._tls: ssl.SSLContext | None = None
        self._client: openai.AsyncOpenAI | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def __repr__(self) -> str:
        """Address and models; never the key."""
        return f"OpenAIModel({self._target('', 'responder').shown!r}, models={self._models!r})"

    @property
    def capabilities(self) -> Capabilities:
        """What is known of the endpoint."""
        return self._dialect.capabilities

    def model_id(self, role: Role) -> str:
        """The model id of a role. Raises SettingsError when none is configured."""
        wanted: Role | None = role
        while wanted is not None:
            if found := self._models.get(wanted):
                return found
            wanted = _FALLBACK_ROLES.get(wanted)
        msg = f"No model is configured for the role {role!r}; configured are {sorted(role for role, model in self._models.items() if model)!r}."
        raise SettingsError(
            msg, remedy=f"Set models.{role} to a model id the endpoint serves.", setting=f"models.{role}"
        )

    async def warm(self) -> None:
        """Import the SDK and build what is slow in a thread, so that the first call does not block the loop."""
        if self._tls is None:
            await asyncio.to_thread(self._prepare)

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Answer at once. Raises a :class:`harness.errors.ModelError`."""
        call = await self._begin(request)
        async with self._turn(call):
            return call.reply(await self._retrying(call, lambda: self._complete_once(call)))

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """Answer piece by piece; closing the iterator closes the connection. Raises like :meth:`complete`.

        Retries happen only before the first piece. The text of the last delta's reply is authoritative.
        """
        call = await self._begin(request)
        async with self._turn(call), aclosing(await self._retrying(call, lambda: self._open(call))) as reader:
            async for piece in reader:
                yield ModelDelta(text=piece)
            yield ModelDelta(reply=call.reply(reader.completion))

    async def list_models(self, timeout_s: float = 10.0) -> tuple[str, ...]:
        """The model ids the endpoint lists (``GET /models``). Raises a ModelError, also when it has no list."""
        target = self._target("", "responder", "models")
        call = await self._begin(ModelRequest("responder", (), timeout_s=timeout_s), target)
        client = self._connected(call)
        with self._translated(call):
            async with asyncio.timeout_at(call.deadline):
                raw = await client.models.with_raw_response.list(extra_query=self._query)
        data = decode(raw.text, target).get("data")
        if not isinstance(data, list):
            msg = f"Expected a list of models from {target.shown}, but {raw.text[:200]!r} came."
            raise target.error(
                errors.MalformedReply, msg, "Not every endpoint lists its models; that alone is no fault."
            )
        return tuple(str(entry["id"]) for entry in data if isinstance(entry, dict) and "id" in entry)

    async def embed(
        self, texts: Sequence[str], *, model: str, timeout_s: float = 60.0
    ) -> tuple[tuple[float, ...], ...]:
        """A vector for each text (``POST /embeddings``), in their order. Raises a ModelError."""
        target = Target(f"{self.base_url}/embeddings", model, "responder", self._key)
        call = await self._begin(ModelRequest("responder", (), timeout_s=timeout_s), target)

        async def once() -> tuple[tuple[float, ...], ...]:
            client = self._connected(call)
            with self._translated(call):
                async with asyncio.timeout_at(call.deadline):
                    raw = await client.embeddings.with_raw_response.create(
                        model=model, input=list(texts), encoding_format="float", extra_query=self._query
                    )
            return read_embeddings(decode(raw.text, target), target, len(texts))

        async with self._turn(call):
            return await self._retrying(call, once)

    async def count_tokens(self, text: str) -> int | None:
        """Tokens of a text as the responder's tokenizer counts them; None where the endpoint cannot count (see
        :mod:`~harness.adapters.models.tokenizing`). It is asked once, without a place in the queue, and never raises.
        """
        target = Target(tokenize_url(self.base_url), self.model_id("responder"), "responder", self._key)
        try:
            call = await self._begin(ModelRequest("responder", (), timeout_s=COUNT_TIMEOUT_S), target)
            client = self._connected(call)
            with self._translated(call):
                async with asyncio.timeout_at(call.deadline):
                    body = tokenize_body(text, target.model)
                    answer = await client.post(target.url, cast_to=object, body=body)
        except ModelError:
            return None
        return read_count(answer)

    async def close(self) -> None:
        """Release connections. A later call opens new ones."""
        client, self._client = self._client, None
        if client is not None and self._loop is asyncio.get_running_loop():
            await client.close()

    def _target(self, model: str, role: Role, path: str = "chat/completions") -> Target:
        return Target(f"{self.base_url}/{path}", model, role, self._key)

    async def _begin(self, request: ModelRequest, target: Target | None = None) -> _Call:
        if target is None:
            target = self._target(self.model_id(request.role), request.role)
            self._dialect.check(request, target)
        await self.warm()
        timeout_s = min(request.timeout_s, self._timeout_s)
        return _Call(request, target, timeout_s, asyncio.get_running_loop().time() + timeout_s)

    @asynccontextmanager
    async def _turn(self, call: _Call) -> AsyncIterator[None]:
        """Wait for a place among the calls under way and hold it."""
        try:
            async with self._queue.place(call.deadline), self._pace.place(call.deadline):
                yield
        except QueueTimeout:
            msg = (
                f"Expected a turn at {call.target.shown} within {call.timeout_s:g} s, but the calls before this one "
                f"(max_concurrency={self._queue.places or self._pace.places or None!r}"
                f"{f', requests_per_minute={self._pace.requests_per_minute:g}' if self._pace.requests_per_minute else ''}) took longer."
            )
            remedy = "Raise provider.timeout_s, ask for shorter answers, or close streams that are no longer read."
            raise call.target.error(
                errors.ModelTimeout, msg, remedy, seconds=call.timeout_s, text="", at="queue"
            ) from None

    async def _retrying(self, call: _Call, attempt: Callable[[], Awaitable[T]]) -> T:
        async def in_a_form_it_takes() -> T:
            while True:
                await self._pace.start(call.deadline)
                try:
                    return await attempt()
                except _AskAgain:
                    continue

        self._connected(call)
        try:
            return await retrying(
                in_a_form_it_takes,
                max_attempts=self._max_attempts,
                remaining=call.remaining,
                first_wait_s=self._first_wait_s,
            )
        except ModelError as error:
            error.details["attempts"] = call.attempts
            raise

    async def _complete_once(self, call: _Call) -> Completion:
        client = self._connected(call)
        body = self._dialect.body(call.request, call.target.model, stream=False)
        with self._translated(call, body):
            async with asyncio.timeout_at(call.deadline):
                raw = await client.chat.completions.with_raw_response.create(
                    **_arguments(body), extra_query=self._query
                )
        return read_completion(decode(raw.text, call.target), call.target, call.request.prefill)

    async def _open(self, call: _Call) -> StreamReader:
        """A reader that stands at the first visible piece."""
        client = self._connected(call)
        body = self._dialect.body(call.request, call.target.model, stream=True)
        stack = AsyncExitStack()
        try:
            with self._translated(call, body):
                opening = client.chat.completions.with_streaming_response.create(
                    **_arguments(body), extra_query=self._query
                )
                async with asyncio.timeout_at(call.deadline):
                    response = (await stack.enter_async_context(opening)).http_response
                    chunks = response if _is_stream(response) else _at_once(await response.aread(), call)
            reader = StreamReader(
                chunks,
                call.target,
                deadline=call.deadline,
                timed_out=lambda text: _timed_out(call, text),
                broken=lambda error: from_connection(error, call.target, trust_env=self._trust_env),
                failures=_broken_connections(),
                close=stack.aclose,
                prefill=call.request.prefill,
            )
            await reader.start()
        except BaseException:
            await stack.aclose()
            raise
        return reader

    @contextmanager
    def _translated(self, call: _Call, body: Mapping[str, Any] | None = None) -> Iterator[None]:
        """Turn what the SDK raises for one request into this package's errors."""
        import openai

        call.attempts += 1
        try:
            yield
        except openai.APIStatusError as error:
            refusal = Refusal(error.status_code, error.response.text, error.response.headers)
            if body is not None and self._dialect.learn(refusal, call.request, body, call.target):
                raise _AskAgain from None
            failure = from_status(refusal, call.target)
            failure.details["retry_after"] = parse_retry_after(refusal.headers, self._clock.now())
            raise failure from error
        except openai.APIConnectionError as error:
            raise from_connection(
                error, call.target, trust_env=self._trust_env, seconds=self._connect_timeout_s
            ) from error
        except _broken_connections() as error:
            raise from_connection(error, call.target, trust_env=self._trust_env) from error
        except TimeoutError:
            raise _timed_out(call) from None

    def _connected(self, call: _Call) -> openai.AsyncOpenAI:
        """The client of the running loop: pooled connections belong to the loop they were opened in."""
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            self._client, self._loop = self._build(call.target), loop
        return self._client

    def _prepare(self) -> None:
        """Import the SDK with what it imports late, and read the certificates. Runs in a thread."""
        with _PREPARING:
            for late in ("openai.resources.chat.completions", "openai.resources.embeddings", "tenacity"):
                importlib.import_module(late)
            trusted = (
                (os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")) if self._trust_env else (None, None)
            )
            self._tls = _certificates(*trusted)

    def _build(self, target: Target) -> openai.AsyncOpenAI:
        import openai

        try:
            http = openai.DefaultAsyncHttpxClient(
                verify=self._tls if self._tls is not None else True,
                timeout=openai.Timeout(None, connect=self._connect_timeout_s),
                follow_redirects=False,
                trust_env=self._trust_env,
            )
        except (ValueError, ImportError) as error:
            proxy = proxy_for(target.url)
            source = proxy.shown if proxy is not None else "a proxy variable"
            msg = f"Expected a usable proxy address in {source}, but: {error}."
            raise target.error(errors.ProxyUnreachable, msg, "Correct or unset the variable.") from error
        client = openai.AsyncOpenAI(
            base_url=self.base_url, api_key=self._key or _NO_KEY, http_client=http, max_retries=0, webhook_secret=""
        )
        # The SDK has taken these from the environment; only what was configured here may be sent.
        client.organization = client.project = client.admin_api_key = None
        client._custom_headers = {"api-key": self._key} if "/deployments/" in self.base_url and self._key else {}  # noqa: SLF001
        return client


def _sendable(key: str) -> str:
    """The key. Raises AuthenticationFailed, without showing it, when it cannot stand in a header."""
    if key and not (key.isascii() and key.isprintable() and key == key.strip()):
        msg = "The API key holds white space, a line break or a character that cannot be sent."
        raise errors.AuthenticationFailed(msg, remedy="Copy the key again, as one word and without a line break.")
    return key


@lru_cache(maxsize=8)
def _certificates(file: str | None, directory: str | None) -> ssl.SSLContext:
    """The trusted authorities, read once per process: it takes some 40 ms."""
    import httpx2

    return httpx2.create_ssl_context(trust_env=bool(file or directory))


class _AskAgain(Exception):
    """The endpoint refused the form of a request, and another form is known."""


class _AtOnce:
    """A completion that came whole although a stream was asked for, as a stream of one event."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        self._body = body

    async def aiter_bytes(self) -> AsyncIterator[bytes]:
        """The one event and the end marker."""
        yield f"data: {json.dumps(self._body)}\n\ndata: [DONE]\n\n".encode()


def _at_once(body: bytes, call: _Call) -> _AtOnce:
    decoded = decode(body.decode("utf-8", "replace"), call.target)
    read_completion(decoded, call.target, call.request.prefill)
    return _AtOnce(decoded)


def _is_stream(response: httpx2.Response) -> bool:
    kind = response.headers.get("content-type", "").lower()
    return "json" not in kind and "html" not in kind


def _arguments(body: Mapping[str, Any]) -> dict[str, Any]:
    """The SDK's arguments: what its signature knows by name, everything else as extra body."""
    known = {name: body[name] for name in ("model", "messages", "stream") if name in body}
    return {**known, "extra_body": {name: value for name, value in body.items() if name not in known}}


def _broken_connections() -> tuple[type[BaseException], ...]:
    """Exception types of a connection that failed while its answer was read."""
    import httpx2

    return (httpx2.HTTPError, httpx2.StreamError, ssl.SSLError, ConnectionError, anyio.EndOfStream)


def _timed_out(call: _Call, text: str = "") -> ModelError:
    after = f" after {len(text)} characters" if text else ""
    msg = f"Expected {call.target.shown} to answer within {call.timeout_s:g} s, but the time was up{after}."
    remedy = "Raise provider.timeout_s, ask for a shorter answer, or use a faster model."
    return call.target.error(errors.ModelTimeout, msg, remedy, seconds=call.timeout_s, text=text, at="read")
