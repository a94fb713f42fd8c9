"""What endpoints do not take: parameters, several system messages, structured output, begun answers."""

from __future__ import annotations

from typing import Any

import pytest

from harness import errors
from harness.adapters.models.openai_sdk import OpenAIModel
from harness.ports import ChatMessage
from harness.testing.scripted_server import Answer, ScriptedServer
from tests.unit._models import SCHEMA, connect, refusal, request, streamed


async def test_an_endpoint_that_does_not_take_stream_options() -> None:
    async with ScriptedServer(
        [refusal("Extra inputs are not permitted: stream_options"), Answer("Hi there.")]
    ) as server:
        model = connect(server)
        _, reply = await streamed(model, request())
        await streamed(model, request())
        await model.close()
    assert reply.usage.estimated
    assert ["stream_options" in chat.body for chat in server.chats] == [True, False, False]


async def test_parameters_an_endpoint_does_not_take_are_left_out() -> None:
    script = [
        refusal("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
                param="max_tokens", code="unsupported_parameter"),
        refusal("Unsupported value: 'temperature' does not support 0.5 with this model.", param="temperature", code="unsupported_value"),
        Answer(),
    ]  # fmt: skip
    async with ScriptedServer(script) as server:
        model = connect(server, max_attempts=1)
        await model.complete(request(temperature=0.5, max_tokens=9))
        await model.complete(request(temperature=0.5, max_tokens=9))
        await model.close()
    last = server.chats[-1].body
    assert len(server.chats) == 4
    assert last["max_completion_tokens"] == 9
    assert "max_tokens" not in last
    assert "temperature" not in last


async def test_a_template_that_takes_one_system_message() -> None:
    messages = (
        ChatMessage("system", "Be Mia."),
        ChatMessage("user", "Hi"),
        ChatMessage("system", "You have a cat."),
        ChatMessage("user", "Pets?"),
    )
    async with ScriptedServer([refusal("System message must be at the beginning."), Answer()]) as server:
        model = connect(server)
        await model.complete(request(messages=messages))
        await model.close()
    assert model.capabilities.single_system
    assert [message["content"] for message in server.chats[-1].body["messages"]] == [
        "Be Mia.\n\nYou have a cat.",
        "Hi",
        "Pets?",
    ]


@pytest.mark.parametrize(
    ("form", "message", "left"),
    [
        ("json_schema", "This response_format type is unavailable now", "json_object"),
        ("json_schema", "response_format.type `json_schema` is unavailable now", "json_object"),
        ("json_object", "'response_format.type' must be 'json_schema' or 'text'", "prompt"),
        ("json_schema", "Invalid schema for response_format 'answer'", "json_schema"),
        ("json_schema", "failed to parse grammar", "json_schema"),
        ("json_schema", "JSON schema error at #: unrecognized type wibble", "json_schema"),
    ],
)
async def test_refused_structured_output(form: Any, message: str, left: Any) -> None:
    async with ScriptedServer([refusal(message)]) as server:
        model = connect(server)
        with pytest.raises(errors.UnsupportedFeature) as caught:
            await model.complete(request(structured=form, schema=SCHEMA))
        assert caught.value.details["feature"] == form
        assert model.capabilities.structured == left
        if left != form:
            with pytest.raises(errors.UnsupportedFeature):
                await model.complete(request(structured=form, schema=SCHEMA))
            assert len(server.chats) == 1  # known by now
        await model.close()


async def test_forms_of_structured_output() -> None:
    loose = {"type": "object", "properties": {"a": {"type": "integer", "default": 1}}}
    async with ScriptedServer([Answer("{}")]) as server:
        model = connect(server)
        for form, schema in (
            ("json_schema", SCHEMA),
            ("json_schema", loose),
            ("json_object", SCHEMA),
            ("prompt", SCHEMA),
        ):
            await model.complete(request(structured=form, schema=schema))
        await model.close()
    formats = [chat.body.get("response_format") for chat in server.chats]
    assert formats[0] == {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True}}
    assert "strict" not in formats[1]["json_schema"]
    assert formats[2:] == [{"type": "json_object"}, None]


@pytest.mark.parametrize(
    ("style", "last", "extra"),
    [
        ("plain", {"role": "assistant", "content": "No, "}, {}),
        ("deepseek", {"role": "assistant", "content": "No, ", "prefix": True}, {}),
        (
            "vllm",
            {"role": "assistant", "content": "No, "},
            {"continue_final_message": True, "add_generation_prompt": False},
        ),
    ],
)
@pytest.mark.parametrize("said", ["I have a cat.", "No, I have a cat.", " No, I have a cat.", " I have a cat."])
async def test_prefill(style: Any, last: Any, extra: Any, said: str) -> None:
    async with ScriptedServer([Answer(said)]) as server:
        model = connect(server, prefill_style=style)
        reply = await model.complete(request(prefill="No, "))
        pieces, again = await streamed(model, request(prefill="No, "))
        await model.close()
    assert model.capabilities.prefill is True
    assert reply.text == again.text == "".join(pieces) == "I have a cat."
    assert server.chats[0].body["messages"][-1] == last
    assert extra.items() <= server.chats[0].body.items()


async def test_prefill_that_is_refused_or_off() -> None:
    async with ScriptedServer([refusal("Assistant response prefill is incompatible with enable_thinking.")]) as server:
        model = connect(server)
        assert model.capabilities.prefill is None
        for _ in range(2):
            with pytest.raises(errors.UnsupportedFeature) as caught:
                await model.complete(request(prefill="No, "))
            assert caught.value.details["feature"] == "prefill"
        assert model.capabilities.prefill is False
        assert len(server.chats) == 1
        await model.close()
        off = connect(server, prefill_style="off")
        assert off.capabilities.prefill is False


def test_what_auto_prefill_means() -> None:
    known = {
        host: OpenAIModel(host, models={}).capabilities.prefill
        for host in ("api.openai.com", "api.deepseek.com", "localhost:1")
    }
    assert known == {"api.openai.com": False, "api.deepseek.com": None, "localhost:1": None}
