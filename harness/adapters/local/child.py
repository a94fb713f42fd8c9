"""The child process that holds the model: ``python -m harness.adapters.local.child``.

It reads one line of JSON (the fields of ``ServerConfig``) from stdin, serves, and answers one line of JSON on stdout:
``{"url": …}`` when it is ready, ``{"error": …}`` when it cannot be. Everything llama.cpp prints goes to stderr.

Its stdin stays open for as long as the parent lives. At its end the child leaves at once, however the parent ended:
there are no orphans, not even after ``kill -9``.
"""

from __future__ import annotations

import json
import os
import signal
import stat
import sys
import threading
import time
from typing import Any, TypedDict

STDIN, STDOUT, STDERR = 0, 1, 2
_PARENT_POLL_S = 1.0


class ServerConfig(TypedDict):
    """What the parent writes to the child's stdin."""

    model_path: str
    name: str
    context: int
    slots: int
    host: str
    port: int
    threads: int
    api_key: str | None
    cache_ram_mib: int
    verbosity: int


def main() -> None:
    """Serve until stdin ends. Never returns."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to decide
    answers = os.dup(STDOUT)
    os.dup2(STDERR, STDOUT)  # a stray print of the library must not look like the answer
    config: ServerConfig = json.loads(_read_line())
    leave_with_parent()
    try:
        server = start_server(config)
    except ImportError as error:
        _leave(answers, error=f"xllamacpp cannot be imported: {error}")
    except Exception as error:  # noqa: BLE001 - whatever it is, the parent reports it
        _leave(answers, error=str(error) or type(error).__name__)
    _answer(answers, url=server.listening_address)
    while True:
        time.sleep(3600)  # llama.cpp serves from its own threads


def start_server(config: ServerConfig) -> Any:  # xllamacpp has no types
    """Load the model and listen; the returned object must be kept alive.

    Raises:
        ImportError: xllamacpp is not installed or a system library it needs is missing.
        RuntimeError: llama.cpp refused the file or the port; the reason is on stderr.
    """
    import xllamacpp  # optional, and only this process may load it

    params = xllamacpp.CommonParams()
    params.model.path = config["model_path"]
    params.model_alias = {config["name"]}
    params.n_ctx = config["context"] * config["slots"]  # llama.cpp shares n_ctx out evenly among the slots
    params.n_parallel = config["slots"]
    params.kv_unified = False
    params.cache_prompt = True
    # What is kept for one conversation must not turn up in another: see ServerOptions.cache_ram_mib.
    params.cache_ram_mib = config["cache_ram_mib"]
    params.cache_idle_slots = False
    # A request takes the slot whose prompt it shares this much of its own with, else the least recently used. Less
    # would be met by the first tokens of the chat template alone, and a short prompt take the conversation's slot.
    params.slot_prompt_similarity = 0.2
    params.prefill_assistant = True
    params.hostnames = [config["host"]]
    params.port = config["port"]
    params.api_keys = [config["api_key"]] if config["api_key"] else []
    # By default any web page the user visits may call the server from the browser.
    params.cors_origins = f"http://{config['host']}"
    params.cors_origins_explicit = True
    params.cpuparams.n_threads = config["threads"]
    params.cpuparams_batch.n_threads = config["threads"]
    params.ui = False
    params.verbosity = config["verbosity"]
    return xllamacpp.Server(params)


def leave_with_parent() -> None:
    """Arrange that this process ends when the parent does: its end of the pipe closes, or it is no longer the parent.

    The second covers a fork of the parent that holds the pipe open. Loading the model holds the GIL for seconds, in
    which no thread of Python runs; on Linux the kernel is asked to end the process by signal when the pipe changes.
    """
    threading.Thread(target=_watch_stdin, daemon=True).start()
    if os.name == "posix":
        threading.Thread(target=_watch_parent, args=(os.getppid(),), daemon=True).start()
    if sys.platform == "linux" and stat.S_ISFIFO(os.fstat(STDIN).st_mode):
        import fcntl
        import select

        fcntl.fcntl(STDIN, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(STDIN, fcntl.F_SETFL, fcntl.fcntl(STDIN, fcntl.F_GETFL) | os.O_ASYNC)
        if select.select([STDIN], [], [], 0)[0]:  # it ended before the kernel was asked
            os._exit(0)


def _watch_stdin() -> None:
    while True:
        try:
            if not os.read(STDIN, 4096):
                os._exit(0)
        except OSError:
            os._exit(0)


def _watch_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_PARENT_POLL_S)
    os._exit(0)


def _read_line() -> bytes:
    """One line, byte by byte: a buffered reader would keep the lock of stdin from the watcher."""
    line = bytearray()
    while (byte := os.read(STDIN, 1)) not in {b"", b"\n"}:
        line += byte
    if not line:
        os._exit(0)
    return bytes(line)


def _answer(descriptor: int, **fields: str) -> None:
    os.write(descriptor, json.dumps(fields).encode() + b"\n")


def _leave(descriptor: int, **fields: str) -> None:
    _answer(descriptor, **fields)
    os._exit(1)


if __name__ == "__main__":
    main()
