"""The file a session travels in: JSON lines (a header, then a turn a line), or one JSON document of the same."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from harness.errors import HarnessError, InputError, OperationRejected, StateError
from harness.session import initial_state
from harness.state import SessionInfo, TurnRecord, apply
from harness.state.migrations import load

if TYPE_CHECKING:
    from harness.ports import SessionStore
    from harness.state import DialogueState

FORMAT = "harness-session"


def dump(info: SessionInfo, records: Sequence[TurnRecord], form: Literal["jsonl", "json"]) -> str:
    """The text of an export."""
    head = {"format": FORMAT, "session": info.model_dump(mode="json")}
    turns = [record.model_dump(mode="json") for record in records]
    if form == "json":
        return json.dumps({**head, "turns": turns}, ensure_ascii=False, indent=2) + "\n"
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in (head, *turns))


def read_export(text: str) -> tuple[SessionInfo, tuple[TurnRecord, ...]]:
    """The session of an export in either form, checked as a whole: shapes, parents, head, and that every turn's
    operations hold on the state of its parent.

    Raises:
        InputError: it is no export.
        StateError, NewerSchema: it is one, and something in it does not hold.
    """
    head, turns = _parts(text)
    if not isinstance(head, dict) or head.get("format") != FORMAT or not isinstance(head.get("session"), dict):
        raise InputError(
            f'Expected an export with "format": {FORMAT!r}, got {text[:60]!r}.',
            remedy="`harness sessions export SESSION` writes one.",
        )
    info = load(SessionInfo, json.dumps(head["session"]))
    records = tuple(load(TurnRecord, json.dumps(turn)) for turn in turns)
    states: dict[str | None, DialogueState] = {None: initial_state(info)}
    for record in records:
        if record.parent not in states or record.id in states:
            why = (
                "is there twice"
                if record.id in states
                else f"hangs on {record.parent!r}, which does not come before it"
            )
            raise StateError(f"Turn {record.id!r} of the export {why}.", remedy="Export it again.")
        states[record.id] = _after(states[record.parent], record)
    if info.head not in states:
        raise StateError(f"The export's head is {info.head!r}, and there is no such turn.", remedy="Export it again.")
    return info, records


def _parts(text: str) -> tuple[Any, list[Any]]:
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        whole = None
    if isinstance(whole, dict) and "turns" in whole:
        turns = whole["turns"]
        return whole, turns if isinstance(turns, list) else []
    lines = [line for line in text.split("\n") if line.strip()]
    parsed = []
    for number, line in enumerate(lines, 1):
        try:
            parsed.append(json.loads(line))
        except (ValueError, RecursionError) as error:
            raise InputError(
                f"Line {number} is not JSON: {error}.", remedy="The file is cut off or no export."
            ) from error
    return (parsed[0] if parsed else None), parsed[1:]


def _after(state: DialogueState, record: TurnRecord) -> DialogueState:
    try:
        for applied in record.operations:
            state = apply(state, applied.operation)
    except OperationRejected as error:
        raise StateError(f"Turn {record.id!r} of the export does not hold: {error.message}") from error
    return state


async def restore(store: SessionStore, info: SessionInfo, records: Sequence[TurnRecord]) -> None:
    """Store a checked export; nothing of it stays when that fails.

    Raises:
        SessionExists: the id is taken.
    """
    await store.create(info.model_copy(update={"head": None, "version": 0, "turns": 0}))
    try:
        version = await store.version(info.id)
        for record in records:
            version = await store.append(info.id, record, expected_version=version)
        if records and records[-1].id != info.head:
            await store.move_head(info.id, info.head, expected_version=version)
    except HarnessError:
        await store.delete(info.id)
        raise
