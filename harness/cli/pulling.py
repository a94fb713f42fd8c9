"""How the download of an embedded model is shown: a bar in a terminal, a line every tenth elsewhere."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any, Protocol, Self

_STEP = 10


class Progress(Protocol):
    """How far a pull is: bytes done of the whole file, whose size may be unknown; from where; at what it is."""

    @property
    def source(self) -> str: ...  # noqa: D102 - see the class

    @property
    def done(self) -> int: ...  # noqa: D102

    @property
    def total(self) -> int | None: ...  # noqa: D102

    @property
    def phase(self) -> str: ...  # noqa: D102


class PullBar:
    """Takes progress from the thread that pulls. A context manager; nothing is shown while nothing is pulled."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._task: Any = None
        self._told: tuple[str, int | str] = ("", -1)
        self._left = False

    def __call__(self, progress: Progress, /) -> None:
        """Show how far it is. Raises KeyboardInterrupt after an interruption, which ends the pull; it can go on later."""
        if self._left:
            raise KeyboardInterrupt
        if sys.stderr.isatty():
            self._draw(progress)
        else:
            self._tell(progress)

    def __enter__(self) -> Self:
        """Nothing is shown yet."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the bar away; a pull that is still under way in its thread ends at its next step."""
        self._left = True
        self.stop()

    def stop(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = self._task = None

    def _draw(self, progress: Progress) -> None:
        from rich import progress as bars

        from harness.cli.render import console

        if progress.phase == "done":
            self.stop()
            return
        if self._bar is None:
            self._bar = bars.Progress(
                bars.TextColumn("{task.description}"),
                bars.BarColumn(),
                bars.DownloadColumn(),
                bars.TransferSpeedColumn(),
                bars.TimeRemainingColumn(),
                console=console(stderr=True),
                transient=True,
            )
            self._bar.start()
        label = (progress.phase, progress.source)
        if self._task is None or self._told != label:
            if self._task is not None:
                self._bar.remove_task(self._task)
            self._task = self._bar.add_task(progress.phase, total=progress.total)
            self._told = label
        self._bar.update(self._task, completed=progress.done, total=progress.total)

    def _tell(self, progress: Progress) -> None:
        tenth = int(progress.done * 100 / progress.total) // _STEP * _STEP if progress.total else 0
        label = (f"{progress.phase} {progress.source}", tenth)
        if label != self._told:
            self._told = label
            sys.stderr.write(f"{progress.phase} {tenth} % ({progress.source})\n")
            sys.stderr.flush()
