"""The checks of short-term memories."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Literal, Protocol

from harness.errors import StoreError
from harness.ports.short_term import RecentMessage, ShortTerm
from harness.state.dialogue import Message
from harness.testing.conformance._suite import expect, expect_equal, expect_raises

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
BUDGET = 100


class Open(Protocol):
    """Makes a store on the same, at first empty, data; again and with other limits if asked."""

    def __call__(self, *, max_tokens: int = BUDGET, ttl_seconds: int = 0) -> ShortTerm: ...


@dataclass(slots=True)
class ShortTermStorage:
    """Fresh, empty storage.

    Attributes:
        store: keeps ``BUDGET`` tokens without end.
        make: see :class:`Open`; None for a store whose data end with it.
        fresh: a store of other limits; on other data where data end with a store.
    """

    store: ShortTerm
    fresh: Open
    make: Open | None
    opened: list[ShortTerm] = field(default_factory=list)

    def second(self) -> ShortTerm:
        """Another store on the same data; the same store when there can be no other."""
        return self.store if self.make is None else self._open(self.make)

    def other(self, *, max_tokens: int = BUDGET, ttl_seconds: int = 0) -> ShortTerm:
        """A store of other limits."""
        return self._open(partial(self.fresh, max_tokens=max_tokens, ttl_seconds=ttl_seconds))

    def _open(self, make: Callable[[], ShortTerm]) -> ShortTerm:
        self.opened.append(make())
        return self.opened[-1]


ShortTermFactory = Callable[[], AbstractAsyncContextManager[ShortTermStorage]]
ShortTermCheck = Callable[[ShortTermStorage], Awaitable[None]]


def short_term_storage_of(make: Open, *, durable: bool) -> ShortTermFactory:
    """A factory for one check.

    Args:
        make: builds a store; for a durable one, each call opens the same data, which are empty when the check begins.
        durable: whether that is so.
    """

    @asynccontextmanager
    async def factory() -> AsyncIterator[ShortTermStorage]:
        storage = ShortTermStorage(make(), make, make if durable else None)
        try:
            yield storage
        finally:
            for store in (storage.store, *storage.opened):
                await store.close()

    return factory


def said(
    number: int, *, tokens: int = 10, text: str = "", speaker: Literal["user", "character"] = "user"
) -> RecentMessage:
    """A message of turn ``t<number>``."""
    message = Message(speaker=speaker, text=text or f"message {number}", turn=number, at=NOON)
    return RecentMessage(message, f"t{number}", tokens)


def texts(found: Sequence[RecentMessage]) -> list[str]:
    """What was said, in order."""
    return [one.message.text for one in found]


async def _talk(store: ShortTerm, count: int, *, session: str = "s", tokens: int = 10) -> None:
    await store.replace(session, "", [])
    for number in range(1, count + 1):
        after = f"t{number - 1}" if number > 1 else ""
        taken = await store.append(session, f"t{number}", [said(number, tokens=tokens)], after=after)
        expect(taken, f"append() of turn {number} after {after!r} was refused.")


async def messages_come_back_equal(storage: ShortTermStorage) -> None:
    """Every field is read back, in the order written, in any script, with quotes, emoji and line breaks."""
    store = storage.store
    given = [
        RecentMessage(Message(speaker="character", text='你好！\n🌸 "hi" \\ \0 end', turn=0), "", 3),
        said(1, text="it's 100% 好的", tokens=7),
        said(1, speaker="character", tokens=0),
    ]
    await store.replace("会话 a:b", "t1", given)
    expect_equal(await store.recent("会话 a:b"), tuple(given), "recent()")
    expect_equal(await store.stands("会话 a:b"), "t1", "stands()")


async def unknown_sessions_are_empty(storage: ShortTermStorage) -> None:
    """Nothing, at no turn, and nothing to clear; nothing can be appended to it."""
    store = storage.store
    expect_equal(await store.recent("s"), (), "recent() of an unknown session")
    expect_equal(await store.stands("s"), None, "stands() of an unknown session")
    expect(not await store.clear("s"), "clear() of an unknown session should say False.")
    expect(not await store.append("s", "t1", [said(1)], after=""), "append() without a list should say False.")
    expect_equal(await store.recent("s"), (), "recent() after a refused append()")


async def the_newest_are_kept_whole(storage: ShortTermStorage) -> None:
    """What does not fit goes, oldest first; what stays is whole and in order."""
    store = storage.store
    await _talk(store, 12, tokens=30)
    expect_equal(texts(await store.recent("s")), ["message 10", "message 11", "message 12"], "what 100 tokens hold")
    await store.append("s", "t13", [said(13, tokens=65)], after="t12")
    expect_equal(texts(await store.recent("s")), ["message 12", "message 13"], "after a long message")
    await store.append("s", "t14", [said(14, tokens=35), said(15, tokens=65)], after="t13")
    expect_equal(texts(await store.recent("s")), ["message 14", "message 15"], "when the budget is just filled")


async def reading_fewer(storage: ShortTermStorage) -> None:
    """recent() with less tokens gives less and takes nothing away; with more it gives what there is."""
    store = storage.store
    await _talk(store, 5, tokens=20)
    for limit, count in ((100, 5), (99, 4), (60, 3), (59, 2), (20, 1), (1, 1), (0, 1), (10_000, 5)):
        expect_equal(len(await store.recent("s", max_tokens=limit)), count, f"messages in {limit} tokens")
    expect_equal(len(await store.recent("s")), 5, "messages after reading fewer")


async def an_oversized_message_stays_alone(storage: ShortTermStorage) -> None:
    """A last message over the whole budget is kept alone and whole; the next one drives it out."""
    store = storage.store
    await _talk(store, 2)
    long = "long " * 2000
    await store.append("s", "t3", [said(3, tokens=2500, text=long)], after="t2")
    expect_equal(texts(await store.recent("s")), [long], "after a message over the budget")
    await store.append("s", "t4", [said(4)], after="t3")
    expect_equal(texts(await store.recent("s")), ["message 4"], "after the next message")


async def a_turn_is_written_once(storage: ShortTermStorage) -> None:
    """The same turn appended again, by this store or another, adds nothing and is no refusal."""
    store = storage.store
    await _talk(store, 2)
    for again in (store, storage.second(), store):
        expect(await again.append("s", "t2", [said(2)], after="t1"), "append() of a turn that is there was refused.")
    expect_equal(texts(await store.recent("s")), ["message 1", "message 2"], "messages")
    for _ in range(2):
        await store.replace("s", "t9", [said(9)])
    expect_equal((texts(await store.recent("s")), await store.stands("s")), (["message 9"], "t9"), "after replace()")


async def only_the_next_turn_is_taken(storage: ShortTermStorage) -> None:
    """A turn that does not follow the one the list stands at is refused, and changes nothing."""
    store = storage.store
    await _talk(store, 3)
    for turn, after in (("t5", "t4"), ("t2b", "t1"), ("t9", ""), ("t4", "T3")):
        expect(not await store.append("s", turn, [said(9)], after=after), f"append() after {after!r} should say False.")
    expect_equal((len(await store.recent("s")), await store.stands("s")), (3, "t3"), "after refusals")
    expect(await store.append("s", "change", [], after="t3"), "append() of no messages was refused.")
    expect_equal(
        (len(await store.recent("s")), await store.stands("s")), (3, "change"), "after a turn without messages"
    )


async def sessions_do_not_mix(storage: ShortTermStorage) -> None:
    """Each session has its own list, whatever its id looks like."""
    store = storage.store
    ids = ("s", "S", "s:t", "recent:s", "s1", "é", "e\u0301", "a b", "*")
    for place, session in enumerate(ids):
        await store.replace(session, f"turn {place}", [said(place)])
    await store.clear("s")
    for place, session in enumerate(ids[1:], start=1):
        expect_equal(texts(await store.recent(session)), [f"message {place}"], f"recent({session!r})")
        expect_equal(await store.stands(session), f"turn {place}", f"stands({session!r})")
    expect_equal(await store.recent("s"), (), "recent() of the one that was cleared")


async def clear_removes(storage: ShortTermStorage) -> None:
    """After clear() there is nothing, and the session can begin anew."""
    store = storage.store
    await _talk(store, 3)
    expect(await store.clear("s"), "clear() of a list was refused.")
    expect_equal((await store.recent("s"), await store.stands("s")), ((), None), "after clear()")
    expect(not await store.clear("s"), "clear() again should say False.")
    await _talk(store, 1)
    expect_equal(texts(await store.recent("s")), ["message 1"], "after beginning anew")


async def lists_end(storage: ShortTermStorage) -> None:
    """A list that nobody wrote to for its time is gone; a write gives it all its time again."""
    store = storage.other(ttl_seconds=1)
    lasting = storage.store
    await lasting.replace("lasting", "t1", [said(1)])
    await store.replace("s", "t1", [said(1)])
    for number in (2, 3):
        await asyncio.sleep(0.6)
        taken = await store.append("s", f"t{number}", [said(number)], after=f"t{number - 1}")
        expect(taken, "A list ended although it was written to.")
    expect_equal(len(await store.recent("s")), 3, "messages of a list that is written to")
    await asyncio.sleep(1.1)
    expect_equal((await store.recent("s"), await store.stands("s")), ((), None), "a list after its time")
    expect(
        not await store.append("s", "t4", [said(4)], after="t3"), "append() to a list that has ended should say False."
    )
    expect_equal(len(await lasting.recent("lasting")), 1, "messages of a list without end")


async def another_store_reads_it(storage: ShortTermStorage) -> None:
    """What one store wrote another reads at once, and after closing (durable stores only)."""
    store, beside = storage.store, storage.second()
    await _talk(store, 3)
    expect_equal(await beside.recent("s"), await store.recent("s"), "recent() of a second store")
    expect(await beside.append("s", "t4", [said(4)], after="t3"), "append() of a second store was refused.")
    expect_equal(await store.stands("s"), "t4", "stands() after the other's append()")
    if storage.make is None:
        return
    before = await store.recent("s")
    await store.close()
    await beside.close()
    expect_equal(await storage.second().recent("s"), before, "recent() after closing")


async def writers_side_by_side(storage: ShortTermStorage) -> None:
    """Of several programs that each write every turn, each turn is written once, in order."""
    stores = [storage.store, storage.second(), storage.second()]
    await storage.store.replace("s", "t0", [])

    async def write(store: ShortTerm) -> None:
        for number in range(1, 9):
            while not await store.append("s", f"t{number}", [said(number)], after=f"t{number - 1}"):
                at = await store.stands("s")
                if at is not None and int(at[1:]) >= number:
                    break
                await asyncio.sleep(0)

    await asyncio.gather(*(write(store) for store in stores))
    expect_equal(texts(await stores[1].recent("s")), [f"message {number}" for number in range(1, 9)], "messages")


async def cancelled_write_is_whole(storage: ShortTermStorage) -> None:
    """A write cancelled at any moment happened whole or not at all, and the store goes on working."""
    store = storage.other(max_tokens=10_000)
    await store.replace("c", "t0", [])
    for number in range(1, 13):
        before = await store.stands("c") or ""
        pair = [said(number, text="long " * 20_000), said(number, speaker="character")]
        writing = asyncio.create_task(store.append("c", f"t{number}", pair, after=before))
        for _ in range(number % 5):
            await asyncio.sleep(0)
        writing.cancel()
        await asyncio.wait([writing])
        count = sum(one.turn_id == f"t{number}" for one in await store.recent("c"))
        stands = await store.stands("c")
        expect_equal(count, 2 if stands == f"t{number}" else 0, f"messages of a cancelled write ({stands!r})")
    await store.replace("c", "last", [said(99)])
    expect_equal(texts(await store.recent("c")), ["message 99"], "after cancelled writes")


async def unstorable_text_is_refused(storage: ShortTermStorage) -> None:
    """Text that is no valid Unicode raises StoreError, and nothing is written."""
    store = storage.store
    await _talk(store, 1)
    broken = RecentMessage(Message(speaker="user", text="fine", turn=2).model_copy(update={"text": "\ud800"}), "t2", 1)
    await expect_raises(
        StoreError, store.append("s", "t2", [said(2), broken], after="t1"), "append() of a lone surrogate"
    )
    await expect_raises(StoreError, store.replace("s", "t2", [broken]), "replace() by a lone surrogate")
    expect_equal((texts(await store.recent("s")), await store.stands("s")), (["message 1"], "t1"), "after refusals")


async def use_after_close_is_refused(storage: ShortTermStorage) -> None:
    """Every call after close() raises StoreError; closing twice is allowed."""
    store = storage.store
    await _talk(store, 1)
    await store.close()
    await store.close()
    calls: dict[str, Callable[[], Awaitable[object]]] = {
        "append": lambda: store.append("s", "t2", [said(2)], after="t1"),
        "replace": lambda: store.replace("s", "t2", [said(2)]),
        "stands": lambda: store.stands("s"),
        "recent": lambda: store.recent("s"),
        "clear": lambda: store.clear("s"),
    }
    for name, call in calls.items():
        await expect_raises(StoreError, call(), f"{name} after close()")


CHECKS: tuple[ShortTermCheck, ...] = (
    messages_come_back_equal,
    unknown_sessions_are_empty,
    the_newest_are_kept_whole,
    reading_fewer,
    an_oversized_message_stays_alone,
    a_turn_is_written_once,
    only_the_next_turn_is_taken,
    sessions_do_not_mix,
    clear_removes,
    lists_end,
    another_store_reads_it,
    writers_side_by_side,
    cancelled_write_is_whole,
    unstorable_text_is_refused,
    use_after_close_is_refused,
)
