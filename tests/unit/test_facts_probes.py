from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from harness.language import load_packs
from harness.state import DialogueState, Fact, FactStatus, Persona, PersonaRef, fold
from harness.understanding.facts.extract import extract_facts
from harness.yaml_strict import load_yaml

PROBES = Path(__file__).parents[1] / "data" / "facts"
CODES = ("en", "zh")
NOW = datetime(2025, 6, 18, 12, tzinfo=UTC)
NAMES = {"en": "Vera Stone", "zh": "何素秋"}


SETS = ("", "_second")
"""Endings of the files of probes; each is there in both languages."""


def probes(code: str, which: str) -> list[dict[str, Any]]:
    found = load_yaml(PROBES / f"{code}{which}.yaml")
    assert isinstance(found, list)
    return found


def converse(code: str, lines: list[str]) -> DialogueState:
    """Read the lines as turns: a new one begins with each of the user's."""
    state = DialogueState(persona=PersonaRef(id="p", name=NAMES[code]), language=code)
    persona = Persona(name=NAMES[code], language=code)
    turn, before = 0, ""
    for line in lines:
        speaker, _, text = line.partition(": ")
        turn += speaker == "user" or turn == 0
        pack = load_packs().for_text(text, default=code)
        operations = extract_facts(
            text, speaker=speaker, state=state, persona=persona, pack=pack, turn=turn, at=NOW, asked=before
        )
        state, _, _ = fold(state, operations)
        before = text
    return state


def row(fact: Fact) -> tuple[str, ...]:
    return (fact.subject, fact.attribute, fact.value, *(() if fact.polarity else ("not",)))


CASES = [
    pytest.param(
        code,
        probe,
        id=f"{code}{which}-{probe['id']}",
        marks=[pytest.mark.xfail(reason=probe["gap"], strict=True)] if probe.get("gap") else [],
    )
    for code in CODES
    for which in SETS
    for probe in probes(code, which)
]


@pytest.mark.parametrize(("code", "probe"), CASES)
def test_what_lines_state(code: str, probe: dict[str, Any]) -> None:
    state = converse(code, probe["lines"])
    active = state.active_facts()
    assert {row(fact) for fact in active} == {tuple(fact) for fact in probe["facts"]}
    by_value = {fact.value: fact for fact in active}
    for value, degree in probe.get("degree", {}).items():
        assert by_value[value].degree == int(degree)
    for value, day in probe.get("when", {}).items():
        fact = by_value[value]
        assert fact.when
        assert fact.when_at is not None
        assert fact.when_at.date() == date.fromisoformat(day)
    history = {fact.value for fact in state.facts if fact.status is FactStatus.superseded}
    assert set(probe.get("gone", ())) <= history


@pytest.mark.parametrize("which", SETS)
def test_every_probe_has_a_twin(which: str) -> None:
    first, second = ([probe["id"] for probe in probes(code, which)] for code in CODES)
    assert first == second
    assert len(set(first)) == len(first) >= 20


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize(("which", "most"), [("", 4), ("_second", 7)])
def test_known_gaps_stay_few(code: str, which: str, most: int) -> None:
    assert sum(bool(probe.get("gap")) for probe in probes(code, which)) <= most
