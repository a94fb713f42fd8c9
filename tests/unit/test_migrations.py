from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, strategies as st

from harness.errors import NewerSchema, StateError
from harness.state.dialogue import SCHEMA_VERSION, DialogueState
from harness.state.graph import Edge
from harness.state.migrations import MIGRATIONS, Kind, Migration, load, migrate
from harness.state.operations import Operation
from harness.state.record import SessionInfo, TurnRecord
from harness.testing.conformance.samples import full_record, sample_edge, sample_info, sample_record, sample_state

OLDEST = Path(__file__).parents[1] / "data" / "schema_1"
MODELS: dict[Kind, Any] = {
    "state": DialogueState,
    "record": TurnRecord,
    "info": SessionInfo,
    "edge": Edge,
}


def rename_reply(document: dict[str, Any]) -> dict[str, Any]:
    document["reply"] = document.pop("answer")
    return document


def shout(document: dict[str, Any]) -> dict[str, Any]:
    document["reply"] = document["reply"].upper()
    return document


RENAME = Migration(1, "answer is called reply", record=rename_reply)
SHOUT = Migration(2, "replies are upper case", record=shout)


# --- the oldest stored shape -------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", MODELS)
def test_oldest_stored_shape_still_loads(what: Kind) -> None:
    text = (OLDEST / f"{what}.json").read_text(encoding="utf-8")
    document = load(MODELS[what], text)
    assert document.schema_version == SCHEMA_VERSION


def test_oldest_record_keeps_its_meaning() -> None:
    record = load(TurnRecord, (OLDEST / "record.json").read_bytes())
    assert (record.id, record.parent, record.number, record.phase) == ("t2", "t1", 2, "record")
    assert record.reply == "我没有养宠物。"
    assert record.calls[0].usage.prompt == 900
    assert record.candidates[record.chosen].text == "没有。"
    assert record.replied_at is not None
    assert record.replied_at.isoformat() == "2025-03-01T20:30:00+08:00"


def test_oldest_state_and_info_keep_their_meaning() -> None:
    state = load(DialogueState, (OLDEST / "state.json").read_bytes())
    assert [fact.value for fact in state.facts] == ["苏州"]
    assert state.topics.current is not None
    assert state.topics.current.keywords == ("猫",)
    assert state.task is not None
    assert state.task.goal == "Book a table for four, 靠窗"
    info = load(SessionInfo, (OLDEST / "info.json").read_bytes())
    assert (info.id, info.head, info.version, info.turns) == ("golden", "t2", 4, 2)
    assert info.persona.facts[0].statement == "我没有宠物"


def test_oldest_edge_keeps_its_meaning() -> None:
    edge = load(Edge, (OLDEST / "edge.json").read_bytes())
    assert (edge.subject, edge.relation, edge.object, edge.stance) == ("李四", "manager", "张三", "ended")
    assert edge.scope.world == "苏州"
    assert edge.valid_to is not None
    assert not edge.holds_at(edge.valid_to)


def test_oldest_record_holds_every_operation() -> None:
    """A new kind of operation needs an example in tests/data/schema_1/record.json, so that it stays readable."""
    union = get_args(get_args(Operation)[0])
    known = {operation.model_fields["op"].default for operation in union}
    raw = json.loads((OLDEST / "record.json").read_text(encoding="utf-8"))
    stored = {entry["operation"]["op"] for entry in raw["operations"]}
    assert stored == known


# --- migrate -----------------------------------------------------------------------------------------------------


def test_table_leads_from_one_to_the_current_version() -> None:
    assert [migration.start for migration in MIGRATIONS] == list(range(1, SCHEMA_VERSION))


def test_current_document_is_returned_as_it_is() -> None:
    document = {"schema_version": SCHEMA_VERSION, "anything": 1}
    assert migrate(document, what="state") is document


def test_steps_run_in_order_and_leave_the_original_alone() -> None:
    document = {"schema_version": 1, "answer": "hi", "nested": {"list": [1]}}
    before = copy.deepcopy(document)
    result = migrate(document, what="record", migrations=(RENAME, SHOUT), current=3)
    assert result == {"schema_version": 3, "reply": "HI", "nested": {"list": [1]}}
    assert document == before
    assert result["nested"] is not document["nested"]


def test_migration_starts_at_the_documents_version() -> None:
    document = {"schema_version": 2, "reply": "hi"}
    result = migrate(document, what="record", migrations=(RENAME, SHOUT), current=3)
    assert result == {"schema_version": 3, "reply": "HI"}


def test_kinds_without_a_step_only_get_the_new_version() -> None:
    document = {"schema_version": 1, "answer": "kept"}
    assert migrate(document, what="info", migrations=(RENAME, SHOUT), current=3) == {
        "schema_version": 3,
        "answer": "kept",
    }


