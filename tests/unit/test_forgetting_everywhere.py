"""Forgetting reaches what is easily passed over: the graph, files that are not in use any more, a log that is read, another program that
writes at that moment.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from harness.adapters.graphs.sqlite import SQLiteGraph
from harness.adapters.memories.sqlite import SQLiteMemoryStore
from harness.adapters.short_term.sqlite import SQLiteShortTerm
from harness.app import Harness
from harness.cli.main import app as command
from harness.errors import SessionNotFound
from harness.memory.bound import SessionMemory
from harness.ports import GraphFilter, MemoryFilter
from harness.settings import CHAT_HISTORY, Loaded, load
from harness.state.memory import Scope
from harness.testing.scripted_model import ScriptedModel

CODES = pytest.mark.parametrize("code", ["en", "zh"])
PERSONAS = {"en": "mia", "zh": "lin"}
SAID = {
    "en": ["My brother Torquil works at Zembrano.", "My lighthouse is called Skarholm."],
    "zh": ["我的哥哥叫陶奎尔，他在赞布拉诺公司工作。", "我的灯塔叫斯卡霍姆。"],
}
WORDS = {"en": ["torquil", "zembrano", "skarholm"], "zh": ["陶奎尔", "赞布拉诺", "斯卡霍姆", "卡霍"]}
ID = ["nora"]
"""What the user and their session are called."""
OTTO = {"en": "My sister Ottilie works at Ronsdorf.", "zh": "我的姐姐叫奥蒂莉，她在龙斯多夫工作。"}
STAYS = {"en": "ottilie", "zh": "奥蒂莉"}
NORA = Scope(user="nora")


def settings(folder: Path, **more: str) -> Loaded:
    chosen = {
        "storage.path": str(folder / "sessions.db"),
        "harness.analysis": "rules",
        "harness.background": "false",
        "storage.busy_timeout_s": "0.3",
        **{name.replace("__", "."): value for name, value in more.items()},
    }
    return load(environ={}, overrides=chosen)


def made(folder: Path, **more: str) -> Harness:
    return Harness(settings(folder, **more), model=ScriptedModel("Mm, I see."))


async def told(harness: Harness, code: str) -> None:
    for user, texts in (("nora", SAID[code]), ("otto", [OTTO[code]])):
        session = await harness.open(PERSONAS[code], session=user, user=user)
        for text in texts:
            await session.say(text)
        await session.settled()


def holding(folder: Path, words: list[str]) -> set[str]:
    """Names of the files that hold one of the words."""
    return {
        file.name
        for file in folder.rglob("*")
        if file.is_file()
        for content in [file.read_bytes().lower()]
        if any(word.encode() in content for word in words)
    }


@CODES
@pytest.mark.parametrize("whole", [True, False], ids=["user", "session"])
@pytest.mark.parametrize("graph", ["sqlite", "ladybug"])
async def test_the_graph_forgets_in_its_file(graph: str, whole: bool, code: str, tmp_path: Path) -> None:
    gone = WORDS[code] + ID
    async with made(tmp_path, graph__backend=graph) as harness:
        await told(harness, code)
        edges = [edge async for edge in harness.graphs().all()]
        assert {edge.scope.user for edge in edges} == {"nora", "otto"}
        if whole:
            assert (await harness.forget_user("nora", journal=True)).remains == ()
        else:
            assert await harness.delete("nora") == ()
        assert holding(tmp_path, gone) == set()
        assert {edge.scope.user async for edge in harness.graphs().all()} == {"otto"}
        assert any("graph" in name for name in holding(tmp_path, [STAYS[code]]))
    assert holding(tmp_path, gone) == set()


BEFORE = {
    "off": ({"short_term__backend": "sqlite"}, {"memory__backend": "off", "graph__backend": "off"}),
    "faiss": ({"memory__backend": "faiss", "memory__embedder": "hash"}, {"memory__backend": "sqlite"}),
    "ladybug": ({"graph__backend": "ladybug"}, {"graph__backend": "sqlite"}),
    "ladybug with memory off": ({"graph__backend": "ladybug"}, {"memory__backend": "off"}),
    "memory": ({"short_term__backend": "sqlite"}, {"memory__backend": "memory", "short_term__backend": "memory"}),
}


@CODES
@pytest.mark.parametrize("whole", [True, False], ids=["user", "session"])
@pytest.mark.parametrize("case", sorted(BEFORE))
async def test_what_earlier_settings_left_is_forgotten_too(case: str, whole: bool, code: str, tmp_path: Path) -> None:
    before, after = BEFORE[case]
    async with made(tmp_path, **before) as harness:
        await told(harness, code)
    assert len(holding(tmp_path, WORDS[code])) >= 3
    async with made(tmp_path, **after) as harness:
        if whole:
            done = await harness.forget_user("nora", journal=True)
            assert done.memories >= 2
            assert done.remains == ()
            assert done.others.get("short_term", 0) == ("short_term__backend" in before)
        else:
            assert await harness.delete("nora") == ()
        assert holding(tmp_path, WORDS[code] + ID) == set()
        assert not (tmp_path / "sessions-memory.db.faiss").exists()
    assert holding(tmp_path, [STAYS[code]])
    async with made(tmp_path, **before) as harness:
        assert {item.scope.user async for item in harness.memories().all()} == {"otto"}


@CODES
async def test_memory_that_is_off_does_not_learn_the_same_again_when_it_is_on(code: str, tmp_path: Path) -> None:
    async with made(tmp_path) as harness:
        await told(harness, code)
    async with made(tmp_path, memory__backend="off", graph__backend="off") as harness:
        done = await harness.forget_user("nora")
        assert done.kept == ("nora",)
        assert done.memories >= 2
    async with made(tmp_path) as harness:
        session = await harness.open(session="nora")
        await session.undo()
        await session.settled()
        assert {item.scope.user async for item in harness.memories().all()} == {"otto"}
        assert {edge.scope.user async for edge in harness.graphs().all()} == {"otto"}


@CODES
async def test_a_file_that_cannot_be_used_is_named(code: str, tmp_path: Path) -> None:
    async with made(tmp_path) as harness:
        await told(harness, code)
    memories = tmp_path / "sessions-memory.db"
    memories.write_bytes(b"\0" * 8192)
    async with made(tmp_path, memory__backend="off") as harness:
        done = await harness.forget_user("nora", journal=True)
    assert done.sessions == ("nora",)
    assert done.remains == (str(memories),)
    assert holding(tmp_path, WORDS[code]) == set()


async def test_a_program_that_keeps_nothing_names_what_others_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with made(tmp_path) as harness:
        await told(harness, "en")
    async with made(tmp_path, storage__backend="memory", memory__url="redis://:secret@memories.example/0") as harness:
        done = await harness.forget_user("nora", journal=True)
    named = {Path(one).name for one in done.remains[:3]}
    assert named == {"sessions.db", "sessions-memory.db", "sessions-graph.db"}
    assert done.remains[3:] == ("redis://:***@memories.example/0",)
    assert holding(tmp_path, WORDS["en"])


@CODES
async def test_sessions_of_an_earlier_backend_are_forgotten(code: str, tmp_path: Path) -> None:
    """As after a move to a server: here the file is asked as such, since the server is not needed for it."""
    from harness.forgetting import Swept

    async with made(tmp_path, short_term__backend="sqlite") as harness:
        await told(harness, code)
    chosen = settings(tmp_path).settings
    moved = chosen.model_copy(
        update={"storage": chosen.storage.model_copy(update={"backend": "redis", "url": "redis://127.0.0.1:1/0"})}
    )
    harness = Harness(moved, model=ScriptedModel("Mm."))
    elsewhere = harness._elsewhere()
    assert elsewhere is not None
    ids = await elsewhere.sessions_of("nora", "")
    assert ids == ("nora",)
    swept = await elsewhere.forget("nora", "", ids, journal=True)
    assert isinstance(swept, Swept)
    assert swept.remains == ()
    assert holding(tmp_path, WORDS[code]) == {"sessions-graph.db"}  # which is in use still, beside memory on a server
    assert "sessions.db" in holding(tmp_path, [STAYS[code]])
    await harness.close()


RACES: dict[str, tuple[type, str]] = {
    "memory": (SQLiteMemoryStore, "follow"),
    "graph": (SQLiteGraph, "follow"),
    "messages": (SQLiteShortTerm, "replace"),
}


@CODES
@pytest.mark.parametrize("journal", [True, False])
@pytest.mark.parametrize("memory", ["sqlite", "faiss"])
@pytest.mark.parametrize("where", sorted(RACES))
async def test_what_another_program_writes_meanwhile_does_not_stay(
    where: str, memory: str, journal: bool, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other program forgets the user when all has been looked at that a turn is written by, and nothing is written."""
    chosen = {"memory__backend": memory, "short_term__backend": "sqlite"}
    other = made(tmp_path, **chosen)
    kind, name = RACES[where]
    original: Callable[..., object] = getattr(kind, name)
    done: list[object] = []

    async def meanwhile(self: object, *args: object, **given: object) -> object:
        if not done and await harness.store().records("nora"):  # the turn is in the journal, and this is not
            done.append(await other.forget_user("nora", journal=journal))
        return await original(self, *args, **given)  # type: ignore[misc]  # a coroutine function

    async def elsewhere(*_: object, **__: object) -> bool:
        return False

    async with made(tmp_path, **chosen) as harness:
        session = await harness.open(PERSONAS[code], session="nora", user="nora")
        monkeypatch.setattr(kind, name, meanwhile)
        monkeypatch.setattr(SQLiteShortTerm, "append", elsewhere)  # so that the list is written anew
        await session.say(SAID[code][0])
        with suppress(SessionNotFound):
            await session.settled()
        monkeypatch.undo()
        assert len(done) == 1
        at_most = {"sessions.db", "sessions-recent.db"} if not journal else set()  # a session that stays has its words
        words = WORDS[code] + (ID if journal else [])
        assert {name.removesuffix("-wal") for name in holding(tmp_path, words)} <= at_most
        where_nora = MemoryFilter(scope=NORA, everything=True, statuses=())
        assert [item async for item in harness.memories().all(where_nora)] == []
        assert [edge async for edge in harness.graphs().all(GraphFilter(everything=True, hidden=True))] == []
    await other.close()


