"""A program that dies in a write: the session is as before or as after, never between, and equals its journal."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from harness.adapters.stores.memory import MemorySessionStore
from harness.adapters.stores.sqlite import SQLiteSessionStore
from harness.app import Harness
from harness.cli.choosing import add_fact, change_fact, merge_subjects, pin, revise
from harness.errors import StoreError
from harness.session import Session, initial_state, rebuild
from harness.settings import load
from harness.state import DialogueState, Persona
from harness.testing import ScriptedModel

WRITES = ("append", "amend", "move_head", "save_snapshot")
Step = Callable[[Session], Awaitable[object]]


class Dying:
    """A store whose program dies at one write, before it is made or when it was; nothing is read or written after that."""

    def __init__(self, store: Any, write: str = "", *, made: bool = False) -> None:
        self.dead = False
        self._store, self._write, self._made = store, write, made

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._store, name)

        async def call(*arguments: Any, **named: Any) -> Any:
            if self.dead:
                raise StoreError("dead already")
            if name != self._write:
                return await method(*arguments, **named)
            if self._made:
                await method(*arguments, **named)
            self.dead = True
            raise StoreError("dies")

        return call


def steps(language: str) -> dict[str, Step]:
    """What happens in a session, in order: turns that find something in every part of the state, and changes by hand."""
    english = language == "en"
    sister = "Ines" if english else "茂琳"
    first = (
        "My sister Ines is a vet. I'll bring the ladder tomorrow. Not the Grand Pavilion."
        if english
        else "我妹妹茂琳是兽医。我明天把梯子带来。不要大華酒店。"
    )
    second = "I live in Leeds now. Let's talk about boats." if english else "我现在住在兰州。我们聊聊船吧。"
    third = "Here is the ladder I promised." if english else "答应你的梯子我带来了。"
    return {
        "take up a task": lambda s: s.set_task("roof" if english else "修屋顶", task_id="t", todo=["a", "b"]),
        "first": lambda s: s.say(first),
        "change the task": lambda s: s.update_task(remove=["a"], done=["b"], confirmed=["c"]),
        "note": lambda s: add_fact(s, "girlfriend", "locker", "7"),
        "note again": lambda s: add_fact(s, sister, "locker", "7"),
        "merge": lambda s: merge_subjects(s, sister, "girlfriend"),
        "second": lambda s: s.say(second),
        "pin": lambda s: change_fact(s, "locker", lambda fact, _: pin(fact, pinned=True)),
        "revise": lambda s: change_fact(s, "locker", lambda fact, state: revise(fact, state, "8")),
        "third": lambda s: s.say(third),
        "retry": lambda s: s.retry(),
        "edit": lambda s: s.edit(second),
        "undo": lambda s: s.undo(2),
        "another task": lambda s: s.set_task("feast" if english else "摆宴席", task_id="u"),
        "leave": lambda s: s.leave_task(),
    }


def words(state: DialogueState) -> object:
    """What a state says, without ids and times."""
    return (
        state.turn_count,
        [(fact.subject, fact.attribute, fact.value, fact.status, fact.pinned) for fact in state.facts],
        [(promise.by, promise.text, promise.status) for promise in state.commitments],
        [(entity.name, entity.aliases, entity.mentions) for entity in state.entities],
        [topic.label for topic in (*state.topics.open, *state.topics.past)],
        [message.text for message in state.messages],
        state.task,
    )


@pytest.fixture(params=["sqlite", "memory"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Any]:
    made: Any = SQLiteSessionStore(tmp_path / "s.db") if request.param == "sqlite" else MemorySessionStore()
    yield made
    await made.close()


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_every_write_may_be_the_last(store: Any, language: str, tmp_path: Path) -> None:
    settings = load(
        start=tmp_path,
        environ={},
        overrides={"harness.analysis": "rules", "harness.seed": 7, "harness.snapshot_every": 1},
    )
    persona = Persona(name="Mia", id="p", language=language)
    said = "I see." if language == "en" else "我知道了。"

    async def open_on(any_store: Any) -> tuple[Harness, Session]:
        harness = Harness(settings, store=any_store, model=ScriptedModel(said))
        return harness, await harness.open(persona, session="s")

    async def back_to(head: str | None, session: Session) -> None:
        depth = len(await session.branch())
        if head is not None:
            await session.goto(head)
        elif depth:
            await session.undo(depth)

    harness, session = await open_on(store)
    deaths = 0
    for name, step in steps(language).items():
        before, info = words(await session.state()), await store.info("s")
        found: list[tuple[str, bool, object]] = []
        for write in WRITES:
            for made in (False, True):
                dying = Dying(store, write, made=made)
                doomed, its = await open_on(dying)
                try:
                    await step(its)
                except StoreError:
                    assert dying.dead, name
                await doomed.close()
                again, reopened = await open_on(store)
                state, branch = await reopened.state(), await reopened.branch()
                assert state.phase == "done"
                assert all(record.phase == "done" for record in branch)
                assert rebuild(initial_state(await store.info("s")), branch) == state
                left = words(state)
                await back_to(info.head, reopened)
                assert words(await reopened.state()) == before, name
                await again.close()
                if not dying.dead:
                    break  # the step makes no such write
                deaths += 1
                found.append((write, made, left))
        await step(session)
        await session.settled()
        after = words(await session.state())
        assert after != before or name == "retry", name  # which says the same again, in another record
        for write, made, left in found:
            whole = made or write in ("amend", "save_snapshot")
            assert left == (after if whole else before), (name, write, made)
    await harness.close()
    assert deaths > 40


async def test_a_change_that_is_cancelled_while_it_is_written_is_whole(store: Any, tmp_path: Path) -> None:
    class Slow(Dying):
        def __getattr__(self, name: str) -> Any:
            method = super().__getattr__(name)

            async def call(*arguments: Any, **named: Any) -> Any:
                result = await method(*arguments, **named)
                if name == "append":
                    await asyncio.sleep(0.05)
                return result

            return call

    settings = load(start=tmp_path, environ={}, overrides={"harness.analysis": "rules"})
    async with Harness(settings, store=Slow(store), model=ScriptedModel("Yes.")) as harness:
        session = await harness.open(Persona(name="Mia", id="p"), session="s")
        running = asyncio.create_task(session.set_task("mend the roof", task_id="t"))
        await asyncio.sleep(0.01)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        branch = await session.branch()
        assert rebuild(initial_state(await store.info("s")), branch) == await session.state()
        await session.set_task("plan a feast", task_id="u")
        assert len(await session.branch()) == len(branch) + 1
