"""Every way an endpoint fails, on a real connection, and the error that says so."""

from __future__ import annotations

import asyncio
import socket
import ssl
import time
from contextlib import aclosing
from typing import Any

import pytest

from harness import errors
from harness.adapters.models.connecting import from_connection
from harness.adapters.models.failures import Target
from harness.adapters.models.openai_sdk import OpenAIModel
from harness.errors import ModelError
from harness.ports import ChatMessage, ModelRequest
from harness.testing.scripted_server import Answer, ScriptedServer

KEY = "sk-very-secret-key"
PAGE = "<!DOCTYPE html><html><head><title>Welcome to the dashboard</title></head></html>"
COMPLETION = {"choices": [{"message": {"content": "Hi."}, "finish_reason": "stop"}]}


def request(**changes: Any) -> ModelRequest:
    return ModelRequest("responder", (ChatMessage("user", "Hello?"),), **{"timeout_s": 5.0, **changes})


def connect(url: str, **options: Any) -> OpenAIModel:
    options = {
        "models": {"responder": "test-model"},
        "api_key": KEY,
        "max_attempts": 1,
        "first_wait_s": 0.01,
        **options,
    }
    return OpenAIModel(url, **options)


async def ask(model: Any, *, streamed: bool = False, **changes: Any) -> Any:
    try:
        if not streamed:
            return await model.complete(request(**changes))
        async with aclosing(model.stream(request(**changes))) as deltas:
            return [delta async for delta in deltas][-1].reply
    finally:
        await model.close()


