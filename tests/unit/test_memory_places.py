"""What belongs to one character, user, project, world or task is never shown to another."""

from __future__ import annotations

from collections.abc import AsyncIterator
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings as hypothesis_settings, strategies as st

from harness.adapters.memories.ram import InProcessMemoryStore
from harness.app import Harness
from harness.errors import MalformedInput, SettingsError
from harness.memory.scopes import check_place
from harness.ports import MemoryFilter
from harness.session import Session
from harness.settings import load
from harness.state.memory import SCOPE_FIELDS, Scope
from harness.testing.scripted_model import ScriptedModel

TOLD = {
    "en": ("The staging server is called Heron.", "What is the staging server called?", "Heron"),
    "zh": ("测试服务器叫白鹭。", "测试服务器叫什么？", "白鹭"),
}
ALLERGY = {
    "en": ("I'm allergic to peanuts.", "Can you recommend a snack with peanuts?", "peanuts"),
    "zh": ("我对花生过敏。", "推荐一个花生零食吧？", "花生"),
}
OVERRIDES = {"storage.backend": "memory", "harness.analysis": "rules", "harness.background": "false"}


@pytest.fixture(params=["en", "zh"])
def code(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def harness(code: str) -> AsyncIterator[Harness]:
    model = ScriptedModel("All right then." if code == "en" else "好，我知道了。")
    async with Harness(load(environ={}, overrides=OVERRIDES), model=model, memory=InProcessMemoryStore()) as made:
        yield made


async def told(harness: Harness, text: str, *, persona: str = "mia", **names: Any) -> Session:
    opened = await harness.open(persona, **names)
    await opened.say(text)
    await opened.settled()
    return opened


async def known(session: Session) -> str:
    """What the last turn got from memory."""
    context = (await session.report()).context
    layers = [layer for layer in context.layers if layer.block == "memory"]
    return "\n".join(item.text for layer in layers for item in layer.items if not item.dropped)


PLACES = {
    "the same": ({}, True),
    "another user": ({"user": "paul"}, False),
    "another character": ({"persona": "lin"}, False),
    "another project": ({"project": "bank"}, False),
    "no project": ({"project": ""}, False),
    "another world": ({"world": "mars"}, False),
    "no world": ({"world": ""}, False),
}


@pytest.mark.parametrize("place", PLACES)
async def test_what_was_said_is_found_where_it_belongs_and_nowhere_else(
    harness: Harness, code: str, place: str
) -> None:
    line, question, word = TOLD[code]
    here = {"user": "小明", "project": "org/商店", "world": "atlantis"}
    await told(harness, line, session="first", **here)
    change, expected = PLACES[place]
    found = await known(await told(harness, question, session="second", **(here | change)))
    assert (word in found) == expected


async def test_what_is_about_the_user_for_long_holds_in_every_project_but_not_in_another_world(
    harness: Harness, code: str
) -> None:
    line, question, word = ALLERGY[code]
    await told(harness, line, session="first", user="nora", project="shop")
    for session, names, expected in (
        ("second", {"user": "nora", "project": "bank"}, True),
        ("third", {"user": "paul", "project": "shop"}, False),
        ("fourth", {"user": "nora", "world": "mars"}, True),
    ):
        assert (word in await known(await told(harness, question, session=session, **names))) == expected
    await told(harness, line, session="fifth", user="zoe", world="atlantis")
    assert word not in await known(await told(harness, question, session="sixth", user="zoe", world="mars"))


async def test_what_was_said_without_a_project_is_known_in_all(harness: Harness, code: str) -> None:
    line, question, word = TOLD[code]
    await told(harness, line, session="first", user="nora")
    assert word in await known(await told(harness, question, session="second", user="nora", project="shop"))


async def test_a_note_of_a_task_is_there_while_the_task_is(harness: Harness, code: str) -> None:
    line, question, word = TOLD[code]
    await harness.memories().note(line, scope=Scope(task="t1"), pinned=True)
    await harness.memories().note(line + " !", scope=Scope(session="other"), pinned=True)
    session = await told(harness, question, session="first", user="nora")
    assert word not in await known(session)
    await session.set_task("Find it", task_id="t1")
    await session.say(question)
    assert word in await known(session)
    await session.set_task("Something else", task_id="t2")
    await session.say(question)
    assert word not in await known(session)
    assert word in await known(await told(harness, question, session="other", user="paul"))


async def test_a_session_stays_in_its_place(harness: Harness) -> None:
    await harness.open("mia", session="s", project="shop", world="atlantis")
    assert (await harness.open(session="s")).id == "s"
    assert (await harness.open(session="s", project="shop")).id == "s"
    info = await harness.store().info("s")
    assert (info.project, info.world) == ("shop", "atlantis")
    with pytest.raises(SettingsError, match="project 'shop', not to 'bank'"):
        await harness.open(session="s", project="bank")
    with pytest.raises(SettingsError, match="world"):
        await harness.open(session="s", world="mars")


async def test_a_setting_names_the_project_of_new_sessions() -> None:
    overrides = OVERRIDES | {"memory.project": "商店", "memory.world": "w"}
    async with Harness(load(environ={}, overrides=overrides), model=ScriptedModel("Fine.")) as harness:
        await harness.open("mia", session="s")
        await harness.open("mia", session="t", project="bank")
        assert (await harness.store().info("s")).project == "商店"
        assert (await harness.store().info("t")).project == "bank"
        assert (await harness.open(session="t")).id == "t"


@pytest.mark.parametrize("name", ["../x", "/etc", "a//b", "a/..", ".git", "a\\b", "a/", " a", "a\n", "x" * 201, "c:"])
async def test_a_name_that_leads_elsewhere_is_refused(name: str) -> None:
    with pytest.raises(MalformedInput):
        check_place(name, "project")
    async with Harness(load(environ={}, overrides=OVERRIDES), model=ScriptedModel("Fine.")) as harness:
        with pytest.raises(MalformedInput):
            await harness.open("mia", project=name)
        with pytest.raises(MalformedInput):
            await harness.open("mia", world=name)


@pytest.mark.parametrize("name", ["shop", "org/shop", "商店", "shop v2", "a.b", "组/商店"])
def test_an_ordinary_name_is_taken(name: str) -> None:
    check_place(name, "project")


async def test_forgetting_a_project_holds_when_the_journal_is_read_again(harness: Harness, code: str) -> None:
    line, question, word = TOLD[code]
    first = await told(harness, line, session="first", user="nora", project="shop")
    await told(harness, line, session="kept", user="nora", project="bank")
    where = MemoryFilter(scope=Scope(project="shop"), everything=True, statuses=())
    assert await harness.memories().forget(where) > 0
    assert word not in await known(await told(harness, question, session="second", user="nora", project="shop"))
    await first.undo()
    await first.say(question)
    assert word not in await known(await told(harness, question, session="third", user="nora", project="shop"))
    assert word in await known(await told(harness, question, session="fourth", user="nora", project="bank"))


NAMES = st.sampled_from(["", "a", "b", "小明"])
SCOPES = st.builds(Scope, **dict.fromkeys(SCOPE_FIELDS, NAMES))


@given(own=SCOPES, asked=SCOPES)
@hypothesis_settings(max_examples=200)
def test_a_query_never_crosses_a_limit(own: Scope, asked: Scope) -> None:
    crossing = [name for name, value in own if value and getattr(asked, name) != value]
    assert own.admits(asked) == (not crossing)


def test_every_pair_of_two_users_and_two_projects_is_apart() -> None:
    for (user, project), (asker, place) in product(product("ab", "xy"), repeat=2):
        admitted = Scope(user=user, project=project).admits(Scope(user=asker, project=place))
        assert admitted == ((user, project) == (asker, place))
