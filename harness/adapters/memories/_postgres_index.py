"""The approximate index of vectors in PostgreSQL, HNSW of pgvector: made, looked for, dropped."""

from __future__ import annotations

import zlib
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.addresses import masked
from harness.errors import StoreError

if TYPE_CHECKING:
    from harness.adapters.stores._postgres_server import Sql

_NAME = "harness_memory_vectors_hnsw_"
_MOST = 2_000
"""Dimensions that an index of 32-bit floats can have; of 16-bit ones twice as many (pgvector, "HNSW")."""
_FROM = (0, 5)
"""The first version of pgvector with such an index. ``_HALVES``: with 16-bit floats. ``ITERATIVE``: that goes on where a filter
leaves too few.
"""
_HALVES = (0, 7)
ITERATIVE = (0, 8)
_LOCK = zlib.crc32(b"harness_memory_vectors_hnsw") << 31  # the rest is the number of the table


@dataclass(frozen=True, slots=True)
class Hnsw:
    """How an approximate index is used.

    Attributes:
        ef_search: how many candidates a search holds, 1 to 1,000: more find more of the best, and take longer.
        candidate_cost: how many vectors are compared in the time that one candidate takes. A search goes by the index where that is
            quicker than comparing all vectors of its scopes; 0: always. 7 ms for 200 candidates and the sample, and 8 for 10,000 vectors
            of 384 dimensions, were measured.
    """

    ef_search: int = 200
    candidate_cost: float = 40.0


@dataclass(frozen=True, slots=True)
class Index:
    """An index that there is. ``usable``: it was made to its end."""

    name: str
    dimensions: int
    usable: bool
    size_bytes: int


def literal(vector: array[float]) -> str:
    """As pgvector reads it; nine digits give the same 32 bits again."""
    return f"[{','.join(format(value, '.9g') for value in vector)}]"


def index_of(dimensions: int) -> str:
    """The name of the index for vectors of this length; each has its own, since an expression in it says how long they are."""
    return f"{_NAME}{dimensions}"


def kind_of_index(dimensions: int) -> str:
    """The type that vectors of this length are indexed as."""
    return f"{'vector' if dimensions <= _MOST else 'halfvec'}({dimensions})"


def made(dimensions: int, *, concurrently: bool) -> str:
    """The statement that makes the index. ``concurrently``: others write meanwhile; for a connection without a transaction."""
    kind = kind_of_index(dimensions)
    return (
        f"CREATE INDEX {'CONCURRENTLY ' if concurrently else ''}{index_of(dimensions)} ON harness_memory_vectors "
        f"USING hnsw ((vector::{kind}) {kind.partition('(')[0]}_ip_ops) WHERE vector_dims(vector) = {dimensions}"
    )


async def version_of(sql: Sql) -> tuple[int, int]:
    """The version of pgvector; (0, 0) without it."""
    rows = await sql.rows("SELECT extversion FROM pg_extension WHERE extname = 'vector'")
    if not rows:
        return (0, 0)
    numbers = [int(part) for part in rows[0][0].split(".")[:2] if part.isdigit()]
    return (numbers[0], numbers[1]) if len(numbers) > 1 else (0, 0)


def lacking(version: tuple[int, int], dimensions: int) -> str:
    """Why there can be no index for vectors of this length; empty when there can."""
    found = f"{version[0]}.{version[1]}"
    if version < _FROM:
        return f"pgvector {found} has no approximate index; 0.5 and later have"
    if dimensions > _MOST and version < _HALVES:
        return f"pgvector {found} indexes vectors of at most {_MOST:,} dimensions, and these have {dimensions:,}; 0.7 takes twice as many"
    if dimensions > 2 * _MOST:
        return f"an index takes vectors of at most {2 * _MOST:,} dimensions, and these have {dimensions:,}"
    return ""


async def indexes(sql: Sql) -> list[Index]:
    """The approximate indexes that there are, of whatever length."""
    rows = await sql.rows(
        "SELECT i.indexrelid::regclass::text, c.relname, i.indisvalid AND i.indisready, pg_relation_size(c.oid) "
        "FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid "
        "WHERE i.indrelid = 'harness_memory_vectors'::regclass AND starts_with(c.relname, %s) ORDER BY c.relname",
        _NAME,
    )
    return [
        Index(name, int(plain.removeprefix(_NAME)), bool(usable), int(size))
        for name, plain, usable, size in rows
        if plain.removeprefix(_NAME).isdigit()
    ]


async def drop_all(sql: Sql) -> None:
    """Drop them, in the transaction of the caller."""
    for index in await indexes(sql):
        await sql.run(f"DROP INDEX IF EXISTS {index.name}")


async def brought(sql: Sql, dimensions: int | None, url: str) -> None:
    """See to it that there is a usable index for vectors of this length, and no other; none at all for None. What an interrupted
    attempt left is dropped. Takes as long as it takes, on a connection without a transaction; others read and write meanwhile.

    Raises:
        StoreError: another program is at it.
    """
    place = masked(url)
    lock = "SELECT pg_try_advisory_lock(%s::bigint # 'harness_memory_vectors'::regclass::oid::bigint)"
    if not (await sql.rows(lock, _LOCK))[0][0]:
        message = f"Another program is working on the index of vectors at {place!r}."
        raise StoreError(message, remedy="Wait until it is done: `harness memory stats` says which search is used.")
    kept = False
    for index in await indexes(sql):
        if index.usable and index.dimensions == dimensions:
            kept = True
        else:
            await sql.run(f"DROP INDEX CONCURRENTLY IF EXISTS {index.name}")
    if dimensions is not None and not kept:
        await sql.run(made(dimensions, concurrently=True))
