"""Checks of finding items by words, by vectors, and by both."""

from __future__ import annotations

import math
import random

from harness.errors import StoreError
from harness.ports.memories import (
    EmbeddingSpace,
    GivesVectors,
    MemoryEntry,
    MemoryFilter,
    MemoryHits,
    MemoryQuery,
)
from harness.state.memory import Scope
from harness.testing.conformance._memory_storage import (
    ANYTHING,
    NOON,
    SPACE,
    MemoryCheck,
    MemoryStorage,
    by_vector,
    by_words,
    entry,
    item,
    names,
    point,
    terms_of,
)
from harness.testing.conformance._suite import expect, expect_equal, expect_raises


def _close(found: float | None, expected: float, what: str, tolerance: float = 1e-5) -> None:
    expect(found is not None and abs(found - expected) <= tolerance, f"{what}: expected {expected}, found {found}.")


async def words_rank_by_bm25(storage: MemoryStorage) -> None:
    """More often, in a shorter text, a rarer word, more of the words: each comes first; what has none is not found."""
    store = storage.store
    await store.put([entry(f"filler{number}", "rain and more rain on the roof tonight") for number in range(20)])
    await store.put(
        [
            entry("once", "the lighthouse is closed on weekdays"),
            entry("twice", "the lighthouse beside the old lighthouse"),
            entry("long", "the lighthouse is closed on weekdays and on every holiday of the year but one"),
            entry("both", "the lighthouse in the rain"),
            entry("none", "an umbrella"),
        ]
    )
    expect_equal(await by_words(store, "lighthouse"), ["twice", "both", "once", "long"], "found for one rare word")
    found = await by_words(store, "lighthouse rain")
    expect_equal(len(found), 24, "how many are found for a rare and a common word")
    expect_equal(sorted(found[:4]), ["both", "long", "once", "twice"], "those with the rare word, before all others")
    expect(found.index("both") < found.index("once"), "A second word of the query does not count.")
    expect_equal(await by_words(store, "submarine"), [], "found for a word that nothing has")
    expect_equal(await by_words(store, ""), [], "found for no words")
    expect_equal(await by_words(store, "lighthouse", limit=2), ["twice", "both"], "the best two")
    expect_equal(await by_words(store, "lighthouse", limit=0), [], "the best none")


async def frequencies_are_of_what_may_be_seen(storage: MemoryStorage) -> None:
    """Documents and frequencies count what scope and layers admit, whatever the rest of the filter; a word that nothing has
    counts 0.
    """
    store = storage.store
    await store.put(
        [entry("a", "red red", status="hidden"), entry("b", "red blue", scope={"user": "ann"}), entry("c", "blue")]
    )
    await store.put([entry("d", "green", kind="fact", layer="L3")])
    ann, bob = Scope(user="ann"), Scope(user="bob")
    for where, documents, red, blue in (
        (ANYTHING, 4, 2, 2),
        (MemoryFilter(everything=True, kinds=("fact",)), 4, 2, 2),
        (MemoryFilter(kinds=("fact",)), 3, 1, 1),
        (MemoryFilter(ann, session="s7"), 4, 2, 2),
        (MemoryFilter(bob), 3, 1, 1),
        (MemoryFilter(ann, everything=True), 1, 1, 1),
        (MemoryFilter(ann, layers=("L2",)), 3, 2, 2),
        (MemoryFilter(ann, layers=("L3",)), 1, 0, 0),
        (MemoryFilter(layers=("L1",)), 0, 0, 0),
    ):
        found = await store.search(MemoryQuery(where, ("red", "blue", "red", "pink")))
        counted = (found.documents, dict(found.frequencies))
        expect_equal(counted, (documents, {"red": red, "blue": blue, "pink": 0}), f"for {where}")
    await store.put([entry("b", "blue blue")])
    found = await store.search(MemoryQuery(ANYTHING, ("red", "blue")))
    expect_equal(dict(found.frequencies), {"red": 1, "blue": 2}, "frequencies after an item changed")
    found = await store.search(MemoryQuery(MemoryFilter(bob), ("red", "blue")))
    expect_equal(
        (found.documents, dict(found.frequencies)), (4, {"red": 1, "blue": 2}), "of what has no limits any more"
    )


