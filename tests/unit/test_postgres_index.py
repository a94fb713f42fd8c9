"""The approximate index of vectors in PostgreSQL: made, used, left, dropped."""

from __future__ import annotations

import asyncio
import json
import random
from typing import TYPE_CHECKING

import psycopg
import pytest

from harness.adapters.memories._postgres_index import Hnsw, lacking
from harness.adapters.memories.postgres import PostgresMemoryStore
from harness.app_servers import check_servers
from harness.errors import StoreError
from harness.ports import MemoryEntry, MemoryFilter, MemoryHits, MemoryQuery
from harness.ports.memories import EmbeddingSpace
from harness.settings import load
from harness.state.memory import MemoryItem, Scope
from tests._commands import runner

if TYPE_CHECKING:
    from pathlib import Path

    from harness.testing.postgres import PostgresForTests

EVERYTHING = MemoryFilter(everything=True, statuses=())
ALWAYS = Hnsw(ef_search=100, candidate_cost=0)
DIMENSIONS = 16
SPACE = EmbeddingSpace("m", DIMENSIONS)


def _vector(chance: random.Random, dimensions: int = DIMENSIONS) -> tuple[float, ...]:
    raw = [chance.gauss(0.3, 1) for _ in range(dimensions)]
    length = sum(value * value for value in raw) ** 0.5
    return tuple(value / length for value in raw)


def _entries(count: int, *, users: int = 2, seed: int = 1) -> list[MemoryEntry]:
    chance = random.Random(seed)
    return [
        MemoryEntry(
            MemoryItem(
                id=f"i{number:04}",
                layer="L2",
                kind="message",
                text=("It rains." if number % 2 else "下雨了。"),
                scope=Scope(user=f"u{number % users}"),
                speaker="Ann" if number % 100 == 0 else "Bob",
                session="s",
                place=number,
            ),
            ("rain", "下雨"),
            _vector(chance),
        )
        for number in range(count)
    ]


def _indexes(place: str) -> dict[str, bool]:
    with psycopg.connect(place) as connection:
        rows = connection.execute(
            "SELECT c.relname, i.indisvalid FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid "
            "WHERE i.indrelid = 'harness_memory_vectors'::regclass AND c.relname LIKE '%hnsw%'"
        ).fetchall()
    return dict(rows)


def _plan(place: str) -> list[str]:
    """The statements on vectors that used an index, by what the server counts."""
    with psycopg.connect(place) as connection:
        rows = connection.execute(
            "SELECT indexrelname, idx_scan FROM pg_stat_user_indexes WHERE relid = 'harness_memory_vectors'::regclass"
        ).fetchall()
    return [name for name, count in rows if count and "hnsw" in name]


def _best(found: MemoryHits) -> list[str]:
    ranked = [hit for hit in found.hits if hit.vector_rank is not None]
    return [hit.item.id for hit in sorted(ranked, key=lambda hit: hit.vector_rank or 0)]


async def _filled(place: str, count: int, hnsw: Hnsw | None) -> PostgresMemoryStore:
    store = PostgresMemoryStore(place, hnsw=hnsw)
    await store.embed(SPACE, {})
    await store.put(_entries(count))
    return store


async def test_the_index_finds_what_comparing_all_finds(postgres_server: PostgresForTests) -> None:
    place = postgres_server.new_place()
    exact = await _filled(place, 1500, None)
    quick = PostgresMemoryStore(place, hnsw=ALWAYS)
    assert (await quick.stats()).vector_search == "exact"
    assert await quick.index_vectors() == "hnsw"
    assert (await quick.stats()).vector_search == "hnsw"
    chance = random.Random(7)
    hits = wanted = 0
    for where in (EVERYTHING, MemoryFilter(scope=Scope(user="u1"))):
        for _ in range(10):
            query = MemoryQuery(where, (), _vector(chance), 20)
            one, other = await exact.search(query), await quick.search(query)
            hits += len(set(_best(one)) & set(_best(other)))
            wanted += len(_best(one))
            assert all(where.everything or hit.item.scope.user == "u1" for hit in other.hits)
            assert {hit.item.id: hit.cosine for hit in other.hits}.keys() == set(_best(other))
            assert other.vectors == one.vectors
            # 750 items of one user are all looked at; of 1,500 a sample is.
            near = 1e-6 if not where.everything else 0.02
            assert other.cosine_mean == pytest.approx(one.cosine_mean, abs=near)
            assert other.cosine_deviation == pytest.approx(one.cosine_deviation, abs=near)
    assert hits / wanted >= 0.95
    await asyncio.sleep(0.1)
    await exact.close()
    await quick.close()
    assert _plan(place) == ["harness_memory_vectors_hnsw_16"]