def error_body(message: str, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", **more}}


STATUS = [
    (401, error_body(f"Incorrect API key provided: {KEY}"), errors.AuthenticationFailed, "api_key_env"),
    (400, error_body("API key not valid. Please pass a valid API key."), errors.AuthenticationFailed, "api_key_env"),
    (402, error_body("Insufficient Balance"), errors.PermissionRefused, "credit"),
    (403, error_body("Country not supported"), errors.PermissionRefused, "region"),
    (403, PAGE, errors.PermissionRefused, "firewall"),
    (404, error_body("The model `test-model` does not exist", code="model_not_found"), errors.ModelNotFound, "models.responder"),
    (404, {"error": {"message": "model 'test-model' not found", "type": "not_found_error"}}, errors.ModelNotFound, "models"),
    (404, {"object": "error", "message": "The model `test-model` does not exist.", "type": "NotFoundError"}, errors.ModelNotFound, "models"),
    (400, error_body("Model Not Exist"), errors.ModelNotFound, "models.responder"),
    (400, error_body("test-model is not a valid model ID"), errors.ModelNotFound, "models.responder"),
    (404, {"detail": "Not Found"}, errors.EndpointNotFound, "base_url"),
    (404, {"error": {"code": 404, "message": "File Not Found", "type": "not_found_error"}}, errors.EndpointNotFound, "base_url"),
    (404, PAGE, errors.EndpointNotFound, "base_url"),
    (405, {"detail": "Method Not Allowed"}, errors.EndpointNotFound, "base_url"),
    (429, error_body("Rate limit reached"), errors.RateLimited, "Wait"),
    (429, error_body("You exceeded your current quota", code="insufficient_quota"), errors.RateLimited, "credit"),
    (500, error_body("boom"), errors.ServerFailed, "log"),
    (502, "<html><title>502 Bad Gateway</title></html>", errors.ServerFailed, "log"),
    (503, error_body("Loading model"), errors.ServerFailed, "log"),
    (418, "short and stout", errors.BadRequest, "options"),
    (400, error_body("This model's maximum context length is 4096 tokens."), errors.ContextTooLong, "total_token_budget"),
    (400, error_body("too long", code="context_length_exceeded"), errors.ContextTooLong, "total_token_budget"),
    (400, {"error": {"message": "request (9000 tokens) exceeds the available context size (4096 tokens)",
                     "type": "exceed_context_size_error"}}, errors.ContextTooLong, "total_token_budget"),
    (400, error_body("prompt is too long: 214850 tokens > 200000 maximum"), errors.ContextTooLong, "total_token_budget"),
    (400, error_body("Range of input length should be [1, 30720]"), errors.ContextTooLong, "total_token_budget"),
    (500, error_body("the input exceeds the context length"), errors.ContextTooLong, "total_token_budget"),
    (422, {"error": "Input validation error: `inputs` must have less than 4095 tokens."}, errors.ContextTooLong, "budget"),
    (400, error_body("filtered", code="content_filter"), errors.ContentFiltered, "Rephrase"),
    (400, error_body("Content Exists Risk"), errors.ContentFiltered, "Rephrase"),
    (400, "<html><title>400 The plain HTTP request was sent to HTTPS port</title></html>", errors.TLSFailed, "https://"),
]  # fmt: skip


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize(("status", "body", "kind", "remedy"), STATUS)
async def test_status(status: Any, body: Any, kind: Any, remedy: Any, streamed: bool) -> None:
    async with ScriptedServer([Answer(status=status, body=body)]) as server:
        with pytest.raises(kind) as caught:
            await ask(connect(server.base_url), streamed=streamed)
    error = caught.value
    assert type(error) is kind
    assert remedy in error.remedy
    assert KEY not in str(error)
    assert error.details["model"] == "test-model"
    assert error.details["role"] == "responder"
    assert error.details["attempts"] == 1
    assert str(error.details["url"]).endswith("/v1/chat/completions")


MALFORMED = [
    (PAGE, errors.NotJSON, "web page came: 'Welcome to the dashboard'"),
    ("", errors.NotJSON, "an empty body"),
    ("it works", errors.NotJSON, "text that is no JSON"),
    ({"error": {"message": "upstream died", "code": 502}}, errors.ErrorBody, "upstream died"),
    ({"error": "no capacity"}, errors.ErrorBody, "no capacity"),
    ({"choices": None}, errors.NoChoices, "choices"),
    ({"choices": []}, errors.NoChoices, "choices"),
    ({"message": "hello"}, errors.NoChoices, "hello"),
    ([1], errors.NoChoices, "choices"),
    ({"choices": [{"message": None}]}, errors.EmptyReply, "an empty one"),
    ({"choices": [{"message": {"content": None}}]}, errors.EmptyReply, "an empty one"),
    ({"choices": [{"message": {"content": "  \n"}}]}, errors.EmptyReply, "an empty one|only reasoning"),
    ({"choices": [{"message": {"content": "<think>hm</think>"}}]}, errors.EmptyReply, "only reasoning"),
    ({"choices": [{"message": {"content": "<think>hm" }, "finish_reason": "length"}]}, errors.EmptyReply, "only reasoning"),
    ({"choices": [{"message": {"content": "", "reasoning_content": "hm"}}]}, errors.EmptyReply, "only reasoning"),
    ({"choices": [{"message": {"content": "", "tool_calls": [{"id": "1"}]}}]}, errors.EmptyReply, "only tool calls"),
    ({"choices": [{"message": {"content": ""}, "finish_reason": "length"}]}, errors.EmptyReply, "limit"),
    ({"choices": [{"message": {"content": "Well"}, "finish_reason": "content_filter"}]}, errors.ContentFiltered, "withheld"),
    ({"choices": [{"message": {"content": None, "refusal": "I can't."}}]}, errors.ContentFiltered, "I can't"),
]  # fmt: skip


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize(("body", "kind", "said"), MALFORMED)
async def test_answers_that_are_no_completion(body: Any, kind: Any, said: str, streamed: bool) -> None:
    kind_of = "text/html" if body == PAGE else "application/json"
    async with ScriptedServer([Answer(body=body, content_type=kind_of)]) as server:
        with pytest.raises(kind, match=said) as caught:
            await ask(connect(server.base_url), streamed=streamed)
    assert type(caught.value) is kind


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Answer("", pieces=[]), errors.EmptyReply),
        (Answer("", pieces=["<thi", "nk>only", " thoughts</think>"]), errors.EmptyReply),
        (Answer("", pieces=[], message={"reasoning_content": "hm"}), errors.EmptyReply),
        (Answer("", pieces=[], finish_reason="content_filter"), errors.ContentFiltered),
        (Answer("", pieces=[], message={"refusal": "I can't."}), errors.ContentFiltered),
        (Answer("", pieces=[], finish_reason=None, done=False), errors.TruncatedStream),
    ],
)
async def test_streams_with_nothing_to_say(answer: Any, kind: Any) -> None:
    async with ScriptedServer([answer]) as server:
        with pytest.raises(kind):
            await ask(connect(server.base_url), streamed=True)


async def test_an_error_inside_a_stream() -> None:
    event = 'data: {"error": {"message": "overloaded", "code": 529}}\n\n'
    async with ScriptedServer([Answer(body=event, content_type="text/event-stream")]) as server:
        with pytest.raises(errors.ErrorBody, match="overloaded"):
            await ask(connect(server.base_url), streamed=True)


async def test_a_truncated_stream_keeps_what_came() -> None:
    async with ScriptedServer([Answer("One two three four.", cut_after=2)]) as server:
        with pytest.raises(errors.TruncatedStream) as caught:
            await ask(connect(server.base_url), streamed=True)
    assert caught.value.details["text"] == "One two "


async def test_a_stream_that_breaks_keeps_what_came() -> None:
    async with ScriptedServer([Answer("One two three four.", drop_after=3, piece_delay_s=0.01)]) as server:
        with pytest.raises(errors.TruncatedStream) as caught:
            await ask(connect(server.base_url, max_attempts=3), streamed=True)
        assert len(server.chats) == 1  # never again after the first token
    assert str(caught.value.details["text"]).startswith("One ")