async def others_change_nothing(storage: MemoryStorage) -> None:
    """A thousand items of others change neither the order nor the scores of one's own, nor what they are counted over."""
    store = storage.store
    texts = (
        "the lighthouse in the rain",
        "rain and rain on the old roof",
        "a rainy lighthouse",
        "灯塔今天下雨",
        "下雨了下雨了",
    )
    await store.put([entry("free", "the lighthouse is old", layer="L3")])
    await store.put([entry(f"ann{n}", text, scope={"user": "ann"}) for n, text in enumerate(texts)])
    seen = MemoryFilter(Scope(user="ann", session="s1"))
    queries = [MemoryQuery(seen, tuple(terms_of(text))) for text in ("old lighthouse rain", "下雨的灯塔")]

    async def found() -> list[tuple[object, ...]]:
        told: list[tuple[object, ...]] = []
        for query in queries:
            hits = await store.search(query)
            ranked = sorted((hit.lexical_rank or 0, hit.item.id, hit.lexical) for hit in hits.hits)
            told.append((ranked, hits.documents, dict(hits.frequencies)))
        return told

    alone = await found()
    expect(all(one[0] for one in alone), f"Nothing of one's own is found: {alone}.")
    scopes = ({"user": "bob"}, {"user": "ann", "session": "s2"}, {"user": "ann", "project": "p"})
    for scope in scopes:
        # Longer than one's own, and with the words of the queries; so both what is rare and what is long would change.
        await store.put(
            [entry(f"{scope}{n}", f"lighthouse number {n} 下雨 {'lamp ' * (n % 40)}", scope=scope) for n in range(350)]
        )
    expect_equal(await found(), alone, "what is found of one's own beside a thousand items of others")
    await store.delete([f"{scopes[0]}{n}" for n in range(0, 350, 2)])
    await store.forget(MemoryFilter(Scope(user="ann", project="p"), statuses=()))
    expect_equal(await found(), alone, "what is found of one's own after those were removed")


async def many_common_words(storage: MemoryStorage) -> None:
    """Among many items that share most of a query's words, the one with the rare word as well comes first."""
    store = storage.store
    drawn = random.Random(5)
    common = [f"c{number}" for number in range(12)]
    for start in range(0, 3000, 500):
        await store.put(
            [MemoryEntry(item(f"i{start + place:04}"), tuple(drawn.sample(common, 9))) for place in range(500)]
        )
    await store.put([MemoryEntry(item("needle"), (*common[:9], "needle")), MemoryEntry(item("short"), ("needle",))])
    found = await store.search(MemoryQuery(ANYTHING, (*common, "needle"), limit=10))
    ranked = sorted((hit for hit in found.hits if hit.lexical_rank), key=lambda hit: hit.lexical_rank or 0)
    expect_equal([hit.lexical_rank for hit in ranked], list(range(1, 11)), "the ranks of the best ten")
    expect_equal(sorted(hit.item.id for hit in ranked[:2]), ["needle", "short"], "the first two")
    scores = [hit.lexical for hit in ranked]
    expect(scores == sorted(scores, reverse=True), f"The scores do not fall with the ranks: {scores}.")


