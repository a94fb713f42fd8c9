"""Checks of what happens at the same time: two writers, many sessions, cancelled calls."""

from __future__ import annotations

import asyncio

from harness.errors import ConflictError
from harness.testing.conformance._storage import Check, Storage, grow
from harness.testing.conformance._suite import expect, expect_equal
from harness.testing.conformance.samples import sample_info, sample_record

ROUNDS = 12


async def one_writer_wins(storage: Storage) -> None:
    """Two stores that write at the same version: exactly one succeeds, the other gets ConflictError."""
    one, two = storage.store, storage.second()
    await one.create(sample_info("s1"))
    parent = None
    for version in range(ROUNDS):
        names = (f"a{version}", f"b{version}")
        results = await asyncio.gather(
            *(
                store.append("s1", sample_record(name, parent, version + 1), expected_version=version)
                for store, name in zip((one, two), names, strict=True)
            ),
            return_exceptions=True,
        )
        won = [name for name, result in zip(names, results, strict=True) if result == version + 1]
        lost = [result for result in results if isinstance(result, ConflictError)]
        expect((len(won), len(lost)) == (1, 1), f"Two writers at version {version} got {results!r}.")
        parent = won[0]
        expect_equal(await two.version("s1"), version + 1, "the version after the race")
    expect_equal(len(await one.records("s1")), ROUNDS, "records after the races")
    expect_equal(len(await two.branch("s1", parent)), ROUNDS, "the branch after the races")


async def another_store_sees_each_write(storage: Storage) -> None:
    """A write that has returned is seen at once by another store on the same data."""
    one, two = storage.store, storage.second()
    version = await grow(one, "t1")
    expect_equal((await two.info("s1")).head, "t1", "the head seen by the other store")
    version = await two.append("s1", sample_record("t2", "t1", 2), expected_version=version)
    expect_equal(await one.version("s1"), version, "the version seen by the first store")
    await one.amend("s1", sample_record("t2", "t1", 2, reply="amended"), expected_version=version)
    expect_equal((await two.record("s1", "t2")).reply, "amended", "the record seen by the other store")
    await two.delete("s1")
    expect_equal(await one.sessions(), (), "the sessions after the other store deleted the only one")


async def sessions_run_side_by_side(storage: Storage) -> None:
    """Thirty sessions written at the same time each get their own turns, in order."""
    store = storage.store

    async def converse(name: str) -> None:
        await grow(store, "t1", session_id=name)
        for number in range(2, 6):
            await grow(store, f"t{number}<t{number - 1}", session_id=name, create=False)

    names = [f"s{number}" for number in range(30)]
    await asyncio.gather(*(converse(name) for name in names))
    for name in names:
        replies = [record.reply for record in await store.branch(name, "t5")]
        expect_equal(replies, [f"{name}/t{number}" for number in range(1, 6)], f"the branch of {name}")


async def cancelled_write_is_whole(storage: Storage) -> None:
    """A write cancelled at any moment happened whole or not at all, and the store goes on working."""
    store = storage.store
    await store.create(sample_info("s1"))
    text = "long " * 40_000
    for attempt in range(16):
        version = await store.version("s1")
        info = await store.info("s1")
        turn_id = f"t{attempt}"
        record = sample_record(turn_id, info.head, info.turns + 1, reply=text)
        writing = asyncio.create_task(store.append("s1", record, expected_version=version))
        # From "before it starts" over a few turns of the event loop to "somewhere in the middle of the work".
        for _ in range(attempt % 6):
            await asyncio.sleep(0)
        if attempt % 4 == 3:
            await asyncio.sleep(0.0005 * attempt)
        writing.cancel()
        await asyncio.wait([writing])
        after = await store.info("s1")
        stored = [found.id for found in await store.records("s1")]
        if after.version == version:
            expect(turn_id not in stored, f"A cancelled append left {turn_id!r} behind without raising the version.")
            expect_equal(after, info, "the session after an append that did not happen")
        else:
            expect_equal(after.version, version + 1, "the version after a cancelled append")
            expect_equal(after.head, turn_id, "the head after a cancelled append that happened")
            expect_equal(stored[-1:], [turn_id], "the last record after a cancelled append that happened")
    version = await store.version("s1")
    head = (await store.info("s1")).head
    await store.append("s1", sample_record("last", head, 99), expected_version=version)


CHECKS: tuple[Check, ...] = (
    one_writer_wins,
    another_store_sees_each_write,
    sessions_run_side_by_side,
    cancelled_write_is_whole,
)
