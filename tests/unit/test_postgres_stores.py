"""What the PostgreSQL stores say when the server, the address or the tables are not as they should be; and what they keep apart."""

from __future__ import annotations

import asyncio
import socket
import sys
from typing import Any

import psycopg
import pytest

from harness.adapters.memories.postgres import PostgresMemoryStore
from harness.adapters.stores import BACKENDS, StoreOptions
from harness.adapters.stores._postgres_errors import away, translate
from harness.adapters.stores.postgres import PostgresSessionStore
from harness.errors import CorruptStore, MissingExtra, NewerSchema, SettingsError, StorageFull, StoreError
from harness.ports import EmbeddingSpace, MemoryEntry, MemoryFilter, MemoryQuery
from harness.state.memory import MemoryItem
from harness.testing.conformance.samples import sample_info, sample_record
from harness.testing.postgres import PostgresForTests

EVERYTHING = MemoryFilter(everything=True, statuses=())
UNSEEN = "s3cr/et@word"


async def refusal(url: str, **options: Any) -> StoreError:
    store = PostgresSessionStore(url, timeout_s=2, **options)
    with pytest.raises(StoreError) as raised:
        await store.sessions()
    await store.close()
    return raised.value


async def test_nothing_listens_is_said_at_once_and_without_the_password() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening
        error = await refusal(f"postgresql://ann:{UNSEEN}@127.0.0.1:{taken.getsockname()[1]}/chat")
    assert "cannot be reached" in str(error)
    assert "Start the server" in error.remedy
    assert UNSEEN not in f"{error} {error.details}"


async def test_no_such_database(postgres_server: PostgresForTests) -> None:
    error = await refusal(postgres_server.url(database="nothing_here"))
    assert "nothing_here" in str(error)
    assert "createdb" in error.remedy


async def test_no_such_schema(postgres_server: PostgresForTests) -> None:
    error = await refusal(postgres_server.url(query="?options=-c%20search_path%3Dnowhere"))
    assert "no schema has been selected" in str(error)
    assert "search_path" in error.remedy


async def test_no_such_parameter_in_the_address(postgres_server: PostgresForTests) -> None:
    store = PostgresSessionStore(f"postgresql://ann:{UNSEEN}@127.0.0.1/chat?colour=blue")
    with pytest.raises((StoreError, SettingsError)) as raised:
        await store.sessions()
    assert "colour" in str(raised.value)
    assert UNSEEN not in str(raised.value)
    await store.close()


