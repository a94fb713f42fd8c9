"""The parent's side of the embedded model: a child process that serves one file on a loopback port.

Every process that uses the embedded model starts its own child; nothing is shared but the file, whose pages the
operating system keeps in memory once.
"""

from __future__ import annotations

import atexit
import collections
import contextlib
import importlib.util
import json
import os
import queue
import secrets
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, Self

from harness.adapters.local.threads import compute_threads
from harness.errors import MissingExtra, ServerStartFailed

if TYPE_CHECKING:  # at run time `python -m` must be the first to import it
    from harness.adapters.local.child import ServerConfig

LOG_LINES = 200
GRACE_S = 3.0
"""Seconds the child gets to leave before it is told harder."""

CHILD = ("-P", "-m", "harness.adapters.local.child")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """How the model is served."""

    context: int = 8192
    """Tokens each slot holds."""
    slots: int = 3
    """Requests computed at once, each with its own cached prefix: the conversation and two kinds of bookkeeping."""
    host: str = "127.0.0.1"
    port: int = 0
    """0: any free port."""
    threads: int | None = None
    """None: the physical cores."""
    api_key: str | None = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    """Bearer token the server asks for; random by default, so that only this process can use it. None: open."""
    cache_ram_mib: int = 0
    """MiB of RAM for the prefixes of conversations that lost their slot; 0 switches it off.

    With it, llama.cpp exchanges the contents of a slot that is still computing when a request names that slot
    (``id_slot``), and conversations run into each other. Use it only where nobody but this package sends requests, one
    at a time.
    """
    start_timeout_s: float = 300.0
    verbosity: int = 2
    """llama.cpp's scale: 1 errors, 2 warnings, 3 information."""


class LocalServer:
    """One child process serving one model.

    ``start`` blocks while the model loads (seconds); from async code call it with ``asyncio.to_thread``. The child ends
    with ``stop``, with this process by whatever cause, or when the ``with`` block ends.
    """

    def __init__(self, model_path: Path, *, name: str, options: ServerOptions | None = None) -> None:
        self.model_path = model_path
        self.name = name
        self.options = options or ServerOptions()
        self._lock = threading.RLock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = os.getpid()
        self._url = ""
        self._log: collections.deque[str] = collections.deque(maxlen=LOG_LINES)

    @property
    def url(self) -> str:
        """``http://host:port`` once started, else empty."""
        return self._url

    @property
    def base_url(self) -> str:
        """What an OpenAI client takes as ``base_url``; empty before ``start``."""
        return f"{self._url}/v1" if self._url else ""

    @property
    def api_key(self) -> str | None:
        """The bearer token the server asks for; None when it is open."""
        return self.options.api_key

    @property
    def pid(self) -> int | None:
        """Process id of the running child, or None."""
        return self._process.pid if self._process is not None and self.alive else None

    @property
    def alive(self) -> bool:
        """Whether the child runs."""
        return self._process is not None and self._process.poll() is None

    @property
    def log(self) -> str:
        """The end of what the child printed."""
        return "\n".join(self._log)

    def start(self) -> str:
        """Start the child and wait until the model answers; returns ``base_url``. Does nothing if it runs already.

        Raises:
            MissingExtra: xllamacpp is not installed.
            ServerStartFailed: the child ended, or was not ready within ``start_timeout_s``. ``details``: ``log``.
        """
        with self._lock:
            if self.alive:
                return self.base_url
            self.stop()
            self._check()
            self._log.clear()
            self._owner = os.getpid()
            process = self._process = _spawn()
            atexit.register(self.stop)
            answers: queue.SimpleQueue[bytes] = queue.SimpleQueue()
            _thread(_drain_lines, process.stderr, lambda line: self._log.append(line.decode(errors="replace").rstrip()))
            _thread(_drain_lines, process.stdout, answers.put, answers.put)
            try:
                self._url = self._handshake(process, answers)
            except BaseException:
                self.stop()
                raise
            return self.base_url

    def stop(self) -> None:
        """End the child and wait for it; asks, then insists. Harmless when there is none, and in a forked process."""
        with self._lock:
            process, self._process, self._url = self._process, None, ""
            if process is None or os.getpid() != self._owner:
                return
            atexit.unregister(self.stop)
            if process.stdin is not None:
                with contextlib.suppress(OSError):
                    process.stdin.close()  # the child leaves at the end of its stdin
            for insist in (process.terminate, process.kill):
                try:
                    process.wait(GRACE_S)
                    break
                except subprocess.TimeoutExpired:
                    insist()
            process.wait()

    def wait(self) -> int:
        """Block until the child ends by itself; returns its exit code (0 when there is none)."""
        process = self._process
        while process is not None and process.poll() is None:
            time.sleep(0.2)  # in steps, because Windows delivers Ctrl-C only between waits
        return process.returncode if process is not None else 0

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _check(self) -> None:
        if importlib.util.find_spec("xllamacpp") is None:
            raise MissingExtra(
                "The embedded model needs the package xllamacpp.",
                extra="local",
            )
        if not self.model_path.is_file():
            raise ServerStartFailed(f"There is no model file {self.model_path}.", log="")
        if self.options.port and _taken(self.options.host, self.options.port):
            raise ServerStartFailed(
                f"Port {self.options.port} of {self.options.host} is in use.", remedy="Choose another port.", log=""
            )

    def _handshake(self, process: subprocess.Popen[bytes], answers: queue.SimpleQueue[bytes]) -> str:
        try:
            process.stdin.write(json.dumps(self._config()).encode() + b"\n")  # type: ignore[union-attr]
            process.stdin.flush()  # type: ignore[union-attr]
            line = answers.get(timeout=self.options.start_timeout_s)
        except OSError:
            line = b""
        except queue.Empty:
            raise self._failed(f"was not ready within {self.options.start_timeout_s:g} s") from None
        answer: dict[str, Any] = json.loads(line) if line.startswith(b"{") else {}
        if "url" in answer:
            return str(answer["url"])
        time.sleep(0.1)  # let the reader of stderr see the last lines
        raise self._failed("ended before it was ready", str(answer.get("error", "")))

    def _config(self) -> ServerConfig:
        return {
            "model_path": str(self.model_path),
            "name": self.name,
            "context": self.options.context,
            "slots": self.options.slots,
            "host": self.options.host,
            "port": self.options.port,
            "threads": self.options.threads or compute_threads(),
            "api_key": self.options.api_key,
            "cache_ram_mib": self.options.cache_ram_mib,
            "verbosity": self.options.verbosity,
        }

    def _failed(self, what: str, reason: str = "") -> ServerStartFailed:
        remedy = "`harness model list` shows the models; a smaller one or a shorter context needs less memory."
        if "libgomp" in reason:
            remedy = "Install the system library: apt-get install libgomp1 (or your distribution's name for it)."
        # llama.cpp marks errors with " E "; the first one names the cause, the later ones its consequences.
        complaints = [line.split(" E ", 1)[1].strip() for line in self._log if " E " in line]
        because = complaints[0] if complaints else reason or (self._log[-1] if self._log else "")
        return ServerStartFailed(
            f"The server of {self.name} {what}{f' ({because})' if because else ''}.",
            remedy=remedy,
            log=self.log,
            model=str(self.model_path),
        )


