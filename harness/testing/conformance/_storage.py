"""What a check of a session store works on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from harness.ports import SessionStore
from harness.testing.conformance._suite import StorageOn, fresh
from harness.testing.conformance.samples import sample_info, sample_record


class Storage(StorageOn[SessionStore]):
    """Fresh, empty storage and a store on it; see :class:`StorageOn`."""


StorageFactory = Callable[[], AbstractAsyncContextManager[Storage]]
Check = Callable[[Storage], Awaitable[None]]


def storage_of(make: Callable[[Path], SessionStore], *, durable: bool) -> StorageFactory:
    """A factory that gives every check fresh storage.

    Args:
        make: builds a store; gets a new, empty folder for each check, which is removed afterwards. For a durable store,
            calling it again with the same folder opens the same data.
        durable: whether that is so.
    """
    return fresh(Storage, make, durable=durable)


async def grow(store: SessionStore, *turns: str, session_id: str = "s1", create: bool = True) -> int:
    """Create a session and append turns written ``id<parent`` (``t2<t1``; ``t1`` for a root); returns the version."""
    version = 0
    if create:
        await store.create(sample_info(session_id))
    else:
        version = await store.version(session_id)
    numbers = {record.id: record.number for record in await store.records(session_id)}
    for turn in turns:
        turn_id, _, parent = turn.partition("<")
        numbers[turn_id] = numbers.get(parent, 0) + 1
        record = sample_record(turn_id, parent or None, numbers[turn_id], reply=f"{session_id}/{turn_id}")
        version = await store.append(session_id, record, expected_version=version)
    return version


async def ids(store: SessionStore, turn_id: str | None, *, after: str | None = None) -> list[str]:
    """The ids on a branch of ``s1``."""
    return [record.id for record in await store.branch("s1", turn_id, after=after)]
