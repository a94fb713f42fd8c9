"""What memory does wrong, and what was lost, is named with its layer; what only looks like it is not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.adapters.memories.ram import InProcessMemoryStore
from harness.diagnosing import diagnose
from harness.errors import StoreError
from harness.ports import MemoryFilter, MemoryHits, MemoryQuery
from harness.state import DialogueState
from harness.state.memory import Scope
from harness.state.operations import AssertFact
from tests.unit._diagnosing import (
    ALLERGY,
    CODES,
    FINE,
    GOAL,
    HOME,
    PERSONA,
    RULE,
    RULE_ASKED,
    SAID,
    only,
    opened,
    remembering,
)
from tests.unit.conftest import MakeHarness

# --- memory -----------------------------------------------------------------------------------------------------------


class Unscoped(InProcessMemoryStore):
    """A store that gives an item to whoever asks."""

    open_to_all = True

    async def search(self, query: MemoryQuery) -> MemoryHits:
        if not self.open_to_all:
            return await super().search(query)
        return await super().search(replace(query, where=replace(query.where, scope=Scope(), everything=True)))


@CODES
@pytest.mark.parametrize("scope", [Scope(project="beta"), Scope(world="other"), Scope(user="paul")])
async def test_rules_of_another_project(tmp_path: Path, code: str, scope: Scope) -> None:
    memory = Unscoped()
    async with remembering(tmp_path, memory, code) as harness:
        await harness.memories().note(RULE[code], scope=scope, kind="rule")
        await (await opened(harness, code)).say(RULE_ASKED[code])
        fault = only(await diagnose(harness, "s"))
        assert (fault.kind, fault.layer, fault.turns) == ("other_project", "L3", (1,))
        assert RULE[code] in fault.evidence[0]
        assert next(limit for _, limit in scope if limit) in fault.evidence[0]
        memory.open_to_all = False
        await (await opened(harness, code, session="t")).say(RULE_ASKED[code])
        assert (await diagnose(harness, "t")).healthy


@CODES
async def test_two_values_in_the_state(make_harness: MakeHarness, code: str) -> None:
    values = {"en": ("the third of May", "the ninth of June"), "zh": ("五月三号", "六月九号")}[code]
    async with make_harness(FINE[code]) as harness:
        session = await opened(harness, code)
        facts = [
            AssertFact(
                subject="user", attribute="birthday", value=value, speaker="user", turn=0, single=False, language=code
            )
            for value in values
        ]
        await session.change(facts)
        await session.say(SAID[code][2])
        fault = only(await diagnose(harness, "s"))
    assert (fault.kind, fault.layer) == ("two_values", "L1")
    assert all(value in fault.evidence[0] for value in values)


@CODES
async def test_two_values_of_memory_and_session(tmp_path: Path, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = InProcessMemoryStore()

    def both(state: DialogueState, recalled: Any, *_: object) -> DialogueState:
        from harness.memory.informing import _fact

        known = tuple(_fact(one.item) for one in recalled.items if one.item.attribute)
        return state.model_copy(update={"facts": (*known, *state.facts)})

    async with remembering(tmp_path, memory, code) as harness:
        await (await opened(harness, code, session="before")).say(HOME[code][0])
        monkeypatch.setattr("harness.turn.turn.informed", both)
        session = await opened(harness, code)
        await session.say(HOME[code][1])
        monkeypatch.setattr("harness.context.builder.settled", lambda _, recalled, *__: (recalled, ()))
        await session.say({"en": "Where do I live?", "zh": "我住在哪里？"}[code])
        found = await diagnose(harness, "s")
    fault = next(fault for fault in found.faults if fault.kind == "two_values")
    assert (fault.layer, fault.turns) == ("L3", (2,))


@CODES
async def test_what_this_session_says_instead_is_no_second_value(tmp_path: Path, code: str) -> None:
    async with remembering(tmp_path, InProcessMemoryStore(), code) as harness:
        await (await opened(harness, code, session="before")).say(HOME[code][0])
        session = await opened(harness, code)
        await session.say(HOME[code][1])
        await session.say({"en": "Where do I live?", "zh": "我住在哪里？"}[code])
        assert (await diagnose(harness, "s")).healthy


@CODES
async def test_a_second_job_is_no_second_value(make_harness: MakeHarness, code: str) -> None:
    said = {"en": "I'm a nurse and I sell cakes on the side.", "zh": "我是护士，平时还兼职卖蛋糕。"}
    async with make_harness(FINE[code]) as harness:
        await (await opened(harness, code)).say(said[code])
        found = await diagnose(harness, "s")
    assert found.healthy, found


# --- what was lost ----------------------------------------------------------------------------------------------------


@CODES
async def test_memory_that_was_lost_until_the_session_is_opened_again(tmp_path: Path, code: str) -> None:
    async with remembering(tmp_path, InProcessMemoryStore(), code) as harness:
        await (await opened(harness, code)).say(ALLERGY[code])
        assert (await diagnose(harness, "s")).healthy
    async with remembering(tmp_path, InProcessMemoryStore(), code) as harness:
        found = await diagnose(harness, "s")
        assert {fault.kind for fault in found.faults} == {"lost_after_restart"}
        assert {fault.layer for fault in found.faults} == {"L2", "L3"}
        assert any(ALLERGY[code][:-1] in line for fault in found.faults for line in fault.evidence)
        await (await opened(harness, code)).say(SAID[code][2])
        assert (await diagnose(harness, "s")).healthy


@CODES
async def test_memory_that_was_deleted_by_hand_is_not_lost(tmp_path: Path, code: str) -> None:
    async with remembering(tmp_path, InProcessMemoryStore(), code) as harness:
        session = await opened(harness, code)
        await session.say(ALLERGY[code])
        ids = [write.id for write in (await session.report()).memory]
        assert ids
        await harness.memories().delete(ids)
        assert (await diagnose(harness, "s")).healthy


@CODES
@pytest.mark.parametrize(
    "place", [{"project": "shop"}, {"world": "atlantis"}, {"project": "shop", "world": "atlantis"}]
)
async def test_a_project_or_world_that_was_forgotten_is_not_lost(
    tmp_path: Path, code: str, place: dict[str, Any]
) -> None:
    async with remembering(tmp_path, InProcessMemoryStore(), code) as harness:
        session = await harness.open(PERSONA[code], session="s", user="nora", **place)
        for text in HOME[code][:2]:
            await session.say(text)
        where = MemoryFilter(everything=True, scope=Scope(**place), statuses=())
        assert await harness.memories().forget(where)
        assert (await diagnose(harness, "s")).healthy


@CODES
async def test_what_went_with_its_task_is_not_lost(tmp_path: Path, code: str) -> None:
    async with remembering(tmp_path, InProcessMemoryStore(), code) as harness:
        session = await opened(harness, code)
        await session.set_task(GOAL[code][0], task_id="roof", todo=[GOAL[code][1]])
        await session.say(SAID[code][0])
        await session.leave_task()
        written = (await session.branch())[-1].memory
        assert [one.text for one in written if not one.kept and GOAL[code][1] in one.text]
        assert (await diagnose(harness, "s")).healthy


@CODES
async def test_a_snapshot_that_lacks_what_was_said(make_harness: MakeHarness, code: str) -> None:
    async with make_harness(FINE[code], snapshot_every=2) as harness:
        session = await opened(harness, code)
        for text in HOME[code][:2]:
            await session.say(text)
        state = await session.state()
        head = (await session.report()).id
        await harness.store().save_snapshot("s", head, state.model_copy(update={"messages": (), "facts": ()}))
    async with make_harness(FINE[code]) as harness:
        fault = only(await diagnose(harness, "s"))
        assert (fault.kind, fault.layer, fault.part) == ("lost_after_restart", "L2", "snapshot of the state")
        await (await opened(harness, code)).say(HOME[code][2])
        found = await diagnose(harness, "s")
    assert [fault.part for fault in found.faults if fault.turns == (3,)] == ["recent messages"]
    assert all(fault.kind == "lost_after_restart" for fault in found.faults)


class Down(InProcessMemoryStore):
    down = False

    async def search(self, query: MemoryQuery) -> MemoryHits:
        if self.down:
            raise StoreError("The store is down.")
        return await super().search(query)

    async def followed(self, session: str) -> str | None:
        if self.down:
            raise StoreError("The store is down.")
        return await super().followed(session)


@CODES
async def test_a_store_that_did_not_answer(tmp_path: Path, code: str) -> None:
    memory = Down()
    async with remembering(tmp_path, memory, code) as harness:
        session = await opened(harness, code)
        memory.down = True
        await session.say(ALLERGY[code])
        found = await diagnose(harness, "s")
        assert found.unread == ("memory: The store is down.",)
        memory.down = False
        await session.say(SAID[code][2])
        fault = only(await diagnose(harness, "s"))
    assert (fault.kind, fault.layer, fault.part) == ("lost_after_restart", "L3", "memory store did not answer")
    assert fault.turns == (1,)
