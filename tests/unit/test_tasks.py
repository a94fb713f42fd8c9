"""The task of a session: set, changed, left, told to the model, and never proposed against."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.errors import InputError, OperationRejected
from harness.state import Persona, TaskState
from harness.testing.scripted_model import ScriptedModel
from tests.unit.conftest import MakeHarness

MIA = Persona(name="Mia", id="mia")
LIN = Persona(name="林晓", id="lin", language="zh")


def last_prompt(model: ScriptedModel) -> str:
    request = next(request for request in reversed(model.requests) if request.purpose == "respond")
    return "\n".join(message.content for message in request.messages)


async def test_a_task_is_set_changed_and_left(make_harness: MakeHarness) -> None:
    async with make_harness("Fine.") as harness:
        session = await harness.open(MIA, session="s")
        with pytest.raises(InputError, match="has no task"):
            await session.update_task(done=["anything"])
        await session.set_task("mend the roof", task_id="roof", todo=["buy slates", "hire a ladder"])
        task = await session.update_task(done=["buy slates"], ruled_out=["tar paper"], artifacts=["sketch.pdf"])
        assert (task.todo, task.done, task.ruled_out) == (("hire a ladder",), ("buy slates",), ("tar paper",))
        assert task.artifacts == ("sketch.pdf",)
        task = await session.update_task(remove=["tar paper"], goal="mend the whole roof")
        assert (task.ruled_out, task.goal) == ((), "mend the whole roof")
        with pytest.raises(InputError, match="no line 'tin'"):
            await session.update_task(remove=["tin"])
        await session.leave_task()
        assert (await session.state()).task is None
        with pytest.raises(OperationRejected):
            await session.leave_task()


async def test_another_task_swaps_everything_and_undo_brings_it_back(make_harness: MakeHarness) -> None:
    async with make_harness("Fine.") as harness:
        session = await harness.open(MIA, session="s")
        await session.set_task("mend the roof", task_id="roof", todo=["buy slates"])
        await session.update_task(ruled_out=["tar paper"], confirmed=["grey slates"])
        roof = (await session.state()).task
        await session.set_task("plan the feast", task_id="feast")
        assert (await session.state()).task == TaskState(task_id="feast", goal="plan the feast", since=1)
        await session.undo()
        assert (await session.state()).task == roof


@pytest.mark.parametrize(
    ("persona", "goal", "says", "shown"),
    [
        (MIA, "plan the crossing", "Not the Grand Pavilion.", "Ruled out, do not suggest it again: Grand Pavilion"),
        (LIN, "安排渡海", "不要大華酒店。", "已经排除，不要再提：大華酒店"),
    ],
)
async def test_what_a_turn_rules_out_stands_in_the_next_prompt(
    make_harness: MakeHarness, persona: Persona, goal: str, says: str, shown: str
) -> None:
    model = ScriptedModel({"respond": "Fine." if persona is MIA else "好的。"})
    async with make_harness(model) as harness:
        session = await harness.open(persona, session="s")
        await session.set_task(goal)
        await session.say(says)
        await session.say("And now?" if persona is MIA else "然后呢？")
    assert goal in last_prompt(model)
    assert shown in last_prompt(model)


@pytest.mark.parametrize(
    ("persona", "ruled_out", "bad", "good"),
    [
        (MIA, "night bus", "Then take the night bus, it is cheap.", "Then fly on Monday."),
        (LIN, "夜班车", "那就坐夜班车吧，便宜。", "那就周一坐飞机吧。"),
    ],
)
async def test_a_reply_that_proposes_it_again_is_revised(
    make_harness: MakeHarness, persona: Persona, ruled_out: str, bad: str, good: str
) -> None:
    replies = iter([bad, good])
    model = ScriptedModel({"respond": lambda _: next(replies), "*": good})
    async with make_harness(model, max_revisions=1) as harness:
        session = await harness.open(persona, session="s")
        await session.set_task("go home" if persona is MIA else "回家")
        await session.update_task(ruled_out=[ruled_out])
        reply = await session.say("How shall I travel?" if persona is MIA else "我怎么走？")
        record = await session.report()
    assert [finding.kind for finding in record.candidates[0].findings] == ["ruled_out"]
    assert ruled_out not in reply.text


def analysis(task: list[dict[str, Any]]) -> str:
    return json.dumps({"reasoning": "r", "facts": [], "commitments": [], "entities": [], "task": task})


@pytest.mark.parametrize("mode", ["combined", "separate"])
async def test_a_model_proposes_changes_that_the_words_carry(make_harness: MakeHarness, mode: str) -> None:
    answer = analysis(
        [
            {"quote": "the ladder came this morning", "text": "hire a ladder", "action": "done"},
            {"quote": "no tar paper for me", "text": "tar paper", "action": "ruled_out"},
            {"quote": "we agreed on copper", "text": "copper", "action": "confirmed"},
            {"quote": "I drew a plan", "text": "a plan", "action": "ruled_out"},
            {"quote": "no tar paper for me", "text": "tar paper", "action": "paint"},
        ]
    )
    model = ScriptedModel({"respond": "I drew a plan.", "turn_analysis": answer, "*": answer})
    async with make_harness(model, analysis=mode) as harness:
        session = await harness.open(MIA, session="s")
        await session.set_task("mend the roof", todo=["hire a ladder"])
        await session.say("So the ladder came this morning, and no tar paper for me.")
        task, record = (await session.state()).task, await session.report()
    assert task is not None
    assert (task.done, task.todo, task.ruled_out, task.confirmed_facts) == (("hire a ladder",), (), ("tar paper",), ())
    refused = " ".join(event.message for event in record.events if event.kind == "proposal_refused")
    for reason in ("was not said", "does not decide what is ruled out", "'paint' is no change"):
        assert reason in refused


async def test_without_a_task_no_model_is_asked_about_one(make_harness: MakeHarness) -> None:
    answer = analysis([{"quote": "Hello there", "text": "hello", "action": "todo"}])
    model = ScriptedModel({"respond": "Hi.", "turn_analysis": answer})
    async with make_harness(model, analysis="combined") as harness:
        session = await harness.open(MIA, session="s")
        await session.say("Hello there.")
        assert (await session.state()).task is None
    asked = next(request for request in model.requests if request.purpose == "turn_analysis")
    assert "ruled_out" not in str(asked)


@pytest.mark.parametrize("mode", ["combined", "separate"])
async def test_a_promise_that_a_model_finds_is_kept_in_every_mode(make_harness: MakeHarness, mode: str) -> None:
    promise = {"quote": "I'll bring the ladder", "by": "user", "text": "bring the ladder", "due": "", "action": "open"}
    answer = json.dumps({"reasoning": "r", "facts": [], "commitments": [promise], "entities": []})
    model = ScriptedModel({"respond": "Good.", "*": answer})
    async with make_harness(model, analysis=mode) as harness:
        session = await harness.open(MIA, session="s")
        await session.say("I'll bring the ladder.")
        assert [c.text for c in (await session.state()).open_commitments()] == ["bring the ladder"]
