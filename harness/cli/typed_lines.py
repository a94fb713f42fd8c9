"""Single lines that are typed while other things are shown: at a terminal, or from a pipe."""

from __future__ import annotations

import asyncio
import sys
import threading


class PipedLines:
    """Lines of standard input. Prompts are not shown: nobody reads them."""

    def __init__(self) -> None:
        self._lines: asyncio.Queue[str | None] | None = None
        self._over = False

    async def line(self, prompt: str = "") -> str | None:
        """The next line; None at the end."""
        from harness.cli.screens import _read_lines

        del prompt
        if self._lines is None:
            self._lines = asyncio.Queue()
            loop = asyncio.get_running_loop()
            threading.Thread(target=_read_lines, args=(self._lines, loop), daemon=True).start()
        if self._over:
            return None
        found = await self._lines.get()
        self._over = found is None
        return found


class TerminalLines:
    """Lines of a terminal; what is shown meanwhile stands above the line that is typed."""

    def __init__(self) -> None:
        from harness.cli.typing_line import single_lines

        self._ask = single_lines()

    async def line(self, prompt: str = "") -> str | None:
        """The next line; None at the end of input. Raises KeyboardInterrupt."""
        try:
            return await self._ask(prompt)
        except EOFError:
            return None


def typed_lines() -> PipedLines | TerminalLines:
    """What fits the streams at hand."""
    return TerminalLines() if sys.stdin.isatty() and sys.stdout.isatty() else PipedLines()
