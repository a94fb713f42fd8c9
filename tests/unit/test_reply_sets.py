"""Ordinary replies of the shipped personas over many turns raise (almost) nothing, and replies with a fault are (mostly) found.

The talks were written before the rules saw them. Of the last two of each language (53 and 55 replies, written after the rules
were mended for the others) one each was flagged at first sight; the floors are those of all of them together.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.language import load_packs
from harness.persona import load_persona
from harness.state import DialogueState, Finding, Message, Persona, PersonaRef
from harness.understanding.checks.consistency import check_premise, check_reply

PACKS = load_packs()
DATA = Path(__file__).parents[1] / "data" / "replies"
PERSONAS = {file.stem: load_persona(file) for file in (Path(__file__).parents[2] / "personas").glob("*.yaml")}
MENDED = 0.5
"""Severities of a reply from which on it is mended."""
NOTICED = 0.3
ALARMS = 0.01
"""Share of ordinary replies that may be flagged."""
FOUND = {"en": 0.75, "zh": 0.85}
"""Share of faults that is found at least."""


@cache
def sets(code: str) -> dict[str, Any]:
    return dict(yaml.safe_load((DATA / f"{code}.yaml").read_text(encoding="utf-8")))


def checked(code: str) -> Iterator[tuple[str, str, str, float]]:
    """(message, reply, kind of fault or nothing, severity) of every reply; those with a fault are not kept."""
    for talk in sets(code)["talks"]:
        persona = PERSONAS[talk["persona"]]
        messages: list[Message] = []
        turns = count(1)
        for said, reply, *fault in talk["turns"]:
            state = DialogueState(
                persona=PersonaRef(id=talk["persona"], name=persona.name),
                language=code,
                messages=tuple(messages),
                turn_count=len(messages) // 2,
            )
            found = check(code, said, reply, persona, state)
            yield said, reply, "".join(fault), sum(finding.severity for finding in found)
            if not fault:
                turn = next(turns)
                messages.append(Message(speaker="user", text=said, turn=turn))
                messages.append(Message(speaker="character", text=reply, turn=turn))


def check(code: str, said: str, reply: str, persona: Persona, state: DialogueState) -> tuple[Finding, ...]:
    pack = PACKS.get(code)
    return check_reply(
        reply,
        user_text=said,
        state=state,
        persona=persona,
        pack=pack,
        notices=check_premise(said, state=state, persona=persona, pack=pack),
        previous_replies=[message.text for message in state.messages if message.speaker == "character"],
        classify=True,
    )


def single(code: str, said: str, reply: str) -> set[str]:
    persona = Persona(name="林一" if code == "zh" else "Nobody", language=code)
    state = DialogueState(persona=PersonaRef(id="n", name=persona.name), language=code)
    return {finding.kind for finding in check(code, said, reply, persona, state) if finding.severity >= NOTICED}


@pytest.mark.parametrize("code", ["en", "zh"])
def test_ordinary_replies_are_left_alone(code: str) -> None:
    plain = [(said, reply, severity) for said, reply, fault, severity in checked(code) if not fault]
    flagged = [(said, reply) for said, reply, severity in plain if severity >= MENDED]
    assert len(plain) > 200
    assert len(flagged) <= ALARMS * len(plain), flagged


@pytest.mark.parametrize("code", ["en", "zh"])
def test_faults_are_found(code: str) -> None:
    bad = [(said, reply, severity) for said, reply, fault, severity in checked(code) if fault]
    missed = [(said, reply) for said, reply, severity in bad if severity < NOTICED]
    assert len(bad) > 40
    assert len(missed) <= (1 - FOUND[code]) * len(bad), missed


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize(
    ("fits", "clashes", "kind"),
    [("tone_fits", "tone_clashes", "tone"), ("language_fits", "language_drifts", "language_drift")],
)
def test_look_alikes(code: str, fits: str, clashes: str, kind: str) -> None:
    flagged = [pair for pair in sets(code)[fits] if kind in single(code, *pair)]
    missed = [pair for pair in sets(code)[clashes] if kind not in single(code, *pair)]
    assert not flagged
    assert len(missed) <= 1, missed
