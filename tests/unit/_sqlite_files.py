"""What the tests of the SQLite store share: a look into the file past the store, and a few turns in it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from harness.adapters.stores.sqlite import SQLiteSessionStore
from harness.testing.conformance.samples import sample_info, sample_record


def sql(path: Path, statement: str, *values: object) -> list[Any]:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        return connection.execute(statement, values).fetchall()


async def fill(store: SQLiteSessionStore, turns: int = 3) -> int:
    await store.create(sample_info("s1"))
    for number in range(1, turns + 1):
        record = sample_record(f"t{number}", f"t{number - 1}" if number > 1 else None, number)
        await store.append("s1", record, expected_version=number - 1)
    return turns
