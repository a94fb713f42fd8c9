"""Deadlines of model calls inside a turn."""

from __future__ import annotations

import math

from harness.asking import Hints
from harness.ports import Ports
from harness.turn.turn import Turn

BOOKKEEPING_S = 120.0
"""Deadline of a call made after the reply, in seconds."""


RESERVE_S = 1.5
"""Seconds kept back from calls that only mend or judge a reply, so that there is time to send what is there."""


def remaining(turn: Turn, ports: Ports, *, reserve: float = 0.0) -> float:
    """Seconds left for a call of this turn, less ``reserve``; at least a tenth."""
    if math.isinf(turn.deadline):
        return BOOKKEEPING_S
    return max(0.1, turn.deadline - ports.clock.monotonic() - reserve)


def hints(ports: Ports, language: str) -> Hints:
    """What a model is told where its endpoint enforces no schema, in the prompts' language."""
    schema = "{schema}"
    return Hints(
        schema=ports.prompts.render("json_only", language, schema=schema).strip(),
        repair=ports.prompts.render("repair_json", language, problem="{problem}", schema=schema).strip(),
    )
