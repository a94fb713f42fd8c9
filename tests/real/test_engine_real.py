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
