"""Who holds the trials of a run: this process, worker processes, or a Ray cluster. Part of the composition root.

A worker gets a description (settings, suites, characters, names of witnesses), makes a stage of its own from it, and shares with the
others what there is only once: the embedded model's server, and the limits of the endpoint.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

import structlog

from harness.app import Harness
from harness.blindtest.executing import Executor, Finished, Inline, Stage
from harness.blindtest.suite import Suite
from harness.blindtest.transcript import Transcript, Trial
from harness.blindtest.witness import Witness
from harness.blindtest.worker import NAME
from harness.errors import RunError
from harness.settings import Settings
from harness.state import Persona

if TYPE_CHECKING:
    from harness.adapters.models.pacing import Ledger
    from harness.app_blindtest import Bench
    from harness.app_connecting import Served

log = structlog.get_logger("harness.blindtest")

Dress = Callable[[Witness], Witness]
"""Puts something around a witness (the pace of a person, say). It is sent to workers, so it is no closure."""
ExecutorName = Literal["auto", "inline", "processes", "ray"]
LEDGER_FILE = "limits.db"


@dataclass(frozen=True, slots=True)
class Workers:
    """How a run is spread.

    Attributes:
        executor: ``auto`` takes processes where ``jobs`` is more than 1 and everything can be sent to them.
        jobs: worker processes. ``at_once``: trials side by side in each.
        ray_address: of a Ray cluster; empty: what ``RAY_ADDRESS`` names, else a cluster of this machine for the run.
    """

    executor: ExecutorName = "auto"
    jobs: int = 1
    at_once: int = 1
    ray_address: str = ""

    def __post_init__(self) -> None:
        if self.executor not in get_args(ExecutorName):
            raise RunError(
                f"Expected an executor, got {self.executor!r}.",
                remedy=f"There are {', '.join(get_args(ExecutorName))}.",
            )
        for name in ("jobs", "at_once"):
            if getattr(self, name) < 1:
                raise RunError(f"Expected {name} to be at least 1, got {getattr(self, name)!r}.")


@dataclass(frozen=True, slots=True)
class WorkerStaging:
    """The description that a worker makes its stage from; see :class:`harness.blindtest.executing.Staging`.

    Attributes:
        suites, personas: as JSON, by id. ``extra``: witnesses that can be sent as they are.
        served: the embedded model's server, which all workers share.
        dress: is put around each of the witnesses.
        ledger: where starts and places are counted: the path of a file, or ``ray:NAME``; empty: nothing is limited.
    """

    settings: Settings
    suites: dict[str, str]
    personas: dict[str, str]
    witnesses: tuple[str, ...]
    extra: Mapping[str, Witness] = field(default_factory=dict)
    served: Served | None = None
    ledger: str = ""
    dress: Dress | None = None

    async def open(self) -> _WorkerStage:
        """Make the stage. Raises whatever the making of witnesses raises."""
        from harness.app_blindtest import Bench

        bench = Bench(self.settings, extra=self.extra)
        models = bench.base._models  # noqa: SLF001 - the same part of the package
        models.served, models.owner = self.served, os.environ.get(NAME, "")
        if self.ledger:
            models.ledger = _ledger(self.ledger)
        stage = Stage(
            {name: Suite.model_validate_json(text) for name, text in self.suites.items()},
            {name: Persona.model_validate_json(text) for name, text in self.personas.items()},
            {name: self._witness(bench, name) for name in self.witnesses},
            bench.base.languages,
        )
        return _WorkerStage(stage, bench)

    def _witness(self, bench: Bench, name: str) -> Witness:
        witness = bench.witness(name)
        return witness if self.dress is None else self.dress(witness)


@dataclass(frozen=True, slots=True)
class _WorkerStage:
    """A stage with the harness it rests on."""

    stage: Stage
    bench: Bench

    async def hold(self, trial: Trial) -> Transcript:
        """Hold one trial."""
        return await self.stage.hold(trial)

    async def close(self) -> None:
        """Close witnesses and harness."""
        try:
            await self.stage.close()
        finally:
            await self.bench.close()


@asynccontextmanager
async def executing(
    workers: Workers, base: Harness, stage: Stage, extra: Mapping[str, Witness], dress: Dress | None = None
) -> AsyncGenerator[Executor, None]:
    """The executor of a run; leaving the context ends its workers.

    ``auto`` stays in this process for one job, where a model or a witness was given that cannot be sent to workers, and for a recorded
    model, whose answers have an order. Then ``jobs`` times ``at_once`` trials are side by side (one of a recorded model).

    Raises:
        RunError: the workers that were asked for cannot be used, with the reason. MissingExtra: the extra ``ray`` is not installed.
    """
    if not spreads(workers, base, stage, extra, dress):
        replayed = bool(base.settings.provider.replay)
        yield Inline(stage, 1 if replayed else workers.jobs * workers.at_once)
    elif workers.executor == "ray":
        async with _on_ray(workers, base, stage, extra, dress) as executor:
            yield executor
    else:
        async with _in_processes(workers, base, stage, extra, dress) as executor:
            yield executor


def spreads(
    workers: Workers, base: Harness, stage: Stage, extra: Mapping[str, Witness], dress: Dress | None = None
) -> bool:
    """Whether a run leaves this process. Raises RunError: it should, and cannot. MissingExtra: Ray is not installed."""
    if workers.executor == "ray":
        from harness.blindtest.executing_ray import required

        required()
    wanted = workers.jobs > 1 if workers.executor == "auto" else workers.executor in ("processes", "ray")
    if not wanted or not (why := _unsendable(base, stage, extra, dress)):
        return wanted
    if workers.executor != "auto":
        raise RunError(
            f"The trials cannot be sent to workers: {why}.",
            remedy="Use the executor auto or inline, with at_once for trials side by side.",
        )
    log.info("trials_held_in_this_process", why=why)
    return False


def _unsendable(base: Harness, stage: Stage, extra: Mapping[str, Witness], dress: Dress | None) -> str:
    """Why trials can be held in this process only; empty when they can be sent."""
    if not base._models.own:  # noqa: SLF001 - the same part of the package
        return "a model was given as an object"
    if base.settings.provider.replay:
        return "a recorded model answers in the order of its recording"
    used = {name: extra[name] for name in stage.witnesses if name in extra}
    try:
        pickle.dumps((used, dress))
    except (pickle.PicklingError, TypeError, AttributeError) as failure:
        return f"a witness that was given as an object cannot be pickled ({failure})"
    if own := sorted(name for name, one in used.items() if _in_main(one)):
        return f"{', '.join(own)} is defined in the script that is run; put it into a module"
    return ""


def _in_main(witness: Witness) -> bool:
    """Whether pickling refers to the main script, which workers do not run."""
    return b"__main__" in pickle.dumps(witness)


def _describe(
    base: Harness,
    stage: Stage,
    extra: Mapping[str, Witness],
    dress: Dress | None,
    served: Served | None,
    ledger: str,
) -> bytes:
    staging = WorkerStaging(
        settings=base.settings,
        suites={name: one.model_dump_json(by_alias=True, exclude_defaults=True) for name, one in stage.suites.items()},
        personas={name: one.model_dump_json() for name, one in stage.personas.items()},
        witnesses=tuple(stage.witnesses),
        extra={name: extra[name] for name in stage.witnesses if name in extra},
        served=served,
        ledger=ledger,
        dress=dress,
    )
    return pickle.dumps(staging)


@asynccontextmanager
async def _in_processes(
    workers: Workers, base: Harness, stage: Stage, extra: Mapping[str, Witness], dress: Dress | None = None
) -> AsyncGenerator[Executor, None]:
    from harness.adapters.models.pacing import FileLedger
    from harness.blindtest.executing_processes import Processes

    with tempfile.TemporaryDirectory(prefix="harness-blindtest-") as folder:
        ledger = FileLedger(Path(folder) / LEDGER_FILE)

        async def forget(worker: str) -> None:
            await asyncio.to_thread(ledger.forget, worker)

        async def begun() -> Executor:
            served = await _shared_server(base, stage, extra)
            staging = _describe(base, stage, extra, dress, served, str(ledger.path))
            return Processes(staging, workers.jobs, workers.at_once, forget)

        yield _Begun(begun)


@asynccontextmanager
async def _on_ray(
    workers: Workers, base: Harness, stage: Stage, extra: Mapping[str, Witness], dress: Dress | None = None
) -> AsyncGenerator[Executor, None]:
    from harness.adapters.models.pacing import ProcessLedger
    from harness.blindtest.executing_ray import OnRay, connected, kept

    async with connected(workers.ray_address) as nodes, kept(ProcessLedger) as (name, forget):

        async def begun() -> Executor:
            served = await _shared_server(base, stage, extra)
            if served is not None and nodes > 1:
                raise RunError(
                    f"The embedded model answers on this machine only, and the Ray cluster has {nodes}.",
                    remedy="Set provider.base_url to an endpoint that every machine reaches.",
                )
            staging = _describe(base, stage, extra, dress, served, f"ray:{name}")
            return OnRay(staging, workers.jobs, workers.at_once, forget)

        yield _Begun(begun)


@dataclass(frozen=True, slots=True)
class _Begun:
    """An executor that is made when there is something to hold: a run that is whole already starts no model."""

    make: Callable[[], Awaitable[Executor]]

    async def run(self, trials: Iterator[Trial], finished: Finished) -> None:
        """See :class:`~harness.blindtest.executing.Executor`."""
        executor = await self.make()
        await executor.run(trials, finished)


async def _shared_server(base: Harness, stage: Stage, extra: Mapping[str, Witness]) -> Served | None:
    """The embedded model's server, started here once, if any witness needs it."""
    if not _asks_the_model(stage.witnesses, extra):
        return None
    return await base._models.share()  # noqa: SLF001 - the same part of the package


def _asks_the_model(names: Iterable[str], extra: Mapping[str, Witness]) -> bool:
    return any(name not in extra and name != "eliza" for name in names)


def _ledger(where: str) -> Ledger:
    if where.startswith("ray:"):
        from harness.blindtest.executing_ray import Kept

        return Kept(where.removeprefix("ray:"))
    from harness.adapters.models.pacing import FileLedger

    return FileLedger(Path(where))