async def chinese_is_found(storage: MemoryStorage) -> None:
    """Chinese, Thai, Arabic, Hindi, Korean words and accents are found as they are, and are kept apart."""
    store = storage.store
    await store.put(
        [
            entry("q3", "用户需要分析2024年Q3的销售数据"),
            entry("east", "华东区Q3销售额为1200万，同比增长15%"),
            entry("south", "华南区Q3销售额为800万，同比下降3%"),
            entry("one", "猫"),
            entry("resume", "my resume"),
            entry("résumé", "le résumé"),
        ]
    )
    expect_equal((await by_words(store, "华东区卖了多少"))[0], "east", "the first for 华东区")
    expect_equal(await by_words(store, "猫"), ["one"], "found for a single character")
    expect_equal(sorted(await by_words(store, "q3")), ["east", "q3", "south"], "found for Latin letters amid Chinese")
    expect_equal(await by_words(store, "résumé"), ["résumé"], "found with an accent")
    expect_equal(await by_words(store, "resume"), ["resume"], "found without an accent")
    for term in ("กาแฟ", "قهوة", "कॉफ़ी", "커피", "кофе", "ＡＢ", "𠮷野", "İstanbul", "ß", "x" * 500, "naïve", "a1b2"):
        await store.put([MemoryEntry(item(f"of {term}"), (term, "other"))])
        expect_equal(await by_words_exactly(storage, term), [f"of {term}"], f"found for {term!r}")
    expect_equal(await by_words_exactly(storage, "กา"), [], "found for part of a word")


async def by_words_exactly(storage: MemoryStorage, *terms: str) -> list[str]:
    """Ids of what is found by these terms."""
    found = await storage.store.search(MemoryQuery(ANYTHING, terms))
    return sorted(hit.item.id for hit in found.hits)


async def vectors_rank_by_cosine(storage: MemoryStorage) -> None:
    """The nearest come first, with their cosine; items without a vector are not found; mean and deviation are given."""
    store = storage.store
    await store.embed(SPACE, {})
    angles = {"same": 0.0, "near": 0.2, "far": 1.5, "opposite": math.pi}
    await store.put([entry(name, vector=point(math.cos(angle), math.sin(angle))) for name, angle in angles.items()])
    await store.put([entry("without")])
    found = await store.search(MemoryQuery(ANYTHING, vector=point(1)))
    hits = {hit.item.id: hit for hit in found.hits}
    expect_equal(
        {name: hit.vector_rank for name, hit in hits.items()}, dict(zip(angles, (1, 2, 3, 4), strict=True)), "ranks"
    )
    for name, angle in angles.items():
        _close(hits[name].cosine, math.cos(angle), f"the cosine of {name}")
        expect_equal((hits[name].lexical, hits[name].lexical_rank), (0.0, None), f"score and rank by words of {name}")
    cosines = [math.cos(angle) for angle in angles.values()]
    mean = sum(cosines) / 4
    _close(found.cosine_mean, mean, "cosine_mean")
    _close(found.cosine_deviation, math.sqrt(sum((value - mean) ** 2 for value in cosines) / 4), "cosine_deviation")
    expect_equal(found.vectors, 4, "how many vectors there are")
    expect_equal(await by_vector(store, point(1), limit=2), ["same", "near"], "the best two")
    without = await store.search(MemoryQuery(ANYTHING, ("near",)))
    expect_equal(
        (without.cosine_mean, without.cosine_deviation, without.vectors), (None, None, 0), "measures without a vector"
    )
    expect_equal([hit.cosine for hit in without.hits], [None], "the cosine without a vector")


