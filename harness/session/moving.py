"""Taking sessions from one store to another, every branch of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from harness.errors import SessionNotFound
from harness.ports import SessionStore
from harness.state import SessionInfo

OnMoved = Callable[[int, int], None]
"""Told how many of how many sessions were looked at."""


@dataclass(frozen=True, slots=True)
class MovedSessions:
    """What was taken over.

    Attributes:
        sessions: how many the source has. ``copied``: now, or completed now; ``present``: were there already, or went on there.
        turns: copied now.
        different: ids that both stores have with other turns; the target's were left as they are.
    """

    sessions: int = 0
    copied: int = 0
    present: int = 0
    turns: int = 0
    different: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether the target has all turns that the source has."""
        return not self.different


async def move_sessions(
    source: SessionStore, target: SessionStore, *, progress: OnMoved | None = None
) -> MovedSessions:
    """Copy all sessions into another store. The source is not changed; doing it again copies what is missing.

    Raises:
        StoreError: one of the stores does not answer; what was copied stays.
    """
    infos = tuple(reversed(await source.sessions()))  # oldest first, so that their order stays
    copied = turns = 0
    different: list[str] = []
    for done, info in enumerate(infos, 1):
        added = await _move_one(info, source, target)
        if added is None:
            different.append(info.id)
        else:
            copied += added > 0
            turns += max(added - 1, 0)
        if progress is not None:
            progress(done, len(infos))
    return MovedSessions(len(infos), copied, len(infos) - copied - len(different), turns, tuple(different))


async def _move_one(info: SessionInfo, source: SessionStore, target: SessionStore) -> int | None:
    """How many turns were added, and one more for the session; 0 when all were there, None when others are there."""
    records = await source.records(info.id)
    created = False
    try:
        there, head = await target.records(info.id), (await target.info(info.id)).head
    except SessionNotFound:
        await target.create(info.model_copy(update={"head": None, "version": 0, "turns": 0}))
        there, head, created = (), None, True
    if there[: len(records)] == records and len(there) > len(records):
        return 0  # it went on in the target
    if there != records[: len(there)]:
        return None
    last = records[-1].id if records else None
    added = records[len(there) :]
    version = await target.version(info.id)
    for record in added:
        version = await target.append(info.id, record, expected_version=version)
        head = record.id
    # A head that is neither the last turn nor the source's was put there in the target.
    moves = head == last and info.head != last
    if moves:
        await target.move_head(info.id, info.head, expected_version=version)
    return len(added) + 1 if added or created or moves else 0
