"""The engine in front of a model that answers every step of a suite right: what comes out should be right as well.

Whatever of it is worse than what the model said was spoiled by the engine: by a begun answer, a revision, a line of a language pack.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from harness.app import Harness
from harness.blindtest.grading import grade
from harness.blindtest.metering import Meter
from harness.blindtest.slots import Lacking, fill_slots
from harness.blindtest.suite import Suite
from harness.blindtest.transcript import Said, Transcript, Trial, Verdict
from harness.blindtest.trial import hold
from harness.blindtest.witness import Conversation
from harness.blindtest.witnesses.clock import CountedIds, TrialClock
from harness.blindtest.witnesses.engine import EngineWitness
from harness.blindtest.witnesses.scripted import Asked
from harness.language import LanguagePacks
from harness.ports import ModelRequest
from harness.settings import Settings, load
from harness.state import Persona
from harness.testing import ScriptedModel
from tests.unit._pupils import Pupil, shipped_people

STATE = "state"
"""Grader of what is expected of the state."""


@dataclass(slots=True)
class Kept:
    """What became of right answers.

    Attributes:
        told: right answers of the model, by trial; ``spoiled``: (trial key, exchange, what the user said, what the model said, what the engine said,
            what is wrong with it).
        state: verdicts on the state by outcome.
        missed: (trial key, exchange, what was expected of the state).
    """

    told: int = 0
    spoiled: list[tuple[str, int, str, str, str, str]] = field(default_factory=list)
    state: Counter[str] = field(default_factory=Counter)
    missed: list[tuple[str, int, str]] = field(default_factory=list)

    def add(self, transcript: Transcript, rights: list[str], verdicts: Iterable[Verdict], alone: set[int]) -> None:
        """Take up one trial; ``alone``: exchanges in which the graders find fault with the model's own answer."""
        key = transcript.trial.key
        failed = [verdict for verdict in verdicts if verdict.outcome == "fail"]
        self.state.update(verdict.outcome for verdict in verdicts if verdict.grader == STATE)
        self.missed += [(key, one.exchange, one.expectation) for one in failed if one.grader == STATE]
        wrong = {one.exchange: one.expectation for one in failed if one.grader != STATE}
        for exchange, right in zip(transcript.exchanges, rights, strict=True):
            self.told += 1
            number = exchange.number
            if number in wrong and number not in alone:
                self.spoiled.append((key, number, exchange.user, right, exchange.said.text, wrong[number]))


@dataclass(slots=True)
class _Talk:
    """A conversation with the engine whose model is told before each message what is right."""

    inner: Conversation
    pupil: Pupil
    trial: Trial
    persona: Persona
    now: list[str]
    history: list[tuple[str, str]] = field(default_factory=list)
    rights: list[str] = field(default_factory=list)

    async def say(self, text: str) -> Said:
        asked = Asked(text, len(self.history) + 1, tuple(self.history), self.trial, self.persona)
        right = self.pupil(asked)
        self.now[:] = [right]
        self.rights.append(right)
        said = await self.inner.say(text)
        self.history.append((text, said.text))
        return said

    async def wait(self, span: timedelta) -> None:
        await self.inner.wait(span)

    async def undo(self, turns: int) -> None:
        await self.inner.undo(turns)

    async def new_session(self) -> None:
        await self.inner.new_session()

    async def task(self, goal: str) -> None:
        await self.inner.task(goal)

    async def close(self) -> None:
        await self.inner.close()


@dataclass(slots=True)
class GoodModel:
    """A witness: the engine with a model that is a pupil. ``talks``: of the trials that were held, by their keys."""

    pupil: Pupil
    settings: Settings
    name: str = "engine"
    about: Mapping[str, Any] = field(default_factory=dict)
    talks: dict[str, _Talk] = field(default_factory=dict)

    async def begin(self, trial: Trial, persona: Persona) -> _Talk:
        now = [""]

        def answer(request: ModelRequest) -> str:
            return now[0] if request.purpose in ("respond", "revise") else "{}"

        async def found(trial: Trial, clock: TrialClock, _: Meter) -> Harness:
            engine = self.settings.harness.model_copy(update={"seed": trial.seed})
            settings = self.settings.model_copy(update={"harness": engine})
            return Harness(settings, model=ScriptedModel(answer), clock=clock, ids=CountedIds())

        inner = await EngineWitness(self.name, found).begin(trial, persona)
        self.talks[trial.key] = _Talk(inner, self.pupil, trial, persona, now)
        return self.talks[trial.key]

    async def close(self) -> None:
        """Nothing is shared."""


def settings_for(folder: Path, *, begin_answers: str = "always") -> Settings:
    """Everything in memory, and no call but for replies: the settings of the embedded model."""
    chosen = {
        "harness.analysis": "classifier",
        "harness.check_tier": "classifier",
        "harness.summarize_with": "rules",
        "harness.begin_answers": begin_answers,
        "storage.backend": "memory",
        "storage.artifacts": "",
        "memory.backend": "memory",
        "short_term.backend": "off",
    }
    return load(start=folder, environ={}, overrides=chosen).settings


async def kept(
    suite: Suite, packs: LanguagePacks, settings: Settings, *, scripts: frozenset[str] = frozenset(), most: int = 0
) -> Kept:
    """Hold the scripts of a suite with every shipped character that fits.

    Args:
        scripts: only these; all by default.
        most: characters at most; 0 for all.
    """
    outcome = Kept()
    pack = packs.get(suite.language)
    people = shipped_people(suite.language)
    for seed, persona in enumerate(people[: most or len(people)]):
        for script in suite.scripts:
            if scripts and script.id not in scripts:
                continue
            try:
                slots = fill_slots(script, suite, persona, pack, seed)
            except Lacking:
                continue
            trial = Trial(
                suite=suite.id, script=script.id, persona=persona.id, witness="engine", seed=seed, slots=slots
            )
            witness = GoodModel(Pupil(suite, pack), settings)
            transcript = await hold(trial, suite=suite, persona=persona, witness=witness, pack=pack)
            assert not transcript.error, transcript.error
            rights = witness.talks[trial.key].rights
            verdicts = grade(transcript, suite=suite, persona=persona, packs=packs).verdicts
            outcome.add(transcript, rights, verdicts, _at_fault(transcript, rights, suite, persona, packs))
    return outcome


def _at_fault(
    transcript: Transcript, rights: list[str], suite: Suite, persona: Persona, packs: LanguagePacks
) -> set[int]:
    """Exchanges in which the graders find fault with what the model said."""
    own = [
        exchange.model_copy(update={"said": Said(text=right)})
        for exchange, right in zip(transcript.exchanges, rights, strict=True)
    ]
    alone = transcript.model_copy(update={"exchanges": tuple(own)})
    verdicts = grade(alone, suite=suite, persona=persona, packs=packs).verdicts
    return {one.exchange for one in verdicts if one.outcome == "fail"}
