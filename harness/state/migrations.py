"""Bringing stored documents of older schemas up to date before they are validated.

A stored document (state, turn record, session info, memory item, edge of the graph) carries ``schema_version``. Whoever changes the shape of one
raises :data:`~harness.state.dialogue.SCHEMA_VERSION` by one and appends one :class:`Migration` here; entries are
never changed or removed, so that a document of any age is read by running the steps between its version and ours.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from pydantic import ValidationError

from harness.errors import NewerSchema, StateError
from harness.state.dialogue import SCHEMA_VERSION, DialogueState
from harness.state.graph import Edge
from harness.state.memory import MemoryItem
from harness.state.record import SessionInfo, TurnRecord

Document = dict[str, Any]
Kind = Literal["state", "record", "info", "item", "edge"]
Step = Callable[[Document], Document]

Stored = TypeVar("Stored", DialogueState, TurnRecord, SessionInfo, MemoryItem, Edge)


def unchanged(document: Document) -> Document:
    """The step of a kind of document that a migration does not concern."""
    return document


@dataclass(frozen=True, slots=True)
class Migration:
    """From version ``start`` to ``start + 1``, for each kind of document.

    A step gets a dict it may change and returns the new one; ``schema_version`` is set for it.

    Attributes:
        summary: one line: what changed and why.
    """

    start: int
    summary: str
    state: Step = unchanged
    record: Step = unchanged
    info: Step = unchanged
    item: Step = unchanged
    edge: Step = unchanged

    def step(self, what: Kind) -> Step:
        """The step for one kind of document."""
        steps = {"state": self.state, "record": self.record, "info": self.info, "item": self.item, "edge": self.edge}
        return steps[what]


MIGRATIONS: tuple[Migration, ...] = ()
"""Append only: entry ``n`` starts from version ``n + 1``."""


def migrate(
    document: Document,
    *,
    what: Kind,
    migrations: Sequence[Migration] = MIGRATIONS,
    current: int = SCHEMA_VERSION,
) -> Document:
    """The document in the shape of version ``current``; the one passed in is not changed.

    Raises:
        NewerSchema: the document is newer than ``current``.
        StateError: it has no usable ``schema_version``, or no migration starts from it.
    """
    version = document.get("schema_version")
    # bool is an int in Python, and `true` is not a version.
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        message = f"Expected the stored {what} to carry a schema_version of 1 or more, found {version!r}."
        raise StateError(message, remedy="Restore the document from a backup.", what=what)
    if version > current:
        message = f"The stored {what} has schema version {version}; this version of the package reads up to {current}."
        raise NewerSchema(message, what=what, found=version, supported=current)
    if version == current:
        return document
    starts = {migration.start: migration for migration in migrations}
    result = copy.deepcopy(document)
    for start in range(version, current):
        if start not in starts:
            message = f"The stored {what} has schema version {version}, and no migration leads on from {start}."
            raise StateError(message, remedy="Update or reinstall the package.", what=what, found=version)
        result = starts[start].step(what)(result)
        result["schema_version"] = start + 1
    return result


def load(
    model: type[Stored],
    text: str | bytes,
    *,
    migrations: Sequence[Migration] = MIGRATIONS,
    current: int = SCHEMA_VERSION,
) -> Stored:
    """Read a stored document: straight from JSON when it is current, through a migrated dict when it is older.

    Raises:
        NewerSchema: the document is newer than ``current``.
        StateError: it is not JSON, or not a document of this kind.
    """
    failure: ValidationError | None = None
    try:
        document = model.model_validate_json(text)
    except ValidationError as error:
        failure = error
    else:
        # An older document can happen to validate; only the version it states decides.
        if document.schema_version == current and "schema_version" in document.model_fields_set:
            return document
    what = _kind(model)
    raw = _raw(text, what)
    migrated = migrate(raw, what=what, migrations=migrations, current=current)
    if migrated is raw and failure is not None:
        raise _invalid(what, failure) from failure
    try:
        # Through JSON again, so that old and current documents are validated by the same (JSON) rules.
        return model.model_validate_json(json.dumps(migrated))
    except ValidationError as error:
        raise _invalid(what, error) from error


def _kind(model: type[DialogueState | TurnRecord | SessionInfo | MemoryItem | Edge]) -> Kind:
    if issubclass(model, DialogueState):
        return "state"
    if issubclass(model, MemoryItem):
        return "item"
    if issubclass(model, Edge):
        return "edge"
    return "record" if issubclass(model, TurnRecord) else "info"


def _raw(text: str | bytes, what: Kind) -> Document:
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError) as error:
        message = f"Expected the stored {what} to be JSON: {error}."
        raise StateError(message, remedy="Restore the document from a backup.", what=what) from error
    if not isinstance(raw, dict):
        message = f"Expected the stored {what} to be a JSON object, found {type(raw).__name__}."
        raise StateError(message, remedy="Restore the document from a backup.", what=what)
    return raw


def _invalid(what: Kind, error: ValidationError) -> StateError:
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"]) or "the document"
    message = f"The stored {what} does not have the shape of its version: {place}: {first['msg']}"
    if error.error_count() > 1:
        message += f" (and {error.error_count() - 1} more)"
    return StateError(f"{message}.", remedy="Restore the document from a backup.", what=what)
