"""The layers of the prompt: their order, what goes into each, and which of two statements counts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from harness.errors import SettingsError
from harness.memory.informing import informed, settled
from harness.ports import Recalled, Remembered
from harness.settings import load
from harness.state import DialogueState, Fact, FactStatus, PersonaRef
from harness.state.memory import MemoryItem, Scope
from tests.unit._context import content, harness_with, prompt, talked

BOTH = pytest.mark.parametrize("code", ["en", "zh"])
ALLERGY = {"en": "I'm allergic to mangoes.", "zh": "我对芒果过敏。"}
LIKES = {"en": "I like jazz music.", "zh": "我喜欢爵士乐。"}
CHATTER = {"en": "My neighbour mentioned the mangoes on the market yesterday.", "zh": "邻居昨天说起市场上的芒果。"}
ASKED = {"en": "Which dessert is good with mangoes and jazz?", "zh": "听爵士乐的时候吃什么芒果甜品好？"}
MANGO = {"en": "mangoes", "zh": "芒果"}
SEAT = {"en": "My favourite seat is the window seat.", "zh": "我最喜欢的座位是靠窗的座位。"}
OTHER_SEAT = {"en": "My favourite seat is the aisle seat this time.", "zh": "这次，我最喜欢的座位是靠走道的座位。"}
SEAT_ASKED = {"en": "Which is my favourite seat?", "zh": "我最喜欢的座位是哪个？"}
WINDOW, AISLE = {"en": "window", "zh": "靠窗"}, {"en": "aisle", "zh": "走道"}
GOAL = {"en": "plan the trip to Hangzhou", "zh": "安排去杭州的行程"}


@BOTH
async def test_by_default_what_changes_stands_last_and_the_prefix_is_stable(code: str) -> None:
    async with harness_with(code) as harness:
        await talked(harness, code, ALLERGY[code], LIKES[code])
        session, first = await talked(harness, code, ASKED[code], session="second")
        await session.say(CHATTER[code])
        second = await session.report()
    assert second.context.order == ("L0", "summary", "history", "L2", "L3", "L1")
    one, other = prompt(first), prompt(second)
    history = len(one) - 2  # all but what changes and the message
    assert other[:history] == one[:history]
    assert MANGO[code] in one[-2][1], "memory stands in the late block"
    assert not [trouble for trouble in second.context.troubles if trouble.kind == "unstable_prefix"]


@BOTH
async def test_another_order_is_obeyed_and_one_that_breaks_the_prefix_is_warned_of(code: str) -> None:
    order = "L0,L3,summary,history,L1,L2"
    async with harness_with(code, context__injection_order=order) as harness:
        await talked(harness, code, ALLERGY[code])
        session, record = await talked(harness, code, ASKED[code], session="second")
        await session.set_task(GOAL[code])
        await session.say(ASKED[code])
        record = await session.report()
    messages = prompt(record)
    assert MANGO[code] in messages[0][1], "L3 stands in the first message"
    late = messages[-2][1]
    assert GOAL[code] in late
    assert record.context.order == ("L0", "L3", "summary", "history", "L1", "L2")
    warned = [trouble for trouble in record.context.troubles if trouble.kind == "unstable_prefix"]
    assert [trouble.layer for trouble in warned] == ["L3"]
    assert warned[0].text in record.context.warnings


@BOTH
@pytest.mark.parametrize(
    ("order", "first"), [("L0,L1,L2,L3", "L1"), ("L0_system,l3_semantic,l2_episodic,l1_working", "L3")]
)
async def test_layers_follow_each_other_as_they_are_named(code: str, order: str, first: str) -> None:
    async with harness_with(code, context__injection_order=order) as harness:
        await talked(harness, code, ALLERGY[code])
        session, _ = await talked(harness, code, LIKES[code], session="second")
        await session.set_task(GOAL[code])
        await session.say(ASKED[code])
        record = await session.report()
    late = prompt(record)[-2][1]
    assert (late.index(GOAL[code]) < late.index(MANGO[code])) == (first == "L1")


@pytest.mark.parametrize("order", ["L1,L0,L2,L3", "L0,L1,L2", "L0,L1,L2,L3,L3", "L0,L1,L2,L3,facts", ""])
def test_an_order_that_is_none_says_what_is_expected(order: str) -> None:
    with pytest.raises(SettingsError, match=r"expected each of L0, L1, L2, L3 once|no part 'facts'"):
        load(environ={}, overrides={"context.injection_order": order})


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("memory_l0.enabled", "false", "cannot be switched off"),
        ("memory_l1.always_inject", "false", "cannot be switched off"),
        ("memory_l3.fields", "preferences,wishes", "no field 'wishes'; there are facts, preferences"),
        ("context.conflict_resolution", "loudest_wins", "higher_layer_wins"),
    ],
)
def test_settings_of_layers_that_cannot_be_say_why(name: str, value: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        load(environ={}, overrides={name: value})


@BOTH
async def test_fields_choose_what_of_a_layer_goes_in(code: str) -> None:
    async def seen(**settings: Any) -> str:
        async with harness_with(code, **settings) as harness:
            await talked(harness, code, ALLERGY[code], LIKES[code])
            session, _ = await talked(harness, code, SEAT[code], session="second")
            await session.set_task(GOAL[code])
            await session.say(ASKED[code])
            return content(await session.report())

    whole = await seen()
    assert MANGO[code] in whole.replace(ASKED[code], "")
    assert GOAL[code] in whole
    only = {"memory_l2__fields": "facts,summary", "memory_l3__fields": "preferences"}
    less = await seen(**only, memory_l1__fields="facts,notices")
    assert GOAL[code] not in less
    assert MANGO[code] not in less.replace(ASKED[code], "")
    plain = await seen(memory_l0__fields="role,facts")
    assert len(plain) < len(whole)
    assert plain.splitlines()[0] == whole.splitlines()[0], "who it is stays"


@BOTH
async def test_always_inject_shows_what_has_nothing_to_do_with_the_message(code: str) -> None:
    asked = {"en": "Good morning.", "zh": "早上好。"}[code]
    for always, there in (("false", False), ("true", True)):
        async with harness_with(code, memory_l3__always_inject=always) as harness:
            await talked(harness, code, LIKES[code])
            _, record = await talked(harness, code, asked, session="second")
        block = next(one for one in record.context.layers if (one.layer, one.block) == ("L3", "memory"))
        assert block.injected is there
        if not there:
            assert block.note == "nothing was found"


@BOTH
async def test_a_layer_that_is_always_shown_and_has_nothing_is_warned_of(code: str) -> None:
    async with harness_with(code, memory_l3__always_inject="true") as harness:
        _, record = await talked(harness, code, ASKED[code])
    assert [(one.kind, one.layer) for one in record.context.troubles] == [("layer_empty", "L3")]


# --- conflicts ----------------------------------------------------------------------------------------------------------------


@BOTH
async def test_what_this_session_says_beats_what_an_earlier_one_said(code: str) -> None:
    async with harness_with(code) as harness:
        await talked(harness, code, SEAT[code])
        _, record = await talked(harness, code, OTHER_SEAT[code], SEAT_ASKED[code], session="second")
    seen = content(record)
    assert AISLE[code] in seen
    assert WINDOW[code] not in seen
    (conflict,) = record.context.resolved
    assert conflict.rule == "higher_layer_wins"
    assert (conflict.winner_layer, conflict.loser_layer) == ("L1", "L3" if conflict.loser_layer == "L3" else "L2")
    assert AISLE[code] in conflict.winner_text
    assert WINDOW[code] in conflict.loser_text
    assert any("gave way" in line and WINDOW[code] in line for line in record.context.conflicts)


@BOTH
async def test_without_a_word_of_this_session_the_memory_counts(code: str) -> None:
    async with harness_with(code) as harness:
        await talked(harness, code, SEAT[code])
        _, record = await talked(harness, code, SEAT_ASKED[code], session="second")
    assert WINDOW[code] in content(record)
    assert record.context.resolved == ()


NOON = datetime(2031, 5, 4, 12, tzinfo=UTC)


def _state(code: str) -> DialogueState:
    fact = Fact(
        id="f1", subject="user", attribute="seat", value=AISLE[code], single=True, turn=1, at=NOON, quote=AISLE[code]
    )
    return DialogueState(persona=PersonaRef(id="p", name="P"), facts=(fact,))


def _recalled(code: str, resolution: Any, *, later: bool) -> Recalled:
    item = MemoryItem(
        id="m1", layer="L3", kind="preference", text=WINDOW[code], scope=Scope(user="nora"), subject="user", attribute="seat",
        value=WINDOW[code], single=True, at=NOON + timedelta(hours=1 if later else -1), speaker="user",
    )  # fmt: skip
    told = MemoryItem(id="m2", layer="L2", kind="message", text=WINDOW[code], tells=("m1",), at=item.at)
    return Recalled((Remembered(item, 0.9), Remembered(told, 0.8)), told=(item,), resolution=resolution)


@BOTH
@pytest.mark.parametrize(
    ("resolution", "later", "values"),
    [
        ("higher_layer_wins", True, {"aisle": "active"}),
        ("higher_layer_wins", False, {"aisle": "active"}),
        ("newest_wins", True, {"window": "active"}),
        ("newest_wins", False, {"aisle": "active"}),
        ("keep_both", True, {"aisle": "disputed", "window": "disputed"}),
        ("keep_both", False, {"aisle": "disputed", "window": "disputed"}),
    ],
)
def test_each_rule_decides_for_facts_and_for_the_messages_that_told_them(
    code: str, resolution: str, later: bool, values: dict[str, str]
) -> None:
    words = {"aisle": AISLE[code], "window": WINDOW[code]}
    state, recalled = _state(code), _recalled(code, resolution, later=later)
    facts = informed(state, recalled).facts
    assert {fact.value: fact.status for fact in facts} == {
        words[key]: FactStatus(value) for key, value in values.items()
    }
    after, conflicts = settled(state, recalled)
    assert [conflict.rule for conflict in conflicts] == [resolution]
    message = next(one for one in after.items if one.item.id == "m2")
    assert bool(message.dropped) == ("window" not in values)


@BOTH
@pytest.mark.parametrize(
    ("kind", "field"), [("message", "messages"), ("tool_result", "tool_results"), ("summary", "summary")]
)
async def test_what_outlived_its_task_goes_by_the_fields_of_l3(code: str, kind: str, field: str) -> None:
    text = {"en": "The deploy of Zarquon was finished by Tim.", "zh": "扎尔光的部署是小田做完的。"}[code]
    asked = {"en": "What about Zarquon and its deploy?", "zh": "扎尔光的部署怎么样了？"}[code]
    kept = MemoryItem.model_validate(
        {
            "id": "z",
            "layer": "L3",
            "kind": kind,
            "text": text,
            "scope": {"user": "nora"},
            "session": "old",
            "language": code,
        }
    )
    for fields, there in (("preferences", False), (f"preferences,{field}", True)):
        async with harness_with(code, memory_l3__fields=fields, memory_l3__always_inject=True) as harness:
            await harness.memories().load([kept.model_dump_json()])
            _, record = await talked(harness, code, asked)
        assert (text in content(record)) == there
        left = [item.dropped for item in record.context.items_of("L3") if item.id == "z"]
        assert left == ([""] if there else [f"the fields of L3 leave out {kind}"])
