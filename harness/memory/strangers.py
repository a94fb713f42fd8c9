"""A user id that memory has never seen, where the character knows others: perhaps a wrong one."""

from __future__ import annotations

from harness.memory.scopes import asked_scope
from harness.ports import MemoryFilter, MemoryStore
from harness.state import ContextWarning, SessionInfo
from harness.state.memory import Scope

LOOKED_AT = 50
"""Items looked at to find one that belongs to a user."""


async def stranger(store: MemoryStore, info: SessionInfo) -> ContextWarning | None:
    """The warning, or None where something is known of this user, or nothing of anybody. Other users are not named.

    Raises:
        StoreError: the store does not answer.
    """
    own = await store.browse(MemoryFilter(scope=asked_scope(info), statuses=()), limit=LOOKED_AT)
    if any(item.scope.user == info.user for item in own):
        return None
    persona = Scope(persona=asked_scope(info).persona)
    others = await store.browse(MemoryFilter(scope=persona, everything=True), limit=LOOKED_AT)
    if not any(item.scope.user for item in others):
        return None
    return ContextWarning(kind="unknown_user", text=f"nothing is known of the user id {info.user!r}")
