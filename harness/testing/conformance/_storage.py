"""What a check works on, and how it says that something is wrong."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from harness.testing.conformance.samples import sample_info, sample_record

if TYPE_CHECKING:
    from harness.ports import SessionStore


class CheckError(AssertionError):
    """A store does not do what the port says."""


@dataclass(slots=True)
class Storage:
    """Fresh, empty storage and a store on it.

    Attributes:
        store: the store under test; checks may close it.
        open: makes another store on the same data; None for a store whose data end with it.
    """

    store: SessionStore
    open: Callable[[], SessionStore] | None = None
    opened: list[SessionStore] = field(default_factory=list)

    def second(self) -> SessionStore:
        """Another store on the same data; the same store when there can be no other."""
        if self.open is None:
            return self.store
        self.opened.append(self.open())
        return self.opened[-1]


StorageFactory = Callable[[], AbstractAsyncContextManager[Storage]]
Check = Callable[[Storage], Awaitable[None]]


def storage_of(make: Callable[[Path], SessionStore], *, durable: bool) -> StorageFactory:
    """A factory that gives every check fresh storage.

    Args:
        make: builds a store; gets a new, empty folder for each check, which is removed afterwards. For a durable store,
            calling it again with the same folder opens the same data.
        durable: whether that is so.
    """

    @asynccontextmanager
    async def factory() -> AsyncIterator[Storage]:
        with tempfile.TemporaryDirectory(prefix="sessions-") as name:
            folder = Path(name)
            storage = Storage(make(folder), partial(make, folder) if durable else None)
            try:
                yield storage
            finally:
                for store in (storage.store, *storage.opened):
                    await store.close()

    return factory


def expect(condition: bool, message: str) -> None:
    """Fail the check unless the condition holds. Not an assert statement, which ``python -O`` removes."""
    if not condition:
        raise CheckError(message)


def expect_equal(found: object, expected: object, what: str) -> None:
    """Fail the check unless both are equal."""
    if found != expected:
        raise CheckError(f"{what}: expected {_short(expected)}, found {_short(found)}.")


async def expect_raises(error: type[Exception], call: Awaitable[object], when: str) -> Exception:
    """Fail the check unless the call raises ``error``; returns what was raised."""
    try:
        found = await call
    except error as raised:
        return raised
    except Exception as other:
        raise CheckError(f"{when}: expected {error.__name__}, got {type(other).__name__}: {other}") from other
    raise CheckError(f"{when}: expected {error.__name__}, got the result {_short(found)}.")


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 300 else f"{text[:200]} … {text[-80:]} ({len(text)} characters)"


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
