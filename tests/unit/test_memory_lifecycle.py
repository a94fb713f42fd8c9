"""What becomes of memories: said again they grow, said often they last, with their task they go or stay; all of it follows undo."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from harness.adapters.memories.ram import InProcessMemoryStore
from harness.app import Harness
from harness.ports import MemoryFilter
from harness.session import Session
from harness.settings import load
from harness.state import TurnRecord
from harness.state.memory import MemoryItem
from harness.testing.scripted_model import ScriptedModel

PERSONAS = {"en": "mia", "zh": "lin"}
EVERYTHING = MemoryFilter(everything=True, statuses=())
ACTIVE = MemoryFilter(everything=True)


@pytest.fixture(params=["en", "zh"])
def code(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def made(memory: InProcessMemoryStore, model: ScriptedModel | None = None, **more: str) -> Harness:
    overrides = {
        "storage.backend": "memory",
        "harness.analysis": "rules",
        "harness.background": "false",
        "harness.max_revisions": "0",
    }
    return Harness(load(environ={}, overrides=overrides | more), model=model or ScriptedModel("Mm."), memory=memory)


@pytest.fixture
def memory() -> InProcessMemoryStore:
    return InProcessMemoryStore()


@pytest.fixture
async def harness(memory: InProcessMemoryStore) -> AsyncIterator[Harness]:
    async with made(memory) as one:
        yield one


async def said(session: Session, *texts: str) -> TurnRecord:
    for text in texts:
        await session.say(text)
    return await session.report()


async def items(memory: InProcessMemoryStore, where: MemoryFilter = ACTIVE) -> tuple[MemoryItem, ...]:
    return await memory.browse(where, limit=1000)


async def facts(memory: InProcessMemoryStore, value: str, where: MemoryFilter = ACTIVE) -> list[tuple[str, int, str]]:
    return [(item.layer, item.seen, item.status) for item in await items(memory, where) if item.value == value]


CAR = {
    "en": ["I have a car.", "Well, I have a car!", "You know I have a car"],
    "zh": ["我有一辆车。", "嗯，我有一辆车！", "我有一辆车，你知道的"],
}
VALUE = {"en": "car", "zh": "一辆车"}
OTHER = {"en": "The weather is lovely today.", "zh": "今天天气真好。"}


# --- said again -----------------------------------------------------------------------------------------------------


async def test_said_three_times_in_one_session_it_lasts(
    harness: Harness, memory: InProcessMemoryStore, code: str
) -> None:
    session = await harness.open(PERSONAS[code], session="one", user="nora")
    await said(session, CAR[code][0], OTHER[code], CAR[code][1])
    assert await facts(memory, VALUE[code]) == [("L2", 2, "active")]
    record = await said(session, CAR[code][2])
    assert await facts(memory, VALUE[code]) == [("L3", 3, "active")]
    assert "said in 3 turns" in [write.reason for write in record.memory]
    await session.undo()
    assert await facts(memory, VALUE[code]) == [("L2", 2, "active")]
    await session.undo(2)
    assert await facts(memory, VALUE[code]) == [("L2", 1, "active")]
    await session.goto(record.id)
    assert await facts(memory, VALUE[code]) == [("L3", 3, "active")]


async def test_a_pinned_one_stays_when_it_is_said_again(
    harness: Harness, memory: InProcessMemoryStore, code: str
) -> None:
    session = await harness.open(PERSONAS[code], session="one", user="nora")
    await said(session, CAR[code][0])
    (first,) = [item for item in await items(memory) if item.value == VALUE[code] and item.kind == "fact"]
    await harness.memories().pin(first.id)
    await said(session, CAR[code][1])
    own = {item.id: (item.status, item.pinned) for item in await items(memory, EVERYTHING) if item.kind == "fact"}
    assert own[first.id] == ("active", True)
    assert len(own) == 2


async def test_asking_is_not_saying_again(harness: Harness, memory: InProcessMemoryStore, code: str) -> None:
    asked = {
        "en": ["Do I have a car?", "My sister has a car.", "Is a car expensive?"],
        "zh": ["我有一辆车吗？", "我妹妹有一辆车。", "车贵吗？"],
    }
    session = await harness.open(PERSONAS[code], session="one", user="nora")
    await said(session, CAR[code][0], *asked[code])
    own = [item for item in await items(memory, EVERYTHING) if item.value == VALUE[code] and item.subject == "user"]
    assert [(item.seen, item.status) for item in own] == [(1, "active")]


async def test_sessions_count_together_and_forks_do_not(
    harness: Harness, memory: InProcessMemoryStore, code: str
) -> None:
    first = await harness.open(PERSONAS[code], session="one", user="nora")
    await said(first, CAR[code][0], CAR[code][1])
    fork = await first.fork("fork")
    copy = await harness.open(session=fork)
    await said(copy, OTHER[code])
    second = await harness.open(PERSONAS[code], session="two", user="nora")
    await said(second, OTHER[code])
    assert "L3" not in {layer for layer, _, _ in await facts(memory, VALUE[code])}
    await said(second, CAR[code][0])
    assert ("L3", 3, "active") in await facts(memory, VALUE[code])


async def test_a_rebuilt_memory_is_the_same(code: str) -> None:
    memory, again = InProcessMemoryStore(), InProcessMemoryStore()
    async with made(memory) as harness:
        session = await harness.open(PERSONAS[code], session="one", user="nora")
        await session.set_task("a")
        await said(session, *CAR[code], OTHER[code])
        await session.leave_task()
        await said(session, OTHER[code])
        expected = {item.id: item for item in await items(memory, EVERYTHING)}
        store, version = harness.store(), await harness.store().version("one")
        assert version
        async with Harness(harness.settings, model=ScriptedModel("Mm."), store=store, memory=again) as other:
            await (await other.open(session="one")).state()
            rebuilt = {item.id: item for item in await items(again, EVERYTHING)}
    assert rebuilt == expected


async def test_the_same_long_message_is_kept_once(harness: Harness, memory: InProcessMemoryStore, code: str) -> None:
    long = {
        "en": "The old bridge behind the mill was closed again this week!",
        "zh": "磨坊后面那座老桥这星期又封起来不让走了！",
    }
    short = {"en": "The bridge again!", "zh": "老桥啊！"}
    session = await harness.open(PERSONAS[code], session="one", user="nora")
    await said(session, long[code], OTHER[code], long[code].upper(), short[code], short[code])
    kept = [item.text for item in await items(memory) if item.speaker == "user"]
    assert [text.casefold() for text in kept].count(long[code].casefold()) == 1
    assert kept.count(short[code]) == 2
    await session.undo(3)
    assert long[code] in [item.text for item in await items(memory)]


# --- asked to be remembered -----------------------------------------------------------------------------------------

REMEMBER = {
    "en": ["Remember that the spare key is under the blue pot.", "Please don't forget: the gate closes at nine.", "Remember my car is in the yard."],
    "zh": ["记住，备用钥匙在蓝色花盆下面。", "千万别忘了大门九点关。", "请记住我的车停在院子里。"],
}  # fmt: skip
NOT_ASKED = {
    "en": [
        "Do you remember the blue pot under the key?",
        "I can't remember where the gate is.",
        "I remember the old yard well.",
    ],
    "zh": ["你记得蓝色花盆下面的钥匙吗？", "我不记得大门在哪里了。", "我还记得那个老院子。"],
}


async def test_what_is_asked_to_be_remembered_lasts(harness: Harness, memory: InProcessMemoryStore, code: str) -> None:
    for number, text in enumerate(REMEMBER[code]):
        session = await harness.open(PERSONAS[code], session=f"s{number}", user="nora")
        record = await said(session, text)
        assert "asked to be remembered" in [write.reason for write in record.memory], text
        lasting = [item for item in await items(memory) if item.session == session.id and item.layer == "L3"]
        assert lasting, text
        assert lasting[0].importance >= 0.75
    for number, text in enumerate(NOT_ASKED[code]):
        session = await harness.open(PERSONAS[code], session=f"n{number}", user="nora")
        record = await said(session, text)
        assert "asked to be remembered" not in [write.reason for write in record.memory], text


async def test_what_is_said_with_feeling_weighs_more(harness: Harness, memory: InProcessMemoryStore, code: str) -> None:
    calm = {"en": "The shop on the corner sells bread.", "zh": "街角的店卖面包。"}
    upset = {"en": "I am so furious and heartbroken about the shop!", "zh": "那家店让我气死了，我太伤心了！"}
    session = await harness.open(PERSONAS[code], session="one", user="nora")
    await said(session, calm[code], upset[code])
    weights = {item.text: item.importance for item in await items(memory) if item.speaker == "user"}
    assert weights[upset[code]] > weights[calm[code]]


# --- nothing recalled is written again ------------------------------------------------------------------------------


async def test_a_reply_that_gives_a_memory_back_is_not_written(code: str, memory: InProcessMemoryStore) -> None:
    line = {"en": "My grandmother's lighthouse stands on the island of Skarholm.", "zh": "我外婆的灯塔在斯卡霍姆岛上。"}
    asked = {"en": "Where does the lighthouse stand?", "zh": "灯塔在哪里？"}
    back = {
        "en": "Your grandmother's lighthouse stands on the island of Skarholm!",
        "zh": "你外婆的灯塔在斯卡霍姆岛上呀！",
    }
    other = {
        "en": "I never asked who built it. Was it a fisherman with a lamp?",
        "zh": "我还没问过是谁造的，是个提灯的渔夫吗？",
    }
    async with made(memory) as harness:
        await said(await harness.open(PERSONAS[code], session="one", user="nora"), line[code])
    for number, (reply, written) in enumerate(((back[code], False), (other[code], True))):
        async with made(memory, ScriptedModel(reply)) as harness:
            record = await said(await harness.open(PERSONAS[code], session=f"two{number}", user="nora"), asked[code])
            assert any(
                line[code] in item.text
                for layer in record.context.layers
                if layer.block == "memory"
                for item in layer.items
            )
            assert (reply in [write.text for write in record.memory]) == written


async def test_a_memory_counts_once_a_turn_and_gains_little(memory: InProcessMemoryStore, code: str) -> None:
    from harness.memory.scoring import MOST_USE, use

    allergy = {"en": "I'm allergic to mangoes.", "zh": "我对芒果过敏。"}
    asked = {"en": "What may I eat? I mean, mangoes?", "zh": "我能吃什么？芒果呢？"}
    async with made(memory) as harness:
        await said(await harness.open(PERSONAS[code], session="one", user="nora"), allergy[code])
        session = await harness.open(PERSONAS[code], session="two", user="nora")
        for turn in range(1, 4):
            await said(session, asked[code])
            uses = [item.uses for item in await items(memory) if item.attribute == "allergy"]
            assert uses == [turn]
    assert use(10**9) == MOST_USE
    assert MOST_USE <= 2


# --- tasks ----------------------------------------------------------------------------------------------------------

GOAL = {"en": "Book a hotel in Hangzhou", "zh": "在杭州订酒店"}
CONFIRMED = {"en": "the budget is 600", "zh": "预算是600"}
RULED_OUT = {"en": "the place by the station", "zh": "车站旁边那家"}
TODO = {"en": "call the desk", "zh": "打电话给前台"}
QUESTION = {"en": "Which street is the best?", "zh": "哪条街最好？"}
PLAIN = {"en": "The view matters more than breakfast.", "zh": "风景比早餐更要紧。"}
NEXT = {"en": "Write a letter", "zh": "写一封信"}


async def task_talk(harness: Harness, code: str) -> Session:
    session = await harness.open(PERSONAS[code], session="one", user="nora")
    await said(session, OTHER[code])
    await session.set_task(GOAL[code], task_id="trip", todo=[TODO[code]])
    await session.update_task(confirmed=[CONFIRMED[code]], ruled_out=[RULED_OUT[code]])
    await said(session, QUESTION[code], PLAIN[code])
    return session


async def test_a_task_that_is_left_leaves_what_matters(
    harness: Harness, memory: InProcessMemoryStore, code: str
) -> None:
    session = await task_talk(harness, code)
    before = {item.id: item for item in await items(memory, EVERYTHING)}
    assert {item.task for item in before.values() if item.text == QUESTION[code]} == {"trip"}
    assert {item.task for item in before.values() if item.text == OTHER[code]} == {""}
    await session.set_task(NEXT[code], task_id="letter")
    now = await items(memory)
    lasting = [item.text for item in now if item.layer == "L3" and item.task == "trip"]
    assert any(CONFIRMED[code] in text and GOAL[code] in text for text in lasting)
    assert any(RULED_OUT[code] in text for text in lasting)
    assert not [item.text for item in await items(memory, EVERYTHING) if TODO[code] in item.text]
    assert QUESTION[code] not in [item.text for item in now]
    assert PLAIN[code] in [item.text for item in now]
    change = (await session.branch())[-1]
    reasons = {write.text: write.reason for write in change.memory}
    assert "importance 0.20 is below 0.3" in reasons[QUESTION[code]]
    assert any("importance 0.80 is above 0.7" in reason for reason in reasons.values())
    assert any(TODO[code] in text and "dropped" in reason for text, reason in reasons.items())
    await session.undo()
    assert {item.id: item for item in await items(memory)} == {
        name: item for name, item in before.items() if item.status == "active"
    }
    assert QUESTION[code] in [item.text for item in await items(memory)]
    await session.goto(change.id)
    assert {item.id for item in await items(memory)} == {item.id for item in now}


async def test_what_a_task_found_out_is_known_in_the_next_session(
    harness: Harness, memory: InProcessMemoryStore, code: str
) -> None:
    session = await task_talk(harness, code)
    await session.leave_task()
    ask = {"en": "What budget do we have for the hotel in Hangzhou?", "zh": "杭州酒店的预算是多少？"}
    record = await said(await harness.open(PERSONAS[code], session="two", user="nora"), ask[code])
    shown = [i.text for layer in record.context.layers if layer.block == "memory" for i in layer.items if not i.dropped]
    assert any(CONFIRMED[code] in text for text in shown)
    other = await said(await harness.open(PERSONAS[code], session="three", user="otto"), ask[code])
    assert not [layer for layer in other.context.layers if layer.block == "memory" and layer.items]


async def test_what_outlives_a_task_is_a_setting(memory: InProcessMemoryStore, code: str) -> None:
    async with made(memory, None, **{"memory.archive_above": "0.9", "memory.drop_below": "0.1"}) as harness:
        session = await task_talk(harness, code)
        await session.leave_task()
        now = await items(memory)
        assert not [item for item in now if item.layer == "L3" and item.task == "trip"]
        assert QUESTION[code] in [item.text for item in now]
        assert any(TODO[code] in item.text for item in now)


async def test_the_same_task_changed_is_not_left(harness: Harness, memory: InProcessMemoryStore, code: str) -> None:
    session = await task_talk(harness, code)
    await session.update_task(remove=[TODO[code]], goal=NEXT[code])
    assert QUESTION[code] in [item.text for item in await items(memory)]
    assert not [item for item in await items(memory) if item.kind == "summary"]


# --- the promotion gate ---------------------------------------------------------------------------------------------


async def test_the_gate_wants_two_tasks(memory: InProcessMemoryStore, code: str) -> None:
    async with made(memory, None, **{"memory.promotion_gate": "true"}) as harness:
        session = await harness.open(PERSONAS[code], session="one", user="nora")
        await session.set_task("a", task_id="first")
        record = await said(session, *CAR[code])
        assert any("used in 1 of 2 tasks" in write.reason for write in record.memory)
        assert "L3" not in {layer for layer, _, _ in await facts(memory, VALUE[code])}
        await session.set_task("b", task_id="second")
        await said(session, CAR[code][0])
        assert ("L3", 4, "active") in await facts(memory, VALUE[code])


@pytest.mark.parametrize(
    ("language", "text", "why"),
    [
        ("en", "The east region sold twelve tons.", ""),
        ("zh", "华东区卖了十二吨货。", ""),
        ("en", "The meeting with the east region is tomorrow.", "true only at a time"),
        ("zh", "明天和华东区开会。", "true only at a time"),
        ("en", "The east region sells. The west region buys.", "more than one sentence"),
        ("zh", "华东区卖货。华西区买货。", "more than one sentence"),
        ("en", "Does the east region sell tons?", "asks or supposes"),
        ("zh", "华东区卖货吗？", "asks or supposes"),
        ("en", "Tea.", "too little to check"),
        ("zh", "茶。", "too little to check"),
    ],
)
def test_what_the_gate_refuses(language: str, text: str, why: str) -> None:
    from datetime import UTC, datetime

    from harness.language import load_packs
    from harness.memory.gate import refused

    item = MemoryItem(id="a", layer="L2", kind="note", text=text, language=language)
    pack, now = load_packs().get(language), datetime(2026, 3, 3, tzinfo=UTC)
    assert refused(item, tasks=("one", "two", ""), pack=pack, now=now) == why
    assert refused(item, tasks=("one", ""), pack=pack, now=now) == "used in 1 of 2 tasks"
