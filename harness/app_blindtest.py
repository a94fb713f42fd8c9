"""Blind tests with the settings at hand: witnesses, runs, grading. Part of the composition root.

::

    async with Bench(load()) as bench:
        run = await bench.run(["three_rounds"], against=("bare",), trials=2, out="runs/first")
        print(run.results.witness("harness").probes["all"].share)
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from harness.app import Harness
from harness.app_blindtest_endpoints import EndpointWitness
from harness.app_blindtest_grading import by_rules, written
from harness.app_blindtest_importing import keep
from harness.app_blindtest_judging import Judging, judged
from harness.app_blindtest_witnesses import bare_witness, engine_witness
from harness.app_blindtest_workers import ExecutorName, Workers, executing, spreads
from harness.blindtest.ablations import checked
from harness.blindtest.endpoints import Endpoint
from harness.blindtest.folder import RunFolder, RunInfo
from harness.blindtest.importing import Recorded
from harness.blindtest.limits import Limits
from harness.blindtest.loading import find_suites, load_suite
from harness.blindtest.machine import machine
from harness.blindtest.pacing import PacedWitness, Pacing
from harness.blindtest.plan import Plan, plan_trials
from harness.blindtest.results import Results
from harness.blindtest.running import Progress, Running, Stage
from harness.blindtest.suite import Suite
from harness.blindtest.transcript import Transcript
from harness.blindtest.witness import Witness
from harness.blindtest.witnesses.bare import BareWitness
from harness.blindtest.witnesses.eliza import ElizaWitness
from harness.errors import RunError
from harness.ports import Model
from harness.settings import Loaded, Settings
from harness.state import Persona

ENGINE = "harness"
BARE, WINDOW, ELIZA = "bare", "window", "eliza"
KNOWN = (BARE, WINDOW, ELIZA)
"""Witnesses that ``--against`` knows by name, besides the engine."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run that is held and graded. ``stopped``: why it was ended before its last trial; empty when it was not."""

    folder: RunFolder
    info: RunInfo
    plan: Plan
    results: Results
    stopped: str = ""

    @property
    def passed(self) -> bool:
        """Whether the run is whole, and the engine (or the first witness) passed every suite with no trial that ended early."""
        return not self.stopped and self.results.passed()


