"""The SQLite store when its program is killed, when the disk is full, and when two programs use one file."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pytest

from harness.adapters.stores.sqlite import SQLiteSessionStore
from harness.errors import StorageFull
from harness.testing.conformance.samples import sample_info, sample_record
from tests.fault.programs import finish, kill_after, start

WRITER = "store_writer.py"
BODY = "half a record would end somewhere in here 半条记录 " * 400


async def test_killed_while_writing_loses_nothing_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    acknowledged: list[list[str]] = []
    for round_number, lines in enumerate((4, 60, 33)):
        acknowledged += kill_after(start(WRITER, "loop", path, f"r{round_number}"), lines)[1:]

        store = SQLiteSessionStore(path)
        assert await store.check() == ()
        info = await store.info("s1")
        stored = {record.id: record for record in await store.records("s1")}
        on_branch = await store.branch("s1", info.head)
        await store.close()

        # At most one write per round was done without being acknowledged.
        writes = len(acknowledged)
        assert writes <= info.version <= writes + round_number + 1
        assert len(on_branch) == len(stored) == info.turns
        for action, turn_id, _ in acknowledged:
            assert stored[turn_id].reply == BODY
            if action == "amended":
                assert stored[turn_id].phase == "done"
        assert all(record.reply == BODY for record in stored.values())


async def test_killed_while_creating_the_file_leaves_a_usable_place(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    for _ in range(3):
        kill_after(start(WRITER, "loop", path, "x"), 1)
    store = SQLiteSessionStore(path)
    assert len(await store.sessions()) <= 1
    assert await store.check() == ()
    await store.create(sample_info("s2"))
    await store.close()


async def test_killed_writer_does_not_disturb_another_program(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    store = SQLiteSessionStore(path)
    await store.create(sample_info("own"))
    process = start(WRITER, "loop", path, "x")
    assert process.stdout is not None
    process.stdout.readline()
    for version in range(20):
        await store.append("own", sample_record(f"t{version}", None, 1), expected_version=version)
    kill_after(process, 0)
    await store.append("own", sample_record("last", None, 1), expected_version=20)
    assert len(await store.records("own")) == 21
    await store.close()


async def test_two_programs_write_one_session(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    store = SQLiteSessionStore(path)
    await store.create(sample_info("s1"))
    programs = [start(WRITER, "compete", path, name) for name in ("a", "b")]
    lines = [line for program in programs for line in finish(program)]
    appended = {line[1]: int(line[2]) for line in lines if line[0] == "appended"}
    conflicts = [line for line in lines if line[0] == "conflict"]

    assert sorted(appended.values()) == list(range(1, 81))
    assert all(int(expected) < int(found) for _, expected, found in conflicts)
    info = await store.info("s1")
    assert (info.version, info.turns) == (80, 80)
    branch = await store.branch("s1", info.head)
    assert [appended[record.id] for record in branch] == list(range(1, 81))
    for name in ("a", "b"):
        own = [record.id for record in branch if record.id.startswith(name)]
        assert own == [f"{name}-{number}" for number in range(40)]
    await store.close()


async def test_full_database_refuses_and_stays_whole(tmp_path: Path) -> None:
    store = SQLiteSessionStore(tmp_path / "sessions.db")
    await store.create(sample_info("s1"))
    await store.append("s1", sample_record("t0", None, 1), expected_version=0)
    pages = await store._file.run(lambda journal: journal._connection.execute("PRAGMA page_count").fetchone()[0])
    limit = f"PRAGMA max_page_count = {pages + 20}"
    await store._file.run(lambda journal: journal._connection.execute(limit).fetchall())
    before = (await store.info("s1"), await store.records("s1"))

    large = sample_record("t1", "t0", 2, reply="x" * 200_000)
    with pytest.raises(StorageFull, match="nothing was half-written") as raised:
        await store.append("s1", large, expected_version=1)
    assert "Free some space" in str(raised.value)
    with pytest.raises(StorageFull):
        await store.amend("s1", sample_record("t0", None, 1, reply="x" * 200_000), expected_version=1)
    assert (await store.info("s1"), await store.records("s1")) == before
    assert await store.append("s1", sample_record("t1", "t0", 2), expected_version=1) == 2

    await store._file.run(lambda journal: journal._connection.execute("PRAGMA max_page_count = 1000000").fetchall())
    assert await store.append("s1", large.model_copy(update={"id": "t2"}), expected_version=2) == 3
    assert await store.check() == ()
    await store.close()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on file size")
async def test_failed_file_growth_refuses_and_stays_whole(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    lines = finish(start(WRITER, "fill_up", path, "x"))
    appended = [line[1] for line in lines if line[0] == "appended"]
    refused = next(line for line in lines if line[0] == "refused")
    readable = next(line for line in lines if line[0] == "readable")
    assert refused[1] == "StorageFull"
    assert str(path) in " ".join(refused)
    assert len(appended) > 3
    # All that was acknowledged before, nothing of the refused one, and the same write once there was room again.
    assert readable[1:] == [str(len(appended) - 1)] * 2
    store = SQLiteSessionStore(path)
    assert [record.id for record in await store.records("s1")] == appended
    assert await store.check() == ()
    await store.close()


@pytest.mark.skipif(sys.platform == "win32", reason="folders of Windows have no mode bits")
@pytest.mark.parametrize("place", ["sessions.db", "new/sessions.db"])
def test_read_only_folder_is_a_clear_error(place: str) -> None:
    # Not tmp_path: another user must be able to reach the folder, for root may write anywhere.
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o555)
        lines = finish(start(WRITER, "try_to_open", folder / place, "x"))
        assert list(folder.iterdir()) == []
        folder.chmod(0o755)
    (refused,) = lines
    assert refused[:2] == ["refused", "StoreError"]
    assert "writable" in " ".join(refused)
