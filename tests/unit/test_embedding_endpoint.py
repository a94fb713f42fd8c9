"""The embedder of an endpoint, end to end over HTTP: what is found, and that no fault of it costs a word."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from harness.adapters.memories.ram import InProcessMemoryStore
from harness.adapters.memories.sqlite import SQLiteMemoryStore
from harness.app import Harness
from harness.errors import ModelError
from harness.ports import EmbeddingSpace, MemoryFilter, MemoryStore, Vector
from harness.settings import load
from harness.state import TurnRecord
from harness.state.memory import Scope
from harness.testing.scripted_model import ScriptedModel
from harness.testing.scripted_server import Answer, Embeddings, Received, ScriptedServer

EVERYTHING = MemoryFilter(everything=True, statuses=())
TOLD = {
    "en": ("The ferry to Leeds leaves from pier nine.", "Which pier has ferries?", "mia"),
    "zh": ("去利兹的渡轮从九号码头出发。", "渡轮在哪个码头？", "lin"),
}


@asynccontextmanager
async def running(
    embeddings: Embeddings, store: MemoryStore, folder: Path
) -> AsyncIterator[tuple[ScriptedServer, Harness]]:
    """A harness whose embeddings come from a server."""
    async with ScriptedServer(embeddings=embeddings) as server:
        settings = load(
            start=folder,
            environ={},
            overrides={
                "storage.backend": "memory",
                "harness.analysis": "rules",
                "harness.background": "false",
                "provider.base_url": server.base_url,
                "provider.max_attempts": 1,
                "models.responder": "test-model",
                "models.embedder": "tiny-embedder",
                "memory.embedder": "openai",
            },
        )
        async with Harness(settings, model=ScriptedModel("All right."), memory=store) as harness:
            yield server, harness


async def told(harness: Harness, text: str, persona: str, session: str) -> TurnRecord:
    opened = await harness.open(persona, session=session, user="nora")
    await opened.say(text)
    await opened.settled()
    return await opened.report()


def known(record: TurnRecord) -> list[str]:
    layers = [layer for layer in record.context.layers if layer.block == "memory"]
    return [item.text for layer in layers for item in layer.items if not item.dropped]


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_what_was_said_is_embedded_and_found(tmp_path: Path, code: str) -> None:
    line, question, persona = TOLD[code]
    store = InProcessMemoryStore()
    async with running(64, store, tmp_path) as (server, harness):
        await told(harness, line, persona, "s1")
        assert await store.space() == EmbeddingSpace("tiny-embedder", 64)
        record = await told(harness, question, persona, "s2")
        assert line in known(record)
        stats = await store.stats()
        assert stats.vectors == stats.items > 0
        asked = [request.body for request in server.requests if request.route == "/v1/embeddings"]
        assert {body["model"] for body in asked} == {"tiny-embedder"}
        assert any(question in body["input"] for body in asked)
        assert not record.context.warnings


FAULTS: dict[str, tuple[Embeddings, str]] = {
    "nothing but zeros": (lambda request: [[0.0] * 8 for _ in request.body["input"]], "cannot be compared"),
    "too few": (lambda _: [[1.0, 0.0]] * 9, "vectors"),
    "not numbers": (lambda _: Answer(body={"data": [{"embedding": "AAAA"}]}), "vector"),
    "an error": (lambda _: Answer(status=500), "500"),
    "no such route": (lambda _: Answer(status=404), "404"),
    "a broken connection": (lambda _: Answer(drop_after=0), ""),
    "a page": (lambda _: Answer(body="<html>hello</html>"), ""),
}


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_costs_no_word_and_is_told(tmp_path: Path, fault: str, code: str) -> None:
    embeddings, words = FAULTS[fault]
    line, question, persona = TOLD[code]
    store = InProcessMemoryStore()
    async with running(embeddings, store, tmp_path) as (server, harness):
        await told(harness, line, persona, "s1")
        stored = await store.browse(EVERYTHING)
        assert line in [item.text for item in stored]
        assert (await store.stats()).vectors == 0
        record = await told(harness, question, persona, "s2")
        assert line in known(record)
        assert any(words in warning for warning in record.context.warnings)
        note = await harness.memories().note(line + "!", scope=Scope(user="nora"))
        assert await store.get([note.id])
        found = await harness.memories().search(question, scope=Scope(user="nora"))
        assert line + "!" in [one.item.text for one in found.items]
        assert any("by meaning" in warning for warning in found.warnings)
        server.embeddings = 8
        assert await harness.memories().reindex() == (await store.stats()).items


async def test_a_length_that_changes_midway_costs_no_word(tmp_path: Path) -> None:
    line, question, persona = TOLD["zh"]
    store = InProcessMemoryStore()
    async with running(16, store, tmp_path) as (server, harness):
        await told(harness, "你好，我今天刚到利兹。", persona, "s1")
        vectors = (await store.stats()).vectors
        server.embeddings = 24
        record = await told(harness, line, persona, "s2")
        assert any("stored without a vector" in write.reason and "24" in write.reason for write in record.memory)
        assert line in [item.text for item in await store.browse(EVERYTHING)]
        assert (await store.stats()).vectors == vectors
        record = await told(harness, question, persona, "s3")
        assert line in known(record)
        assert any("numbers" in warning for warning in record.context.warnings)
    async with running(24, store, tmp_path) as (_, harness):  # as after a restart
        record = await told(harness, question, persona, "s4")
        assert line in known(record)
        assert any("16 numbers" in warning and "(24)" in warning for warning in record.context.warnings)
        await harness.memories().reindex()
        stats = await store.stats()
        assert (stats.vectors, stats.space) == (stats.items, EmbeddingSpace("tiny-embedder", 24))
        assert not (await told(harness, question, persona, "s5")).context.warnings


async def test_vectors_of_several_lengths_in_one_answer_cost_no_word(tmp_path: Path) -> None:
    line, question, persona = TOLD["en"]
    store = InProcessMemoryStore()

    def uneven(request: Received) -> Sequence[Vector]:
        return [[1.0] * (3 + at) for at in range(len(request.body["input"]))]

    async with running(uneven, store, tmp_path) as (_, harness):
        await told(harness, f"{line} My cat is called Bean.", persona, "s1")
        stored = await store.browse(EVERYTHING)
        assert len(stored) > 1
        assert (await store.stats()).vectors == 0
        assert any(line in text for text in known(await told(harness, question, persona, "s2")))


async def test_reindexing_goes_on_where_it_was_cut_off(tmp_path: Path) -> None:
    store = SQLiteMemoryStore(tmp_path / "memory.db")
    calls = 0

    def twice(request: Received) -> Answer | Sequence[Vector]:
        nonlocal calls
        calls += 1
        return Answer(status=500) if calls == 2 else [[1.0, 2.0]] * len(request.body["input"])

    async with running(twice, store, tmp_path) as (_, harness):
        memories = harness.memories()
        without = Harness(load(environ={}), model=ScriptedModel("."), memory=store)
        for number in range(100):
            await without.memories().note(f"第{number}条 number {number}", scope=Scope())
        with pytest.raises(ModelError):
            await memories.reindex()
        assert (await store.stats()).vectors == 64
        steps: list[tuple[int, int]] = []
        assert await memories.reindex(lambda done, total: steps.append((done, total))) == 36
        assert steps == [(36, 100)]
    await store.close()
