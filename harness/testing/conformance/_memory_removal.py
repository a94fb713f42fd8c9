"""Checks of removing items for good."""

from __future__ import annotations

from harness.ports.memories import MemoryFilter, MemoryQuery
from harness.state.memory import Scope
from harness.testing.conformance._memory_storage import (
    ANYTHING,
    SPACE,
    MemoryCheck,
    MemoryStorage,
    by_vector,
    by_words,
    entry,
    names,
    point,
)
from harness.testing.conformance._suite import expect_equal


async def delete_removes(storage: MemoryStorage) -> None:
    """delete() removes items in every way they can be found, counts those there were, and leaves the others."""
    store = storage.store
    await store.embed(SPACE, {})
    many = {"session": "s1", "turn_id": "t1", "place": 1, "key": "k", "attribute": "likes", "value": "tea"}
    await store.put([entry(name, f"{name} tea", vector=point(1), **many) for name in ("a", "b", "c")])
    expect_equal(await store.delete(["a", "b", "a", "nobody"]), 2, "what delete() counts")
    expect_equal(await store.delete(["a"]), 0, "what delete() counts the second time")
    expect_equal(await store.get(["a", "b", "c"]), await store.get(["c"]), "get() after delete()")
    expect_equal(await by_words(store, "tea a b"), ["c"], "found by words after delete()")
    expect_equal(await by_vector(store, point(1)), ["c"], "found by vector after delete()")
    expect_equal(names(await store.with_keys(["k"], ANYTHING)), ["c"], "with_keys() after delete()")
    expect_equal(names(await store.of_slots([("", "likes", "tea")], ANYTHING)), ["c"], "of_slots() after delete()")
    expect_equal(names(await store.around({"s1": [1]}, ANYTHING)), ["c"], "around() after delete()")
    found = await store.search(MemoryQuery(ANYTHING, ("tea", "a")))
    expect_equal((found.documents, dict(found.frequencies)), (1, {"tea": 1, "a": 0}), "frequencies after delete()")
    stats = await store.stats()
    expect_equal((stats.items, stats.vectors), (1, 1), "stats() after delete()")
    await store.put([entry("a", "again")])
    expect_equal((await store.get(["a"]))[0].uses, 0, "uses of an item that was deleted and written again")
    expect_equal(names(await store.unembedded()), ["a"], "items without a vector, after one was written again")


async def forget_matches_exactly(storage: MemoryStorage) -> None:
    """forget() removes what has the very scope fields that are named, whatever its others; the filter's other parts hold."""
    store = storage.store

    async def fill() -> None:
        await store.delete(names(await store.browse(ANYTHING)))
        await store.put(
            [
                entry("free"),
                entry("ann", scope=Scope(user="ann")),
                entry("ann-x", scope=Scope(user="ann", persona="x"), kind="fact", session="s1"),
                entry("ann-hidden", scope=Scope(user="ann", session="s9"), status="hidden"),
                entry("bob-x", scope=Scope(user="bob", persona="x"), session="s1"),
                entry("x", scope=Scope(persona="x")),
            ]
        )

    every = ["ann", "ann-hidden", "ann-x", "bob-x", "free", "x"]
    for where, gone in (
        (MemoryFilter(Scope(user="ann"), statuses=()), {"ann", "ann-x", "ann-hidden"}),
        (MemoryFilter(Scope(user="ann")), {"ann", "ann-x"}),
        (MemoryFilter(Scope(user="ann"), everything=True), {"ann", "ann-x"}),
        (MemoryFilter(Scope(persona="x"), statuses=()), {"ann-x", "bob-x", "x"}),
        (MemoryFilter(Scope(user="ann", persona="x"), statuses=()), {"ann-x"}),
        (MemoryFilter(Scope(user="ann"), kinds=("fact",)), {"ann-x"}),
        (MemoryFilter(everything=True, session="s1"), {"ann-x", "bob-x"}),
        (MemoryFilter(Scope(user="nobody"), statuses=()), set()),
        (MemoryFilter(statuses=()), {"free"}),
        (MemoryFilter(everything=True, layers=("L3",)), set()),
        (ANYTHING, set(every)),
    ):
        await fill()
        expect_equal(await store.forget(where), len(gone), f"what forget() counts for {where}")
        left = names(await store.browse(ANYTHING))
        expect_equal(left, [name for name in every if name not in gone], f"items after forget({where})")
        expect_equal(
            sorted(await by_words(store, " ".join(every))), sorted(left), f"found by words after forget({where})"
        )


CHECKS: tuple[MemoryCheck, ...] = (delete_removes, forget_matches_exactly)
