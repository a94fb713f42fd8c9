"""A file of ladybug has nothing in it of what else the program had in memory."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from harness.adapters.graphs._blank_memory import blank_memory, can_be_blank

pytestmark = pytest.mark.skipif(not can_be_blank(), reason="only glibc fills memory when asked")

LEFT = 0x5A
"""With MALLOC_PERTURB_=165 all memory is full of these bytes when it is allocated."""
RUN = """
import asyncio, os, signal, sys
from pathlib import Path
from harness.adapters.graphs.ladybug import LadybugGraph
from harness.ports import GraphFilter
from harness.state.memory import Scope
from tests.unit.test_graphs_forgetting import filled

async def main(code, killed):
    graph = LadybugGraph("graph.lbug")
    await filled(graph, code)
    assert await graph.forget(GraphFilter(scope=Scope(user="nora"))) == 1
    await graph.follow("o", "o-t3")
    if killed:
        os.kill(os.getpid(), signal.SIGKILL)
    await graph.close()

asyncio.run(main(sys.argv[1], bool(sys.argv[2])))
"""


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize("killed", [True, False], ids=["killed", "closed"])
def test_no_file_has_memory_that_was_not_set(killed: bool, code: str, tmp_path: Path) -> None:
    root = str(Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", RUN, code, "yes" if killed else ""],
        cwd=tmp_path,
        env={**os.environ, "MALLOC_PERTURB_": str(LEFT ^ 0xFF), "PYTHONPATH": root},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == (-signal.SIGKILL if killed else 0), done.stderr
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert any(file.stat().st_size > 100_000 for file in files)
    found = {file.name: len(re.findall(bytes([LEFT]) * 4, file.read_bytes())) for file in files}
    assert found == dict.fromkeys(found, 0)


def test_memory_is_blank_inside_only(monkeypatch: pytest.MonkeyPatch) -> None:
    import ctypes

    library = ctypes.CDLL(None)
    library.malloc.restype, library.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    library.free.argtypes = [ctypes.c_void_p]

    def allocated() -> bytes:
        place = library.malloc(5000)
        content = ctypes.string_at(place, 5000)
        ctypes.memset(place, 0x41, 5000)
        library.free(place)
        return content

    monkeypatch.setenv("MALLOC_PERTURB_", "190")
    with blank_memory():
        with blank_memory():
            assert set(allocated()) == {0}
        assert set(allocated()) == {0}
    try:
        assert set(allocated()) == {190 ^ 0xFF}
    finally:
        monkeypatch.delenv("MALLOC_PERTURB_")
        with blank_memory():
            pass
