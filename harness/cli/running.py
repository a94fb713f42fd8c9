"""The edge between commands and the operating system: streams, signals, errors, exit codes."""

from __future__ import annotations

import contextlib
import io
import json
import signal
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextvars import ContextVar
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeVar

import typer

if TYPE_CHECKING:
    from harness.app import Harness
    from harness.errors import HarnessError
    from harness.settings import Loaded

T = TypeVar("T")

TERMINATED = 143
DEBUGGING: ContextVar[bool] = ContextVar("debugging", default=False)
"""Whether the traceback of an error was asked for."""


def prepare_streams() -> None:
    """Speak UTF-8 whatever the locale says.

    What cannot be encoded on the way out is replaced; what cannot be decoded on the way in stays recognisable, so that
    the engine refuses it with a clear message.
    """
    for stream, errors in ((sys.stdin, "surrogateescape"), (sys.stdout, "replace"), (sys.stderr, "replace")):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors=errors)


def show_error(error: HarnessError) -> None:
    """The message and what to do about it, on standard error."""
    typer.secho(f"error: {error.message}", fg="red", err=True)
    if error.remedy:
        typer.echo(f"  {error.remedy}", err=True)


def error_object(error: HarnessError) -> dict[str, str]:
    """An error for programs."""
    return {"type": type(error).__name__, "message": error.message, "remedy": error.remedy}


def print_json(value: Any) -> None:
    """Indented JSON on standard output. Pydantic models are dumped in their JSON form."""
    from pydantic_core import to_jsonable_python

    typer.echo(json.dumps(to_jsonable_python(value), ensure_ascii=False, indent=2))


def run(make: Callable[[], Awaitable[T]]) -> T:
    """Run a command's coroutine. SIGTERM and SIGHUP unwind it like an interrupt, so that everything is closed.

    Raises:
        typer.Exit: 143 after SIGTERM or SIGHUP.
        KeyboardInterrupt: after Ctrl-C.
    """
    import asyncio  # here, because `--help` needs none of it

    terminated = False

    async def main() -> T:
        nonlocal terminated
        task = asyncio.current_task()
        loop = asyncio.get_running_loop()

        def leave(_number: int, _frame: FrameType | None) -> None:
            nonlocal terminated
            if not terminated and task is not None:
                terminated = True
                loop.call_soon_threadsafe(task.cancel)

        with contextlib.ExitStack() as stack:
            for name in ("SIGTERM", "SIGHUP"):
                if hasattr(signal, name):
                    stack.enter_context(handling(getattr(signal, name), leave))
            return await make()

    try:
        return asyncio.run(main())
    except asyncio.CancelledError:
        if terminated:
            raise typer.Exit(TERMINATED) from None
        raise


@contextlib.contextmanager
def handling(number: signal.Signals, handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Handle a signal inside the block. Outside the main thread, where that is impossible, do nothing."""
    try:
        before = signal.signal(number, handler)
    except ValueError:
        yield
        return
    try:
        yield
    finally:
        signal.signal(number, before if before is not None else signal.SIG_DFL)


def with_harness(loaded: Loaded, work: Callable[[Harness], Awaitable[T]]) -> T:
    """Run ``work`` on a harness that is closed afterwards. The download of a model is shown, and ends when this does."""

    async def main() -> T:
        from harness.app import Harness
        from harness.cli.pulling import PullBar

        with PullBar() as bar:  # inside the loop: its end waits for the thread that pulls
            async with Harness(loaded, progress=bar) as harness:
                return await work(harness)

    return run(main)