async def both_ways_once(storage: MemoryStorage) -> None:
    """What words and vector both find is one hit with both ranks; each hit has both scores where it can have them."""
    store = storage.store
    await store.embed(SPACE, {})
    await store.put(
        [
            entry("both", "tea at noon", vector=point(1)),
            entry("word", "tea in the evening with milk", vector=point(0, 1)),
            entry("meaning", "a hot drink", vector=point(1, 0.1)),
            entry("plain", "cold tea and no vector"),
            entry("neither", "rain", vector=point(0, -1)),
        ]
    )
    found = await store.search(MemoryQuery(ANYTHING, ("tea",), point(1), limit=2))
    hits = {hit.item.id: hit for hit in found.hits}
    expect_equal(len(found.hits), len(hits), "hits, and different items among them")
    expect_equal(sorted(hits), ["both", "meaning", "plain"], "the best two by words and the best two by vector")
    expect_equal((hits["both"].lexical_rank, hits["both"].vector_rank), (1, 1), "ranks of what is found both ways")
    expect_equal(
        (hits["meaning"].lexical_rank, hits["meaning"].vector_rank), (None, 2), "ranks of what the vector found"
    )
    expect_equal((hits["plain"].lexical_rank, hits["plain"].vector_rank), (2, None), "ranks of what words found")
    expect_equal((hits["plain"].cosine, hits["meaning"].lexical), (None, 0.0), "scores that cannot be")
    found = await store.search(MemoryQuery(ANYTHING, ("tea",), point(1), limit=3))
    hits = {hit.item.id: hit for hit in found.hits}
    _close(hits["word"].cosine, 0.0, "the cosine of what words found")
    found = await store.search(MemoryQuery(ANYTHING, ("drink", "evening", "tea"), point(1), limit=1))
    first = {hit.item.id: hit for hit in found.hits}
    expect_equal(sorted(first), ["both", "word"], "the best by words and the best by vector")
    expect(0 < first["both"].lexical < first["word"].lexical, "What the vector found has no score by words.")
    expect_equal(first["both"].lexical_rank, None, "the rank by words of what only the vector found")


async def large_scan_is_exact(storage: MemoryStorage) -> None:
    """Among some thousand vectors the best fifty are those that exact cosines give, in that order."""
    store = storage.store
    space = EmbeddingSpace("wide", 24)
    await store.embed(space, {})
    drawn = random.Random(11)

    def direction() -> tuple[float, ...]:
        values = [drawn.gauss(0.3, 1) for _ in range(space.dimensions)]
        length = math.hypot(*values)
        return tuple(value / length for value in values)

    vectors = {f"v{number:04}": direction() for number in range(3000)}
    every = [MemoryEntry(item(name), (), vector) for name, vector in vectors.items()]
    for start in range(0, len(every), 1000):
        await store.put(every[start : start + 1000])
    for _ in range(5):
        asked = direction()
        cosines = {
            name: math.fsum(a * b for a, b in zip(asked, vector, strict=True)) for name, vector in vectors.items()
        }
        best = sorted(cosines, key=lambda name: -cosines[name])[:50]
        found = await by_vector(store, asked)
        same = sum(cosines[one] - cosines[two] < 1e-6 for one, two in zip(best, found, strict=True))
        expect(same >= 49, f"{50 - same} of the best 50 are not where exact cosines put them.")


async def a_space_is_one_model(storage: MemoryStorage) -> None:
    """Another model or other dimensions drop the vectors there are; vectors of other dimensions are refused."""
    store = storage.store
    expect_equal(await store.space(), None, "the space of a new store")
    await store.put([entry("a"), entry("b", status="hidden"), entry("c")])
    expect_equal(names(await store.unembedded()), ["a", "b", "c"], "items without a vector")
    await store.embed(SPACE, {"a": point(1), "b": point(0, 1), "nobody": point(1)})
    expect_equal(await store.space(), SPACE, "the space after embed()")
    expect_equal(names(await store.unembedded()), ["c"], "items without a vector after embed()")
    expect_equal((await store.stats()).vectors, 2, "how many vectors")
    await store.embed(SPACE, {"c": point(1, 1)})
    expect_equal(await by_vector(store, point(1)), ["a", "c", "b"], "found after a second embed() of the same space")
    for vector in ((1.0,), (0.6, 0.8), (*point(1), 0.0), (math.nan, 0.0, 0.0, 0.0), (2.0, 0.0, 0.0, 0.0)):
        await expect_raises(StoreError, store.search(MemoryQuery(ANYTHING, vector=vector)), f"search() by {vector}")
        await expect_raises(StoreError, store.embed(SPACE, {"a": vector}), f"embed() with {vector}")
        await expect_raises(StoreError, store.put([entry("a", vector=vector)]), f"put() with {vector}")
    for other in (EmbeddingSpace("other", 4), EmbeddingSpace("other", 2)):
        vector = (0.6, 0.8, 0.0, 0.0)[: other.dimensions]
        await store.embed(other, {"b": vector})
        expect_equal(await store.space(), other, "the space after it changed")
        expect_equal(names(await store.unembedded()), ["a", "c"], "items without a vector after the space changed")
        expect_equal(await by_vector(store, vector), ["b"], "found by vector after the space changed")
    expect_equal(names(await store.unembedded(limit=1)), ["a"], "the first item without a vector")


