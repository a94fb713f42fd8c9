"""How important a fact is: as the analysis model says, where it says so and it makes sense; else by rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.app import Harness
from harness.settings import load
from harness.state import TurnRecord
from harness.state.memory import MemoryItem, MemoryWrite
from harness.testing.scripted_model import ScriptedModel

PERSONAS = {"en": "mia", "zh": "lin"}
SAID = {
    "en": ("I left my umbrella in the tram.", "umbrella", "in the tram"),
    "zh": ("我把伞落在电车上了。", "伞", "电车上"),
}
ALLERGIC = {"en": ("I'm allergic to walnuts.", "walnuts"), "zh": ("我对核桃过敏。", "核桃")}


def analysis(quote: str, attribute: str, value: str, **more: Any) -> str:
    fact = {"quote": quote, "speaker": "user", "subject": "user", "attribute": attribute, "value": value, "polarity": True, "action": "assert", "fact_id": "", **more}  # fmt: skip
    return json.dumps({"reasoning": "one fact", "facts": [fact], "commitments": []}, ensure_ascii=False)


async def told(
    code: str, text: str, answer: str, folder: Path, **more: str
) -> tuple[TurnRecord, dict[str, MemoryItem]]:
    """One turn, and what it left in memory."""
    overrides = {"harness.analysis": "combined", "harness.background": "false", "storage.path": str(folder / "s.db"), **more}  # fmt: skip
    prompts = {"turn_analysis": answer, "extract_facts": answer, "*": {"en": "Oh.", "zh": "哦。"}[code]}
    async with Harness(load(environ={}, overrides=overrides), model=ScriptedModel(prompts)) as harness:
        session = await harness.open(PERSONAS[code], session="one", user="nora")
        await session.say(text)
        await session.settled()
        items = {item.id: item async for item in harness.memories().all()}
        return await session.report(), items


def of_facts(record: TurnRecord) -> list[MemoryWrite]:
    return [one for one in record.memory if one.kind != "message"]


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize("how", ["combined", "separate"])
async def test_the_model_says_how_important_a_fact_is(code: str, how: str, tmp_path: Path) -> None:
    quote, attribute, value = SAID[code]
    answer = analysis(quote, attribute, value, importance=0.83)
    record, items = await told(code, quote, answer, tmp_path, **{"harness.analysis": how})
    (written,) = of_facts(record)
    assert (written.importance, written.weighed_by) == (0.83, "model")
    assert items[written.id].importance == 0.83
    messages = [one for one in record.memory if one.kind == "message"]
    assert {one.weighed_by for one in messages} == {"rules"}


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_the_setting_leaves_it_to_rules(code: str, tmp_path: Path) -> None:
    quote, attribute, value = SAID[code]
    answer = analysis(quote, attribute, value, importance=0.83)
    record, items = await told(code, quote, answer, tmp_path, **{"memory.importance": "rules"})
    (written,) = of_facts(record)
    assert (written.importance, written.weighed_by) == (0.5, "rules")
    assert items[written.id].importance == 0.5


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize("odd", [7, -0.2, "high", None, True, [1], "nan"])
async def test_what_is_no_number_from_0_to_1_is_left_to_rules(code: str, odd: Any, tmp_path: Path) -> None:
    quote, attribute, value = SAID[code]
    record, _ = await told(code, quote, analysis(quote, attribute, value, importance=odd), tmp_path)
    (written,) = of_facts(record)
    assert (written.importance, written.weighed_by) == (0.5, "rules")
    refused = [event.message for event in record.events if "importance of a fact" in event.message]
    assert bool(refused) == (odd in (7, -0.2) and odd is not True)


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_without_a_word_of_it_or_without_a_model_rules_weigh(code: str, tmp_path: Path) -> None:
    quote, attribute, value = SAID[code]
    record, _ = await told(code, quote, analysis(quote, attribute, value), tmp_path)
    assert [one.weighed_by for one in of_facts(record)] == ["rules"]
    text, _ = ALLERGIC[code]
    record, _ = await told(code, text, "no analysis", tmp_path / "other")
    assert [(one.kind, one.importance, one.weighed_by) for one in of_facts(record)] == [("constraint", 0.95, "rules")]


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_a_constraint_is_never_made_light_of(code: str, tmp_path: Path) -> None:
    text, value = ALLERGIC[code]
    record, _ = await told(code, text, analysis(text, "allergy", value, importance=0.1), tmp_path)
    (written,) = of_facts(record)
    assert (written.kind, written.importance, written.layer) == ("constraint", 0.95, "L3")


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize(("importance", "layers"), [(0.9, {"L2", "L3"}), (0.5, {"L2"}), (0.1, set())])
async def test_it_decides_what_outlives_a_task(code: str, importance: float, layers: set[str], tmp_path: Path) -> None:
    quote, attribute, value = SAID[code]
    overrides = {"harness.analysis": "combined", "harness.background": "false", "storage.path": str(tmp_path / "s.db")}
    model = ScriptedModel({"turn_analysis": analysis(quote, attribute, value, importance=importance), "*": "…"})
    async with Harness(load(environ={}, overrides=overrides), model=model) as harness:
        session = await harness.open(PERSONAS[code], session="one", user="nora")
        await session.set_task("g")
        await session.say(quote)
        await session.settled()
        await session.set_task("another", task_id="t2")
        kept = [item async for item in harness.memories().all() if item.attribute and item.status == "active"]
        assert {item.layer for item in kept} == layers
