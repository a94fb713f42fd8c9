"""A pool of workers that may die: what they held is held again, a bounded number of times, and nothing is counted twice."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Protocol

from harness.blindtest.executing import Finished, side_by_side
from harness.blindtest.transcript import Transcript, Trial
from harness.errors import RunError

MAX_DEATHS = 3
"""So many workers may die of one trial, or before they are ready, one after the other."""


class WorkerGone(Exception):
    """A worker is there no more: how it ended, in words."""


class Link(Protocol):
    """A worker as the pool sees it. Every method raises :class:`WorkerGone` when it died."""

    async def ready(self) -> None:
        """Wait until its stage is open. Raises a HarnessError when that failed."""
        ...

    async def send(self, trial: Trial) -> None:
        """Have it hold a trial."""
        ...

    async def receive(self) -> Transcript:
        """The next finished trial. Raises a HarnessError when one could not be begun."""
        ...


@dataclass(slots=True)
class Pool:
    """Holds trials with ``jobs`` workers, ``at_once`` in each.

    A trial whose worker died is held again by a worker that holds nothing else meanwhile, so that the next death has one cause. When
    that happened to it alone :data:`MAX_DEATHS` times the trial is over, with the reason in its transcript, and the run goes on.

    Attributes:
        connect: a new worker; leaving the context ends it.
    """

    connect: Callable[[], AbstractAsyncContextManager[Link]]
    jobs: int
    at_once: int = 1
    _todo: Iterator[Trial] = field(default_factory=lambda: iter(()))
    _returned: deque[Trial] = field(default_factory=deque)
    _suspects: deque[Trial] = field(default_factory=deque)
    _deaths: dict[str, int] = field(default_factory=dict)

    async def run(self, trials: Iterator[Trial], finished: Finished) -> None:
        """See :class:`~harness.blindtest.executing.Executor`."""
        self._todo = trials
        await side_by_side(self._worker(finished) for _ in range(max(1, self.jobs)))

    async def _worker(self, finished: Finished) -> None:
        unready = 0
        while (first := self._next({})) is not None:  # no worker is begun for nothing
            held = {first.key: first}
            ready = False
            try:
                async with self.connect() as link:
                    await link.ready()
                    ready, unready = True, 0
                    await link.send(first)
                    await self._feed(link, held, finished)
            except WorkerGone as gone:
                if ready:
                    for trial in held.values():
                        self._died(trial, str(gone), finished, alone=len(held) == 1)
                    continue
                self._returned.append(first)
                unready += 1
                if unready >= MAX_DEATHS:
                    raise RunError(
                        f"{unready} workers ended before they were ready: {gone}.",
                        remedy="What is finished stays; go on by --resume, with --jobs 1 to see the error where it happens.",
                    ) from None

    async def _feed(self, link: Link, held: dict[str, Trial], finished: Finished) -> None:
        while True:
            while (trial := self._next(held)) is not None:
                held[trial.key] = trial
                await link.send(trial)
            if not held:
                return
            transcript = await link.receive()
            finished(held.pop(transcript.trial.key), transcript)

    def _next(self, held: dict[str, Trial]) -> Trial | None:
        """What a worker that holds these is given, if anything."""
        if self._suspects:
            return None if held else self._suspects.popleft()
        if len(held) >= max(1, self.at_once) or any(key in self._deaths for key in held):
            return None
        return self._returned.popleft() if self._returned else next(self._todo, None)

    def _died(self, trial: Trial, how: str, finished: Finished, *, alone: bool) -> None:
        """A death in company makes a suspect; only one alone is held against a trial."""
        self._deaths[trial.key] = self._deaths.get(trial.key, 0) + alone
        if self._deaths[trial.key] < MAX_DEATHS:
            self._suspects.append(trial)
        else:
            error = f"WorkerGone: {MAX_DEATHS} workers that held this trial ended, the last one with: {how}"
            finished(trial, Transcript(trial=trial, error=error))


Forget = Callable[[str], Awaitable[None]]
"""Is told the name of a worker that ended, so that what it had taken (places at an endpoint) is free again."""


async def forget_nothing(worker: str) -> None:
    """Nothing is taken."""
