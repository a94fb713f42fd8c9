"""The suite notices stores that are broken on purpose, each by the check that is about it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from harness.adapters.stores.memory import MemorySessionStore
from harness.adapters.stores.sqlite import SQLiteSessionStore
from harness.errors import ConflictError, StoreError
from harness.ports import TurnPlace, places
from harness.state.record import SessionInfo, TurnRecord
from harness.testing.conformance.sessions import (
    CHECKS,
    ConformanceError,
    StorageFactory,
    check_session_store,
    storage_of,
)

if TYPE_CHECKING:
    from harness.state.dialogue import DialogueState


class IgnoresVersion(MemorySessionStore):
    async def append(self, session_id: str, record: TurnRecord, **options: Any) -> int:
        options["expected_version"] = await self.version(session_id)
        return await super().append(session_id, record, **options)


class AmendIgnoresVersion(MemorySessionStore):
    async def amend(self, session_id: str, record: TurnRecord, *, expected_version: int) -> int:
        return await super().amend(
            session_id, record, expected_version=await self.version(session_id) or expected_version
        )


class HeadIgnoresVersion(MemorySessionStore):
    async def move_head(self, session_id: str, turn_id: str | None, *, expected_version: int) -> int:
        return await super().move_head(
            session_id, turn_id, expected_version=await self.version(session_id) or expected_version
        )


class LosesSibling(MemorySessionStore):
    async def append(self, session_id: str, record: TurnRecord, **options: Any) -> int:
        version = await super().append(session_id, record, **options)
        records = self._sessions[session_id].records
        for other in list(records.values()):
            if other.parent == record.parent and other.id != record.id:
                del records[other.id]
        return version


class LastWriteWins(MemorySessionStore):
    async def append(self, session_id: str, record: TurnRecord, **options: Any) -> int:
        if session_id in self._sessions and record.id in self._sessions[session_id].records:
            return await self.amend(session_id, record, expected_version=options["expected_version"])
        return await super().append(session_id, record, **options)


class MixesSessions(MemorySessionStore):
    async def record(self, session_id: str, turn_id: str) -> TurnRecord:
        await self.version(session_id)
        for session in self._sessions.values():
            if turn_id in session.records:
                return session.records[turn_id]
        return await super().record(session_id, turn_id)


class TakesSnapshotOfSibling(MemorySessionStore):
    async def snapshot(self, session_id: str, turn_id: str) -> tuple[str, DialogueState] | None:
        number = (await self.record(session_id, turn_id)).number
        session = self._session(session_id)
        above = [record for record in session.records.values() if record.number <= number]
        for record in sorted(above, key=lambda record: -record.number):
            if record.id in session.snapshots:
                return record.id, session.snapshots[record.id]
        return None


class ForgetsAmend(MemorySessionStore):
    async def amend(self, session_id: str, record: TurnRecord, *, expected_version: int) -> int:
        known = await self.record(session_id, record.id)
        if known.parent != record.parent:
            return await super().amend(session_id, record, expected_version=expected_version)
        return await super().amend(session_id, known, expected_version=expected_version)


class AmendAppends(MemorySessionStore):
    async def amend(self, session_id: str, record: TurnRecord, *, expected_version: int) -> int:
        version = await super().amend(session_id, record, expected_version=expected_version)
        records = self._sessions[session_id].records
        records[record.id] = records.pop(record.id)
        return version


class KeepsStaleSnapshots(MemorySessionStore):
    @staticmethod
    def _drop_snapshots(session: Any, turn_id: str) -> None:
        session.snapshots.pop(turn_id, None)


class DeleteLeavesRecords(MemorySessionStore):
    def __init__(self) -> None:
        super().__init__()
        self._left: dict[str, Any] = {}

    async def delete(self, session_id: str) -> None:
        session = self._session(session_id)
        await super().delete(session_id)
        self._left[session_id] = session.records

    async def create(self, info: SessionInfo) -> None:
        await super().create(info)
        self._sessions[info.id].records.update(self._left.get(info.id, {}))


class ReturnsUnvalidated(MemorySessionStore):
    async def record(self, session_id: str, turn_id: str) -> TurnRecord:
        return TurnRecord.model_construct(**(await super().record(session_id, turn_id)).model_dump())


class MovesHeadAnywhere(MemorySessionStore):
    async def move_head(self, session_id: str, turn_id: str | None, *, expected_version: int) -> int:
        session = self._session(session_id, expected_version)
        version = expected_version + 1
        found = session.records.get(turn_id or "")
        turns = found.number if found else 0
        session.info = session.info.model_copy(update={"head": turn_id, "version": version, "turns": turns})
        self._sessions[session_id] = self._sessions.pop(session_id)
        return version


class AcceptsOrphans(MemorySessionStore):
    async def append(self, session_id: str, record: TurnRecord, **options: Any) -> int:
        session = self._session(session_id)
        if record.parent not in session.records:
            record = record.model_copy(update={"parent": None})
        return await super().append(session_id, record, **options)


class SnapshotRaisesVersion(MemorySessionStore):
    async def save_snapshot(self, session_id: str, turn_id: str, state: DialogueState) -> None:
        await super().save_snapshot(session_id, turn_id, state)
        session = self._session(session_id)
        session.info = session.info.model_copy(update={"version": session.info.version + 1})


class ListsInOrderOfCreation(MemorySessionStore):
    async def sessions(self) -> tuple[SessionInfo, ...]:
        return tuple(sorted(await super().sessions(), key=lambda info: info.id, reverse=True))


class IgnoresAfter(MemorySessionStore):
    async def branch(self, session_id: str, turn_id: str | None, *, after: str | None = None) -> tuple[TurnRecord, ...]:
        await super().branch(session_id, turn_id, after=after)
        return await super().branch(session_id, turn_id)


class PathTakesSiblings(MemorySessionStore):
    async def path(self, session_id: str, turn_id: str | None) -> tuple[TurnPlace, ...]:
        await super().path(session_id, turn_id)
        return places((record.id, record.parent, record.number) for record in await self.records(session_id))


class AlwaysMovesHead(MemorySessionStore):
    async def append(self, session_id: str, record: TurnRecord, **options: Any) -> int:
        return await super().append(session_id, record, **{**options, "move_head": True})


class WorksAfterClose(MemorySessionStore):
    async def close(self) -> None:
        """Leaves the store open."""


class CutsLongText(MemorySessionStore):
    async def append(self, session_id: str, record: TurnRecord, **options: Any) -> int:
        cut = {"reply": record.reply[:65_535]} if record.reply else {}
        return await super().append(session_id, record.model_copy(update=cut), **options)


class AcceptsInvalid(MemorySessionStore):
    async def append(self, session_id: str, record: TurnRecord, **options: Any) -> int:
        try:
            return await super().append(session_id, record, **options)
        except StoreError as error:
            if "not stored" not in str(error):
                raise
            session = self._session(session_id, options["expected_version"])
            session.records[record.id] = record
            return self._changed(session, session.info.head)


class TearsWhenCancelled(MemorySessionStore):
    async def append(self, session_id: str, record: TurnRecord, **options: Any) -> int:
        version = await super().append(session_id, record, **options)
        session = self._session(session_id)
        done, session.info = session.info, session.info.model_copy(update={"version": version - 1})
        await asyncio.sleep(0)
        session.info = done
        return version


class ChecksThenWrites(MemorySessionStore):
    async def append(self, session_id: str, record: TurnRecord, **options: Any) -> int:
        self._session(session_id, options["expected_version"])
        await asyncio.sleep(0)
        options["expected_version"] = await self.version(session_id)
        return await super().append(session_id, record, **options)


class FoldsCase(MemorySessionStore):
    async def create(self, info: SessionInfo) -> None:
        if info.id.casefold() in {known.casefold() for known in self._sessions}:
            await super().create(await self.info(next(iter(self._sessions))))
        await super().create(info)


class CreateTakesVersionOver(MemorySessionStore):
    async def create(self, info: SessionInfo) -> None:
        await super().create(info)
        self._sessions[info.id].info = info


class CreateOverwrites(MemorySessionStore):
    async def create(self, info: SessionInfo) -> None:
        self._open().pop(info.id, None)
        await super().create(info)


class LosesPersona(MemorySessionStore):
    async def create(self, info: SessionInfo) -> None:
        await super().create(info.model_copy(update={"persona": info.persona.model_copy(update={"voice": ""})}))


class UnknownSessionIsEmpty(MemorySessionStore):
    async def records(self, session_id: str) -> tuple[TurnRecord, ...]:
        return await super().records(session_id) if session_id in self._open() else ()


class DeleteTakesNeighbours(MemorySessionStore):
    async def delete(self, session_id: str) -> None:
        turns = {record.id for record in await self.records(session_id)}
        await super().delete(session_id)
        for session in self._sessions.values():
            for turn_id in turns:
                session.snapshots.pop(turn_id, None)


class AmendKeepsVersion(MemorySessionStore):
    async def amend(self, session_id: str, record: TurnRecord, *, expected_version: int) -> int:
        version = await super().amend(session_id, record, expected_version=expected_version)
        session = self._sessions[session_id]
        session.info = session.info.model_copy(update={"version": expected_version})
        return version


class AmendInserts(MemorySessionStore):
    async def amend(self, session_id: str, record: TurnRecord, *, expected_version: int) -> int:
        if record.id not in self._session(session_id).records:
            return await self.append(session_id, record, expected_version=expected_version)
        return await super().amend(session_id, record, expected_version=expected_version)


class AmendMovesTurn(MemorySessionStore):
    async def amend(self, session_id: str, record: TurnRecord, *, expected_version: int) -> int:
        session = self._session(session_id, expected_version)
        if record.id in session.records and session.records[record.id].parent != record.parent:
            session.records[record.id] = record
        return await super().amend(session_id, record, expected_version=expected_version)


class UnknownTurnHasNoSnapshot(MemorySessionStore):
    async def snapshot(self, session_id: str, turn_id: str) -> tuple[str, DialogueState] | None:
        if turn_id not in self._session(session_id).records:
            return None
        return await super().snapshot(session_id, turn_id)


class TakesFarthestSnapshot(MemorySessionStore):
    async def snapshot(self, session_id: str, turn_id: str) -> tuple[str, DialogueState] | None:
        session = self._session(session_id)
        found = [record.id for record in session.upwards(turn_id) if record.id in session.snapshots]
        return (found[-1], session.snapshots[found[-1]]) if found else None


class KeepsUnreadableSnapshot(MemorySessionStore):
    async def save_snapshot(self, session_id: str, turn_id: str, state: DialogueState) -> None:
        session = self._session(session_id)
        session.find(turn_id)
        session.snapshots[turn_id] = state


class TurnsOnlyGrow(MemorySessionStore):
    async def move_head(self, session_id: str, turn_id: str | None, *, expected_version: int) -> int:
        turns = (await self.info(session_id)).turns
        version = await super().move_head(session_id, turn_id, expected_version=expected_version)
        session = self._sessions[session_id]
        session.info = session.info.model_copy(update={"turns": max(turns, session.info.turns)})
        return version


class RemembersOneSession(MemorySessionStore):
    _writing = ""

    async def append(self, session_id: str, record: TurnRecord, **options: Any) -> int:
        self._writing = session_id
        await asyncio.sleep(0)
        return await super().append(self._writing, record, **options)


class SilentConflict(MemorySessionStore):
    async def append(self, session_id: str, record: TurnRecord, **options: Any) -> int:
        try:
            return await super().append(session_id, record, **options)
        except ConflictError as error:
            raise ConflictError(error.message) from error


class SortsBranchesById(MemorySessionStore):
    async def branch(self, session_id: str, turn_id: str | None, *, after: str | None = None) -> tuple[TurnRecord, ...]:
        found = await super().branch(session_id, turn_id, after=after)
        return tuple(sorted(found, key=lambda record: record.id))


class LosesMicroseconds(SQLiteSessionStore):
    async def append(self, session_id: str, record: TurnRecord, **options: Any) -> int:
        if record.started_at is not None:
            record = record.model_copy(update={"started_at": record.started_at.replace(microsecond=0)})
        return await super().append(session_id, record, **options)


BROKEN: dict[type[MemorySessionStore], str] = {
    IgnoresVersion: "stale_append_is_refused",
    AmendIgnoresVersion: "stale_amend_is_refused",
    HeadIgnoresVersion: "stale_move_head_is_refused",
    LosesSibling: "siblings_are_kept",
    LastWriteWins: "duplicate_turn_is_refused",
    MixesSessions: "sessions_do_not_mix",
    TakesSnapshotOfSibling: "snapshot_stays_on_its_branch",
    ForgetsAmend: "amend_replaces_in_place",
    AmendAppends: "amend_replaces_in_place",
    KeepsStaleSnapshots: "amend_drops_what_it_made_untrue",
    DeleteLeavesRecords: "delete_removes_everything",
    ReturnsUnvalidated: "every_field_survives",
    MovesHeadAnywhere: "move_head_goes_anywhere_in_the_tree",
    AcceptsOrphans: "unknown_parent_is_refused",
    SnapshotRaisesVersion: "snapshot_is_only_a_cache",
    ListsInOrderOfCreation: "list_is_last_changed_first",
    IgnoresAfter: "branch_stops_below_after",
    PathTakesSiblings: "path_is_the_branch_without_its_content",
    AlwaysMovesHead: "append_moves_the_head",
    WorksAfterClose: "use_after_close_is_refused",
    CutsLongText: "large_record_survives",
    AcceptsInvalid: "invalid_record_is_refused",
    TearsWhenCancelled: "cancelled_write_is_whole",
    ChecksThenWrites: "one_writer_wins",
    FoldsCase: "ids_may_be_any_text",
    CreateTakesVersionOver: "create_starts_at_zero",
    CreateOverwrites: "create_twice_is_refused",
    LosesPersona: "create_then_read",
    UnknownSessionIsEmpty: "unknown_session_is_refused",
    DeleteTakesNeighbours: "delete_leaves_other_sessions",
    AmendKeepsVersion: "writes_raise_the_version_by_one",
    AmendInserts: "amend_of_unknown_turn_is_refused",
    AmendMovesTurn: "amend_cannot_move_a_turn",
    UnknownTurnHasNoSnapshot: "unknown_turn_is_refused",
    TakesFarthestSnapshot: "snapshot_is_the_nearest_above",
    KeepsUnreadableSnapshot: "unreadable_snapshot_counts_as_none",
    TurnsOnlyGrow: "turns_is_the_number_of_the_head",
    RemembersOneSession: "sessions_run_side_by_side",
    SilentConflict: "conflict_names_both_versions",
    SortsBranchesById: "long_branch_keeps_its_order",
}


async def failures_of(factory: StorageFactory) -> set[str]:
    with pytest.raises(ConformanceError) as raised:
        await check_session_store(factory)
    assert set(raised.value.failures) <= {check.__name__ for check in CHECKS}
    for name in raised.value.failures:
        assert name in str(raised.value)
    return set(raised.value.failures)


@pytest.mark.parametrize(("broken", "check"), BROKEN.items(), ids=lambda value: getattr(value, "__name__", value))
async def test_broken_store_is_caught(broken: type[MemorySessionStore], check: str) -> None:
    assert check in await failures_of(storage_of(lambda _: broken(), durable=False))


def test_every_check_catches_something() -> None:
    """No check is decoration: each is the one that a broken store above (or the forgetful one below) is caught by."""
    about_reopening = {"reopening_finds_everything", "another_store_sees_each_write"}
    assert {check.__name__ for check in CHECKS} == set(BROKEN.values()) | about_reopening


async def test_store_that_forgets_when_reopened_is_caught() -> None:
    failures = await failures_of(storage_of(lambda _: MemorySessionStore(), durable=True))
    assert {"reopening_finds_everything", "another_store_sees_each_write"} <= failures


async def test_store_that_loses_precision_is_caught() -> None:
    factory = storage_of(lambda folder: LosesMicroseconds(folder / "s.db"), durable=True)
    assert await failures_of(factory) == {"every_field_survives"}


async def test_every_failing_check_is_reported_by_name_with_its_reason() -> None:
    with pytest.raises(ConformanceError) as raised:
        await check_session_store(storage_of(lambda _: IgnoresVersion(), durable=False))
    failures = raised.value.failures
    assert "ConflictError" in str(failures["stale_append_is_refused"])
    assert "create_then_read" not in failures


async def test_sound_store_passes() -> None:
    await check_session_store(storage_of(lambda _: MemorySessionStore(), durable=False))
