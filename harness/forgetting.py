"""Forgetting a user: in every store there is, so that no file has what they said."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from harness.memory import Memories
from harness.ports import Artifacts, MemoryFilter, Overwrites, SessionStore, ShortTerm
from harness.state import SessionInfo
from harness.state.memory import Scope

Forgetter = Callable[[str, Sequence[str]], Awaitable[int]]
"""Removes what a further store has of a user: called with the user's id and the ids of their sessions; gives how much it was. Doing
it twice is doing it once.
"""
ARTIFACTS = "artifacts"
"""Name of the store of long tool results: they are a part of the journal, and go only with it."""

SHORT_TERM = "short_term"
AGAIN = frozenset((ARTIFACTS, SHORT_TERM))
"""What programs write of a session beside its journal: they look whether it is there when they have written it."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was removed.

    Attributes:
        memories: how many. ``sessions``: ids of those that were deleted with their journals.
        others: how much each further store had, of those that had something.
        kept: ids of the user's sessions whose journals still have what was said.
        remains: files that may still hold words of the user: those only a person can decide about, those that could not be used, and
            ``pending``. Also addresses of servers that the settings name and nothing uses.
        pending: those of them that another program reads at this moment, so that deleted words cannot be overwritten yet. It is
            tried again with every later use of the store; or forget the user again.
    """

    user: str
    memories: int = 0
    sessions: tuple[str, ...] = ()
    others: Mapping[str, int] = field(default_factory=dict)
    kept: tuple[str, ...] = ()
    remains: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Swept:
    """What was removed from files that are not in use: how many of each, and as in :class:`Forgotten`."""

    memories: int = 0
    graph: int = 0
    short_term: int = 0
    remains: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()


class Sweeping(Protocol):
    """Files that are not in use."""

    async def sessions_of(self, user: str, persona: str) -> tuple[str, ...]:
        """The sessions that they have of a user."""
        ...

    async def forget(self, user: str, persona: str, sessions: Sequence[str], *, journal: bool) -> Swept:
        """Remove what they have of a user and of these sessions; ``journal``: which are deleted."""
        ...


def forget_artifacts(artifacts: Callable[[], Artifacts]) -> Forgetter:
    """Removes the long tool results of a user's sessions."""

    async def forget(_user: str, sessions: Sequence[str]) -> int:
        return sum([await artifacts().delete(session) for session in sessions])

    return forget


def forget_short_term(store: Callable[[], ShortTerm]) -> Forgetter:
    """Removes the newest messages of a user's sessions; a session that stays copies its own again in its next turn."""

    async def forget(_user: str, sessions: Sequence[str]) -> int:
        return sum([await store().clear(session) for session in sessions])

    return forget


async def sessions_of(user: str, store: SessionStore, persona: str = "") -> tuple[SessionInfo, ...]:
    """The sessions of a user, those with one character when it is named."""
    return tuple(info for info in await store.sessions() if info.user == user and persona in ("", info.persona_ref.id))


async def forget_user(
    user: str,
    *,
    persona: str,
    journal: bool,
    store: SessionStore,
    memories: Memories | None,
    forgetters: Mapping[str, Forgetter],
    remains: Sequence[str] = (),
    elsewhere: Sweeping | None = None,
    beside: Sequence[object] = (),
) -> Forgotten:
    """Remove a user from all stores; what belongs to a session goes before it, so that it is found again when this is cut short.

    Args:
        elsewhere: files that are not in use. ``beside``: further stores that are asked whether their files still hold deleted words.

    Raises:
        StoreError: a store does not answer; what was removed until then stays removed, and it can be done again.
    """
    found = await sessions_of(user, store, persona)
    own = tuple(info.id for info in found)
    ids = tuple(dict.fromkeys((*own, *(await elsewhere.sessions_of(user, persona) if elsewhere is not None else ()))))
    others = {name: await forget(user, ids) for name, forget in forgetters.items() if journal or name != ARTIFACTS}
    swept = await elsewhere.forget(user, persona, ids, journal=journal) if elsewhere is not None else Swept()
    for name, many in (("graph", swept.graph), ("short_term", swept.short_term)):
        others[name] = others.get(name, 0) + many
    if journal:
        if memories is not None:  # before the journals, which know the ids, and again behind them
            await memories.unfollow(ids)
        for session in own:
            await store.delete(session)
        for name in AGAIN & forgetters.keys():  # what another program wrote while the session was there still
            others[name] += await forgetters[name](user, ids)
    count = 0
    if memories is not None:
        where = MemoryFilter(scope=Scope(persona=persona, user=user), everything=True, statuses=())
        count = await memories.forget(where)
        if journal:
            await memories.unfollow(ids)

            async def known() -> list[str]:
                return [info.id for info in await store.sessions()]

            await memories.unfollow_unknown(known)
    pending = [*swept.pending, *await not_overwritten((store, *beside))]
    return Forgotten(
        user,
        count + swept.memories,
        ids if journal else (),
        {name: many for name, many in others.items() if many},
        kept=() if journal else ids,
        remains=(*remains, *swept.remains, *pending),
        pending=tuple(pending),
    )


async def not_overwritten(stores: Sequence[object]) -> tuple[str, ...]:
    """The files of stores that may still hold deleted words, after one more try. Raises StoreError."""
    return tuple([file for one in stores if isinstance(one, Overwrites) for file in await one.not_overwritten()])
