"""Whatever somebody does with a conversation, memory is what its branch would have written, and what was recalled is not written again."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings as limits, strategies as st

from harness.adapters.graphs.ram import InProcessGraph
from harness.adapters.memories.ram import InProcessMemoryStore
from harness.adapters.stores.memory import MemorySessionStore
from harness.app import Harness
from harness.memory.scoring import MOST_USE, use
from harness.ports import MemoryFilter, ModelRequest
from harness.ports.graphs import GraphFilter
from harness.session import Session
from harness.settings import load
from harness.testing.scripted_model import ScriptedModel

PERSONAS = {"en": "mia", "zh": "lin"}
LINES = {
    "en": ("I live in Leeds.", "I live in York.", "My cat is called Bean.", "My sister Anna works at Tencent.", "I'm allergic to walnuts.", "Where do I live?", "Remember that the ferry leaves at nine.", "I love plums."),
    "zh": ("我住在苏州。", "我住在杭州。", "我的猫叫豆豆。", "我姐姐安娜在腾讯上班。", "我对核桃过敏。", "我住在哪里？", "记住，轮渡九点开。", "我很喜欢李子。"),
}  # fmt: skip
ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("say"), st.integers(0, 7)),
        st.tuples(st.just("edit"), st.integers(0, 7)),
        st.tuples(st.sampled_from(["undo", "retry", "back", "fork"]), st.just(0)),
    ),
    min_size=1,
    max_size=9,
)
EVERY = MemoryFilter(everything=True, statuses=())


@dataclass(slots=True)
class Clock:
    """A minute passes with every look at it."""

    time: datetime = field(default_factory=lambda: datetime(2026, 6, 1, 9, tzinfo=UTC))

    def now(self) -> datetime:
        self.time += timedelta(minutes=1)
        return self.time

    def monotonic(self) -> float:
        return 0.0


def parrot(request: ModelRequest) -> str:
    """Says again what the prompt knows: the worst that a model can do with what was recalled."""
    known = [line for message in request.messages if message.role == "system" for line in message.content.splitlines() if line.startswith("- ")]  # fmt: skip
    return known[-1].removeprefix("- ") if known else "…"


def opened(store: MemorySessionStore, memory: InProcessMemoryStore, graph: InProcessGraph, clock: Any) -> Harness:
    loaded = load(environ={}, overrides={"harness.analysis": "rules", "harness.background": "false"})
    return Harness(loaded, model=ScriptedModel(parrot), store=store, memory=memory, graph=graph, clock=clock)


async def done(session: Session, actions: Sequence[tuple[str, int]], code: str) -> list[str]:
    """Do it all; gives the ids of forks."""
    forks: list[str] = []
    left: list[str] = []
    for action, number in actions:
        turns = (await session.state()).turn_count
        if action == "say":
            await session.say(LINES[code][number])
        elif action == "edit" and turns:
            await session.edit(LINES[code][number])
        elif action == "retry" and turns:
            await session.retry()
        elif action == "undo" and turns:
            left.append((await session.report()).id)
            await session.undo()
        elif action == "back" and left:
            await session.goto(left[-1])
        elif action == "fork" and turns:
            forks.append(await session.fork(f"fork{len(forks)}"))
        await session.settled()
    await session.say({"en": "Well then.", "zh": "那好吧。"}[code])
    await session.settled()
    return forks


async def content(memory: InProcessMemoryStore, graph: InProcessGraph, sessions: Sequence[str]) -> list[object]:
    """What is known of sessions now: uses aside, which only tell of what was asked."""
    items = [item async for item in _all(memory) if item.status == "active" and item.session in sessions]
    edges = await graph.browse(GraphFilter(everything=True), limit=1000)
    plain = {item.id: item.model_copy(update={"uses": 0, "last_used_at": None}) for item in items}
    return [plain, {edge.id: edge for edge in edges if edge.session in sessions}]


async def _all(memory: InProcessMemoryStore) -> Any:
    for item in await memory.browse(EVERY, limit=1000):
        yield item


@pytest.mark.parametrize("code", ["en", "zh"])
@limits(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
@given(actions=ACTIONS)
def test_memory_is_what_the_branch_would_have_written(code: str, actions: list[tuple[str, int]]) -> None:
    asyncio.run(_compared(code, actions))


async def _compared(code: str, actions: list[tuple[str, int]]) -> None:
    store, memory, graph, clock = MemorySessionStore(), InProcessMemoryStore(), InProcessGraph(), Clock()
    async with opened(store, memory, graph, clock) as harness:
        session = await harness.open(PERSONAS[code], session="one", user="nora")
        await done(session, actions, code)
        branch = await session.branch()
        used = {item.id: item.uses async for item in _all(memory)}
    went = await content(memory, graph, ["one"])
    # Made from the journal alone, by a memory that never saw the conversation, it is the same.
    fresh, anew = InProcessMemoryStore(), InProcessGraph()
    async with opened(store, fresh, anew, clock) as harness:
        session = await harness.open(session="one")
        await session.undo()
        await session.say({"en": "Well then.", "zh": "那好吧。"}[code])
        await session.settled()
        last = (await session.branch())[-1].id
    made = await content(fresh, anew, ["one"])
    mine, theirs = ({key: value for key, value in part.items() if branch[-1].id not in key and last not in key} for part in (went[0], made[0]))  # type: ignore[attr-defined]  # fmt: skip
    assert mine == theirs
    assert went[1] == made[1]
    # Nothing of a turn that is not on the branch counts, and no turn counted an item twice.
    assert {item.turn_id for item in went[0].values() if item.turn_id} <= {record.id for record in branch}  # type: ignore[attr-defined]
    turns = sum(action in ("say", "edit", "retry") for action, _ in actions) + 1
    assert all(count <= turns for count in used.values())


@pytest.mark.parametrize("code", ["en", "zh"])
@limits(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(told=st.lists(st.integers(0, 7), min_size=1, max_size=3), asked=st.integers(1, 3))
def test_what_a_parrot_gives_back_is_not_written_again(code: str, told: list[int], asked: int) -> None:
    asyncio.run(_parroted(code, told, asked))


async def _parroted(code: str, told: list[int], asked: int) -> None:
    """The character gives back what it was told in another session: that is no news, and no second statement of it."""
    store, memory, graph, clock = MemorySessionStore(), InProcessMemoryStore(), InProcessGraph(), Clock()
    async with opened(store, memory, graph, clock) as harness:
        first = await harness.open(PERSONAS[code], session="one", user="nora")
        for number in told:
            await first.say(LINES[code][number])
        await first.settled()
        keys = {item.key async for item in _all(memory) if item.attribute}
        second = await harness.open(PERSONAS[code], session="two", user="nora")
        for _ in range(asked):
            await second.say({"en": "What do you know about me?", "zh": "你知道我什么？"}[code])
            await second.settled()
        facts = [item async for item in _all(memory) if item.session == "two" and item.attribute]
        assert [item for item in facts if item.key in keys or item.speaker == "user"] == []
        used = [item.uses async for item in _all(memory)]
        assert all(count <= asked + len(told) for count in used)


@given(st.integers(0, 10**9))
def test_use_counts_ever_less_and_is_capped(uses: int) -> None:
    assert 1 <= use(uses) <= MOST_USE
    assert use(uses + 1) >= use(uses)
    assert use(uses + 1) - use(uses) <= 0.1
