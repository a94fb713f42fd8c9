"""A pool of workers that die: every trial ends exactly once, whoever dies of it and however many are side by side."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from hypothesis import given, strategies as st

from harness.blindtest.pooling import MAX_DEATHS, Link, Pool, WorkerGone
from harness.blindtest.transcript import Transcript, Trial
from harness.errors import RunError


class Deadly:
    """A worker that ends when it holds a trial that still kills."""

    def __init__(self, kills: Counter[str], most: list[int]) -> None:
        self.kills, self.most, self.held = kills, most, list[Trial]()

    async def ready(self) -> None:
        await asyncio.sleep(0)

    async def send(self, trial: Trial) -> None:
        self.held.append(trial)
        self.most[0] = max(self.most[0], len(self.held))

    async def receive(self) -> Transcript:
        await asyncio.sleep(0)
        for trial in self.held:
            if self.kills[trial.script] > 0:
                self.kills[trial.script] -= 1
                raise WorkerGone("killed")
        return Transcript(trial=self.held.pop(0))


def trial(number: int) -> Trial:
    return Trial(suite="one.en", script=f"s{number}", persona="ada", witness="w")


@given(
    kills=st.lists(st.sampled_from([0, 0, 0, 1, 2, 3, 9]), min_size=1, max_size=12),
    jobs=st.integers(1, 4),
    at_once=st.integers(1, 4),
)
def test_every_trial_ends_once_and_only_what_kills_is_given_up(kills: list[int], jobs: int, at_once: int) -> None:
    left = Counter({f"s{number}": count for number, count in enumerate(kills)})
    most, ended = [0], list[Transcript]()

    @asynccontextmanager
    async def connect() -> AsyncGenerator[Link, None]:
        yield Deadly(left, most)

    trials = [trial(number) for number in range(len(kills))]
    asyncio.run(Pool(connect, jobs, at_once).run(iter(trials), lambda _, transcript: ended.append(transcript)))

    assert sorted(one.trial.script for one in ended) == sorted(one.script for one in trials)
    given_up = {one.trial.script for one in ended if one.error}
    assert given_up <= {f"s{number}" for number, count in enumerate(kills) if count >= MAX_DEATHS}
    assert given_up >= {
        f"s{number}" for number, count in enumerate(kills) if count > MAX_DEATHS
    }  # one may be in company
    assert most[0] <= at_once


async def test_a_pool_whose_workers_never_become_ready_ends_with_their_words() -> None:
    class Unready(Deadly):
        async def ready(self) -> None:
            raise WorkerGone("no room")

    @asynccontextmanager
    async def connect() -> AsyncGenerator[Link, None]:
        yield Unready(Counter(), [0])

    with pytest.raises(RunError, match=f"{MAX_DEATHS} workers ended before they were ready: no room"):
        await Pool(connect, 2).run(iter([trial(0), trial(1)]), lambda *_: None)
