"""Checks of memory going along with a session's branches, and of several stores at work at once."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from harness.ports.following import NamesFollowed
from harness.ports.memories import EmbeddingSpace, MemoryFilter
from harness.testing.conformance._memory_storage import (
    ANYTHING,
    NOON,
    SPACE,
    MemoryCheck,
    MemoryStorage,
    by_vector,
    by_words,
    entry,
    later,
    point,
)
from harness.testing.conformance._suite import expect, expect_equal

if TYPE_CHECKING:
    from harness.ports.memories import MemoryEntry, MemoryStore

SHOWN = MemoryFilter()


def _of_turn(turn: str, *texts: str, session: str = "s1", **fields: Any) -> list[MemoryEntry]:
    return [
        entry(f"{session}/{turn}/{place}", text, session=session, turn_id=turn, **fields)
        for place, text in enumerate(texts)
    ]


async def a_deleted_session_is_not_followed(storage: MemoryStorage) -> None:
    """unfollow() removes where memory stands in these sessions, and nothing else; one that it never followed costs nothing."""
    store = storage.store
    await store.follow("s1", "t1", put=[entry("tea", session="s1", turn_id="t1")])
    await store.follow("s2", "t2")
    await store.follow("会话 三", None)
    for _ in range(2):
        await store.unfollow(["s1", "会话 三", "nobody"])
        if isinstance(store, NamesFollowed):
            expect_equal(await store.all_followed(), ("s2",), "all_followed() after unfollow()")
        stands = [await store.followed(session) for session in ("s1", "s2", "会话 三", "nobody")]
        expect_equal(stands, [None, "t2", None, None], "followed() after unfollow()")
    await store.unfollow([])
    expect_equal(await _shown(store), ["tea"], "items after unfollow()")
    await store.follow("s1", "t1", put=[entry("tea", session="s1", turn_id="t1")])
    expect_equal(await store.followed("s1"), "t1", "followed() of a session that is followed again")


async def _shown(store: MemoryStore) -> list[str]:
    return sorted(found.text for found in await store.browse(SHOWN))


async def follow_notes_the_turn(storage: MemoryStorage) -> None:
    """followed() is None before, the turn after, and empty for the beginning; each session has its own."""
    store = storage.store
    expect_equal(await store.followed("s1"), None, "followed() of a session that memory never followed")
    await store.follow("s1", "t1")
    await store.follow("s2", None)
    expect_equal((await store.followed("s1"), await store.followed("s2")), ("t1", ""), "followed()")
    await store.follow("s1", "t2", put=_of_turn("t2", "tea"))
    expect_equal((await store.followed("s1"), await _shown(store)), ("t2", ["tea"]), "turn and items after follow()")
    await store.delete(["s1/t2/0"])
    expect_equal(await store.followed("s1"), "t2", "followed() after the items of the turn were deleted")


async def undo_and_redo(storage: MemoryStorage) -> None:
    """Turns that are left are hidden from every search and come back when their branch does; doing it twice changes nothing."""
    store = storage.store
    await store.embed(SPACE, {})
    await store.follow("s1", "t1", put=_of_turn("t1", "red tea", vector=point(1)))
    await store.follow("s1", "t2", put=_of_turn("t2", "green tea", "white tea", vector=point(1)))
    for _ in range(2):
        await store.follow("s1", "t1", hide=["t2"])
        expect_equal(await _shown(store), ["red tea"], "shown after undo")
        expect_equal(await by_words(store, "tea", SHOWN), ["s1/t1/0"], "found by words after undo")
        expect_equal(await by_vector(store, point(1), SHOWN), ["s1/t1/0"], "found by vector after undo")
        expect_equal(await store.followed("s1"), "t1", "followed() after undo")
    await store.follow("s1", "t3", put=_of_turn("t3", "black tea"))
    expect_equal(await _shown(store), ["black tea", "red tea"], "shown on the other branch")
    for _ in range(2):
        await store.follow("s1", "t2", hide=["t3"], show=["t2", "t1"])
        expect_equal(await _shown(store), ["green tea", "red tea", "white tea"], "shown after redo")
    expect_equal(len(await store.browse(ANYTHING)), 4, "items there are")
    await store.follow("s1", None, hide=["t1", "t2", "t3"])
    expect_equal((await _shown(store), await store.followed("s1")), ([], ""), "shown at the beginning")


async def only_active_is_hidden_and_hidden_shown(storage: MemoryStorage) -> None:
    """Archived items stay archived through undo and redo, and other sessions with the same turn ids stay as they are."""
    store = storage.store
    await store.put(_of_turn("t1", "put away", status="archived") + _of_turn("t1", "another session", session="s2"))
    await store.put([entry("s1/t1/9", "active", session="s1", turn_id="t1"), entry("no turn")])
    await store.follow("s1", None, hide=["t1", ""])
    by_status = {found.text: found.status for found in await store.browse(ANYTHING)}
    expected = {"put away": "archived", "another session": "active", "active": "hidden", "no turn": "active"}
    expect_equal(by_status, expected, "statuses after undo")
    await store.follow("s1", "t1", show=["t1"])
    by_status = {found.text: found.status for found in await store.browse(ANYTHING)}
    expect_equal(by_status, {**expected, "active": "active"}, "statuses after redo")


async def writing_a_turn_again(storage: MemoryStorage) -> None:
    """The same turn followed twice leaves one of each item, with its uses; a retry hides the old and stores the new at once."""
    store = storage.store
    for _ in range(2):
        await store.follow("s1", "t1", put=_of_turn("t1", "tea"))
        await store.used(["s1/t1/0"], NOON)
    expect_equal([found.uses for found in await store.browse(SHOWN)], [1], "uses of a turn written twice")
    for _ in range(2):
        await store.follow("s1", "t1b", put=_of_turn("t1b", "coffee"), hide=["t1"])
        expect_equal((await _shown(store), await store.followed("s1")), (["coffee"], "t1b"), "shown after a retry")
    many = [f"x{number}" for number in range(1200)]
    await store.follow("s1", None, hide=[*many, "t1b"])
    expect_equal(await _shown(store), [], "shown after hiding many turns")
    await store.follow("s1", "t1b", show=[*many, "t1b"])
    expect_equal(await _shown(store), ["coffee"], "shown after showing many turns")


async def another_store_sees_each_write(storage: MemoryStorage) -> None:
    """A write that has returned is seen at once by another store on the same data, by every way of finding."""
    one, two = storage.store, storage.second()
    await one.embed(SPACE, {})
    await one.put([entry("a", "tea", vector=point(1), turn_id="t1", session="s1")])
    expect_equal(await by_vector(two, point(1)), ["a"], "found by vector in the other store")
    await two.put([entry("b", "tea and milk", vector=point(1, 0.1))])
    for store in (one, two):
        expect_equal(await by_words(store, "tea"), ["a", "b"], "found by words after both wrote")
        expect_equal(await by_vector(store, point(1)), ["a", "b"], "found by vector after both wrote")
    await one.put([entry("b", "tea and milk", vector=point(0, 1))])
    await two.used(["a"], NOON)
    expect_equal((await one.get(["a"]))[0].uses, 1, "uses counted by the other store")
    found = await by_vector(two, point(0, 1))
    expect_equal(found[0], "b", "the first by vector after the other store changed a vector")
    await two.follow("s1", None, hide=["t1"])
    expect_equal(await by_vector(one, point(1), SHOWN), ["b"], "found by vector after the other store hid one")
    await two.delete(["b"])
    expect_equal(await by_vector(one, point(1), SHOWN), [], "found by vector after the other store deleted one")
    expect_equal(await by_words(one, "tea milk", SHOWN), [], "found by words after the other store deleted one")
    await one.delete(["a"])
    await two.put([entry("c", "tea", vector=point(0, 1))])
    expect_equal(await by_vector(one, point(0, 1)), ["c"], "found by vector after one was deleted and one put")
    await two.embed(EmbeddingSpace("other", 2), {"c": (0.0, 1.0)})
    expect_equal(await by_vector(one, (0.0, 1.0)), ["c"], "found by vector after the other store changed the space")


async def writers_side_by_side(storage: MemoryStorage) -> None:
    """Two stores that write at the same time lose nothing: items, frequencies and uses add up."""
    one, two = storage.store, storage.second()
    await one.put([entry("shared", "word")])

    async def write(store: MemoryStore, name: str) -> None:
        for number in range(12):
            await store.put([entry(f"{name}{number}", f"word {name} {number}")])
            await store.used(["shared"], later(seconds=number, microseconds=ord(name)))

    await asyncio.gather(write(one, "a"), write(two, "b"), write(one, "c"), write(two, "d"))
    expect_equal(len(await two.browse(ANYTHING)), 49, "items after four writers")
    expect_equal(len(await by_words(one, "word")), 49, "found by words after four writers")
    expect_equal((await one.get(["shared"]))[0].uses, 48, "uses after four writers")
    expect_equal((await two.stats()).items, 49, "stats() after four writers")


async def cancelled_write_is_whole(storage: MemoryStorage) -> None:
    """A write cancelled at any moment happened whole or not at all, and the store goes on working."""
    store = storage.store
    for attempt in range(12):
        entries = [entry(f"{attempt}-{number}", f"word{attempt} " * 50, turn_id=f"t{attempt}") for number in range(60)]
        writing = asyncio.create_task(store.follow("s1", f"t{attempt}", put=entries))
        # From "before it starts" over a few turns of the event loop to "somewhere in the middle of the work".
        for _ in range(attempt % 6):
            await asyncio.sleep(0)
        if attempt % 4 == 3:
            await asyncio.sleep(0.0005 * attempt)
        writing.cancel()
        await asyncio.wait([writing])
        stored = await by_words(store, f"word{attempt}", limit=100)
        noted = await store.followed("s1") == f"t{attempt}"
        expect_equal(len(stored), 60 if noted else 0, f"items of a cancelled write (noted: {noted})")
    await store.put([entry("last", "word")])
    expect_equal(await by_words(store, "word"), ["last"], "found after cancelled writes")


async def searches_amid_writes(storage: MemoryStorage) -> None:
    """A search while another store writes sees each write whole or not at all."""
    one, two = storage.store, storage.second()
    done = asyncio.Event()

    async def write() -> None:
        for number in range(25):
            pair = [entry(f"{number}-{half}", f"pair{number} word", session="s", turn_id=f"{number}") for half in "ab"]
            await one.follow("s", f"{number}", put=pair, hide=[f"{number - 1}"])
        done.set()

    async def read() -> None:
        while not done.is_set():
            found = await by_words(two, "word", SHOWN)
            expect(len(found) in {0, 2}, f"A search saw {found}: half a write.")
            await asyncio.sleep(0)

    await asyncio.gather(write(), read())
    expect_equal(sorted(await by_words(two, "word", SHOWN)), ["24-a", "24-b"], "found after all writes")


CHECKS: tuple[MemoryCheck, ...] = (
    a_deleted_session_is_not_followed,
    follow_notes_the_turn,
    undo_and_redo,
    only_active_is_hidden_and_hidden_shown,
    writing_a_turn_again,
    another_store_sees_each_write,
    writers_side_by_side,
    cancelled_write_is_whole,
    searches_amid_writes,
)
