"""Holding the trials of a plan, several at once; each finished one is on the disk before the next is counted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from harness.blindtest.folder import RunFolder
from harness.blindtest.limits import Limits
from harness.blindtest.suite import Suite
from harness.blindtest.transcript import Transcript, Trial
from harness.blindtest.trial import hold
from harness.blindtest.witness import Witness
from harness.language import LanguagePacks
from harness.state import Persona

Progress = Callable[[Trial, Transcript], None]


@dataclass(frozen=True, slots=True)
class Stage:
    """Everything that trials are held with."""

    suites: Mapping[str, Suite]
    personas: Mapping[str, Persona]
    witnesses: Mapping[str, Witness]
    packs: LanguagePacks

    async def hold(self, trial: Trial) -> Transcript:
        """Hold one trial."""
        suite = self.suites[trial.suite]
        return await hold(
            trial,
            suite=suite,
            persona=self.personas[trial.persona],
            witness=self.witnesses[trial.witness],
            pack=self.packs.get(suite.language),
        )

    async def close(self) -> None:
        """Close the witnesses."""
        for witness in self.witnesses.values():
            await witness.close()


@dataclass(slots=True)
class Running:
    """Holds trials in this process, ``at_once`` of them side by side.

    Attributes:
        limits: asked before each trial; once they are reached no other is begun, and ``stopped`` says why.
    """

    stage: Stage
    folder: RunFolder
    at_once: int = 1
    progress: Progress | None = None
    done: dict[str, Transcript] = field(default_factory=dict)
    limits: Limits | None = None
    stopped: str = ""

    async def run(self, trials: Sequence[Trial]) -> dict[str, Transcript]:
        """Hold what is not there yet; gives all transcripts by trial key. A transcript with an error is held again."""
        todo = iter([trial for trial in trials if trial.key not in self.done or self.done[trial.key].error])
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(max(1, self.at_once)):
                    group.create_task(self._worker(todo))
        except BaseExceptionGroup as failures:
            raise _first(failures) from failures  # one clear error (no model, for instance) rather than a group of them
        return self.done

    async def _worker(self, todo: Iterator[Trial]) -> None:
        for trial in todo:  # one iterator, shared by all workers
            if self.limits is not None and not self.stopped:
                self.stopped = self.limits.reached(self.done.values())
            if self.stopped:
                return
            transcript = await self.stage.hold(trial)
            self.folder.add(transcript)
            self.done[trial.key] = transcript
            if self.progress is not None:
                self.progress(trial, transcript)


def _first(failures: BaseExceptionGroup[BaseException]) -> BaseException:
    first = failures.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first
