"""A session that several callers and processes share, or that a crash cut short: nothing lost, nothing twice."""

from __future__ import annotations

import asyncio

import pytest

from harness.adapters.stores.memory import MemorySessionStore
from harness.app import Harness
from harness.errors import (
    ConflictError,
    SessionBusy,
    SettingsError,
    TurnNotFound,
    TurnTimeout,
)
from harness.ports import Ports
from harness.session import initial_state, rebuild
from harness.settings import load
from harness.state import Persona, TurnRecord
from harness.state.operations import PinFact
from harness.testing import ScriptedModel
from harness.turn import MACHINE, Phase, Turn, TurnMachine
from tests.unit._sessions import LIN, MIA, Slow
from tests.unit.conftest import MakeHarness


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


# --- what a review broke ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("persona", [MIA, LIN], ids=["en", "zh"])
async def test_a_resumed_turn_and_a_newer_one_of_another_process_do_not_block_the_session(
    make_harness: MakeHarness, persona: Persona
) -> None:
    """B resumes turn 1 while A completes it and records turn 2: B goes on from turn 2."""
    gates = {name: (asyncio.Event(), asyncio.Event()) for name in "ab"}

    def held(name: str) -> TurnMachine:
        async def step(turn: Turn, ports: Ports) -> Turn:
            waiting, gate = gates[name]
            waiting.set()
            await gate.wait()
            return await MACHINE.steps["update_topic"](turn, ports)

        return MACHINE.replacing("update_topic", step)

    a, b = make_harness("From A.", machine=held("a")), make_harness("From B.", machine=held("b"))
    first = await a.open(persona, session="s")
    await first.say("One.")
    await gates["a"][0].wait()
    second = await b.open(session="s")
    answering = asyncio.create_task(second.say("Three?"))
    await gates["b"][0].wait()  # it has read turn 1 as one to be resumed, and what follows overtakes it
    gates["a"][1].set()
    await first.say("Two.")
    gates["b"][1].set()
    assert (await answering).number == 3
    assert (await second.say("Four?")).number == 4
    state = await second.state()
    assert (state.phase, state.turn_count) == ("done", 4)
    records = await second.branch()
    assert [record.user_text for record in records] == ["One.", "Two.", "Three?", "Four?"]
    assert all(record.rejected == () or record.phase == "done" for record in records)
    assert rebuild(initial_state(await b.store().info("s")), records) == state
    await a.close()
    await b.close()


@pytest.mark.parametrize("persona", [MIA, LIN], ids=["en", "zh"])
async def test_of_two_processes_that_answer_at_once_either_may_be_told_and_nothing_is_lost(
    make_harness: MakeHarness, persona: Persona
) -> None:
    async with make_harness("From A.") as a, make_harness("From B.") as b:
        sessions = [await one.open(persona, session="s") for one in (a, b)]
        said: set[str] = set()
        for number in range(4):
            texts = [f"{name} {number}." for name in "AB"]
            said |= set(texts)
            calls = [session.say(text) for session, text in zip(sessions, texts, strict=True)]
            done = await asyncio.gather(*calls, return_exceptions=True)
            told = [one for one in done if isinstance(one, BaseException)]
            assert len(told) <= 1, told
            for error in told:
                assert isinstance(error, ConflictError)
                assert "side branch" in str(error)
        assert {entry.record.user_text for entry in await sessions[0].timeline()} == said
        count = (await sessions[1].state()).turn_count
        assert (await sessions[0].say("And on.")).number == count + 1


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


async def test_opening_a_new_session_twice_at_once_gives_one(make_harness: MakeHarness) -> None:
    async with make_harness("Fine.") as harness:
        sessions = await asyncio.gather(*(harness.open(MIA, session="new") for _ in range(5)))
        assert {session.id for session in sessions} == {"new"}


async def test_a_session_of_one_user_is_not_opened_for_another(make_harness: MakeHarness) -> None:
    async with make_harness("Fine.") as harness:
        await harness.open(MIA, session="s", user="ann")
        assert (await harness.open(session="s")).id == "s"
        for other in ("bob", "user", "安"):  # the nameless user is called "user", too
            with pytest.raises(SettingsError, match="conversation with 'ann'"):
                await harness.open(session="s", user=other)
        nameless = await harness.open(MIA, session="nameless")
        assert (await nameless.state()).user == "user"
        assert (await harness.open(session="nameless", user="user")).id == "nameless"
        with pytest.raises(SettingsError, match="conversation with 'user'"):
            await harness.open(session="nameless", user="ann")


class Overtaken(MemorySessionStore):
    """Another process completes the turn while its record is being read."""

    complete: TurnRecord | None = None

    async def record(self, session_id: str, turn_id: str) -> TurnRecord:
        found = await super().record(session_id, turn_id)
        if self.complete is not None:
            done, self.complete = self.complete, None
            await self.amend(session_id, done, expected_version=await self.version(session_id))
        return found


async def test_a_turn_that_is_completed_while_it_is_read_is_read_again() -> None:
    settings = load(environ={}, overrides={"harness.analysis": "rules"})
    store = Overtaken()
    async with Harness(settings, model=ScriptedModel("Yes."), store=store) as harness:
        first = await harness.open(MIA, session="s")
        await first.say("One.")
        done = await first.report()
        begun = done.model_copy(
            update={"phase": "record", "operations": tuple(op for op in done.operations if op.phase == "record")}
        )
        await store.amend("s", begun, expected_version=await store.version("s"))
        store.complete = done
    async with Harness(settings, model=ScriptedModel("Yes."), store=store) as harness:
        session = await harness.open(session="s")
        assert (await session.state()).phase == "done"
        assert await session.report() == done
