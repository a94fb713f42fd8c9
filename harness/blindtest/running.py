"""Holding the trials of a plan, several at once; each finished one is on the disk before the next is counted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from harness.blindtest.folder import RunFolder
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
    """Holds trials in this process, ``at_once`` of them side by side."""

    stage: Stage
    folder: RunFolder
    at_once: int = 1
    progress: Progress | None = None
    done: dict[str, Transcript] = field(default_factory=dict)

    async def run(self, trials: Sequence[Trial]) -> dict[str, Transcript]:
        """Hold what is not there yet; gives all transcripts by trial key. A transcript with an error is held again."""
        todo = iter([trial for trial in trials if trial.key not in self.done or self.done[trial.key].error])
        async with asyncio.TaskGroup() as group:
            for _ in range(max(1, self.at_once)):
                group.create_task(self._worker(todo))
        return self.done

    async def _worker(self, todo: Iterator[Trial]) -> None:
        for trial in todo:  # one iterator, shared by all workers
            transcript = await self.stage.hold(trial)
            self.folder.add(transcript)
            self.done[trial.key] = transcript
            if self.progress is not None:
                self.progress(trial, transcript)