@CODES
async def test_a_log_that_is_read_is_named_and_emptied_later(code: str, tmp_path: Path) -> None:
    files = [tmp_path / f"sessions{part}.db" for part in ("", "-memory", "-graph", "-recent")]
    async with made(tmp_path, short_term__backend="sqlite") as harness:
        await told(harness, code)
        readers = [sqlite3.connect(file) for file in files]
        for reader in readers:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM sqlite_master").fetchall()
        done = await harness.forget_user("nora", journal=True)
        assert set(done.pending) == {f"{file}{end}" for file in files for end in ("", "-wal")}
        assert set(done.pending) <= set(done.remains)
        assert len(holding(tmp_path, WORDS[code])) >= len(files)
        for reader in readers:
            reader.execute("COMMIT")
        session = await harness.open(session="otto", user="otto")
        await session.say(OTTO[code])
        await session.settled()
        assert holding(tmp_path, WORDS[code]) == set()
        again = await harness.forget_user("nora", journal=True)
        assert (again.remains, again.pending) == ((), ())
        for reader in readers:
            reader.close()


@CODES
async def test_a_log_that_was_read_is_emptied_when_the_program_ends(code: str, tmp_path: Path) -> None:
    reader = None
    async with made(tmp_path) as harness:
        await told(harness, code)
        reader = sqlite3.connect(tmp_path / "sessions.db")
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM sqlite_master").fetchall()
        assert await harness.delete("nora") == (str(tmp_path / "sessions.db"), str(tmp_path / "sessions.db-wal"))
        reader.execute("COMMIT")
    assert holding(tmp_path, WORDS[code]) == set()  # though the other connection is open still
    reader.close()


