"""Memories that come from elsewhere, line by line: read, checked, and cleaned of secrets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from harness.errors import InputError, StateError
from harness.language import LanguagePacks
from harness.memory.lexical import normal
from harness.redacting import Redactor
from harness.redacting.fields import Fields
from harness.state.memory import MemoryItem
from harness.state.migrations import load

SESSION_EXPORT = "harness-session"
"""What the export of a session begins with."""
CLEANED = ("text", "value", "quote", "subject", "speaker", "attribute", "when", "key")
"""The fields of an item that hold words."""


def items_of(lines: Iterable[str]) -> Iterator[MemoryItem]:
    """The item of each line that is not empty. Raises InputError for a line that is none."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _read(number, line)


def _read(number: int, line: str) -> MemoryItem:
    if SESSION_EXPORT in line[:80]:
        raise InputError(
            f"Line {number} begins the export of a session, not of memory.",
            remedy="`harness sessions import` takes it.",
        )
    try:
        item = load(MemoryItem, line)
    except (StateError, RecursionError) as error:
        raise InputError(
            f"Line {number} is no memory: {error}", remedy="Give a file that `harness memory export` wrote."
        ) from error
    if item.kind == "mark" or item.source == "file":
        what = "the mark of something forgotten" if item.kind == "mark" else f"a line of the file {item.origin}"
        raise InputError(f"Line {number} is {what}, which cannot be imported.", remedy="Leave that line out.")
    return item


def cleaned(item: MemoryItem, redactor: Redactor | None, packs: LanguagePacks) -> MemoryItem:
    """An item without secrets, and with the key that its words make where it has none."""
    if redactor is not None:
        fields = {name: getattr(item, name) for name in CLEANED}
        language = item.language or packs.detect(item.text)
        clean = Fields(redactor, language).all(fields, named={"value": item.attribute})
        if clean != fields:
            key = normal(clean["text"]) if clean["text"] != item.text else clean["key"]
            item = item.model_copy(update={**clean, "key": key})
    return item if item.key else item.model_copy(update={"key": normal(item.text)})
