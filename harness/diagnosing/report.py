"""What a diagnosis says: the faults that were found, each with its layer and what shows it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

Kind = Literal[
    "repeated_tool_call",
    "refuted_claim",
    "previous_task",
    "other_project",
    "forgotten_goal",
    "two_values",
    "lost_after_restart",
]
"""The seven faults, in the words of the one who has to bear them."""

TITLES: dict[Kind, str] = {
    "repeated_tool_call": "a tool is called again though its result was there",
    "refuted_claim": "a claim that was refuted is made again",
    "previous_task": "the task before bleeds into this one",
    "other_project": "what belongs to another project, world or user is in the prompt",
    "forgotten_goal": "the goal is forgotten",
    "two_values": "one fact has two values",
    "lost_after_restart": "something was lost, as after a restart",
}
Layer = Literal["L1", "L2", "L3"]
MOST_EVIDENCE = 5
"""Pieces of evidence that are kept for faults that go on over many turns."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault.

    Attributes:
        kind: which of the seven.
        layer: where it comes from: ``L1`` (task, references, facts of this session), ``L2`` (what happened in it), ``L3``
            (what is known for long).
        part: of the layer, in words.
        turns: in which it shows; 0 is the session as it stands.
        evidence: words and ids that show it.
        remedy: a setting or command that helps.
    """

    kind: Kind
    layer: Layer
    part: str
    turns: tuple[int, ...]
    evidence: tuple[str, ...]
    remedy: str

    @property
    def title(self) -> str:
        """The fault in a few words."""
        return TITLES[self.kind]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What was found in a session. ``turns``: how many were read. ``unread``: what could not be looked at, and why."""

    session: str
    turns: int
    faults: tuple[Fault, ...] = ()
    unread: tuple[str, ...] = ()

    @property
    def healthy(self) -> bool:
        """Nothing was found."""
        return not self.faults


def joined(faults: Iterable[Fault]) -> tuple[Fault, ...]:
    """Faults of the same cause that show in several turns as one."""
    found: dict[tuple[str, str, str], Fault] = {}
    for fault in faults:
        key = fault.kind, fault.layer, fault.part
        known = found.get(key)
        if known is None:
            found[key] = fault
            continue
        evidence = tuple(dict.fromkeys((*known.evidence, *fault.evidence)))
        turns = tuple(sorted({*known.turns, *fault.turns}))
        found[key] = replace(known, turns=turns, evidence=evidence[:MOST_EVIDENCE])
    return tuple(found.values())
