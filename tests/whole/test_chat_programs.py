"""``harness chat`` as a program: whatever the locale, in a terminal, interrupted and stopped."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import pytest
from typer.testing import CliRunner

from harness.cli.main import app
from harness.testing.scripted_server import ScriptedServer
from tests._chat_server import answering_chats

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 100.0
"""Seconds after which a program hangs, however busy the machine is. What is waited for is an event, and nearly always there at once."""
posix = pytest.mark.skipif(sys.platform == "win32", reason="signals and terminals of POSIX")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ScriptedServer]:
    with answering_chats(monkeypatch, tmp_path) as running:
        yield running


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


@contextlib.contextmanager
def chatting(*options: str, **streams: Any) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "harness.cli.main", "chat", "-p", "mia", "-s", "s1", *options]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    process = subprocess.Popen(command, env=environment(), bufsize=0, **pipes)  # so that no line is read ahead
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def waiting_for(condition: Callable[[], bool], told: Callable[[], str] = str, seconds: float = PATIENCE_S) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, told()
        time.sleep(0.02)


def type_line(process: subprocess.Popen[bytes], line: bytes) -> None:
    assert process.stdin is not None
    process.stdin.write(line + b"\n")
    process.stdin.flush()


def until(stream: IO[bytes] | None, words: bytes) -> list[bytes]:
    """The lines up to the one that has these words."""
    assert stream is not None
    lines = [stream.readline()]
    while words not in lines[-1]:
        assert lines[-1], b"".join(lines)
        lines.append(stream.readline())
    return lines


@posix
def test_utf_8_comes_and_goes_whatever_the_locale(server: ScriptedServer) -> None:
    env = {**environment(), "LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = [sys.executable, "-m", "harness.cli.main", "chat", "-p", "lin", "-s", "z"]
    text = "你好，我叫小王。\r\n".encode() + b"broken \xff byte\n" + "再见".encode()
    result = subprocess.run(command, input=text, env=env, capture_output=True, timeout=PATIENCE_S, check=False)
    assert result.stdout.decode().splitlines()[-2:] == ["听起来不错。", "听起来不错。"]
    assert "小王" in result.stderr.decode()
    assert "error: " in result.stderr.decode()
    assert result.returncode == 1
    assert server.chats[0].body["messages"][-1]["content"].endswith("你好，我叫小王。")


@posix
def test_ctrl_c_cancels_a_reply_and_then_leaves(server: ScriptedServer) -> None:
    with chatting() as process:
        type_line(process, b"Please talk slowly.")
        waiting_for(lambda: len(server.chats) == 1)
        process.send_signal(signal.SIGINT)
        waiting_for(lambda: server.disconnects == 1)
        told = until(process.stderr, b"Cancelled")
        assert told[-1].strip() == b"Cancelled; the conversation is as it was before."
        type_line(process, b"Hello.")
        until(process.stdout, b"That")
        until(process.stderr, b"[1]")
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE_S)  # before its input ends, which would be a reason to leave as well
        _, err = process.communicate(timeout=PATIENCE_S)
        err = b"".join(told) + err
    assert b"Traceback" not in err
    assert process.returncode == 130, err
    shown = json.loads(CliRunner().invoke(app, ["show", "s1", "--json"]).stdout)
    assert [turn["user"] for turn in shown["turns"]] == ["Hello."]


@posix
def test_sigterm_finishes_the_bookkeeping_and_leaves(server: ScriptedServer) -> None:
    with chatting() as process:
        type_line(process, b"Hello.")
        until(process.stdout, b"That")
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 143, err
    assert b"Traceback" not in err
    assert b"Fatal" not in err
    shown = json.loads(CliRunner().invoke(app, ["show", "s1", "--timeline", "--json"]).stdout)
    assert [turn["phase"] for turn in shown] == ["done"]


@posix
def test_a_reader_that_leaves_is_no_drama(server: ScriptedServer) -> None:
    command = [sys.executable, "-m", "harness.cli.main", "prompts", "show", "system"]
    read, write = os.pipe()
    os.close(read)
    result = subprocess.run(
        command, stdout=write, stderr=subprocess.PIPE, env=environment(), timeout=PATIENCE_S, check=False
    )
    os.close(write)
    assert b"Traceback" not in result.stderr
    assert result.returncode != 0


@posix
def test_a_terminal_streams_shows_the_state_and_leaves_at_the_second_ctrl_c(server: ScriptedServer) -> None:
    import pty
    import termios

    here, there = pty.openpty()
    termios.tcsetwinsize(there, (24, 70))
    streams = {"stdin": there, "stdout": there, "stderr": there, "start_new_session": True}
    seen = bytearray()

    def watch() -> None:
        with contextlib.suppress(OSError):
            while chunk := os.read(here, 65536):
                seen.extend(chunk)
                if b"\x1b[6n" in chunk:
                    os.write(here, b"\x1b[1;1R")

    def text() -> str:
        return seen.decode(errors="replace")

    def prompts_after(words: str) -> bool:
        return "you:" in text().partition(words)[2]

    with chatting(**streams) as process:
        os.close(there)
        threading.Thread(target=watch, daemon=True).start()
        waiting_for(lambda: "you:" in text(), text)
        os.write(here, b"I have a cat\x1b\rcalled Miso.\r")
        waiting_for(lambda: prompts_after("tokens"), text)
        assert "That sounds good." in text()
        assert server.chats[0].body["messages"][-1]["content"].endswith("I have a cat\ncalled Miso.")
        os.write(here, b"Please talk slowly.\r")
        waiting_for(lambda: "One two" in text(), text)
        process.send_signal(signal.SIGINT)
        waiting_for(lambda: prompts_after("Cancelled"), text)
        os.write(here, b"half a line\x03\x03")
        waiting_for(lambda: prompts_after("Ctrl-C once more"), text)
        os.write(here, b"\x03")
        assert process.wait(PATIENCE_S) == 0
    assert "\x1b" in text()


@posix
@pytest.mark.parametrize("typed", ["my own words", "我自己的话"])
def test_what_is_typed_during_a_reply_is_not_put_into_the_characters_mouth(server: ScriptedServer, typed: str) -> None:
    import pty
    import termios

    here, there = pty.openpty()
    termios.tcsetwinsize(there, (24, 90))
    seen = bytearray()

    def watch() -> None:
        with contextlib.suppress(OSError):
            while chunk := os.read(here, 65536):
                seen.extend(chunk)
                if b"\x1b[6n" in chunk:
                    os.write(here, b"\x1b[1;1R")

    def text() -> str:
        return seen.decode(errors="replace")

    with chatting(stdin=there, stdout=there, stderr=there, start_new_session=True) as process:
        os.close(there)
        threading.Thread(target=watch, daemon=True).start()
        waiting_for(lambda: "you:" in text(), text)
        os.write(here, b"Please talk slowly.\r")
        waiting_for(lambda: "One two" in text(), text)
        os.write(here, typed.encode())
        waiting_for(lambda: "tokens" in text().partition("One two")[2], text)
        reply_shown = text().partition("One two")[2].partition("ten.")[0]
        assert typed[:4] not in reply_shown
        waiting_for(lambda: typed in text().partition("ten.")[2], text)
        os.write(here, b"\r")
        waiting_for(lambda: len(server.chats) == 2, text)
        assert server.chats[1].body["messages"][-1]["content"].endswith(typed)
        waiting_for(lambda: text().count("tokens") == 2, text)
        os.write(here, b"\x04")
        assert process.wait(PATIENCE_S) == 0


@posix
def test_ctrl_c_during_the_download_of_a_model_leaves_at_once(tmp_path: Path) -> None:
    code = """
import time
from harness.adapters.local import Progress
from harness.app_connecting import ModelParts
import asyncio
from harness.cli.main import main

async def embedded(self):
    def pull():
        for step in range(600):
            self._progress(Progress("somewhere", step, 600, "downloading"))
            time.sleep(0.05)
    await asyncio.to_thread(pull)

ModelParts._embedded_model = embedded
main()
"""
    command = [sys.executable, "-c", code, "chat", "-p", "mia"]
    process = subprocess.Popen(command, cwd=tmp_path, env=environment(), stderr=subprocess.PIPE, stdin=subprocess.PIPE)
    try:
        assert process.stderr is not None
        while not process.stderr.readline().startswith(b"downloading"):
            pass
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 130  # half of what the download takes
    finally:
        process.kill()
        process.communicate()
