"""Whether a terminal shows what is typed."""

from __future__ import annotations

import sys
from typing import Any


class Echo:
    """Switches it off for a while, where there is a POSIX terminal. What is typed then waits to be read; Ctrl-C works."""

    def __init__(self) -> None:
        self._before: list[Any] | None = None

    def off(self) -> None:
        """Show nothing of what is typed until ``on``."""
        if self._before is not None or sys.platform == "win32":
            return
        import termios

        try:
            before = termios.tcgetattr(sys.stdin)
            now = [*before]
            # Not by lines: a line that was begun is to be there at the next prompt, without Enter.
            now[3] &= ~(termios.ECHO | termios.ICANON)
            termios.tcsetattr(sys.stdin, termios.TCSANOW, now)
        except (OSError, ValueError, termios.error):  # no terminal
            return
        self._before = before

    def on(self) -> None:
        """As it was."""
        before, self._before = self._before, None
        if before is None or sys.platform == "win32":
            return
        import termios

        try:
            termios.tcsetattr(sys.stdin, termios.TCSANOW, before)
        except (OSError, ValueError, termios.error):
            return
