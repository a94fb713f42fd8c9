"""Which trials a run has: scripts times characters times repeats times witnesses, interleaved."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from harness.blindtest.slots import Lacking, fill_slots
from harness.blindtest.suite import Suite
from harness.blindtest.transcript import Trial
from harness.errors import RunError
from harness.language import LanguagePacks
from harness.state import Persona


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A script that a character cannot be examined with, and why."""

    suite: str
    script: str
    persona: str
    why: str


@dataclass(frozen=True, slots=True)
class Plan:
    """The trials of a run.

    Attributes:
        trials: in the order in which they are begun; all witnesses of a case stand together, in turns first.
        left_out: what a character lacks something for.
    """

    trials: tuple[Trial, ...]
    left_out: tuple[LeftOut, ...] = ()


def seed_of(base: int, suite: str, script: str, persona: str, repeat: int) -> int:
    """The seed of a case, the same for every witness: 31 bits."""
    body = f"{base}/{suite}/{script}/{persona}/{repeat}"
    return int.from_bytes(hashlib.sha256(body.encode()).digest()[:4]) >> 1


def plan_trials(
    suites: Sequence[Suite],
    personas: Mapping[str, Persona],
    witnesses: Sequence[str],
    packs: LanguagePacks,
    *,
    trials: int = 1,
    seed: int = 0,
) -> Plan:
    """The trials of a run.

    Args:
        personas: by id; a suite is held with those who speak its language.
        witnesses: names.
        trials: repeats of each script with each character and witness, each with a seed of its own.
        seed: base of all seeds.

    Raises:
        RunError: no trial is left: no character speaks the language of a suite, or has the facts its scripts need.
    """
    made: list[Trial] = []
    left_out: list[LeftOut] = []
    cases = 0
    for repeat in range(trials):
        for suite in suites:
            pack = packs.get(suite.language)
            for name, persona in personas.items():
                if persona.language != suite.language:
                    continue
                for script in suite.scripts:
                    drawn = seed_of(seed, suite.id, script.id, name, repeat)
                    try:
                        slots = fill_slots(script, suite, persona, pack, drawn)
                    except Lacking as lack:
                        if not repeat:
                            why = f"{persona.name} has no {lack.wanted} (slot {lack.slot!r})"
                            left_out.append(LeftOut(suite.id, script.id, name, why))
                        continue
                    turned = cases % len(witnesses)
                    cases += 1
                    made += [
                        Trial(suite=suite.id, script=script.id, persona=name, witness=witness, repeat=repeat,
                              seed=drawn, slots=slots)
                        for witness in (*witnesses[turned:], *witnesses[:turned])
                    ]  # fmt: skip
    if not made:
        languages = sorted({suite.language for suite in suites})
        spoken = sorted({persona.language for persona in personas.values()})
        raise RunError(
            f"No script can be held: the suites are in {', '.join(languages)}, the characters speak {', '.join(spoken) or 'nothing'}"
            + (f", and {left_out[0].why}." if left_out else "."),
            remedy="Give a character of the suite's language (`--persona`) with the facts its scripts need.",
        )
    return Plan(tuple(made), tuple(left_out))
