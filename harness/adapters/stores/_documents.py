"""From object to stored JSON, refusing what could not be read again."""

from __future__ import annotations

from harness.errors import StateError, StoreError
from harness.state.dialogue import DialogueState
from harness.state.migrations import Stored, load
from harness.state.record import SessionInfo, TurnRecord


def encode_info(info: SessionInfo) -> tuple[str, SessionInfo]:
    """JSON of a new session (version 0, no head) and the object that reading it gives. Raises StoreError."""
    fresh = info.model_copy(update={"version": 0, "head": None, "turns": 0})
    text = _dump(fresh, f"session {info.id!r}")
    return text, _read_back(SessionInfo, text, f"session {info.id!r}")


def encode_record(record: TurnRecord) -> tuple[str, TurnRecord]:
    """JSON of a record and the object that reading it gives. Raises StoreError."""
    text = _dump(record, f"turn {record.id!r}")
    return text, _read_back(TurnRecord, text, f"turn {record.id!r}")


def encode_state(state: DialogueState, turn_id: str) -> tuple[str, DialogueState]:
    """JSON of a state and the object that reading it gives. Raises StoreError."""
    text = _dump(state, f"snapshot at turn {turn_id!r}")
    return text, _read_back(DialogueState, text, f"snapshot at turn {turn_id!r}")


def _dump(document: SessionInfo | TurnRecord | DialogueState, label: str) -> str:
    try:
        return document.model_dump_json(warnings="error")
    except ValueError as error:  # PydanticSerializationError: a wrong type, or a lone surrogate
        raise _refused(label, error) from error


def _read_back(model: type[Stored], text: str, label: str) -> Stored:
    # model_copy(update=…) and model_construct do not validate. Reading back costs 30 µs for 30 KB and makes sure
    # that nothing is ever stored that bricks its session.
    try:
        return load(model, text)
    except StateError as error:
        raise _refused(label, error) from error


def _refused(label: str, error: Exception) -> StoreError:
    return StoreError(
        f"The {label} was not stored, because it could not be read again: {error}",
        remedy="Build it from validated values: model_copy(update=…) does not check them.",
    )
