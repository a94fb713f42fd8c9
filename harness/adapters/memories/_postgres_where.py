"""Filters as SQL for PostgreSQL. They mean what :mod:`harness.adapters.memories._filters` says."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.adapters.memories._filters import instant, named
from harness.state.memory import SCOPE_FIELDS

if TYPE_CHECKING:
    from harness.adapters.stores._postgres_server import Sql
    from harness.ports.memories import MemoryFilter


@dataclass(frozen=True, slots=True)
class Condition:
    """Part of a WHERE clause on ``harness_memory_items AS i``, and its values."""

    sql: str
    values: tuple[object, ...] = ()

    def __and__(self, other: Condition) -> Condition:
        return Condition(f"{self.sql} AND {other.sql}", self.values + other.values)


ALWAYS = Condition("true")


def number_of(text: str) -> int:
    """A number made of a text, 64 bits with a sign; that two of a million texts share one has a chance of one in 10 ** 7."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little", signed=True)


def fitting(where: MemoryFilter) -> Condition:
    """What the filter asks of an item, besides scope and layer."""
    found = ALWAYS
    for column, wanted in (("kind", where.kinds), ("status", where.statuses)):
        if wanted:
            found &= Condition(f"i.{column} = ANY (%s)", (list(wanted),))
    for column, text in (("speaker", where.speaker.casefold()), ("subject", where.subject.casefold())):
        if text:
            found &= Condition(f"i.{column} = %s", (text.encode(),))
    if where.session:
        found &= Condition("i.session = %s", (where.session.encode(),))
    if where.other_than:
        found &= Condition("i.session <> %s", (where.other_than.encode(),))
    if where.pinned is not None:
        found &= Condition("i.pinned = %s", (where.pinned,))
    for sql, time in (
        ("(i.expires IS NULL OR i.expires > %s)", where.now),
        ("i.moment >= %s", where.since),
        ("i.moment < %s", where.until),
    ):
        at = instant(time)
        if at is not None:
            found &= Condition(sql, (at,))
    return found


async def admitted(sql: Sql, where: MemoryFilter) -> list[int] | None:
    """Groups whose items the query may see; None for all there are."""
    extents = await admitted_extents(sql, where)
    return None if extents is None else list(extents)


async def admitted_extents(sql: Sql, where: MemoryFilter) -> dict[int, tuple[int, int]] | None:
    """Groups whose items the query may see, with how many items they hold and how many terms those have together; None for all
    there are.
    """
    found = ALWAYS
    if where.layers:
        found &= Condition("layer = ANY (%s)", (list(where.layers),))
    if not where.everything:
        for name in SCOPE_FIELDS:
            asked = getattr(where.scope, name)
            found &= Condition(f"scope_{name} = ANY (%s)", ([b"", asked.encode()] if asked else [b""],))
        return await _groups(sql, found)
    limits = named(where.scope)
    for name, value in limits.items():
        found &= Condition(f"scope_{name} = %s", (value.encode(),))
    return await _groups(sql, found) if limits or where.layers else None


async def doomed(sql: Sql, where: MemoryFilter) -> list[int] | None:
    """Groups whose items are forgotten by the filter; None for all there are."""
    limits = named(where.scope)
    if not limits and not where.everything:
        limits = dict.fromkeys(SCOPE_FIELDS, "")
    found = ALWAYS
    for name, value in limits.items():
        found &= Condition(f"scope_{name} = %s", (value.encode(),))
    if where.layers:
        found &= Condition("layer = ANY (%s)", (list(where.layers),))
    return list(await _groups(sql, found)) if limits or where.layers else None


async def _groups(sql: Sql, condition: Condition) -> dict[int, tuple[int, int]]:
    rows = await sql.rows(
        f"SELECT grp, items, tokens FROM harness_memory_groups WHERE {condition.sql}", *condition.values
    )
    return {int(grp): (int(items), int(tokens)) for grp, items, tokens in rows}


def of_groups(groups: Collection[int] | None, column: str = "i.grp") -> Condition:
    """The row belongs to one of the groups."""
    return ALWAYS if groups is None else Condition(f"{column} = ANY (%s)", (list(groups),))


async def inside(sql: Sql, where: MemoryFilter) -> Condition:
    """The whole filter."""
    return of_groups(await admitted(sql, where)) & fitting(where)
