"""Interrogations as runs: the witnesses of a bench, asked by a model instead of a script; stored, resumed and counted like trials."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from harness.app_blindtest_judging import evaluator, judged
from harness.blindtest.executing import Inline
from harness.blindtest.folder import RunFolder
from harness.blindtest.interrogator import QUESTIONS, Interrogator, Question, interrogators, strategies, suite_of
from harness.blindtest.limits import Limits
from harness.blindtest.plan import Plan, seed_of
from harness.blindtest.running import Progress, Running, Stage
from harness.blindtest.transcript import Transcript, Trial
from harness.blindtest.witness import Witness
from harness.errors import RunError
from harness.state import Persona

if TYPE_CHECKING:
    from harness.app_blindtest import Bench, Run


@dataclass(frozen=True, slots=True)
class _Interrogations(Stage):
    """Trials in which an interrogator asks. ``who``: everything about it but its strategy, which is the trial's script."""

    who: Interrogator

    async def hold(self, trial: Trial) -> Transcript:
        """Hold one trial."""
        return await self.asking(trial).interrogate(
            trial, persona=self.personas[trial.persona], witness=self.witnesses[trial.witness]
        )

    def asking(self, trial: Trial) -> Interrogator:
        """The interrogator of a trial."""
        who = self.who
        return Interrogator(
            who.model, who.prompts, trial.script, who.persona, who.question, who.turns, who.temperature, who.max_tokens
        )


async def interrogate(
    bench: Bench,
    *,
    strategy: Sequence[str] = (),
    interrogator: str = "neighbour",
    question: str = "machine",
    turns: int = 10,
    personas: Sequence[str] = (),
    witness: str = "harness",
    against: Sequence[str] = (),
    language: str = "",
    trials: int = 1,
    seed: int = 0,
    jobs: int = 1,
    out: str | Path = "interrogation",
    resume: bool = False,
    limits: Limits | None = None,
    call: Sequence[str] = (),
    on_plan: Callable[[Plan, int], None] | None = None,
    on_trial: Progress | None = None,
) -> Run:
    """Let a model interrogate witnesses; the run is in the folder ``out`` and reads like any other.

    Args:
        strategy: names of strategies; all of them when none is given.
        interrogator: a name, or a description of who asks in free words.
        question: ``machine`` (is it a human being?) or ``character`` (does it hold up?).
        turns: messages in each conversation.
        personas, witness, against, trials, seed, jobs, resume, limits, call, on_plan, on_trial: as for :meth:`harness.app_blindtest.Bench.run`.
        language: of the characters, when none is named.

    Raises:
        RunError: no such strategy, question or witness; the folder holds another run. PersonaError: no such character.
    """
    from harness.app_blindtest import Run

    if question not in QUESTIONS:
        raise RunError(f"There is no question {question!r}.", remedy=f"There are {', '.join(QUESTIONS)}.")
    people = _people(bench, personas, language)
    if witness in against:
        raise RunError(f"The witness {witness!r} cannot be compared with itself.", remedy="Name others with --against.")
    names = list(dict.fromkeys((witness, *against)))
    witnesses: dict[str, Witness] = {name: bench.witness(name) for name in names}
    languages = list(dict.fromkeys(one.language for one in people.values()))
    chosen = tuple(dict.fromkeys(strategy)) or tuple(strategies(languages[0]))
    about = json.dumps(
        {"interrogator": interrogator, "question": question, "model": evaluator(bench)}, ensure_ascii=False
    )
    suites = {made.id: made for made in (suite_of(code, chosen, turns, about) for code in languages)}
    plan = _plan(people, {suite.language: name for name, suite in suites.items()}, chosen, names, trials, seed)
    abouts = {name: one.about for name, one in witnesses.items()}
    info = bench.info(list(suites.values()), people, abouts, plan, trials, seed)
    info = info.model_copy(update={"prices": dict(limits.prices) if limits else {}, "call": tuple(call)})
    who = Interrogator(
        bench.base.model,
        bench.base.prompts,
        persona=interrogator,
        question=cast("Question", question),
        turns=turns,
    )
    stage = _Interrogations(suites, people, witnesses, bench.base.languages, who)
    folder = RunFolder(out)
    with folder.alone():
        info, done = folder.begin(info, resume=resume)
        if on_plan is not None:
            on_plan(plan, sum(trial.key in done and not done[trial.key].error for trial in plan.trials))
        running = Running(Inline(stage, jobs), folder, progress=on_trial, done=done, limits=limits)
        try:
            await running.run(plan.trials)
        finally:
            await stage.close()
        transcripts = [running.done[trial.key] for trial in plan.trials if trial.key in running.done]
        results = await judged(bench, folder, info, transcripts, None if resume else "rules")
        return Run(folder, info, plan, results, running.stopped)


def _people(bench: Bench, names: Sequence[str], language: str) -> dict[str, Persona]:
    """Characters by id: those named, or one of the package for each language."""
    codes = (language,) if language else tuple(bench.base.languages.codes)
    stand_ins = [suite_of(code, ("detail",), 1) for code in codes] if not names else []
    found = bench.personas(names, stand_ins)
    if not found:
        raise RunError(f"No character speaks {language!r}.", remedy="Name one with --persona.")
    return found


def _plan(
    people: dict[str, Persona],
    suites: dict[str, str],
    chosen: Sequence[str],
    names: Sequence[str],
    trials: int,
    seed: int,
) -> Plan:
    """Strategies times characters times repeats times witnesses, the witnesses of a case together, in turns first."""
    made: list[Trial] = []
    cases = 0
    for repeat in range(trials):
        for name, persona in people.items():
            suite = suites[persona.language]
            for strategy in chosen:
                drawn = seed_of(seed, suite, strategy, name, repeat)
                turned = cases % len(names)
                cases += 1
                made += [
                    Trial(suite=suite, script=strategy, persona=name, witness=one, repeat=repeat, seed=drawn)
                    for one in (*names[turned:], *names[:turned])
                ]
    return Plan(tuple(made))


__all__ = ["interrogate", "interrogators"]
