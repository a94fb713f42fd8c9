"""The doctor names the first fault, on real servers."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from harness.adapters.models.endpoint import EndpointConfig
from harness.adapters.models.probe import EndpointProbe
from harness.doctor import NAMES, Check, diagnose, passed
from harness.testing.scripted_server import Answer, Received, ScriptedServer

SUM = '{"reasoning": "17 + 25", "sum": 42}'
PAGE = "<!DOCTYPE html><html><head><title>Web UI</title></head></html>"


def healthy(received: Received) -> Answer:
    last = received.body["messages"][-1]["content"]
    return Answer(SUM if "17 plus 25" in last else "Hello there, good friend.")


async def examine(
    url: str,
    *,
    model: Any = "test-model",
    models: Any = None,
    key_env: Any = "",
    key: Any = None,
    timeout_s: Any = 5.0,
    **options: Any,
) -> list[Check]:
    probe = EndpointProbe(EndpointConfig(url, key_env, key, models or {"responder": model}, timeout_s))
    try:
        return await diagnose(probe, timeout_s=timeout_s, **options)
    finally:
        await probe.close()


def first_fault(checks: list[Check]) -> Check:
    assert [check.name for check in checks] == list(NAMES)
    outcomes = [check.ok for check in checks]
    at = outcomes.index(False)
    assert outcomes == [True] * at + [False] + [None] * (len(NAMES) - at - 1)
    assert all(check.detail == "not reached" for check in checks[at + 1 :])
    assert checks[at].remedy
    return checks[at]


async def test_all_is_well() -> None:
    told: list[Check] = []
    async with ScriptedServer(healthy, key="sk-right") as server:
        checks = await examine(server.base_url, key_env="MY_KEY", key="sk-right", on_check=told.append)
    assert passed(checks)
    assert told == checks
    assert [check.name for check in checks] == list(NAMES)
    assert not any(check.warning for check in checks)
    assert "MY_KEY" in checks[0].detail
    assert "sk-right" not in str(checks)
    assert checks[-1].detail == "json_schema works"


async def test_no_server() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    fault = first_fault(await examine(f"localhost:{port}"))
    assert (fault.name, fault.error) == ("network", "Unreachable")
    assert "nothing listens" in fault.detail


@pytest.mark.parametrize("listed", [["test-model"], None])
async def test_a_wrong_key(listed: Any) -> None:
    async with ScriptedServer(healthy, key="sk-right", models=listed) as server:
        fault = first_fault(await examine(server.base_url, key_env="MY_KEY", key="sk-wrong"))
    assert (fault.name, fault.error) == ("auth", "AuthenticationFailed")


async def test_a_key_that_only_the_completions_ask_for() -> None:
    async with ScriptedServer([Answer(status=401)]) as server:
        fault = first_fault(await examine(server.base_url))
    assert (fault.name, fault.error) == ("auth", "AuthenticationFailed")


@pytest.mark.parametrize(
    ("url", "key", "error"),
    [
        ("", "sk-a", "SettingsError"),
        ("https://api.example.com", None, "AuthenticationFailed"),
        ("localhost", "a b", "AuthenticationFailed"),
    ],
)
async def test_a_wrong_configuration(url: str, key: Any, error: Any) -> None:
    fault = first_fault(await examine(url, key_env="MY_KEY", key=key))
    assert (fault.name, fault.error) == ("configuration", error)


async def test_no_model_configured() -> None:
    fault = first_fault(await examine("localhost", models={"summarizer": "x"}))
    assert (fault.name, fault.error) == ("configuration", "SettingsError")


async def test_a_web_page() -> None:
    async with ScriptedServer([Answer(body=PAGE)], models=None) as server:
        fault = first_fault(await examine(server.base_url))
    assert (fault.name, fault.error) == ("plain reply", "NotJSON")
    assert "Web UI" in fault.detail
    assert "base_url" in fault.remedy


async def test_null_choices() -> None:
    async with ScriptedServer([Answer(body={"choices": None})]) as server:
        fault = first_fault(await examine(server.base_url))
    assert (fault.name, fault.error) == ("plain reply", "NoChoices")


async def test_an_error_inside_a_200() -> None:
    async with ScriptedServer([Answer(body={"error": {"message": "out of memory"}})]) as server:
        fault = first_fault(await examine(server.base_url))
    assert (fault.name, fault.error) == ("plain reply", "ErrorBody")
    assert "out of memory" in fault.detail


async def test_a_doubled_path() -> None:
    async with ScriptedServer(healthy) as server:
        fault = first_fault(await examine(f"{server.base_url}/chat/completions/v1/chat/completions#"))
    assert (fault.name, fault.error) == ("network", "EndpointNotFound")


async def test_a_wrong_path() -> None:
    async with ScriptedServer(healthy) as server:
        fault = first_fault(await examine(f"{server.origin}/other/v1"))
    assert (fault.name, fault.error) == ("network", "EndpointNotFound")


async def test_a_pasted_endpoint_is_no_fault() -> None:
    async with ScriptedServer(healthy) as server:
        assert passed(await examine(f"{server.base_url}/chat/completions"))


async def test_an_unknown_model() -> None:
    async with ScriptedServer(healthy, models=["qwen-small", "qwen-large"], strict_models=True) as server:
        fault = first_fault(await examine(server.base_url, model="qwen-smal"))
    assert (fault.name, fault.error) == ("model id", "ModelNotFound")
    assert "Did you mean 'qwen-small'" in fault.remedy
    assert "qwen-large" in fault.remedy


async def test_an_unknown_model_behind_a_bare_404() -> None:
    def script(received: Received) -> Answer:
        return Answer(status=404, body={"detail": "Not Found"})

    async with ScriptedServer(script, models=["other"]) as server:
        fault = first_fault(await examine(server.base_url))
    assert (fault.name, fault.error) == ("model id", "ModelNotFound")


async def test_an_unknown_model_of_another_role() -> None:
    async with ScriptedServer(healthy, models=["big"], strict_models=True) as server:
        fault = first_fault(await examine(server.base_url, models={"responder": "big", "summarizer": "small"}))
    assert (fault.name, fault.error) == ("model id", "ModelNotFound")
    assert "models.summarizer" in fault.remedy


async def test_a_model_that_answers_though_it_is_not_listed() -> None:
    async with ScriptedServer(healthy, models=["alias"]) as server:
        checks = await examine(server.base_url)
    assert passed(checks)
    assert [check.name for check in checks if check.warning] == ["model id"]


async def test_a_slow_server_is_a_warning_with_seconds() -> None:
    async with ScriptedServer(lambda received: Answer(healthy(received).text, delay_s=0.15)) as server:
        checks = await examine(server.base_url, slow_s=0.1)
    assert passed(checks)
    plain = next(check for check in checks if check.name == "plain reply")
    assert plain.warning
    assert "0.1 s" in plain.remedy or "0.2 s" in plain.remedy


async def test_a_server_that_is_too_slow() -> None:
    async with ScriptedServer([Answer(delay_s=5)]) as server:
        fault = first_fault(await examine(server.base_url, timeout_s=0.2))
    assert (fault.name, fault.error) == ("plain reply", "ModelTimeout")
    assert "0.2 s" in fault.detail


async def test_proxy_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{probe.getsockname()[1]}")
    async with ScriptedServer(healthy) as server:
        checks = await examine(server.base_url)
    fault = first_fault(checks)
    assert (fault.name, fault.error) == ("network", "ProxyUnreachable")
    assert "HTTP_PROXY" in fault.detail
    assert "HTTP_PROXY" in checks[0].detail


async def test_streaming_that_fails() -> None:
    def script(received: Received) -> Answer:
        return Answer(cut_after=1) if received.body.get("stream") else healthy(received)

    async with ScriptedServer(script) as server:
        fault = first_fault(await examine(server.base_url))
    assert (fault.name, fault.error) == ("streaming", "TruncatedStream")


async def test_an_endpoint_that_does_not_really_stream() -> None:
    async with ScriptedServer(lambda received: Answer(healthy(received).text, stream=False)) as server:
        checks = await examine(server.base_url)
    assert [check.name for check in checks if check.warning] == ["streaming"]


async def test_structured_output_that_fails_and_one_that_steps_down() -> None:
    async with ScriptedServer(lambda _: Answer("I would rather not use braces.")) as server:
        fault = first_fault(await examine(server.base_url))
    assert (fault.name, fault.error) == ("structured output", "UnreadableStructure")

    def no_schema(received: Received) -> Answer:
        if (received.body.get("response_format") or {}).get("type") == "json_schema":
            return Answer(status=400, body={"error": {"message": "This response_format type is unavailable now"}})
        return healthy(received)

    async with ScriptedServer(no_schema) as server:
        checks = await examine(server.base_url)
    assert passed(checks)
    assert "json_object" in checks[-1].detail
    assert checks[-1].warning
