"""What gives way when the budget is short, and what never does."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings, strategies as st

from harness.context.fitting import fit
from harness.errors import BudgetError
from harness.state import Message
from harness.state.memory import MemoryItem, Scope
from harness.state.operations import PinFact
from tests.unit._context import content, harness_with, prompt, talked

BOTH = pytest.mark.parametrize("code", ["en", "zh"])
GOAL = {"en": "plan the trip to Hangzhou for three nights near the lake", "zh": "安排去杭州住三晚、靠近西湖的行程"}
DESCRIBED = {
    "en": "I need a quiet hotel by the lake, under six hundred a night.",
    "zh": "我要一家湖边的安静酒店，一晚六百以内。",
}
FILLER = {
    "en": "Well, the weather was quite something again on day {n}. " * 4,
    "zh": "第{n}天的天气又很特别，真是说不完。" * 6,
}
PINNED = {"en": "I'm allergic to mangoes.", "zh": "我对芒果过敏。"}
MANGO = {"en": "mangoes", "zh": "芒果"}


def cost(message: Message) -> int:
    return len(message.text) + 1


messages = st.lists(
    st.tuples(st.integers(0, 2), st.text("ab字", min_size=0, max_size=30)), max_size=24
).map(
    lambda parts: tuple(
        Message(speaker="user" if index % 2 else "character", text=text, turn=sum(step for step, _ in parts[: index + 1]))
        for index, (_, text) in enumerate(parts)
    )
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@example(  # the newest turn is to be kept and does not fit: no older one takes its place
    said=tuple(Message(speaker="user", text="", turn=turn) for turn in (6, 7, 7)), room=1, keep=frozenset({7})
)
@given(said=messages, room=st.integers(0, 300), keep=st.frozensets(st.integers(0, 12), max_size=2))
def test_history_is_cut_by_tokens_and_whole_turns_and_never_through_the_kept_ones(
    said: tuple[Message, ...], room: int, keep: frozenset[int]
) -> None:
    kept, dropped = fit(said, room, cost=cost, keep=keep)
    assert sum(map(cost, kept)) <= room
    assert sorted(map(id, (*kept, *dropped))) == sorted(map(id, said))
    assert not {message.turn for message in kept} & {message.turn for message in dropped}
    turns = sorted({message.turn for message in said})
    price = {turn: sum(cost(one) for one in said if one.turn == turn) for turn in turns}
    wanted = [turn for turn in turns if turn in keep]
    if sum(price[turn] for turn in wanted) <= room:
        assert set(wanted) <= {message.turn for message in kept}
    # what is left out is older than all that is in, but for the kept turns, and the next would not have fitted
    out = [turn for turn in turns if turn not in {message.turn for message in kept}]
    others = [turn for turn in turns if turn not in out and turn not in keep]
    if out and others:
        assert max(out) < min(others) or max(out) in keep
    if out:
        assert price[out[-1]] > room - sum(map(cost, kept))


@settings(max_examples=60, deadline=None)
@given(said=messages, room=st.integers(0, 200))
def test_the_number_of_messages_does_not_matter(said: tuple[Message, ...], room: int) -> None:
    kept, _ = fit(said, room, cost=lambda _: 0)
    assert kept == said
    assert fit(said, room, cost=lambda _: room + 1)[0] == ()


@BOTH
async def test_goal_description_and_pinned_fact_outlive_a_budget_that_the_talk_is_over(code: str) -> None:
    async with harness_with(
        code, harness__total_token_budget=1400, harness__short_term_window=40, harness__summary_trigger_tokens=100000
    ) as harness:
        session, _ = await talked(harness, code, PINNED[code])
        fact = next(fact for fact in (await session.state()).facts if fact.attribute == "allergy")
        await session.change([PinFact(fact_id=fact.id, pinned=True)])
        await session.set_task(GOAL[code])
        await session.say(DESCRIBED[code])
        for number in range(14):
            await session.say(FILLER[code].format(n=number))
        record = await session.report()
    seen = content(record)
    assert record.context.total_tokens <= 1400
    assert any(one.kind == "budget_exceeded" for one in record.context.troubles)
    assert any("over the budget" in line for line in record.context.dropped)
    assert GOAL[code] in seen
    assert MANGO[code] in seen
    assert DESCRIBED[code] in [text for _, text in prompt(record)], "the turn that describes the task leaves last"
    assert FILLER[code].format(n=1) not in [text for _, text in prompt(record)]
    assert FILLER[code].format(n=12) in [text for _, text in prompt(record)]


@BOTH
async def test_what_was_retrieved_gives_way_before_the_budget_is_an_error(code: str) -> None:
    likes = {"en": "I like {n} music on Sundays in the park.", "zh": "我星期天喜欢在公园听第{n}种音乐。"}[code]
    asked = {"en": "Which music do I like on Sundays in the park?", "zh": "我星期天喜欢在公园听什么音乐？"}[code]
    async with harness_with(code) as wide:
        await talked(wide, code, PINNED[code], *(likes.format(n=n) for n in range(6)))
        _, record = await talked(wide, code, asked, session="second")
        least = sum(record.context.tokens_of(layer) for layer in ("L0", "L1", "input"))
        whole = record.context.total_tokens - record.context.tokens_of("history")
        memory = wide.memory_store()
        assert whole > least + 40
        async with harness_with(code, memory=memory, harness__total_token_budget=whole - 20) as narrow:
            _, less = await talked(narrow, code, asked, session="third")
        assert less.context.total_tokens <= whole - 20
        assert any("gave way to the budget" in one.text for one in less.context.troubles)
        assert MANGO[code] in content(less), "a constraint stays"
        gone = [
            item for item in less.context.items_of("L3") + less.context.items_of("L2") if "whole prompt" in item.dropped
        ]
        assert gone
        async with harness_with(code, memory=memory, harness__total_token_budget=least // 2) as small:
            with pytest.raises(BudgetError, match=r"L0 \d+") as caught:
                await talked(small, code, asked, session="fourth")
    assert str(least // 2) in str(caught.value)


@BOTH
async def test_limits_of_the_facts_of_a_session_spare_the_pinned_ones(code: str) -> None:
    pets = {
        "en": ["I have a cat called Bean.", "I live in Leeds.", "I work as a baker."],
        "zh": ["我养了一只猫叫豆豆。", "我住在沈阳。", "我是面包师。"],
    }
    async with harness_with(code, memory_l1__top_k=1) as harness:
        session, _ = await talked(harness, code, PINNED[code], *pets[code])
        fact = next(fact for fact in (await session.state()).facts if fact.attribute == "allergy")
        await session.change([PinFact(fact_id=fact.id, pinned=True)])
        await session.say({"en": "Nice.", "zh": "不错。"}[code])
        record = await session.report()
    facts = next(one for one in record.context.layers if one.block == "facts")
    shown = [item.id for item in facts.items if not item.dropped]
    assert fact.id in shown
    assert len(shown) <= 2
    assert any(item.dropped == "more than 1 facts of L1" for item in facts.items)


PIN = {
    "en": "Rule {n}: words {n} of the lighthouse keeper stand on a board by the door.",
    "zh": "规矩{n}：看灯塔的人把第{n}句话写在门边的木牌上。",
}


@BOTH
@pytest.mark.parametrize("how", [{"pinned": True}, {"kind": "constraint"}], ids=["pinned", "constraint"])
async def test_pinned_notes_and_constraints_are_never_cut(code: str, how: dict[str, Any]) -> None:
    notes = [PIN[code].format(n=n) for n in range(12)]
    hello = {"en": "Hello there, how are you?", "zh": "你好，最近怎么样？"}[code]
    async with harness_with(code) as wide:
        for text in notes:
            await wide.memories().note(text, scope=Scope(user="nora"), **how)
        _, record = await talked(wide, code, hello)
        needed = record.context.total_tokens
        memory = wide.memory_store()
        async with harness_with(code, memory=memory, harness__total_token_budget=needed) as enough:
            _, record = await talked(enough, code, hello, session="second")
        assert all(text in content(record) for text in notes)
        async with harness_with(code, memory=memory, harness__total_token_budget=needed - 100) as small:
            with pytest.raises(BudgetError, match=r"L3 \d+"):
                await talked(small, code, hello, session="third")


@BOTH
@pytest.mark.parametrize("attribute", ["", "tea"])
async def test_the_limit_of_a_layer_is_of_the_lines_that_are_sent(code: str, attribute: str) -> None:
    """With who said it, and when: what a long name costs is counted."""
    said = {
        "en": "The lighthouse keeper number {n} painted door {n} green.",
        "zh": "看灯塔的第{n}个人把第{n}扇门漆成了绿色。",
    }[code]
    asked = {"en": "What colour did the lighthouse keeper paint the door?", "zh": "看灯塔的人把门漆成了什么颜色？"}[
        code
    ]
    user = "nora-of-the-lighthouse-with-a-name-of-many-words-and-letters"
    async with harness_with(code, memory_l2__max_tokens=120, memory_l3__max_tokens=120) as harness:
        await talked(harness, code, *(said.format(n=n) for n in range(6)), user=user)
        memories = harness.memories()
        for n in range(6) if attribute else ():
            text = said.format(n=n + 10)
            item = MemoryItem(
                id=f"f{n}", layer="L3", kind="fact", text=text, scope=Scope(user=user), subject="user", speaker="user",
                attribute=f"{attribute}{n}", value=text, language=code,
            )  # fmt: skip
            await memories.load([item.model_dump_json()])
        _, record = await talked(harness, code, asked, session="second", user=user)
    for layer in ("L2", "L3"):
        shown = [one for one in record.context.items_of(layer) if not one.dropped]
        assert shown or (layer == "L3" and not attribute)
        assert record.context.tokens_of(layer) <= 120