async def test_wrong_encoding(postgres_server: PostgresForTests) -> None:
    with psycopg.connect(postgres_server.url(), autocommit=True) as connection:
        connection.execute("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
    error = await refusal(postgres_server.url(database="latin"))
    assert "UTF8" in str(error)
    assert "LATIN1" in str(error)


async def test_user_without_rights(postgres_server: PostgresForTests) -> None:
    place = postgres_server.new_place()
    with psycopg.connect(postgres_server.url(), autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS guest")
        connection.execute("CREATE ROLE guest LOGIN")
        connection.execute(f'GRANT USAGE ON SCHEMA "{place.partition("%3D")[2].partition(",")[0]}" TO guest')
    error = await refusal(place.replace("postgres@", f"guest:{UNSEEN.replace('/', '%2F').replace('@', '%40')}@"))
    assert "permission denied" in str(error)
    assert "rights" in error.remedy
    assert "s3cr" not in f"{error} {error.details}"


@pytest.mark.parametrize("url", ["", "sessions.db", "redis://127.0.0.1", "http://ann:s3cret@host/chat"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(SettingsError, match="postgresql://") as raised:
        PostgresSessionStore(url)
    assert "s3cret" not in str(raised.value)


@pytest.mark.parametrize(("name", "value"), [("timeout_s", 0), ("timeout_s", float("nan")), ("pool_size", 0)])
def test_impossible_options_are_refused(name: str, value: float) -> None:
    options: dict[str, Any] = {name: value}
    with pytest.raises(SettingsError, match=name):
        PostgresMemoryStore("postgresql://127.0.0.1/chat", **options)


def test_without_the_packages_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg_pool", None)
    with pytest.raises(MissingExtra, match=r"dialogue-harness\[postgres\]") as raised:
        BACKENDS["postgres"].open(StoreOptions(url="postgresql://127.0.0.1/chat"))
    assert raised.value.details["extra"] == "postgres"


async def test_tables_of_a_newer_version_are_refused_and_left_alone(postgres_server: PostgresForTests) -> None:
    place = postgres_server.new_place()
    store = PostgresSessionStore(place)
    await store.create(sample_info("s1"))
    await store.close()
    with psycopg.connect(place, autocommit=True) as connection:
        connection.execute("UPDATE harness_layout SET version = 7 WHERE kind = 'sessions'")
    newer = PostgresSessionStore(place)
    with pytest.raises(NewerSchema, match="layout 7"):
        await newer.create(sample_info("s2"))
    await newer.close()
    memory = PostgresMemoryStore(place)  # its tables are another matter
    assert await memory.browse(EVERYTHING) == ()
    await memory.close()
    with psycopg.connect(place, autocommit=True) as connection:
        assert connection.execute("SELECT count(*) FROM harness_sessions").fetchone() == (1,)


async def test_a_document_that_was_altered_is_refused(postgres_server: PostgresForTests) -> None:
    place = postgres_server.new_place()
    store, memory = PostgresSessionStore(place), PostgresMemoryStore(place)
    await store.create(sample_info("s1"))
    await store.append("s1", sample_record("t1", None, 1), expected_version=0)
    await memory.put([_entry("i1", "tea")])
    with psycopg.connect(place, autocommit=True) as connection:
        connection.execute("UPDATE harness_records SET document = replace(document, '\"t1\"', '\"t9\"')")
        connection.execute("UPDATE harness_memory_items SET document = 'nonsense'")
    with pytest.raises(CorruptStore, match="t9"):
        await store.record("s1", "t1")
    with pytest.raises(CorruptStore, match="i1"):
        await memory.get(["i1"])
    with psycopg.connect(place, autocommit=True) as connection:
        connection.execute("DROP TABLE harness_snapshots")
    with pytest.raises(CorruptStore, match="harness_snapshots"):
        await store.snapshot("s1", "t1")
    await store.close()
    await memory.close()


async def test_vectors_are_of_pgvector_where_the_database_has_it(postgres_server: PostgresForTests) -> None:
    place = postgres_server.new_place()
    store = PostgresMemoryStore(place)
    await store.embed(EmbeddingSpace("m", 2), {})
    with psycopg.connect(place) as connection:
        found = connection.execute(
            "SELECT atttypid::regtype::text FROM pg_attribute "
            "WHERE attrelid = 'harness_memory_vectors'::regclass AND attname = 'vector'"
        ).fetchone()
    assert found == ("vector",)
    await store.close()
    plain = PostgresMemoryStore(postgres_server.new_place().removesuffix(",public"))
    await plain.embed(EmbeddingSpace("m", 2), {})
    await plain.put([_entry("i1", "tea", vector=(0.6, 0.8))])
    found_by = await plain.search(MemoryQuery(EVERYTHING, (), (1.0, 0.0)))
    assert [round(hit.cosine or 0, 6) for hit in found_by.hits] == [0.6]
    await plain.close()


async def test_a_second_program_sees_new_changed_and_removed_vectors(postgres_server: PostgresForTests) -> None:
    place = postgres_server.new_place().removesuffix(",public")
    one, two = PostgresMemoryStore(place), PostgresMemoryStore(place)
    await one.embed(EmbeddingSpace("m", 2), {})
    query = MemoryQuery(EVERYTHING, (), (1.0, 0.0))

    async def seen() -> dict[str, float]:
        return {hit.item.id: round(hit.cosine or 0.0, 3) for hit in (await two.search(query)).hits}

    await one.put([_entry("i1", "tea", vector=(0.6, 0.8)), _entry("i2", "rain", vector=(0.8, 0.6))])
    assert await seen() == {"i1": 0.6, "i2": 0.8}
    await one.put([_entry("i1", "cake", vector=(1.0, 0.0))])
    assert await seen() == {"i1": 1.0, "i2": 0.8}
    await one.delete(["i2"])
    assert await seen() == {"i1": 1.0}
    await one.embed(EmbeddingSpace("other", 2), {"i1": (0.0, 1.0)})
    assert await seen() == {"i1": 0.0}
    await one.close()
    await two.close()


async def test_forgetting_leaves_no_word_of_it_in_the_tables(postgres_server: PostgresForTests) -> None:
    place = postgres_server.new_place()
    store = PostgresMemoryStore(place)
    await store.embed(EmbeddingSpace("m", 2), {})
    await store.put(
        [
            _entry("i1", "marzipan", "杏仁糖", scope={"user": "ann"}, session="of-ann", vector=(0.6, 0.8)),
            _entry("i2", "tea", scope={"user": "bob"}),
        ]
    )
    assert await store.forget(MemoryFilter(everything=True, statuses=(), scope=_entry("", scope={"user": "ann"}).item.scope)) == 1  # fmt: skip
    with psycopg.connect(place) as connection:
        left = {
            name: connection.execute(f"TABLE harness_memory_{name}").fetchall()
            for name in ("groups", "items", "terms", "postings", "vectors")
        }
    assert {name: len(rows) for name, rows in left.items()} == {
        "groups": 1, "items": 1, "terms": 1, "postings": 1, "vectors": 0,
    }  # fmt: skip
    text = repr(left)
    assert all(word not in text for word in ("marzipan", "杏仁糖", "ann'"))
    await store.close()


async def test_many_calls_share_few_connections(postgres_server: PostgresForTests) -> None:
    place = postgres_server.new_place()
    store = PostgresSessionStore(place + "&application_name=ignored", pool_size=3)
    await store.create(sample_info("s1"))
    assert await asyncio.gather(*(store.version("s1") for _ in range(40))) == [0] * 40
    with psycopg.connect(place) as connection:
        row = connection.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'harness' AND query LIKE '%harness_sessions%'"
        ).fetchone()
    assert row is not None
    assert 1 <= row[0] <= 3
    await store.close()


@pytest.mark.parametrize(
    ("code", "kind", "words"),
    [
        ("53100", StorageFull, "Free some space"),
        ("57014", StoreError, "gave no answer within 2 s"),
        ("XX001", CorruptStore, "damaged"),
        ("42P01", CorruptStore, "missing"),
        ("53300", StoreError, "max_connections"),
        ("25006", StoreError, "primary"),
        ("40P01", StoreError, "The last complete write"),
    ],
)
def test_errors_of_the_server_say_what_to_do(code: str, kind: type[StoreError], words: str) -> None:
    class Raised(Exception):
        sqlstate = code

    url = "postgresql://ann:longsecret@host/chat"
    found = translate(Raised("it failed for longsecret\nDETAIL: more"), url, "memory store", 2.0)
    assert type(found) is kind
    assert words in str(found)
    assert "longsecret" not in f"{found}{found.details}"
    assert "postgresql://ann:***@host/chat" in str(found)


def test_a_password_is_nowhere_in_what_cannot_be_reached() -> None:
    for url in ("postgresql://ann:pa%2Fss@h/d", "postgresql://h/d?user=ann&password=pa%2Fss", "postgres://:pa/ss@h"):
        shown = str(away(url, "session store", f'invalid "{url}" and pa/ss'))
        assert "pa/ss" not in shown
        assert "pa%2Fss" not in shown


def _entry(name: str, *terms: str, vector: tuple[float, float] | None = None, **fields: Any) -> MemoryEntry:
    item = MemoryItem.model_validate(
        {"id": name, "layer": "L2", "kind": "message", "text": " ".join(terms) or name, **fields}
    )
    return MemoryEntry(item, terms, vector)
