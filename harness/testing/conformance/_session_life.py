"""Checks of sessions as a whole: creating, listing, deleting, closing, reopening."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.errors import ConflictError, SessionExists, SessionNotFound, StoreError, TurnNotFound
from harness.testing.conformance._storage import Check, Storage, grow
from harness.testing.conformance._suite import expect, expect_equal, expect_raises
from harness.testing.conformance.samples import full_record, sample_info, sample_record, sample_state

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


async def create_then_read(storage: Storage) -> None:
    """A created session is read back equal, at version 0 and without a head."""
    store = storage.store
    info = sample_info("s1")
    await store.create(info)
    expect_equal(await store.info("s1"), info, "info() after create()")
    expect_equal(await store.version("s1"), 0, "version() after create()")
    expect_equal(await store.records("s1"), (), "records() of a new session")
    expect_equal(await store.branch("s1", None), (), "branch() of a new session")


async def create_starts_at_zero(storage: Storage) -> None:
    """Version, head and turns of the given info are not taken over: the copy of a session starts without turns."""
    store = storage.store
    await store.create(sample_info("copy", version=7, head="t9", turns=3))
    expect_equal(await store.info("copy"), sample_info("copy"), "info() of a session created from a used one")
    expect_equal(await store.version("copy"), 0, "version() of a session created from a used one")


async def create_twice_is_refused(storage: Storage) -> None:
    """A second session of the same id raises SessionExists and leaves the first alone."""
    store = storage.store
    await grow(store, "t1")
    before = await store.info("s1")
    await expect_raises(SessionExists, store.create(sample_info("s1", title="other")), "create() of a known id")
    expect_equal(await store.info("s1"), before, "the session after a refused create()")
    expect_equal(len(await store.records("s1")), 1, "records after a refused create()")


async def unknown_session_is_refused(storage: Storage) -> None:
    """Every method says SessionNotFound for an id that is not stored."""
    store = storage.store
    await grow(store, "t1", session_id="other")
    record = sample_record("t1")
    calls: dict[str, Callable[[], Awaitable[object]]] = {
        "info": lambda: store.info("s1"),
        "version": lambda: store.version("s1"),
        "delete": lambda: store.delete("s1"),
        "append": lambda: store.append("s1", record, expected_version=0),
        "amend": lambda: store.amend("s1", record, expected_version=0),
        "move_head": lambda: store.move_head("s1", "t1", expected_version=0),
        "record": lambda: store.record("s1", "t1"),
        "records": lambda: store.records("s1"),
        "branch": lambda: store.branch("s1", "t1"),
        "branch of nothing": lambda: store.branch("s1", None),
        "save_snapshot": lambda: store.save_snapshot("s1", "t1", sample_state()),
        "snapshot": lambda: store.snapshot("s1", "t1"),
    }
    for name, call in calls.items():
        await expect_raises(SessionNotFound, call(), f"{name} of an unknown session")


async def list_is_last_changed_first(storage: Storage) -> None:
    """sessions() lists all, the one written last first; reading and snapshots do not count as changes."""
    store = storage.store
    expect_equal(await store.sessions(), (), "sessions() of an empty store")
    for name in ("a", "b", "c"):
        await grow(store, "t1", session_id=name)
    expect_equal([info.id for info in await store.sessions()], ["c", "b", "a"], "sessions() after creating a, b, c")
    await grow(store, "t2<t1", session_id="a", create=False)
    expect_equal([info.id for info in await store.sessions()], ["a", "c", "b"], "sessions() after a turn in a")
    await store.move_head("b", None, expected_version=1)
    expect_equal([info.id for info in await store.sessions()], ["b", "a", "c"], "sessions() after moving b's head")
    await store.amend("c", sample_record("t1"), expected_version=1)
    await store.save_snapshot("a", "t1", sample_state())
    await store.records("a")
    listed = await store.sessions()
    expect_equal([info.id for info in listed], ["c", "b", "a"], "sessions() after amending in c and a snapshot in a")
    for info in listed:
        expect_equal(info, await store.info(info.id), f"sessions() and info() of {info.id}")


async def delete_removes_everything(storage: Storage) -> None:
    """A deleted session is gone with its records and snapshots, also when its id is used again."""
    store = storage.store
    await grow(store, "t1", "t2<t1", "t3<t1")
    await store.save_snapshot("s1", "t1", sample_state())
    await store.delete("s1")
    await expect_raises(SessionNotFound, store.info("s1"), "info() after delete()")
    await expect_raises(SessionNotFound, store.records("s1"), "records() after delete()")
    await expect_raises(SessionNotFound, store.delete("s1"), "delete() of a deleted session")
    expect_equal(await store.sessions(), (), "sessions() after delete()")
    await store.create(sample_info("s1"))
    expect_equal(await store.version("s1"), 0, "version() of a session created again")
    expect_equal(await store.records("s1"), (), "records() of a session created again")
    await expect_raises(TurnNotFound, store.record("s1", "t1"), "record() of a session created again")
    await store.append("s1", sample_record("t1"), expected_version=0)
    expect_equal(await store.snapshot("s1", "t1"), None, "snapshot() of a session created again")


async def delete_leaves_other_sessions(storage: Storage) -> None:
    """Deleting one session touches no other, even one with the same turn ids."""
    store = storage.store
    await grow(store, "t1", "t2<t1", session_id="kept")
    await store.save_snapshot("kept", "t1", sample_state())
    before = (await store.info("kept"), await store.records("kept"), await store.snapshot("kept", "t2"))
    await grow(store, "t1", "t2<t1", session_id="gone")
    await store.delete("gone")
    after = (await store.info("kept"), await store.records("kept"), await store.snapshot("kept", "t2"))
    expect_equal(after, before, "another session after delete()")


async def sessions_do_not_mix(storage: Storage) -> None:
    """Many sessions with the same turn ids keep their own records, branches, heads and snapshots."""
    store = storage.store
    names = [f"s{number}" for number in range(20)]
    for name in names:
        await grow(store, "t1", session_id=name)
    for number, name in enumerate(names):
        await grow(store, "t2<t1", session_id=name, create=False)
        if number % 2:
            await store.save_snapshot(name, "t1", sample_state(number))
    await grow(store, "only<t2", session_id="s0", create=False)
    for number, name in enumerate(names):
        replies = [f"{name}/t1", f"{name}/t2"] + ([f"{name}/only"] if name == "s0" else [])
        expect_equal([record.reply for record in await store.records(name)], replies, f"records({name!r})")
        expect_equal((await store.record(name, "t1")).reply, f"{name}/t1", f"record({name!r}, 't1')")
        expect_equal(
            [record.reply for record in await store.branch(name, "t2")], replies[:2], f"branch({name!r}, 't2')"
        )
        found = await store.snapshot(name, "t2")
        expect_equal(found, ("t1", sample_state(number)) if number % 2 else None, f"snapshot({name!r}, 't2')")
        expect_equal(await store.version(name), len(replies), f"version({name!r})")
    await expect_raises(TurnNotFound, store.record("s1", "only"), "record() with a turn of another session")
    await expect_raises(TurnNotFound, store.branch("s1", "only"), "branch() with a turn of another session")
    stray = store.append("s1", sample_record("x", "only", 4), expected_version=2)
    await expect_raises(TurnNotFound, stray, "append() below a turn of another session")
    await expect_raises(
        TurnNotFound, store.move_head("s1", "only", expected_version=2), "move_head() to a turn of another session"
    )


async def ids_may_be_any_text(storage: Storage) -> None:
    """Ids in any script, with quotes, slashes, percent signs and spaces, and ids that differ only in case."""
    store = storage.store
    names = ["会话一", "🌸", "a/../b", 'it\'s "quoted"', "100%", "a b", "Case", "case", "é", "e\u0301"]
    for name in names:
        await store.create(sample_info(name))
        await store.append(name, sample_record(f"turn {name}", reply=name), expected_version=0)
    expect_equal(sorted(info.id for info in await store.sessions()), sorted(names), "sessions()")
    for name in names:
        expect_equal((await store.record(name, f"turn {name}")).reply, name, f"the record of session {name!r}")
        expect_equal((await store.info(name)).head, f"turn {name}", f"the head of session {name!r}")


async def use_after_close_is_refused(storage: Storage) -> None:
    """Every call after close() raises StoreError; closing twice is allowed."""
    store = storage.store
    await grow(store, "t1")
    await store.close()
    await store.close()
    record = sample_record("t2", "t1", 2)
    calls: dict[str, Callable[[], Awaitable[object]]] = {
        "create": lambda: store.create(sample_info("s2")),
        "info": lambda: store.info("s1"),
        "version": lambda: store.version("s1"),
        "sessions": store.sessions,
        "delete": lambda: store.delete("s1"),
        "append": lambda: store.append("s1", record, expected_version=1),
        "amend": lambda: store.amend("s1", record, expected_version=1),
        "move_head": lambda: store.move_head("s1", None, expected_version=1),
        "record": lambda: store.record("s1", "t1"),
        "records": lambda: store.records("s1"),
        "branch": lambda: store.branch("s1", "t1"),
        "save_snapshot": lambda: store.save_snapshot("s1", "t1", sample_state()),
        "snapshot": lambda: store.snapshot("s1", "t1"),
    }
    for name, call in calls.items():
        error = await expect_raises(StoreError, call(), f"{name} after close()")
        expect(
            not isinstance(error, SessionNotFound | ConflictError), f"{name} after close() blames the session: {error}"
        )


async def reopening_finds_everything(storage: Storage) -> None:
    """What was stored is there, equal, for another store and after closing (durable stores only)."""
    if storage.open is None:
        return
    store = storage.store
    version = await grow(store, "t1", "t2<t1", "t3<t1")
    version = await store.append("s1", full_record("t4", "t3", 3), expected_version=version)
    version = await store.amend("s1", sample_record("t3", "t1", 2, reply="amended"), expected_version=version)
    version = await store.move_head("s1", "t2", expected_version=version)
    await store.save_snapshot("s1", "t2", sample_state(2))
    await grow(store, "t1", session_id="gone")
    await store.delete("gone")
    await grow(store, session_id="s2")
    before = (
        await store.sessions(),
        await store.info("s1"),
        await store.records("s1"),
        await store.branch("s1", "t4"),
        await store.snapshot("s1", "t2"),
        await store.version("s1"),
    )
    beside = storage.second()
    expect_equal(await beside.records("s1"), before[2], "records() of a second store beside the first")
    await beside.close()
    await store.close()
    again = storage.second()
    after = (
        await again.sessions(),
        await again.info("s1"),
        await again.records("s1"),
        await again.branch("s1", "t4"),
        await again.snapshot("s1", "t2"),
        await again.version("s1"),
    )
    names = ("sessions()", "info()", "records()", "branch()", "snapshot()", "version()")
    for name, found, expected in zip(names, after, before, strict=True):
        expect_equal(found, expected, f"{name} after reopening")
    await again.append("s1", sample_record("t5", "t2", 3), expected_version=version)


CHECKS: tuple[Check, ...] = (
    create_then_read,
    create_starts_at_zero,
    create_twice_is_refused,
    unknown_session_is_refused,
    list_is_last_changed_first,
    delete_removes_everything,
    delete_leaves_other_sessions,
    sessions_do_not_mix,
    ids_may_be_any_text,
    use_after_close_is_refused,
    reopening_finds_everything,
)
