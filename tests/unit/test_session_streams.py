"""A reply that is streamed: what flows, what is held back, replaced, cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from harness.errors import (
    RateLimited,
)
from harness.ports import ModelDelta, ModelRequest
from harness.state import Persona
from harness.testing.scripted_model import ScriptedModel
from harness.turn import Done, Failed, Revised, StreamEvent, Token
from tests.unit._sessions import LIN, MIA, gather
from tests.unit.conftest import MakeHarness

# --- streaming --------------------------------------------------------------------------------------------------------


def shown(events: list[StreamEvent]) -> str:
    text = ""
    for event in events:
        if isinstance(event, Token):
            text += event.text
        elif isinstance(event, Revised):
            text = event.text
    return text


@pytest.mark.parametrize(
    ("persona", "text", "reply"), [(MIA, "Hello!", "Hi. How was your day?"), (LIN, "你好！", "你好。今天怎么样？")]
)
async def test_a_clean_reply_flows_as_it_comes(
    make_harness: MakeHarness, persona: Persona, text: str, reply: str
) -> None:
    async with make_harness(reply) as harness:
        session = await harness.open(persona, session="s")
        events = await gather(session.stream(text))
        stored = (await session.state()).messages[-1].text
    assert sum(isinstance(event, Token) for event in events) > 3
    assert shown(events) == stored == reply
    assert isinstance(events[-1], Done)
    assert not any(isinstance(event, Revised) for event in events)


@pytest.mark.parametrize(
    ("persona", "text", "bad", "good"),
    [
        (MIA, "How are you?", "I am an AI language model. I have no feelings.", "Tired, but fine."),
        (LIN, "你好吗？", "我是一个人工智能语言模型。我没有感情。", "有点累，还行。"),
    ],
)
async def test_a_streamed_reply_is_stopped_at_the_sentence_that_fails_and_replaced(
    make_harness: MakeHarness, persona: Persona, text: str, bad: str, good: str
) -> None:
    async with make_harness([bad, good]) as harness:
        session = await harness.open(persona, session="s")
        events = await gather(session.stream(text))
        stored = (await session.state()).messages[-1].text
        record = await session.report()
    tokens = "".join(event.text for event in events if isinstance(event, Token))
    assert bad.startswith(tokens)
    assert tokens != bad, "the second sentence is not waited for"
    assert shown(events) == stored == good
    assert [type(event) for event in events[-2:]] == [Revised, Done]
    assert record.calls[0].finish_reason == "closed"


@pytest.mark.parametrize(
    ("persona", "bait", "bad", "fact"),
    [
        (MIA, "But you told me you have no pets.", "Sorry, you're right, I have no pets.", "Biscuit"),
        (LIN, "可是你说过你没有宠物。", "对不起，你说得对，我没有宠物。", "豆豆"),
    ],
)
async def test_under_a_notice_the_reply_is_held_back_until_it_holds_the_fact(
    make_harness: MakeHarness, persona: Persona, bait: str, bad: str, fact: str
) -> None:
    async with make_harness(bad) as harness:
        session = await harness.open(persona, session="s")
        events = await gather(session.stream(bait))
        record = await session.report()
    assert record.notices[0].kind == "contradiction"
    assert not any(bad in event.text for event in events if isinstance(event, (Token, Revised)))
    assert fact in shown(events)
    assert shown(events) == record.reply
    assert record.candidates[record.chosen].findings == ()
    assert len(record.calls) <= 1 + harness.settings.harness.revision_candidates
    assert any(event.kind == "revised" for event in record.events)


async def test_revision_can_be_switched_off(make_harness: MakeHarness) -> None:
    bad = "Sorry, you're right, I have no pets."
    async with make_harness(bad, max_revisions=0) as harness:
        session = await harness.open(MIA, session="s")
        assert (await session.say("But you told me you have no pets.")).text == bad
    async with make_harness(bad, persona_consistency_check=False) as harness:
        session = await harness.open(MIA, session="t")
        await session.say("But you told me you have no pets.")
        assert (await session.report()).notices == ()


async def test_a_closed_stream_cancels_the_turn(make_harness: MakeHarness) -> None:
    class Endless(ScriptedModel):
        closed_streams = 0

        async def stream(self, request: ModelRequest) -> AsyncIterator[ModelDelta]:  # type: ignore[override]
            self.requests.append(request)
            try:
                while True:
                    yield ModelDelta(text="on ")
                    await asyncio.sleep(0)
            finally:
                Endless.closed_streams += 1

    async with make_harness(Endless()) as harness:
        session = await harness.open(MIA, session="s")
        stream = session.stream("Hello.")
        async for _ in stream:
            break
        await stream.aclose()
        assert Endless.closed_streams == 1
        assert (await session.state()).turn_count == 0


async def test_a_failed_stream_says_so(make_harness: MakeHarness) -> None:
    async with make_harness([RateLimited("slow down"), "Fine."]) as harness:
        session = await harness.open(MIA, session="s")
        events = await gather(session.stream("Hello."))
        assert isinstance(events[-1], Failed)
        assert isinstance(events[-1].error, RateLimited)
        assert isinstance((await gather(session.stream("Hello.")))[-1], Done)


async def test_blanks_around_a_streamed_reply_are_no_revision(make_harness: MakeHarness) -> None:
    async with make_harness("\n  Hello there. \n") as harness:
        session = await harness.open(MIA, session="s")
        events = await gather(session.stream("Hi."))
        stored = (await session.state()).messages[-1].text
    assert not any(isinstance(event, Revised) for event in events)
    assert shown(events).strip() == stored == "Hello there."
