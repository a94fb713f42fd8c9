"""Blind tests with the settings at hand: witnesses, runs, grading. Part of the composition root.

::

    async with Bench(load()) as bench:
        run = await bench.run(["three_rounds"], against=("bare",), trials=2, out="runs/first")
        print(run.results.witness("harness").probes["all"].share)
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from harness.app import Harness
from harness.app_blindtest_endpoints import EndpointWitness
from harness.app_blindtest_judging import Judging, judged
from harness.app_blindtest_workers import ExecutorName, Workers, executing, spreads
from harness.blindtest.ablations import Ablation, Engine, checked, without
from harness.blindtest.endpoints import Endpoint
from harness.blindtest.folder import RESULTS, RunFolder, RunInfo
from harness.blindtest.grading import grade_all
from harness.blindtest.importing import Recorded
from harness.blindtest.limits import Limits
from harness.blindtest.loading import find_suites, load_suite
from harness.blindtest.machine import machine
from harness.blindtest.pacing import PacedWitness, Pacing
from harness.blindtest.plan import Plan, plan_trials
from harness.blindtest.results import Results, results_of
from harness.blindtest.retelling import retell
from harness.blindtest.running import Progress, Running, Stage
from harness.blindtest.suite import Suite
from harness.blindtest.transcript import Transcript, Trial
from harness.blindtest.witness import Witness
from harness.blindtest.witnesses.bare import BareWitness
from harness.blindtest.witnesses.clock import CountedIds, TrialClock
from harness.blindtest.witnesses.eliza import ElizaWitness
from harness.blindtest.witnesses.engine import EngineWitness
from harness.errors import RunError
from harness.ports import ChatMessage, Model, ModelRequest
from harness.prompt_views import MessageView, PersonaView, SummaryView
from harness.settings import Loaded, Settings
from harness.state import Message, Persona, Summary
from harness.understanding.checks.holding import statement

ENGINE = "harness"
BARE, WINDOW, ELIZA = "bare", "window", "eliza"
_WEIGHING = (
    "harness",
    "models",
    "context",
    "memory",
    "graph",
    "memory_l0",
    "memory_l1",
    "memory_l2",
    "memory_l3",
    "redaction",
)
"""Sections of the settings that may change a reply."""
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
            return self.extra[name]
        if name == ENGINE:
            return self._engine(name, ())
        if name.startswith(f"{ENGINE}-"):
            return self._engine(name, checked((name.removeprefix(f"{ENGINE}-"),)))
        if name == BARE:
            return self.bare(name)
        if name == WINDOW:
            return self.bare(name, summarize=True)
        if name == ELIZA:
            return ElizaWitness(name, self.base.languages)
        raise RunError(
            f"There is no witness {name!r}.",
            remedy=f"There are {', '.join((ENGINE, *KNOWN, f'{ENGINE}-FEATURE', *self.extra))}.",
        )

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
            judge: ``rules``, ``model`` or ``both``; or more about it, see :class:`harness.app_blindtest_judging.Judging`.
            pacing: replies come at the pace of a person; results stay the same.
            on_plan: is told the plan and how many trials are there already. ``on_trial``: each trial and its transcript.

        Raises:
            SuiteError, PersonaError, RunError: nothing was held. ModelError, LocalModelError: no model.
        """
        judging = Judging.of(judge)
        workers = Workers(executor, jobs=jobs, at_once=at_once, ray_address=ray_address)
        given = [one for one in suites if isinstance(one, Suite)]
        chosen = (*given, *self.suites([one for one in suites if not isinstance(one, Suite)], language=language))
        people = self.personas(personas, chosen)
        names = list(dict.fromkeys((witness, *against, *(f"{ENGINE}-{one}" for one in checked(tuple(ablate))))))
        witnesses = {name: self.witness(name) for name in names}
        if pacing is not None:
            witnesses = {name: PacedWitness(one, pacing) for name, one in witnesses.items()}
        plan = plan_trials(chosen, people, names, self.base.languages, trials=trials, seed=seed)
        info = self._info(chosen, people, {name: one.about for name, one in witnesses.items()}, plan, trials, seed)
        if limits is not None:
            info = info.model_copy(update={"prices": dict(limits.prices)})
        stage = Stage({one.id: one for one in chosen}, people, witnesses, self.base.languages)
        dress = None if pacing is None else partial(PacedWitness, pacing=pacing)
        spreads(workers, self.base, stage, self.extra, dress)  # what cannot be done is said before the folder is begun
        folder = RunFolder(out)
        done = folder.begin(info, resume=resume)
        if on_plan is not None:
            on_plan(plan, sum(trial.key in done and not done[trial.key].error for trial in plan.trials))
        try:
            async with executing(workers, self.base, stage, self.extra, dress) as chosen_executor:
                running = Running(chosen_executor, folder, progress=on_trial, done=done, limits=limits)
                await running.run(plan.trials)
        finally:
            await stage.close()
        transcripts = [running.done[trial.key] for trial in plan.trials if trial.key in running.done]
        return Run(folder, info, plan, await judged(self, folder, info, transcripts, judging), running.stopped)

    async def keep(self, recorded: Sequence[Recorded], suites: Sequence[str | Path], *, out: str | Path) -> Run:
        """Put conversations that another system held into a run folder, and grade them.

        Args:
            recorded: see :func:`harness.blindtest.importing.read_recorded`.
            suites: those they were held by, by name or path.

        Raises:
            RunError: a conversation is not one of its script; there is a run in the folder. SuiteError, PersonaError: as for :meth:`run`.
        """
        chosen = {one.id: one for one in self.suites(suites)}
        people: dict[str, Persona] = {}
        transcripts: list[Transcript] = []
        for one in recorded:
            suite = chosen.get(one.suite)
            if suite is None:
                raise RunError(
                    f"line {one.line}: expected a suite of {', '.join(chosen)}, got {one.suite!r}.",
                    remedy="Give its file or folder with --suite, where it is none of the package.",
                )
            ((name, persona),) = self.personas([one.persona], ()).items()
            people[name] = persona
            pack = self.base.languages.get(suite.language)
            transcripts.append(await retell(one, suite=suite, persona=persona, persona_id=name, pack=pack))
        plan = Plan(tuple(one.trial for one in transcripts))
        held = {one.trial.suite for one in transcripts}
        names = dict.fromkeys(one.trial.witness for one in transcripts)
        info = self._info(
            [suite for suite in chosen.values() if suite.id in held], people, {name: {"kind": "recorded"} for name in names},
            plan, max(one.repeat for one in recorded) + 1, min(one.seed for one in recorded),
        )  # fmt: skip
        folder = RunFolder(out)
        folder.begin(info, resume=False)
        for transcript in transcripts:
            folder.add(transcript)
        return Run(folder, info, plan, self.grade(folder, info, transcripts))

    def grade(self, folder: RunFolder, info: RunInfo, transcripts: Sequence[Transcript], *, jobs: int = 1) -> Results:
        """Grade transcripts by rules and write verdicts and results into the folder of their run.

        ``jobs``: processes, for many transcripts; a script that asks for more than one needs the usual ``if __name__ == "__main__"``.
        """
        suites = {name: Suite.model_validate(text) for name, text in info.texts.items()}
        people = {name: Persona.model_validate(text) for name, text in info.people.items()}
        own = self.base.settings.path(self.base.settings.paths.languages)
        given = grade_all(
            transcripts,
            suites=suites,
            personas=people,
            packs=self.base.languages,
            jobs=jobs,
            pack_paths=sorted(own.glob("*.yaml")) if own.is_dir() else (),
        )
        graded = dict(zip((one.trial.key for one in transcripts), given, strict=True))
        folder.write_graded(graded[one.trial.key] for one in transcripts)
        reference = next(iter(info.witnesses))
        results = results_of(transcripts, graded, suites, reference=reference, prices=info.prices)
        folder.write(RESULTS, results.model_dump_json(indent=1) + "\n")
        return results

    def _info(
        self,
        suites: Sequence[Suite],
        people: Mapping[str, Persona],
        abouts: Mapping[str, Mapping[str, Any]],
        plan: Plan,
        trials: int,
        seed: int,
    ) -> RunInfo:
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

    # --- witnesses -------------------------------------------------------------------------------------------------

    def _engine(self, name: str, features: tuple[Ablation, ...]) -> EngineWitness:
        about = {"kind": "engine", "model": self._model_name(), "without": list(features), "settings": self._settings()}

        async def found(trial: Trial, clock: TrialClock) -> Harness:
            model = await self.base.model()
            settings = self._for_trials()
            settings = settings.model_copy(
                update={"harness": self.base.engine_settings().model_copy(update={"seed": trial.seed})}
            )
            engine = Engine(settings, self.base.machine)
            for feature in features:
                engine = without(feature, engine)
            return Harness(engine.settings, model=model, machine=engine.machine, clock=clock, ids=CountedIds())

        return EngineWitness(name, found, about)

    def _for_trials(self) -> Settings:
        """The settings with everything kept in memory, and tokens counted as the base counts them."""
        settings = self.base.settings
        memory = (
            settings.memory
            if settings.memory.backend == "off"
            else settings.memory.model_copy(update={"backend": "memory"})
        )
        context = settings.context
        counted = context.token_counting in ("tokenizer", "estimate") or context.tokenizer
        if settings.embedded and self.model is None and not counted:
            context = context.model_copy(update={"token_counting": "endpoint"})
        return settings.model_copy(
            update={
                "storage": settings.storage.model_copy(update={"backend": "memory", "artifacts": ""}),
                "memory": memory,
                "graph": settings.graph.model_copy(update={"backend": "auto"}),
                "short_term": settings.short_term.model_copy(update={"backend": "off"}),
                "context": context,
            }
        )

    def bare(self, name: str, *, summarize: bool = False) -> BareWitness:
        """The model alone, or with a running summary."""
        engine = self.base.settings.harness
        request = ModelRequest(
            role="responder",
            messages=(),
            purpose="respond",
            temperature=engine.temperature,
            top_p=engine.top_p,
            max_tokens=engine.max_reply_tokens,
            timeout_s=engine.turn_timeout_s,
        )
        about = {
            "kind": name,
            "model": self._model_name(),
            "window": engine.short_term_window,
            "temperature": engine.temperature,
            "top_p": engine.top_p,
            "max_tokens": engine.max_reply_tokens,
            "extra": dict(self.base.settings.provider.extra_body),
        }
        return BareWitness(
            name,
            self.base.model,
            self._system,
            request,
            window=engine.short_term_window,
            summarize=self._summary_request if summarize else None,
            about=about,
        )

    def _system(self, persona: Persona) -> str:
        """The engine's own system prompt for a character."""
        pack = self.base.languages.get(persona.language)
        view = PersonaView.of(persona, lambda fact: statement(fact, pack=pack, persona=persona))
        return self.base.prompts.render("system", persona.language, persona=view)

    def _summary_request(self, previous: str, messages: tuple[ChatMessage, ...], language: str) -> ModelRequest:
        engine = self.base.settings.harness
        pack = self.base.languages.get(language)
        said = [
            Message(speaker="user" if one.role == "user" else "character", text=one.content, turn=number // 2 + 1)
            for number, one in enumerate(messages)
        ]
        prompt = self.base.prompts.render(
            "summarize",
            language,
            name="character",
            user_name="user",
            language=pack.lines.language_names.get(language, language),
            structured=False,
            previous=SummaryView.of(Summary(text=previous, first_turn=1, last_turn=1)) if previous else None,
            messages=tuple(MessageView.of(one) for one in said),
            max_tokens=engine.summary_max_tokens,
        )
        return ModelRequest(
            role="summarizer",
            messages=(ChatMessage("user", prompt),),
            purpose="summarize",
            temperature=0.2,
            max_tokens=engine.summary_max_tokens,
            timeout_s=engine.turn_timeout_s,
        )

    def _settings(self) -> str:
        """What of the settings may change a reply, as the first 16 hex digits of its SHA-256: a run is gone on with under the same."""
        settings = self._for_trials().model_copy(update={"harness": self.base.engine_settings()})
        parts = {name: getattr(settings, name).model_dump(mode="json") for name in _WEIGHING}
        parts["provider"] = {"extra_body": dict(settings.provider.extra_body), "prefill": settings.provider.prefill}
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]

    def _model_name(self) -> str:
        settings = self.base.settings
        if self.model is not None:
            return self.model.model_id("responder")
        return settings.models.responder or (settings.local.model if settings.embedded else "")