@dataclass(slots=True)
class Bench:
    """Holds blind tests with the model and the characters of some settings.

    Attributes:
        settings: as for :class:`harness.app.Harness`.
        model: use this instead of what the settings name; whoever gave it closes it.
        extra: further witnesses by name, for instance scripted ones; ``against`` names them.
    """

    settings: Settings | Loaded
    model: Model | None = None
    extra: Mapping[str, Witness] = field(default_factory=dict)
    progress: Callable[[Any], None] | None = None
    base: Harness = field(init=False)

    def __post_init__(self) -> None:
        self.base = Harness(self.settings, model=self.model, progress=self.progress)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the model and whatever else was opened."""
        await self.base.close()

    # --- what there is ---------------------------------------------------------------------------------------------

    def suites(self, names: Sequence[str | Path], *, language: str = "") -> tuple[Suite, ...]:
        """Suites by name, file or folder, each once. Raises SuiteError."""
        files = dict.fromkeys(file for name in names for file in find_suites(name, language=language))
        found: dict[str, Suite] = {}
        for file in files:
            suite = load_suite(file, packs=self.base.languages)
            if language and suite.language != language:
                continue
            if suite.id in found:
                raise RunError(f"Two suites are called {suite.id!r}.", remedy="Rename one of them.")
            found[suite.id] = suite
        if names and not found:
            raise RunError(f"None of these suites is in {language!r}.", remedy="Leave --language out, or name others.")
        return tuple(found.values())

    def personas(self, names: Sequence[str], suites: Sequence[Suite]) -> dict[str, Persona]:
        """Characters by id, name or path; without names one of the package for each language of the suites.

        Raises:
            PersonaError: there is no such character.
        """
        if names:
            found = [self.base._persona(name) for name in names]  # noqa: SLF001 - the same part of the package
            return {one.id or one.name: one for one in found}
        chosen: dict[str, Persona] = {}
        for listed in self.base.personas():
            persona = self.base._persona(listed.id)  # noqa: SLF001 - as above
            if persona.language in {suite.language for suite in suites} - {one.language for one in chosen.values()}:
                chosen[persona.id] = persona
        return chosen

    def witness(self, name: str) -> Witness:
        """A witness by name: ``harness``, ``harness-FEATURE`` (an ablation), ``bare``, ``window``, ``eliza``, one of ``extra``.

        Raises:
            RunError: there is none of this name.
        """
        if name in self.extra:
            found = self.extra[name]
            if isinstance(found, EndpointWitness):
                found.count_with(self.base._models)  # noqa: SLF001 - the same part of the package
            return found
        if name == ENGINE:
            return engine_witness(self, name, ())
        if name.startswith(f"{ENGINE}-"):
            return engine_witness(self, name, checked((name.removeprefix(f"{ENGINE}-"),)))
        if name == BARE:
            return self.bare(name)
        if name == WINDOW:
            return self.bare(name, summarize=True)
        if name == ELIZA:
            return ElizaWitness(name, self.base.languages)
        known = (ENGINE, *KNOWN, f"{ENGINE}-FEATURE", *self.extra)
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"Did you mean {near[0]!r}? " if near else ""
        raise RunError(f"There is no witness {name!r}.", remedy=f"{hint}There are {', '.join(known)}.")

    def add_endpoints(self, endpoints: Mapping[str, Endpoint]) -> None:
        """Make what answers at other endpoints known as witnesses, by name. Raises RunError: a name is taken."""
        for name in endpoints:
            if name in (ENGINE, *KNOWN, *self.extra) or name.startswith(f"{ENGINE}-"):
                raise RunError(f"There is a witness {name!r} already.", remedy="Give the endpoint another name.")
        made = {name: EndpointWitness(name, self.base.settings, one) for name, one in endpoints.items()}
        self.extra = {**self.extra, **made}

    # --- runs ------------------------------------------------------------------------------------------------------

    async def run(
        self,
        suites: Sequence[str | Path | Suite],
        *,
        personas: Sequence[str] = (),
        against: Sequence[str] = (),
        ablate: Sequence[str] = (),
        witness: str = ENGINE,
        language: str = "",
        trials: int = 1,
        seed: int = 0,
        jobs: int = 1,
        at_once: int = 1,
        executor: ExecutorName = "auto",
        ray_address: str = "",
        out: str | Path = "blindtest",
        resume: bool = False,
        limits: Limits | None = None,
        judge: str | Judging = "rules",
        pacing: Pacing | None = None,
        call: Sequence[str] = (),
        on_plan: Callable[[Plan, int], None] | None = None,
        on_trial: Progress | None = None,
    ) -> Run:
        """Hold, grade and count; the run is in the folder ``out``.

        Args:
            suites: names, files, folders, or suites.
            personas: see :meth:`personas`.
            against: witnesses to compare with. ``ablate``: features of the engine to switch off, each in a witness of its own.
            witness: the one that is examined.
            language: only the suites of this language.
            trials: repeats of each script. ``seed``: base of all seeds.
            jobs: worker processes. ``at_once``: trials side by side in each. ``executor``, ``ray_address``: see
                :func:`harness.app_blindtest_workers.executing`.
            resume: go on with the run that is in the folder.
            limits: prices, and what ends the run before its last trial; what was held is kept, and can be gone on with.
            judge: ``rules``, ``model`` or ``both``; or more about it, see :class:`harness.app_blindtest_judging.Judging`. A run that a model
                judged and that is gone on with by ``rules`` keeps what the model said; it is asked nothing.
            pacing: replies come at the pace of a person; results stay the same.
            call: words of a command that holds such a run, for its report.
            on_plan: is told the plan and how many trials are there already. ``on_trial``: each trial and its transcript.

        Raises:
            SuiteError, PersonaError, RunError: nothing was held. ModelError, LocalModelError: no model.
        """
        judging = Judging.of(judge)
        workers = Workers(executor, jobs=jobs, at_once=at_once, ray_address=ray_address)
        given = [one for one in suites if isinstance(one, Suite)]
        chosen = (*given, *self.suites([one for one in suites if not isinstance(one, Suite)], language=language))
        people = self.personas(personas, chosen)
        if witness in against:
            raise RunError(
                f"The witness {witness!r} cannot be compared with itself.", remedy="Name others with --against."
            )
        names = list(dict.fromkeys((witness, *against, *(f"{ENGINE}-{one}" for one in checked(tuple(ablate))))))
        witnesses = {name: self.witness(name) for name in names}
        if pacing is not None:
            witnesses = {name: PacedWitness(one, pacing) for name, one in witnesses.items()}
        plan = plan_trials(chosen, people, names, self.base.languages, trials=trials, seed=seed)
        info = self.info(chosen, people, {name: one.about for name, one in witnesses.items()}, plan, trials, seed)
        bounds = limits or Limits()
        info = info.model_copy(update={"prices": dict(bounds.prices), "call": tuple(call)})
        stage = Stage({one.id: one for one in chosen}, people, witnesses, self.base.languages)
        dress = None if pacing is None else partial(PacedWitness, pacing=pacing)
        spreads(workers, self.base, stage, self.extra, dress)  # what cannot be done is said before the folder is begun
        folder = RunFolder(out)
        with folder.alone():
            info, done = folder.begin(info, resume=resume)
            if on_plan is not None:
                on_plan(plan, sum(trial.key in done and not done[trial.key].error for trial in plan.trials))
            try:
                async with executing(workers, self.base, stage, self.extra, dress) as chosen_executor:
                    running = Running(chosen_executor, folder, progress=on_trial, done=done, limits=bounds)
                    await running.run(plan.trials)
            finally:
                await stage.close()
            transcripts = [running.done[trial.key] for trial in plan.trials if trial.key in running.done]
            as_it_was = resume and judging.mode == "rules"  # a run that a model judged stays so
            results = await judged(self, folder, info, transcripts, None if as_it_was else judging, limits=bounds)
            return Run(folder, info, plan, results, running.stopped or bounds.stopped)

    async def keep(self, recorded: Sequence[Recorded], suites: Sequence[str | Path], *, out: str | Path) -> Run:
        """Put conversations that another system held into a run folder, and grade them. See :func:`harness.app_blindtest_importing.keep`."""
        return await keep(self, recorded, suites, out=out)

    def grade(self, folder: RunFolder, info: RunInfo, transcripts: Sequence[Transcript], *, jobs: int = 1) -> Results:
        """Grade transcripts by rules and write verdicts and results into the folder of their run.

        ``jobs``: processes, for many transcripts; a script that asks for more than one needs the usual ``if __name__ == "__main__"``.
        Raises RunBusy: another process writes there.
        """
        with folder.alone():
            return written(folder, info, transcripts, by_rules(self, info, transcripts, jobs=jobs))

    def info(
        self,
        suites: Sequence[Suite],
        people: Mapping[str, Persona],
        abouts: Mapping[str, Mapping[str, Any]],
        plan: Plan,
        trials: int,
        seed: int,
    ) -> RunInfo:
        """What a run is, for its folder."""
        return RunInfo(
            suites={one.id: one.digest() for one in suites},
            personas={name: one.digest() for name, one in people.items()},
            witnesses={name: dict(about) for name, about in abouts.items()},
            trials=trials,
            seed=seed,
            texts={one.id: one.model_dump(mode="json", by_alias=True, exclude_defaults=True) for one in suites},
            people={name: one.model_dump(mode="json") for name, one in people.items()},
            machine=machine(),
            planned=len(plan.trials),
            left_out=tuple(f"{one.suite}/{one.script} with {one.persona}: {one.why}" for one in plan.left_out),
        )

    def bare(self, name: str, *, summarize: bool = False) -> BareWitness:
        """The model alone, or with a running summary."""
        return bare_witness(self, name, summarize=summarize)
