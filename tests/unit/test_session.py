"""Sessions: turns are durable, moved in as a tree, resumed after a crash, and never half done."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from harness.errors import (
    ConflictError,
    EmptyInput,
    HarnessError,
    MalformedInput,
    OversizedInput,
    RateLimited,
    ServerFailed,
    SessionBusy,
    SettingsError,
    TurnNotFound,
    TurnTimeout,
)
from harness.ports import ModelDelta, ModelReply, ModelRequest, Ports
from harness.session import Session, initial_state, rebuild
from harness.state import DialogueState, Persona, PersonaFact
from harness.state.operations import PinFact, RetractFact
from harness.testing.scripted_model import ScriptedModel
from harness.turn import MACHINE, Done, Failed, Phase, Revised, StreamEvent, Token, Turn
from tests.unit.conftest import MakeHarness

MIA = Persona(
    name="Mia",
    id="mia",
    facts=(PersonaFact(attribute="pet", value="a cat called Biscuit", statement="I have a cat called Biscuit."),),
)
LIN = Persona(
    name="林晓",
    id="lin",
    language="zh",
    facts=(PersonaFact(attribute="宠物", value="一只叫豆豆的猫", statement="我养了一只叫豆豆的猫。"),),
)


async def gather(events: AsyncIterator[StreamEvent]) -> list[StreamEvent]:
    return [event async for event in events]


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


class Slow(ScriptedModel):
    """Answers when told to."""

    def __init__(self, text: str = "Slow.") -> None:
        super().__init__(text)
        self.go = asyncio.Event()
        self.started = asyncio.Event()
        self.cancelled = 0

    async def complete(self, request: ModelRequest) -> ModelReply:
        self.started.set()
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return await super().complete(request)


async def test_a_second_caller_waits_or_is_refused(make_harness: MakeHarness) -> None:
    slow = Slow()
    async with make_harness(slow, when_busy="refuse") as harness:
        session, again = await harness.open(MIA, session="s"), await harness.open(session="s")
        running = asyncio.create_task(session.say("One."))
        await slow.started.wait()
        with pytest.raises(SessionBusy):
            await again.say("Two.")
        slow.go.set()
        assert (await running).number == 1
    async with make_harness(slow) as harness:
        session, again = await harness.open(session="s"), await harness.open(session="s")
        replies = await asyncio.gather(session.say("Two."), again.say("Three."), session.say("Four."))
        assert sorted(reply.number for reply in replies) == [2, 3, 4]


async def test_a_cancelled_or_late_turn_leaves_the_session_as_it_was(make_harness: MakeHarness) -> None:
    slow = Slow()
    async with make_harness(slow, turn_timeout_s=0.4) as harness:
        session = await harness.open(MIA, session="s")
        running = asyncio.create_task(session.say("One."))
        await slow.started.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        with pytest.raises(TurnTimeout):
            await session.say("Two.")
        assert slow.cancelled == 2
        assert (await session.state()).turn_count == 0
        slow.go.set()
        assert (await session.say("Three.")).number == 1


async def crash(turn: Turn, ports: Ports) -> Turn:
    raise KeyboardInterrupt


@pytest.mark.parametrize("phase", [phase for phase in Phase if phase not in (Phase.done, Phase.revise)])
async def test_a_crash_at_any_phase_loses_nothing_and_counts_nothing_twice(
    make_harness: MakeHarness, phase: Phase
) -> None:
    """The step of one phase never returns; another process opens the session afterwards."""
    blocked = asyncio.Event()

    async def hang(turn: Turn, ports: Ports) -> Turn:
        blocked.set()
        await asyncio.Event().wait()
        return turn

    engine = {"short_term_window": 2, "summary_trigger_tokens": 50} if phase is Phase.summarize else {}
    texts = ["My name is Ann.", "I live in Leeds and work there as a baker in the old mill by the river.", "Hello."]
    hung = make_harness(
        "Yes, that is quite something, isn't it, all in all.", machine=MACHINE.replacing(phase, hang), **engine
    )
    whole = make_harness("Yes, that is quite something, isn't it, all in all.", **engine)
    session = await whole.open(MIA, session="s")
    for text in texts[:2]:
        await session.say(text)
    await whole.close()
    dying = await hung.open(session="s")
    running = asyncio.create_task(dying.say(texts[2]))
    await blocked.wait()
    durable = phase in (Phase.extract_facts, Phase.update_topic, Phase.summarize, Phase.persist)
    if durable:
        assert (await running).number == 3, "the user has the reply while bookkeeping is still going on"
    else:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    async with make_harness("Back.", **engine) as again:
        session = await again.open(session="s")
        state = await session.state()
        assert state.turn_count == (3 if durable else 2)
        assert state.phase == "done"
        assert rebuild(initial_state(await again.store().info("s")), await session.branch()) == state
        if durable:
            assert any(event.kind == "resumed" for event in (await session.report()).events)
        assert (await session.say("Again.")).number == state.turn_count + 1
    if (task := dying._turnstile.bookkeeping) is not None:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    await hung.store().close()


async def test_two_processes_on_one_session_lose_no_turn(make_harness: MakeHarness) -> None:
    slow = Slow("From the first.")
    async with make_harness(slow) as first, make_harness("From the second.") as second:
        one, two = await first.open(MIA, session="s"), await second.open(MIA, session="s")
        running = asyncio.create_task(one.say("First."))
        await slow.started.wait()
        await two.say("Second.")
        slow.go.set()
        with pytest.raises(ConflictError, match="side branch") as caught:
            await running
        timeline = await two.timeline()
        assert {entry.record.user_text for entry in timeline} == {"First.", "Second."}
        assert [entry.record.user_text for entry in timeline if entry.current] == ["Second."]
        state = await two.goto(str(caught.value.details["turn_id"]))
        assert [message.text for message in state.messages] == ["First.", "From the first."]
        await one.say("And on.")
        assert (await two.state()).turn_count == 2


async def test_snapshots_change_nothing(make_harness: MakeHarness) -> None:
    async with make_harness("Yes.", snapshot_every=2) as harness:
        session = await harness.open(MIA, session="s")
        for number in range(7):
            await session.say(f"My number {number} is {number}{number}{number}.")
        expected = [await session.state(number) for number in range(8)]
    async with make_harness("Yes.") as harness:
        session = await harness.open(session="s")
        assert [await session.state(number) for number in range(8)] == expected
        with pytest.raises(TurnNotFound):
            await session.state(8)


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


async def test_sessions_do_not_mix(make_harness: MakeHarness) -> None:
    async with make_harness(lambda request: f"Echo {request.messages[-1].content}") as harness:
        sessions: list[Session] = [await harness.open(MIA, session=f"s{n}") for n in range(20)]
        await asyncio.gather(*(s.say(f"My name is Name{n}.") for n, s in enumerate(sessions)))
        states: list[DialogueState] = [await session.state() for session in sessions]
    for number, state in enumerate(states):
        assert [fact.value for fact in state.active_facts("user")] == [f"Name{number}"]


# --- what a review broke ----------------------------------------------------------------------------------------------


async def test_a_resumed_turn_and_a_newer_one_of_another_process_do_not_block_the_session(
    make_harness: MakeHarness,
) -> None:
    """B resumes turn 1 while A completes it and records turn 2: B goes on from turn 2."""
    gate, waiting = asyncio.Event(), asyncio.Event()

    async def slow(turn: Turn, ports: Ports) -> Turn:
        waiting.set()
        await gate.wait()
        return await MACHINE.steps["update_topic"](turn, ports)

    a = make_harness("From A.", machine=MACHINE.replacing("update_topic", slow))
    b = make_harness("From B.")
    first = await a.open(MIA, session="s")
    await first.say("One.")
    await waiting.wait()
    second = await b.open(session="s")
    answering = asyncio.create_task(second.say("Three?"))
    await asyncio.sleep(0)
    gate.set()
    await first.say("Two.")
    await asyncio.gather(answering, return_exceptions=True)  # may have lost the race: then it is a side branch
    reply = await second.say("Four?")
    state = await second.state()
    assert state.phase == "done"
    assert state.turn_count == reply.number
    records = await second.branch()
    assert [record.number for record in records] == list(range(1, len(records) + 1))
    assert all(record.rejected == () or record.phase == "done" for record in records)
    assert rebuild(initial_state(await b.store().info("s")), records) == state
    await a.close()
    await b.close()


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


async def broken(turn: Turn, ports: Ports) -> Turn:
    raise ValueError("a faulty step")


async def test_a_faulty_bookkeeping_step_is_left_out_and_named(make_harness: MakeHarness) -> None:
    machine = MACHINE.inserting("faulty", broken, after="extract_facts")
    async with make_harness("Fine.", machine=machine) as harness:
        session = await harness.open(MIA, session="s")
        await session.say("My name is Ann.")
        record, state = await session.report(), await session.state()
        assert (record.phase, state.turn_count) == ("done", 1)
        assert [event.kind for event in record.events] == ["step_failed"]
        assert "a faulty step" in record.events[0].message
        assert (await session.say("Again.")).number == 2


async def test_forks_and_reports_count_turns_not_changes(make_harness: MakeHarness) -> None:
    async with make_harness(["One.", "Two."]) as harness:
        session = await harness.open(MIA, session="s")
        await session.say("My name is Ann.")
        await session.change([PinFact(fact_id=(await session.state()).facts[0].id)])
        await session.say("I live in Leeds.")
        await session.change([PinFact(fact_id=(await session.state()).facts[-1].id)])
        assert (await session.report()).reply == "Two."
        assert (await session.report(1)).reply == "One."
        fork = await harness.open(session=await session.fork("t", number=2))
        assert (await fork.state()) == (await session.state())
        one = await harness.open(session=await session.fork("u", number=1))
        state = await one.state()
        assert (state.turn_count, state.facts[0].pinned) == (1, True)


async def test_a_cancelled_caller_does_not_wait_for_bookkeeping_nor_stop_it(make_harness: MakeHarness) -> None:
    gate = asyncio.Event()

    async def slow(turn: Turn, ports: Ports) -> Turn:
        await gate.wait()
        return turn.propose([])

    machine = MACHINE.inserting("slow", slow, after="record")
    async with make_harness("Fine.", machine=machine, turn_timeout_s=0.3) as harness:
        session = await harness.open(MIA, session="s")
        await session.say("One.")
        for _ in range(2):
            waiting = asyncio.create_task(session.say("Two."))
            await asyncio.sleep(0.01)
            waiting.cancel()
            done, _ = await asyncio.wait({waiting}, timeout=0.2)
            assert done, "the cancelled caller is let go at once"
        with pytest.raises(TurnTimeout, match="bookkeeping"):
            await session.say("Two.")
        gate.set()
        assert (await session.say("Two.")).number == 2
        assert len(await session.branch()) == 2


async def test_two_handles_share_one_bookkeeping(make_harness: MakeHarness) -> None:
    ran = []

    async def count(turn: Turn, ports: Ports) -> Turn:
        ran.append(turn.number)
        await asyncio.sleep(0.01)
        return turn

    async with make_harness("Fine.", machine=MACHINE.inserting("count", count, after="record")) as harness:
        one, two = await harness.open(MIA, session="s"), await harness.open(session="s")
        await one.say("One.")
        await two.say("Two.")
        await asyncio.gather(one.settled(), two.settled())
    assert ran == [1, 2]


async def test_blanks_around_a_streamed_reply_are_no_revision(make_harness: MakeHarness) -> None:
    async with make_harness("\n  Hello there. \n") as harness:
        session = await harness.open(MIA, session="s")
        events = await gather(session.stream("Hi."))
        stored = (await session.state()).messages[-1].text
    assert not any(isinstance(event, Revised) for event in events)
    assert shown(events).strip() == stored == "Hello there."


async def test_opening_a_new_session_twice_at_once_gives_one(make_harness: MakeHarness) -> None:
    async with make_harness("Fine.") as harness:
        sessions = await asyncio.gather(*(harness.open(MIA, session="new") for _ in range(5)))
        assert {session.id for session in sessions} == {"new"}


async def test_a_session_of_one_user_is_not_opened_for_another(make_harness: MakeHarness) -> None:
    async with make_harness("Fine.") as harness:
        await harness.open(MIA, session="s", user="ann")
        assert (await harness.open(session="s")).id == "s"
        with pytest.raises(SettingsError, match="conversation with 'ann'"):
            await harness.open(session="s", user="bob")


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
