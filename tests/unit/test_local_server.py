"""The parent's side against a stand-in child: every way a start can go wrong, and that nothing is left behind."""

from __future__ import annotations

import importlib.util
import os
import socket
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.adapters.local import LocalServer, ServerOptions, serve_forever, server, threads
from harness.errors import MissingExtra, ServerStartFailed

READY = 'print(\'{"url": "http://127.0.0.1:1"}\', flush=True); sys.stdin.read()'


@pytest.fixture
def child(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], None]:
    """Make the child run this code after it has read its configuration."""

    def use(code: str) -> None:
        script = f"import sys, time, os, signal\nconfig = sys.stdin.readline()\n{code}"
        monkeypatch.setattr(server, "CHILD", ("-c", script))

    monkeypatch.setattr(importlib.util, "find_spec", lambda _: object())
    (tmp_path / "m.gguf").write_bytes(b"GGUF")
    return use


def make(tmp_path: Path, **options: Any) -> LocalServer:
    return LocalServer(tmp_path / "m.gguf", name="m", options=ServerOptions(**options))


def test_a_started_server_says_where_it_is_and_stops(child: Callable[[str], None], tmp_path: Path) -> None:
    child(READY)
    with make(tmp_path) as running:
        assert running.base_url == "http://127.0.0.1:1/v1"
        assert running.start() == running.base_url
        pid = running.pid
        assert pid is not None
    assert (running.alive, running.pid, running.base_url) == (False, None, "")
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    running.stop()


def test_the_configuration_goes_over_stdin_and_the_key_is_nowhere_else(
    child: Callable[[str], None], tmp_path: Path
) -> None:
    child("print(config, file=sys.stderr, flush=True); " + READY)
    with make(tmp_path, context=4096, threads=3) as running:
        while not running.log:
            time.sleep(0.01)
        assert '"context": 4096' in running.log
        assert '"threads": 3' in running.log
        assert str(running.api_key) in running.log
    assert str(running.api_key) not in repr(running.options)
    assert make(tmp_path).api_key != running.api_key


def test_a_child_that_ends_tells_the_first_complaint(child: Callable[[str], None], tmp_path: Path) -> None:
    child("print('0.00.1 E gguf: cannot open', '0.00.2 E srv: exiting', sep='\\n', file=sys.stderr); sys.exit(1)")
    failing = make(tmp_path)
    with pytest.raises(ServerStartFailed, match=r"ended before it was ready \(gguf: cannot open\)") as caught:
        failing.start()
    assert "srv: exiting" in str(caught.value.details["log"])
    assert not failing.alive


def test_a_child_that_reports_an_error_is_quoted(child: Callable[[str], None], tmp_path: Path) -> None:
    child('print(\'{"error": "xllamacpp cannot be imported: libgomp.so.1: no such file"}\')')
    with pytest.raises(ServerStartFailed, match=r"libgomp\.so\.1.*apt-get install libgomp1"):
        make(tmp_path).start()


def test_a_child_that_hangs_is_ended_at_the_timeout(
    child: Callable[[str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "GRACE_S", 0.1)
    child("signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)")
    hanging = make(tmp_path, start_timeout_s=0.5)
    with pytest.raises(ServerStartFailed, match=r"not ready within 0\.5 s"):
        hanging.start()
    assert not hanging.alive


def test_a_crashed_server_can_be_started_again(child: Callable[[str], None], tmp_path: Path) -> None:
    child('print(\'{"url": "http://127.0.0.1:1"}\', flush=True); time.sleep(0.05); os._exit(7)')
    crashing = make(tmp_path)
    crashing.start()
    assert crashing.wait() == 7
    assert not crashing.alive
    child(READY)
    with crashing:
        assert crashing.alive


def test_serve_forever_ends_with_ctrl_c_and_reports_a_crash(child: Callable[[str], None], tmp_path: Path) -> None:
    child(READY)
    seen: list[LocalServer] = []

    def ready(running: LocalServer) -> None:
        seen.append(running)
        raise KeyboardInterrupt

    serve_forever(tmp_path / "m.gguf", name="m", options=ServerOptions(), ready=ready)
    assert not seen[0].alive
    child('print(\'{"url": "http://127.0.0.1:1"}\', flush=True); os._exit(7)')
    with pytest.raises(ServerStartFailed, match="code 7"):
        serve_forever(tmp_path / "m.gguf", name="m", options=ServerOptions())


@pytest.mark.skipif(sys.platform == "win32", reason="process groups of POSIX")
def test_ctrl_c_in_the_terminal_does_not_reach_the_child(child: Callable[[str], None], tmp_path: Path) -> None:
    child(READY)
    with make(tmp_path) as running:
        assert running.pid is not None
        assert os.getpgid(running.pid) != os.getpgid(0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_leaves_the_server_alone(child: Callable[[str], None], tmp_path: Path) -> None:
    child(READY)
    with make(tmp_path) as running:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of forking beside the threads that read the child's output
            forked = os.fork()
        if not forked:
            running.stop()
            os._exit(0)
        os.waitpid(forked, 0)
        assert running.alive


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"dialogue-harness\[local\]") as caught:
        make(tmp_path).start()
    assert caught.value.details["extra"] == "local"


def test_a_missing_file_and_a_taken_port_are_told_before_a_process_starts(
    child: Callable[[str], None], tmp_path: Path
) -> None:
    with pytest.raises(ServerStartFailed, match="no model file"):
        LocalServer(tmp_path / "absent.gguf", name="m").start()
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(ServerStartFailed, match=f"Port {port}"):
            make(tmp_path, port=port).start()


def test_waiting_threads_sleep_unless_the_user_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    assert server.child_environment()["OMP_WAIT_POLICY"] == "passive"
    monkeypatch.setenv("OMP_WAIT_POLICY", "active")
    assert server.child_environment()["OMP_WAIT_POLICY"] == "active"


def test_threads_are_cores_not_hyperthreads(tmp_path: Path) -> None:
    for cpu, siblings in enumerate(["0,2", "1,3", "0,2", "1,3"]):
        folder = tmp_path / f"cpu{cpu}" / "topology"
        folder.mkdir(parents=True)
        (folder / "thread_siblings_list").write_text(siblings)
    assert threads._linux_cores({0, 1, 2, 3}, tmp_path) == 2
    assert threads._linux_cores({0, 2}, tmp_path) == 1
    assert threads._linux_cores({9}, tmp_path) == 0
    quota = tmp_path / "cpu.max"
    for text, cores in [("150000 100000", 1), ("400000 100000", 4), ("max 100000", threads.MOST)]:
        quota.write_text(text)
        assert threads._container_cores(quota) == cores
    assert 1 <= threads.compute_threads() <= threads.MOST
