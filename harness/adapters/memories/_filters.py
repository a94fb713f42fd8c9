"""What a filter means, for one item in memory; stores that filter inside a database mean the same."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.ports.memories import MemoryFilter
    from harness.state.memory import MemoryItem, Scope

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def instant(time: datetime | None) -> int | None:
    """Microseconds since 1970, exact; a time without a zone is taken as UTC."""
    if time is None:
        return None
    return ((time if time.tzinfo else time.replace(tzinfo=UTC)) - _EPOCH) // _MICROSECOND


def speaks_of(item: MemoryItem) -> int | None:
    """The moment that ``since`` and ``until`` are compared with."""
    return instant(item.when_at or item.at)


def named(scope: Scope) -> dict[str, str]:
    """The fields of a scope that set a limit."""
    return {name: value for name, value in scope if value}


def matches(item: MemoryItem, where: MemoryFilter) -> bool:
    """Whether a query with this filter may find the item."""
    seen = _belongs(item, where) if where.everything else item.scope.admits(where.scope)
    return seen and _fits(item, where)


def doomed(item: MemoryItem, where: MemoryFilter) -> bool:
    """Whether forgetting by this filter removes the item: its scope has the very fields that the filter's scope names.

    A filter that names none and does not say ``everything`` means the items that are for everyone: an empty filter must
    not empty the store.
    """
    limits = named(where.scope)
    if not limits and not where.everything and named(item.scope):
        return False
    return _belongs(item, where) and _fits(item, where)


def _belongs(item: MemoryItem, where: MemoryFilter) -> bool:
    return all(getattr(item.scope, name) == value for name, value in named(where.scope).items())


def _fits(item: MemoryItem, where: MemoryFilter) -> bool:
    return (
        (not where.layers or item.layer in where.layers)
        and (not where.kinds or item.kind in where.kinds)
        and (not where.statuses or item.status in where.statuses)
        and (not where.speaker or item.speaker.casefold() == where.speaker.casefold())
        and (not where.subject or item.subject.casefold() == where.subject.casefold())
        and (not where.session or item.session == where.session)
        and (not where.other_than or item.session != where.other_than)
        and (where.pinned is None or item.pinned == where.pinned)
        and _in_time(item, where)
    )


def _in_time(item: MemoryItem, where: MemoryFilter) -> bool:
    now, expires = instant(where.now), instant(item.expires_at)
    if now is not None and expires is not None and expires <= now:
        return False
    since, until = instant(where.since), instant(where.until)
    if since is None and until is None:
        return True
    at = speaks_of(item)
    return at is not None and (since is None or at >= since) and (until is None or at < until)
