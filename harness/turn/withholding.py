"""What is kept back from the journal, the state and the model: secrets, for each of which a reference stands.

Which reference stands for which secret is in the state, as a note that tells a secret from another one and nothing else of it;
so it follows the branch, and the secret itself is nowhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from harness.ports import Ports
from harness.ports.models import Typed
from harness.redacting import Named, Redactor
from harness.redacting.fields import Fields
from harness.state import DialogueState, Operation
from harness.state.operations import OPERATION, SetNote
from harness.turn.turn import Turn

NOTE = "redacted "
"""Begins the key of a note that says which secret a reference stands for."""
NOT_IN_REPLIES = ("phones", "emails")
"""What a character may say: its own number, made up, is no secret of anybody."""
_NOT_TEXT = frozenset(
    {"op", "tier", "task_id", "fact_id", "topic_id", "entity_id", "merged_id", "commitment_id", "ref", "sha256"}
)


def references(state: DialogueState) -> dict[str, str]:
    """The references in use, by the mark of what they stand for."""
    return {note.value: note.key.removeprefix(NOTE) for note in state.notes if note.key.startswith(NOTE)}


def without_secrets(turn: Turn, ports: Ports) -> Turn:
    """A turn that has not begun, with references in the place of secrets in the user's text."""
    if ports.redactor is None:
        return turn
    language = turn.persona.language
    if ports.redactor.find(turn.text):
        language = ports.languages.detect(turn.text, default=language)
    done = ports.redactor.redact(turn.text, references(turn.state), language=language)
    if not done.count:
        return turn
    seen = ports.redactor.policy.model_sees_typed
    turn = turn.with_(text=done.text, secrets=done.taken if seen else ()).require(_notes(done.new))
    aside = "; the model that answers sees it as typed" if seen else ""
    return turn.note("redacted", f"{done.count} in the message; new: {_listed(done.new)}{aside}")


def typed(turn: Turn) -> Typed | None:
    """The user's message as it was typed, for the request for a reply; None where the model is not to see it.

    A message that the budget shortened is told as typed where it is told at all.
    """
    if not turn.secrets:
        return None
    told = turn.heard or turn.text
    whole = told == turn.text
    pieces, rest = [], told
    for reference, secret in turn.secrets if whole else ():
        before, found, behind = rest.partition(reference)
        if found:
            pieces += [before, secret]
            rest = behind
    text = "".join((*pieces, rest))
    if not whole:  # some of the references are gone: the first that each stood for
        for reference, secret in reversed(turn.secrets):
            text = text.replace(reference, secret)
    return Typed(told, text, turn.secrets)


def reply_without_secrets(turn: Turn, ports: Ports) -> Turn:
    """A turn about to be recorded, with references in the place of secrets in what the model said."""
    if ports.redactor is None:
        return turn
    redactor = for_replies(ports.redactor)
    if not any(redactor.find(text) for text in (*(one.text for one in turn.candidates), *_said(turn))):
        return turn
    known = references(turn.state)
    new: list[Named] = []

    def clean(text: str) -> str:
        done = redactor.redact(text, known, language=turn.language)
        known.update((one.mark, one.reference) for one in done.new)
        new.extend(done.new)
        return done.text

    candidates = tuple(
        one.model_copy(
            update={
                "text": clean(one.text),
                "findings": tuple(
                    found.model_copy(update={"evidence": clean(found.evidence), "against": clean(found.against)})
                    for found in one.findings
                ),
            }
        )
        for one in turn.candidates
    )
    calls = tuple(
        call.model_copy(
            update={
                "reply": clean(call.reply),
                "prefill": clean(call.prefill),
                "error": clean(call.error),
                "messages": tuple((role, clean(text)) for role, text in call.messages),
            }
        )
        for call in turn.calls
    )
    events = tuple(event.model_copy(update={"message": clean(event.message)}) for event in turn.events)
    turn = turn.with_(candidates=candidates, calls=calls, events=events).require(_notes(new))
    return turn.note("redacted", f"in the reply or its prompt; new: {_listed(new)}")


def text_without_secrets(
    text: str, state: DialogueState, redactor: Redactor | None, *, language: str
) -> tuple[str, tuple[SetNote, ...]]:
    """Any text about to be stored (the result of a tool), and the operations that keep its new references in the state."""
    if redactor is None:
        return text, ()
    done = redactor.redact(text, references(state), language=language)
    return done.text, _notes(done.new)


def operations_without_secrets(
    operations: Sequence[Operation], state: DialogueState, redactor: Redactor | None, *, language: str
) -> tuple[Operation, ...]:
    """Operations made by hand, with references in the place of secrets; the notes of new ones come first."""
    if redactor is None:
        return tuple(operations)
    fields = Fields(redactor, language, known=references(state))
    dumped = [operation.model_dump() for operation in operations]
    for _ in range(2):  # what is found in one field is then known in those before it
        cleaned = [_cleaned(one, fields, _named(one, state)) for one in dumped]
    made = [
        OPERATION.validate_python(one) if one != _listing(before) else operation
        for operation, before, one in zip(operations, dumped, cleaned, strict=True)
    ]
    return (*_notes(fields.new), *made)


def _named(operation: Mapping[str, Any], state: DialogueState) -> str:
    """The words that say what the value of an operation is."""
    if operation["op"] == "revise_fact":
        return next((fact.attribute for fact in state.facts if fact.id == operation["fact_id"]), "")
    return str(operation.get("attribute") or (operation["key"] if operation["op"] == "set_note" else ""))


def _cleaned(value: Any, fields: Fields, name: str = "") -> Any:
    """A value of an operation without secrets. ``name``: what its field ``value`` is called."""
    if isinstance(value, str):
        return fields.text(value, name=name)
    if isinstance(value, Mapping):
        if str(value.get("key", "")).startswith(NOTE):
            return value  # a reference, and the mark of what it stands for
        return {
            key: item if key in _NOT_TEXT else _cleaned(item, fields, name if key == "value" else "")
            for key, item in value.items()
        }
    return [_cleaned(item, fields) for item in value] if isinstance(value, list | tuple) else value


def for_replies(redactor: Redactor) -> Redactor:
    """The redactor of what a character says."""
    kinds = tuple(kind for kind in redactor.policy.kinds if kind not in NOT_IN_REPLIES)
    return replace(redactor, policy=replace(redactor.policy, kinds=kinds))


def _listing(value: Any) -> Any:
    """The same value with lists for tuples, to be compared with."""
    if isinstance(value, Mapping):
        return {key: _listing(item) if key not in _NOT_TEXT else item for key, item in value.items()}
    return [_listing(item) for item in value] if isinstance(value, list | tuple) else value


def _said(turn: Turn) -> Sequence[str]:
    return [text for call in turn.calls for text in (call.reply, call.prefill, call.error)]


def _notes(new: Sequence[Named]) -> tuple[SetNote, ...]:
    return tuple(SetNote(key=f"{NOTE}{one.reference}", value=one.mark) for one in new)


def _listed(new: Sequence[Named]) -> str:
    return ", ".join(one.reference for one in new) or "none"
