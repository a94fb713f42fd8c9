"""Going over what is remembered: what has expired goes, what was never needed is put away or removed, and comes back when asked."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from harness.adapters.memories.ram import InProcessMemoryStore
from harness.app import Harness
from harness.cli.main import app
from harness.errors import InputError
from harness.memory import Memories
from harness.memory.reviewing import archive, restore, review, sweep
from harness.ports import MemoryEntry
from harness.settings import load
from harness.state.memory import MemoryItem, Scope
from harness.testing.scripted_model import ScriptedModel

NOW = datetime.now(UTC)
TEXTS = {
    "en": {"old": "The cellar is damp.", "used": "The attic is dry.", "new": "The garden is green.", "kept": "Mangoes are out.", "gone": "The plumber comes."},
    "zh": {"old": "地窖很潮。", "used": "阁楼很干。", "new": "花园很绿。", "kept": "不能吃芒果。", "gone": "水管工要来。"},
}  # fmt: skip


def ago(days: float) -> datetime:
    return NOW - timedelta(days=days)


def stored(code: str) -> list[MemoryItem]:
    texts = TEXTS[code]
    scope = Scope(persona="mia", user="nora")

    def item(name: str, **more: object) -> MemoryItem:
        fields = {
            "layer": "L2",
            "kind": "fact",
            "text": texts.get(name, name),
            "scope": scope,
            "language": code,
            "at": ago(200),
        }
        return MemoryItem.model_validate({"id": name, "key": fields["text"], **fields, **more})

    return [
        item("old", session="s", turn_id="t1"),
        item("used", uses=2, last_used_at=ago(10)),
        item("new", at=ago(1)),
        item("kept", kind="constraint", layer="L3"),
        item("pinned", pinned=True, text=texts["kept"]),
        item("hidden", status="hidden", text=texts["old"]),
        item("gone", expires_at=ago(1)),
        item("later", expires_at=ago(-1), at=ago(1)),
        item("other", scope=Scope(persona="mia", user="otto"), text=texts["old"]),
    ]


async def filled(harness: Harness, code: str) -> Memories:
    memories = harness.memories()
    await memories.shared.store.put([MemoryEntry(item, memories.terms_of(item)) for item in stored(code)])
    return memories


def made(path: Path | None = None) -> Harness:
    where = {"storage.path": str(path)} if path else {"storage.backend": "memory"}
    memory = None if path else InProcessMemoryStore()
    return Harness(load(environ={}, overrides=where), model=ScriptedModel("Mm."), memory=memory)


async def shown(memories: Memories, text: str, scope: Scope) -> list[str]:
    return [one.item.id for one in (await memories.search(text, scope=scope)).items if not one.dropped]


def holding(folder: Path, word: bytes) -> list[str]:
    return [file.name for file in folder.iterdir() if word in file.read_bytes()]


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_what_a_review_lists(code: str) -> None:
    async with made() as harness:
        memories = await filled(harness, code)
        found = await review(memories, days=90)
        assert [item.id for item in found.unused] == ["old", "other"]
        assert [item.id for item in found.expired] == ["gone"]
        assert [item.id for item in (await review(memories, days=5)).unused] == ["old", "other", "used"]
        assert not (await review(memories, days=300)).unused
        with pytest.raises(InputError, match="one day"):
            await review(memories, days=0)


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_what_stands_in_files_is_not_reviewed(code: str, tmp_path: Path) -> None:
    file = tmp_path / "memory" / "global.md"
    file.parent.mkdir()
    file.write_text(f"- {TEXTS[code]['old']}\n", encoding="utf-8")
    os.utime(file, (10**9, 10**9))
    where = {"storage.backend": "memory", "paths.memory": str(file.parent)}
    async with Harness(load(environ={}, overrides=where), model=ScriptedModel("Mm.")) as harness:
        assert [item.source async for item in harness.memories().all()] == ["file"]
        assert not (await review(harness.memories(), days=90)).unused


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_what_is_put_away_is_found_no_more_and_can_come_back(code: str) -> None:
    scope = Scope(persona="mia", user="nora")
    async with made() as harness:
        memories = await filled(harness, code)
        text = TEXTS[code]["old"]
        assert "old" in await shown(memories, text, scope)
        found = await review(memories, days=90)
        assert await archive(memories, found.unused) == 2
        assert "old" not in await shown(memories, text, scope)
        assert not (await review(memories, days=90)).unused
        await restore(memories, await memories.item("old"))
        assert "old" in await shown(memories, text, scope)
        with pytest.raises(InputError, match="not put away"):
            await restore(memories, await memories.item("old"))


async def test_a_sweep_removes_what_has_expired_from_the_file(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    async with made(path) as harness:
        memories = await filled(harness, "en")
        assert await sweep(memories) == 1
        assert await sweep(memories) == 0
        assert "later" in [item.id async for item in memories.all()]
    assert not holding(tmp_path, b"plumber")


async def test_what_a_person_put_away_is_not_learned_again() -> None:
    overrides = {"storage.backend": "memory", "harness.analysis": "rules", "harness.background": "false"}
    async with Harness(
        load(environ={}, overrides=overrides), model=ScriptedModel("Mm."), memory=InProcessMemoryStore()
    ) as harness:
        session = await harness.open("mia", session="one", user="nora")
        await session.say("I have a car.")
        record = await session.report()
        memories = harness.memories()
        facts = tuple([item async for item in memories.all() if item.kind == "fact"])
        assert await archive(memories, facts) == 1
        await session.undo()
        await session.goto(record.id)
        assert [item.status async for item in memories.all() if item.kind == "fact"] == ["archived"]


@pytest.mark.parametrize("code", ["en", "zh"])
def test_the_commands(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HARNESS_STORAGE_PATH", str(tmp_path / "sessions.db"))

    def run(*arguments: str, stdin: str | None = None, expected: int = 0) -> str:
        result = CliRunner().invoke(app, ["memory", *arguments], input=stdin)
        assert result.exit_code == expected, (result.output, result.exception)
        return result.output

    lines = "\n".join(item.model_dump_json() for item in stored(code))
    run("import", "-", stdin=lines)
    shown = run("review", "--days", "90")
    assert TEXTS[code]["old"][:4] in shown
    assert "see --apply" in shown
    listed = json.loads(run("review", "--json", "--user", "nora"))
    assert ([item["id"] for item in listed["unused"]], listed["done"]) == (["old"], {})
    done = json.loads(run("review", "--json", "--user", "nora", "--apply", "archive"))["done"]
    assert done == {"expired": 1, "archived": 1}
    assert "known again" in run("restore", "old")
    assert "Removed 0" in run("sweep")
    run("review", "--apply", "delete", stdin="n\n", expected=1)
    assert json.loads(run("review", "--json", "--apply", "delete", "--yes"))["done"] == {"expired": 0, "deleted": 2}
    assert "There is no memory" in run("show", "old", expected=1)


def test_forgetting_with_the_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HARNESS_STORAGE_PATH", str(tmp_path / "sessions.db"))
    monkeypatch.setenv("HARNESS_HOME", str(tmp_path))

    def run(*arguments: str, stdin: str | None = None, expected: int = 0) -> str:
        result = CliRunner().invoke(app, ["memory", "forget", *arguments], input=stdin)
        assert result.exit_code == expected, (result.output, result.exception)
        return result.output

    async def talk() -> None:
        async with Harness(load(), model=ScriptedModel("Mm.")) as harness:
            session = await harness.open("mia", session="s", user="nora")
            await session.say("My lighthouse is called Skarholm.")
            await session.settled()

    import asyncio

    asyncio.run(talk())
    (tmp_path / "chat_history").write_text("x", encoding="utf-8")
    assert "needs --user" in run("--journal", "--persona", "mia", expected=1)
    assert "delete 1 session" in run("--journal", "--user", "nora", stdin="n\n", expected=1)
    assert "see --journal" in run("--user", "nora", "--yes")
    said = run("--journal", "--user", "nora", "--yes")
    assert "deleted 1 session" in said
    assert "chat_history" in said
    assert not holding(tmp_path, b"Skarholm")
