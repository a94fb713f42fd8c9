"""What is the Redis stores' own: what is left on the server, and what they say when something is wrong."""

from __future__ import annotations

import asyncio
import builtins
import json
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.adapters.memories.redis import RedisMemoryStore
from harness.adapters.redis.client import RedisClient
from harness.adapters.redis.options import RedisOptions
from harness.adapters.short_term.redis import RedisShortTerm
from harness.adapters.stores.redis import RedisSessionStore
from harness.errors import (
    ConflictError,
    CorruptStore,
    MissingExtra,
    NewerSchema,
    SettingsError,
    StorageFull,
    StoreError,
)
from harness.ports import RecentMessage
from harness.ports.memories import EmbeddingSpace, MemoryEntry, MemoryFilter, MemoryQuery
from harness.state import Message
from harness.state.memory import MemoryItem, Scope
from harness.testing.conformance.samples import sample_info, sample_record, sample_state
from tests._redis_server import RedisServer

EVERYTHING = MemoryFilter(everything=True, statuses=())
SPACE = EmbeddingSpace("one", 2)
SECRETS = ("zanzibar", "桑给巴尔", "قهوةسرية")


@pytest.fixture
def options(redis_server: RedisServer, tmp_path: Path) -> RedisOptions:
    return RedisOptions(redis_server.url, prefix=str(tmp_path))


@pytest.fixture
def own(tmp_path: Path) -> Iterator[RedisServer]:
    """A server of the test's own."""
    server = RedisServer(tmp_path / "redis")
    server.start()
    yield server
    server.stop()


def entry(name: str, *terms: str, **fields: Any) -> MemoryEntry:
    vector = fields.pop("vector", None)
    made: dict[str, Any] = {"layer": "L2", "kind": "message", "text": " ".join(terms) or name, **fields}
    return MemoryEntry(MemoryItem(id=name, **made), terms, vector)


@pytest.fixture
async def raw() -> AsyncIterator[Callable[[RedisOptions], Any]]:
    """Makes plain clients."""
    clients = []

    def make(options: RedisOptions) -> Any:
        clients.append(RedisClient(options, closed=lambda: StoreError("closed")))
        return clients[-1]._open()

    yield make
    for client in clients:
        await client.close()


# --- what is deleted is gone ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kept", ["appendonly", "snapshots"])
async def test_what_is_deleted_is_in_no_key_and_no_file(
    kept: str, tmp_path: Path, raw: Callable[[RedisOptions], Any]
) -> None:
    snapshots = ("--appendonly", "no", "--save", "3600 1", "--rdbcompression", "no")
    own = RedisServer(tmp_path / "redis", **({"arguments": snapshots} if kept == "snapshots" else {}))
    own.start()
    try:
        await _deleted(own, raw)
    finally:
        own.stop()


async def _deleted(own: RedisServer, raw: Callable[[RedisOptions], Any]) -> None:
    options = RedisOptions(own.url)
    memory, sessions, recent = (
        RedisMemoryStore(options),
        RedisSessionStore(options),
        RedisShortTerm(options, max_tokens=99),
    )
    await memory.embed(SPACE, {})
    for word in SECRETS:
        fields = {
            "scope": Scope(user=f"{word}-user"),
            "subject": word,
            "speaker": word,
            "attribute": word,
            "value": word,
        }
        await memory.put(
            [
                entry(
                    f"{word}-{number}",
                    word,
                    f"{word}{number}",
                    "common",
                    key=word,
                    session=word,
                    turn_id=word,
                    **fields,
                )
                for number in range(20)
            ]
        )
        await sessions.create(sample_info(word, title=word))
        await sessions.append(word, sample_record("t1", reply=word), expected_version=0)
        await sessions.save_snapshot(word, "t1", sample_state())
        await recent.replace(word, "t1", [RecentMessage(Message(speaker="user", text=word, turn=1), "t1", 5)])
    await memory.put([entry("kept", "common", "kept", vector=(1.0, 0.0))])
    client = raw(options)
    await (client.bgrewriteaof() if "yes" in own.arguments else client.save())
    assert any(SECRETS[0].encode() in file.read_bytes() for file in own.folder.rglob("*") if file.is_file())
    held = await _held(client, own)
    assert all(word.encode() in held for word in SECRETS), "what is looked for is found"
    await memory.delete([f"{SECRETS[0]}-{number}" for number in range(20)])
    for word in SECRETS[1:]:
        await memory.forget(MemoryFilter(scope=Scope(user=f"{word}-user"), statuses=()))
    for word in SECRETS:
        await sessions.delete(word)
        await recent.clear(word)
    for store in (memory, sessions, recent):
        await store.close()
    for _ in range(200):
        held = await _held(client, own)
        if not any(word.encode() in held for word in SECRETS):
            break
        await asyncio.sleep(0.05)
    assert not [word for word in SECRETS if word.encode() in held]
    assert b"kept" in held
    left = sorted([key async for key in client.scan_iter("harness:*")])
    assert not [key for key in left if b"session:" in key or b"tree:" in key or b"records:" in key or b"recent" in key]
    assert await client.hgetall("harness:memory:terms") == {b"common": b"1", b"kept": b"1"}


