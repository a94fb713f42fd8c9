"""Checks of putting, reading, replacing, counting and removing items."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from harness.errors import StoreError
from harness.ports.memories import MemoryQuery
from harness.state.memory import MemoryItem, Scope
from harness.testing.conformance._memory_storage import (
    ANYTHING,
    NOON,
    SPACE,
    MemoryCheck,
    MemoryStorage,
    by_vector,
    by_words,
    entry,
    for_user,
    item,
    later,
    names,
    point,
)
from harness.testing.conformance._suite import expect, expect_equal, expect_raises

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from harness.ports.memories import MemoryStore

FULL = MemoryItem(
    id="full",
    layer="L3",
    kind="preference",
    text="我对芒果过敏 — mangos 🥭 are out",
    scope=Scope(persona="xiaoyu", user="ann", session="s1", task="t", project="p", world="w"),
    subject="user",
    speaker="Ann",
    attribute="allergy",
    value="芒果",
    polarity=False,
    single=True,
    session="s1",
    turn_id="turn-3",
    turn=3,
    place=7,
    quote="对芒果过敏",
    source="import",
    language="zh",
    at=NOON,
    when="昨天",
    when_at=later(days=-1),
    importance=0.9,
    seen=2,
    pinned=True,
    uses=4,
    last_used_at=later(hours=1),
    expires_at=later(days=30),
    status="archived",
    key="allergy:芒果",
    task="t",
    put_away="turn-9",
    origin="user/安.md:12",
)


async def put_then_get(storage: MemoryStorage) -> None:
    """Items are read back equal, every field of them, in the order asked for, each once; unknown ids are left out."""
    store = storage.store
    plain = item("plain")
    await store.put([entry("plain"), entry(FULL.id, **FULL.model_dump(exclude={"id"}))])
    expect_equal(await store.get(["full", "nobody", "plain", "full"]), (FULL, plain), "get()")
    expect_equal(await store.get([]), (), "get() of nothing")
    expect_equal(await store.get(["nobody"]), (), "get() of an unknown id")


async def put_twice_changes_nothing(storage: MemoryStorage) -> None:
    """The same entries again leave items, frequencies and counts as they were."""
    store = storage.store
    entries = [entry("a", "red red apple"), entry("b", "green apple")]
    query = MemoryQuery(ANYTHING, ("apple", "red"))
    await store.put(entries)
    before = await store.browse(ANYTHING), await store.stats(), await _found(storage, query)
    await store.put(entries)
    await store.put(entries[::-1])
    after = await store.browse(ANYTHING), await store.stats(), await _found(storage, query)
    expect_equal(after[0], before[0], "items after putting them again")
    expect_equal(after[1].items, before[1].items, "the number of items after putting them again")
    expect_equal(after[2], before[2], "what is found after putting them again")


async def put_replaces(storage: MemoryStorage) -> None:
    """An item of a known id takes the place of the old one, in every way it can be found."""
    store = storage.store
    await store.put([entry("a", "red apple", scope=Scope(user="ann"), key="k1", attribute="likes", value="apples")])
    new = entry("a", "green pear", scope=Scope(user="bob"), key="k2", attribute="likes", value="pears", kind="fact")
    await store.put([new])
    expect_equal(await store.get(["a"]), (new.item,), "the item after replacing it")
    expect_equal(await by_words(store, "apple red"), [], "found by its old words")
    expect_equal(await by_words(store, "pear"), ["a"], "found by its new words")
    expect_equal(await by_words(store, "pear", for_user("ann")), [], "found in its old scope")
    expect_equal(await by_words(store, "pear", for_user("bob")), ["a"], "found in its new scope")
    expect_equal(names(await store.with_keys(["k1"], ANYTHING)), [], "found by its old key")
    expect_equal(names(await store.with_keys(["k2"], ANYTHING)), ["a"], "found by its new key")
    expect_equal(names(await store.of_slots([("", "likes", "apples")], ANYTHING)), [], "found by its old slot")
    expect_equal(names(await store.of_slots([("", "likes", "pears")], ANYTHING)), ["a"], "found by its new slot")
    stats = await store.stats()
    expect_equal((stats.items, dict(stats.by_kind)), (1, {"fact": 1}), "stats() after replacing an item")


async def last_of_one_put_wins(storage: MemoryStorage) -> None:
    """Of two entries with one id in the same call the later is stored."""
    store = storage.store
    await store.put([entry("a", "first"), entry("b", "beside"), entry("a", "second")])
    expect_equal([found.text for found in await store.get(["a", "b"])], ["second", "beside"], "texts")
    expect_equal(await by_words(store, "first"), [], "found by the words of the earlier")
    expect_equal((await store.stats()).items, 2, "the number of items")


async def put_is_whole_or_not_at_all(storage: MemoryStorage) -> None:
    """When one of several entries cannot be stored, none is."""
    store = storage.store
    await store.put([entry("old", "old text")])
    broken = entry("bad")
    broken = type(broken)(broken.item.model_copy(update={"layer": "L9"}), broken.terms)
    await expect_raises(
        StoreError, store.put([entry("old", "new text"), broken, entry("c")]), "put() of an invalid item"
    )
    surrogate = type(broken)(item("s").model_copy(update={"text": "\ud800"}))
    await expect_raises(StoreError, store.put([entry("d"), surrogate]), "put() of text that is not Unicode")
    wrong = entry("v", vector=(1.0, 0.0))
    await store.embed(SPACE, {})
    await expect_raises(StoreError, store.put([entry("e"), wrong]), "put() of a vector of other dimensions")
    await expect_raises(StoreError, store.follow("s1", "t1", put=[entry("f"), broken]), "follow() with an invalid item")
    expect_equal([found.text for found in await store.browse(ANYTHING)], ["old text"], "texts after refused writes")
    expect_equal(await store.followed("s1"), None, "followed() after a refused follow()")


async def uses_are_counted(storage: MemoryStorage) -> None:
    """used() counts each item once a call, the same moment once, and unknown items not at all."""
    store = storage.store
    await store.put([entry("a"), entry("b")])
    await store.used(["a", "a", "nobody"], NOON)
    await store.used(["a"], NOON)
    a, b = await store.get(["a", "b"])
    expect_equal((a.uses, a.last_used_at), (1, NOON), "uses after one moment")
    expect_equal((b.uses, b.last_used_at), (0, None), "uses of another item")
    await store.used(["a", "b"], later(hours=1))
    a, b = await store.get(["a", "b"])
    expect_equal((a.uses, a.last_used_at), (2, later(hours=1)), "uses after two moments")
    expect_equal((b.uses, b.last_used_at), (1, later(hours=1)), "uses of the other item")
    await store.used(["a"], later(minutes=5))
    expect_equal((await store.get(["a"]))[0].last_used_at, later(hours=1), "last_used_at after an earlier moment")
    await store.used([], NOON)


async def put_keeps_uses(storage: MemoryStorage) -> None:
    """Writing an item again does not take back how often it was used, whether its words change or not."""
    store = storage.store
    await store.put([entry("a", "one")])
    await store.used(["a"], NOON)
    for text in ("one", "two words", "two words"):
        await store.put([entry("a", text, uses=0, seen=2)])
        found = (await store.get(["a"]))[0]
        expect_equal((found.text, found.uses, found.last_used_at, found.seen), (text, 1, NOON, 2), "the item put again")
    hits = (await store.search(MemoryQuery(ANYTHING, ("two",)))).hits
    expect_equal([hit.item.uses for hit in hits], [1], "uses in what a search finds")


async def a_change_by_hand_keeps_what_became_of_the_item(storage: MemoryStorage) -> None:
    """put() of an item that is changed leaves a status that it was not read with, and stores nothing when the item is gone."""
    store = storage.store
    await store.put([entry(name, session="s", turn_id="t") for name in ("a", "b", "c")])
    await store.follow("s", "", hide=["t"])
    await store.delete(["c"])
    changed = [
        entry(name, text, session="s", turn_id="t", pinned=True)
        for name, text in (("a", "a"), ("b", "new"), ("c", "c"))
    ]
    await store.put([replace(one, read_as="active") for one in changed])
    found = {one.id: (one.text, one.pinned, one.status) for one in await store.get(["a", "b", "c"])}
    expect_equal(found, {"a": ("a", True, "hidden"), "b": ("new", True, "hidden")}, "items that were hidden or deleted")
    expect_equal((await store.stats()).items, 2, "the number of items")
    await store.put([replace(one, read_as="hidden") for one in changed[:1]])
    expect_equal((await store.get(["a"]))[0].status, "active", "the status of an item that is as it was read")


async def browsing_in_pages(storage: MemoryStorage) -> None:
    """browse() goes through all items in order of their ids, page by page, each once, and applies the filter."""
    store = storage.store
    every = sorted(f"i{number:03}" for number in range(57))
    await store.put([entry(name, scope=Scope(user=("ann", "bob")[place % 2])) for place, name in enumerate(every)])
    for size in (1, 10, 57, 100):
        after, found = "", list[str]()
        while page := names(await store.browse(ANYTHING, after=after, limit=size)):
            expect(len(page) <= size, f"A page of {size} has {len(page)} items.")
            found += page
            after = page[-1]
        expect_equal(found, every, f"all pages of {size}")
    expect_equal(names(await store.browse(for_user("ann"), limit=3)), every[:6:2], "a page of one user")
    expect_equal(await store.browse(ANYTHING, limit=0), (), "a page of no items")
    expect_equal(len(await store.browse(ANYTHING)), 57, "a page of the default size")


async def stats_count(storage: MemoryStorage) -> None:
    """stats() counts items by layer, kind and status."""
    store = storage.store
    empty = await store.stats()
    expect_equal((empty.items, empty.vectors, empty.space), (0, 0, None), "stats() of an empty store")
    await store.put([entry("a"), entry("b", layer="L3", kind="fact"), entry("c", layer="L3", status="archived")])
    stats = await store.stats()
    expect_equal(stats.items, 3, "items")
    expect_equal(dict(stats.by_layer), {"L2": 1, "L3": 2}, "items by layer")
    expect_equal(dict(stats.by_kind), {"message": 2, "fact": 1}, "items by kind")
    expect_equal(dict(stats.by_status), {"active": 2, "archived": 1}, "items by status")
    expect(stats.size_bytes is None or stats.size_bytes > 0, f"size_bytes is {stats.size_bytes}.")


async def ids_and_texts_may_be_anything(storage: MemoryStorage) -> None:
    """Ids, scopes, keys and texts in any script, with quotes, emoji and percent signs, alike but for case, empty or very long."""
    store = storage.store
    odd = [
        "会话一",
        "🌸",
        "a/../b",
        'it\'s "quoted"',
        "100%",
        "a_b",
        "Case",
        "case",
        "é",
        "e\u0301",
        "a\nb",
        "nul\0in it",
        "ไทย",
    ]
    await store.put([entry(name, scope=Scope(user=name), key=name, session=name, turn_id=name) for name in odd])
    await store.put([entry("long", "word 很长 " * 40_000), entry("none").__class__(item("none", " "))])
    for name in odd:
        expect_equal(names(await store.get([name])), [name], f"get({name!r})")
        seen = names(await store.browse(for_user(name)))
        expect_equal(sorted(seen), sorted([name, "long", "none"]), f"what the user {name!r} sees")
        expect_equal(names(await store.with_keys([name], ANYTHING)), [name], f"with_keys({name!r})")
        await store.follow(name, name, hide=[name])
        expect_equal(await store.followed(name), name, f"followed({name!r})")
        expect_equal(
            names(await store.browse(for_user(name))), ["long", "none"], f"what {name!r} sees when it is hidden"
        )
    expect_equal(len((await store.get(["long"]))[0].text), 8 * 40_000, "the length of a long text")
    expect_equal(await by_words(store, "很长 word"), ["long"], "a long text found by its words")
    expect_equal(await store.delete(odd), len(odd), "what delete() counts")


async def use_after_close_is_refused(storage: MemoryStorage) -> None:
    """Every call after close() raises StoreError; closing twice is allowed."""
    store = storage.store
    await store.put([entry("a")])
    await store.close()
    await store.close()
    calls: dict[str, Callable[[], Awaitable[object]]] = {
        "put": lambda: store.put([entry("b")]),
        "follow": lambda: store.follow("s1", "t1"),
        "followed": lambda: store.followed("s1"),
        "get": lambda: store.get(["a"]),
        "search": lambda: store.search(MemoryQuery(ANYTHING, ("a",))),
        "around": lambda: store.around({"s1": [1]}, ANYTHING),
        "of_slots": lambda: store.of_slots([("a", "b", "c")], ANYTHING),
        "with_keys": lambda: store.with_keys(["k"], ANYTHING),
        "browse": lambda: store.browse(ANYTHING),
        "used": lambda: store.used(["a"], NOON),
        "delete": lambda: store.delete(["a"]),
        "forget": lambda: store.forget(ANYTHING),
        "space": store.space,
        "embed": lambda: store.embed(SPACE, {}),
        "unembedded": store.unembedded,
        "stats": store.stats,
    }
    for name, call in calls.items():
        await expect_raises(StoreError, call(), f"{name} after close()")


async def reopening_finds_everything(storage: MemoryStorage) -> None:
    """What was stored is there, equal, for another store and after closing (durable stores only)."""
    if storage.open is None:
        return
    store = storage.store
    await store.embed(SPACE, {})
    await store.put([entry("a", "red apple", vector=point(1, 1)), entry("b", "pear", session="s1", turn_id="t1")])
    await store.put([entry("gone", "red pear"), entry(FULL.id, **FULL.model_dump(exclude={"id"}))])
    await store.follow("s1", "t2", put=[entry("c", "plum", session="s1", turn_id="t2")], hide=["t1"])
    await store.used(["a"], NOON)
    await store.delete(["gone"])
    before = await _everything(store)
    beside = storage.second()
    expect_equal(await _everything(beside), before, "what a second store beside the first sees")
    await beside.close()
    await store.close()
    again = storage.second()
    expect_equal(await _everything(again), before, "what is there after reopening")
    await again.put([entry("d", "red")])
    expect_equal(sorted(await by_words(again, "red")), ["a", "d"], "found by words after a write of the reopened store")


async def _everything(store: MemoryStore) -> object:
    stats = await store.stats()
    return (
        await store.browse(ANYTHING),
        await store.followed("s1"),
        await store.space(),
        await by_words(store, "red apple pear plum"),
        await by_vector(store, point(1)),
        (stats.items, dict(stats.by_layer), dict(stats.by_kind), dict(stats.by_status), stats.vectors),
    )


async def _found(storage: MemoryStorage, query: MemoryQuery) -> object:
    found = await storage.store.search(query)
    hits = sorted(((hit.item.id, round(hit.lexical, 9), hit.lexical_rank) for hit in found.hits), key=str)
    return hits, found.documents, dict(found.frequencies)


CHECKS: tuple[MemoryCheck, ...] = (
    put_then_get,
    put_twice_changes_nothing,
    put_replaces,
    last_of_one_put_wins,
    put_is_whole_or_not_at_all,
    uses_are_counted,
    put_keeps_uses,
    a_change_by_hand_keeps_what_became_of_the_item,
    browsing_in_pages,
    stats_count,
    ids_and_texts_may_be_anything,
    use_after_close_is_refused,
    reopening_finds_everything,
)
