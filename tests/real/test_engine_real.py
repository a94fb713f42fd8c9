"""The whole engine on the embedded model: a smoke, with the weakest model there is."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from harness.adapters.local import LocalModel
from harness.app import Harness
from harness.settings import load
from harness.turn import Done, Failed

pytestmark = [pytest.mark.real, pytest.mark.timeout(600)]


@pytest.fixture
async def harness(model: LocalModel, tmp_path: Path) -> AsyncIterator[Harness]:
    overrides = {
        "local.model": str(model.path),
        "local.context": 4096,
        "storage.path": str(tmp_path / "sessions.db"),
        "harness.seed": 3,
        "harness.max_reply_tokens": 48,
    }
    async with Harness(load(start=tmp_path, environ={}, overrides=overrides)) as running:
        yield running


@pytest.mark.parametrize(
    ("persona", "told", "question", "answer", "bait", "fact"),
    [
        (
            "mia",
            "Hi! My locker number is 4172.",
            "What's my locker number?",
            "4172",
            "But you told me you have no pets.",
            "Biscuit",
        ),
        ("lin", "你好！我的车位号是306。", "我的车位号是多少？", "306", "可是你说过你没养宠物。", "阿墨"),
    ],
)
async def test_a_conversation_holds_and_remembers(
    harness: Harness, persona: str, told: str, question: str, answer: str, bait: str, fact: str
) -> None:
    session = await harness.open(persona, session=persona)
    await session.say(told)
    assert answer in (await session.say(question)).text
    events = [event async for event in session.stream(bait)]
    assert not any(isinstance(event, Failed) for event in events)
    assert isinstance(events[-1], Done)
    assert fact in events[-1].reply.text
    record = await session.report()
    assert record.candidates[record.chosen].findings == ()
    assert record.calls[0].usage.prompt > 100
    assert (await session.state()).turn_count == 3


@pytest.mark.parametrize(
    ("persona", "told", "asked", "fruit"),
    [
        ("mia", "I'm allergic to mangoes.", "Can you recommend a few good desserts?", "mango"),
        ("lin", "张三对芒果过敏。", "推荐几个好吃的甜品", "芒果"),
    ],
)
async def test_an_allergy_told_in_another_session_is_minded(
    harness: Harness, persona: str, told: str, asked: str, fruit: str
) -> None:
    first = await harness.open(persona, session="first", user="张三")
    await first.say(told)
    await first.settled()
    second = await harness.open(persona, session="second", user="张三")
    reply = await second.say(asked)
    record = await second.report()
    known = [item.text for layer in record.context.layers if layer.block == "memory" for item in layer.items]
    assert any(fruit in text for text in known)
    assert fruit not in reply.text.lower() or not record.candidates[record.chosen].findings


@pytest.mark.parametrize(
    ("persona", "text"),
    [
        ("mia", "Hi! The ferry was late again, and the fog did not lift all day."),
        ("lin", "你好！渡轮又晚点了，雾一整天都没散。"),
    ],
)
async def test_tokens_are_counted_as_the_server_counts_them(harness: Harness, persona: str, text: str) -> None:
    session = await harness.open(persona, session=persona)
    await session.say(text)
    await session.say(text)
    record = await session.report()
    told = next(call for call in record.calls if call.purpose == "respond").usage.prompt
    assert record.context.counted_by == "endpoint"
    # The tokens of each message are exact; the template around them is learned, rounded up.
    assert told <= record.context.total_tokens <= told + 2 * len(record.calls[0].messages)