async def _held(client: Any, server: RedisServer) -> bytes:
    """All keys and values, and all files of the server."""
    held = []
    async for key in client.scan_iter():
        held += [key, await client.dump(key) or b""]
        kind = await client.type(key)
        if kind == b"hash":
            held += [part for pair in (await client.hgetall(key)).items() for part in pair]
        elif kind == b"zset":
            held += await client.zrange(key, 0, -1)
        elif kind == b"list":
            held += await client.lrange(key, 0, -1)
    held += [file.read_bytes() for file in server.folder.rglob("*") if file.is_file() and file.name != "server.log"]
    return b"\0".join(held)


async def test_other_programs_read_the_list_of_recent_messages(
    options: RedisOptions, raw: Callable[[RedisOptions], Any]
) -> None:
    """What does not fit is not on the server either, and the server itself ends the list."""
    client, store = raw(options), RedisShortTerm(options, max_tokens=50, ttl_seconds=100)
    await store.replace("s", "", [])
    for number, tokens in enumerate((20, 20, 20, 90, 10, 10), start=1):
        said = Message(speaker="user", text=f"第{number}句", turn=number)
        await store.append(
            "s", f"t{number}", [RecentMessage(said, f"t{number}", tokens)], after=f"t{number - 1}" if number > 1 else ""
        )
        found = [json.loads(row) for row in await client.lrange(f"{options.prefix}:recent:s", 0, -1)]
        kept = [one.message.text for one in await store.recent("s")]
        assert [one["text"] for one in found] == kept
        assert kept[-1] == f"第{number}句"
        assert len(kept) == {1: 1, 2: 2, 3: 2, 4: 1, 5: 1, 6: 2}[number]
    assert set(found[0]) == {"speaker", "text", "turn", "at", "turn_id", "tokens"}
    for name in ("recent", "recent-at"):
        assert 0 < await client.ttl(f"{options.prefix}:{name}:s") <= 100
    await store.close()


# --- a write is done once ------------------------------------------------------------------------------------------


