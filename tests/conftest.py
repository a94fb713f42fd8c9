"""No network but loopback, no settings from outside, a data directory of its own for every test."""

from __future__ import annotations

import ipaddress
import itertools
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests._redis_server import RedisServer


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
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """A Redis server, one for each worker. Tests keep apart by the prefix of their keys."""
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    server.start()
    yield server
    server.stop()


@pytest.fixture
def server_url(request: pytest.FixtureRequest) -> Callable[[str], str]:
    """The address of a server of a kind (``Backend.server``), started when first asked for; empty for none."""

    def url(kind: str) -> str:
        return str(request.getfixturevalue(f"{kind}_server").url) if kind else ""

    return url
