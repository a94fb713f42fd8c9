"""What the suites of all ports share: fresh storage for each check, how a check is run, and how it says that something is wrong."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Generic, Protocol, TypeVar

CHECK_TIMEOUT_S = 60.0


class _Closing(Protocol):
    async def close(self) -> None: ...


Kept = TypeVar("Kept", bound=_Closing)
Made = TypeVar("Made", bound="StorageOn")  # type: ignore[type-arg]
Subject = TypeVar("Subject")


class CheckError(AssertionError):
    """A store does not do what the port says."""


class ConformanceError(AssertionError):
    """A store failed checks of the suite. ``failures``: name of the check → what it raised."""

    def __init__(self, failures: Mapping[str, Exception]) -> None:
        lines = [f"  {name}: {type(error).__name__}: {error}" for name, error in failures.items()]
        super().__init__("\n".join([f"{len(failures)} checks failed:", *lines]))
        self.failures = dict(failures)


@dataclass(slots=True)
class StorageOn(Generic[Kept]):
    """Fresh, empty storage and a store on it.

    Attributes:
        store: the store under test; checks may close it.
        open: makes another store on the same data; None for a store whose data end with it.
    """

    store: Kept
    open: Callable[[], Kept] | None = None
    opened: list[Kept] = field(default_factory=list)

    def second(self) -> Kept:
        """Another store on the same data; the same store when there can be no other."""
        if self.open is None:
            return self.store
        self.opened.append(self.open())
        return self.opened[-1]


def fresh(
    storage: Callable[[Kept, Callable[[], Kept] | None], Made], make: Callable[[Path], Kept], *, durable: bool
) -> Callable[[], AbstractAsyncContextManager[Made]]:
    """A factory that gives every check fresh storage.

    Args:
        storage: the class of it.
        make: builds a store; gets a new, empty folder for each check, which is removed afterwards. For a durable store,
            calling it again with the same folder opens the same data.
        durable: whether that is so.
    """

    @asynccontextmanager
    async def factory() -> AsyncIterator[Made]:
        with tempfile.TemporaryDirectory(prefix="conformance-") as name:
            folder = Path(name)
            made = storage(make(folder), partial(make, folder) if durable else None)
            try:
                yield made
            finally:
                for store in (*made.opened, made.store):
                    await store.close()

    return factory


async def run(
    check: Callable[[Subject], Awaitable[None]], factory: Callable[[], AbstractAsyncContextManager[Subject]]
) -> None:
    """Run one check on fresh storage. Raises what the check raises, TimeoutError after ``CHECK_TIMEOUT_S``."""
    async with factory() as storage, asyncio.timeout(CHECK_TIMEOUT_S):
        await check(storage)


async def run_all(
    checks: Sequence[Callable[[Subject], Awaitable[None]]],
    factory: Callable[[], AbstractAsyncContextManager[Subject]],
) -> None:
    """Run every check, each on fresh storage from ``factory``.

    Raises:
        ConformanceError: one or more checks failed; all were run.
    """
    failures: dict[str, Exception] = {}
    for check in checks:
        try:
            await run(check, factory)
        except Exception as error:  # noqa: BLE001 - whatever a broken store raises is a finding
            failures[getattr(check, "__name__", repr(check))] = error
    if failures:
        raise ConformanceError(failures)


def expect(condition: object, message: str) -> None:
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