async def test_a_write_that_is_repeated_is_done_once(options: RedisOptions, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer is lost after the server did it, as when a connection breaks; the client asks again."""
    store = RedisSessionStore(options)
    original = RedisClient.script

    async def twice(self: RedisClient, name: str, op: str, *values: Any) -> Any:
        await original(self, name, op, *values)
        return await original(self, name, op, *values)

    monkeypatch.setattr(RedisClient, "script", twice)
    await store.create(sample_info("s"))
    assert await store.append("s", sample_record("t1"), expected_version=0) == 1
    assert await store.append("s", sample_record("t2", "t1", 2), expected_version=1) == 2
    assert await store.amend("s", sample_record("t2", "t1", 2, reply="amended"), expected_version=2) == 3
    assert await store.move_head("s", "t1", expected_version=3) == 4
    with pytest.raises(ConflictError):
        await store.append("s", sample_record("t3", "t1", 2), expected_version=3)
    assert [record.reply for record in await store.records("s")][1:] == ["amended"]
    recent = RedisShortTerm(options, max_tokens=99)
    await recent.replace("s", "", [])
    for number in (1, 2):
        message = RecentMessage(Message(speaker="user", text=str(number), turn=number), f"t{number}", 1)
        assert await recent.append("s", f"t{number}", [message], after=f"t{number - 1}" if number > 1 else "")
    assert [one.message.text for one in await recent.recent("s")] == ["1", "2"]
    memory = RedisMemoryStore(options)
    await memory.follow("s", "t1", put=[entry("a", "tea", session="s", turn_id="t1")])
    found = await memory.search(MemoryQuery(EVERYTHING, ("tea",)))
    assert (found.documents, dict(found.frequencies), len(found.hits)) == (1, {"tea": 1}, 1)
    await store.delete("s")
    assert await store.sessions() == ()
    for one in (store, recent, memory):
        await one.close()


async def test_connections_of_a_server_that_was_started_anew_are_replaced(own: RedisServer) -> None:
    store = RedisSessionStore(RedisOptions(own.url))
    await store.create(sample_info("s"))
    own.kill()
    with pytest.raises(StoreError, match="cannot be reached"):
        await store.info("s")
    own.start()
    assert await store.append("s", sample_record("t1"), expected_version=0) == 1
    await store.close()


async def test_more_callers_than_connections_wait_for_each_other(
    redis_server: RedisServer, tmp_path: Path, raw: Callable[[RedisOptions], Any]
) -> None:
    memory = RedisMemoryStore(RedisOptions(redis_server.url, pool_size=2, prefix=str(tmp_path)))
    await asyncio.gather(*(memory.put([entry(f"i{number:02}", "tea")]) for number in range(40)))
    found = await asyncio.gather(*(memory.browse(EVERYTHING) for _ in range(40)))
    assert {len(one) for one in found} == {40}
    clients = await raw(RedisOptions(redis_server.url)).client_list()
    assert len(clients) < 20
    await memory.close()


# --- what is said when something is wrong --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "said"),
    [("", "an empty one"), ("postgresql://h", "begins with postgresql://"), ("localhost:6379", "something else")],
)
def test_what_is_no_address_is_refused(url: str, said: str) -> None:
    with pytest.raises(SettingsError, match=said) as caught:
        RedisOptions(url)
    assert "redis://localhost:6379/0" in caught.value.remedy


def test_other_options_are_checked() -> None:
    for wrong in ({"timeout_s": 0.0}, {"pool_size": 0}, {"prefix": ""}, {"prefix": " x"}, {"prefix": "a\nb"}):
        with pytest.raises(SettingsError):
            RedisOptions("redis://h", **wrong)


async def test_nobody_there(own: RedisServer) -> None:
    own.stop()
    for store in (
        RedisSessionStore(RedisOptions(f"redis://ann:s3cret@127.0.0.1:{own.port}/0")),
        RedisMemoryStore(RedisOptions(f"redis://ann:s3cret@127.0.0.1:{own.port}/0")),
    ):
        call = store.sessions() if isinstance(store, RedisSessionStore) else store.stats()
        with pytest.raises(StoreError, match="cannot be reached") as caught:
            await call
        assert "s3cret" not in f"{caught.value} {caught.value.details} {caught.value.__cause__}"
        assert "ann:***@" in str(caught.value)
        await store.close()


async def test_a_wrong_password(tmp_path: Path) -> None:
    server = RedisServer(tmp_path / "redis", arguments=("--requirepass", "right", "--save", ""))
    server.start()
    try:
        for password in ("", ":wrong@"):
            store = RedisSessionStore(RedisOptions(f"redis://{password}127.0.0.1:{server.port}/0"))
            with pytest.raises(StoreError, match="refused the user or the password") as caught:
                await store.sessions()
            assert "wrong" not in caught.value.message
            await store.close()
        store = RedisSessionStore(RedisOptions(f"redis://:right@127.0.0.1:{server.port}/0"))
        assert await store.sessions() == ()
        await store.close()
    finally:
        server.stop()


async def test_a_full_server_takes_nothing(tmp_path: Path) -> None:
    server = RedisServer(tmp_path / "redis", arguments=("--maxmemory", "4mb", "--save", ""))
    server.start()
    try:
        store = RedisSessionStore(RedisOptions(server.url))
        await store.create(sample_info("s"))
        with pytest.raises(StorageFull, match="takes no more writes"):
            await _fill(store)
        version = await store.version("s")
        assert version > 3
        assert len(await store.records("s")) == version, "nothing was half-written"
        await store.close()
    finally:
        server.stop()


async def _fill(store: RedisSessionStore) -> None:
    for version in range(200):
        parent = f"t{version - 1}" if version else None
        record = sample_record(f"t{version}", parent, version + 1, reply="long " * 20_000)
        await store.append("s", record, expected_version=version)


async def test_keys_of_another_program_are_left_alone(
    options: RedisOptions, raw: Callable[[RedisOptions], Any]
) -> None:
    client = raw(options)
    await client.set(f"{options.prefix}:session:s", "something else")
    store = RedisSessionStore(options)
    with pytest.raises(CorruptStore, match="not what it should be"):
        await store.create(sample_info("s"))
    assert await client.get(f"{options.prefix}:session:s") == b"something else"
    await store.close()


async def test_damage_and_newer_documents_are_named(options: RedisOptions, raw: Callable[[RedisOptions], Any]) -> None:
    client, store, memory = raw(options), RedisSessionStore(options), RedisMemoryStore(options)
    await store.create(sample_info("s"))
    for number in range(1, 5):
        record = sample_record(f"t{number}", f"t{number - 1}" if number > 1 else None, number)
        await store.append("s", record, expected_version=number - 1)
    documents = f"{options.prefix}:records:s"
    await client.hset(documents, "t1", '{"cut off')
    newer = json.loads(await client.hget(documents, "t2"))
    await client.hset(documents, "t2", json.dumps({**newer, "schema_version": 99}))
    await client.hset(documents, "t3", await client.hget(documents, "t4"))
    with pytest.raises(CorruptStore, match="turn 't1'"):
        await store.record("s", "t1")
    with pytest.raises(NewerSchema, match="turn 't2'"):
        await store.record("s", "t2")
    with pytest.raises(CorruptStore, match="holds turn 't4'"):
        await store.record("s", "t3")
    await client.hdel(documents, "t4")
    with pytest.raises(CorruptStore, match="missing"):
        await store.branch("s", "t4", after="t3")
    await client.hdel(f"{options.prefix}:tree:s", "t1")
    with pytest.raises(CorruptStore, match="'t1' of session 's' is missing"):
        await store.path("s", "t4")
    await client.hset(f"{options.prefix}:tree:s", "t1", "1 1 +t4")
    with pytest.raises(CorruptStore, match="missing"):
        await asyncio.wait_for(store.path("s", "t4"), 5)
    await memory.put([entry("a", "tea"), entry("b", "tea")])
    items = f"{options.prefix}:memory:items"
    await client.hset(items, "1", b"\xff\xfe")
    with pytest.raises(CorruptStore, match="memory item"):
        await memory.get(["a"])
    assert [one.id for one in await memory.get(["b"])] == ["b"]
    await client.append(f"{options.prefix}:memory:words:1:tea", b"x")
    with pytest.raises(CorruptStore, match="cut off"):
        await memory.search(MemoryQuery(EVERYTHING, ("tea",)))
    for one in (store, memory):
        await one.close()


async def test_a_snapshot_that_cannot_be_read_is_none(
    options: RedisOptions, raw: Callable[[RedisOptions], Any]
) -> None:
    client, store = raw(options), RedisSessionStore(options)
    await store.create(sample_info("s"))
    await store.append("s", sample_record("t1"), expected_version=0)
    await store.append("s", sample_record("t2", "t1", 2), expected_version=1)
    for turn in ("t1", "t2"):
        await store.save_snapshot("s", turn, sample_state())
    await client.hset(f"{options.prefix}:snapshots:s", "t2", "{}")
    assert await store.snapshot("s", "t2") == ("t1", sample_state())
    await store.close()


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    original = builtins.__import__

    def without(name: str, *rest: Any, **named: Any) -> Any:
        if name == "redis" or name.startswith("redis."):
            raise ImportError(name)
        return original(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra) as caught:
        RedisMemoryStore(RedisOptions("redis://localhost"))
    assert caught.value.details["extra"] == "redis"


async def test_prefixes_keep_apart(redis_server: RedisServer, tmp_path: Path) -> None:
    one, other = (RedisMemoryStore(RedisOptions(redis_server.url, prefix=f"{tmp_path}{end}")) for end in ("a", "b"))
    await one.put([entry("x", "tea")])
    assert await other.browse(EVERYTHING) == ()
    assert (await other.stats()).items == 0
    await one.close()
    await other.close()


async def test_many_removals_elsewhere_are_noticed(options: RedisOptions, raw: Callable[[RedisOptions], Any]) -> None:
    """More than the server remembers one by one: the vectors held here are compared with those there."""
    one, two = RedisMemoryStore(options), RedisMemoryStore(options)
    await one.embed(SPACE, {})
    await one.put([entry(f"i{number:03}", vector=(1.0, 0.0)) for number in range(50)])
    query = MemoryQuery(EVERYTHING, vector=(1.0, 0.0), limit=100)
    assert len((await two.search(query)).hits) == 50
    await one.delete([f"i{number:03}" for number in range(40)])
    client = raw(options)
    await client.zremrangebyrank(f"{options.prefix}:memory:vgone", 0, 29)
    assert len((await two.search(query)).hits) == 10
    for store in (one, two):
        await store.close()
