"""Calls of a model for tests, and refusals of an endpoint."""

from __future__ import annotations

from contextlib import aclosing
from typing import Any

from harness.adapters.models.openai_sdk import OpenAIModel
from harness.ports import ChatMessage, ModelRequest
from harness.testing.scripted_server import Answer, ScriptedServer

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": False}


def request(**changes: Any) -> ModelRequest:
    messages = (ChatMessage("system", "Be Mia."), ChatMessage("user", "Hello?"))
    return ModelRequest("responder", **{"messages": messages, "timeout_s": 5.0, **changes})


def connect(server: ScriptedServer, **options: Any) -> OpenAIModel:
    return OpenAIModel(server.base_url, **{"models": {"responder": "test-model"}, "first_wait_s": 0.01, **options})


async def streamed(model: Any, asked: Any) -> Any:
    async with aclosing(model.stream(asked)) as deltas:
        got = [delta async for delta in deltas]
    return [delta.text for delta in got[:-1]], got[-1].reply


def refusal(message: str, status: Any = 400, **more: Any) -> Answer:
    return Answer(status=status, body={"error": {"message": message, "type": "invalid_request_error", **more}})
