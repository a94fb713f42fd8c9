"""Wrapping, the words of a diff, the state line, and reports of replays."""

from __future__ import annotations

import io

import pytest
from hypothesis import given, strategies as st
from rich.cells import cell_len

from harness.cli import render
from harness.cli.changes import changes, new_facts
from harness.cli.choosing import choose_fact
from harness.cli.flow import Flow
from harness.errors import InputError
from harness.replaying import capabilities, differences
from harness.state import DialogueState, Emotion, Message, ModelCall, PersonaRef, TurnRecord, apply
from harness.state.operations import (
    AddMessage,
    AssertFact,
    BeginTurn,
    OpenCommitment,
    Operation,
    PinFact,
    PushTopic,
    RetractFact,
    SetEmotion,
    SetNote,
)

EMPTY = DialogueState(persona=PersonaRef(id="mia", name="Mia"))
PET = AssertFact(subject="user", attribute="pet", value="a cat", speaker="user", turn=1, single=True)


def after(*operations: Operation, state: DialogueState = EMPTY) -> DialogueState:
    for operation in operations:
        state = apply(state, operation)
    return state


@given(st.lists(st.text(alphabet="ab 猫，.\n", max_size=12), max_size=20), st.integers(20, 60), st.integers(0, 15))
def test_wrapped_text_never_passes_the_edge_and_loses_no_letter(pieces: list[str], width: int, column: int) -> None:
    flow = Flow(width, column)
    written = "".join(flow.feed(piece) for piece in pieces) + flow.finish()
    lines = written.split("\n")
    assert cell_len(lines[0]) + column < width
    assert all(cell_len(line) < width for line in lines)
    assert flow.rows == len(lines) - 1
    assert flow.text == "".join(pieces)
    assert "".join(written.split()) == "".join(flow.text.split())


def test_words_are_kept_whole_and_chinese_breaks_anywhere() -> None:
    flow = Flow(20)
    assert flow.feed("a sentence of some ordinary words ") + flow.finish() == "a sentence of some\nordinary words"
    flow = Flow(20)
    assert flow.feed("一二三四五六七八九十一二") + flow.finish() == "一二三四五六七八九\n十一二"


def test_a_diff_names_everything_that_changed() -> None:
    state = after(
        PET,
        PushTopic(label="cats", turn=1),
        SetEmotion(emotion=Emotion(label="joy", valence=0.8)),
        OpenCommitment(by="character", to="user", text="send a photo", turn=1),
        SetNote(key="score", value="3"),
        BeginTurn(turn=1),
        AddMessage(message=Message(speaker="user", text="Hi", turn=1)),
    )
    told = "\n".join(changes(EMPTY, state))
    for words in ("user pet: a cat", "topic opened: cats", "neutral", "joy", "send a photo", "score: 3", "1 messages"):
        assert words in told
    assert changes(state, state) == []


def test_a_diff_tells_history_from_loss() -> None:
    first = after(PET)
    fact = first.facts[0].id
    second = after(PinFact(fact_id=fact), PET.model_copy(update={"value": "a dog", "turn": 2}), state=first)
    told = "\n".join(changes(first, second))
    assert "superseded" in told
    assert f"in place of [{fact}]" in told
    third = after(RetractFact(fact_id=second.facts[-1].id, turn=3), state=second)
    assert "retracted" in "\n".join(changes(second, third))
    assert "is gone" in "\n".join(changes(second, EMPTY))


def test_new_facts_are_those_of_the_turn() -> None:
    state = after(PET, PET.model_copy(update={"attribute": "job", "value": "nurse", "turn": 2}))
    assert [fact.value for fact in new_facts(state, 2)] == ["nurse"]


def test_the_state_line_is_one_line_with_the_facts() -> None:
    state = after(PET, PushTopic(label="cats\nand dogs", turn=1))
    line = render.state_line(TurnRecord(id="a", parent=None, number=1), state)
    assert "\n" not in line
    assert "+1 fact (pet: a cat)" in line
    assert "0 tokens" in line


def test_what_people_wrote_is_never_markup() -> None:
    out = io.StringIO()
    state = after(PET.model_copy(update={"value": "[bold]a cat[/bold] :cat:"}))
    render.console(out).print(render.state(state))
    assert "[bold]a cat[/bold] :cat:" in out.getvalue()


def test_short_counts_columns() -> None:
    assert render.short("一二三四五六", 7) == "一二三…"
    assert render.short("short", 7) == "short"


def test_a_fact_is_chosen_by_id_or_by_words_only_it_has() -> None:
    state = after(PET, PET.model_copy(update={"attribute": "food", "value": "cat biscuits"}))
    assert choose_fact(state, state.facts[0].id).value == "a cat"
    assert choose_fact(state, "biscuits").attribute == "food"
    with pytest.raises(InputError, match="2 facts"):
        choose_fact(state, "cat")
    with pytest.raises(InputError, match="No fact"):
        choose_fact(state, "zebra")
    with pytest.raises(InputError, match="Say which"):
        choose_fact(state, " ")


def test_differences_of_states_name_the_place() -> None:
    found = differences(after(PET), after(PET.model_copy(update={"value": "a dog"})))
    assert found == ('facts[0].value: recorded "a cat", replayed "a dog"',)
    assert differences(EMPTY, EMPTY) == ()


def test_capabilities_are_read_off_the_recorded_calls() -> None:
    respond = ModelCall(phase="respond", purpose="respond", role="responder", messages=(("system", "a"), ("user", "b")))
    analysis = ModelCall(
        phase="extract_facts", purpose="turn_analysis", role="extractor", parameters='{"structured": "json_object"}'
    )
    found = capabilities([respond, analysis])
    assert (found.single_system, found.structured, found.prefill) == (True, "json_object", None)
    late = respond.model_copy(update={"messages": (("system", "a"), ("system", "c"), ("user", "b")), "prefill": "Well"})
    assert (capabilities([late]).single_system, capabilities([late]).prefill) == (False, True)
