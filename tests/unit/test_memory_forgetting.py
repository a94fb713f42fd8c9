"""What was forgotten or changed by hand stays so, wherever the sessions go; what is always minded is always there."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from harness.adapters.memories.ram import InProcessMemoryStore
from harness.app import Harness
from harness.errors import NewerSchema, StoreError
from harness.ports import MemoryFilter, Ports
from harness.session import Session
from harness.settings import load
from harness.state.memory import Scope
from harness.testing.scripted_model import ScriptedModel
from harness.turn import MACHINE, Turn

NORA = MemoryFilter(scope=Scope(user="nora"), everything=True, statuses=())


class Moody(InProcessMemoryStore):
    """A store of which single calls can be made to fail."""

    fails = ""

    async def used(self, *args: object) -> None:
        if self.fails == "used":
            raise StoreError("It is locked.")
        await super().used(*args)  # type: ignore[arg-type]  # passed on as they came

    async def followed(self, session: str) -> str | None:
        if self.fails == "followed":
            raise NewerSchema("It is of a newer version.")
        return await super().followed(session)


@pytest.fixture
def store() -> Moody:
    return Moody()


@pytest.fixture
async def harness(store: Moody) -> AsyncIterator[Harness]:
    settings = load(
        environ={}, overrides={"storage.backend": "memory", "harness.analysis": "rules", "harness.background": "false"}
    )
    async with Harness(settings, model=ScriptedModel("I see."), memory=store) as made:
        yield made


async def told(harness: Harness, *texts: str, session: str, persona: str = "mia") -> Session:
    opened = await harness.open(persona, session=session, user="nora")
    for text in texts:
        await opened.say(text)
    await opened.settled()
    return opened


async def texts(harness: Harness) -> set[str]:
    """What is remembered and in force."""
    return {item.text async for item in harness.memories().all(MemoryFilter(everything=True))}


async def known(harness: Harness, text: str, *, session: str, persona: str = "mia") -> str:
    """The prompt of a message in another session."""
    record = await (await told(harness, text, session=session, persona=persona)).report()
    return "\n".join(part for _, part in record.calls[0].messages)


BEAN = {"mia": ("I have a cat called Bean.", "Bean"), "lin": ("我养了一只猫叫豆豆。", "豆豆")}


@pytest.mark.parametrize("persona", ["mia", "lin"])
async def test_what_a_user_had_forgotten_does_not_come_back(harness: Harness, persona: str) -> None:
    said, name = BEAN[persona]
    first = await told(harness, said, session="a", persona=persona)
    turn = (await first.report()).id
    assert await harness.memories().forget(NORA)
    await first.undo()
    await first.goto(turn)
    await first.fork("fork")
    await (await harness.open(session="fork", user="nora")).settled()
    assert not any(name in text for text in await texts(harness))
    await told(harness, said, session="later", persona=persona)  # what is told anew is remembered anew
    assert any(name in text for text in await texts(harness))


async def test_a_deleted_memory_does_not_come_back_with_its_turn_nor_in_a_fork(harness: Harness) -> None:
    first = await told(harness, "I have a cat called Bean.", "I'm allergic to mangoes.", session="a")
    turn = (await first.report()).id
    gone = [item.id async for item in harness.memories().all() if "Bean" in item.text]
    assert await harness.memories().delete(gone) == len(gone) == 2
    await first.undo(2)
    await first.goto(turn)
    await first.fork("fork")
    await (await harness.open(session="fork", user="nora")).settled()
    assert not any("Bean" in text for text in await texts(harness))
    assert any("mangoes" in text for text in await texts(harness))


async def test_what_was_changed_by_hand_stays_changed(harness: Harness) -> None:
    first = await told(harness, "I live in Leeds.", session="a")
    turn = (await first.report()).id
    (home,) = [item.id async for item in harness.memories().all() if item.attribute == "home"]
    await harness.memories().edit(home, "I live in a boat in Bath.")
    await harness.memories().pin(home)
    await first.undo()
    await first.goto(turn)
    item = await harness.memories().item(home)
    assert (item.text, item.pinned, item.status) == ("I live in a boat in Bath.", True, "active")


async def test_an_edited_fact_is_the_newest_word(harness: Harness) -> None:
    await told(harness, "I live in Leeds.", session="a")
    await told(harness, "I live in York now.", session="b")
    (york,) = [item.id async for item in harness.memories().all() if item.attribute == "home" and "York" in item.text]
    await harness.memories().edit(york, "I live in Bath")
    prompt = await known(harness, "Where do I live?", session="c")
    assert "Bath" in prompt
    assert "Leeds" not in prompt
    assert "York" not in prompt


@pytest.mark.parametrize(
    ("persona", "lines", "asked", "name"),
    [
        ("mia", ["I have a cat called Bean.", "My cat Bean died."], "What is my cat called?", "Bean"),
        ("lin", ["我养了一只猫叫豆豆。", "我的猫豆豆死了。"], "我的猫叫什么？", "豆豆"),
    ],
)
async def test_an_end_told_in_another_session_is_an_end(
    harness: Harness, persona: str, lines: list[str], asked: str, name: str
) -> None:
    await told(harness, lines[0], session="a", persona=persona)
    await told(harness, lines[1], session="b", persona=persona)
    third = await told(harness, asked, session="c", persona=persona)
    record = await third.report()
    assert record.notices == ()
    active = [item.text async for item in harness.memories().all() if item.attribute == "pet" and item.kind == "fact"]
    found = [item for layer in record.context.layers if layer.block == "memory" for item in layer.items]
    assert not [item.text for item in found if not item.dropped and item.text in active], name


async def test_constraints_are_there_whatever_else_there_is(harness: Harness) -> None:
    sweets = [
        "apple pie",
        "chocolate cake",
        "lemon tart",
        "plum cake",
        "ice cream",
        "fudge",
        "pear cake",
        "toffee",
        "jelly",
    ]
    await told(harness, "I'm allergic to mangoes.", *(f"I love {sweet} for dessert." for sweet in sweets), session="a")
    assert "mangoes" in await known(harness, "Can you recommend a good dessert that I love?", session="b")


async def test_all_constraints_of_a_user_are_minded(harness: Harness) -> None:
    foods = ["mangoes", "peanuts", "eggs", "milk", "soy", "wheat", "fish", "crab", "sesame", "mustard", "celery"]
    await told(harness, *(f"I'm allergic to {food}." for food in foods), session="a")
    prompt = await known(harness, "Hello, how are you?", session="b")
    assert [food for food in foods if food not in prompt] == []


@pytest.mark.parametrize(
    ("persona", "said", "asked", "word"),
    [
        ("mia", "I love jazz.", "Should I put on some jazz while I cook dinner tonight for my sister?", "jazz"),
        ("lin", "我喜欢爵士乐。", "要不要放点爵士乐听听？", "爵士乐"),
    ],
)
async def test_a_small_memory_finds_one_word_in_a_long_message(
    harness: Harness, persona: str, said: str, asked: str, word: str
) -> None:
    await told(harness, said, session="a", persona=persona)
    record = await (await told(harness, asked, session="b", persona=persona)).report()
    items = [item for layer in record.context.layers if layer.block == "memory" for item in layer.items]
    assert any(word in item.text and not item.dropped for item in items)


async def test_a_use_that_cannot_be_counted_costs_a_warning(harness: Harness, store: Moody) -> None:
    await told(harness, "I'm allergic to mangoes.", session="a")
    store.fails = "used"
    assert "mangoes" in await known(harness, "Can you recommend a dessert?", session="b")


async def test_a_store_of_a_newer_version_does_not_stop_the_talk(harness: Harness, store: Moody) -> None:
    store.fails = "followed"
    first = await told(harness, "I have a cat called Bean.", session="a")
    assert [event.kind for event in (await first.report()).events] == ["memory_failed"]


async def test_an_export_with_odd_line_separators_comes_back(harness: Harness) -> None:
    memories = harness.memories()
    await memories.note("One\u2028two\u0085three", scope=Scope(user="nora"))
    lines = [item.model_dump_json() async for item in memories.all()]
    assert await memories.load("\n".join(lines).split("\n")) == 1


async def test_a_turn_nobody_waits_for_is_remembered_before_all_is_closed(tmp_path: Path) -> None:
    async def slowly(turn: Turn, ports: Ports) -> Turn:
        await asyncio.sleep(0.2)
        return turn

    settings = load(environ={}, overrides={"storage.path": str(tmp_path / "sessions.db"), "harness.analysis": "rules"})
    machine = MACHINE.inserting("slowly", slowly, after="extract_facts")
    async with Harness(settings, model=ScriptedModel("I see."), machine=machine) as harness:
        await (await harness.open("mia", session="a", user="nora")).say("I have a cat called Bean.")
        gc.collect()
    async with Harness(settings, model=ScriptedModel("I see.")) as harness:
        assert any("Bean" in text for text in await texts(harness))


async def test_one_user_is_listed_without_the_others(harness: Harness) -> None:
    await harness.memories().note("Nora keeps bees.", scope=Scope(user="nora"))
    await harness.memories().note("The ferry is late.", scope=Scope())
    await harness.memories().note("Paul keeps hens.", scope=Scope(user="paul", persona="mia"))
    assert [item.text async for item in harness.memories().all(NORA)] == ["Nora keeps bees."]
