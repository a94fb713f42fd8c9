"""Checks of writing records: versions, conflicts, refusals, fidelity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.errors import ConflictError, StoreError, TurnNotFound
from harness.state.record import TurnRecord
from harness.testing.conformance._storage import Check, Storage, grow
from harness.testing.conformance._suite import expect, expect_equal, expect_raises
from harness.testing.conformance.samples import full_record, sample_info, sample_record

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from harness.ports import SessionStore
    from harness.state.record import SessionInfo


async def _whole(store: SessionStore) -> tuple[SessionInfo, tuple[TurnRecord, ...]]:
    return await store.info("s1"), await store.records("s1")


async def writes_raise_the_version_by_one(storage: Storage) -> None:
    """append, amend and move_head each return the new version, one higher, and it is the stored one."""
    store = storage.store
    await store.create(sample_info("s1"))
    steps: tuple[tuple[str, Callable[[int], Awaitable[int]]], ...] = (
        ("append", lambda version: store.append("s1", sample_record("t1"), expected_version=version)),
        ("amend", lambda version: store.amend("s1", sample_record("t1", reply="new"), expected_version=version)),
        ("move_head", lambda version: store.move_head("s1", None, expected_version=version)),
        (
            "append beside the head",
            lambda version: store.append("s1", sample_record("t2"), expected_version=version, move_head=False),
        ),
    )
    for version, (name, write) in enumerate(steps):
        expect_equal(await write(version), version + 1, f"the version {name} returns")
        expect_equal(await store.version("s1"), version + 1, f"version() after {name}")
        expect_equal((await store.info("s1")).version, version + 1, f"info().version after {name}")


async def stale_append_is_refused(storage: Storage) -> None:
    """append() with an old or a future version raises ConflictError and changes nothing."""
    store = storage.store
    version = await grow(store, "t1", "t2<t1")
    before = await _whole(store)
    for wrong in (version - 1, 0, version + 1):
        call = store.append("s1", sample_record("t3", "t2", 3), expected_version=wrong)
        await expect_raises(ConflictError, call, f"append() at version {version} expecting {wrong}")
    expect_equal(await _whole(store), before, "the session after a refused append()")


async def stale_amend_is_refused(storage: Storage) -> None:
    """amend() with an old or a future version raises ConflictError and changes nothing."""
    store = storage.store
    version = await grow(store, "t1", "t2<t1")
    before = await _whole(store)
    for wrong in (version - 1, version + 1):
        call = store.amend("s1", sample_record("t2", "t1", 2, reply="lost"), expected_version=wrong)
        await expect_raises(ConflictError, call, f"amend() at version {version} expecting {wrong}")
    expect_equal(await _whole(store), before, "the session after a refused amend()")


async def stale_move_head_is_refused(storage: Storage) -> None:
    """move_head() with an old or a future version raises ConflictError and changes nothing."""
    store = storage.store
    version = await grow(store, "t1", "t2<t1")
    before = await _whole(store)
    for wrong in (version - 1, version + 1):
        call = store.move_head("s1", "t1", expected_version=wrong)
        await expect_raises(ConflictError, call, f"move_head() at version {version} expecting {wrong}")
    expect_equal(await _whole(store), before, "the session after a refused move_head()")


async def conflict_names_both_versions(storage: Storage) -> None:
    """ConflictError carries ``expected`` and ``found``."""
    version = await grow(storage.store, "t1", "t2<t1")
    call = storage.store.append("s1", sample_record("t3", "t2", 3), expected_version=0)
    error = await expect_raises(ConflictError, call, "append() with a stale version")
    expect(isinstance(error, ConflictError), "not a ConflictError")
    details = error.details if isinstance(error, ConflictError) else {}
    expect_equal((details.get("expected"), details.get("found")), (0, version), "expected and found")


async def unknown_parent_is_refused(storage: Storage) -> None:
    """append() below a turn that does not exist raises TurnNotFound and changes nothing."""
    store = storage.store
    version = await grow(store, "t1")
    before = await _whole(store)
    call = store.append("s1", sample_record("t2", "nowhere", 2), expected_version=version)
    await expect_raises(TurnNotFound, call, "append() below an unknown parent")
    call = store.append("s1", sample_record("t2", "t2", 2), expected_version=version)
    await expect_raises(TurnNotFound, call, "append() below itself")
    expect_equal(await _whole(store), before, "the session after a refused append()")


async def duplicate_turn_is_refused(storage: Storage) -> None:
    """append() with an id that exists raises ConflictError; the stored record stays."""
    store = storage.store
    version = await grow(store, "t1", "t2<t1")
    before = await _whole(store)
    call = store.append("s1", sample_record("t1", None, 1, reply="usurper"), expected_version=version)
    await expect_raises(ConflictError, call, "append() with a known id")
    expect_equal(await _whole(store), before, "the session after a refused append()")


async def append_moves_the_head(storage: Storage) -> None:
    """append() makes the record the head, unless told not to."""
    store = storage.store
    version = await grow(store, "t1")
    expect_equal((await store.info("s1")).head, "t1", "head after append()")
    version = await store.append("s1", sample_record("t2", "t1", 2), expected_version=version, move_head=False)
    expect_equal((await store.info("s1")).head, "t1", "head after append(move_head=False)")
    expect_equal((await store.record("s1", "t2")).id, "t2", "the record appended beside the head")
    await store.append("s1", sample_record("t3", "t1", 2), expected_version=version)
    expect_equal((await store.info("s1")).head, "t3", "head after append()")


async def turns_is_the_number_of_the_head(storage: Storage) -> None:
    """SessionInfo.turns follows the head through append, amend and move_head."""
    store = storage.store
    version = await grow(store, "t1", "t2<t1", "t3<t2")
    expect_equal((await store.info("s1")).turns, 3, "turns after three turns")
    version = await store.append("s1", sample_record("x", "t1", 2), expected_version=version, move_head=False)
    expect_equal((await store.info("s1")).turns, 3, "turns after append(move_head=False)")
    version = await store.move_head("s1", "t1", expected_version=version)
    expect_equal((await store.info("s1")).turns, 1, "turns after going back to the first turn")
    version = await store.move_head("s1", None, expected_version=version)
    expect_equal((await store.info("s1")).turns, 0, "turns at the beginning")
    version = await store.move_head("s1", "x", expected_version=version)
    version = await store.amend("s1", sample_record("x", "t1", 2, reply="new"), expected_version=version)
    expect_equal((await store.info("s1")).turns, 2, "turns after amending the head")


async def amend_replaces_in_place(storage: Storage) -> None:
    """amend() replaces one record, keeps its place, and leaves head and other records alone."""
    store = storage.store
    version = await grow(store, "t1", "t2<t1", "t3<t2")
    first, _, third = await store.records("s1")
    amended = full_record("t2", "t1", 2).model_copy(update={"phase": "done"})
    await store.amend("s1", amended, expected_version=version)
    expect_equal(await store.records("s1"), (first, amended, third), "records() after amend()")
    expect_equal(await store.record("s1", "t2"), amended, "record() after amend()")
    expect_equal(await store.branch("s1", "t3"), (first, amended, third), "branch() after amend()")
    expect_equal((await store.info("s1")).head, "t3", "head after amend()")


async def amend_of_unknown_turn_is_refused(storage: Storage) -> None:
    """amend() of a turn that does not exist raises TurnNotFound and stores nothing."""
    store = storage.store
    version = await grow(store, "t1")
    before = await _whole(store)
    call = store.amend("s1", sample_record("t2", "t1", 2), expected_version=version)
    await expect_raises(TurnNotFound, call, "amend() of an unknown turn")
    expect_equal(await _whole(store), before, "the session after a refused amend()")


async def amend_cannot_move_a_turn(storage: Storage) -> None:
    """amend() with another parent raises StoreError: the tree never changes under its turns."""
    store = storage.store
    version = await grow(store, "t1", "t2<t1", "t3<t2")
    before = await _whole(store)
    call = store.amend("s1", sample_record("t3", "t1", 3), expected_version=version)
    await expect_raises(StoreError, call, "amend() with another parent")
    expect_equal(await _whole(store), before, "the session after a refused amend()")


async def move_head_goes_anywhere_in_the_tree(storage: Storage) -> None:
    """The head can be any turn or the beginning; a turn that does not exist raises TurnNotFound."""
    store = storage.store
    version = await grow(store, "t1", "t2<t1", "t3<t1")
    for target in ("t2", None, "t1", "t3"):
        version = await store.move_head("s1", target, expected_version=version)
        expect_equal((await store.info("s1")).head, target, f"head after move_head({target!r})")
    before = await _whole(store)
    call = store.move_head("s1", "nowhere", expected_version=version)
    await expect_raises(TurnNotFound, call, "move_head() to an unknown turn")
    expect_equal(await _whole(store), before, "the session after a refused move_head()")
    expect_equal(len(before[1]), 3, "records after moving the head about")


async def invalid_record_is_refused(storage: Storage) -> None:
    """A record that could not be read again is refused with StoreError, so that it cannot brick its session."""
    store = storage.store
    version = await grow(store, "t1")
    before = await _whole(store)
    valid = sample_record("t2", "t1", 2)
    wrong: dict[str, dict[str, Any]] = {
        "a number that is text": {"number": "two"},
        "a reply that is None": {"reply": None},
        "a lone surrogate": {"reply": "\ud800"},
        "a newer schema": {"schema_version": valid.schema_version + 1},
        "an unknown origin": {"origin": "dream"},
    }
    for name, update in wrong.items():
        record = valid.model_copy(update=update)
        await expect_raises(StoreError, store.append("s1", record, expected_version=version), f"append() with {name}")
        record = sample_record("t1").model_copy(update=update)
        await expect_raises(StoreError, store.amend("s1", record, expected_version=version), f"amend() with {name}")
    expect_equal(await _whole(store), before, "the session after refused records")


async def every_field_survives(storage: Storage) -> None:
    """A record with every field and every kind of operation is read back equal, as validated models."""
    store = storage.store
    await store.create(sample_info("s1"))
    record = full_record("t1")
    await store.append("s1", record, expected_version=0)
    by_id = await store.record("s1", "t1")
    (listed,) = await store.records("s1")
    (on_branch,) = await store.branch("s1", "t1")
    for name, found in (("record()", by_id), ("records()", listed), ("branch()", on_branch)):
        expect(isinstance(found, TurnRecord), f"{name} returned a {type(found).__name__}, not a TurnRecord.")
        expect_equal(found, record, f"{name} of a full record")
        expect(
            all(
                type(a.operation) is type(b.operation) for a, b in zip(found.operations, record.operations, strict=True)
            ),
            f"{name} returned operations of other types.",
        )


async def large_record_survives(storage: Storage) -> None:
    """A record of 1 MB of mixed text."""
    store = storage.store
    await store.create(sample_info("s1"))
    text = ("The quick brown fox. 敏捷的棕色狐狸。🦊\n" * 20_000)[:500_000]
    record = sample_record("t1", reply=text, user_text=text[:1000])
    version = await store.append("s1", record, expected_version=0)
    expect_equal(await store.record("s1", "t1"), record, "a record of 1 MB")
    longer = sample_record("t1", reply=text + "…", user_text="")
    await store.amend("s1", longer, expected_version=version)
    expect_equal(await store.record("s1", "t1"), longer, "an amended record of 1 MB")


CHECKS: tuple[Check, ...] = (
    writes_raise_the_version_by_one,
    stale_append_is_refused,
    stale_amend_is_refused,
    stale_move_head_is_refused,
    conflict_names_both_versions,
    unknown_parent_is_refused,
    duplicate_turn_is_refused,
    append_moves_the_head,
    turns_is_the_number_of_the_head,
    amend_replaces_in_place,
    amend_of_unknown_turn_is_refused,
    amend_cannot_move_a_turn,
    move_head_goes_anywhere_in_the_tree,
    invalid_record_is_refused,
    every_field_survives,
    large_record_survives,
)
