"""Checks of who may see what: scopes, and the other parts of a filter, in every method that takes one."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import timedelta, timezone
from typing import TYPE_CHECKING, Any

from harness.ports.memories import MemoryFilter
from harness.state.memory import SCOPE_FIELDS, Scope
from harness.testing.conformance._memory_storage import (
    NOON,
    SPACE,
    MemoryCheck,
    MemoryStorage,
    by_vector,
    by_words,
    entry,
    later,
    names,
    point,
)
from harness.testing.conformance._suite import expect_equal

if TYPE_CHECKING:
    from collections.abc import Collection

    from harness.ports.memories import MemoryStore

SHARED: dict[str, Any] = {
    "session": "s1",
    "turn_id": "t1",
    "place": 4,
    "key": "same",
    "attribute": "likes",
    "value": "tea",
}
"""What all items of a check have in common, so that every way of finding one would find all."""


async def _seen_by(store: MemoryStore, where: MemoryFilter) -> dict[str, list[str]]:
    """What each method shows, ids sorted."""
    found: dict[str, Collection[str]] = {
        "search by words": await by_words(store, "tea", where, limit=1000),
        "search by vector": await by_vector(store, point(1), where, limit=1000),
        "around": names(await store.around({"s1": [4], "s2": [4]}, where)),
        "of_slots": names(await store.of_slots([("", "likes", "tea")], where)),
        "with_keys": names(await store.with_keys(["same"], where)),
        "browse": names(await store.browse(where, limit=1000)),
    }
    return {method: sorted(ids) for method, ids in found.items()}


async def _expect_seen(store: MemoryStore, where: MemoryFilter, expected: Collection[str], what: str) -> None:
    for method, found in (await _seen_by(store, where)).items():
        expect_equal(found, sorted(expected), f"what {method} shows {what}")


async def scopes_never_cross(storage: MemoryStorage) -> None:
    """For every combination of limits of an item and of a query, an item is seen just when each of its limits was given."""
    store = storage.store
    await store.embed(SPACE, {})
    own = [
        Scope(persona=persona, user=user, session=session)
        for persona, user, session in itertools.product(("", "x", "y"), ("", "ann", "bob"), ("", "s1", "s2"))
    ]
    own += [Scope(user="ann", **{name: "1"}) for name in ("task", "project", "world")]
    scopes = {f"i{number:02}": scope for number, scope in enumerate(own)}
    await store.put(
        [entry(name, f"tea {name}", scope=scope, vector=point(1), **SHARED) for name, scope in scopes.items()]
    )
    asked = [*own, Scope(**dict.fromkeys(SCOPE_FIELDS, "1")), Scope(user="Ann"), Scope(user="ann ", persona="x")]
    for scope in asked:
        expected = [name for name, limits in scopes.items() if limits.admits(scope)]
        await _expect_seen(store, MemoryFilter(scope), expected, f"for {scope!r}")
    await _expect_seen(store, MemoryFilter(everything=True), scopes, "for everything")


async def values_of_fields_do_not_mix(storage: MemoryStorage) -> None:
    """The same word as user, as persona and as project means three things."""
    store = storage.store
    await store.embed(SPACE, {})
    for name in SCOPE_FIELDS:
        await store.put([entry(name, f"tea {name}", scope=Scope(**{name: "rose"}), vector=point(1), **SHARED)])
    for name in SCOPE_FIELDS:
        await _expect_seen(store, MemoryFilter(Scope(**{name: "rose"})), [name], f"for {name} rose")
    await _expect_seen(store, MemoryFilter(), [], "for a query that names nobody")


async def one_user_among_many(storage: MemoryStorage) -> None:
    """A query of one user finds the best of that user, however many better ones others have."""
    store = storage.store
    await store.embed(SPACE, {})
    await store.put(
        [
            entry(f"{user}-{number}", "tea tea tea", scope=Scope(user=user), vector=point(1, number / 100))
            for user in (f"u{other}" for other in range(40))
            for number in range(10)
        ]
    )
    mine = [
        entry(f"me-{number}", f"tea with {'much ' * number} milk", scope=Scope(user="me"), vector=point(1, 1 + number))
        for number in range(8)
    ]
    await store.put(mine)
    where = MemoryFilter(Scope(user="me", persona="x"))
    best = [f"me-{number}" for number in range(8)]
    expect_equal(await by_words(store, "tea", where, limit=5), best[:5], "the best five of a user by words")
    expect_equal(await by_vector(store, point(1), where, limit=5), best[:5], "the best five of a user by vector")
    expect_equal(await by_words(store, "tea", where), best, "all of a user by words")
    expect_equal(await by_vector(store, point(1), where), best, "all of a user by vector")


async def each_part_of_a_filter_holds(storage: MemoryStorage) -> None:
    """Layers, kinds, statuses, speaker, subject, session, pinned: each in every method, alone and together."""
    store = storage.store
    await store.embed(SPACE, {})
    base: dict[str, Any] = {**SHARED, "vector": point(1)}
    await store.put(
        [
            entry("plain", "tea", **base),
            entry("long-term", "tea", **{**base, "layer": "L3"}),
            entry("hidden", "tea", **{**base, "status": "hidden"}),
            entry("archived", "tea", **{**base, "status": "archived"}),
            entry("by-ann", "tea", **{**base, "speaker": "Ann"}),
            entry("other-session", "tea", **{**base, "session": "s2"}),
            entry("pinned", "tea", **{**base, "pinned": True}),
        ]
    )
    active = {"plain", "long-term", "by-ann", "other-session", "pinned"}
    every = active | {"hidden", "archived"}
    for where, expected in (
        (MemoryFilter(), active),
        (MemoryFilter(statuses=()), every),
        (MemoryFilter(statuses=("hidden", "archived")), {"hidden", "archived"}),
        (MemoryFilter(layers=("L3",)), {"long-term"}),
        (MemoryFilter(layers=("L1",)), set[str]()),
        (MemoryFilter(layers=("L2", "L3")), active),
        (MemoryFilter(kinds=("message", "fact")), active),
        (MemoryFilter(kinds=("rule",)), set[str]()),
        (MemoryFilter(speaker="Ann"), {"by-ann"}),
        (MemoryFilter(speaker="ANN"), {"by-ann"}),
        (MemoryFilter(session="s2"), {"other-session"}),
        (MemoryFilter(other_than="s2"), active - {"other-session"}),
        (MemoryFilter(pinned=True), {"pinned"}),
        (MemoryFilter(pinned=False), active - {"pinned"}),
        (MemoryFilter(everything=True, layers=("L3",)), {"long-term"}),
        (MemoryFilter(statuses=(), other_than="s2", speaker="ann", layers=("L2",)), {"by-ann"}),
    ):
        await _expect_seen(store, where, expected, f"for {where}")


async def kinds_and_subjects(storage: MemoryStorage) -> None:
    """Kinds and subjects narrow what is found; a subject is the same in capitals."""
    store = storage.store
    kinds = ("message", "fact", "preference", "rule")
    await store.put([entry(kind, "tea", kind=kind, key="same") for kind in kinds])
    await store.put([entry("of-mei", "tea", kind="fact", subject="Méi", key="same")])
    await store.put([entry("of-user", "tea", kind="fact", subject="user", key="same")])
    for where, expected in (
        (MemoryFilter(kinds=("rule",)), {"rule"}),
        (MemoryFilter(kinds=("message", "preference")), {"message", "preference"}),
        (MemoryFilter(kinds=("fact",)), {"fact", "of-mei", "of-user"}),
        (MemoryFilter(subject="user"), {"of-user"}),
        (MemoryFilter(subject="MÉI"), {"of-mei"}),
        (MemoryFilter(subject="Mei"), set[str]()),
        (MemoryFilter(subject="user", kinds=("message",)), set[str]()),
    ):
        for found in (
            await by_words(store, "tea", where),
            names(await store.browse(where)),
            names(await store.with_keys(["same"], where)),
        ):
            expect_equal(sorted(found), sorted(expected), f"what is found with {where}")


async def times_narrow(storage: MemoryStorage) -> None:
    """Since and until compare with the time spoken of, else the time it was said; the end is out, zones are respected."""
    store = storage.store
    await store.embed(SPACE, {})
    base: dict[str, Any] = {**SHARED, "vector": point(1)}
    eastern = NOON.astimezone(timezone(timedelta(hours=8)))
    await store.put(
        [
            entry("noon", "tea", at=eastern, **base),
            entry("day-after", "tea", at=later(days=1), **base),
            entry("about-last-week", "tea", at=NOON, when_at=later(days=-7), **base),
            entry("timeless", "tea", **base),
        ]
    )
    for since, until, expected in (
        (None, None, {"noon", "day-after", "about-last-week", "timeless"}),
        (NOON, None, {"noon", "day-after"}),
        (later(microseconds=1), None, {"day-after"}),
        (None, NOON, {"about-last-week"}),
        (None, later(microseconds=1), {"about-last-week", "noon"}),
        (later(days=-8), later(days=-6), {"about-last-week"}),
        (later(days=2), later(days=3), set[str]()),
    ):
        where = MemoryFilter(since=since, until=until)
        await _expect_seen(store, where, expected, f"from {since} to {until}")


async def the_expired_are_left_out(storage: MemoryStorage) -> None:
    """With ``now`` given, what has expired is left out; without, nothing is."""
    store = storage.store
    await store.embed(SPACE, {})
    base: dict[str, Any] = {**SHARED, "vector": point(1)}
    await store.put([entry("lasting", "tea", **base), entry("short", "tea", expires_at=later(hours=1), **base)])
    for now, expected in (
        (None, {"lasting", "short"}),
        (NOON, {"lasting", "short"}),
        (later(minutes=59), {"lasting", "short"}),
        (later(hours=1), {"lasting"}),
        (later(days=1), {"lasting"}),
    ):
        await _expect_seen(store, MemoryFilter(now=now), expected, f"at {now}")


async def filters_hold_inside_a_search(storage: MemoryStorage) -> None:
    """The best of what passes a filter are found, not what passes among the best of all."""
    store = storage.store
    await store.embed(SPACE, {})
    await store.put(
        [entry(f"m{number:03}", "tea tea tea", vector=point(1, number / 1000), at=NOON) for number in range(300)]
    )
    rare = [
        entry(
            f"r{number}", f"tea {'or ' * (3 + number)}", vector=point(1, 3 + number), kind="rule", at=later(days=number)
        )
        for number in range(6)
    ]
    await store.put(rare)
    best = [f"r{number}" for number in range(6)]
    where = MemoryFilter(kinds=("rule",))
    expect_equal(await by_words(store, "tea", where, limit=4), best[:4], "the best four rules by words")
    expect_equal(await by_vector(store, point(1), where, limit=4), best[:4], "the best four rules by vector")
    where = replace(where, since=later(days=2))
    expect_equal(await by_words(store, "tea", where, limit=3), best[2:5], "the best three late rules by words")
    expect_equal(await by_vector(store, point(1), where, limit=3), best[2:5], "the best three late rules by vector")


async def filters_hold_among_many(storage: MemoryStorage) -> None:
    """Of thousands of items the few of a speaker, a subject or a time are found, page by page and by words, in both languages."""
    store = storage.store
    speakers, subjects = ("Mei", "小美"), ("the cat", "猫")
    for start in range(0, 2400, 600):
        await store.put(
            [
                entry(
                    f"i{number:04}",
                    "tea 喝茶",
                    speaker=speakers[number % 2] if number % 400 < 2 else "Bo",
                    subject=subjects[number % 2] if number % 400 > 397 else "",
                    at=later(minutes=number),
                    expires_at=later(days=9) if number % 800 < 2 else None,
                )
                for number in range(start, start + 600)
            ]
        )
    every = [f"i{number:04}" for number in range(2400)]
    for where, expected in (
        (MemoryFilter(speaker="MEI"), every[0::400]),
        (MemoryFilter(speaker="小美"), every[1::400]),
        (MemoryFilter(subject="The Cat"), every[398::400]),
        (MemoryFilter(subject="猫"), every[399::400]),
        (MemoryFilter(speaker="小美", now=later(days=10)), every[401::800]),
        (MemoryFilter(since=later(minutes=1199), until=later(minutes=1202)), every[1199:1202]),
        (MemoryFilter(speaker="mei", since=later(minutes=1199), until=later(minutes=2000)), every[1200:2000:400]),
        (MemoryFilter(speaker="mei", subject="猫"), []),
    ):
        expect_equal(names(await store.browse(where)), expected, f"browse() with {where}")
        expect_equal(names(await store.browse(where, limit=2)), expected[:2], f"the first two of {where}")
        behind = await store.browse(where, after="i1200", limit=2)
        expect_equal(names(behind), [name for name in expected if name > "i1200"][:2], f"behind i1200 with {where}")
        for word in ("tea", "喝茶"):
            expect_equal(sorted(await by_words(store, word, where)), expected, f"found for {word} with {where}")


async def around_finds_neighbours(storage: MemoryStorage) -> None:
    """around() gives messages at the places of each session, in their order, and nothing else."""
    store = storage.store
    await store.put([entry(f"a{place}", session="a", place=place) for place in range(6)])
    await store.put([entry(f"b{place}", session="b", place=place) for place in range(3)])
    await store.put(
        [entry("fact", kind="fact", session="a", place=3), entry("a4-hidden", session="a", place=4, status="hidden")]
    )
    found = names(await store.around({"b": [1], "a": [4, 2, 3, 99]}, MemoryFilter()))
    expect_equal(found, ["a2", "a3", "a4", "b1"], "around()")
    found = names(await store.around({"a": {4}}, MemoryFilter(statuses=())))
    expect_equal(found, ["a4", "a4-hidden"], "around() with hidden ones")
    expect_equal(await store.around({"nobody": [1], "a": []}, MemoryFilter()), (), "around() of unknown places")
    expect_equal(await store.around({}, MemoryFilter()), (), "around() of nothing")


async def slots_and_keys(storage: MemoryStorage) -> None:
    """of_slots() and with_keys() find exactly what has one of them; items without are never found by an empty one."""
    store = storage.store
    await store.put(
        [
            entry("city-1", kind="fact", subject="user", attribute="City", value="Suzhou", single=True, key="k1"),
            entry("city-2", kind="fact", subject="User", attribute="city", value="上海", single=True, key="k2"),
            entry("likes-tea", kind="fact", subject="user", attribute="likes", value="Tea", key="k1"),
            entry("likes-cats", kind="fact", subject="user", attribute="likes", value="cats"),
            entry("of-mei", kind="fact", subject="Mei", attribute="city", value="北京", single=True, key="K1"),
            entry("message"),
        ]
    )
    none = MemoryFilter()
    for slots, expected in (
        ([("user", "city", "")], ["city-1", "city-2"]),
        ([("user", "likes", "tea")], ["likes-tea"]),
        ([("user", "likes", "tea"), ("mei", "city", "")], ["likes-tea", "of-mei"]),
        ([("user", "likes", "")], []),
        ([("", "", "")], []),
        ([], []),
    ):
        expect_equal(names(await store.of_slots(slots, none)), expected, f"of_slots({slots})")
    for keys, wanted in ((["k1"], ["city-1", "likes-tea"]), (["k2", "K1"], ["city-2", "of-mei"]), ([""], []), ([], [])):
        expect_equal(names(await store.with_keys(keys, none)), wanted, f"with_keys({keys})")


CHECKS: tuple[MemoryCheck, ...] = (
    scopes_never_cross,
    values_of_fields_do_not_mix,
    one_user_among_many,
    each_part_of_a_filter_holds,
    kinds_and_subjects,
    times_narrow,
    the_expired_are_left_out,
    filters_hold_inside_a_search,
    filters_hold_among_many,
    around_finds_neighbours,
    slots_and_keys,
)
