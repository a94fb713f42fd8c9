"""A session: turns, the tree of turns, changes by hand, and what the persona decides."""

from __future__ import annotations

import asyncio

import pytest

from harness.errors import (
    EmptyInput,
    HarnessError,
    MalformedInput,
    OversizedInput,
    ServerFailed,
    SettingsError,
    TurnNotFound,
)
from harness.ports import ModelReply, ModelRequest
from harness.session import Session, initial_state, rebuild
from harness.state import DialogueState
from harness.state.operations import PinFact, RetractFact
from harness.testing.scripted_model import ScriptedModel
from harness.turn import Done
from tests.unit._sessions import LIN, MIA, gather
from tests.unit.conftest import MakeHarness


async def test_a_turn_is_said_recorded_and_bookkept(make_harness: MakeHarness) -> None:
    async with make_harness(["Nice to meet you, Tom."]) as harness:
        session = await harness.open(MIA, session="s")
        reply = await session.say("Hi, I'm Tom and my locker number is 4172.")
        state, record = await session.state(), await session.report()
    assert (reply.text, reply.number, reply.revised) == ("Nice to meet you, Tom.", 1, False)
    assert {(fact.attribute, fact.value) for fact in state.active_facts("user")} >= {
        ("name", "Tom"),
        ("locker number", "4172"),
    }
    assert [message.text for message in state.messages] == ["Hi, I'm Tom and my locker number is 4172.", reply.text]
    assert (record.phase, state.phase, state.turn_count) == ("done", "done", 1)
    assert [timing.phase for timing in record.timings][-1] == "update_topic"
    assert record.calls[0].messages[-1] == ("user", "Hi, I'm Tom and my locker number is 4172.")
    assert record.context.total_tokens <= record.context.budget


async def test_the_state_is_the_fold_of_the_journal(make_harness: MakeHarness) -> None:
    async with make_harness(["One.", "Two.", "Three."]) as harness:
        session = await harness.open("lin", session="s")
        for text in ("我叫小张。", "我养了一只猫叫煤球。", "我不喜欢下雨。"):
            await session.say(text)
        state, branch = await session.state(), await session.branch()
        info = await harness.store().info("s")
    assert rebuild(initial_state(info), branch) == state


async def test_a_session_goes_on_in_another_process(make_harness: MakeHarness) -> None:
    async with make_harness(["Hello."]) as first:
        before = await (await first.open(MIA, session="s")).say("My name is Ann.")
    async with make_harness(["You are Ann."]) as second:
        session = await second.open(session="s")
        assert session.persona == MIA
        reply = await session.say("And my car is red.")
        state = await session.state()
    assert (before.number, reply.number) == (1, 2)
    assert [message.text for message in state.messages if message.speaker == "user"] == [
        "My name is Ann.",
        "And my car is red.",
    ]


async def test_a_session_belongs_to_one_character(make_harness: MakeHarness) -> None:
    async with make_harness() as harness:
        await harness.open(MIA, session="s")
        with pytest.raises(SettingsError, match="conversation with 'Mia'"):
            await harness.open(LIN, session="s")


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", EmptyInput),
        (" \n\t ", EmptyInput),
        ("\u200b\u00a0", EmptyInput),
        ("x" * 101, OversizedInput),
        ("a\x00b", MalformedInput),
        ("\x1b[31mred", MalformedInput),
        ("\ud800", MalformedInput),
        ("你好\udfff", MalformedInput),
    ],
)
async def test_bad_input_is_refused_and_changes_nothing(
    make_harness: MakeHarness, text: str, error: type[HarnessError]
) -> None:
    model = ScriptedModel("Fine.")
    async with make_harness(model, max_input_chars=100) as harness:
        session = await harness.open(MIA, session="s")
        await session.say("Hello.")
        before = await session.state()
        with pytest.raises(error):
            await session.say(text)
        assert await session.state() == before
        assert len(model.requests) == 1
        assert (await session.say("Still there?")).number == 2


async def test_a_failed_model_changes_nothing(make_harness: MakeHarness) -> None:
    async with make_harness([ServerFailed("down"), "Back."]) as harness:
        session = await harness.open(MIA, session="s")
        with pytest.raises(ServerFailed):
            await session.say("Hello?")
        assert (await session.state()).turn_count == 0
        assert (await session.say("Hello?")).number == 1
        assert len(await session.timeline()) == 1


async def test_undo_and_return(make_harness: MakeHarness) -> None:
    async with make_harness(["One.", "Two.", "Three."]) as harness:
        session = await harness.open(MIA, session="s")
        for text in ("I have a dog.", "I live in Leeds.", "I hate rain."):
            await session.say(text)
        full = await session.state()
        last = (await session.report()).id
        state = await session.undo(2)
        assert state.turn_count == 1
        assert [fact.attribute for fact in state.active_facts("user")] == ["pet"]
        assert await session.state(1) == state
        assert await session.goto(last) == full
        with pytest.raises(TurnNotFound):
            await session.undo(4)
        with pytest.raises(TurnNotFound):
            await session.goto("nowhere")
        assert (await session.undo(3)).turn_count == 0


async def test_what_a_rerolled_reply_brought_is_gone_with_it(make_harness: MakeHarness) -> None:
    async with make_harness(["I have a brother called Leo.", "It was a long day."]) as harness:
        session = await harness.open(MIA, session="s")
        await session.say("Tell me something.")
        assert "Leo" in str((await session.state()).facts)
        reply = await session.retry()
        state = await session.state()
        assert reply.text == "It was a long day."
        assert "Leo" not in str(state.facts)
        assert (state.turn_count, len(state.messages)) == (1, 2)
        timeline = await session.timeline()
    assert [(entry.record.origin, entry.current, entry.head) for entry in timeline] == [
        ("say", False, False),
        ("retry", True, True),
    ]


