"""Changes by hand: what they do to facts, to what a session undid meanwhile, and what forgetting, importing and reindexing leave."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from harness.adapters.embedders.hashing import HashEmbedder
from harness.adapters.memories.ram import InProcessMemoryStore
from harness.cli.main import app
from harness.errors import InputError, StoreError
from harness.memory import Memories
from harness.memory.reviewing import archive
from harness.ports import MemoryEntry, MemoryFilter, Vector
from harness.state.memory import MemoryItem, Scope
from tests.unit._context import content, harness_with, talked

BOTH = pytest.mark.parametrize("code", ["en", "zh"])
SAID = {"en": ("Good morning!", "My cat is called Bean."), "zh": ("早上好！", "我的猫叫豆包。")}
BEAN = {"en": "Bean", "zh": "豆包"}
ASKED = {"en": "What is my cat called?", "zh": "我的猫叫什么？"}


async def facts(memories: Memories, word: str) -> list[MemoryItem]:
    return [item async for item in memories.all() if item.attribute and word in item.text]


class Meanwhile(InProcessMemoryStore):
    """Something happens between reading an item and writing it."""

    happens: Callable[[], object] | None = None

    async def put(self, entries: Sequence[MemoryEntry]) -> None:
        if (happens := self.happens) is not None:
            self.happens = None
            await happens()  # type: ignore[misc]  # awaitable
        await super().put(entries)


@BOTH
@pytest.mark.parametrize("how", ["pin", "edit", "archive"])
async def test_what_a_session_undid_meanwhile_stays_undone(code: str, how: str) -> None:
    store = Meanwhile()
    async with harness_with(code, memory=store) as harness:
        session, _ = await talked(harness, code, *SAID[code])
        memories = harness.memories()
        (item,) = await facts(memories, BEAN[code])
        store.happens = session.undo
        if how == "pin":
            assert (await memories.pin(item.id)).status == "hidden"
        elif how == "edit":
            assert (await memories.edit(item.id, SAID[code][1].replace(BEAN[code], "Bob"))).status == "hidden"
        else:
            await archive(memories, (item,))
            assert (await memories.item(item.id)).status == "hidden"
        _, record = await talked(harness, code, ASKED[code], session="second")
        assert BEAN[code] not in content(record)
        assert "Bob" not in content(record)


async def test_what_was_deleted_meanwhile_stays_deleted() -> None:
    store = Meanwhile()
    async with harness_with(memory=store) as harness:
        memories = harness.memories()
        note = await memories.note("The ferry leaves at nine.", scope=Scope())
        store.happens = lambda: store.delete([note.id])
        with pytest.raises(InputError, match="no memory"):
            await memories.pin(note.id)
        assert await store.get([note.id]) == ()


@pytest.mark.parametrize(
    ("code", "text", "shown"),
    [
        ("en", "My cat is called Bob.", "Bob"),
        ("en", "a cat called Bob", "Bob"),
        ("zh", "我的猫叫芝麻。", "芝麻"),
        ("zh", "我养了一只叫芝麻的猫", "芝麻"),
    ],
)
async def test_a_fact_is_read_from_its_new_words(code: str, text: str, shown: str) -> None:
    async with harness_with(code) as harness:
        await talked(harness, code, *SAID[code])
        (item,) = await facts(harness.memories(), BEAN[code])
        made = await harness.memories().edit(item.id, text)
        assert shown in made.value
        assert made.value != text
        _, record = await talked(harness, code, ASKED[code], session="second")
        assert shown in content(record)
        assert BEAN[code] not in content(record)


@pytest.mark.parametrize(
    ("code", "text"),
    [("en", "Her cat is called Bob"), ("en", "The weather is nice"), ("zh", "她的猫叫芝麻"), ("zh", "今天天气很好")],
)
async def test_a_sentence_that_says_nothing_of_it_is_refused(code: str, text: str) -> None:
    async with harness_with(code) as harness:
        await talked(harness, code, *SAID[code])
        (item,) = await facts(harness.memories(), BEAN[code])
        with pytest.raises(InputError, match=r"does not say what .* is about"):
            await harness.memories().edit(item.id, text)
        assert await harness.memories().item(item.id) == item


@BOTH
async def test_imported_memories_without_a_key_are_told_apart(code: str) -> None:
    texts = {
        "en": ("The boat needs paint.", "The boat is in the harbour."),
        "zh": ("那条船要刷漆。", "那条船停在码头。"),
    }[code]
    lines = [
        MemoryItem(id=f"z{number}", layer="L3", kind="note", text=text, scope=Scope(user="nora"), language=code)
        for number, text in enumerate(texts)
    ]
    question = {"en": "What about the boat?", "zh": "那条船怎么样了？"}[code]
    async with harness_with(code) as harness:
        await harness.memories().load([line.model_dump_json() for line in lines])
        assert all([item.key async for item in harness.memories().all()])
        _, record = await talked(harness, code, question)
        assert all(text in content(record) for text in texts)
        # Such as stand in a store that another program filled.
        await harness.memories().shared.store.put(
            [MemoryEntry(line, harness.memories().terms_of(line)) for line in lines]
        )
        _, record = await talked(harness, code, question, session="second")
        assert all(text in content(record) for text in texts)


class Partly(HashEmbedder):
    """Makes nothing of some texts: a vector of no length, or none at all."""

    def __init__(self, *, left_out: bool) -> None:
        super().__init__()
        self.left_out = left_out

    async def passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        made = await super().passages(texts)
        bad = [[0.0] * 256 if "bad" in text else vector for text, vector in zip(texts, made, strict=True)]
        return [vector for vector in bad if any(vector)] if self.left_out else bad


async def test_reindex_makes_what_can_be_made_and_names_the_rest() -> None:
    async with harness_with() as harness:
        memories = harness.memories()
        for text in ("good one here", "a bad one here", "another good one", *(f"bad {number}" for number in range(70))):
            await memories.note(text, scope=Scope())
        bound = replace(memories, shared=replace(memories.shared, embedder=Partly(left_out=False)))
        with pytest.raises(StoreError, match=r"71 vectors .*; 2 others were made"):
            await bound.reindex()
        assert (await memories.stats()).vectors == 2
        with pytest.raises(StoreError, match="71 vectors"):
            await bound.reindex()
        short = replace(memories, shared=replace(memories.shared, embedder=Partly(left_out=True)))
        with pytest.raises(StoreError, match=r"Expected \d+ vectors"):
            await asyncio.wait_for(short.reindex(), 20)


async def test_marks_of_what_was_forgotten_are_not_counted() -> None:
    async with harness_with() as harness:
        await talked(harness, "en", *SAID["en"])
        memories = harness.memories()
        kept = await memories.note("The ferry leaves at nine.", scope=Scope())
        await memories.forget(MemoryFilter(everything=True, scope=Scope(user="nora"), statuses=()))
        stats = await memories.stats()
        assert [item.id async for item in memories.all()] == [kept.id]
        assert (stats.items, stats.by_kind, stats.by_layer, stats.by_status) == (
            1,
            {"note": 1},
            {"L3": 1},
            {"active": 1},
        )


@pytest.mark.parametrize(("name", "text"), [("nosuch", "He rows."), ("查无此人", "他划船。")])
def test_a_note_for_nobody_who_is_known_says_so(
    name: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HARNESS_STORAGE_PATH", str(tmp_path / "sessions.db"))
    said = CliRunner().invoke(app, ["memory", "note", text, "--persona", name])
    assert said.exit_code == 0
    assert f"No character {name!r}" in said.stderr
    known = CliRunner().invoke(app, ["memory", "note", text, "--persona", "Mia", "--json"])
    assert known.stderr == ""
    assert json.loads(known.stdout)["scope"]["persona"] == "mia"
