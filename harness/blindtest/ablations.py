"""The engine with one of its features switched off, so that a run shows what each of them brings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from harness.errors import RunError
from harness.ports import Ports
from harness.settings import Settings
from harness.state.operations import (
    AssertFact,
    DisputeFact,
    MergeSubjects,
    PopTopic,
    PushTopic,
    RetractFact,
    ReturnTopic,
    ReviseFact,
    SetEmotion,
    TouchTopic,
)
from harness.turn.machine import MACHINE, TurnMachine
from harness.turn.turn import Step, Turn

Ablation = Literal["facts", "topics", "consistency", "revision", "memory", "emotion"]
ABLATIONS: tuple[Ablation, ...] = get_args(Ablation)
_FACTS = (AssertFact, ReviseFact, RetractFact, DisputeFact, MergeSubjects)
_TOPICS = (PushTopic, TouchTopic, ReturnTopic, PopTopic)
_ANALYSING = ("extract_facts", "update_topic")


@dataclass(frozen=True, slots=True)
class Engine:
    """The settings and the machine that a harness is made with."""

    settings: Settings
    machine: TurnMachine = MACHINE


def checked(names: tuple[str, ...]) -> tuple[Ablation, ...]:
    """Names of features. Raises RunError: there is no such feature."""
    unknown = [name for name in names if name not in ABLATIONS]
    if unknown:
        raise RunError(
            f"Expected features that can be switched off, got {', '.join(map(repr, unknown))}.",
            remedy=f"There are {', '.join(ABLATIONS)}.",
        )
    return tuple(name for name in ABLATIONS if name in names)


def without(feature: Ablation, engine: Engine) -> Engine:
    """The engine without a feature.

    ``facts``: nothing said in the conversation becomes a fact. ``topics``, ``emotion``: neither is tracked nor told to the model.
    ``consistency``: neither messages nor replies are checked. ``revision``: a reply is sent as it came, and none is begun for the model.
    ``memory``: nothing is kept beyond the session and no earlier line is recalled.
    """
    settings = engine.settings
    match feature:
        case "consistency":
            return Engine(_engine(settings, persona_consistency_check=False), engine.machine)
        case "revision":
            return Engine(
                _engine(settings, max_revisions=0, begin_answers="never", fallback_line=False), engine.machine
            )
        case "memory":
            episodic = settings.memory_l2.model_copy(update={"enabled": False})
            semantic = settings.memory_l3.model_copy(update={"enabled": False})
            memory = settings.memory.model_copy(update={"backend": "off"})
            return Engine(
                settings.model_copy(update={"memory_l2": episodic, "memory_l3": semantic, "memory": memory}),
                engine.machine,
            )
        case "facts":
            return Engine(settings, _withholding(engine.machine, _FACTS))
        case "topics":
            return Engine(_untold(settings, "topic"), _withholding(engine.machine, _TOPICS))
        case "emotion":
            return Engine(_untold(settings, "emotion"), _withholding(engine.machine, (SetEmotion,)))


def _engine(settings: Settings, **changes: Any) -> Settings:
    return settings.model_copy(update={"harness": settings.harness.model_copy(update=changes)})


def _untold(settings: Settings, name: str) -> Settings:
    """The settings with a field of the working layer left out of the prompt."""
    working = settings.memory_l1
    fields = tuple(field for field in working.fields if field != name)
    return settings.model_copy(update={"memory_l1": working.model_copy(update={"fields": fields})})


def _withholding(machine: TurnMachine, kinds: tuple[type, ...]) -> TurnMachine:
    """A machine whose analysis proposes no operation of some kinds."""
    for phase in _ANALYSING:
        machine = machine.replacing(phase, _filtered(machine.steps[phase], kinds))
    return machine


def _filtered(step: Step, kinds: tuple[type, ...]) -> Step:
    async def run(turn: Turn, ports: Ports) -> Turn:
        done = await step(turn, ports)
        kept = [
            one.operation for one in done.operations[len(turn.operations) :] if not isinstance(one.operation, kinds)
        ]
        before = done.with_(state=turn.state, operations=turn.operations, rejected=turn.rejected)
        return before.propose(kept)

    return run
