"""Getting ready makes beforehand what the first question to memory would wait for, and asks nobody who may send a bill."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from harness.adapters.embedders.hashing import HashEmbedder
from harness.adapters.memories.ram import InProcessMemoryStore
from harness.app import Harness
from harness.errors import ModelError
from harness.language import load_packs
from harness.memory.background import AT_ONCE, Background
from harness.ports import MemoryHits, MemoryQuery, Vector
from harness.settings import load
from harness.testing.scripted_model import ScriptedModel

PACKS = load_packs()
CODES = pytest.mark.parametrize("code", ["en", "zh"])
PERSONAS = {"en": "mia", "zh": "lin"}
SAID = {"en": "My lighthouse is called Skarholm.", "zh": "我的灯塔叫斯卡霍姆。"}
ASKED = {"en": "What is my lighthouse called?", "zh": "我的灯塔叫什么？"}
FILE = {"en": "The ferry does not run on Sundays.", "zh": "渡船星期天不开。"}


class Counting(HashEmbedder):
    """Remembers what it was asked."""

    def __init__(self) -> None:
        super().__init__(16)
        self.made: list[int] = []
        self.queries = 0
        self.fails = False

    async def passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        self.made.append(len(texts))
        await asyncio.sleep(0)
        if self.fails:
            raise ModelError("It is away.")
        return await super().passages(texts)

    async def query(self, text: str) -> Vector:
        self.queries += 1
        return await super().query(text)


class Elsewhere(Counting):
    runs_here = False


class Searched(InProcessMemoryStore):
    searches = 0

    async def search(self, query: MemoryQuery) -> MemoryHits:
        self.searches += 1
        return await super().search(query)


def harness(folder: Path, embedder: Counting, store: Searched) -> Harness:
    chosen = {
        "storage.backend": "memory",
        "graph.backend": "off",
        "memory.embedder": "hash",
        "harness.analysis": "rules",
        "harness.background": "false",
        "paths.memory": str(folder / "memory"),
    }
    made = Harness(load(environ={}, overrides=chosen), model=ScriptedModel("Mm, I see."), memory=store)
    made._memory._embedder = embedder
    return made


def write_file(folder: Path, code: str) -> None:
    (folder / "memory").mkdir()
    (folder / "memory" / "global.md").write_text(f"- {FILE[code]}\n", encoding="utf-8")


@CODES
async def test_the_first_question_finds_all_of_it_made(code: str, tmp_path: Path) -> None:
    embedder, store = Counting(), Searched()
    write_file(tmp_path, code)
    async with harness(tmp_path, embedder, store) as app:
        first = await app.open(PERSONAS[code], session="a", user="nora")
        await first.say(SAID[code])
    embedder = Counting()
    async with harness(tmp_path, embedder, store) as app:  # another program, with the store as the first one left it
        session = await app.open(PERSONAS[code], session="b", user="nora")
        await session.ready()
        sentences = len(PACKS.get(code).keeping.unrelated)
        assert sum(embedder.made) >= sentences + 1, "the sentences, and the line of the file"
        assert max(embedder.made) <= AT_ONCE, "a question comes in between"
        assert embedder.queries == 1
        searched = store.searches
        made = list(embedder.made)
        await session.ready()
        assert embedder.made == made, "once"
        assert store.searches > searched
        await session.say(ASKED[code])
        await session.settled()
        assert sum(embedder.made[len(made) :]) < AT_ONCE, "what the turn itself leaves"
        shown = [
            one.text for layer in (await session.report()).context.layers for one in layer.items if not one.dropped
        ]
        assert any(SAID[code].rstrip(".。") in text for text in shown)


@CODES
async def test_an_embedder_elsewhere_is_asked_nothing(code: str, tmp_path: Path) -> None:
    embedder, store = Elsewhere(), Searched()
    write_file(tmp_path, code)
    async with harness(tmp_path, embedder, store) as app:
        await store.embed(embedder.space, {})
        session = await app.open(PERSONAS[code], session="a", user="nora")
        await session.ready()
        assert (embedder.made, embedder.queries) == ([], 0)
        assert store.searches == 1, "the vectors of the store are read all the same"


@CODES
async def test_what_fails_is_left_to_the_question(code: str, tmp_path: Path) -> None:
    embedder, store = Counting(), Searched()
    async with harness(tmp_path, embedder, store) as app:
        session = await app.open(PERSONAS[code], session="a", user="nora")
        embedder.fails = True
        await session.ready()
        embedder.fails = False
        await session.ready()
        assert sum(embedder.made) >= len(PACKS.get(code).keeping.unrelated)
        await store.close()
        await session.ready()


@CODES
async def test_a_question_meanwhile_makes_nothing_twice(code: str) -> None:
    embedder, background = Counting(), Background()
    query = await embedder.query(ASKED[code])
    readying = asyncio.create_task(background.ready(embedder, PACKS, code))
    await asyncio.sleep(0)
    spreads = await background.spreads(query, embedder, PACKS, [code])
    await readying
    assert sum(embedder.made) == len(PACKS.get(code).keeping.unrelated)
    alone = await Background().spreads(query, HashEmbedder(16), PACKS, [code])
    assert spreads == alone


class Short(Counting):
    """Gives fewer vectors than it was given texts."""

    async def passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        return (await super().passages(texts))[:-1]


async def test_an_embedder_that_gives_too_few_is_not_asked_for_ever() -> None:
    embedder = Short()
    await asyncio.wait_for(Background().ready(embedder, PACKS, "en"), 5)
    assert sum(embedder.made) == len(PACKS.get("en").keeping.unrelated)
