"""Vectors beside memories: made for a fresh store, never compared with another model's, and no reason to lose a memory."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from harness.adapters.embedders.hashing import HashEmbedder
from harness.adapters.memories.ram import InProcessMemoryStore
from harness.app import Harness
from harness.errors import ModelError
from harness.memory.embedding import embedded, query_vector
from harness.ports import EmbeddingSpace, Vector
from harness.settings import load
from harness.state.memory import Scope
from harness.testing.scripted_model import ScriptedModel

FRAGMENTS = {
    "en": (
        "The user wants the sales of the third quarter of 2024 analysed, region by region.",
        "The eastern region sold 12 million in the third quarter, 15 % more than the year before.",
        "The southern region sold 8 million in the third quarter, 3 % less than the year before.",
    ),
    "zh": (
        "用户需要分析2024年Q3的销售数据，重点看各大区的差异",
        "华东区Q3销售额为1200万，同比增长15%",
        "华南区Q3销售额为800万，同比下降3%",
    ),
}
QUESTIONS = {"en": "How much did the eastern region sell?", "zh": "华东区卖了多少"}
SCOPE = Scope(persona="lin", user="nora")


class Wrong(HashEmbedder):
    """Gives vectors of another length than it says."""

    async def passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        return [[1.0, 0.0] for _ in texts]

    async def query(self, text: str) -> Vector:
        return (await self.passages([text]))[0]


class Away(HashEmbedder):
    """Does not answer."""

    async def passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        raise ModelError(f"no answer for {len(texts)} texts")

    async def query(self, text: str) -> Vector:
        raise ModelError(f"no answer for {text}")


@pytest.mark.parametrize("embedder", ["none", "hash"])
@pytest.mark.parametrize("code", ["en", "zh"])
async def test_the_fragment_that_answers_comes_first(code: str, embedder: str) -> None:
    """In a store that is still empty, too: the first note brings the embedding space with it."""
    settings = load(environ={}, overrides={"storage.backend": "memory", "memory.embedder": embedder})
    async with Harness(settings, model=ScriptedModel("Mm.")) as harness:
        memories = harness.memories()
        for text in FRAGMENTS[code]:
            await memories.note(text, scope=SCOPE)
        found = await memories.search(QUESTIONS[code], scope=SCOPE)
    assert found.items[0].item.text == FRAGMENTS[code][1]
    assert found.warnings == ()


@pytest.mark.parametrize("embedder", [Wrong(), Away()], ids=["wrong length", "no answer"])
async def test_no_vector_is_no_reason_to_lose_a_memory(embedder: HashEmbedder) -> None:
    store = InProcessMemoryStore()
    vectors, trouble = await embedded(embedder, store, ["a", "b"])
    assert list(vectors) == [None, None]
    assert trouble
    await store.embed(HashEmbedder().space, {})
    vector, trouble = await query_vector(embedder, store, "a")
    assert vector is None
    assert trouble.startswith("nothing was looked for by meaning")


async def test_another_models_vectors_are_not_compared() -> None:
    store = InProcessMemoryStore()
    await store.embed(EmbeddingSpace("another", 256), {})
    vectors, trouble = await embedded(HashEmbedder(), store, ["a"])
    assert list(vectors) == [None]
    assert "'another'" in trouble
    vector, trouble = await query_vector(HashEmbedder(), store, "a")
    assert vector is None
    assert "'another'" in trouble


async def test_without_an_embedder_there_are_no_vectors_and_no_warnings() -> None:
    store = InProcessMemoryStore()
    assert await embedded(None, store, ["a"]) == ([None], "")
    assert await query_vector(None, store, "a") == (None, "")