@CODES
async def test_files_that_only_a_person_can_change_are_named(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARNESS_HOME", str(tmp_path / "home"))
    folder = tmp_path / "memory" / "user"
    folder.mkdir(parents=True)
    (tmp_path / "home").mkdir()
    (folder / "nora.md").write_text(f"- {SAID[code][1]}\n", encoding="utf-8")
    (folder / "otto.md").write_text(f"- {OTTO[code]}\n", encoding="utf-8")
    history = tmp_path / "home" / CHAT_HISTORY
    history.write_text("+hello\n", encoding="utf-8")
    for memory in ("sqlite", "off"):
        chosen = {"paths__memory": str(tmp_path / "memory"), "memory__backend": memory}
        async with made(tmp_path, **chosen) as harness:
            for journal in (True, False):
                done = await harness.forget_user("nora", journal=journal)
                assert done.remains == (str(folder / "nora.md"), str(history))
            assert (await harness.forget_user("nora", persona="mia")).remains == (str(history),)


def test_the_command_names_them_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from typer.testing import CliRunner

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HARNESS_HOME", str(tmp_path))
    monkeypatch.setenv("HARNESS_STORAGE_BUSY_TIMEOUT_S", "0.3")
    (tmp_path / CHAT_HISTORY).write_text("+hello\n", encoding="utf-8")

    async def talk() -> None:
        async with Harness(load(), model=ScriptedModel("Mm.")) as harness:
            session = await harness.open("mia", session="nora", user="nora")
            await session.say(SAID["en"][1])
            await session.settled()

    asyncio.run(talk())

    def run(*arguments: str) -> str:
        result = CliRunner().invoke(command, [*arguments, "--yes"])
        assert result.exit_code == 0, (result.output, result.exception)
        return " ".join(result.output.split())

    assert CHAT_HISTORY in run("memory", "forget", "--user", "nora")
    reader = sqlite3.connect(tmp_path / "sessions.db")
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM sqlite_master").fetchall()
    said = run("memory", "forget", "--user", "nora", "--journal", "--set", "memory.backend=off")
    assert "sessions.db-wal may still have words of this user: another program is reading it" in said
    reader.close()
    said = run("memory", "forget", "--user", "nora", "--journal", "--set", "memory.backend=off")
    assert "sessions.db" not in said
    assert holding(tmp_path, ["skarholm"]) == set()


@CODES
async def test_a_filter_of_some_items_removes_those_alone(code: str, tmp_path: Path) -> None:
    async with made(tmp_path) as harness:
        await told(harness, code)
        all_of_nora = MemoryFilter(scope=NORA, everything=True, statuses=())
        before = [item async for item in harness.memories().all(all_of_nora)]
        edges = [edge.id async for edge in harness.graphs().all()]
        messages = [item.id for item in before if item.kind == "message"]
        assert 0 < len(messages) < len(before)
        count = await harness.memories().forget(MemoryFilter(scope=NORA, kinds=("message",)))
        assert count == len(messages)
        left = [item.id async for item in harness.memories().all(all_of_nora)]
        assert left == [item.id for item in before if item.kind != "message"]
        assert [edge.id async for edge in harness.graphs().all()] == edges
        session = await harness.open(session="nora")
        turn = (await session.report()).id
        await session.undo()
        await session.goto(turn)
        await session.settled()
        back = {item.id async for item in harness.memories().all(all_of_nora)}
        assert back == set(left)  # the messages stay away, and what was not named is not forgotten


@CODES
async def test_what_is_being_written_is_waited_for(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, may_go_on = asyncio.Event(), asyncio.Event()
    original = SessionMemory.plan

    async def slow(self: SessionMemory, *args: object, **given: object) -> object:
        begun.set()
        await may_go_on.wait()
        return await original(self, *args, **given)  # type: ignore[arg-type]  # passed on as they came

    monkeypatch.setattr(SessionMemory, "plan", slow)
    async with made(tmp_path, harness__background="true") as harness:
        session = await harness.open(PERSONAS[code], session="nora", user="nora")
        await session.say(SAID[code][1])
        await begun.wait()
        forgetting = asyncio.create_task(harness.forget_user("nora", journal=True))
        done, _ = await asyncio.wait({forgetting}, timeout=1)
        there = [info.id for info in await harness.store().sessions()]
        may_go_on.set()
        assert (len(done), there) == (0, ["nora"])
        assert (await forgetting).sessions == ("nora",)
    assert holding(tmp_path, WORDS[code]) == set()


@CODES
async def test_messages_that_have_ended_leave_the_file(code: str, tmp_path: Path) -> None:
    chosen = {"short_term__backend": "sqlite", "short_term__ttl_seconds": "1", "memory__backend": "off"}
    async with made(tmp_path, **chosen) as harness:
        await told(harness, code)
        assert "sessions-recent.db-wal" in holding(tmp_path, WORDS[code])
        await asyncio.sleep(2)
        assert not {name for name in holding(tmp_path, WORDS[code]) if "recent" in name}  # nobody called meanwhile


@CODES
async def test_messages_that_ended_while_nothing_ran_leave_the_file_when_it_is_opened(
    code: str, tmp_path: Path
) -> None:
    from harness.ports import RecentMessage
    from harness.state import Message

    at = 1000.0
    said = RecentMessage(Message(speaker="user", text=SAID[code][1], turn=1), "t1", 9)
    store = SQLiteShortTerm(tmp_path / "recent.db", max_tokens=100, ttl_seconds=60, now=lambda: at)
    await store.replace("s", "t1", [said])
    await store.close()
    assert holding(tmp_path, WORDS[code]) == {"recent.db"}
    at = 2000.0
    store = SQLiteShortTerm(tmp_path / "recent.db", max_tokens=100, ttl_seconds=60, now=lambda: at)
    assert await store.recent("another") == ()
    assert holding(tmp_path, WORDS[code]) == set()
    await store.close()


async def test_a_reader_is_waited_for_once(tmp_path: Path) -> None:
    async with made(tmp_path, storage__busy_timeout_s="2", memory__backend="off") as harness:
        for number in range(6):
            await harness.open("mia", session=f"s{number}", user="nora")
        await harness.store().sessions()
        reader = sqlite3.connect(tmp_path / "sessions.db")
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM sqlite_master").fetchall()
        begun = time.monotonic()
        assert len((await harness.forget_user("nora", journal=True)).pending) == 2
        assert time.monotonic() - begun < 8  # six sessions, and not twelve seconds
        reader.close()
