"""Items as the Lua script of the Redis memory store takes and gives them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import product
from typing import Any, get_args

from harness.adapters.memories._entries import Prepared, slot_key
from harness.adapters.memories._filters import instant, named, speaks_of
from harness.adapters.memories._sqlite_vectors import packed
from harness.adapters.redis.failures import damaged
from harness.errors import NewerSchema, StateError
from harness.ports.memories import MemoryFilter
from harness.state.memory import SCOPE_FIELDS, MemoryItem, MemoryLayer, MemoryStatus, Scope
from harness.state.migrations import load

SCRIPT = "memories/_redis_memory.lua"
LAYERS: tuple[str, ...] = get_args(MemoryLayer)
_STATUSES = frozenset(get_args(MemoryStatus))


def compact(value: object) -> str:
    """JSON without blanks, in the characters themselves."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def group_key(layer: str, scope: Scope) -> str:
    """The name of the items of one layer and scope."""
    return compact([layer, *(getattr(scope, name) for name in SCOPE_FIELDS)])


def group_keys(where: MemoryFilter) -> list[str] | None:
    """The names of all groups whose items the query may see; None when they can only be found among those there are."""
    if where.everything:
        return None
    asked = [("", value) if (value := getattr(where.scope, name)) else ("",) for name in SCOPE_FIELDS]
    return [compact([layer, *fields]) for layer in where.layers or LAYERS for fields in product(*asked)]


def group_fits(key: str, where: MemoryFilter, *, exactly: bool) -> bool:
    """Whether a group is one that ``everything`` with this scope means; ``exactly``: one that ``forget`` means."""
    layer, *fields = json.loads(key)
    own, limits = dict(zip(SCOPE_FIELDS, fields, strict=True)), named(where.scope)
    if exactly and not limits and not where.everything and any(fields):
        return False
    return (not where.layers or layer in where.layers) and all(own[name] == value for name, value in limits.items())


def turn_key(session: str, turn_id: str) -> str:
    """The name of the items that a turn wrote."""
    return compact([session, turn_id])


def arguments(entries: Sequence[Prepared]) -> Iterator[str | bytes]:
    """Row, document, state and vector of each entry."""
    for entry in entries:
        yield compact(_row(entry))
        yield entry.document
        yield state_of(entry.item)
        yield b"" if entry.vector is None else packed(entry.vector)


def _row(entry: Prepared) -> dict[str, Any]:
    item = entry.item
    # What filters ask about comes first, where it is found soon. Rows of earlier versions begin with the id.
    found: dict[str, Any] = {"by": item.speaker.casefold(), "of": item.subject.casefold()}
    moments = {"w_": speaks_of(item), "e_": instant(item.expires_at)}
    found |= {name: moment for name, moment in moments.items() if moment is not None}
    found |= {
        "i": item.id,
        "g": group_key(item.layer, item.scope),
        "l": item.layer,
        "k": item.kind,
        "n": entry.length,
        "t": dict(entry.counts),
        "x": _digest(item.text),
    }
    # What it is found by through words: as long as it stays the same, so does the number of the item.
    found["sign"] = _digest(compact([found["g"], found["n"], sorted(entry.counts.items())]))
    if item.kind == "message":
        found |= {"s": item.session, "p": item.place}
    if item.session:
        found["u"] = turn_key(item.session, item.turn_id)
    if item.key:
        found["key"] = item.key
    if (slot := slot_key(item.slot())) is not None:
        found["slot"] = slot
    if item.pinned:
        found["pin"] = True
    return found


def sifting(where: MemoryFilter) -> dict[str, object]:
    """What a row has to have in it, and its state, for the filter to hold: as much of it as those tell. Empty when that is nothing."""
    every: list[list[str]] = []
    if where.kinds:
        every.append([_piece("k", kind) for kind in where.kinds])
    if where.session:
        every.append([_of_session(where.session)])
    if where.pinned:
        every.append([_PINNED])
    none = [_of_session(where.other_than)] if where.other_than else []
    if where.pinned is False:
        none.append(_PINNED)
    # Rows that an earlier version wrote do not tell these; what is asked of them is not asked of such a row.
    told = [_piece(name, text.casefold()) for name, text in (("by", where.speaker), ("of", where.subject)) if text]
    asked: dict[str, object] = {
        name: moment for name in ("since", "until", "now") if (moment := instant(getattr(where, name))) is not None
    }
    if where.statuses:
        asked["statuses"] = list(where.statuses)
    if not every and not none and not told and not asked:
        return {}
    return {"any": every, "none": none, "told": told, **asked}


_PINNED = '"pin":true'


def _piece(name: str, text: str) -> str:
    return compact({name: text})[1:-1]


def _of_session(session: str) -> str:
    """How the turn of an item of this session begins."""
    return _piece("u", turn_key(session, "")[: -len('""]')])[:-1]


def state_of(item: MemoryItem) -> str:
    """What changes without the item being written anew."""
    moment = instant(item.last_used_at)
    at = item.last_used_at.isoformat() if item.last_used_at is not None else ""
    return f"{item.status} {item.uses} {'-' if moment is None else moment} {at}"


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


@lru_cache(maxsize=4096)
def _item(document: bytes) -> MemoryItem:
    return load(MemoryItem, document)


def item_of(document: bytes, state: bytes | None, place: str) -> MemoryItem:
    """The item of a row. Raises CorruptStore, NewerSchema."""
    try:
        # Read once, not in every search that finds it. Long ones are not worth the memory.
        item = _item(document) if len(document) < 4096 else load(MemoryItem, document)
        status, uses, _, at = (state or b"").decode().split(" ", 3)
        last = datetime.fromisoformat(at) if at else None
        count = int(uses)
    except NewerSchema as error:
        message = f"On the Redis server {place}: {error.message}"
        raise NewerSchema(message, remedy=error.remedy, url=place, **error.details) from error
    except (StateError, ValueError) as error:
        raise damaged(place, f"a memory item there cannot be read ({error})") from error
    if status not in _STATUSES:
        raise damaged(place, f"memory item {item.id!r} there has the status {status!r}")
    if (status, count, last) == (item.status, item.uses, item.last_used_at):
        return item
    return item.model_copy(update={"status": status, "uses": count, "last_used_at": last})


def counts_of(row: bytes, words: Collection[str], place: str) -> tuple[int, dict[str, int]]:
    """How many terms an item has, and how often each of these words."""
    try:
        found = json.loads(row)
        terms = found["t"]
        return int(found["n"]), {word: int(terms[word]) for word in words if word in terms}
    except (ValueError, KeyError, TypeError) as error:
        raise damaged(place, f"a memory item's words there cannot be read ({error!r})") from error
