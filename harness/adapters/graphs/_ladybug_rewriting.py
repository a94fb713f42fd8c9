"""A file of ladybug, written anew without what was deleted: the library itself leaves the words of deleted rows in it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from harness.adapters.graphs._cypher import PROPERTIES
from harness.errors import StoreError

_FRESH: Final = "fresh.lbug"
_TABLES: Final[Mapping[str, str]] = {
    "Entity": "MATCH (n:Entity) RETURN n.key",
    "Followed": "MATCH (f:Followed) RETURN f.session, f.turn_id",
    "RELATION": "MATCH (a:Entity)-[e:RELATION]->(b:Entity) RETURN a.key, b.key, e.id, e.hidden, "
    + ", ".join(f"e.{name}" for name in PROPERTIES),
}
"""Table → all of it, in the order of its columns. The entities come before what stands between them."""


def work_folder(path: Path) -> Path:
    """Where the file at ``path`` is written anew. The folder is there from before something is deleted until no word of it is in the
    file, so that a program which was killed in between is made up for.
    """
    return path.with_name(f"{path.name}.rewrite")


def rewrite(database: Any, path: Path, opened: Callable[[Path], Any], connected: Callable[[Any], Any]) -> None:
    """Put a new file in the place of the one at ``path``, whose open database has no connections; it is closed.

    Args:
        opened: a database in a file. ``connected``: a connection to one, with all tables.

    Raises:
        RuntimeError, OSError, StoreError: the file is as it was.
    """
    folder = work_folder(path)
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    files = {table: folder / f"{table}.parquet" for table in _TABLES}
    connection = connected(database)
    for table, everything in _TABLES.items():
        connection.execute(f"COPY ({everything}) TO {_quoted(files[table])}")
    connection.close()
    database.close()
    fresh = folder / _FRESH
    made = opened(fresh)
    connection = connected(made)
    for table, file in files.items():
        connection.execute(f"COPY {table} FROM {_quoted(file)}")
    connection.close()
    made.close()
    for place in (path, fresh):
        if (log := place.with_name(f"{place.name}.wal")).exists():  # it would be read into the other file
            raise StoreError(f"The graph {str(place)!r} was closed and has a log {log.name!r} still.", path=str(place))
    fresh.replace(path)
    shutil.rmtree(folder)


def _quoted(path: Path) -> str:
    text = str(path).replace("\\", "\\\\").replace("'", "\\'")
    return f"'{text}'"
