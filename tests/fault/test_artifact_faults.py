"""Long tool results when the program is killed, and when the disk is full."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest

from harness.adapters.artifacts import ArtifactFiles
from harness.app import Harness
from harness.errors import StorageFull
from harness.settings import load
from harness.state import Persona, ToolResult
from harness.testing.scripted_model import ScriptedModel
from tests.fault.programs import kill_after, start


async def test_killed_while_writing_leaves_every_text_whole(tmp_path: Path) -> None:
    artifacts = ArtifactFiles(tmp_path)
    for lines in (1, 7, 20):
        said = {ref for (ref,) in kill_after(start("artifact_writer.py", tmp_path), lines)}
        held = await artifacts.held("s")
        assert said <= set(held)
        for ref in held:  # get() holds each against its name
            assert len(await artifacts.get("s", ref)) >= 80_000


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_a_full_disk_leaves_the_session_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    text = {"en": "a word ", "zh": "一个词，"}[code] * 2000
    settings = load(
        start=tmp_path,
        environ={},
        overrides={"storage.path": str(tmp_path / "s.db"), "harness.analysis": "rules", "harness.background": "false"},
    )
    async with Harness(settings, model=ScriptedModel({"en": "Fine.", "zh": "好的。"}[code])) as app:
        session = await app.open(Persona(name="Mia", id="mia", language=code), session="s")
        await session.say({"en": "Hello!", "zh": "你好！"}[code])
        before = await session.state()

        def full(_: Any) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr("harness.adapters.artifacts.files.os.fsync", full)
            with pytest.raises(StorageFull):
                await session.say("And?", tool_results=[ToolResult(name="a", text=text)])
            with pytest.raises(StorageFull):
                await session.observe([ToolResult(name="a", text=text)])
        assert await session.state() == before
        assert not [path for path in (tmp_path / "s-artifacts").rglob("*") if path.is_file()]
        (kept,) = await session.observe([ToolResult(name="a", text=text)])
        assert await session.artifact(kept.ref) == text