async def test_the_same_query_has_the_same_figures_in_two_programs(postgres_server: PostgresForTests) -> None:
    place = postgres_server.new_place()
    one = await _filled(place, 1300, ALWAYS)
    two = PostgresMemoryStore(place, hnsw=ALWAYS)
    query = MemoryQuery(EVERYTHING, ("rain",), _vector(random.Random(3)), 5)
    assert await one.search(query) == await two.search(query)
    await one.close()
    await two.close()


async def test_a_filter_that_few_pass_still_gives_what_there_is(postgres_server: PostgresForTests) -> None:
    place = postgres_server.new_place()
    store = await _filled(place, 1200, Hnsw(ef_search=10, candidate_cost=0))
    where = MemoryFilter(scope=Scope(user="u0"), speaker="ann")
    found = await store.search(MemoryQuery(where, (), _vector(random.Random(5)), 50))
    assert len(_best(found)) == 12
    assert {hit.item.speaker for hit in found.hits} == {"Ann"}
    await store.close()


async def test_small_scopes_are_compared_whole(postgres_server: PostgresForTests) -> None:
    place = postgres_server.new_place()
    store = await _filled(place, 600, Hnsw())
    assert _indexes(place) == {"harness_memory_vectors_hnsw_16": True}
    await store.search(MemoryQuery(EVERYTHING, (), _vector(random.Random(5)), 5))
    await store.close()
    await asyncio.sleep(0.1)
    assert _plan(place) == []


async def test_another_model_of_other_dimensions_and_back(postgres_server: PostgresForTests) -> None:
    place = postgres_server.new_place()
    store = await _filled(place, 40, ALWAYS)
    chance = random.Random(2)
    other = EmbeddingSpace("wider", 24)
    await store.embed(other, {f"i{number:04}": _vector(chance, 24) for number in range(40)})
    assert _indexes(place) == {}
    stats = await store.stats()
    assert (stats.vector_search, "reindex" in stats.notice) == ("exact", True)
    query = MemoryQuery(EVERYTHING, (), _vector(chance, 24), 10)
    before = _best(await store.search(query))
    assert await store.index_vectors() == "hnsw"
    assert _indexes(place) == {"harness_memory_vectors_hnsw_24": True}
    assert _best(await store.search(query)) == before
    await store.close()


async def test_without_the_setting_the_index_is_named_and_dropped(postgres_server: PostgresForTests) -> None:
    place = postgres_server.new_place()
    await (await _filled(place, 40, ALWAYS)).close()
    store = PostgresMemoryStore(place)
    stats = await store.stats()
    assert stats.vector_search == "exact"
    assert "not used" in stats.notice
    assert await store.index_vectors() == "exact"
    assert _indexes(place) == {}
    assert (await store.stats()).notice == ""
    await store.close()


async def test_what_an_interrupted_attempt_left_is_told_and_built_anew(postgres_server: PostgresForTests) -> None:
    place = postgres_server.new_place()
    store = await _filled(place, 300, ALWAYS)
    with psycopg.connect(place, autocommit=True) as connection:
        connection.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'harness_memory_vectors_hnsw_16'::regclass")  # fmt: skip
    stats = await store.stats()
    assert (stats.vector_search, "not built to its end" in stats.notice) == ("exact", True)
    query = MemoryQuery(EVERYTHING, (), _vector(random.Random(9)), 10)
    assert len(_best(await store.search(query))) == 10
    assert await store.index_vectors() == "hnsw"
    assert _indexes(place) == {"harness_memory_vectors_hnsw_16": True}
    await store.close()


async def test_only_one_program_builds(postgres_server: PostgresForTests) -> None:
    place = postgres_server.new_place()
    store = await _filled(place, 20, None)
    wants = PostgresMemoryStore(place, hnsw=ALWAYS)
    with psycopg.connect(place) as other:  # writes, so that building waits for it
        other.execute("UPDATE harness_memory_vectors SET change = change WHERE doc = 1")
        first = asyncio.create_task(wants.index_vectors())
        for _ in range(100):
            await asyncio.sleep(0.05)
            if _indexes(place):
                break
        with pytest.raises(StoreError, match="Another program is working on the index"):
            await store.index_vectors()
        other.rollback()
    assert await first == "hnsw"
    await store.close()
    await wants.close()


