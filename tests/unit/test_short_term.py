"""The newest messages of a session, kept for other programs: trimmed by tokens, on the branch the session is on."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs
from typer.testing import CliRunner

from harness.adapters.short_term import SHORT_TERM_BACKENDS, ShortTermOptions
from harness.adapters.short_term.ram import InProcessShortTerm
from harness.app import Harness
from harness.cli.main import app
from harness.context.tokens import PER_MESSAGE, estimate
from harness.errors import CorruptStore, SettingsError, StoreError
from harness.ports import RecentMessage
from harness.ports.short_term import newest
from harness.session import Session
from harness.settings import load
from harness.state import Message
from harness.sync import SyncHarness
from harness.testing.scripted_model import ScriptedModel
from tests.conftest import Places

PERSONAS = {"en": "mia", "zh": "lin"}
LONG = {
    "en": "On day {n} we walked along the river for hours, talked about the harbour, the old lighthouse and the ships, "
    "and came home when the lamps were lit and the bakers had closed their shops. " * 3,
    "zh": "第{n}天我们沿着河边走了好几个小时，聊起了港口、老灯塔和那些船，天黑灯亮、面包店都关门了才回家。" * 4,
}


def long_messages(code: str) -> list[RecentMessage]:
    """Ten long ones, in turns."""
    found = []
    for number in range(1, 11):
        text = LONG[code].format(n=number)
        message = Message(speaker="user" if number % 2 else "character", text=text, turn=(number + 1) // 2)
        found.append(RecentMessage(message, f"t{(number + 1) // 2}", estimate(text) + PER_MESSAGE))
    return found


@pytest.mark.parametrize("code", LONG)
async def test_ten_long_messages_in_500_tokens_leave_the_newest_wherever_they_are_kept(
    code: str, tmp_path: Path, server_place: Places
) -> None:
    messages, answers = long_messages(code), {}
    for name, backend in SHORT_TERM_BACKENDS.items():
        where = server_place(backend.server, tmp_path)
        store = backend.open(ShortTermOptions(500, path=tmp_path / "recent.db", **where))
        await store.replace("s", "", [])
        for place in range(0, 10, 2):
            turn = messages[place].turn_id
            await store.append("s", turn, messages[place : place + 2], after=f"t{place // 2}" if place else "")
        answers[name] = await store.recent("s", max_tokens=500)
        await store.close()
    kept = answers["sqlite"]
    assert 1 <= len(kept) < 10
    assert list(kept) == messages[-len(kept) :], "the newest, whole and in order"
    assert sum(one.tokens for one in kept) <= 500 < sum(one.tokens for one in messages[-len(kept) - 1 :])
    assert answers["redis"] == kept == answers["memory"]


def test_what_fits() -> None:
    assert newest([], 10) == 0
    assert newest([5, 5, 5], 10) == 2
    assert newest([5, 5, 11], 10) == 1, "an oversized last one is kept alone"
    assert newest([0, 0, 0], 0) == 3
    assert newest([1, 2, 3], 6) == 3


# --- the session writes it ----------------------------------------------------------------------------------------


class Failing(InProcessShortTerm):
    """A store that can be switched off."""

    down = False

    async def append(self, session: str, turn_id: str, messages: Sequence[RecentMessage], *, after: str) -> bool:
        self._look()
        return await super().append(session, turn_id, messages, after=after)

    async def replace(self, session: str, turn_id: str, messages: Sequence[RecentMessage]) -> None:
        self._look()
        await super().replace(session, turn_id, messages)

    def _look(self) -> None:
        if self.down:
            raise StoreError("The store is down.")


@pytest.fixture
def recent() -> Failing:
    return Failing(max_tokens=2000)


@pytest.fixture(params=["en", "zh"])
def code(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def harness(recent: Failing) -> AsyncIterator[Harness]:
    settings = load(
        environ={}, overrides={"storage.backend": "memory", "harness.analysis": "rules", "harness.max_revisions": "0"}
    )
    replies = iter(range(1, 100))
    model = ScriptedModel(lambda _: f"{next(replies)}. OK, 好的.")
    async with Harness(settings, model=model, short_term=recent) as made:
        yield made


SAID = {
    "en": ["I moved to Porto.", "I like tea.", "It rained.", "I am tired."],
    "zh": ["我搬到了波尔图。", "我喜欢喝茶。", "下雨了。", "我累了。"],
}


async def of(session: Session) -> list[str]:
    """What the session itself holds as said, its greeting included."""
    return [message.text for message in (await session.state()).messages]


async def kept(recent: InProcessShortTerm, session: Session) -> list[str]:
    await session.settled()
    return [one.message.text for one in await recent.recent(session.id)]


async def test_it_is_where_the_session_is(harness: Harness, recent: Failing, code: str) -> None:
    session = await harness.open(PERSONAS[code], session="s")
    for text in SAID[code][:3]:
        await session.say(text)
        assert await of(session) == await kept(recent, session), "after each turn"
    three = await of(session)
    head = (await session.report()).id
    await session.undo(2)
    assert await kept(recent, session) == await of(session) == three[:-4], "undo takes its messages along"
    await session.goto(head)
    assert await kept(recent, session) == three, "and goto brings them back"
    await session.retry()
    assert await kept(recent, session) == await of(session) != three, "a retry puts its answer in the old one's place"
    await session.edit(SAID[code][3])
    assert await kept(recent, session) == await of(session)
    assert SAID[code][3] in await kept(recent, session)
    assert SAID[code][2] not in await kept(recent, session)
    await session.set_task("x")
    await session.say(SAID[code][0])
    assert await kept(recent, session) == await of(session), "a change by hand says nothing"
    await session.undo(len(await session.branch()))
    assert await kept(recent, session) == await of(session), "only the greeting is left, if there is one"


async def test_a_fork_has_its_own(harness: Harness, recent: Failing, code: str) -> None:
    session = await harness.open(PERSONAS[code], session="s")
    for text in SAID[code]:
        await session.say(text)
    await session.fork("copy", number=2)
    forked = await recent.recent("copy")
    assert [one.message.text for one in forked if one.message.speaker == "user"] == SAID[code][:2]
    copy = await harness.open(session="copy")
    assert await of(copy) == [one.message.text for one in forked]
    await copy.say(SAID[code][3])
    assert await kept(recent, copy) == await of(copy)
    assert await kept(recent, session) == await of(session)


async def test_a_store_that_is_away_costs_a_warning_and_is_caught_up_with(
    harness: Harness, recent: Failing, code: str
) -> None:
    session = await harness.open(PERSONAS[code], session="s")
    await session.say(SAID[code][0])
    await session.settled()
    before = await kept(recent, session)
    recent.down = True
    with capture_logs() as logs:
        await session.say(SAID[code][1])
        await session.say(SAID[code][2])
        await session.settled()
        assert [one.message.text for one in await recent.recent("s")] == before
    assert {entry["event"] for entry in logs} >= {"short_term_failed"}
    recent.down = False
    await session.say(SAID[code][3])
    assert await kept(recent, session) == await of(session), "what was missed is there"


async def test_a_list_that_has_ended_is_made_anew(harness: Harness, recent: Failing, code: str) -> None:
    session = await harness.open(PERSONAS[code], session="s")
    await session.say(SAID[code][0])
    await session.settled()
    await recent.clear("s")
    await session.say(SAID[code][1])
    assert await kept(recent, session) == await of(session)


async def test_summarized_messages_are_still_there(code: str) -> None:
    recent = InProcessShortTerm(max_tokens=100_000)
    overrides = {
        "storage.backend": "memory",
        "harness.analysis": "rules",
        "harness.summarize_with": "rules",
        "harness.short_term_window": "2",
        "harness.summary_trigger_tokens": "50",
    }
    async with Harness(load(environ={}, overrides=overrides), model=ScriptedModel("OK."), short_term=recent) as harness:
        session = await harness.open(PERSONAS[code], session="s")
        for number in range(8):
            await session.say(f"{SAID[code][number % 4]} {number}")
        state = await session.state()
        assert state.summary is not None, "the engine has summarized"
        users = [one.message.text for one in await recent.recent("s") if one.message.speaker == "user"]
        assert users == [f"{SAID[code][number % 4]} {number}" for number in range(8)]
        before = await recent.recent("s")
        await recent.clear("s")
        await session.undo()
        assert await recent.recent("s") == before[:-2], "read from the journal, beyond what the state still has"


async def test_an_oversized_message_is_kept_alone_with_a_warning(code: str) -> None:
    recent = InProcessShortTerm(max_tokens=20)
    settings = load(environ={}, overrides={"storage.backend": "memory", "harness.analysis": "rules"})
    long = LONG[code].format(n=1)
    async with Harness(
        settings.settings.model_copy(
            update={"short_term": settings.settings.short_term.model_copy(update={"max_tokens": 20})}
        ),
        model=ScriptedModel(long),
        short_term=recent,
    ) as harness:
        session = await harness.open(PERSONAS[code], session="s")
        with capture_logs() as logs:
            await session.say(SAID[code][0])
            await session.settled()
        (one,) = await recent.recent("s")
        assert one.message.text == long.strip()
        assert any(entry["event"] == "short_term_oversized" for entry in logs)


# --- settings and command -----------------------------------------------------------------------------------------


async def test_off_is_said() -> None:
    async with Harness(load(environ={}, overrides={"storage.backend": "memory"}), model=ScriptedModel("x")) as harness:
        with pytest.raises(SettingsError, match="off"):
            harness.short_term()


@pytest.mark.parametrize("backend", ["sqlite", "redis"])
async def test_another_program_reads_it(
    backend: str, code: str, tmp_path: Path, server_place: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = server_place(SHORT_TERM_BACKENDS[backend].server, tmp_path)
    chosen: dict[str, Any] = {
        "storage.path": str(tmp_path / "sessions.db"),
        "storage.key_prefix": place["key_prefix"],
        "short_term.backend": backend,
        "short_term.url": place["url"],
        "harness.analysis": "rules",
    }
    loaded = load(start=tmp_path, environ={}, overrides=chosen)
    async with Harness(loaded, model=ScriptedModel("OK.")) as harness:
        session = await harness.open(PERSONAS[code], session="s")
        await session.say(SAID[code][0])
        await session.settled()
        expected = await harness.short_term().recent("s")
    arguments = [part for name, value in chosen.items() for part in ("--set", f"{name}={value}")]
    monkeypatch.chdir(tmp_path)
    shown = await _invoked(["memory", "recent", "s", *arguments])
    assert SAID[code][0] in shown.replace("\n", "")
    found = json.loads(await _invoked(["memory", "recent", "s", "--json", *arguments]))
    assert [one["text"] for one in found] == [one.message.text for one in expected]
    assert found[-1]["turn_id"] == expected[-1].turn_id
    few = json.loads(await _invoked(["memory", "recent", "s", "--json", "--max-tokens", "1", *arguments]))
    assert few == found[-1:]
    await _invoked(["sessions", "delete", "s", "--yes", *arguments])
    assert "No messages" in await _invoked(["memory", "recent", "s", *arguments])


async def _invoked(arguments: list[str]) -> str:
    """What a command prints; run in a thread, since it has a loop of its own."""
    result = await asyncio.to_thread(CliRunner().invoke, app, arguments)
    assert result.exit_code == 0, (result.output, result.exception)
    return result.stdout


def test_without_await(tmp_path: Path, code: str) -> None:
    overrides = {
        "storage.path": str(tmp_path / "sessions.db"),
        "short_term.backend": "sqlite",
        "harness.analysis": "rules",
    }
    loaded = load(start=tmp_path, environ={}, overrides=overrides)
    with SyncHarness(loaded, model=ScriptedModel("OK.")) as harness:
        session = harness.open(PERSONAS[code], session="s")
        session.say(SAID[code][0])
        session.settled()
        assert [one.message.text for one in harness.recent("s")][-2:] == [SAID[code][0], "OK."]
        assert len(harness.recent("s", max_tokens=1)) == 1
    assert (tmp_path / "sessions-recent.db").is_file()


def test_limits_that_keep_nothing_are_refused() -> None:
    for max_tokens, ttl_seconds in ((0, 0), (5, -1)):
        with pytest.raises(SettingsError):
            InProcessShortTerm(max_tokens=max_tokens, ttl_seconds=ttl_seconds)


async def test_a_file_of_something_else_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "recent.db"
    path.write_bytes(b"not a database, but long enough to be one page of something " * 20)
    store = SHORT_TERM_BACKENDS["sqlite"].open(ShortTermOptions(path=path))
    before = path.read_bytes()
    with pytest.raises(CorruptStore, match="short-term memory"):
        await store.recent("s")
    await store.close()
    assert path.read_bytes() == before
