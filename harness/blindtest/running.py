"""Holding the trials of a plan that are not there yet; each finished one is on the disk before it counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from harness.blindtest.executing import Executor, Finished, Stage
from harness.blindtest.folder import RunFolder
from harness.blindtest.transcript import Transcript, Trial

__all__ = ["Bounds", "Progress", "Running", "Stage"]

Progress = Finished


class Bounds(Protocol):
    """What may end a run before its last trial."""

    def reached(self, held: Iterable[Transcript]) -> str:
        """Which bound is reached, in words; empty for none."""
        ...


@dataclass(slots=True)
class Running:
    """Has an executor hold trials and writes down what comes back.

    Attributes:
        limits: asked before each trial; once they are reached no other is begun, and ``stopped`` says why.
    """

    executor: Executor
    folder: RunFolder
    progress: Progress | None = None
    done: dict[str, Transcript] = field(default_factory=dict)
    limits: Bounds | None = None
    stopped: str = ""

    async def run(self, trials: Sequence[Trial]) -> dict[str, Transcript]:
        """Hold what is not there yet; gives all transcripts by trial key. A transcript with an error is held again."""
        todo = [trial for trial in trials if trial.key not in self.done or self.done[trial.key].error]
        if todo:
            await self.executor.run(self._while_within_limits(todo), self._finished)
        return self.done

    def _while_within_limits(self, todo: Sequence[Trial]) -> Iterator[Trial]:
        for trial in todo:
            if self.limits is not None and (reached := self.limits.reached(self.done.values())):
                self.stopped = reached
                return
            yield trial

    def _finished(self, trial: Trial, transcript: Transcript) -> None:
        self.folder.add(transcript)
        self.done[trial.key] = transcript
        if self.progress is not None:
            self.progress(trial, transcript)
