"""apply: pure, total, and refusing with a reason."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from pydantic import BaseModel

from harness.errors import OperationRejected
from harness.state import (
    OPERATION,
    CommitmentStatus,
    DialogueState,
    Emotion,
    FactStatus,
    Message,
    Operation,
    PersonaRef,
    TaskState,
    apply,
    fold,
    operations as ops,
)

START = DialogueState(persona=PersonaRef(id="mia", name="Mia"))
words = st.sampled_from(
    ["", " ", "tea", "Tea.", "茶", "红茶", "x" * 501, "a\u0000b", "cat", "dog", "m1", "f1", "f2", "t3", "e4", "c5"]
)
ids = st.sampled_from(["f1", "f2", "f3", "t1", "t2", "e1", "e2", "c1", "c2", "c3", "nope", ""])
turns = st.integers(-1, 6)
speakers = st.sampled_from(["user", "character", "Jack", ""])
texts = st.tuples() | st.tuples(words) | st.tuples(words, words)

operations: st.SearchStrategy[Operation] = st.one_of(
    st.builds(ops.BeginTurn, turn=turns),
    st.builds(ops.FinishTurn, turn=turns),
    st.builds(
        ops.AddMessage,
        message=st.builds(Message, speaker=st.sampled_from(["user", "character"]), text=words, turn=turns),
    ),
    st.builds(
        ops.AssertFact,
        subject=speakers,
        attribute=words,
        value=words,
        polarity=st.booleans(),
        speaker=speakers,
        turn=turns,
        single=st.booleans(),
    ),
    st.builds(ops.ReviseFact, fact_id=ids, value=words, polarity=st.booleans(), speaker=speakers, turn=turns),
    st.builds(ops.RetractFact, fact_id=ids, turn=turns),
    st.builds(ops.DisputeFact, fact_id=ids, turn=turns),
    st.builds(ops.PinFact, fact_id=ids, pinned=st.booleans()),
    st.builds(ops.PushTopic, label=words, turn=turns, keywords=texts),
    st.builds(ops.TouchTopic, turn=turns, keywords=texts, label=words),
    st.builds(ops.ReturnTopic, topic_id=ids, turn=turns),
    st.builds(ops.PopTopic, turn=turns),
    st.builds(ops.SetEmotion, who=st.sampled_from(["user", "character"]), emotion=st.builds(Emotion, label=words)),
    st.builds(ops.MentionEntity, name=words, turn=turns, aliases=texts, speaker=speakers),
    st.builds(ops.MergeEntities, entity_id=ids, merged_id=ids),
    st.builds(ops.OpenCommitment, by=speakers, to=speakers, text=words, turn=turns),
    st.builds(ops.CloseCommitment, commitment_id=ids, status=st.sampled_from(CommitmentStatus), turn=turns),
    st.builds(ops.SetTask, task=st.none() | st.builds(TaskState, task_id=words, goal=words)),
    st.builds(ops.UpdateTask, task_id=words, add_done=texts, add_todo=texts, add_ruled_out=texts),
    st.builds(ops.Summarize, text=words, first_turn=turns, last_turn=turns, keep_turns=st.integers(-1, 3)),
    st.builds(ops.SetNote, key=words, value=st.none() | words),
)


def say(subject: str, attribute: str, value: str, **more: object) -> ops.AssertFact:
    return ops.AssertFact.model_validate(
        {"subject": subject, "attribute": attribute, "value": value, "speaker": subject, "turn": 1, **more}
    )


def values(state: DialogueState) -> list[tuple[str, bool, str]]:
    return [(fact.value, fact.polarity, fact.status.value) for fact in state.facts]


def test_every_operation_has_a_handler() -> None:
    from harness.state.apply import _HANDLERS

    schema = OPERATION.json_schema()
    assert set(schema["discriminator"]["mapping"]) == {
        kind.model_fields["op"].default for kind in _HANDLERS if issubclass(kind, BaseModel)
    }


@settings(max_examples=200)
@given(st.lists(operations, max_size=25))
def test_apply_is_total_pure_and_repeatable(sequence: list[Operation]) -> None:
    before = START.model_dump_json()
    state, applied, refused = fold(START, sequence)
    assert len(applied) + len(refused) == len(sequence)
    assert all(reason for _, reason in refused)
    assert START.model_dump_json() == before
    assert fold(START, applied)[0] == state, "the applied operations alone rebuild the state"
    assert DialogueState.model_validate_json(state.model_dump_json()) == state, "an applied state is a valid state"
    for operation in applied:
        assert OPERATION.validate_json(OPERATION.dump_json(operation)) == operation


@settings(max_examples=100)
@given(st.lists(operations, max_size=25))
def test_ids_are_unique_and_facts_are_never_lost(sequence: list[Operation]) -> None:
    state, applied, _ = fold(START, sequence)
    everything: list[Any] = [*state.facts, *state.entities, *state.commitments, *state.topics.open, *state.topics.past]
    found = [item.id for item in everything]
    assert len(found) == len(set(found))
    stated = sum(isinstance(operation, (ops.AssertFact, ops.ReviseFact)) for operation in applied)
    assert len(state.facts) == stated, "superseded and retracted facts stay as history"


@pytest.mark.parametrize(
    ("loved", "food"), [(True, "Chinese food"), (False, "Chinese food"), (True, "中餐"), (False, "中餐")]
)
def test_love_then_hate_supersedes_in_both_orders(loved: bool, food: str) -> None:
    state, applied, _ = fold(
        START, [say("user", "likes", food, polarity=loved), say("user", "likes", food, polarity=not loved)]
    )
    assert len(applied) == 2
    assert values(state) == [(food, loved, "superseded"), (food, not loved, "active")]
    assert state.facts[1].supersedes == state.facts[0].id


@pytest.mark.parametrize(("first", "second"), [("a nurse", "a baker"), ("护士", "面包师")])
def test_only_single_valued_attributes_supersede(first: str, second: str) -> None:
    single, _, _ = fold(START, [say("user", "job", first, single=True), say("user", "job", second, single=True)])
    assert values(single) == [(first, True, "superseded"), (second, True, "active")]
    many, _, _ = fold(START, [say("user", "job", first), say("user", "job", second)])
    assert [fact.status for fact in many.facts] == [FactStatus.active, FactStatus.active]


def test_a_denied_value_does_not_supersede_another_value() -> None:
    state, _, _ = fold(
        START, [say("user", "job", "baker", single=True), say("user", "job", "nurse", single=True, polarity=False)]
    )
    assert values(state) == [("baker", True, "active"), ("nurse", False, "active")]


def test_subjects_are_kept_apart() -> None:
    state, _, _ = fold(
        START,
        [
            say("user", "home", "Leeds", single=True),
            say("Jack", "home", "York", single=True, speaker="user"),
            say("character", "home", "Porto", single=True),
        ],
    )
    assert [fact.status for fact in state.facts] == [FactStatus.active] * 3


@pytest.mark.parametrize(
    ("operation", "reason"),
    [
        (ops.BeginTurn(turn=2), "cannot begin after turn 0"),
        (say("character", "job", "nurse", speaker="user"), "does not decide facts about the character"),
        (say("user", "job", "x" * 501), "501 characters"),
        (say("user", "job", " "), "value is empty"),
        (ops.RetractFact(fact_id="f9", turn=1), "no fact 'f9'"),
        (ops.ReturnTopic(topic_id="t9", turn=1), "no topic 't9'"),
        (ops.CloseCommitment(commitment_id="c9", status=CommitmentStatus.kept, turn=1), "no commitment 'c9'"),
        (ops.UpdateTask(task_id="other"), "task at hand is None"),
        (ops.Summarize(text="s", first_turn=1, last_turn=1), "no messages"),
    ],
)
def test_what_does_not_hold_is_refused_with_a_reason(operation: Operation, reason: str) -> None:
    with pytest.raises(OperationRejected) as caught:
        apply(START, operation)
    assert reason in str(caught.value.details["reason"])


def test_only_the_user_replaces_what_the_user_said() -> None:
    state = apply(START, say("user", "job", "baker", single=True))
    with pytest.raises(OperationRejected, match="only the user"):
        apply(state, say("user", "job", "nurse", single=True, speaker="character"))


def test_a_turn_is_never_counted_twice() -> None:
    state = apply(START, ops.BeginTurn(turn=1))
    for turn in (1, 2):
        with pytest.raises(OperationRejected):
            apply(state, ops.BeginTurn(turn=turn))
    done = apply(state, ops.FinishTurn(turn=1))
    with pytest.raises(OperationRejected):
        apply(done, ops.FinishTurn(turn=1))
    assert apply(done, ops.BeginTurn(turn=2)).turn_count == 2


def test_a_pin_passes_to_the_new_value() -> None:
    state = apply(START, say("user", "name", "Ann", single=True))
    state = apply(state, ops.PinFact(fact_id="f1"))
    assert apply(state, say("user", "name", "Anna", single=True)).facts[-1].pinned


def test_topics_push_return_pop() -> None:
    pushes = [ops.PushTopic(label=label, turn=n) for n, label in enumerate(["hobby", "travel", "food"], 1)]
    state, _, _ = fold(START, pushes)
    state = apply(state, ops.ReturnTopic(topic_id="t1", turn=4))
    assert [topic.label for topic in state.topics.open] == ["travel", "food", "hobby"]
    state = apply(state, ops.PopTopic(turn=5))
    assert (state.topics.current and state.topics.current.label, state.topics.past[0].label) == ("food", "hobby")
    state = apply(state, ops.ReturnTopic(topic_id="t1", turn=6))
    assert state.topics.past == ()


def spoken(turns: int, each: int = 2) -> DialogueState:
    state = START
    for turn in range(1, turns + 1):
        messages = [
            ops.AddMessage(message=Message(speaker=speaker, text=f"{speaker} {turn}", turn=turn))
            for speaker in ("user", "character")[:each]
        ]
        state, _, refused = fold(state, [ops.BeginTurn(turn=turn), *messages, ops.FinishTurn(turn=turn)])
        assert not refused
    return state


def test_a_summary_takes_only_the_oldest_and_keeps_its_range() -> None:
    state = spoken(6)
    state = apply(state, ops.Summarize(text="early", first_turn=1, last_turn=3, keep_turns=2))
    assert state.summary is not None
    assert (state.summary.first_turn, state.summary.last_turn) == (1, 3)
    assert [message.turn for message in state.messages] == [4, 4, 5, 5, 6, 6]
    for bad in (
        ops.Summarize(text="again", first_turn=1, last_turn=3),
        ops.Summarize(text="gap", first_turn=4, last_turn=5),
        ops.Summarize(text="window", first_turn=1, last_turn=5, keep_turns=2),
    ):
        with pytest.raises(OperationRejected):
            apply(state, bad)
    assert apply(state, ops.Summarize(text="more", first_turn=1, last_turn=4, keep_turns=2)).summary is not None


def test_a_task_is_replaced_whole_and_changed_by_deltas() -> None:
    state = apply(START, ops.SetTask(task=TaskState(task_id="a", goal="trip", todo=("book", "pack"))))
    state = apply(state, ops.UpdateTask(task_id="a", add_done=("book",), add_ruled_out=("train",)))
    assert state.task is not None
    assert (state.task.done, state.task.todo, state.task.ruled_out) == (("book",), ("pack",), ("train",))
    state = apply(state, ops.SetTask(task=TaskState(task_id="b")))
    assert state.task == TaskState(task_id="b", since=1)


def test_entities_are_found_by_alias_merged_and_fade() -> None:
    state, _, _ = fold(
        START,
        [
            ops.MentionEntity(name="茂琳", turn=1, kind="person"),
            ops.MentionEntity(name="my girlfriend", turn=1),
            ops.MergeEntities(entity_id="e1", merged_id="e2"),
            ops.MentionEntity(name="My girlfriend", turn=2),
        ],
    )
    assert [(e.name, e.aliases, e.mentions) for e in state.entities] == [("茂琳", ("my girlfriend",), 3)]
    later = fold(spoken(1), [ops.MentionEntity(name="Leica", turn=1)])[0]
    later = fold(later, [ops.BeginTurn(turn=2), ops.FinishTurn(turn=2)])[0]
    assert later.entities[0].salience == pytest.approx(0.8)


def test_commitments_close_once() -> None:
    due = datetime(2026, 3, 4, tzinfo=UTC)
    promise = ops.OpenCommitment(by="character", to="user", text="send the recipe", due="tomorrow", due_at=due, turn=1)
    state = apply(START, promise)
    with pytest.raises(OperationRejected, match="already open"):
        apply(state, promise)
    state = apply(state, ops.CloseCommitment(commitment_id="c1", status=CommitmentStatus.kept, turn=2))
    assert state.open_commitments() == ()
    with pytest.raises(OperationRejected, match="kept"):
        apply(state, ops.CloseCommitment(commitment_id="c1", status=CommitmentStatus.broken, turn=3))


def test_notes_are_kept_and_removed() -> None:
    state = apply(START, ops.SetNote(key="quest", value="the lost key"))
    assert state.note("quest") == "the lost key"
    assert apply(state, ops.SetNote(key="quest", value=None)).note("quest") is None
