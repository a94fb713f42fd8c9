"""Filters as SQL. They mean what :mod:`harness.adapters.memories._filters` says."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.adapters.memories._filters import instant, named
from harness.state.memory import SCOPE_FIELDS

if TYPE_CHECKING:
    from harness.ports.memories import MemoryFilter

Value = str | int
_MANY = 500
"""Values in one statement; older SQLite takes 999."""
_LISTED = (8, 32, 64, 128, 256, _MANY)
"""Lengths that lists of numbers are filled up to by repeating the last."""


@dataclass(frozen=True, slots=True)
class Condition:
    """Part of a WHERE clause, and what its question marks stand for."""

    sql: str
    values: tuple[Value, ...] = ()

    def __and__(self, other: Condition) -> Condition:
        return Condition(f"{self.sql} AND {other.sql}", self.values + other.values)


ALWAYS = Condition("1")


def within(column: str, values: Collection[Value]) -> Condition:
    """The column has one of the values."""
    return Condition(f"{column} IN ({','.join('?' * len(values))})", tuple(values))


def portions(values: Collection[str]) -> list[list[str]]:
    """Distinct values in lists that fit into a statement."""
    distinct = list(dict.fromkeys(values))
    return [distinct[start : start + _MANY] for start in range(0, len(distinct), _MANY)]


def numbers(values: Collection[int]) -> str:
    """Numbers of rows as SQL."""
    return f"({','.join(map(str, values))})"


def among(column: str, values: Collection[int]) -> Condition:
    """The column has one of these numbers. Lists of about the same length give the same statement, which SQLite then need not
    compile anew.
    """
    if not 0 < len(values) <= _LISTED[-1]:
        return Condition(f"{column} IN {numbers(values)}")
    given = tuple(values)
    room = next(count for count in _LISTED if count >= len(given))
    return within(column, given + given[-1:] * (room - len(given)))


def fitting(where: MemoryFilter) -> Condition:
    """What the filter asks of a row of ``items``, besides scope and layer."""
    found = ALWAYS
    if where.kinds:
        found &= within("kind", where.kinds)
    if where.statuses:
        found &= within("status", where.statuses)
    for column, text in (("speaker", where.speaker), ("subject", where.subject)):
        if text:
            found &= Condition(f"{column} = ?", (text.casefold(),))
    if where.session:
        found &= Condition("session = ?", (where.session,))
    if where.other_than:
        found &= Condition("session <> ?", (where.other_than,))
    if where.pinned is not None:
        found &= Condition("pinned = ?", (int(where.pinned),))
    for sql, time in (
        ("(expires IS NULL OR expires > ?)", where.now),
        ("moment >= ?", where.since),
        ("moment < ?", where.until),
    ):
        at = instant(time)
        if at is not None:
            found &= Condition(sql, (at,))
    return found


def admitted(sql: sqlite3.Connection, where: MemoryFilter) -> tuple[int, ...] | None:
    """Groups whose items the query may see; None for all there are."""
    found = Condition("1")
    if where.layers:
        found &= within("layer", where.layers)
    if not where.everything:
        for name in SCOPE_FIELDS:
            asked = getattr(where.scope, name)
            found &= within(name, ("", asked)) if asked else Condition(f"{name} = ''")
        return _groups(sql, found)
    limits = named(where.scope)
    for name, value in limits.items():
        found &= Condition(f"{name} = ?", (value,))
    return _groups(sql, found) if limits or where.layers else None


def doomed(sql: sqlite3.Connection, where: MemoryFilter) -> tuple[int, ...] | None:
    """Groups whose items are forgotten by the filter; None for all there are."""
    limits = named(where.scope)
    if not limits and not where.everything:
        limits = dict.fromkeys(SCOPE_FIELDS, "")
    found = Condition("1")
    for name, value in limits.items():
        found &= Condition(f"{name} = ?", (value,))
    if where.layers:
        found &= within("layer", where.layers)
    return _groups(sql, found) if limits or where.layers else None


def _groups(sql: sqlite3.Connection, condition: Condition) -> tuple[int, ...]:
    rows = sql.execute(f"SELECT grp FROM groups WHERE {condition.sql}", condition.values)
    return tuple(row[0] for row in rows.fetchall())


def of_groups(groups: Collection[int] | None, column: str = "grp") -> Condition:
    """The row belongs to one of the groups."""
    return ALWAYS if groups is None else Condition(f"{column} IN {numbers(groups)}")


def extent(sql: sqlite3.Connection, groups: Collection[int] | None) -> tuple[int, int]:
    """How many items the groups hold, and how many terms those have together."""
    if groups is None:
        rows = sql.execute("SELECT items, tokens FROM totals")
    else:
        held = "SELECT coalesce(sum(items), 0), coalesce(sum(tokens), 0) FROM groups"
        rows = sql.execute(f"{held} WHERE {of_groups(groups).sql}")
    items, tokens = rows.fetchone()
    return items, tokens


def damaged(reason: str) -> sqlite3.DatabaseError:
    """What SQLite itself raises for a damaged file."""
    error = sqlite3.DatabaseError(reason)
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error
