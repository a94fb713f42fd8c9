"""Servers that tests start end with the tests, even when those are killed."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.testing._server_process import ServerProcess, free_port, listens
from harness.testing._server_watch import _Watched
from harness.testing.postgres import missing_for_postgres
from tests._lacking import lacking
from tests._redis_server import RedisServer, redis_programs

ROOT = Path(__file__).parents[2]


def until(holds: Callable[[], bool], seconds: float = 15) -> bool:
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.05)
    return holds()


def alive(pid: int) -> bool:
    """Whether there is such a process that has not ended. Who killed its parent may have nobody to collect it."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="it looks for processes in /proc")
@pytest.mark.parametrize(
    ("kind", "state"), [("postgres", ""), ("redis", ""), ("redis", "paused"), ("falkordb", ""), ("bolt", "")]
)
def test_a_server_ends_when_the_tests_are_killed(kind: str, state: str, tmp_path: Path) -> None:
    if kind != "postgres":
        redis_programs()
    elif reason := missing_for_postgres():
        lacking(reason)
    starter = subprocess.Popen(
        [sys.executable, "-m", "tests.fault.server_starter", kind, str(tmp_path / "server"), state],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    pid = 0
    try:
        assert starter.stdout is not None
        said = starter.stdout.readline().split(maxsplit=2)
        assert len(said) == 3, "the server did not start"
        pid, port, folder = int(said[0]), int(said[1]), Path(said[2].strip())
        assert alive(pid)
        assert listens(port)
        starter.kill()
        starter.wait()
        assert until(lambda: not alive(pid)), "the server outlived the tests"
        assert not listens(port)
        if kind == "postgres":
            assert until(lambda: not folder.exists()), "its data were left behind"
    finally:
        starter.kill()
        starter.wait()
        starter.stdout.close()  # type: ignore[union-attr]
        if pid and alive(pid):
            os.kill(pid, signal.SIGKILL)


async def test_a_server_outlives_the_thread_that_started_it(tmp_path: Path) -> None:
    server = RedisServer(tmp_path / "redis")
    await asyncio.to_thread(server.start)
    try:
        await asyncio.get_running_loop().shutdown_default_executor()
        await asyncio.sleep(0.3)
        assert listens(server.port)
    finally:
        server.stop()
    assert not listens(server.port)


def test_a_paused_server_can_be_stopped_and_started_again(tmp_path: Path) -> None:
    server = RedisServer(tmp_path / "redis")
    server.start()
    first = server.pid
    try:
        server.pause()
        server.stop()
        assert server.pid == 0
        server.start()
        assert server.pid not in {0, first}
        assert listens(server.port)
    finally:
        server.stop()


class Broken(ServerProcess):
    name = "the broken server"

    def _command(self) -> list[str]:
        return [sys.executable, "-c", "import sys; print('no such setting: colour'); sys.exit(3)"]

    def _answers(self) -> bool:
        return False


def test_the_log_is_shown_when_a_server_does_not_start(tmp_path: Path) -> None:
    server = Broken(tmp_path / "broken")
    with pytest.raises(RuntimeError, match="the broken server does not start: no such setting: colour"):
        server.start()
    assert server.pid == 0
    server.stop()  # there is nothing to end, and that is no error


def test_ports_are_free_and_below_those_of_outgoing_connections() -> None:
    ports = {free_port() for _ in range(20)}
    assert len(ports) > 1
    assert all(20_000 <= port <= 32_000 and not listens(port) for port in ports)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_the_watcher_does_without_handles_of_processes() -> None:
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    watched = _Watched(child.pid, -1, signal.SIGTERM, "")
    try:
        assert not watched.ended(0.1)
        watched.send(signal.SIGTERM)
        assert child.wait(timeout=20) == -signal.SIGTERM
        assert watched.ended(0.1)
        watched.send(signal.SIGKILL)  # nobody is there, and that is no error
    finally:
        child.kill()
        child.wait()
