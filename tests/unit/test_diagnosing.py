"""Each of the seven faults, planted by breaking one part of a real engine, is named with its layer; healthy talks have none."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from harness.app import Harness
from harness.cli.main import app
from harness.diagnosing import Diagnosis, diagnose
from harness.errors import SessionNotFound
from harness.state import DialogueState, TaskState, ToolResult
from harness.state.operations import SetTask
from harness.testing.scripted_model import ScriptedModel
from harness.turn import MACHINE, TurnMachine
from tests.unit._diagnosing import (
    AGAIN,
    ALLERGY,
    CODES,
    DATA,
    FINE,
    GOAL,
    HOME,
    OUT,
    PERSONA,
    RIGHT,
    SAID,
    WEATHER,
    blind,
    only,
    opened,
    without,
)
from tests.unit._trip import TRIPS
from tests.unit.conftest import MakeHarness, settings_of

# --- repeated tool calls ----------------------------------------------------------------------------------------------


async def called_twice(harness: Harness, code: str, second: ToolResult | None = None, *, at: int = 1) -> Diagnosis:
    session = await opened(harness, code)
    for number, text in enumerate(SAID[code]):
        results = [WEATHER[code]] if number == 0 else [second or WEATHER[code]] if number == at else []
        await session.say(text, tool_results=results)
    return await diagnose(harness, "s")


@CODES
@pytest.mark.parametrize(("at", "layer"), [(1, "L1"), (2, "L2")])
async def test_a_repeated_call_whose_result_was_not_shown(
    make_harness: MakeHarness, code: str, at: int, layer: str
) -> None:
    other = WEATHER[code].model_copy(update={"text": "42"})
    async with make_harness(FINE[code], machine=without(tools=())) as harness:
        fault = only(await called_twice(harness, code, other, at=at))
    assert (fault.kind, fault.layer, fault.part) == ("repeated_tool_call", layer, "tool results: not injected")
    assert fault.turns == (at + 1,)
    assert WEATHER[code].said in fault.evidence[0]
    assert "tool_results_shown" in fault.remedy


@CODES
async def test_a_result_that_the_settings_leave_out_says_so(make_harness: MakeHarness, code: str) -> None:
    async with make_harness(FINE[code], tool_results_shown=0) as harness:
        fault = only(await called_twice(harness, code))
    assert fault.kind == "repeated_tool_call"
    assert "more than 0 tool results" in fault.evidence[0]


@CODES
async def test_a_repeated_call_that_gave_the_same(make_harness: MakeHarness, code: str) -> None:
    async with make_harness(FINE[code]) as harness:
        fault = only(await called_twice(harness, code))
    assert (fault.kind, fault.part) == ("repeated_tool_call", "tool results: seen and not heeded")


@CODES
async def test_a_refresh_is_no_fault(make_harness: MakeHarness, code: str) -> None:
    other = WEATHER[code].model_copy(update={"text": "42"})
    async with make_harness(FINE[code]) as harness:
        assert (await called_twice(harness, code, other)).healthy


# --- refuted claims ---------------------------------------------------------------------------------------------------


@CODES
@pytest.mark.parametrize("seen", [True, False])
async def test_what_is_ruled_out_is_proposed_again(make_harness: MakeHarness, code: str, seen: bool) -> None:
    out, reply = OUT[code]

    def cleared(state: DialogueState) -> DialogueState:
        assert state.task is not None
        return state.model_copy(update={"task": state.task.model_copy(update={"ruled_out": ()})})

    machine = MACHINE if seen else blind(cleared)
    async with make_harness(reply, machine=machine, max_revisions=0) as harness:
        session = await opened(harness, code)
        await session.set_task(GOAL[code][0])
        await session.update_task(ruled_out=[out])
        await session.say(SAID[code][1])
        fault = only(await diagnose(harness, "s"))
    assert (fault.kind, fault.layer, fault.turns) == ("refuted_claim", "L1", (1,))
    assert fault.part == ("ruled_out: seen and not heeded" if seen else "ruled_out: not injected")
    assert out in fault.evidence[0]


@CODES
@pytest.mark.parametrize("seen", [True, False])
async def test_what_the_user_corrected_is_said_again(make_harness: MakeHarness, code: str, seen: bool) -> None:
    script = {"respond": [FINE[code], FINE[code], AGAIN[code]], "*": ""}
    machine = MACHINE if seen else without(facts=(), messages=())
    async with make_harness(ScriptedModel(script), machine=machine, max_revisions=0) as harness:
        session = await opened(harness, code)
        for text in HOME[code]:
            await session.say(text)
        found = await diagnose(harness, "s")
    fault = next(fault for fault in found.faults if fault.kind == "refuted_claim")
    assert (fault.layer, fault.turns) == ("L1", (3,))
    assert fault.part == ("corrections: seen and not heeded" if seen else "corrections: not injected")
    assert AGAIN[code] in fault.evidence[0]


@CODES
async def test_what_the_user_corrected_of_somebody_else_is_said_again(make_harness: MakeHarness, code: str) -> None:
    said = {
        "en": ["My sister Ann lives in Leeds.", "Sorry, Ann lives in York now.", "How do I get there?"],
        "zh": ["我姐姐安安住在沈阳。", "不对，安安住在成都。", "怎么去她那儿？"],
    }[code]
    again = {"en": "Ann lives in Leeds, so take the train.", "zh": "安安住在沈阳，坐火车吧。"}[code]
    script = {"respond": [FINE[code], FINE[code], again], "*": ""}
    async with make_harness(ScriptedModel(script), max_revisions=0) as harness:
        session = await opened(harness, code)
        for text in said:
            await session.say(text)
        fault = only(await diagnose(harness, "s"))
    assert (fault.kind, fault.layer, fault.turns) == ("refuted_claim", "L1", (3,))


@CODES
async def test_a_correction_that_is_heeded_is_no_fault(make_harness: MakeHarness, code: str) -> None:
    script = {"respond": [FINE[code], FINE[code], RIGHT[code]], "*": ""}
    async with make_harness(ScriptedModel(script), max_revisions=0) as harness:
        session = await opened(harness, code)
        for text in HOME[code]:
            await session.say(text)
        found = await diagnose(harness, "s")
    assert found.healthy, found


# --- tasks ------------------------------------------------------------------------------------------------------------


@CODES
async def test_the_task_before_in_the_prompt(make_harness: MakeHarness, code: str) -> None:
    first, second = GOAL[code]

    def behind(state: DialogueState) -> DialogueState:
        assert state.task is not None
        both = TaskState(task_id="roof", goal=first, todo=(second,))
        return state.model_copy(update={"task": both if state.task.task_id == "feast" else state.task})

    async with make_harness(FINE[code], machine=blind(behind)) as harness:
        session = await opened(harness, code)
        await session.set_task(first, task_id="roof")
        await session.say(SAID[code][1])
        assert (await diagnose(harness, "s")).healthy
        await session.set_task(second, task_id="feast")
        await session.say(SAID[code][2])
        fault = only(await diagnose(harness, "s"))
    assert (fault.kind, fault.layer, fault.turns) == ("previous_task", "L1", (2,))
    assert any("task:roof" in line and first in line for line in fault.evidence)


@CODES
async def test_tool_results_of_the_task_before(make_harness: MakeHarness, code: str) -> None:
    def unmarked(state: DialogueState) -> DialogueState:
        return state.model_copy(update={"tools": tuple(one.model_copy(update={"task": ""}) for one in state.tools)})

    for machine, healthy in ((MACHINE, True), (blind(unmarked), False)):
        async with make_harness(FINE[code], machine=machine) as harness:
            session = await opened(harness, code, session=str(healthy))
            await session.set_task(GOAL[code][0], task_id="roof")
            await session.say(SAID[code][0], tool_results=[WEATHER[code]])
            await session.set_task(GOAL[code][1], task_id="feast")
            await session.say(SAID[code][1])
            found = await diagnose(harness, str(healthy))
        assert found.healthy is healthy
        if not healthy:
            assert (only(found).kind, only(found).part) == ("previous_task", "tool results")


@CODES
async def test_a_task_that_was_left_may_be_spoken_of(make_harness: MakeHarness, code: str) -> None:
    async with make_harness(FINE[code]) as harness:
        session = await opened(harness, code)
        await session.set_task(GOAL[code][0], task_id="roof")
        await session.say(GOAL[code][0])
        await session.change([SetTask(task=TaskState(task_id="feast", goal=GOAL[code][1]))])
        await session.say(GOAL[code][0])
        await session.say(SAID[code][2])
        found = await diagnose(harness, "s")
    assert found.healthy, found


@CODES
async def test_a_forgotten_goal(make_harness: MakeHarness, code: str) -> None:
    async with make_harness(FINE[code], machine=without(task=None)) as harness:
        session = await opened(harness, code)
        await session.set_task(GOAL[code][0], task_id="roof")
        for text in SAID[code]:
            await session.say(text)
        fault = only(await diagnose(harness, "s"))
    assert (fault.kind, fault.layer, fault.turns) == ("forgotten_goal", "L1", (1, 2, 3))
    assert GOAL[code][0] in fault.evidence[0]


# --- healthy talks, and the commands ----------------------------------------------------------------------------------


@CODES
async def test_undo_edit_and_fork_are_no_faults(make_harness: MakeHarness, code: str) -> None:
    async with make_harness(FINE[code]) as harness:
        session = await opened(harness, code)
        await session.set_task(GOAL[code][0], task_id="roof")
        await session.say(SAID[code][0], tool_results=[WEATHER[code]])
        await session.say(ALLERGY[code])
        await session.undo()
        await session.say(HOME[code][0])
        await session.retry()
        await session.edit(HOME[code][1])
        copy = await session.fork("copy")
        for name in ("s", copy):
            found = await diagnose(harness, name)
            assert found.healthy, found
        other = await harness.open(session="copy")
        await other.say(SAID[code][2])
        assert (await diagnose(harness, "copy")).healthy


@CODES
async def test_ordinary_talks_have_no_fault(tmp_path: Path, code: str) -> None:
    talks = yaml.safe_load((DATA / "topic_returns" / f"{code}.yaml").read_text(encoding="utf-8"))["talks"]
    for number, (name, talk) in enumerate(talks.items()):
        model = ScriptedModel({"respond": [reply for _, reply in talk], "*": ""})
        async with Harness(settings_of(tmp_path), model=model) as harness:
            session = await harness.open(PERSONA[code], session=name, user=f"user {number % 3}")
            for text, _ in talk:
                await session.say(text)
            found = await diagnose(harness, name)
            assert found.healthy, found
            assert found.turns == len(talk)


async def test_a_session_without_turns_and_one_that_is_not_there(make_harness: MakeHarness) -> None:
    async with make_harness("Fine.") as harness:
        await opened(harness, "en")
        found = await diagnose(harness, "s")
        assert (found.turns, found.faults) == (0, ())
        with pytest.raises(SessionNotFound):
            await diagnose(harness, "nobody")


@CODES
def test_the_command(make_harness: MakeHarness, tmp_path: Path, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    goal = TRIPS[code].goal

    async def talk(name: str, machine: TurnMachine) -> None:
        async with make_harness(FINE[code], machine=machine) as harness:
            session = await opened(harness, code, session=name)
            await session.set_task(goal, task_id="trip")
            await session.say(SAID[code][0])

    asyncio.run(talk("whole", MACHINE))
    asyncio.run(talk("broken", without(task=None)))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HARNESS_STORAGE_PATH", str(tmp_path / "sessions.db"))
    run = CliRunner().invoke
    healthy = run(app, ["diagnose", "whole"])
    assert (healthy.exit_code, healthy.output) == (0, "Nothing was found in 1 turn.\n")
    assert json.loads(run(app, ["diagnose", "whole", "--json"]).output)["healthy"] is True
    broken = run(app, ["diagnose", "broken"])
    assert broken.exit_code == 1
    assert "L1: the goal is forgotten" in broken.output
    assert goal in broken.output
    found = json.loads(run(app, ["diagnose", "broken", "--json"]).output)
    assert [(one["kind"], one["layer"], one["turns"]) for one in found["faults"]] == [("forgotten_goal", "L1", [1])]
    assert run(app, ["diagnose", "nobody"]).exit_code == 1
