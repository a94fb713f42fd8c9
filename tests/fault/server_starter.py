"""Starts a server as the tests do, says which, and waits to be killed: ``python -m tests.fault.server_starter KIND FOLDER``."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

from harness.testing._server_process import ServerProcess
from harness.testing.postgres import PostgresForTests
from tests._graph_server import GraphServer
from tests._redis_server import RedisServer


def made(kind: str, folder: Path) -> ServerProcess:
    match kind:
        case "postgres":
            return PostgresForTests()
        case "redis":
            return RedisServer(folder)
        case _:
            return GraphServer(folder, bolt=kind == "bolt")


def main(kind: str, folder: str, state: str) -> None:
    server = made(kind, Path(folder))
    if not server.pid:
        # As tests do that start one beside the loop: the thread is gone long before the program.
        thread = threading.Thread(target=server.start)
        thread.start()
        thread.join()
    if state == "paused":
        server.pause()
    print(server.pid, server.port, server.folder, flush=True)
    time.sleep(600)


if __name__ == "__main__":
    main(*sys.argv[1:])
