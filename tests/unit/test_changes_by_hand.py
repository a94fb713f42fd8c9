"""Changes by hand, of tasks and facts: made of the state they meet, whole or not at all, and undone like turns."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from harness.app import Harness
from harness.cli.choosing import about_and_attribute, add, add_fact, change_fact, merge_subjects, parted, pin, retract
from harness.cli.task import change_by_words
from harness.errors import HarnessError, InputError, OperationRejected, SessionBusy
from harness.language import LanguagePacks, load_packs
from harness.session import Change, Session
from harness.state import DialogueState, Persona, PersonaRef
from harness.state.operations import PinFact
from harness.testing.scripted_model import ScriptedModel
from tests.unit.conftest import MakeHarness

MIA = Persona(name="Mia", id="mia")
LIN = Persona(name="林晓", id="lin", language="zh")
GERMAN = Path(__file__).parents[1] / "data" / "languages" / "de.yaml"


def state_of(persona: Persona = MIA) -> DialogueState:
    return DialogueState(persona=PersonaRef(id=persona.id, name=persona.name), language=persona.language)


async def journal(session: Session) -> list[str]:
    return [record.origin for record in await session.branch()]


# --- tasks --------------------------------------------------------------------------------------------------------


async def test_changes_at_the_same_time_lose_nothing(make_harness: MakeHarness) -> None:
    lines = [f"step {number}" for number in range(8)]
    async with make_harness("Fine.") as harness:
        session, other = await harness.open(MIA, session="s"), await harness.open(MIA, session="s")
        await session.set_task("mend the roof", todo=lines)
        await asyncio.gather(
            *(handle.update_task(remove=[line]) for handle, line in zip([session, other] * 3, lines, strict=False)),
            *(other.update_task(done=[f"extra {number}"]) for number in range(3)),
        )
        task = (await session.state()).task
    assert task is not None
    assert task.todo == ("step 6", "step 7")
    assert set(task.done) == {"extra 0", "extra 1", "extra 2"}


@pytest.mark.parametrize(
    ("persona", "says", "out"),
    [(MIA, "Not the Grand Pavilion.", "Grand Pavilion"), (LIN, "不要大華酒店。", "大華酒店")],
)
async def test_a_change_that_comes_while_a_turn_runs_keeps_what_the_turn_found(
    make_harness: MakeHarness, persona: Persona, says: str, out: str
) -> None:
    asked, go_on = asyncio.Event(), asyncio.Event()

    class Waiting(ScriptedModel):
        async def complete(self, request: Any) -> Any:
            asked.set()
            await go_on.wait()
            return await super().complete(request)

    async with make_harness(Waiting("Fine." if persona is MIA else "好的。")) as harness:
        session = await harness.open(persona, session="s")
        await session.set_task("plan a feast" if persona is MIA else "安排宴席", todo=["a", "b"])
        turn = asyncio.create_task(session.say(says))
        await asked.wait()
        change = asyncio.create_task(session.update_task(remove=["a"]))
        await asyncio.sleep(0)
        assert not change.done()
        go_on.set()
        await turn
        task = await change
        assert (task.todo, task.ruled_out) == (("b",), (out,))
        assert (await session.undo()).task != task
        assert await journal(session) == ["change", "say"]


async def test_a_busy_session_refuses_a_change_when_it_is_to_refuse(make_harness: MakeHarness) -> None:
    async with make_harness("Fine.", when_busy="refuse") as harness:
        session = await harness.open(MIA, session="s")
        await session.set_task("mend the roof")
        await session.say("Hello.")
        found = await asyncio.gather(
            session.update_task(todo=["one"]), session.update_task(todo=["two"]), return_exceptions=True
        )
        assert [type(one) for one in found if isinstance(one, Exception)] in ([], [SessionBusy])
        task = (await session.state()).task
        assert task is not None
        assert len(task.todo) == sum(not isinstance(one, Exception) for one in found)


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({}, InputError),
        ({"goal": ""}, InputError),
        ({"goal": " \u3000"}, InputError),
        ({"goal": "x" * 20_001}, OperationRejected),
        ({"goal": "mend\x00"}, OperationRejected),
        ({"todo": [""]}, OperationRejected),
        ({"todo": ["\ud800"]}, OperationRejected),
        ({"done": ["\x1b[31mred"]}, OperationRejected),
        ({"remove": ["没有这一条"]}, InputError),
        ({"done": ["first"], "remove": ["nothing"]}, InputError),
        ({"todo": ["second"]}, OperationRejected),
    ],
)
async def test_what_does_not_hold_leaves_no_trace(
    make_harness: MakeHarness, changes: dict[str, Any], error: type[HarnessError]
) -> None:
    async with make_harness("Fine.") as harness:
        session = await harness.open(MIA, session="s")
        task = await session.set_task("mend the roof", todo=["second"])
        with pytest.raises(error):
            await session.update_task(**changes)
        assert (await session.state()).task == task
        assert await journal(session) == ["change"]


@pytest.mark.parametrize(
    ("goal", "task_id", "todo", "error"),
    [
        ("", "", (), InputError),
        ("\n", "t", (), InputError),
        ("修\ud800", "t", (), OperationRejected),
        ("修屋顶", "\x07", (), OperationRejected),
        ("修屋顶", "t", ("",), OperationRejected),
        ("修屋顶", "t", ("瓦" * 20_001,), OperationRejected),
    ],
)
async def test_a_task_that_cannot_be_kept_is_refused(
    make_harness: MakeHarness, goal: str, task_id: str, todo: Sequence[str], error: type[HarnessError]
) -> None:
    async with make_harness("好的。") as harness:
        session = await harness.open(LIN, session="s")
        with pytest.raises(error):
            await session.set_task(goal, task_id=task_id, todo=todo)
        assert (await session.state()).task is None
        assert await journal(session) == []


async def test_a_change_without_operations_is_none(make_harness: MakeHarness) -> None:
    async with make_harness("Fine.") as harness:
        session = await harness.open(MIA, session="s")
        nothings: tuple[Change, ...] = ((), lambda _: ())
        for nothing in nothings:
            with pytest.raises(InputError, match="nothing to change"):
                await session.change(nothing)
        assert await journal(session) == []


async def test_the_words_of_the_task_command(make_harness: MakeHarness) -> None:
    async with make_harness("好的。") as harness:
        session = await harness.open(LIN, session="s")
        assert await change_by_words(session, "") is None
        for wrong in ("leave", "done 瓦", "set", "set\u3000", "修", "done"):
            with pytest.raises(HarnessError):
                await change_by_words(session, wrong)
        await change_by_words(session, "set\u3000修屋顶 [bold]")
        await change_by_words(session, "todo  买瓦片")
        task = await change_by_words(session, "done\t买瓦片")
        assert task is not None
        assert (task.goal, task.todo, task.done) == ("修屋顶 [bold]", (), ("买瓦片",))
        await change_by_words(session, "leave")
        await session.undo()
        assert (await session.state()).task == task


# --- facts --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def packs() -> LanguagePacks:
    return load_packs([GERMAN])


@pytest.mark.parametrize(
    ("about", "attribute", "value", "expected"),
    [
        ("user", "job", "vet", ("user", "job", "vet", True, True, "user")),
        (" User ", "occupation", "vet", ("user", "job", "vet", True, True, "user")),
        ("user", "职业", "兽医", ("user", "job", "兽医", True, True, "user")),
        ("user", "职业", "vet", ("user", "job", "vet", True, True, "user")),
        ("user", "dislikes", "rain", ("user", "likes", "rain", False, False, "user")),
        ("user", "讨厌", "下雨", ("user", "likes", "下雨", False, False, "user")),
        ("user", "locker number", "7", ("user", "locker number", "7", True, False, "user")),
        ("user", "柜子号", "七号", ("user", "柜子号", "七号", True, False, "user")),
        ("mia", "pet", "a cat", ("character", "pet", "a cat", True, False, "character")),
        ("Ines", "job", "vet", ("Ines", "job", "vet", True, True, "user")),
    ],
)
def test_a_note_means_what_the_language_packs_say(
    packs: LanguagePacks, about: str, attribute: str, value: str, expected: tuple[Any, ...]
) -> None:
    made = add(state_of(), packs, about, attribute, value)
    assert (made.subject, made.attribute, made.value, made.polarity, made.single, made.speaker) == expected


async def test_a_project_s_own_language_names_attributes(
    tmp_path: Path, make_harness: MakeHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "languages").mkdir()
    (tmp_path / "languages" / "de.yaml").write_bytes(GERMAN.read_bytes())
    monkeypatch.chdir(tmp_path)
    async with make_harness("Gut.") as harness:
        session = await harness.open(MIA, session="s")
        made = await add_fact(session, "user", "wohnort", "das Dorf und der See")
    assert (made.attribute, made.language, made.single) == ("home", "de", True)


async def test_open_attributes_hold_many_values_and_known_single_ones_one(make_harness: MakeHarness) -> None:
    async with make_harness("Fine.") as harness:
        session = await harness.open(MIA, session="s")
        for attribute, value in (("locker", "7"), ("locker", "8"), ("job", "vet"), ("职业", "baker")):
            await add_fact(session, "user", attribute, value)
        held = [(fact.attribute, fact.value) for fact in (await session.state()).active_facts()]
    assert held == [("locker", "7"), ("locker", "8"), ("job", "baker")]


async def test_a_fact_is_chosen_of_the_state_it_is_changed_in(make_harness: MakeHarness) -> None:
    async with make_harness("Fine.") as harness:
        session, other = await harness.open(MIA, session="s"), await harness.open(MIA, session="s")
        await add_fact(session, "user", "pet", "a cat called Miso")
        await add_fact(session, "user", "pet", "狗 豆豆")
        found = await asyncio.gather(
            change_fact(session, "Miso", retract),
            change_fact(other, "Miso", lambda fact, _: pin(fact, pinned=True)),
            change_fact(other, "豆豆", lambda fact, _: pin(fact, pinned=True)),
            return_exceptions=True,
        )
        assert isinstance(found[1], InputError)
        assert [fact.value for fact in (await session.state()).active_facts() if fact.pinned] == ["狗 豆豆"]
        await session.undo(2)
        assert len((await session.state()).active_facts()) == 2


@pytest.mark.parametrize("wanted", ["", "[]", "f99", "\x00", "没有", "\ud800", "a" * 9000, "[bold]"])
async def test_odd_ids_choose_nothing(make_harness: MakeHarness, wanted: str) -> None:
    async with make_harness("Fine.") as harness:
        session = await harness.open(MIA, session="s")
        await add_fact(session, "user", "pet", "a cat")
        with pytest.raises(InputError):
            await change_fact(session, wanted, retract)
        with pytest.raises(OperationRejected):
            await session.change([PinFact(fact_id=wanted)])
        assert await journal(session) == ["change"]


@pytest.mark.parametrize(
    ("about", "attribute", "value"),
    [("", "job", "vet"), ("user", "", "vet"), ("user", "job", "\u3000"), ("安\ud800", "职业", "兽医"), ("user", "job", "x" * 501),
     ("Ines", "job\x1b", "vet")],
)  # fmt: skip
async def test_odd_notes_are_refused(make_harness: MakeHarness, about: str, attribute: str, value: str) -> None:
    async with make_harness("Fine.") as harness:
        session = await harness.open(MIA, session="s")
        with pytest.raises(OperationRejected):
            await add_fact(session, about, attribute, value)
        assert await journal(session) == []


async def test_subjects_are_brought_together_whatever_their_case(make_harness: MakeHarness) -> None:
    async with make_harness("好的。") as harness:
        session = await harness.open(LIN, session="s")
        await add_fact(session, "女朋友", "职业", "兽医")
        await add_fact(session, "Ines", "likes", "tea")
        await merge_subjects(session, "INES", "女朋友")
        assert {fact.subject for fact in (await session.state()).active_facts()} == {"Ines"}
        for name, other in (("Ines", "女朋友"), ("Ines", "ines"), ("Ines", "User"), ("林晓", "Ines"), ("", "Ines")):
            with pytest.raises(OperationRejected):
                await merge_subjects(session, name, other)
        await session.undo()
        assert {fact.subject for fact in (await session.state()).active_facts()} == {"女朋友", "Ines"}


def test_wide_signs_part_as_narrow_ones_do() -> None:
    assert parted("小王：职业 ＝ 兽医", "") == ("小王：职业", "兽医")
    assert parted("a = b = c", "") == ("a", "b = c")
    assert about_and_attribute("小王：职业") == ("小王", "职业")
    assert about_and_attribute("Ann: the younger: job") == ("Ann: the younger", "job")
    assert about_and_attribute("job") == ("user", "job")
    for wrong in ("a", "= b", "a =", "＝"):
        with pytest.raises(InputError):
            parted(wrong, "A = B")


# --- getting ready ------------------------------------------------------------------------------------------------


class Shown:
    """A screen that keeps its status lines."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def status(self, text: str) -> None:
        self.lines.append(text)


@pytest.mark.parametrize("error", [InputError("no room"), RuntimeError("a fault")])
async def test_a_failure_to_get_ready_is_told(
    make_harness: MakeHarness, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    from harness.cli.chat import get_ready

    async def ready(_: Session) -> None:
        raise error

    monkeypatch.setattr(Session, "ready", ready)
    screen: Any = Shown()
    async with make_harness("Fine.") as harness:
        assert isinstance(harness, Harness)
        await get_ready(harness, await harness.open(MIA), screen)
    assert len(screen.lines) == 1
    assert str(error) in screen.lines[0]
