"""The embedded server with a real model: ``HARNESS_TEST_MODEL`` names a .gguf file, else the 0.5B model of the cache."""

from __future__ import annotations

import concurrent.futures
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.adapters.local import LocalModel, LocalServer, ServerOptions

pytestmark = [pytest.mark.real, pytest.mark.timeout(300)]

SYSTEM = {"role": "system", "content": "You are Mia, a baker in Lyon. You have a cat named Pixel. Answer briefly."}
ASK = {"role": "user", "content": "What is the name of your cat?"}


@pytest.fixture(scope="module")
def server(model: LocalModel) -> Iterator[LocalServer]:
    with LocalServer(model.path, name="small", options=ServerOptions(context=768)) as running:
        yield running


def post(server: LocalServer, path: str, body: dict[str, Any], key: str | None = None) -> tuple[int, Any]:
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key or server.api_key}"}
    request = urllib.request.Request(server.url + path, json.dumps(body).encode(), headers)  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=120) as reply:  # noqa: S310
            text = reply.read().decode()
            return reply.status, text if body.get("stream") else json.loads(text)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read())


def chat(server: LocalServer, *messages: dict[str, str], **fields: Any) -> Any:
    body = {"messages": list(messages), "max_tokens": 24, "temperature": 0} | fields
    status, reply = post(server, "/v1/chat/completions", body)
    assert status == 200, reply
    return reply


def text_of(reply: Any) -> str:
    return str(reply["choices"][0]["message"]["content"])


def test_it_talks(server: LocalServer) -> None:
    assert "Pixel" in text_of(chat(server, SYSTEM, ASK))


def test_it_streams_with_usage_at_the_end(server: LocalServer) -> None:
    text = chat(server, SYSTEM, ASK, stream=True, stream_options={"include_usage": True})
    events = [line.removeprefix("data: ") for line in text.splitlines() if line]
    assert events[-1] == "[DONE]"
    chunks = [json.loads(event) for event in events[:-1]]
    assert "Pixel" in "".join(c["choices"][0]["delta"].get("content") or "" for c in chunks if c["choices"])
    assert chunks[-1]["usage"]["completion_tokens"] > 0


def test_a_schema_binds_the_reply(server: LocalServer) -> None:
    properties = {"mood": {"enum": ["calm", "angry"]}, "score": {"type": "integer"}}
    schema = {"type": "object", "properties": properties, "required": ["mood", "score"], "additionalProperties": False}
    wanted = {"type": "json_schema", "json_schema": {"name": "mood", "strict": True, "schema": schema}}
    found = json.loads(text_of(chat(server, SYSTEM, ASK, response_format=wanted, max_tokens=60)))
    assert found["mood"] in {"calm", "angry"}
    assert isinstance(found["score"], int)


def test_a_begun_answer_is_continued_and_repeated_in_the_reply_but_not_in_the_stream(server: LocalServer) -> None:
    begun = {"role": "assistant", "content": "You must be mixing me up, my cat is"}
    assert text_of(chat(server, SYSTEM, ASK, begun)).startswith(begun["content"])
    assert begun["content"] not in chat(server, SYSTEM, ASK, begun, stream=True)


def test_a_second_request_with_the_same_beginning_is_cached_beside_the_bookkeeping(server: LocalServer) -> None:
    long = SYSTEM | {"content": SYSTEM["content"] + " You bake bread every morning at four." * 20}
    chat(server, long, ASK)
    for number in range(3):
        chat(server, {"role": "system", "content": f"Summarise text number {number}."}, ASK, max_tokens=4)
    reply = chat(server, long, {"role": "user", "content": "And what do you bake?"})
    assert reply["usage"]["prompt_tokens_details"]["cached_tokens"] > 180
    assert reply["timings"]["prompt_n"] < 30


def test_each_slot_has_the_whole_context_and_more_is_refused(server: LocalServer) -> None:
    nearly = {"role": "user", "content": "word " * 640}
    assert chat(server, nearly, max_tokens=1)["usage"]["prompt_tokens"] > 640
    status, reply = post(server, "/v1/chat/completions", {"messages": [nearly | {"content": "word " * 900}]})
    assert (status, reply["error"]["type"]) == (400, "exceed_context_size_error")


def test_two_requests_run_at_once(server: LocalServer) -> None:
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        replies = list(pool.map(lambda _: chat(server, SYSTEM, ASK), range(2)))
    assert all("Pixel" in text_of(reply) for reply in replies)


def test_tokens_can_be_counted(server: LocalServer) -> None:
    status, reply = post(server, "/tokenize", {"content": "你好，我有一只猫。"})
    assert status == 200
    assert 5 <= len(reply["tokens"]) <= 9


def test_nobody_else_may_use_it(server: LocalServer) -> None:
    status, _ = post(server, "/v1/chat/completions", {"messages": [ASK]}, key="guess")
    assert status == 401


CODE = """
import sys, time, pathlib
from harness.adapters.local import LocalServer
server = LocalServer(pathlib.Path(sys.argv[1]), name="small")
spawned = server._handshake
def handshake(process, answers) -> None:
    print(process.pid, flush=True)
    return spawned(process, answers)
server._handshake = handshake
server.start()
print("ready", flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("when", ["loading", "ready"])
@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 and /proc of POSIX")
def test_kill_9_of_the_parent_leaves_no_orphan(model: LocalModel, when: str) -> None:
    root = str(Path(__file__).parents[2])
    environment = os.environ | {"PYTHONPATH": root}
    command = [sys.executable, "-c", CODE, str(model.path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        if when == "ready":
            assert parent.stdout.readline() == "ready\n"
        assert exists(child)
        parent.send_signal(signal.SIGKILL)
        end = time.monotonic() + 30
        while exists(child) and time.monotonic() < end:
            time.sleep(0.05)
        assert not exists(child)


def exists(pid: int) -> bool:
    """Whether the process runs; a zombie that nobody has waited for yet does not."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    if sys.platform == "linux":
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