def test_newer_document_is_refused_and_left_alone() -> None:
    document = {"schema_version": SCHEMA_VERSION + 1, "unheard": "of"}
    before = copy.deepcopy(document)
    with pytest.raises(NewerSchema) as raised:
        migrate(document, what="state")
    assert raised.value.details == {"what": "state", "found": SCHEMA_VERSION + 1, "supported": SCHEMA_VERSION}
    assert "Update the package" in str(raised.value)
    assert document == before


@pytest.mark.parametrize("version", [None, "1", 0, -1, 1.0, True, [1]])
def test_unusable_version_is_refused(version: object) -> None:
    with pytest.raises(StateError, match="schema_version") as raised:
        migrate({"schema_version": version}, what="record")
    assert repr(version) in str(raised.value)


def test_missing_version_is_refused() -> None:
    with pytest.raises(StateError, match="schema_version"):
        migrate({}, what="record")


def test_gap_in_the_table_is_refused() -> None:
    with pytest.raises(StateError, match="no migration leads on from 1"):
        migrate({"schema_version": 1}, what="record", migrations=(SHOUT,), current=3)


@given(st.integers(min_value=1, max_value=6), st.dictionaries(st.text(max_size=5), st.integers(), max_size=4))
def test_every_version_reaches_the_current_one(version: int, rest: dict[str, int]) -> None:
    def trace(number: int) -> Migration:
        return Migration(number, "", state=lambda document: {**document, "steps": [*document.get("steps", []), number]})

    document = {**rest, "schema_version": version}
    result = migrate(document, what="state", migrations=[trace(number) for number in range(1, 6)], current=6)
    assert result["schema_version"] == 6
    assert result.get("steps", []) == list(range(version, 6))


# --- load --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "document", [full_record(), sample_info(), sample_state(), sample_edge()], ids=["record", "info", "state", "edge"]
)
def test_current_document_is_read_back_equal(document: Any) -> None:
    text = document.model_dump_json()
    assert load(type(document), text) == document
    assert load(type(document), text.encode()) == document


def test_older_document_is_migrated_before_validation() -> None:
    raw = json.loads(full_record().model_dump_json())
    raw["answer"] = raw.pop("reply")
    text = json.dumps(raw)
    with pytest.raises(StateError, match="answer"):
        load(TurnRecord, text)
    record = load(TurnRecord, text, migrations=(RENAME, SHOUT), current=3)
    assert record == full_record().model_copy(update={"schema_version": 3, "reply": full_record().reply.upper()})


def test_older_document_that_happens_to_validate_is_migrated_all_the_same() -> None:
    text = sample_record(reply="quiet").model_dump_json()
    record = load(TurnRecord, text, migrations=(Migration(1, "", record=shout),), current=2)
    assert (record.reply, record.schema_version) == ("QUIET", 2)


def test_newer_document_is_refused_even_when_it_validates() -> None:
    text = sample_record().model_copy(update={"schema_version": SCHEMA_VERSION + 1}).model_dump_json()
    with pytest.raises(NewerSchema):
        load(TurnRecord, text)


def test_newer_document_of_unknown_shape_is_newer_not_invalid() -> None:
    with pytest.raises(NewerSchema):
        load(TurnRecord, json.dumps({"schema_version": SCHEMA_VERSION + 3, "hologram": []}))


def test_document_without_version_is_not_taken_for_current() -> None:
    raw = json.loads(sample_record().model_dump_json())
    del raw["schema_version"]
    with pytest.raises(StateError, match="schema_version"):
        load(TurnRecord, json.dumps(raw))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "JSON"),
        ("{", "JSON"),
        (b"\xff\xfe", "JSON"),
        ("[]", "JSON object"),
        ("null", "JSON object"),
        ('{"schema_version": 1}', "id"),
        ("[" * 200_000, "JSON"),
    ],
)
def test_unreadable_document_says_why(text: str | bytes, reason: str) -> None:
    with pytest.raises(StateError, match=reason):
        load(TurnRecord, text)


def test_unknown_field_is_refused() -> None:
    raw = json.loads(sample_state().model_dump_json()) | {"moood": 1}
    with pytest.raises(StateError, match="moood"):
        load(DialogueState, json.dumps(raw))


def test_step_that_yields_the_wrong_shape_is_a_clear_error() -> None:
    broken = Migration(1, "", record=lambda document: {**document, "number": "many"})
    with pytest.raises(StateError, match="number"):
        load(TurnRecord, sample_record().model_dump_json(), migrations=(broken,), current=2)
