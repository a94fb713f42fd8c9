"""What the Redis memory store leaves to the server: filters."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from harness.adapters.memories import redis as redis_store
from harness.adapters.memories._filters import matches
from harness.adapters.memories._redis_rows import item_of
from harness.adapters.memories._redis_search import RedisSearch
from harness.adapters.memories.ram import InProcessMemoryStore
from harness.adapters.memories.redis import RedisMemoryStore
from harness.adapters.redis.client import RedisClient
from harness.adapters.redis.options import RedisOptions
from harness.errors import StoreError
from harness.ports.memories import EmbeddingSpace, MemoryEntry, MemoryFilter, MemoryQuery
from harness.state.memory import MemoryItem, Scope
from tests._redis_server import RedisServer

SPACE = EmbeddingSpace("one", 2)


def _at(minutes: int) -> datetime:
    """Far from now, where 64 bits of a float do not tell two microseconds apart."""
    return datetime(8026, 3, 1, tzinfo=UTC) + timedelta(minutes=minutes)


@pytest.fixture
def options(redis_server: RedisServer, tmp_path: Path) -> RedisOptions:
    return RedisOptions(redis_server.url, prefix=str(tmp_path))


@pytest.fixture
async def raw(options: RedisOptions) -> AsyncIterator[Any]:
    """A plain client."""
    client = RedisClient(options, closed=lambda: StoreError("closed"))
    yield client._open()
    await client.close()


def entry(name: str, *terms: str, **fields: Any) -> MemoryEntry:
    vector = fields.pop("vector", None)
    made: dict[str, Any] = {"layer": "L2", "kind": "message", "text": " ".join(terms) or name, **fields}
    return MemoryEntry(MemoryItem(id=name, **made), terms, vector)


FILTERS = {
    "kinds": {"kinds": ("fact", "task")},
    "session": {"session": 'of "b", \\'},
    "another session": {"other_than": "会话 一"},
    "pinned": {"pinned": True},
    "not pinned": {"pinned": False},
    "hidden": {"statuses": ("hidden",)},
    "any status": {"statuses": ()},
    "several": {"kinds": ("message",), "other_than": "会话 一", "statuses": ("active", "hidden"), "pinned": False},
    "none": {"session": "nobody"},
    "speaker": {"speaker": 'ÀNN "A", \\ 安娜'},
    "subject": {"subject": '猫, "OF":"x'},
    "nobody spoke": {"speaker": "nobody"},
    "speaker and kind": {"speaker": "bob", "kinds": ("fact",)},
    "since": {"since": _at(120)},
    "until": {"until": _at(7)},
    "an hour": {"since": _at(40), "until": _at(46), "statuses": ()},
    "one moment": {"since": _at(40), "until": _at(40) + timedelta(microseconds=1)},
    "not a moment": {"since": _at(40), "until": _at(40)},
    "expired": {"now": _at(1500)},
    "speaker at times": {"speaker": "bob", "subject": "", "since": _at(90), "now": _at(0)},
}


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize("case", sorted(FILTERS))
async def test_the_server_passes_over_what_a_filter_leaves_out(
    case: str, code: str, options: RedisOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a store that looks at every item finds them, though few of the best pass; and few of those that do not are read."""
    word, about = {"en": ("ferry", '"k":"fact" "pin":true'), "zh": ("渡船", '"k":"fact" 钉住')}[code]
    sessions = ["会话 一", 'of "b", \\', "", "会话"]
    entries = [
        entry(
            f"{number:03d}",
            *[word] * (1 + number % 7),
            about,
            text=f"{word} {about} {number}",
            kind="fact" if number % 11 == 3 else "message",
            session=sessions[0 if number % 5 else (number // 5) % 4],
            turn_id=f"t{number}",
            status="hidden" if number % 13 == 5 else "active",
            pinned=number % 17 == 2,
            speaker=("Bob", 'Ànn "a", \\ 安娜', "", "安娜")[number % 4],
            subject=('猫, "of":"x', "user", "猫")[number % 3],
            at=None if number % 10 == 9 else _at(number),
            when_at=_at(number - 100) if number % 19 == 4 else None,
            expires_at=_at(1000 + number * 10) if number % 2 else None,
            vector=(1.0, 0.0) if number % 2 else (0.6, 0.8),
        )
        for number in range(150)
    ]
    store, plain = RedisMemoryStore(options), InProcessMemoryStore()
    read: list[int] = []
    look = RedisSearch._look

    async def counting(self: RedisSearch, asked: Any, docs: Any) -> None:
        read.extend(docs)
        await look(self, asked, docs)

    monkeypatch.setattr(RedisSearch, "_look", counting)
    for one in (store, plain):
        await one.embed(SPACE, {})
        await one.put(entries)
    where = MemoryFilter(Scope(user="ann"), **FILTERS[case])  # type: ignore[arg-type]  # as they are named
    for query in (MemoryQuery(where, (word,), None, 3), MemoryQuery(where, (), (1.0, 0.0), 3), MemoryQuery(where, (word,), (0.0, 1.0), 200)):  # fmt: skip
        read.clear()
        found, wanted = await store.search(query), await plain.search(query)
        scores = [[score for hit in hits.hits for score in (hit.lexical or 0.0, hit.cosine or 0.0)] for hits in (found, wanted)]  # fmt: skip
        assert scores[0] == pytest.approx(scores[1])
        assert all(matches(hit.item, where) for hit in found.hits)
        if query.limit == 3:
            passing = sum(matches(one.item, where) for one in entries)
            assert len(read) <= 3 + passing + 1  # the end of a time is read and left out here
    assert sum(matches(one.item, where) for one in entries) == len(found.hits)
    await store.close()


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of items that came from the server."""
    found: list[str] = []

    def counting(document: bytes, state: bytes | None, place: str) -> MemoryItem:
        item = item_of(document, state, place)
        found.append(item.id)
        return item

    monkeypatch.setattr(redis_store, "item_of", counting)
    return found


def _crowd(speaker: str, subject: str) -> list[MemoryEntry]:
    return [
        entry(
            f"i{number:04}",
            "tea",
            speaker=speaker if number % 500 == 3 else "other",
            subject=subject if number % 500 in (3, 7) else "",
            session="s",
            place=number,
            key="same",
            at=_at(number),
        )
        for number in range(2100)
    ]


@pytest.mark.parametrize(("speaker", "subject"), [("Ann", "the cat"), ("安娜", "猫")])
async def test_only_what_may_pass_is_read(speaker: str, subject: str, options: RedisOptions, read: list[str]) -> None:
    store = RedisMemoryStore(options)
    await store.put(_crowd(speaker, subject))
    best = ["i0003", "i0503", "i1003", "i1503", "i2003"]
    by_speaker, by_subject = MemoryFilter(speaker=speaker.upper()), MemoryFilter(subject=subject.upper())
    late = MemoryFilter(subject=subject, since=_at(1500), until=_at(2007))
    for found, wanted in (
        (await store.browse(by_speaker), best),
        (await store.browse(by_speaker, limit=2), best[:2]),
        (await store.browse(by_speaker, after="i0003", limit=3), best[1:4]),
        (await store.browse(by_speaker, limit=0), []),
        (await store.browse(by_speaker, after="i2003"), []),
        (await store.browse(late), ["i1503", "i1507", "i2003"]),
        (await store.with_keys(["same"], by_speaker), best),
        (await store.around({"s": range(500, 510)}, by_subject), ["i0503", "i0507"]),
    ):
        assert [item.id for item in found] == wanted
    assert len(read) <= 30
    read.clear()
    assert await store.forget(by_subject) == 10
    assert len(read) == 10
    assert (await store.stats()).items == 2090
    await store.close()


@pytest.mark.parametrize(("speaker", "subject"), [("Ann", "the cat"), ("安娜", "猫")])
async def test_rows_of_an_earlier_version_are_judged_here(
    speaker: str, subject: str, options: RedisOptions, raw: Any
) -> None:
    store = RedisMemoryStore(options)
    await store.put(_crowd(speaker, subject)[:600])
    key = f"{options.prefix}:memory:rows"
    for number, row in (await raw.hgetall(key)).items():
        old = {name: value for name, value in json.loads(row).items() if name not in ("by", "of", "w_", "e_")}
        await raw.hset(key, number, json.dumps(old, ensure_ascii=False, separators=(",", ":")))
    where = MemoryFilter(speaker=speaker, subject=subject, since=_at(100))
    assert [item.id for item in await store.browse(where)] == ["i0503"]
    assert [hit.item.id for hit in (await store.search(MemoryQuery(where, ("tea",), limit=3))).hits] == ["i0503"]
    await store.close()


async def test_more_items_without_a_vector_than_one_call_looks_at(options: RedisOptions) -> None:
    store = RedisMemoryStore(options)
    await store.put(_crowd("Ann", "猫"))
    assert len(await store.unembedded(limit=2050)) == 2050
    assert len(await store.unembedded(limit=0)) == 0
    await store.close()
