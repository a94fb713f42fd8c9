"""The turn machine: a readable, checked table that can be changed without touching the core."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.errors import ConfigurationError, StuckTurn
from harness.ports import Ports
from harness.state import Persona
from harness.state.operations import SetNote
from harness.turn import MACHINE, TABLE, Phase, Row, Turn, TurnMachine
from harness.turn.machine import Walk
from harness.turn.steps import STEPS
from tests.unit.conftest import MakeHarness

MIA = Persona(name="Mia", id="mia")


def test_phases_are_named_as_their_values_and_steps_as_their_phases() -> None:
    assert all(phase.name == phase.value for phase in Phase)
    assert set(STEPS) == {phase.value for phase in Phase} - {"done"}
    assert all(step.__name__ == name and step.__module__.endswith(f".{name}") for name, step in STEPS.items())


def test_a_step_never_imports_another_step() -> None:
    import ast
    from pathlib import Path

    import harness.turn.steps as package

    for file in Path(str(package.__file__)).parent.glob("*.py"):
        if file.name == "__init__.py":
            continue
        imported = [node.module for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.ImportFrom)]
        assert not [name for name in imported if name and name.startswith("harness.turn.steps")], file.name


def test_guarded_rows_stand_before_the_plain_row_of_their_source() -> None:
    plain: set[str] = set()
    for row in TABLE:
        if row.guard is None:
            assert row.source not in plain, f"{row.source} has two plain rows"
            plain.add(row.source)
        else:
            assert row.source not in plain, f"{row.source}: a guarded row after the plain one is never reached"
    assert plain == {phase.value for phase in Phase} - {"done"}


def test_every_phase_leads_to_done() -> None:
    for phase in list(Phase)[:-1]:
        seen, now = set(), str(phase)
        while now != Phase.done:
            assert now not in seen
            seen.add(now)
            now = MACHINE.following(now)


@pytest.mark.parametrize(
    ("table", "steps"),
    [
        ((*TABLE, Row("persist", "nowhere")), STEPS),
        (TABLE, {**STEPS, "extra": STEPS["receive"]}),
        (TABLE, {name: step for name, step in STEPS.items() if name != "compose"}),
        (tuple(row for row in TABLE if row.source != "record"), STEPS),
    ],
)
def test_a_table_that_does_not_fit_its_steps_is_refused(table: tuple[Row, ...], steps: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError):
        TurnMachine(table, steps)  # type: ignore[arg-type]


def test_no_matching_row_is_an_error_not_silence() -> None:
    never = TurnMachine(tuple(replace(row, guard=lambda _: False) for row in TABLE), STEPS)
    walk = Walk(turn=None, phase="receive")  # type: ignore[arg-type]
    with pytest.raises(StuckTurn, match="receive"):
        never.advance(walk)


async def shout(turn: Turn, ports: Ports) -> Turn:
    return turn.propose([SetNote(key="shouted", value=turn.reply.upper())])


async def test_a_step_can_be_inserted_anywhere_and_its_work_is_recorded(make_harness: MakeHarness) -> None:
    for after in ("receive", "compose", "respond", "record", "update_topic", "extract_facts"):
        machine = MACHINE.inserting("shout", shout, after=after)
        async with make_harness("Hello there.", machine=machine) as harness:
            session = await harness.open(MIA, session=after)
            await session.say("Hi.")
            record = await session.report()
            state = await session.state()
        assert "shout" in [timing.phase for timing in record.timings]
        early = after in ("receive", "compose")
        assert state.note("shouted") == ("" if early else "HELLO THERE.")
        assert ("shout", "set_note") in [(done.phase, done.operation.op) for done in record.operations]


async def test_a_step_inserted_after_respond_runs_before_the_decision_to_revise(make_harness: MakeHarness) -> None:
    seen = []

    async def look(turn: Turn, ports: Ports) -> Turn:
        seen.append((turn.reply, turn.revisions))
        return turn

    machine = MACHINE.inserting("look", look, after="respond")
    async with make_harness(["I am an AI language model.", "I fix bikes."], machine=machine) as harness:
        session = await harness.open(MIA, session="s")
        reply = await session.say("What do you do?")
    assert seen == [("I am an AI language model.", 0)]
    assert reply.text == "I fix bikes."


def test_names_of_new_steps_are_checked() -> None:
    for name, after in (("respond", "compose"), ("two words", "compose"), ("fine", "nowhere"), ("fine", "done")):
        with pytest.raises(ConfigurationError):
            MACHINE.inserting(name, shout, after=after)
    with pytest.raises(ConfigurationError):
        MACHINE.replacing("nowhere", shout)
    assert MACHINE.replacing("respond", shout).steps["respond"] is shout
    assert MACHINE.steps["respond"] is STEPS["respond"], "the original is not changed"
