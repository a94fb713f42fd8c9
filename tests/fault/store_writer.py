"""A program that writes to a session store and says on standard output what was acknowledged.

Run by the tests as ``python store_writer.py MODE PLACE NAME``, the place being a file or the address of a Redis server; never imported.
"""

from __future__ import annotations

import asyncio
import sys

from harness.adapters.redis.options import RedisOptions
from harness.adapters.stores.redis import RedisSessionStore
from harness.adapters.stores.sqlite import SQLiteSessionStore
from harness.errors import ConflictError, StoreError
from harness.ports import SessionStore
from harness.testing.conformance.samples import sample_info, sample_record

BODY = "half a record would end somewhere in here 半条记录 " * 400


def say(*words: object) -> None:
    sys.stdout.write(" ".join(str(word) for word in words) + "\n")
    sys.stdout.flush()


async def loop(store: SessionStore, name: str) -> None:
    """Append and amend turns until killed, going on where a killed one stopped."""
    say("opening")
    if not await store.sessions():
        await store.create(sample_info("s1"))
    info = await store.info("s1")
    version, head, number = info.version, info.head, info.turns
    while True:
        number += 1
        turn_id = f"{name}-{number}"
        record = sample_record(turn_id, head, number, reply=BODY, phase="record")
        version = await store.append("s1", record, expected_version=version)
        say("appended", turn_id, version)
        done = record.model_copy(update={"phase": "done"})
        version = await store.amend("s1", done, expected_version=version)
        say("amended", turn_id, version)
        head = turn_id


async def compete(store: SessionStore, name: str) -> None:
    """Add 40 turns to a session that another program writes to as well."""
    written = 0
    while written < 40:
        info = await store.info("s1")
        record = sample_record(f"{name}-{written}", info.head, info.turns + 1)
        try:
            version = await store.append("s1", record, expected_version=info.version)
        except ConflictError as error:
            say("conflict", error.details["expected"], error.details["found"])
            continue
        say("appended", record.id, version)
        written += 1


async def fill_up(store: SessionStore, _: str) -> None:
    """Append turns under a limit on file size until there is no room, then read everything."""
    import resource
    import signal

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    await store.create(sample_info("s1"))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, resource.RLIM_INFINITY))
    version = 0
    while True:
        record = sample_record(f"t{version}", f"t{version - 1}" if version else None, version + 1, reply=BODY)
        try:
            version = await store.append("s1", record, expected_version=version)
        except StoreError as error:
            say("refused", type(error).__name__, error)
            break
        say("appended", record.id, version)
    say("readable", len(await store.records("s1")), await store.version("s1"))
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    say("appended", record.id, await store.append("s1", record, expected_version=version))


async def try_to_open(store: SessionStore, _: str) -> None:
    """Open as a user without rights."""
    import os

    if os.geteuid() == 0:
        os.setuid(65534)
    try:
        await store.create(sample_info("s1"))
    except StoreError as error:
        say("refused", type(error).__name__, error)


async def main() -> None:
    mode, path, name = sys.argv[1:]
    store: SessionStore
    if path.startswith("redis://"):
        store = RedisSessionStore(RedisOptions(path))
    else:
        store = SQLiteSessionStore(path, busy_timeout_s=20)
    try:
        await {"loop": loop, "compete": compete, "fill_up": fill_up, "try_to_open": try_to_open}[mode](store, name)
    finally:
        await store.close()


if __name__ == "__main__":
    asyncio.run(main())
