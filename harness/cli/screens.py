"""Where a conversation is shown and read: a terminal, or plain streams."""

from __future__ import annotations

import asyncio
import codecs
import io
import os
import sys
import threading
from typing import TYPE_CHECKING, Any, Protocol

from rich.console import RenderableType
from rich.control import Control
from rich.segment import ControlType
from rich.text import Text

from harness.cli.echo import Echo
from harness.cli.flow import Flow
from harness.cli.render import console
from harness.cli.running import show_error

if TYPE_CHECKING:
    from harness.errors import HarnessError

_READ = 65536


class Leave(Exception):
    """The user wants to leave."""


class Screen(Protocol):
    """What a conversation needs of the outside."""

    interactive: bool

    async def read(self) -> str:
        """The next message. Raises Leave at the end of input."""
        ...

    def begin(self, name: str) -> None:
        """A reply of ``name`` is about to come."""
        ...

    def token(self, text: str) -> None:
        """A piece of the reply."""
        ...

    def revised(self, text: str, reason: str) -> None:
        """What was shown of the reply is replaced."""
        ...

    def end(self) -> None:
        """The reply is complete, or broken off."""
        ...

    def show(self, what: RenderableType) -> None:
        """The answer to a command."""
        ...

    def status(self, text: str) -> None:
        """A line about the conversation that is not part of it."""
        ...

    def error(self, error: HarnessError) -> None:
        """An error; the conversation goes on."""
        ...


class PlainScreen:
    """Lines in, replies out: replies and answers to commands on standard output, everything else on standard error."""

    interactive = False

    def __init__(self) -> None:
        self._console = console()
        self._lines: asyncio.Queue[str | None] | None = None
        self._shown = ""

    async def read(self) -> str:
        """The next line."""
        if self._lines is None:
            self._lines = asyncio.Queue()
            # A daemon thread: nothing can interrupt a blocking read, and nothing must wait for it at the end.
            arguments = (self._lines, asyncio.get_running_loop())
            threading.Thread(target=_read_lines, args=arguments, daemon=True).start()
        line = await self._lines.get()
        if line is None:
            raise Leave
        return line

    def begin(self, name: str) -> None:
        """Nothing is written before the reply."""
        del name
        self._shown = ""

    def token(self, text: str) -> None:
        """Write it at once."""
        self._shown += text
        sys.stdout.write(text)
        sys.stdout.flush()

    def revised(self, text: str, reason: str) -> None:
        """Say so on a line of its own."""
        del reason
        if self._shown and not self._shown.endswith("\n"):
            self.token("\n")
        self.token(f"(revised) {text}")

    def end(self) -> None:
        """End the line."""
        if self._shown and not self._shown.endswith("\n"):
            self.token("\n")
        self._shown = ""

    def show(self, what: RenderableType) -> None:
        """Print it without colours."""
        self._console.print(what)

    def status(self, text: str) -> None:
        """To standard error."""
        sys.stderr.write(text + "\n")
        sys.stderr.flush()

    def error(self, error: HarnessError) -> None:
        """To standard error."""
        show_error(error)


class TerminalScreen:
    """A terminal: history, editing, several lines, word wrapping, replies that can be rewritten in place."""

    interactive = True

    def __init__(self) -> None:
        self._console = console()
        self._prompt: Any = None
        self._flow: Flow | None = None
        self._prefix = ""
        self._interrupted = False
        self._echo = Echo()

    async def read(self) -> str:
        """What the user types. Enter sends, Alt-Enter begins a new line; Ctrl-D, or Ctrl-C twice, leaves."""
        from prompt_toolkit.patch_stdout import patch_stdout

        from harness.cli.typing_line import prompt_session

        if self._prompt is None:
            self._prompt = prompt_session()
        while True:
            try:
                with patch_stdout(raw=True):  # what is printed meanwhile stands above what is typed
                    text = await self._prompt.prompt_async("you: ", prompt_continuation="   · ")
            except KeyboardInterrupt:
                if self._interrupted:
                    raise Leave from None
                self._interrupted = True
                self.status("Ctrl-C once more, or Ctrl-D, leaves.")
            except EOFError:
                raise Leave from None
            else:
                self._interrupted = False
                return str(text)

    def begin(self, name: str) -> None:
        """Write the name."""
        from rich.cells import cell_len

        self._echo.off()  # what is typed meanwhile would stand in the reply; it is there at the next prompt
        self._prefix = f"{name}: "
        self._console.print(Text(self._prefix, style="bold magenta"), end="")
        self._flow = Flow(self._console.width, cell_len(self._prefix))

    def token(self, text: str) -> None:
        """Write it, wrapped at words."""
        if self._flow is not None:
            self._write(self._flow.feed(text))

    def revised(self, text: str, reason: str) -> None:
        """Rewrite the reply in place; where its beginning has scrolled away, write the new one below."""
        if self._flow is None:
            return
        rows = self._flow.rows
        if rows >= self._console.height - 1:
            self._write(self._flow.finish() + "\n")
            self.begin(self._prefix.removesuffix(": "))
            text = f"(revised) {text}"
        else:
            erase: list[Any] = [(ControlType.ERASE_IN_LINE, 2)]
            erase += [(ControlType.CURSOR_UP, 1), (ControlType.ERASE_IN_LINE, 2)] * rows
            self._console.control(Control(*erase, ControlType.CARRIAGE_RETURN))
            self.begin(self._prefix.removesuffix(": "))
        self.token(text)
        if reason:
            self._write(self._flow.finish())
            self._console.print(Text(f"  (revised: {reason})", style="dim"), end="")

    def end(self) -> None:
        """End the line."""
        if self._flow is not None:
            self._write(self._flow.finish() + "\n")
            self._flow = None
        self._echo.on()

    def show(self, what: RenderableType) -> None:
        """Print it."""
        self._console.print(what)

    def status(self, text: str) -> None:
        """A dim line."""
        self._console.print(Text(text, style="dim"))

    def error(self, error: HarnessError) -> None:
        """Message and remedy."""
        self._console.print(Text(f"error: {error.message}", style="red"))
        if error.remedy:
            self._console.print(Text(f"  {error.remedy}"))

    def _write(self, text: str) -> None:
        if text:
            sys.stdout.write(text)
            sys.stdout.flush()


def screen_for_streams() -> Screen:
    """The terminal when both ends are one, else plain streams."""
    return TerminalScreen() if sys.stdin.isatty() and sys.stdout.isatty() else PlainScreen()


def _read_lines(lines: asyncio.Queue[str | None], loop: asyncio.AbstractEventLoop) -> None:
    """Put every line of standard input into the queue, and None at its end."""

    def put(line: str | None) -> None:
        try:
            loop.call_soon_threadsafe(lines.put_nowait, line)
        except RuntimeError:  # the loop is closed: nobody listens any more
            sys.exit()

    for line in _lines_of_stdin():
        put(line)
    put(None)


def _lines_of_stdin() -> Any:
    try:
        descriptor = sys.stdin.fileno()
    except (OSError, io.UnsupportedOperation):
        yield from (line.rstrip("\r\n") for line in sys.stdin)
        return
    # Read past Python's buffer: its lock, held by a blocked daemon thread, would abort the interpreter at its end.
    decoder = codecs.getincrementaldecoder("utf-8-sig")("surrogateescape")
    rest = ""
    while chunk := os.read(descriptor, _READ):
        *complete, rest = (rest + decoder.decode(chunk)).split("\n")
        yield from (line.rstrip("\r") for line in complete)
    if rest := rest + decoder.decode(b"", final=True):
        yield rest.rstrip("\r")
