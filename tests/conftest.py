"""No network but loopback, no settings from outside, a data directory of its own for every test."""

from __future__ import annotations

import gc
import ipaddress
import itertools
import os
import re
import signal
import socket
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, TypedDict

import pytest
import typer.main
import typer.testing

from harness import logs
from harness.settings import LogSettings
from harness.testing.postgres import PostgresForTests, missing_for_postgres
from tests._graph_server import GraphServer
from tests._lacking import lacking
from tests._redis_server import RedisServer

# There are as many processes of tests as cores. Threads that compute for one of them (faiss, embedding models) would spend five
# times the work of one thread on waiting for each other. Read once, when such a library is loaded; children inherit it.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


class Place(TypedDict):
    """What the options of a backend need to be given an empty place on its server."""

    url: str
    key_prefix: str


Places = Callable[[str, Path], Place]
"""``(Backend.server, folder)``: each folder has an empty place of its own, the same folder the same."""


class NetworkBlocked(RuntimeError):
    """A test tried to reach something outside this machine."""


def _is_local(address: Any) -> bool:
    if not isinstance(address, tuple):
        return True  # a Unix socket
    host = str(address[0])
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def pytest_collection_finish() -> None:
    """Thousands of collected tests stay until the end: they need not be looked through each time memory is cleaned up."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def _loopback_only() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        for name in ("connect", "connect_ex"):
            original = getattr(socket.socket, name)

            def guarded(self: socket.socket, address: Any, _original: Any = original) -> Any:
                if not _is_local(address):
                    raise NetworkBlocked(f"tests reach loopback only, not {address!r}")
                return _original(self, address)

            monkeypatch.setattr(socket.socket, name, guarded)
        yield


@pytest.fixture(scope="session")
def _homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Data directories, one for each test that takes the next. None is made: thousands of tests need none, and pytest
    looks through all it has made before it makes another.
    """
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, _homes: Iterator[Path]) -> Path:
    """Nothing of the developer's settings, keys, proxies or data reaches a test."""
    for name in list(os.environ):
        foreign = name.startswith("HARNESS_") and not name.startswith("HARNESS_TEST_")
        if foreign or name.startswith("OPENAI_") or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    data = next(_homes)
    monkeypatch.setenv("HARNESS_HOME", str(data))
    return data


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresForTests]:
    """A real PostgreSQL of this worker, started when the first test asks for it."""
    reason = missing_for_postgres()
    if reason:
        lacking(reason)
    with PostgresForTests() as server:
        yield server


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """A Redis server, one for each worker. Tests keep apart by the prefix of their keys."""
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def falkordb_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphServer]:
    """A graph server that speaks its own protocol, one for each worker. Tests keep apart by the name of their graph."""
    server = GraphServer(tmp_path_factory.mktemp("falkordb"))
    server.start()
    yield server
    server.stop()


@pytest.fixture
def bolt_server(tmp_path: Path) -> Iterator[GraphServer]:
    """A graph server that speaks Bolt, for one test."""
    server = GraphServer(tmp_path / "bolt-server", bolt=True)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def server_place(request: pytest.FixtureRequest) -> Places:
    """Places on the server that a backend needs, started if need be; one without an address for those that need none."""

    def place(kind: str, folder: Path) -> Place:
        url = ""
        if kind == "redis":  # one database for all: places are prefixes
            url = request.getfixturevalue("redis_server").url
        elif kind == "postgres":
            url = request.getfixturevalue("postgres_server").place(re.sub(r"\W", "_", folder.name)[-60:])
        elif kind:
            raise AssertionError(f"there is no server of the kind {kind!r} for tests")
        return Place(url=url, key_prefix=folder.name)

    return place


@pytest.fixture(scope="session", autouse=True)
def _logs_are_set_up() -> None:
    """Before anything captures logs: that sets structlog up in its own way, and would leave it so for later tests."""
    logs.configure(LogSettings())


@pytest.fixture(scope="session", autouse=True)
def _ctrl_c_reaches_programs() -> None:
    """A shell that runs the tests in the background lets them ignore Ctrl-C, and the programs they start would inherit that."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def _commands_built_once() -> Iterator[None]:
    """The runner builds all commands anew for each of its calls; once is enough."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("typer.testing._get_command", lru_cache(typer.main.get_command))
        yield
