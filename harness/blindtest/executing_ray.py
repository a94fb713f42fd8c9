"""Trials on a Ray cluster (extra ``ray``): one actor a worker, with the same answers as a worker process gives."""

from __future__ import annotations

import asyncio
import os
import sys
import uuid
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from harness.blindtest.executing import Finished
from harness.blindtest.pooling import Forget, Link, Pool, WorkerGone, forget_nothing
from harness.blindtest.transcript import Transcript, Trial
from harness.blindtest.worker import NAME, Holder, answered
from harness.errors import MissingExtra, RunError

NAMESPACE = "harness-blindtest"


def _ray() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # a run tells nobody of itself unless it was asked to
    try:
        import ray
    except ImportError as failure:
        raise MissingExtra("The executor ray needs the extra 'ray' (package ray).", extra="ray") from failure
    return ray


def required() -> None:
    """Raises MissingExtra: Ray is not installed."""
    _ray()


@asynccontextmanager
async def connected(address: str) -> AsyncGenerator[int, None]:
    """A connection to a cluster; gives its number of machines. One that is open already is used, and stays.

    Args:
        address: of a cluster; empty: what ``RAY_ADDRESS`` names, else one of this machine that ends with the context.

    Raises:
        MissingExtra: Ray is not installed. RunError: there is no cluster at the address.
    """
    ray = _ray()
    own = not ray.is_initialized()
    if own:
        options: dict[str, Any] = {"address": address or None, "namespace": NAMESPACE, "log_to_driver": False}
        if not address and not os.environ.get("RAY_ADDRESS"):
            options |= {"include_dashboard": False}
        try:
            await asyncio.to_thread(ray.init, **options)
        except (ConnectionError, RuntimeError, ValueError, OSError) as failure:
            raise RunError(
                f"Expected a Ray cluster at {address or os.environ.get('RAY_ADDRESS') or 'this machine'}: {failure}.",
                remedy="Start it (`ray start --head`), or give its address.",
            ) from failure
    try:
        yield sum(1 for node in ray.nodes() if node.get("Alive"))
    finally:
        if own:
            await asyncio.to_thread(ray.shutdown)


@dataclass(frozen=True, slots=True)
class OnRay:
    """Holds trials with ``jobs`` actors, ``at_once`` in each. Attributes as in
    :class:`~harness.blindtest.executing_processes.Processes`.
    """

    staging: bytes
    jobs: int
    at_once: int = 1
    forget: Forget = forget_nothing

    async def run(self, trials: Iterator[Trial], finished: Finished) -> None:
        """See :class:`~harness.blindtest.executing.Executor`."""
        await Pool(self._connect, self.jobs, self.at_once).run(trials, finished)

    @asynccontextmanager
    async def _connect(self) -> AsyncGenerator[Link, None]:
        ray, name = _ray(), uuid.uuid4().hex[:12]
        made = ray.remote(_Actor).options(max_concurrency=self.at_once + 2, scheduling_strategy="SPREAD")
        link = _Worker(made.remote(self.staging, name, _paths()))
        try:
            yield link
            await link.end()
        finally:
            link.stop()
            await self.forget(name)


def _paths() -> list[str]:
    return [os.path.abspath(entry) for entry in sys.path]  # noqa: PTH100 - "" is the current folder


class _Actor(Holder):
    """A worker in an actor."""

    def __init__(self, staging: bytes, name: str, paths: list[str]) -> None:
        sys.path += [path for path in paths if path not in sys.path]
        os.environ[NAME] = name
        super().__init__(staging)


class _Worker:
    """One actor, as the pool sees it."""

    def __init__(self, actor: Any) -> None:
        self._actor = actor
        self._answers: asyncio.Queue[Transcript | Exception] = asyncio.Queue()
        self._waiting: set[asyncio.Task[None]] = set()

    async def ready(self) -> None:
        """See :class:`~harness.blindtest.pooling.Link`."""
        answered(await self._told(self._actor.open.remote()))

    async def send(self, trial: Trial) -> None:
        """See :class:`~harness.blindtest.pooling.Link`."""
        task = asyncio.create_task(self._hold(trial.model_dump_json()))
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)

    async def receive(self) -> Transcript:
        """See :class:`~harness.blindtest.pooling.Link`."""
        answer = await self._answers.get()
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def end(self) -> None:
        """Close its stage."""
        await self._told(self._actor.close.remote())

    def stop(self) -> None:
        """End it, whatever it does."""
        for task in self._waiting:
            task.cancel()
        _ray().kill(self._actor)

    async def _hold(self, trial: str) -> None:
        try:
            transcript = answered(await self._told(self._actor.hold.remote(trial)))
        except Exception as failure:  # noqa: BLE001 - raised where answers are received
            self._answers.put_nowait(failure)
        else:
            self._answers.put_nowait(transcript or WorkerGone("an answer without a transcript"))

    async def _told(self, reference: Any) -> Any:
        from ray.exceptions import RayActorError

        try:
            return await reference
        except RayActorError as failure:
            raise WorkerGone(" ".join(str(failure).split())[:300]) from None


# --- what the workers share -----------------------------------------------------------------------------------------


@asynccontextmanager
async def kept(make: Callable[[], Any]) -> AsyncGenerator[tuple[str, Forget], None]:
    """An object that lives in an actor, for all workers: the name it is found by, and its ``forget``."""
    ray, name = _ray(), f"shared-{uuid.uuid4().hex[:12]}"
    actor = ray.remote(_Keeper).options(name=name, namespace=NAMESPACE, num_cpus=0).remote(make)

    async def forget(worker: str) -> None:
        await actor.call.remote("forget", (worker,))

    try:
        yield name, forget
    finally:
        ray.kill(actor)


class _Keeper:
    """The actor: calls a method of its object, one after the other."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._object = make()

    def call(self, method: str, given: tuple[Any, ...]) -> Any:
        """What the method gives."""
        return getattr(self._object, method)(*given)


@dataclass(frozen=True, slots=True)
class Kept:
    """A :class:`harness.adapters.models.pacing.Ledger` that lives in the actor of this name."""

    name: str

    def reserve(self, endpoint: str, interval: float, within: float) -> float | None:
        """See the ledger."""
        return self._call("reserve", endpoint, interval, within)  # type: ignore[no-any-return]  # Ray knows no types

    def enter(self, endpoint: str, places: int, holder: str, lasts: float) -> bool:
        """See the ledger."""
        return bool(self._call("enter", endpoint, places, holder, lasts))

    def leave(self, endpoint: str, holder: str) -> None:
        """See the ledger."""
        self._call("leave", endpoint, holder)

    def forget(self, owner: str) -> None:
        """See the ledger."""
        self._call("forget", owner)

    def _call(self, method: str, *given: Any) -> Any:
        ray = _ray()
        return ray.get(ray.get_actor(self.name, namespace=NAMESPACE).call.remote(method, given))