async def vectors_follow_texts(storage: MemoryStorage) -> None:
    """Put without a vector, an item keeps the one it has while its text is the same, and loses it with another text."""
    store = storage.store
    await store.embed(SPACE, {})
    await store.put([entry("a", "tea", vector=point(1)), entry("b", "rain", vector=point(0, 1))])
    await store.put([entry("a", "tea", seen=2), entry("b", "snow")])
    expect_equal(names(await store.unembedded()), ["b"], "items without a vector after putting them again")
    await store.put([MemoryEntry(item("a", "tea", layer="L3"), ("tea", "leaf"))])
    expect_equal(await by_vector(store, point(1)), ["a"], "found by vector after its layer and terms changed")
    await store.put([entry("a", "tea", vector=point(0, 0, 1)), entry("b", "snow", vector=point(1))])
    expect_equal(await by_vector(store, point(1)), ["b", "a"], "found by vector after new vectors")
    refused = store.search(MemoryQuery(ANYTHING, vector=(1.0,)))
    await expect_raises(StoreError, refused, "search() by a vector of other dimensions")


async def a_vector_needs_a_space(storage: MemoryStorage) -> None:
    """put() with a vector before any space was set is refused; a query's vector then finds nothing."""
    store = storage.store
    await expect_raises(StoreError, store.put([entry("a", vector=point(1))]), "put() of a vector without a space")
    await store.put([entry("a", at=NOON)])
    found: MemoryHits = await store.search(MemoryQuery(ANYTHING, ("a",), point(1)))
    expect_equal([(hit.item.id, hit.cosine) for hit in found.hits], [("a", None)], "found without a space")
    expect_equal((found.cosine_mean, found.cosine_deviation), (None, None), "mean and deviation without a space")
    await store.embed(SPACE, {})
    for where in (ANYTHING, MemoryFilter(everything=True, statuses=())):
        found = await store.search(MemoryQuery(where, vector=point(1)))
        expect_equal((found.hits, found.cosine_mean), ((), None), "hits and mean in a space without vectors")


async def vectors_are_given_back(storage: MemoryStorage) -> None:
    """A store that gives its vectors back gives those that were stored, also after an item was put again without one. A store that
    does not is moved without its vectors.
    """
    store = storage.store
    if not isinstance(store, GivesVectors):
        return
    expect_equal(dict(await store.vectors(["a"])), {}, "vectors of an empty store")
    await store.embed(SPACE, {})
    await store.put([entry("a", vector=point(1)), entry("b", vector=point(0, 1)), entry("c")])
    await store.put([entry("a")])
    found = await store.vectors(["a", "b", "c", "nobody", "a"])
    expect_equal(sorted(found), ["a", "b"], "ids whose vectors are given back")
    for name, vector in (("a", point(1)), ("b", point(0, 1))):
        for number, value in zip(found[name], vector, strict=True):
            _close(float(number), value, f"a number of the vector of {name!r}")
    await store.embed(EmbeddingSpace("other", 2), {})
    expect_equal(dict(await store.vectors(["a", "b"])), {}, "vectors after another space was set")


CHECKS: tuple[MemoryCheck, ...] = (
    vectors_are_given_back,
    words_rank_by_bm25,
    frequencies_are_of_what_may_be_seen,
    others_change_nothing,
    many_common_words,
    chinese_is_found,
    vectors_rank_by_cosine,
    both_ways_once,
    large_scan_is_exact,
    a_space_is_one_model,
    vectors_follow_texts,
    a_vector_needs_a_space,
)
