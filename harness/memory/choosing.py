"""Which memory is meant by an id, by the end of one, or by words; and whether it may be changed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from harness.errors import InputError
from harness.state.memory import MemoryItem, Scope
from harness.understanding.text import contains_phrase


async def the_one(
    wanted: str, scope: Scope, named: Sequence[MemoryItem], every: AsyncIterator[MemoryItem]
) -> MemoryItem:
    """The memory that belongs to the very ones the scope names, and is meant.

    Args:
        named: those of this id. ``every``: all there are, looked through when none of those will do.

    Raises:
        InputError: none is meant, or several are.
    """
    found = [item for item in named if _belongs(item, scope)]
    if found:
        return found[0]
    words = wanted if len(wanted) > 1 else ""
    near = [item async for item in every if item.id.endswith(wanted) or (words and contains_phrase(item.text, words))]
    if len(near) == 1:
        return near[0]
    if not near:
        of_whom = ", ".join(f"{name} {who!r}" for name, who in scope if who)
        of = f" of {of_whom}" if of_whom else ""
        raise InputError(f"There is no memory {wanted!r}{of}.", remedy="`harness memory list` shows them.")
    some = "; ".join(f"{item.id} ({item.text[:40]})" for item in near[:5])
    raise InputError(f"{wanted!r} may be any of {len(near)} memories: {some}.", remedy="Give more of it.")


def _belongs(item: MemoryItem, scope: Scope) -> bool:
    return all(not who or getattr(item.scope, name) == who for name, who in scope)


def of_a_file(item: MemoryItem) -> bool:
    """Whether it stands in a file of the memory folder."""
    return item.source == "file" and bool(item.origin)


def writable(item: MemoryItem) -> MemoryItem:
    """The item. Raises InputError for one that stands in a file."""
    if of_a_file(item):
        raise InputError(
            f"{item.id!r} stands in a file, {item.origin}.", remedy="Change it there; it is read again at once."
        )
    return item
