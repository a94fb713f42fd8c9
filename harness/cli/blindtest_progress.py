"""How far a run is: a bar in a terminal, a line for each trial elsewhere; both on standard error."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from harness.blindtest.plan import Plan
    from harness.blindtest.transcript import Transcript, Trial


class RunBar:
    """Takes the plan and each trial of a run. A context manager."""

    def __init__(self) -> None:
        self.total = self.done = self.failed = 0
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Self:
        """Nothing is shown before the plan is known."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the bar away."""
        self.stop()

    def stop(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    @contextlib.contextmanager
    def kept(self, out: Path) -> Iterator[None]:
        """Where the run in a folder is interrupted, say how far it came and how it is gone on with. Raises typer.Exit with exit code 130."""
        import typer

        from harness.cli.blindtest_options import INTERRUPTED

        try:
            yield
        except KeyboardInterrupt:
            self._interrupted(out)
            raise typer.Exit(INTERRUPTED) from None
        except typer.Exit:
            self._interrupted(out)
            raise

    def _interrupted(self, out: Path) -> None:
        self.stop()
        if self.total:
            self._say(f"\nInterrupted. {self.done} of {self.total} trials are kept in {out}.")
            self._say("  Go on with the same command and --resume.")

    def planned(self, plan: Plan, there: int) -> None:
        """The plan, and how many of its trials are held already."""
        self.total, self.done = len(plan.trials), there
        if there:
            self._say(f"{there} of {self.total} trials are there already.")
        if sys.stderr.isatty():
            self._draw()

    def trial(self, trial: Trial, transcript: Transcript) -> None:
        """A trial that has been held."""
        self.done += 1
        self.failed += bool(transcript.error)
        name = f"{trial.witness} {trial.suite}/{trial.script} {trial.persona} #{trial.repeat + 1}"
        if self._bar is not None:
            early = f" · {self.failed} ended early" if self.failed else ""
            self._bar.update(self._task, completed=self.done, description=name + early)
        else:
            turns = len(transcript.exchanges)
            ended = f", ended early: {transcript.error}" if transcript.error else ""
            self._say(f"{self.done}/{self.total} {name}: {turns} turns{ended}")

    def _draw(self) -> None:
        from rich import progress as bars

        from harness.cli.render import console

        self._bar = bars.Progress(
            bars.BarColumn(), bars.MofNCompleteColumn(), bars.TimeRemainingColumn(), bars.TextColumn("{task.description}", markup=False),
            console=console(stderr=True), transient=True,
        )  # fmt: skip
        self._bar.start()
        self._task = self._bar.add_task("", total=self.total, completed=self.done)

    @staticmethod
    def _say(line: str) -> None:
        sys.stderr.write(line + "\n")
        sys.stderr.flush()
