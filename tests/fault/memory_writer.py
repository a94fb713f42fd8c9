"""A program that writes to a memory store and says on standard output what was acknowledged.

Run by the tests as ``python memory_writer.py MODE FILE NAME``; never imported.
"""

from __future__ import annotations

import asyncio
import sys

from harness.adapters.memories.sqlite import SQLiteMemoryStore
from harness.errors import StoreError
from harness.ports.memories import EmbeddingSpace, MemoryEntry
from harness.state.memory import MemoryItem

BODY = "half an item would end somewhere in here 半条记忆 " * 20


def say(*words: object) -> None:
    sys.stdout.write(" ".join(str(word) for word in words) + "\n")
    sys.stdout.flush()


def entries(name: str, number: int, body: str = BODY) -> list[MemoryEntry]:
    """Three items of a turn, alike but for their ids."""
    return [
        MemoryEntry(
            MemoryItem(
                id=f"{name}-{number}-{part}", layer="L2", kind="message", text=body, session=name, turn_id=f"t{number}"
            ),
            ("word", f"{name}{number}", *body.split()),
            (0.6, 0.8),
        )
        for part in "abc"
    ]


async def loop(store: SQLiteMemoryStore, name: str) -> None:
    """Follow turns until killed, each time hiding the one before, and deleting every fifth."""
    say("opening")
    await store.embed(EmbeddingSpace("m", 2), {})
    number = int((await store.followed(name) or "t0")[1:])
    while True:
        number += 1
        await store.follow(name, f"t{number}", put=entries(name, number), hide=[f"t{number - 1}"])
        say("followed", number)
        if number % 5 == 0:
            await store.delete([entry.item.id for entry in entries(name, number - 2)])
            say("deleted", number - 2)


async def compete(store: SQLiteMemoryStore, name: str) -> None:
    """Write 40 turns to a file that another program writes to as well."""
    for number in range(40):
        await store.follow(name, f"t{number}", put=entries(name, number, "short"))
    say("done")


async def fill_up(store: SQLiteMemoryStore, name: str) -> None:
    """Write under a limit on file size until there is no room, then read."""
    import resource
    import signal

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    await store.embed(EmbeddingSpace("m", 2), {})
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, resource.RLIM_INFINITY))
    number = 0
    while True:
        try:
            await store.follow(name, f"t{number}", put=entries(name, number))
        except StoreError as error:
            say("refused", type(error).__name__, error)
            break
        say("followed", number)
        number += 1
    say("readable", (await store.stats()).items, await store.followed(name))
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    await store.follow(name, f"t{number}", put=entries(name, number))
    say("followed", number)


async def main() -> None:
    mode, path, name = sys.argv[1:]
    store = SQLiteMemoryStore(path, busy_timeout_s=20)
    try:
        await {"loop": loop, "compete": compete, "fill_up": fill_up}[mode](store, name)
    finally:
        await store.close()


if __name__ == "__main__":
    asyncio.run(main())
