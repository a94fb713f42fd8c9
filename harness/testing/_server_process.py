"""A server that tests start themselves: on loopback, at a free port, waited for, and ended by its own pid whatever happens."""

from __future__ import annotations

import random
import signal
import socket
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

from harness.testing import _server_watch

START_S = 30.0
END_S = 20.0
_PAUSE_S = 0.02
_PORTS = (20_000, 32_000)


class ServerProcess(ABC):
    """One server. It ends when :meth:`stop` is called, and when the program that started it is killed.

    Attributes:
        folder: where it keeps its files; started again there, it finds what it had.
        port: where it listens; stays the same after :meth:`kill` and :meth:`start`.
        name: what it is called in errors. ``gentle``: the signal that lets it end in good order.
    """

    name: ClassVar[str]
    gentle: ClassVar[signal.Signals] = signal.SIGTERM

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The process of the server; 0 while it is down."""
        return self._process.pid if self._process else 0

    def start(self) -> None:
        """Start it, again after :meth:`kill`; returns when it answers.

        Raises:
            RuntimeError: it does not; the message has the end of its log.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        log = self.folder / "server.log"
        with log.open("ab") as written:
            self._process = subprocess.Popen(  # noqa: S603 - the program of a wheel
                self._command(), stdin=subprocess.DEVNULL, stdout=written, stderr=written, **self._how()
            )
        _server_watch.watch(self._process.pid, self.gentle, self._left_behind())
        end = time.monotonic() + START_S
        while time.monotonic() < end and self._process.poll() is None:
            if self._answers():
                return
            time.sleep(_PAUSE_S)
        self._end()
        said = log.read_text(encoding="utf-8", errors="replace")
        raise RuntimeError(f"{self.name} does not start: {said[-2000:]}")

    def kill(self) -> None:
        """SIGKILL: what a crash or a power switch does to the process."""
        self._end()

    def stop(self) -> None:
        """End it in good order."""
        self._end(self.gentle)

    def pause(self) -> None:
        """It holds its connections and answers nothing."""
        self._send(signal.SIGSTOP)

    def resume(self) -> None:
        self._send(signal.SIGCONT)

    @abstractmethod
    def _command(self) -> Sequence[str | Path]:
        """The program and its arguments."""

    @abstractmethod
    def _answers(self) -> bool:
        """Whether it is ready."""

    def _how(self) -> dict[str, Any]:
        """More arguments to subprocess."""
        return {}

    def _left_behind(self) -> Path | None:
        """The folder that is to be removed when nobody is left to do it."""
        return None

    def _send(self, how: signal.Signals) -> None:
        if self._process is None:
            raise RuntimeError(f"{self.name} is not running")
        self._process.send_signal(how)

    def _end(self, how: signal.Signals | None = None) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if hasattr(signal, "SIGCONT"):
            process.send_signal(signal.SIGCONT)  # one that is paused hears no other signal
        if how is None:
            process.kill()
        else:
            process.send_signal(how)
        try:
            process.wait(timeout=END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(timeout=END_S)
        _server_watch.unwatch(process.pid)


def free_port() -> int:
    """A port nobody listens on, below those that the system gives to outgoing connections: one of them could take the port of a
    server that is down for a moment. FalkorDB takes no larger one for Bolt.
    """
    for _ in range(200):
        port = random.SystemRandom().randint(*_PORTS)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise RuntimeError(f"there is no free port from {_PORTS[0]} to {_PORTS[1]}")


def listens(port: int) -> bool:
    """Whether something takes connections there."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def pong(port: int) -> bool:
    """Whether a server that speaks Redis' protocol answers there, be it that it wants a password first."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1) as line:
        line.sendall(b"PING\r\n")
        return line.recv(64).startswith((b"+PONG", b"-NOAUTH"))
    return False
