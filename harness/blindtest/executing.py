"""Who holds the trials of a run: this process, or several processes or machines, with the same results.

An :class:`Executor` holds trials and tells of each that is finished; who asked for them writes them down, so that there is one writer
whatever holds them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from harness.blindtest.suite import Suite
from harness.blindtest.transcript import Transcript, Trial
from harness.blindtest.trial import hold
from harness.blindtest.witness import Witness
from harness.language import LanguagePacks
from harness.state import Persona

Finished = Callable[[Trial, Transcript], None]
"""Is told each trial when it is over, in the order in which they end."""


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


class OpenStage(Protocol):
    """A stage that is open in a worker."""

    async def hold(self, trial: Trial) -> Transcript:
        """Hold one trial."""
        ...

    async def close(self) -> None:
        """Let go of everything."""
        ...


class Staging(Protocol):
    """How a worker makes its stage. It is pickled and sent to the worker, so it holds descriptions and nothing open."""

    async def open(self) -> OpenStage:
        """Make the stage. Raises a HarnessError: it cannot be made."""
        ...


class Executor(Protocol):
    """Holds trials."""

    async def run(self, trials: Iterator[Trial], finished: Finished) -> None:
        """Hold all of them; each is taken when it can be begun. Cancelling stops at once what is under way; what is finished was told.

        Raises:
            HarnessError: a trial could not be begun, or no worker could be started.
        """
        ...


@dataclass(frozen=True, slots=True)
class Inline:
    """Holds trials in this process, ``at_once`` of them side by side."""

    stage: OpenStage
    at_once: int = 1

    async def run(self, trials: Iterator[Trial], finished: Finished) -> None:
        """See :class:`Executor`."""
        await side_by_side(self._worker(trials, finished) for _ in range(max(1, self.at_once)))

    async def _worker(self, todo: Iterator[Trial], finished: Finished) -> None:
        for trial in todo:  # one iterator, shared by all workers
            finished(trial, await self.stage.hold(trial))


async def side_by_side(work: Iterator[Coroutine[Any, Any, None]]) -> None:
    """Run coroutines together; the first error ends all of them and is raised as it is."""
    try:
        async with asyncio.TaskGroup() as group:
            for one in work:
                group.create_task(one)
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
