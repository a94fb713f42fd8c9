"""Several programs at once on the same stores, each for another user or character: nothing of one reaches another."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import harness
from harness.app import Harness
from tests._owners import OWNERS, Owner, answering, leaks, missing, seen_of, settings_for, write_files
from tests.conftest import Places

TALKER = Path(__file__).with_name("owner_talker.py")
ROOT = Path(harness.__file__).parents[1]
pytestmark = pytest.mark.timeout(600)
BACKENDS = ["sqlite", "faiss", "postgres", "redis"]


def overrides_for(request: pytest.FixtureRequest, places: Places, folder: Path, backend: str) -> dict[str, Any]:
    """An embedded graph of ladybug is for one program at a time, so that the graph is in SQLite where there is no server."""
    if backend in ("sqlite", "faiss"):
        return {"memory.backend": backend, "graph.backend": "sqlite", "storage.busy_timeout_s": "20"}
    place = places(backend, folder)
    chosen = {"storage.backend": backend, "storage.url": place["url"], "memory.backend": backend}
    chosen |= {f"{one}.timeout_s": "60" for one in ("storage", "memory", "graph")}  # all of them are busy
    if backend == "postgres":
        return {**chosen, "graph.backend": "neo4j", "graph.url": request.getfixturevalue("bolt_server").url}
    graph = request.getfixturevalue("falkordb_server").url
    prefix = {"storage.key_prefix": place["key_prefix"], "short_term.backend": "redis"}
    return {**chosen, **prefix, "graph.backend": "falkordb", "graph.url": graph}


def talking(owner: Owner, code: str, folder: Path, overrides: Mapping[str, Any]) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    arguments = [owner.name, code, str(folder), json.dumps(overrides)]
    return subprocess.Popen(
        [sys.executable, str(TALKER), *arguments], stderr=subprocess.PIPE, text=True, encoding="utf-8", env=environment
    )


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize("backend", BACKENDS)
async def test_nothing_crosses_between_programs(
    request: pytest.FixtureRequest, server_place: Places, tmp_path: Path, backend: str, code: str
) -> None:
    overrides = overrides_for(request, server_place, tmp_path, backend)
    owners = OWNERS[:3]
    write_files(tmp_path, code, owners)
    programs = [talking(owner, code, tmp_path, overrides) for owner in owners]
    for program in programs:
        _, said = await asyncio.to_thread(program.communicate, timeout=300)
        assert program.returncode == 0, said[-3000:]
        assert "failed" not in said
    async with Harness(settings_for(tmp_path, overrides), model=answering(code)) as app:
        for owner in owners:
            seen = await seen_of(app, owner, code)
            assert leaks(owner, owners, seen, code) == []
            assert missing(owner, seen, code) == []