async def test_edit_goes_on_from_an_earlier_turn(make_harness: MakeHarness) -> None:
    async with make_harness(["One.", "Two.", "Three.", "Four."]) as harness:
        session = await harness.open(MIA, session="s")
        for text in ("I live in York.", "I am a baker.", "I like tea."):
            await session.say(text)
        reply = await session.edit("I am a pilot.", number=2)
        state = await session.state()
        assert reply.number == 2
        assert {fact.value for fact in state.active_facts("user")} == {"York", "pilot"}
        with pytest.raises(TurnNotFound):
            await session.edit("x", number=9)


async def test_a_fork_is_a_session_of_its_own(make_harness: MakeHarness) -> None:
    async with make_harness(["One.", "Two.", "Three."]) as harness:
        session = await harness.open(MIA, session="s")
        await session.say("I live in York.")
        await session.say("I am a baker.")
        fork = await harness.open(session=await session.fork("t", number=1))
        assert (await fork.state()).turn_count == 1
        await fork.say("I am a pilot.")
        assert (await session.state()).turn_count == 2
        assert "pilot" not in str((await session.state()).facts)
        assert "baker" not in str((await fork.state()).facts)


async def test_changes_by_hand_are_recorded_and_all_or_nothing(make_harness: MakeHarness) -> None:
    async with make_harness(["One."]) as harness:
        session = await harness.open(MIA, session="s")
        await session.say("My name is Ann.")
        fact = (await session.state()).active_facts("user")[0]
        await session.change([PinFact(fact_id=fact.id)])
        assert (await session.state()).active_facts("user")[0].pinned
        with pytest.raises(HarnessError, match="no fact"):
            await session.change([RetractFact(fact_id=fact.id, turn=1), RetractFact(fact_id="f99", turn=1)])
        assert (await session.state()).active_facts("user")[0].pinned
        await session.undo()
        assert not (await session.state()).active_facts("user")[0].pinned


async def test_max_turns_ends_with_an_answer(make_harness: MakeHarness) -> None:
    async with make_harness("好。", max_turns=1) as harness:
        session = await harness.open(LIN, session="s")
        assert not (await session.say("你好。")).ended
        reply = await session.say("还在吗？")
        assert reply.ended
        assert "1" in reply.text
        assert "林晓" in reply.text
        events = await gather(session.stream("还在吗？"))
        assert isinstance(events[-1], Done)
        assert events[-1].reply.ended
        assert (await session.state()).turn_count == 1


async def test_sessions_do_not_mix(make_harness: MakeHarness) -> None:
    async with make_harness(lambda request: f"Echo {request.messages[-1].content}") as harness:
        sessions: list[Session] = [await harness.open(MIA, session=f"s{n}") for n in range(20)]
        await asyncio.gather(*(s.say(f"My name is Name{n}.") for n, s in enumerate(sessions)))
        states: list[DialogueState] = [await session.state() for session in sessions]
    for number, state in enumerate(states):
        assert [fact.value for fact in state.active_facts("user")] == [f"Name{number}"]


async def test_a_slow_revision_does_not_cost_the_reply_that_is_there(make_harness: MakeHarness) -> None:
    class SlowToMend(ScriptedModel):
        async def complete(self, request: ModelRequest) -> ModelReply:
            if request.purpose == "revise":
                await asyncio.sleep(30)
            return await super().complete(request)

    async with make_harness(SlowToMend("Sorry, you're right, I have no pets."), turn_timeout_s=5) as harness:
        session = await harness.open(MIA, session="s")
        reply = await session.say("But you told me you have no pets.")
        record = await session.report()
    assert "Biscuit" in reply.text
    assert record.candidates[record.chosen].form == "line"
    assert any("did not answer within" in event.message for event in record.events)


# --- the persona decides ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("persona", "question", "slip", "claim", "fact"),
    [
        ("mia", "Where do you live?", "I live in Boston.", "You said you live in Boston.", "Portland"),
        ("mia", "Do you have pets?", "I have a dog named Rex.", "But you told me you have a dog.", "Biscuit"),
        ("lin", "你住哪儿？", "我住在上海。", "你说过你住在上海。", "苏州"),
        ("lin", "你养宠物吗？", "我养了一条狗。", "可是你说过你养了狗。", "阿墨"),
    ],
)
async def test_a_slip_of_the_model_is_not_sent_nor_kept(
    make_harness: MakeHarness, persona: str, question: str, slip: str, claim: str, fact: str
) -> None:
    async with make_harness(slip) as harness:
        session = await harness.open(persona, session="s")
        reply = await session.say(question)
        state = await session.state()
        assert fact in reply.text, "the persona's own sentence is said when no revision keeps to it"
        assert not [f for f in state.active_facts("character") if f.value in slip]
    async with make_harness("Yes, I do." if persona == "mia" else "是的，我说过。", max_revisions=0) as harness:
        session = await harness.open(persona, session="t")
        await session.say(claim)
        record = await session.report()
        assert record.notices[0].kind == "contradiction"
        assert any(finding.kind == "concession" for finding in record.candidates[0].findings)


async def test_even_a_slip_that_was_sent_does_not_outweigh_the_persona(make_harness: MakeHarness) -> None:
    async with make_harness(["I live in Boston.", "Yes, Boston."], max_revisions=0) as harness:
        session = await harness.open("mia", session="s")
        await session.say("Where do you live?")
        assert not (await session.state()).active_facts("character")
        await session.say("You said you live in Boston.")
        record = await session.report()
    assert record.notices[0].kind == "contradiction"
    assert record.notices[0].fact_id == "p:home"
