"""Runs commands of the command line, each in a process of its own that is killed, or finds its disk full, at a chosen moment.

A moment is the n-th statement that any SQLite file is given, or the n-th file that is opened to be written or renamed. Jobs are read from
standard input as JSON lines ``{"folder", "argv", "at", "most_bytes"}`` (``at`` 0: never; ``most_bytes`` 0: no limit); for each a line
``{"code", "moments", "said"}`` is printed, ``code`` negative for a signal. Run by the tests as ``python killed_command.py``; never
imported. Commands are forked off, so that what they import is imported once.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import sys
import traceback
from pathlib import Path
from typing import Any

MARK = "\nmoments: "
_CONNECT = sqlite3.connect
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT


class Moments:
    """Counts what happens, and ends the process at one moment of it."""

    def __init__(self, at: int) -> None:
        self.at, self.count = at, 0

    def one(self, _what: object = None) -> None:
        self.count += 1
        if self.count == self.at:
            os.kill(os.getpid(), signal.SIGKILL)

    def connect(self, *arguments: Any, **named: Any) -> sqlite3.Connection:
        made: sqlite3.Connection = _CONNECT(*arguments, **named)
        made.set_trace_callback(self.one)
        return made

    def hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "os.rename" or (event == "open" and isinstance(arguments[2], int) and arguments[2] & WRITES):
            self.one()


def run(job: dict[str, Any], said: int) -> None:
    """The command, in the child; never returns. What it says goes to a pipe, which no limit on files touches."""
    os.chdir(job["folder"])
    os.environ["HARNESS_HOME"] = str(Path(job["folder"], "home"))
    os.dup2(said, 1)
    os.dup2(said, 2)
    if job.get("most_bytes"):
        import resource

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (job["most_bytes"], resource.RLIM_INFINITY))
    moments = Moments(job.get("at", 0))
    vars(sqlite3)["connect"] = moments.connect
    sys.addaudithook(moments.hook)
    code = 0
    try:
        app(job["argv"])
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    count, moments.at = moments.count, 0
    sys.stderr.flush()
    sys.stdout.write(f"{MARK}{count}")
    sys.stdout.flush()
    os._exit(code)


def main() -> None:
    for line in sys.stdin:
        reads, writes = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                run(json.loads(line), writes)
            finally:
                traceback.print_exc()
                os._exit(99)
        os.close(writes)
        with os.fdopen(reads, encoding="utf-8", errors="replace") as pipe:
            said, _, moments = pipe.read().partition(MARK)
        _, status = os.waitpid(child, 0)
        answer = {"code": os.waitstatus_to_exitcode(status), "moments": int(moments or 0), "said": said}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    # Imported and read once, before any command is forked off.
    import harness.adapters.memories.sqlite
    import harness.adapters.stores.sqlite
    import harness.app_moving
    import harness.cli.running  # noqa: F401
    from harness.cli.main import app
    from harness.language import load_packs

    load_packs()
    main()
