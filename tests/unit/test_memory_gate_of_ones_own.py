"""A write gate: the last word on what a turn leaves in memory, along every branch, and after a crash the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.app import Harness
from harness.memory import Decision
from harness.settings import load
from harness.state import TurnRecord
from harness.state.memory import MemoryItem, Scope
from harness.testing.scripted_model import ScriptedModel

PERSONAS = {"en": "mia", "zh": "lin"}
SAID = {"en": ("My garden has a pond.", "I live in Leeds."), "zh": ("我家花园有个池塘。", "我住在苏州。")}


def settings(folder: Path) -> Any:
    overrides = {"harness.analysis": "rules", "harness.background": "false", "storage.path": str(folder / "s.db")}
    return load(environ={}, overrides=overrides)


def gate(item: MemoryItem, reason: str, record: TurnRecord) -> Decision:
    """Gardens are for long, messages are not kept, and nothing changes hands."""
    assert item.turn_id == record.id
    if any(word in item.text for word in ("garden", "花园")):
        changed = {"layer": "L3", "importance": 0.9, "text": f"{item.text} !!", "scope": Scope(), "id": "stolen"}
        return Decision(item.model_copy(update=changed), "about the garden")
    return Decision(None, "small talk") if item.kind == "message" else Decision(item, reason)


async def items(harness: Harness) -> list[MemoryItem]:
    return [item async for item in harness.memories().all()]


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_it_has_the_last_word(code: str, tmp_path: Path) -> None:
    async with Harness(settings(tmp_path), model=ScriptedModel("…"), write_gate=gate) as harness:
        session = await harness.open(PERSONAS[code], session="one", user="nora")
        for text in SAID[code]:
            await session.say(text)
        await session.settled()
        kept = await items(harness)
        garden = [item for item in kept if item.text.endswith("!!")]
        assert garden
        assert {(item.layer, item.importance, item.scope.user) for item in garden} == {("L3", 0.9, "nora")}
        assert all(item.id.startswith("one.") for item in kept)
        assert [item for item in kept if item.kind == "message" and not item.text.endswith("!!")] == []
        assert any(item.attribute == "home" for item in kept)
        first, second = await session.branch()
        assert any(write.reason == "about the garden" and write.kept for write in first.memory)
        assert any(write.reason == "small talk" and not write.kept for write in second.memory)
        word = {"en": "pond", "zh": "池塘"}[code]
        found = await harness.memories().search(word, scope=Scope(user="nora", persona=PERSONAS[code]))
        assert any(one.item.text.endswith("!!") for one in found.items)
        await session.undo()
        await session.undo()
        await session.settled()
        await session.say({"en": "Hm, yes.", "zh": "嗯，好的。"}[code])
        await session.settled()
        assert {item.status for item in await items(harness) if item.text.endswith("!!")} == {"hidden"}


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_made_again_from_the_journal_it_is_the_same(code: str, tmp_path: Path) -> None:
    async with Harness(settings(tmp_path), model=ScriptedModel("…"), write_gate=gate) as harness:
        session = await harness.open(PERSONAS[code], session="one", user="nora")
        for text in SAID[code]:
            await session.say(text)
        await session.settled()
        before = await items(harness)
    (tmp_path / "s-memory.db").unlink()
    async with Harness(settings(tmp_path), model=ScriptedModel("…"), write_gate=gate) as harness:
        session = await harness.open(session="one")
        await session.say({"en": "Hm.", "zh": "嗯。"}[code])
        await session.settled()
        assert [item for item in await items(harness) if item.turn in (1, 2)] == before


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize("fault", ["raises", "invalid", "nothing"])
async def test_one_that_fails_costs_no_turn_and_memory_catches_up(code: str, fault: str, tmp_path: Path) -> None:
    def bad(item: MemoryItem, reason: str, record: TurnRecord) -> Any:
        if fault == "raises":
            raise KeyError(item.id)
        return Decision(item.model_copy(update={"layer": "L9"}), reason) if fault == "invalid" else None

    async with Harness(settings(tmp_path), model=ScriptedModel("…"), write_gate=bad) as harness:
        session = await harness.open(PERSONAS[code], session="one", user="nora")
        assert (await session.say(SAID[code][1])).text
        await session.settled()
        record = await session.report()
        assert any(event.kind == "memory_failed" and "write gate" in event.message for event in record.events)
        assert await items(harness) == []
    async with Harness(settings(tmp_path), model=ScriptedModel("…")) as harness:
        session = await harness.open(session="one")
        await session.say({"en": "Hm.", "zh": "嗯。"}[code])
        await session.settled()
        assert any(item.attribute == "home" for item in await items(harness))
