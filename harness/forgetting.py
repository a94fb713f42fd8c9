"""Forgetting a user: in every store there is, so that no file has what they said."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from harness.memory import Memories
from harness.ports import Artifacts, MemoryFilter, SessionStore, ShortTerm
from harness.state import SessionInfo
from harness.state.memory import Scope

Forgetter = Callable[[str, Sequence[str]], Awaitable[int]]
"""Removes what a further store has of a user: called with the user's id and the ids of their sessions; gives how much it was. Doing
it twice is doing it once.
"""
ARTIFACTS = "artifacts"
"""Name of the store of long tool results: they are a part of the journal, and go only with it."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was removed.

    Attributes:
        memories: how many. ``sessions``: ids of those that were deleted with their journals.
        others: how much each further store had, of those that had something.
        kept: ids of the user's sessions whose journals still have what was said.
        remains: files that may still hold words of the user, which only a person can decide about.
    """

    user: str
    memories: int = 0
    sessions: tuple[str, ...] = ()
    others: Mapping[str, int] = field(default_factory=dict)
    kept: tuple[str, ...] = ()
    remains: tuple[str, ...] = ()


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
) -> Forgotten:
    """Remove a user from all stores; what belongs to a session goes before it, so that it is found again when this is cut short.

    Raises:
        StoreError: a store does not answer; what was removed until then stays removed, and it can be done again.
    """
    found = await sessions_of(user, store, persona)
    ids = tuple(info.id for info in found)
    others = {name: await forget(user, ids) for name, forget in forgetters.items() if journal or name != ARTIFACTS}
    if journal:
        for session in ids:
            await store.delete(session)
    count = 0
    if memories is not None:
        where = MemoryFilter(scope=Scope(persona=persona, user=user), everything=True, statuses=())
        count = await memories.forget(where)
    return Forgotten(
        user,
        count,
        ids if journal else (),
        {name: many for name, many in others.items() if many},
        kept=() if journal else ids,
        remains=tuple(remains),
    )
