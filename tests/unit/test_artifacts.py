"""Every place for long tool results behaves the same; the one in files keeps to its folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness.adapters.artifacts import ArtifactFiles, InProcessArtifacts
from harness.errors import ArtifactNotFound, CorruptStore, StoreError
from harness.ports import Artifacts

TEXTS = ["rain all week", "一周都有雨 🌧", "line one\r\nline two\n\n", "x" * 200_000]
ODD = ["../up", "a/b", "s" * 200, "会话 一", "CON", "s.", "S"]


@pytest.fixture(params=["files", "ram"])
def artifacts(request: pytest.FixtureRequest, tmp_path: Path) -> Artifacts:
    return ArtifactFiles(tmp_path / "artifacts") if request.param == "files" else InProcessArtifacts()


async def test_what_is_put_is_got_back(artifacts: Artifacts) -> None:
    refs = [await artifacts.put("s", text) for text in TEXTS]
    assert len(set(refs)) == len(TEXTS)
    assert [await artifacts.get("s", ref) for ref in refs] == TEXTS
    assert await artifacts.held("s") == tuple(sorted(refs))


async def test_the_same_text_is_kept_once(artifacts: Artifacts) -> None:
    assert await artifacts.put("s", TEXTS[0]) == await artifacts.put("s", TEXTS[0])
    assert len(await artifacts.held("s")) == 1


async def test_sessions_are_apart(artifacts: Artifacts) -> None:
    for session in ODD:
        await artifacts.put(session, session)
    refs = {session: await artifacts.held(session) for session in ODD}
    assert all(len(held) == 1 for held in refs.values())
    assert await artifacts.delete("S") == 1
    assert await artifacts.held("S") == ()
    for session in ODD[:-1]:
        assert await artifacts.get(session, refs[session][0]) == session
    with pytest.raises(ArtifactNotFound):
        await artifacts.get("S", refs["S"][0])
    with pytest.raises(ArtifactNotFound):
        await artifacts.get(ODD[0], refs[ODD[1]][0])


async def test_deleting_nothing_is_no_error(artifacts: Artifacts) -> None:
    assert await artifacts.delete("nobody") == 0
    assert await artifacts.held("nobody") == ()
    assert await artifacts.sweep("nobody", ()) == 0


async def test_a_copy_is_its_own(artifacts: Artifacts) -> None:
    first, second = [await artifacts.put("s", text) for text in TEXTS[:2]]
    await artifacts.copy("s", "t", [first, "0123456789abcdef"])
    assert await artifacts.held("t") == (first,)
    await artifacts.delete("s")
    assert await artifacts.get("t", first) == TEXTS[0]
    with pytest.raises(ArtifactNotFound):
        await artifacts.get("t", second)


async def test_a_sweep_spares_what_is_new(artifacts: Artifacts) -> None:
    await artifacts.put("s", TEXTS[0])
    assert await artifacts.sweep("s", ()) == 0
    assert len(await artifacts.held("s")) == 1


@pytest.mark.parametrize("ref", ["", "..", "../x", "0123456789ABCDEF", "0" * 64, "/etc/passwd"])
async def test_a_reference_leads_nowhere_else(artifacts: Artifacts, ref: str) -> None:
    await artifacts.put("s", TEXTS[0])
    with pytest.raises(ArtifactNotFound):
        await artifacts.get("s", ref)


# --- files ----------------------------------------------------------------------------------------------------------


def stored(tmp_path: Path) -> list[Path]:
    return [path for path in tmp_path.rglob("*") if path.is_file()]


async def test_a_damaged_file_is_told_and_mended_by_putting_it_again(tmp_path: Path) -> None:
    artifacts = ArtifactFiles(tmp_path)
    ref = await artifacts.put("s", TEXTS[1])
    for damage in (b"", b"another text", b"\xff\xfe\x00"):
        stored(tmp_path)[0].write_bytes(damage)
        with pytest.raises(CorruptStore, match="found another"):
            await artifacts.get("s", ref)
    assert await artifacts.put("s", TEXTS[1]) == ref
    assert await artifacts.get("s", ref) == TEXTS[1]


async def test_a_sweep_takes_what_is_old_and_not_wanted(tmp_path: Path) -> None:
    artifacts = ArtifactFiles(tmp_path)
    first, second = [await artifacts.put("s", text) for text in TEXTS[:2]]
    stored(tmp_path)[0].with_name(f"{first}-half").write_text("cut off")
    for path in stored(tmp_path):
        os.utime(path, (1, 1))
    assert await artifacts.sweep("s", [second]) == 2
    assert await artifacts.held("s") == (second,)
    assert len(stored(tmp_path)) == 1


async def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    artifacts = ArtifactFiles(tmp_path / "file")
    with pytest.raises(StoreError, match=r"storage\.artifacts"):
        await artifacts.put("s", TEXTS[0])
    assert await artifacts.held("s") == ()
