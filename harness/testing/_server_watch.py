"""Servers of tests end when the tests are killed: a small process of its own sees that, and ends them.

Nothing that the killed program would do itself helps against SIGKILL, and the signal that Linux sends at a parent's death
(``PR_SET_PDEATHSIG``) comes when the *thread* ends that started the child. So one watcher for each program holds the other end
of a pipe: when the pipe closes, the program is gone.

This file is also the watcher: it is run by its path, and imports nothing of this package.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_END_S = 5.0
_PAUSE_S = 0.05
_watcher: subprocess.Popen[bytes] | None = None
_one_at_a_time = threading.Lock()


def watch(pid: int, gentle: signal.Signals, folder: Path | None = None) -> None:
    """End this child of ours when we are gone. ``gentle``: the signal for that, before SIGKILL.
    ``folder``: what is to be removed then.
    """
    _say({"pid": pid, "gentle": int(gentle), "folder": str(folder or "")})


def unwatch(pid: int) -> None:
    """It has ended."""
    _say({"pid": pid, "gentle": 0, "folder": ""})


def _say(line: dict[str, int | str]) -> None:
    if os.name == "nt":
        return  # no signals there that could be sent, and no pipes that could be waited for
    global _watcher  # noqa: PLW0603 - one for the program
    with _one_at_a_time:
        if _watcher is None or _watcher.poll() is not None:
            _watcher = subprocess.Popen(  # noqa: S603 - this file
                [sys.executable, "-I", "-S", __file__],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # what ends our group must not end it
                cwd="/",
            )
        if _watcher.stdin is not None:  # it is a pipe
            _watcher.stdin.write(json.dumps(line).encode() + b"\n")
            _watcher.stdin.flush()


@atexit.register
def _let_go() -> None:
    if _watcher is not None and _watcher.stdin is not None:
        _watcher.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            _watcher.wait(timeout=2 * _END_S)


def _after_fork() -> None:
    """A copy of our program would hold the pipe open; it has no servers, and no right to end the watcher."""
    global _watcher, _one_at_a_time
    if _watcher is not None and _watcher.stdin is not None:
        _watcher.stdin.close()
        _watcher.returncode = 0  # it is not ours to wait for
    _watcher, _one_at_a_time = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


@dataclass(frozen=True, slots=True)
class _Watched:
    """A server, in the watcher.

    Attributes:
        handle: of this very process, where there are such: its number may be another's by the time that it is to be ended.
    """

    pid: int
    handle: int
    gentle: int
    folder: str

    def send(self, number: int) -> None:
        with suppress(ProcessLookupError):
            if self.handle < 0:
                os.kill(self.pid, number)
            else:
                signal.pidfd_send_signal(self.handle, number)

    def ended(self, wait_s: float) -> bool:
        if self.handle >= 0:
            return bool(select.select([self.handle], [], [], max(wait_s, 0))[0])
        end = time.monotonic() + wait_s
        with suppress(ProcessLookupError):
            while time.monotonic() < end:
                os.kill(self.pid, 0)
                time.sleep(_PAUSE_S)
            return False
        return True


def _watching() -> None:
    """The watcher: reads what there is to end until the pipe closes."""
    servers: dict[int, _Watched] = {}
    rest = b""
    while read := os.read(0, 65536):
        *lines, rest = (rest + read).split(b"\n")
        for line in lines:
            told = json.loads(line)
            known = servers.pop(told["pid"], None)
            if known and known.handle >= 0:
                os.close(known.handle)
            if told["gentle"]:
                with suppress(ProcessLookupError):
                    handle = os.pidfd_open(told["pid"]) if hasattr(os, "pidfd_open") else -1
                    servers[told["pid"]] = _Watched(**told, handle=handle)
    for server in servers.values():
        server.send(signal.SIGCONT)  # one that is paused hears no other signal
        server.send(server.gentle)
    end = time.monotonic() + _END_S
    for server in servers.values():
        if not server.ended(end - time.monotonic()):
            server.send(signal.SIGKILL)
            server.ended(_END_S)
        if server.folder:
            shutil.rmtree(server.folder, ignore_errors=True)


if __name__ == "__main__":
    _watching()
