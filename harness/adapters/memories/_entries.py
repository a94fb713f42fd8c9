"""What every memory store does with an entry before it stores it, and the refusals all answer with."""

from __future__ import annotations

import json
import math
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from harness.errors import StateError, StoreError
from harness.ports.memories import EmbeddingSpace, MemoryEntry, Slot, Vector
from harness.state.memory import MemoryItem, MemoryStatus
from harness.state.migrations import load

_UNIT = 0.01
"""How far from one the length of an embedding may be: 4-bit and 16-bit models round."""


def closed() -> StoreError:
    """A call after ``close``."""
    return StoreError("The memory store is closed.", remedy="Open a new one.")


@dataclass(frozen=True, slots=True)
class Prepared:
    """An entry that can be stored.

    Attributes:
        item: as reading the document gives it.
        document: its JSON.
        counts: how often it has each term. ``length``: how many terms it has.
        vector: its embedding as 32-bit floats.
        read_as: of an item that is changed, the status it was read with.
    """

    item: MemoryItem
    document: str
    counts: Mapping[str, int]
    length: int
    vector: array[float] | None
    read_as: MemoryStatus | None = None


def prepare(entries: Sequence[MemoryEntry]) -> tuple[Prepared, ...]:
    """Entries ready to be stored; of two with one id the later. Raises StoreError when one could not be read again."""
    return tuple({entry.item.id: _prepared(entry) for entry in entries}.values())


def _prepared(entry: MemoryEntry) -> Prepared:
    label = f"memory item {entry.item.id!r}"
    try:
        document = entry.item.model_dump_json(warnings="error")
        # model_copy(update=…) and model_construct do not validate; nothing may be stored that cannot be read again.
        item = load(MemoryItem, document)
    except (StateError, ValueError) as error:
        raise StoreError(
            f"The {label} was not stored, because it could not be read again: {error}",
            remedy="Build it from validated values: model_copy(update=…) does not check them.",
        ) from error
    terms = [term for term in entry.terms if term]
    vector = None if entry.vector is None else floats(entry.vector, label)
    return Prepared(item, document, Counter(terms), len(terms), vector, entry.read_as)


def kept(new: Prepared, old: MemoryItem) -> Prepared:
    """The entry that takes the place of ``old``."""
    return replace(new, item=standing(new, old))


def standing(new: Prepared, old: MemoryItem) -> MemoryItem:
    """The item that takes the place of ``old``: how often that was used stays, and a status that it was not read with."""
    changed = new.read_as is not None and new.read_as != old.status
    status = old.status if changed else new.item.status
    return new.item.model_copy(update={"uses": old.uses, "last_used_at": old.last_used_at, "status": status})


def floats(vector: Vector, label: str) -> array[float]:
    """An embedding as 32-bit floats. Raises StoreError when it has no length of one."""
    found = array("f", vector)
    length = math.hypot(*found)
    if not abs(length - 1) <= _UNIT:  # NaN, too
        message = f"Expected the vector of the {label} to have the length 1, got {length:.4g}."
        raise StoreError(message, remedy="Divide embeddings by their length before they are stored or looked for.")
    return found


def check_dimensions(vector: Sequence[float], space: EmbeddingSpace | None, label: str) -> None:
    """Raise StoreError for a vector that is not of the store's space."""
    if space is None:
        message = f"The {label} comes with a vector, but the memory store does not know of which embedding model."
        raise StoreError(message, remedy="Set the space first: embed(space, {}).")
    if len(vector) != space.dimensions:
        raise StoreError(
            f"Expected a vector of {space.dimensions} dimensions ({space.model!r}), got {len(vector)} for the {label}.",
            remedy="Use the embedding model the store was filled with, or embed the items anew: `harness memory reindex`.",
            expected=space.dimensions,
            found=len(vector),
        )


def slot_key(slot: Slot | None) -> str | None:
    """A slot as one text."""
    return None if slot is None else json.dumps(slot, ensure_ascii=False)