def serve_forever(
    model_path: Path, *, name: str, options: ServerOptions, ready: Callable[[LocalServer], None] = lambda _: None
) -> None:
    """Serve until Ctrl-C; ``ready`` is called with the running server.

    Raises:
        MissingExtra, ServerStartFailed: as ``LocalServer.start``; the latter also when the child ends by itself.
    """
    with LocalServer(model_path, name=name, options=options) as server:
        try:
            ready(server)
            code = server.wait()
        except KeyboardInterrupt:
            return
        raise ServerStartFailed(f"The server of {name} ended with code {code}.", log=server.log)


def _spawn() -> subprocess.Popen[bytes]:
    """Start the child in its own process group: a Ctrl-C in the terminal reaches the parent only."""
    flags: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        flags = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}
    return subprocess.Popen(  # noqa: S603 - our own module
        [sys.executable, *CHILD],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=child_environment(),
        **flags,
    )


def child_environment() -> dict[str, str]:
    """This process's environment, in which the child can import this package and computes politely.

    OpenMP threads spin while they wait for each other. When another process wants the same cores, the thread everybody
    waits for is not scheduled because the others spin. Measured with the 0.5B model on 2 cores beside one busy process:
    0.5 tokens/s, and 22 when waiting threads sleep.
    """
    environment = dict(os.environ)
    environment.setdefault("OMP_WAIT_POLICY", "passive")
    root = Path(__file__).resolve().parents[3]
    if root.name not in {"site-packages", "dist-packages"}:  # a checkout that may not be installed
        paths = [str(root), environment.get("PYTHONPATH", "")]
        environment["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
    return environment


def _drain_lines(
    stream: IO[bytes], keep: Callable[[bytes], object], at_end: Callable[[bytes], object] | None = None
) -> None:
    with stream:
        for line in stream:
            keep(line)
    if at_end is not None:
        at_end(b"")


def _thread(target: Callable[..., None], *args: object) -> None:
    threading.Thread(target=target, args=args, daemon=True).start()


def _taken(host: str, port: int) -> bool:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        if sys.platform != "win32":  # there it would allow what must be refused
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return True
    return False