async def test_a_dropped_connection() -> None:
    async with ScriptedServer([Answer(drop_after=0)]) as server:
        with pytest.raises(errors.Unreachable, match="the connection broke"):
            await ask(connect(server.base_url))


@pytest.mark.parametrize("streamed", [False, True])
async def test_doubled_path(streamed: bool) -> None:
    async with ScriptedServer() as server:
        model = connect(f"{server.origin}/api/v1/chat/completions/v1#")
        with pytest.raises(errors.EndpointNotFound) as caught:
            await ask(model, streamed=streamed)
    assert "doubled" in caught.value.remedy


async def test_redirects_are_named_not_followed() -> None:
    async with ScriptedServer(
        [Answer(status=307, headers={"Location": "https://u:p@real.example/v1/chat/completions"})]
    ) as server:
        with pytest.raises(errors.EndpointNotFound, match=r"https://real\.example/v1") as caught:
            await ask(connect(server.base_url))
    assert "final address" in caught.value.remedy


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def test_connection_refused() -> None:
    with pytest.raises(errors.Unreachable, match="nothing listens there") as caught:
        await ask(connect(f"http://user:password@127.0.0.1:{free_port()}"))
    assert type(caught.value) is errors.Unreachable
    assert "password" not in str(caught.value)
    assert "password" not in str(caught.value.details)


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
async def test_a_proxy_that_points_nowhere(name: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, f"http://me:password@127.0.0.1:{free_port()}")
    async with ScriptedServer() as server:
        with pytest.raises(errors.ProxyUnreachable) as caught:
            await ask(connect(server.base_url))
        assert name in caught.value.message
        assert f"Unset {name}" in caught.value.remedy
        assert "password" not in str(caught.value)
        assert (await ask(connect(server.base_url, trust_env=False))).text == "Hello."
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        assert (await ask(connect(server.base_url))).text == "Hello."


async def test_a_proxy_of_a_scheme_nobody_speaks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "ftp://127.0.0.1:1")
    with pytest.raises(errors.ProxyUnreachable, match="HTTP_PROXY"):
        await ask(connect("http://127.0.0.1:9"))


async def test_a_name_that_does_not_resolve(monkeypatch: pytest.MonkeyPatch) -> None:
    async def lookup(*args: Any, **kwargs: Any) -> Any:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", lookup)
    with pytest.raises(errors.NameNotResolved, match="no-such-host") as caught:
        await ask(connect("http://no-such-host.example:8080"))
    assert "spelling" in caught.value.remedy


async def test_https_to_a_server_that_speaks_plain_http() -> None:
    async with ScriptedServer() as server:
        with pytest.raises(errors.TLSFailed) as caught:
            await ask(connect(server.base_url.replace("http://", "https://")))
    assert "http://" in caught.value.remedy


def test_a_self_signed_certificate() -> None:
    cause = ssl.SSLCertVerificationError(
        1, "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate"
    )
    cause.verify_message = "self-signed certificate"
    error = from_connection(cause, Target("https://localhost/v1", "m", "responder"))
    assert isinstance(error, errors.TLSFailed)
    assert "self-signed" in error.message
    assert "SSL_CERT_FILE" in error.remedy


@pytest.mark.parametrize("streamed", [False, True])
async def test_the_deadline_holds(streamed: bool) -> None:
    async with ScriptedServer([Answer(delay_s=5)]) as server:
        started = time.perf_counter()
        with pytest.raises(errors.ModelTimeout, match=r"within 0\.2 s"):
            await ask(connect(server.base_url), streamed=streamed, timeout_s=0.2)
        assert time.perf_counter() - started < 2
        assert await server.client_left()


async def test_the_deadline_holds_within_a_stream_and_keeps_what_came() -> None:
    async with ScriptedServer([Answer("One two three four five.", piece_delay_s=0.1)]) as server:
        with pytest.raises(errors.ModelTimeout) as caught:
            await ask(connect(server.base_url), streamed=True, timeout_s=0.25)
        assert await server.client_left()
    assert str(caught.value.details["text"]).startswith("One ")


async def test_the_endpoints_own_deadline_is_an_upper_bound() -> None:
    async with ScriptedServer([Answer(delay_s=5)]) as server:
        with pytest.raises(errors.ModelTimeout, match=r"within 0\.1 s"):
            await ask(connect(server.base_url, timeout_s=0.1), timeout_s=60)


def test_every_model_error_is_reached() -> None:
    """No type of the tree is without a row above or in the tests beside this one."""
    reached = {kind for _, _, kind, _ in STATUS} | {kind for _, kind, _ in MALFORMED}
    elsewhere = {
        errors.TruncatedStream, errors.Unreachable, errors.ProxyUnreachable, errors.NameNotResolved, errors.ModelTimeout,
        errors.UnsupportedFeature, errors.UnreadableStructure, errors.MalformedReply, ModelError,
    }  # fmt: skip
    tree = {kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, ModelError)}
    assert tree == reached | elsewhere
