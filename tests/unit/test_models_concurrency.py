"""Calls that wait for their turn: order, deadlines, cancelling, streams."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import aclosing
from typing import Any, TypeVar

import pytest

from harness import errors
from harness.adapters.models.openai_sdk import OpenAIModel
from harness.adapters.models.queueing import Queue
from harness.ports import ChatMessage, ModelRequest
from harness.testing.scripted_server import Answer, Received, ScriptedServer

T = TypeVar("T")
Form = Callable[[OpenAIModel, str], Coroutine[Any, Any, str]]


class Watched:
    """A script that answers with the last message; ``arrived`` is told of every request."""

    def __init__(self, delay_s: float = 0.0, arrived: Callable[[], object] = lambda: None) -> None:
        self.delay_s, self.arrived = delay_s, arrived

    def __call__(self, received: Received) -> Answer:
        self.arrived()
        said = received.body["messages"][-1]["content"]
        return Answer(f"You said {said} .", delay_s=self.delay_s)


def request(said: str = "Hello", timeout_s: float = 5.0) -> ModelRequest:
    return ModelRequest("responder", (ChatMessage("user", said),), timeout_s=timeout_s)


def connect(server: ScriptedServer, max_concurrency: int | None = 1) -> OpenAIModel:
    return OpenAIModel(server.base_url, models={"responder": "m"}, first_wait_s=0.01, max_concurrency=max_concurrency)


def said_in(server: ScriptedServer) -> list[str]:
    return [chat.body["messages"][-1]["content"] for chat in server.chats]


async def text_of(model: OpenAIModel, said: str) -> str:
    return (await model.complete(request(said))).text


async def stream_of(model: OpenAIModel, said: str) -> str:
    async with aclosing(model.stream(request(said))) as deltas:
        last = [delta async for delta in deltas][-1]
    assert last.reply is not None
    return last.reply.text


async def under_way(arrived: asyncio.Event, call: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """The call as a task, once the server has its request."""
    arrived.clear()
    task = asyncio.create_task(call)
    async with asyncio.timeout(20):
        await arrived.wait()
    return task


@pytest.mark.parametrize("places", [1, 2, None])
async def test_no_more_than_allowed_are_under_way_and_all_are_answered(places: int | None) -> None:
    arrived = answered = most = 0

    def count() -> None:
        nonlocal arrived, most
        arrived += 1
        most = max(most, arrived - answered)

    async def ask(number: int) -> str:
        nonlocal answered
        text = await (stream_of if number % 2 else text_of)(model, str(number))
        answered += 1
        return text

    async with ScriptedServer(Watched(0.05, count)) as server:
        model = connect(server, places)
        await model.warm()
        texts = await asyncio.gather(*(ask(number) for number in range(6)))
        await model.close()
    assert texts == [f"You said {number} ." for number in range(6)]
    assert most == places if places else most > 2


async def test_first_come_first_served() -> None:
    async with ScriptedServer(Watched(delay_s=0.01)) as server:
        model = connect(server)
        await model.warm()
        await asyncio.gather(*((stream_of if n % 2 else text_of)(model, str(n)) for n in range(8)))
        await model.close()
    assert said_in(server) == [str(number) for number in range(8)]


async def test_an_open_stream_keeps_its_place_until_it_is_closed() -> None:
    async with ScriptedServer(Watched()) as server:
        model = connect(server)
        stream = model.stream(request("first"))
        await anext(stream)
        waiting = asyncio.create_task(text_of(model, "second"))
        await asyncio.sleep(0.05)
        assert said_in(server) == ["first"]
        await stream.aclose()
        assert await waiting == "You said second ."
        await model.close()


async def test_waiting_counts_against_the_deadline() -> None:
    arrived = asyncio.Event()
    async with ScriptedServer(Watched(0.5, arrived.set)) as server:
        model = connect(server)
        first = await under_way(arrived, text_of(model, "first"))
        for call in (model.complete(request("late", 0.05)), anext(model.stream(request("late", 0.05)))):
            with pytest.raises(errors.ModelTimeout, match="max_concurrency=1") as caught:
                await call
            assert (caught.value.details["at"], caught.value.details["seconds"]) == ("queue", 0.05)
        assert await first == "You said first ."
        assert await text_of(model, "third") == "You said third ."
        await model.close()
    assert said_in(server) == ["first", "third"]  # what came too late was never sent


async def test_a_call_that_waited_has_only_the_rest_of_its_time() -> None:
    arrived, loop = asyncio.Event(), asyncio.get_running_loop()
    async with ScriptedServer(Watched(0.4, arrived.set)) as server:
        model = connect(server)
        first = await under_way(arrived, text_of(model, "first"))
        began = loop.time()
        with pytest.raises(errors.ModelTimeout) as caught:
            await model.complete(request("second", 0.6))
        assert caught.value.details["at"] == "read"
        assert loop.time() - began < 0.8
        await first
        await model.close()


@pytest.mark.parametrize("form", [text_of, stream_of])
async def test_who_is_cancelled_waiting_or_speaking_leaves_the_place_to_the_next(form: Form) -> None:
    arrived = asyncio.Event()
    async with ScriptedServer(Watched(0.05, arrived.set)) as server:
        model = connect(server)
        speaking = await under_way(arrived, form(model, "speaking"))
        waiting, patient = (asyncio.create_task(form(model, said)) for said in ("waiting", "patient"))
        await asyncio.sleep(0.01)
        waiting.cancel()
        speaking.cancel()
        assert await patient == "You said patient ."
        gone = await asyncio.gather(speaking, waiting, return_exceptions=True)
        assert [type(result) for result in gone] == [asyncio.CancelledError] * 2
        await model.close()
    assert said_in(server) == ["speaking", "patient"]


async def test_a_failed_call_leaves_its_place() -> None:
    async with ScriptedServer([Answer(status=400), Answer("Here.")]) as server:
        model = connect(server)
        with pytest.raises(errors.BadRequest):
            await model.complete(request())
        assert (await model.complete(request())).text == "Here."
        await model.close()


async def test_cancelling_at_any_moment_loses_no_place() -> None:
    queue = Queue(1)
    deadline = asyncio.get_running_loop().time() + 5

    async def hold(steps: int) -> None:
        async with queue.place(deadline):
            for _ in range(steps):
                await asyncio.sleep(0)

    for when in range(12):
        tasks = [asyncio.create_task(hold(steps)) for steps in (3, 2, 0, 4)]
        for _ in range(when):
            await asyncio.sleep(0)
        for task in tasks[when % 2 :: 2]:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        async with asyncio.timeout(1), queue.place(deadline):
            pass


def test_every_event_loop_has_its_places() -> None:
    queue = Queue(1)

    async def twice() -> None:
        deadline = asyncio.get_running_loop().time() + 1

        async def hold() -> None:
            async with queue.place(deadline):
                await asyncio.sleep(0)

        await asyncio.gather(hold(), hold())

    asyncio.run(twice())
    asyncio.run(twice())


@pytest.mark.parametrize("places", [0, -1])
def test_no_place_at_all_is_refused(places: int) -> None:
    with pytest.raises(errors.SettingsError, match="max_concurrency"):
        OpenAIModel("localhost", models={}, max_concurrency=places)
