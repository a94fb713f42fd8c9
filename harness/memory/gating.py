"""A write policy of one's own: a function that has the last word on what a turn leaves in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pydantic import ValidationError

from harness.errors import ConfigurationError
from harness.language import LanguagePacks
from harness.memory.lexical import entry_terms, normal
from harness.memory.writing import Draft
from harness.state import TurnRecord
from harness.state.memory import MemoryItem

FIXED = frozenset({"id", "scope", "session", "turn_id", "turn", "place", "speaker", "status", "put_away", "tells"})
"""Fields that are the engine's: whose an item is, and where it comes from."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of an item.

    Attributes:
        item: as it is to be written; None: it is not. ``reason``: for the turn record.
    """

    item: MemoryItem | None
    reason: str


WriteGate = Callable[[MemoryItem, str, TurnRecord], Decision]
"""Called with an item that a turn is about to write, why, and the record of the turn. It has to give the same for the same: memory is
made again from the journal.
"""


def decided(
    found: Sequence[Draft], gate: WriteGate | None, record: TurnRecord, packs: LanguagePacks
) -> Sequence[Draft]:
    """The drafts of a turn as the gate has them. What it puts away of older turns, and retractions, are not its business.

    Raises:
        ConfigurationError: the gate failed, or gave something that cannot be stored.
    """
    if gate is None:
        return found
    return [_decided(draft, gate, record, packs) if _is_new(draft, record) else draft for draft in found]


def _is_new(draft: Draft, record: TurnRecord) -> bool:
    item = draft.item
    return draft.kept and item.turn_id == record.id and item.status == "active" and item.kind != "retraction"


def _decided(draft: Draft, gate: WriteGate, record: TurnRecord, packs: LanguagePacks) -> Draft:
    old = draft.item
    try:
        decision = gate(old, draft.reason, record)
        if decision.item is None:
            return replace(draft, reason=decision.reason, kept=False)
        fixed = {name: getattr(old, name) for name in FIXED}
        new = MemoryItem.model_validate(dict(decision.item) | fixed)
    except ValidationError as error:
        raise ConfigurationError(f"The write gate gave no item that can be stored: {error}") from error
    except Exception as error:
        raise ConfigurationError(
            f"The write gate failed on {old.id!r}: {type(error).__name__}: {error}",
            remedy="Mend it; memory catches up from the journal when the session is next used.",
        ) from error
    if new.text == old.text:
        return replace(draft, item=new, reason=decision.reason)
    new = new.model_copy(update={"key": normal(new.text)}) if not new.attribute else new
    return replace(draft, item=new, terms=entry_terms(new, packs), embedded=new.text, reason=decision.reason)


__all__ = ["Decision", "WriteGate", "decided"]
