"""Checks of the tree: siblings, branches, snapshots."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from harness.errors import StoreError, TurnNotFound
from harness.ports import TurnPlace
from harness.testing.conformance._storage import Check, Storage, grow, ids
from harness.testing.conformance._suite import expect_equal, expect_raises
from harness.testing.conformance.samples import sample_record, sample_state


async def siblings_are_kept(storage: Storage) -> None:
    """Rerolls and edits of a turn, and of the first turn, live side by side."""
    store = storage.store
    await grow(store, "t1", "t2<t1", "t2b<t1", "t3<t2", "t3b<t2b", "r1")
    listed = [record.id for record in await store.records("s1")]
    expect_equal(listed, ["t1", "t2", "t2b", "t3", "t3b", "r1"], "records(), oldest first")
    expect_equal(await ids(store, "t3"), ["t1", "t2", "t3"], "the branch of t3")
    expect_equal(await ids(store, "t3b"), ["t1", "t2b", "t3b"], "the branch of t3b")
    expect_equal(await ids(store, "r1"), ["r1"], "the branch of a second root")
    expect_equal((await store.record("s1", "t2")).reply, "s1/t2", "the first of two siblings")
    expect_equal((await store.record("s1", "t2b")).reply, "s1/t2b", "the second of two siblings")


async def unknown_turn_is_refused(storage: Storage) -> None:
    """Reading a turn that does not exist raises TurnNotFound."""
    store = storage.store
    await grow(store, "t1")
    await expect_raises(TurnNotFound, store.record("s1", "nowhere"), "record() of an unknown turn")
    await expect_raises(TurnNotFound, store.branch("s1", "nowhere"), "branch() of an unknown turn")
    await expect_raises(TurnNotFound, store.snapshot("s1", "nowhere"), "snapshot() of an unknown turn")
    save = store.save_snapshot("s1", "nowhere", sample_state())
    await expect_raises(TurnNotFound, save, "save_snapshot() of an unknown turn")


async def branch_stops_below_after(storage: Storage) -> None:
    """branch(after=…) holds only what is below that turn; a turn of another branch raises TurnNotFound."""
    store = storage.store
    await grow(store, "t1", "t2<t1", "t3<t2", "t4<t3", "x2<t1")
    expect_equal(await ids(store, "t4", after="t2"), ["t3", "t4"], "branch(t4, after=t2)")
    expect_equal(await ids(store, "t4", after="t1"), ["t2", "t3", "t4"], "branch(t4, after=t1)")
    expect_equal(await ids(store, "t4", after="t4"), [], "branch(t4, after=t4)")
    expect_equal(await ids(store, "t4"), ["t1", "t2", "t3", "t4"], "branch(t4)")
    for turn_id, after in (("t4", "x2"), ("t2", "t3"), ("t4", "nowhere"), (None, "t1")):
        call = store.branch("s1", turn_id, after=after)
        await expect_raises(TurnNotFound, call, f"branch({turn_id!r}, after={after!r})")


async def path_is_the_branch_without_its_content(storage: Storage) -> None:
    """path() gives id, parent and number of each record of the branch, root first, and tells changes from turns."""
    store = storage.store
    await grow(store, "t1", "t2<t1", "x2<t1")
    version = await store.version("s1")
    change = sample_record("c2", parent="t2", number=2)
    version = await store.append("s1", change, expected_version=version)
    expected = (
        TurnPlace("t1", None, 1),
        TurnPlace("t2", "t1", 2),
        TurnPlace("c2", "t2", 2, change=True),
    )
    expect_equal(await store.path("s1", "c2"), expected, "path(c2)")
    expect_equal([place.id for place in await store.path("s1", "x2")], ["t1", "x2"], "path(x2)")
    expect_equal(await store.path("s1", None), (), "path(None)")
    await expect_raises(TurnNotFound, store.path("s1", "nowhere"), "path() of an unknown turn")
    expect_equal(await store.version("s1"), version, "version after path()")


async def long_branch_keeps_its_order(storage: Storage) -> None:
    """Three hundred turns come back in order, whole and in part."""
    store = storage.store
    turns = ["t1", *(f"t{number}<t{number - 1}" for number in range(2, 301))]
    await grow(store, *turns)
    expected = [f"t{number}" for number in range(1, 301)]
    expect_equal(await ids(store, "t300"), expected, "a branch of 300 turns")
    expect_equal(await ids(store, "t300", after="t290"), expected[290:], "the last ten of 300 turns")
    await store.save_snapshot("s1", "t3", sample_state(3))
    expect_equal(await store.snapshot("s1", "t300"), ("t3", sample_state(3)), "a snapshot 297 turns above")


async def snapshot_is_the_nearest_above(storage: Storage) -> None:
    """snapshot() finds the one at the turn itself or the nearest above it, never one below; None without one."""
    store = storage.store
    await grow(store, "t1", "t2<t1", "t3<t2", "t4<t3")
    expect_equal(await store.snapshot("s1", "t4"), None, "snapshot() before any was saved")
    await store.save_snapshot("s1", "t3", sample_state(3))
    await store.save_snapshot("s1", "t1", sample_state(1))
    expect_equal(await store.snapshot("s1", "t4"), ("t3", sample_state(3)), "snapshot() below the nearest")
    expect_equal(await store.snapshot("s1", "t3"), ("t3", sample_state(3)), "snapshot() at the turn itself")
    expect_equal(await store.snapshot("s1", "t2"), ("t1", sample_state(1)), "snapshot() between two")
    await store.save_snapshot("s1", "t3", sample_state(33))
    expect_equal(await store.snapshot("s1", "t4"), ("t3", sample_state(33)), "snapshot() saved a second time")


async def snapshot_stays_on_its_branch(storage: Storage) -> None:
    """What a rerolled turn brought in is not seen from its sibling."""
    store = storage.store
    await grow(store, "t1", "t2<t1", "t2b<t1", "t3b<t2b")
    await store.save_snapshot("s1", "t2", sample_state(2))
    expect_equal(await store.snapshot("s1", "t3b"), None, "snapshot() with one on a sibling branch only")
    await store.save_snapshot("s1", "t1", sample_state(1))
    expect_equal(await store.snapshot("s1", "t3b"), ("t1", sample_state(1)), "snapshot() of the common parent")
    await store.save_snapshot("s1", "t2b", sample_state(22))
    expect_equal(await store.snapshot("s1", "t3b"), ("t2b", sample_state(22)), "snapshot() of its own branch")
    expect_equal(await store.snapshot("s1", "t2"), ("t2", sample_state(2)), "snapshot() of the other branch")


async def snapshot_is_only_a_cache(storage: Storage) -> None:
    """Saving a snapshot changes neither version nor head nor records nor the time of the last change."""
    store = storage.store
    version = await grow(store, "t1", "t2<t1")
    before = (await store.info("s1"), await store.records("s1"))
    await store.save_snapshot("s1", "t1", sample_state())
    expect_equal((await store.info("s1"), await store.records("s1")), before, "the session after save_snapshot()")
    expect_equal(await store.version("s1"), version, "version() after save_snapshot()")
    await store.append("s1", sample_record("t3", "t2", 3), expected_version=version)


async def amend_drops_what_it_made_untrue(storage: Storage) -> None:
    """After amend() no snapshot at that turn or below it is found; those above and beside it stay."""
    store = storage.store
    version = await grow(store, "t1", "t2<t1", "t3<t2", "t2b<t1")
    for number, turn_id in enumerate(("t1", "t2", "t3", "t2b")):
        await store.save_snapshot("s1", turn_id, sample_state(number))
    await store.amend("s1", sample_record("t2", "t1", 2, reply="other"), expected_version=version)
    expect_equal(await store.snapshot("s1", "t2"), ("t1", sample_state(0)), "snapshot() at an amended turn")
    expect_equal(await store.snapshot("s1", "t3"), ("t1", sample_state(0)), "snapshot() below an amended turn")
    expect_equal(await store.snapshot("s1", "t2b"), ("t2b", sample_state(3)), "snapshot() beside an amended turn")


async def unreadable_snapshot_counts_as_none(storage: Storage) -> None:
    """A state that could not be read again is refused or ignored; the next one above is used."""
    store = storage.store
    await grow(store, "t1", "t2<t1")
    await store.save_snapshot("s1", "t1", sample_state(1))
    valid = sample_state(2)
    wrong: dict[str, dict[str, Any]] = {
        "another schema": {"schema_version": valid.schema_version + 1},
        "a missing persona": {"persona": None},
        "a lone surrogate": {"language": "\udc00"},
    }
    for name, update in wrong.items():
        with suppress(StoreError):
            await store.save_snapshot("s1", "t2", valid.model_copy(update=update))
        found = await store.snapshot("s1", "t2")
        expect_equal(found, ("t1", sample_state(1)), f"snapshot() after saving one with {name}")


CHECKS: tuple[Check, ...] = (
    siblings_are_kept,
    unknown_turn_is_refused,
    branch_stops_below_after,
    path_is_the_branch_without_its_content,
    long_branch_keeps_its_order,
    snapshot_is_the_nearest_above,
    snapshot_stays_on_its_branch,
    snapshot_is_only_a_cache,
    amend_drops_what_it_made_untrue,
    unreadable_snapshot_counts_as_none,
)
