"""Calls that succeed in the end: retries, what is learned of an endpoint, streams, cancelling."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from harness import errors
from harness.adapters.models.openai_sdk import OpenAIModel
from harness.adapters.models.retrying import parse_retry_after
from harness.ports import ChatMessage, Model, ModelRequest
from harness.testing.scripted_server import Answer, ScriptedServer, ServerThread
from tests.unit._models import connect, refusal, request, streamed


async def test_it_is_a_model() -> None:
    async with ScriptedServer() as server:
        assert isinstance(connect(server), Model)


async def test_a_whole_reply() -> None:
    async with ScriptedServer([Answer("I bake bread.")]) as server:
        model = connect(server, api_key="sk-secret", extra_body={"top_k": 40})
        asked = request(temperature=0.5, top_p=0.9, max_tokens=20, seed=7, stop=("\n",))
        reply = await model.complete(asked)
        await model.close()
    sent = server.chats[0]
    assert (reply.text, reply.model, reply.finish_reason, reply.attempts) == ("I bake bread.", "test-model", "stop", 1)
    assert (reply.usage.prompt, reply.usage.completion, reply.usage.estimated) == (3, 3, False)
    assert sent.headers["authorization"] == "Bearer sk-secret"
    assert sent.body == {
        "model": "test-model",
        "messages": [{"role": "system", "content": "Be Mia."}, {"role": "user", "content": "Hello?"}],
        "temperature": 0.5, "top_p": 0.9, "max_tokens": 20, "seed": 7, "stop": ["\n"], "top_k": 40,
    }  # fmt: skip


@pytest.mark.parametrize("text", ["I bake bread in Lyon.", "我在里昂烤面包。", "a\u2028b\u0085c"])
async def test_a_streamed_reply(text: str) -> None:
    async with ScriptedServer([Answer(text)]) as server:
        model = connect(server)
        pieces, reply = await streamed(model, request())
        again = await model.complete(request())
        await model.close()
    assert "".join(pieces) == reply.text == again.text == text
    assert not reply.usage.estimated
    assert server.connections == 1  # a stream read to its end leaves its connection usable


async def test_roles_have_their_own_models() -> None:
    async with ScriptedServer() as server:
        model = connect(server, models={"responder": "big", "summarizer": "small"})
        assert [model.model_id(role) for role in ("responder", "summarizer", "evaluator", "extractor")] == [
            "big",
            "small",
            "big",
            "small",
        ]
        await model.complete(ModelRequest("extractor", request().messages))
        await model.close()
    assert server.chats[0].body["model"] == "small"
    with pytest.raises(errors.SettingsError, match="responder"):
        OpenAIModel("localhost", models={}).model_id("responder")


async def test_usage_is_estimated_when_none_is_told_and_cached_tokens_are_read() -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 8}}
    async with ScriptedServer([Answer("Hello there.", usage=None), Answer("Hi.", usage=usage)]) as server:
        model = connect(server)
        told = (await model.complete(request())).usage
        assert told.estimated
        assert told.prompt > 0 < told.completion
        assert (await model.complete(request())).usage.cached == 8
        await model.close()


@pytest.mark.parametrize("first", [Answer(status=429), Answer(status=500), Answer(status=503), Answer(drop_after=0)])
@pytest.mark.parametrize("is_streamed", [False, True])
async def test_passing_failures_are_tried_again(first: Any, is_streamed: bool) -> None:
    async with ScriptedServer([first, first, Answer("Here.")]) as server:
        model = connect(server)
        reply = (await streamed(model, request()))[1] if is_streamed else await model.complete(request())
        await model.close()
    assert (reply.text, reply.attempts) == ("Here.", 3)


async def test_attempts_are_bounded() -> None:
    async with ScriptedServer([Answer(status=500)]) as server:
        model = connect(server, max_attempts=2)
        with pytest.raises(errors.ServerFailed) as caught:
            await model.complete(request())
        await model.close()
    assert len(server.chats) == caught.value.details["attempts"] == 2


@pytest.mark.parametrize(
    "answer",
    [Answer(status=401), Answer(status=400), Answer(status=404), refusal("quota", 429, code="insufficient_quota")],
)
async def test_lasting_failures_are_not_tried_again(answer: Any) -> None:
    async with ScriptedServer([answer]) as server:
        model = connect(server)
        with pytest.raises(errors.ModelError):
            await model.complete(request())
        await model.close()
    assert len(server.chats) == 1


async def test_retry_after_is_waited_for() -> None:
    async with ScriptedServer([Answer(status=429, headers={"Retry-After": "0.3"}), Answer()]) as server:
        model = connect(server)
        await model.warm()
        started = time.perf_counter()
        assert (await model.complete(request())).attempts == 2
        assert 0.3 <= time.perf_counter() - started < 2
        await model.close()


async def test_a_retry_after_beyond_the_deadline_is_told_at_once() -> None:
    async with ScriptedServer([Answer(status=429, headers={"Retry-After": "60"})]) as server:
        model = connect(server)
        await model.warm()
        started = time.perf_counter()
        with pytest.raises(errors.RateLimited) as caught:
            await model.complete(request())
        assert time.perf_counter() - started < 1
        await model.close()
    assert caught.value.details["retry_after"] == 60
    assert len(server.chats) == 1


def test_retry_after_forms() -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    when = format_datetime(now + timedelta(seconds=90), usegmt=True)
    told = [{"retry-after": "7"}, {"retry-after": when}, {"retry-after-ms": "250"}, {"retry-after": "soon"}, {}]
    assert [parse_retry_after(headers, now) for headers in told] == [7.0, 90.0, 0.25, None, None]


async def test_closing_a_stream_closes_the_connection() -> None:
    async with ScriptedServer([Answer("word " * 200, piece_delay_s=0.02)]) as server:
        model = connect(server)
        async with aclosing(model.stream(request())) as deltas:
            async for _ in deltas:
                break
        assert await server.client_left()
        await model.close()


@pytest.mark.parametrize("is_streamed", [False, True])
async def test_cancelling_closes_the_connection(is_streamed: bool) -> None:
    async with ScriptedServer([Answer("word " * 200, delay_s=0 if is_streamed else 5, piece_delay_s=0.02)]) as server:
        model = connect(server)
        task = asyncio.create_task(streamed(model, request()) if is_streamed else model.complete(request()))
        await asyncio.sleep(0.1)
        assert server.chats
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await server.client_left()
        assert server.disconnects == 1
        await model.close()


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        (["<think>The user", " asks.</think>\n\nYes", ", I do."], "Yes, I do."),
        (["<th", "ink>", "hm", "</thi", "nk>Yes."], "Yes."),
        (["<thinking>a</thinking>", "<think>b</think> Yes."], "Yes."),
        (["[THINK]a[/THINK]Yes."], "Yes."),
        (["<b>Bold</b> ", "reply"], "<b>Bold</b> reply"),
        (["<", "3 you"], "<3 you"),
        (["Half \ud83d", "\ude00 whole"], "Half \U0001f600 whole"),
        (["Lone \ud83d", " one"], "Lone \ufffd one"),
    ],
)
async def test_text_is_cleaned(pieces: Any, text: str) -> None:
    async with ScriptedServer([Answer("".join(pieces), pieces=pieces)]) as server:
        model = connect(server)
        whole = await model.complete(request())
        shown, reply = await streamed(model, request())
        await model.close()
    assert whole.text == reply.text == "".join(shown) == text


async def test_lone_surrogates_can_be_sent() -> None:
    async with ScriptedServer() as server:
        model = connect(server)
        await model.complete(request(messages=(ChatMessage("user", "broken \ud83d"),)))
        await model.close()
    assert server.chats[0].body["messages"][0]["content"] == "broken \ufffd"


async def test_a_server_that_answers_whole_when_asked_to_stream() -> None:
    async with ScriptedServer([Answer("All at once.", stream=False)]) as server:
        model = connect(server)
        pieces, reply = await streamed(model, request())
        await model.close()
    assert pieces == ["All at once."]
    assert reply.text == "All at once."
    assert not reply.usage.estimated


@pytest.mark.parametrize(
    "body",
    [
        'data: {"choices":[{"delta":{"content":"Hi"}}]}\r\n\r\ndata: {"choices":[{"delta":{},"finish_reason":"stop"}]}',
        ': ping\n\ndata:{"choices":[{"delta":{"content":"Hi"}}]}\n\ndata: [DONE]',
        'data: {"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}\n\n',
    ],
)
async def test_dialects_of_event_streams(body: Any) -> None:
    async with ScriptedServer([Answer(body=body, content_type="text/event-stream")]) as server:
        model = connect(server)
        pieces, reply = await streamed(model, request())
        await model.close()
    assert (pieces, reply.text) == (["Hi"], "Hi")


async def test_nothing_of_openais_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("API_KEY", "ADMIN_KEY", "ORG_ID", "PROJECT_ID", "WEBHOOK_SECRET"):
        monkeypatch.setenv(f"OPENAI_{name}", "from-environment")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/wrong")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Leak: from-environment\nAuthorization: from-environment")
    async with ScriptedServer() as server:
        model = connect(server)
        await model.complete(request())
        await model.close()
    assert "from-environment" not in json.dumps(dict(server.chats[0].headers))


@pytest.mark.parametrize("key", ["sk-secret\n", " sk-secret", "sk\u2013secret", "sk-sec\x00ret"])
def test_a_key_that_cannot_be_sent_is_not_shown(key: str) -> None:
    with pytest.raises(errors.AuthenticationFailed) as caught:
        OpenAIModel("localhost", models={}, api_key=key)
    assert "sec" not in str(caught.value)


async def test_azure_deployments_keep_their_version_and_header() -> None:
    async with ScriptedServer(prefix="/openai/deployments/gpt") as server:
        model = OpenAIModel(
            f"{server.base_url}/chat/completions?api-version=1", models={"responder": "gpt"}, api_key="azure-key"
        )
        await model.complete(request())
        await model.close()
    assert server.chats[0].path.endswith("/chat/completions?api-version=1")
    assert server.chats[0].headers["api-key"] == "azure-key"


async def test_models_are_listed() -> None:
    async with ScriptedServer(models=["a", "b"]) as server:
        model = connect(server)
        assert await model.list_models() == ("a", "b")
        await model.close()


def test_one_model_serves_several_event_loops() -> None:
    with ServerThread(ScriptedServer()) as server:
        model = connect(server)

        async def once() -> Any:
            reply = await model.complete(request())
            await model.close()
            return reply.text

        assert [asyncio.run(once()) for _ in range(2)] == ["Hello.", "Hello."]


def test_a_server_in_a_thread() -> None:
    with ServerThread(ScriptedServer([Answer("Hi.")])) as server:

        async def once() -> Any:
            model = connect(server)
            reply = await model.complete(request())
            await model.close()
            return reply.text

        assert asyncio.run(once()) == "Hi."
        assert len(server.chats) == 1


def test_importing_and_building_does_not_import_the_sdk() -> None:
    code = (
        "import sys\n"
        "from harness.adapters.models.openai_sdk import OpenAIModel\n"
        "from harness.adapters.models import endpoint, recording, probe\n"
        "import harness.asking, harness.doctor\n"
        "OpenAIModel('localhost:8080', models={'responder': 'm'})\n"
        "print([name for name in ('openai', 'httpx2', 'tenacity', 'json_repair') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


async def test_overhead_over_the_sdk_is_small() -> None:
    from openai import AsyncOpenAI

    async with ScriptedServer() as server:
        model = connect(server)
        bare = AsyncOpenAI(base_url=server.base_url, api_key="x", max_retries=0)
        messages: Any = [{"role": "user", "content": "Hello?"}]

        async def timed(call: Any) -> float:
            await call()
            times = []
            for _ in range(25):
                started = time.perf_counter()
                await call()
                times.append(time.perf_counter() - started)
            return min(times)  # what else the machine does is no overhead

        ours = await timed(lambda: model.complete(request()))
        theirs = await timed(lambda: bare.chat.completions.create(model="test-model", messages=messages))
        await model.close()
        await bare.close()
    assert ours - theirs < 0.005
