"""Memory and sessions taken from one backend to another: whole, resumable, and never over what is there."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

import pytest

from harness.adapters.memories import MEMORY_BACKENDS, MemoryOptions
from harness.adapters.memories.ram import InProcessMemoryStore
from harness.adapters.stores.memory import MemorySessionStore
from harness.adapters.stores.sqlite import SQLiteSessionStore
from harness.app import Harness
from harness.app_moving import Place, place
from harness.errors import SettingsError, StoreError
from harness.language import load_packs
from harness.memory.forgetting import MARK
from harness.memory.moving import EVERYTHING, move
from harness.ports import EmbeddingSpace, MemoryEntry, MemoryFilter, MemoryQuery, MemoryStore, Vector
from harness.session.moving import move_sessions
from harness.settings import load
from harness.state.memory import Scope
from harness.testing.scripted_model import ScriptedModel
from tests._commands import Run, runner
from tests.conftest import Places

PACKS = load_packs()
LINES = {
    "en": ("I'm allergic to mangoes.", "My cat is called Bean.", "Can you recommend a dessert?"),
    "zh": ("我对芒果过敏。", "我的猫叫豆豆。", "推荐一个甜品吧？"),
}
OVERRIDES = {"storage.backend": "memory", "harness.analysis": "rules", "harness.background": "false"}
EMBEDDED = [name for name, backend in MEMORY_BACKENDS.items() if not backend.server]
SERVERS = [name for name, backend in MEMORY_BACKENDS.items() if backend.server]
PAIRS = [*product(EMBEDDED, repeat=2), *product(["sqlite"], SERVERS), *product(SERVERS, ["sqlite", *SERVERS])]


def opened(name: str, folder: Path, label: str, place_of: Places) -> MemoryStore:
    there = place_of(MEMORY_BACKENDS[name].server, folder.with_name(f"{folder.name}_{label}"))
    return MEMORY_BACKENDS[name].open(MemoryOptions(path=folder / label / "memory.db", **there))


async def filled(store: MemoryStore, code: str = "zh", *, embedder: str = "hash") -> None:
    """Conversations of two users, one of them with a branch that was left, a note, something forgotten, and uses."""
    settings = load(environ={}, overrides=OVERRIDES | {"memory.embedder": embedder})
    async with Harness(settings, model=ScriptedModel("All right."), memory=store) as harness:
        persona = {"en": "mia", "zh": "lin"}[code]
        for session, user in (("s1", "nora"), ("s2", "nora"), ("s3", "小明")):
            opened = await harness.open(persona, session=session, user=user, project="商店" if user == "小明" else "")
            for line in LINES[code]:
                await opened.say(line)
            if session == "s2":
                await opened.undo()
            await opened.settled()
        note = await harness.memories().note("The ferry / 渡轮", scope=Scope(user="nora"), pinned=True)
        await harness.memories().delete([note.id])
        await harness.memories().note("Kept / 留下", scope=Scope(task="t"), pinned=True)
        await harness.memories().forget(MemoryFilter(scope=Scope(user="nobody"), everything=True, statuses=()))


async def content(store: MemoryStore) -> list[object]:
    items = await store.browse(EVERYTHING, limit=1000)
    vectors: Mapping[str, Vector] = await store.vectors([item.id for item in items])  # type: ignore[attr-defined]
    follows = [await store.followed(session) for session in ("s1", "s2", "s3", "s4")]
    return [items, {name: [round(value, 5) for value in vectors[name]] for name in sorted(vectors)}, follows]


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize(("source", "target"), PAIRS)
async def test_all_of_it_arrives(tmp_path: Path, code: str, source: str, target: str, server_place: Places) -> None:
    one, other = (opened(name, tmp_path, end, server_place) for name, end in ((source, "one"), (target, "other")))
    await filled(one, code)
    steps: list[tuple[int, int]] = []
    moved = await move(one, other, packs=PACKS, progress=lambda done, total: steps.append((done, total)))
    assert moved.whole
    assert await content(other) == await content(one)
    stats = await other.stats()
    assert (moved.items, moved.copied, moved.present) == (stats.items, stats.items, 0)
    assert (moved.vectors, moved.followed) == (stats.vectors, 3)
    assert steps[-1] == (stats.items, stats.items)
    assert any(item.id.startswith(MARK) for item in await other.browse(EVERYTHING, limit=1000))
    assert any(item.uses for item in await other.browse(EVERYTHING, limit=1000))
    again = await move(one, other, packs=PACKS)
    assert (again.copied, again.present, again.vectors, again.followed) == (0, stats.items, 0, 0)
    terms = ("芒果",) if code == "zh" else ("mango",)
    found = [
        sorted((hit.item.id, sorted(hit.matched)) for hit in (await store.search(MemoryQuery(EVERYTHING, terms))).hits)
        for store in (one, other)
    ]
    assert found[0] == found[1] != []
    await one.close()
    await other.close()


class Breaking(InProcessMemoryStore):
    """A store that fails at its n-th write."""

    left = 10**6

    def _count(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise StoreError("The store is down.")

    async def put(self, entries: Sequence[MemoryEntry]) -> None:
        self._count()
        await super().put(entries)

    async def follow(
        self,
        session: str,
        turn_id: str | None,
        *,
        put: Sequence[MemoryEntry] = (),
        hide: Collection[str] = (),
        show: Collection[str] = (),
    ) -> None:
        self._count()
        await super().follow(session, turn_id, put=put, hide=hide, show=show)


@pytest.mark.parametrize("after", range(6))
async def test_an_interrupted_move_is_completed(monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    monkeypatch.setattr("harness.memory.moving.PAGE", 5)
    source, target = InProcessMemoryStore(), Breaking()
    await filled(source)
    target.left = after
    with pytest.raises(StoreError, match="down"):
        await move(source, target, packs=PACKS)
    target.left = 10**6
    moved = await move(source, target, packs=PACKS)
    assert moved.whole
    assert await content(target) == await content(source)
    assert moved.items == moved.copied + moved.present


async def test_what_is_other_there_is_left_unless_it_is_to_be_replaced() -> None:
    source, target = InProcessMemoryStore(), InProcessMemoryStore()
    await filled(source)
    await move(source, target, packs=PACKS)
    item = (await target.browse(EVERYTHING))[0]
    changed = item.model_copy(update={"text": "changed there"})
    await target.put([MemoryEntry(changed)])
    await target.put([MemoryEntry(item.model_copy(update={"id": "only there"}))])
    await target.used([item.id], datetime(2030, 1, 1, tzinfo=UTC))
    moved = await move(source, target, packs=PACKS)
    assert (moved.whole, moved.different, moved.missing) == (False, (item.id,), ())
    assert (await target.get([item.id]))[0].text == "changed there"
    moved = await move(source, target, packs=PACKS, overwrite=True)
    assert moved.whole
    assert (await target.get([item.id]))[0].text == item.text
    assert (await target.get([item.id]))[0].uses == item.uses + 1
    assert await target.get(["only there"])


async def test_vectors_of_another_model_are_not_mixed() -> None:
    source, target = InProcessMemoryStore(), InProcessMemoryStore()
    await filled(source)
    await target.embed(EmbeddingSpace("another", 3), {})
    moved = await move(source, target, packs=PACKS)
    assert moved.whole
    assert (moved.vectors, (await target.stats()).vectors) == (0, 0)
    assert "another" in moved.notes[0]
    assert "reindex" in moved.notes[0]


async def test_vectors_that_were_made_later_are_taken_over_too() -> None:
    source, target = InProcessMemoryStore(), InProcessMemoryStore()
    await filled(source, embedder="none")
    await move(source, target, packs=PACKS)
    settings = load(environ={}, overrides=OVERRIDES | {"memory.embedder": "hash"})
    async with Harness(settings, model=ScriptedModel("."), memory=source) as harness:
        made = await harness.memories().reindex()
    moved = await move(source, target, packs=PACKS)
    assert (moved.copied, moved.vectors) == (0, made)
    assert await content(target) == await content(source)


# --- sessions -------------------------------------------------------------------------------------------------------


async def talked(store: MemorySessionStore | SQLiteSessionStore) -> None:
    """Three sessions: one with branches and its head in the middle, one of one turn, one that is empty."""
    settings = load(environ={}, overrides=OVERRIDES | {"memory.backend": "off"})
    async with Harness(settings, model=ScriptedModel("All right."), store=store) as harness:
        for code, session in (("en", "s1"), ("zh", "会话")):
            opened = await harness.open(session=session, user="小明", project="商店")
            for line in LINES[code]:
                await opened.say(line)
            await opened.retry()
            await opened.undo()
            await opened.settled()
        await harness.open(session="empty")


async def sessions(store: MemorySessionStore | SQLiteSessionStore) -> list[object]:
    infos = await store.sessions()
    return [
        (info.model_copy(update={"version": 0}), await store.records(info.id))
        for info in sorted(infos, key=lambda info: info.id)
    ]


async def test_sessions_arrive_with_all_branches(tmp_path: Path) -> None:
    source, target = SQLiteSessionStore(tmp_path / "a.db"), SQLiteSessionStore(tmp_path / "b.db")
    await talked(source)
    moved = await move_sessions(source, target)
    assert moved.whole
    assert (moved.sessions, moved.copied) == (3, 3)
    assert moved.turns == len(await source.records("s1")) + len(await source.records("会话")) > 6
    assert await sessions(target) == await sessions(source)
    assert [one.id for one in await target.sessions()] == [one.id for one in await source.sessions()]
    again = await move_sessions(source, target)
    assert (again.copied, again.present, again.turns) == (0, 3, 0)
    for store in (source, target):
        await store.close()


@pytest.mark.parametrize("after", range(5))
async def test_an_interrupted_move_of_sessions_is_completed(after: int) -> None:
    source, target = MemorySessionStore(), MemorySessionStore()
    await talked(source)
    records = await source.records("s1")
    info = await source.info("s1")
    await target.create(info.model_copy(update={"head": None, "version": 0, "turns": 0}))
    for version, record in enumerate(records[:after]):
        await target.append("s1", record, expected_version=version)
    assert (await move_sessions(source, target)).whole
    assert await sessions(target) == await sessions(source)


async def test_a_session_that_went_on_there_or_is_another_is_left() -> None:
    source, target = MemorySessionStore(), MemorySessionStore()
    await talked(source)
    await move_sessions(source, target)
    settings = load(environ={}, overrides=OVERRIDES | {"memory.backend": "off"})
    async with Harness(settings, model=ScriptedModel("All right."), store=target) as harness:
        await (await harness.open(session="s1")).say("One more.")
    before = await sessions(target)
    moved = await move_sessions(source, target)
    assert (moved.whole, moved.present) == (True, 3)
    assert await sessions(target) == before
    async with Harness(settings, model=ScriptedModel("All right."), store=source) as harness:
        await (await harness.open(session="s1")).say("Another one.")
    moved = await move_sessions(source, target)
    assert (moved.whole, moved.different) == (False, ("s1",))
    assert await sessions(target) == before


# --- commands -------------------------------------------------------------------------------------------------------


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HARNESS_STORAGE_PATH", str(tmp_path / "sessions.db"))

    return runner()


def test_the_command_moves_and_tells(run: Run, tmp_path: Path) -> None:
    for text in ("Nora sails.", "小明会开帆船。"):
        run("memory", "note", text, "--user", "小明")
    done = json.loads(run("memory", "migrate", "--to", "sqlite:新/memory.db", "--json").stdout)
    assert (done["items"], done["copied"], done["whole"]) == (2, 2, True)
    assert "2 were there" in run("memory", "migrate", "--to", "sqlite:新/memory.db").output
    there = ("--set", f"memory.path={tmp_path / '新' / 'memory.db'}")
    found = json.loads(run("memory", "search", "谁会开帆船", "--user", "小明", "--json", *there).stdout)
    assert "小明会开帆船。" in [one["item"]["text"] for one in found]
    run("memory", "edit", "Nora", "Nora rows.", *there)
    told = run("memory", "migrate", "--to", "sqlite:新/memory.db", code=1)
    assert "1 are other there" in told.output
    run("memory", "migrate", "--to", "sqlite:新/memory.db", "--overwrite")


def test_sessions_are_moved_by_a_command(run: Run, tmp_path: Path) -> None:
    async def begin() -> None:
        store = SQLiteSessionStore(tmp_path / "sessions.db")
        await talked(store)
        await store.close()

    asyncio.run(begin())
    done = json.loads(run("sessions", "migrate", "--to", "sqlite:other.db", "--json").stdout)
    assert (done["sessions"], done["copied"], done["whole"]) == (3, 3, True)
    listed = run("sessions", "list", "--set", f"storage.path={tmp_path / 'other.db'}").output
    assert "会话" in listed
    assert "商店" in listed


@pytest.mark.parametrize("server", SERVERS)
def test_to_a_server_and_back_by_a_command(
    run: Run, server: str, tmp_path: Path, server_place: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = server_place(MEMORY_BACKENDS[server].server, tmp_path)
    monkeypatch.setenv("WHERE", there["url"])
    monkeypatch.setenv("HARNESS_STORAGE_KEY_PREFIX", there["key_prefix"])
    run("memory", "note", "The ferry / 渡轮")

    async def begin() -> None:
        store = SQLiteSessionStore(tmp_path / "sessions.db")
        await talked(store)
        await store.close()

    asyncio.run(begin())
    for what in ("memory", "sessions"):
        told = json.loads(run(what, "migrate", "--to", f"{server}:${{WHERE}}", "--json").stdout)
        assert told["whole"]
        assert told["copied"] > 0
        # The address may be in the settings, memory's in those of the sessions.
        monkeypatch.setenv("HARNESS_STORAGE_URL", "${WHERE}")
        back = json.loads(run(what, "migrate", "--from", server, "--to", f"sqlite:{what}-back.db", "--json").stdout)
        assert (back["whole"], back["copied"]) == (True, told["copied"])
        monkeypatch.delenv("HARNESS_STORAGE_URL")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--to", "postgres"), "url is empty"),
        (("--to", "redis:/data"), "to be the address of a server for the backend 'redis', got '/data'"),
        (("--to", "sqlite:redis://h"), "is a file, and sqlite:redis://h is an address"),
        ((), "Where to is missing"),
        (("--to", "elsewhere:x"), "There is no backend 'elsewhere'"),
        (("--to", "memory"), "ends with the process"),
        (("--to", "sqlite"), "both where"),
        (("--from", "sqlite:nowhere.db", "--to", "sqlite:x.db"), "no file"),
        (("--to", "C:\\data\\x.db"), "names no backend"),
    ],
)
@pytest.mark.parametrize("what", ["memory", "sessions"])
def test_a_move_that_cannot_be_is_refused(run: Run, what: str, arguments: tuple[str, ...], words: str) -> None:
    run("memory", "note", "x")
    Path("sessions.db").touch()
    result = run(what, "migrate", *arguments, code=1)
    assert words in " ".join(result.output.split())
    assert not Path("x.db").exists()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sqlite", Place("sqlite")),
        ("", Place("sqlite")),
        ("auto", Place("sqlite")),
        ("sqlite:a/b.db", Place("sqlite", "a/b.db")),
        ("sqlite:C:\\x.db", Place("sqlite", "C:\\x.db")),
        ("redis:redis://host/1", Place("redis", "redis://host/1")),
        ("rediss://:pw@host/1", Place("redis", "rediss://:pw@host/1")),
        ("postgresql://me:pw@host/db", Place("postgres", "postgresql://me:pw@host/db")),
        ("postgresql+psycopg://host/db", Place("postgres", "postgresql+psycopg://host/db")),
        ("sqlite:///data/x.db", Place("sqlite", "/data/x.db")),
    ],
)
def test_how_a_store_is_called(text: str, expected: Place) -> None:
    known = dict.fromkeys(("sqlite", "redis", "postgres"))
    assert place(text, known, "sqlite") == expected
    assert "pw" not in str(expected)


def test_an_unknown_address_is_refused() -> None:
    with pytest.raises(SettingsError, match="no backend 'mongodb'"):
        place("mongodb://host", {"sqlite": None}, "sqlite")