async def test_a_build_that_is_stopped_stops_on_the_server(postgres_server: PostgresForTests) -> None:
    place = postgres_server.new_place()
    await (await _filled(place, 20, None)).close()
    store = PostgresMemoryStore(place, hnsw=ALWAYS)
    with psycopg.connect(place) as other:
        other.execute("UPDATE harness_memory_vectors SET change = change WHERE doc = 1")
        task = asyncio.create_task(store.index_vectors())
        for _ in range(100):
            await asyncio.sleep(0.05)
            if _indexes(place):
                break
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        other.rollback()
    assert _indexes(place) == {"harness_memory_vectors_hnsw_16": False}
    assert await store.index_vectors() == "hnsw"
    assert _indexes(place) == {"harness_memory_vectors_hnsw_16": True}
    await store.close()


async def test_without_pgvector_the_index_is_refused_and_the_search_stays_exact(
    postgres_server: PostgresForTests,
) -> None:
    place = postgres_server.new_place().removesuffix(",public")
    store = await _filled(place, 20, ALWAYS)
    stats = await store.stats()
    assert (stats.vector_search, "pgvector" in stats.notice) == ("exact", True)
    with pytest.raises(StoreError, match="stored as bytes"):
        await store.index_vectors()
    assert len(_best(await store.search(MemoryQuery(EVERYTHING, (), _vector(random.Random(9)), 10)))) == 10
    await store.close()


async def test_long_vectors_are_indexed_with_half_the_bits(postgres_server: PostgresForTests) -> None:
    place = postgres_server.new_place()
    store = PostgresMemoryStore(place, hnsw=ALWAYS)
    chance = random.Random(4)
    await store.put([MemoryEntry(entry.item, entry.terms) for entry in _entries(30)])
    await store.embed(EmbeddingSpace("long", 3072), {f"i{number:04}": _vector(chance, 3072) for number in range(30)})
    assert _indexes(place) == {"harness_memory_vectors_hnsw_3072": True}
    assert (await store.stats()).vector_search == "hnsw"
    exact = PostgresMemoryStore(place)
    query = MemoryQuery(EVERYTHING, (), _vector(chance, 3072), 10)
    assert _best(await store.search(query)) == _best(await exact.search(query))
    await store.close()
    await exact.close()


@pytest.mark.parametrize(
    ("version", "dimensions", "words"),
    [
        ((0, 8), 384, ""),
        ((0, 4), 384, "0.5 and later"),
        ((0, 6), 3072, "0.7 takes twice as many"),
        ((0, 8), 3072, ""),
        ((0, 8), 5000, "at most 4,000"),
    ],
)
def test_what_cannot_be_indexed_is_said(version: tuple[int, int], dimensions: int, words: str) -> None:
    found = lacking(version, dimensions)
    assert words in found
    assert bool(found) == bool(words)


@pytest.mark.parametrize("text", ["The ferry runs on Sundays.", "渡轮周日开。"])
def test_the_command_line_builds_names_and_drops_it(
    text: str, postgres_server: PostgresForTests, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    place = postgres_server.new_place()
    monkeypatch.chdir(tmp_path)
    for name, value in (("BACKEND", "postgres"), ("URL", place), ("EMBEDDER", "hash")):
        monkeypatch.setenv(f"HARNESS_MEMORY_{name}", value)
    run, wanted = runner("memory"), ("--set", "memory.vector_index=hnsw")
    run("note", text)
    before = run("stats", *wanted)
    assert "builds it" in before.output
    assert json.loads(run("stats", "--json").stdout)["vector_search"] == "exact"
    assert "searched by an index (hnsw)" in run("reindex", *wanted).output
    assert json.loads(run("stats", "--json", *wanted).stdout)["vector_search"] == "hnsw"
    chosen = {"memory.backend": "postgres", "memory.url": place, "memory.vector_index": "hnsw"}
    (check,) = asyncio.run(check_servers(load(environ={}, overrides=chosen).settings))
    assert (check.ok, check.remedy, "search: hnsw" in check.detail) == (True, "", True)
    (check,) = asyncio.run(
        check_servers(load(environ={}, overrides=chosen | {"memory.vector_index": "exact"}).settings)
    )
    assert (check.ok, "drops it" in check.remedy) == (True, True)
    assert text in [one["item"]["text"] for one in json.loads(run("search", text, "--json", *wanted).stdout)]
    assert "not used" in run("stats").output
    assert json.loads(run("reindex", "--json").stdout) == {"made": 0, "vector_search": "exact"}
    assert _indexes(place) == {}
    elsewhere = run("stats", *wanted, "--set", "memory.backend=sqlite", code=1)
    assert "which only the backend postgres has" in elsewhere.output
