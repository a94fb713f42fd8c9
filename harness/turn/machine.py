"""The turn machine: the phases, the table of transitions, and the loop that walks a turn through them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import cast

import structlog
from transitions import EventData, Machine

from harness.errors import ConfigurationError, StoreError, StuckTurn
from harness.ports import Ports
from harness.state import Timing
from harness.turn import guards
from harness.turn.steps import STEPS
from harness.turn.turn import Step, Turn

logging.getLogger("transitions").setLevel(logging.WARNING)
log = structlog.get_logger("harness.turn")


class Phase(StrEnum):
    """Where a turn stands. The reply is durable, and the user's, from ``record`` on."""

    receive = "receive"
    recall = "recall"
    consistency_check = "consistency_check"
    compose = "compose"
    respond = "respond"
    revise = "revise"
    record = "record"
    extract_facts = "extract_facts"
    update_topic = "update_topic"
    summarize = "summarize"
    persist = "persist"
    done = "done"


@dataclass(frozen=True, slots=True)
class Row:
    """One transition. A row with a guard is taken only when it returns True, and stands before the plain one."""

    source: str
    destination: str
    guard: Callable[[Turn], bool] | None = None


TABLE: tuple[Row, ...] = (
    Row(Phase.receive, Phase.recall),
    Row(Phase.recall, Phase.consistency_check),
    Row(Phase.consistency_check, Phase.compose),
    Row(Phase.compose, Phase.respond),
    Row(Phase.respond, Phase.revise, guards.needs_revision),
    Row(Phase.respond, Phase.record),
    Row(Phase.revise, Phase.revise, guards.needs_revision),
    Row(Phase.revise, Phase.record),
    Row(Phase.record, Phase.extract_facts),
    Row(Phase.extract_facts, Phase.update_topic),
    Row(Phase.update_topic, Phase.summarize, guards.summary_is_due),
    Row(Phase.update_topic, Phase.persist),
    Row(Phase.summarize, Phase.persist),
    Row(Phase.persist, Phase.done),
)


@dataclass(slots=True)
class Walk:
    """The cursor the machine moves: the phase and the turn that the guards look at."""

    turn: Turn
    phase: str


class TurnMachine:
    """A table of transitions with a step for every phase but the last.

    Immutable: :meth:`replacing` and :meth:`inserting` return a new machine. One machine serves any number of
    sessions at once; the cursors are not registered with it.
    """

    def __init__(self, table: tuple[Row, ...] = TABLE, steps: Mapping[str, Step] = STEPS) -> None:
        """Build and check the machine.

        Raises:
            ConfigurationError: a phase has no step, a step no phase, or a destination is unknown.
        """
        self.table = table
        self.steps: Mapping[str, Step] = {str(name): step for name, step in steps.items()}
        names = list(dict.fromkeys(str(name) for row in table for name in (row.source, row.destination)))
        sources = {str(row.source) for row in table}
        unknown = (set(self.steps) ^ sources) | (set(names) - sources - {str(Phase.done)})
        if unknown:
            raise ConfigurationError(
                f"Every phase but {Phase.done!r} needs one step and a way out; these do not match: {sorted(unknown)}.",
            )
        self.phases = tuple(names)
        self._machine = Machine(
            model=None,
            states=names,
            initial=str(Phase.receive),
            auto_transitions=False,
            send_event=True,
            model_attribute="phase",
            transitions=[
                {
                    "trigger": "advance",
                    "source": str(row.source),
                    "dest": str(row.destination),
                    "conditions": [_condition(row.guard)] if row.guard else [],
                }
                for row in table
            ],
        )

    def advance(self, walk: Walk) -> None:
        """Move the cursor along the first row that holds.

        Raises:
            StuckTurn: no row holds.
        """
        if not self._machine.events["advance"].trigger(walk):
            raise StuckTurn(f"No transition leads on from phase {walk.phase!r}.")

    def following(self, phase: str) -> str:
        """Where the plain row of a phase leads."""
        return next(str(row.destination) for row in self.table if row.source == phase and row.guard is None)

    def replacing(self, phase: str, step: Step) -> TurnMachine:
        """A machine in which ``phase`` is done by another step.

        Raises:
            ConfigurationError: there is no such phase.
        """
        if phase not in self.steps:
            raise ConfigurationError(f"No phase {phase!r} to replace; the phases are {', '.join(self.steps)}.")
        return TurnMachine(self.table, {**self.steps, str(phase): step})

    def inserting(self, name: str, step: Step, *, after: str) -> TurnMachine:
        """A machine with one more phase: ``after`` leads to ``name``, and ``name`` where ``after`` led before.

        The new phase takes over the guards of the rows it takes over: one inserted after ``respond`` runs before the
        decision to revise.

        Raises:
            ConfigurationError: the name is taken, not an identifier, or ``after`` is not a phase with a step.
        """
        if name in self.phases or not name.isidentifier():
            raise ConfigurationError(f"A new phase needs an unused identifier as its name, not {name!r}.")
        if after not in self.steps:
            raise ConfigurationError(f"No phase {after!r} to insert after; the phases are {', '.join(self.steps)}.")
        rows: list[Row] = []
        for row in self.table:
            if row.source != after or row.destination == after:
                rows.append(row)
            else:
                if not any(existing.source == after and existing.destination == name for existing in rows):
                    rows.append(Row(after, name))
                rows.append(replace(row, source=name))
        return TurnMachine(tuple(rows), {**self.steps, name: step})

    def mermaid(self) -> str:
        """The machine as a mermaid state diagram."""
        lines = ["stateDiagram-v2", f"    [*] --> {Phase.receive}"]
        for row in self.table:
            label = f" : {row.guard.__name__.replace('_', ' ')}" if row.guard else ""
            lines.append(f"    {row.source} --> {row.destination}{label}")
        lines.append(f"    {Phase.done} --> [*]")
        return "\n".join(lines) + "\n"


def _condition(guard: Callable[[Turn], bool]) -> Callable[[EventData], bool]:
    def condition(event: EventData) -> bool:
        walk = cast("Walk", event.model)
        return bool(guard(walk.turn))

    condition.__name__ = guard.__name__
    return condition


MACHINE = TurnMachine()
"""The machine of the table above; sessions use it unless they are given another."""


async def run_turn(
    turn: Turn, ports: Ports, machine: TurnMachine = MACHINE, *, until: str = Phase.done, survive: bool = False
) -> Turn:
    """Walk a turn from ``turn.phase`` until the phase ``until`` has been reached (its step is not run).

    Errors of a step leave through here unchanged; whatever was stored before stays whole.

    Args:
        survive: a step that fails is left out, with an event in the record, and the walk goes on: for the bookkeeping,
            where a faulty step must not block the session. What the store raises is not survived.

    Raises:
        StuckTurn: the table has no way on.
    """
    walk = Walk(turn, turn.phase)
    while walk.phase not in (until, Phase.done):
        started = ports.clock.monotonic()
        try:
            moved = await machine.steps[walk.phase](walk.turn, ports)
        except StoreError:
            raise
        except Exception as error:
            if not survive or walk.phase == Phase.persist:
                raise
            log.exception("step_failed", phase=walk.phase)
            moved = walk.turn.note("step_failed", f"{type(error).__name__}: {error}")
        timing = Timing(phase=walk.phase, seconds=ports.clock.monotonic() - started)
        walk.turn = moved
        machine.advance(walk)
        walk.turn = replace(moved, timings=(*moved.timings, timing), phase=walk.phase)
    return walk.turn
