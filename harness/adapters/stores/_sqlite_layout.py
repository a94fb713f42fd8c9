"""Opening a session database, and its table layout with the migrations of that layout.

``PRAGMA user_version`` numbers the layout of the tables. The documents inside carry their own ``schema_version``
and are migrated when they are read (:mod:`harness.state.migrations`).
"""

from __future__ import annotations

import sqlite3
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from harness.adapters.stores import _sqlite_errors as errors
from harness.errors import NewerSchema, StoreError

MEMORY: Final = ":memory:"
APPLICATION_ID: Final = 0x64686E73
"""``dhns`` in ASCII, in the file header: tells our files from other programs' databases."""

Synchronous = Literal["OFF", "NORMAL", "FULL", "EXTRA"]

_STRICT = "STRICT" if sqlite3.sqlite_version_info >= (3, 37) else ""
_BUSY_PAUSE_S = 0.01
_SMALLEST_PAGE = 512

LAYOUTS: tuple[tuple[str, ...], ...] = (
    (
        # What every turn changes, kept small; the persona is in session_documents.
        # changed: raised above all others by each write, so that sessions can be listed last changed first.
        # records: how many there are, so that a damaged index cannot hide some.
        f"""CREATE TABLE sessions (
            id TEXT NOT NULL PRIMARY KEY,
            version INTEGER NOT NULL,
            head TEXT,
            turns INTEGER NOT NULL,
            updated_at TEXT,
            changed INTEGER NOT NULL,
            records INTEGER NOT NULL DEFAULT 0
        ) {_STRICT}""",
        "CREATE INDEX sessions_changed ON sessions (changed)",
        f"""CREATE TABLE session_documents (
            session_id TEXT NOT NULL PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
            checksum INTEGER NOT NULL,
            document TEXT NOT NULL
        ) {_STRICT}""",
        # seq: order of appending; a parent's is lower than its children's. The document is last, so that walking
        # up the tree does not read it.
        f"""CREATE TABLE records (
            seq INTEGER PRIMARY KEY,
            session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
            id TEXT NOT NULL,
            parent TEXT,
            number INTEGER NOT NULL,
            checksum INTEGER NOT NULL,
            document TEXT NOT NULL,
            UNIQUE (session_id, id),
            FOREIGN KEY (session_id, parent) REFERENCES records (session_id, id)
        ) {_STRICT}""",
        "CREATE INDEX records_parent ON records (session_id, parent)",
        f"""CREATE TABLE snapshots (
            session_id TEXT NOT NULL,
            turn_id TEXT NOT NULL,
            checksum INTEGER NOT NULL,
            document TEXT NOT NULL,
            PRIMARY KEY (session_id, turn_id),
            FOREIGN KEY (session_id, turn_id) REFERENCES records (session_id, id) ON DELETE CASCADE
        ) {_STRICT}""",
    ),
)
"""Append only: entry ``n`` holds the statements that lead from layout ``n`` to ``n + 1``."""


def connect(
    place: Path | str,
    *,
    synchronous: Synchronous,
    busy_timeout_s: float,
    layouts: tuple[tuple[str, ...], ...] = LAYOUTS,
    application: int = APPLICATION_ID,
    what: str = "session store",
) -> sqlite3.Connection:
    """An open connection to the database at ``place``, its tables in the current layout.

    The checks are cheap: they read the header and the schema, not the tables. ``layouts``, ``application`` (the id in the file
    header) and ``what`` (the word for it in errors) are those of the kind of store.

    Raises:
        NewerSchema: a newer version of the package laid the file out.
        CorruptStore: the file is not a database, damaged, or another program's.
        StorageFull, StoreError: it cannot be created or written.
    """
    if isinstance(place, Path):
        _prepare(place, what)
    kind = _Kind(layouts, application, what)
    deadline = time.monotonic() + busy_timeout_s
    try:
        connection = sqlite3.connect(place, timeout=busy_timeout_s, isolation_level=None)
        try:
            while True:
                try:
                    _set_up(connection, place, synchronous, kind)
                    break
                except sqlite3.OperationalError as error:
                    # Two programs creating the same file: switching to WAL does not wait for the busy timeout.
                    if not errors.is_busy(error) or time.monotonic() >= deadline:
                        raise
                    time.sleep(_BUSY_PAUSE_S)
        except BaseException:
            connection.close()
            raise
    except sqlite3.Error as error:
        raise errors.translate(error, place, busy_timeout_s, what) from error
    except UnicodeDecodeError as error:
        raise errors.corrupt(place, "its list of tables is not readable text", what) from error
    return connection


@dataclass(frozen=True, slots=True)
class _Kind:
    layouts: tuple[tuple[str, ...], ...]
    application: int
    what: str


def _prepare(path: Path, what: str) -> None:
    """Make the folder, and refuse what SQLite would take in a way that loses data."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            message = f"Expected a file for the {what}, but {str(path)!r} is a folder."
            raise StoreError(message, remedy="Name a file inside it, such as sessions.db.", path=str(path))
        wal = path.with_name(f"{path.name}-wal")
        size = _size(path)
        # SQLite takes a file without a whole page for an empty database and would write over it.
        if 0 < size < _SMALLEST_PAGE:
            raise errors.corrupt(path, f"it has only {size} bytes", what)
        # SQLite deletes the log of a database that is not there, and with it whatever only the log still holds.
        if not size and _size(wal):
            reason = f"the file is missing or empty while its log {wal.name!r} still holds data"
            raise errors.corrupt(path, reason, what)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        message = f"The folder for the {what} {str(path)!r} cannot be used ({error})."
        remedy = "Make it writable for this user, or choose another place."
        raise StoreError(message, remedy=remedy, path=str(path)) from error


def _size(path: Path) -> int:
    # Only stat: opening and closing the file here would drop the locks that another connection of this process holds
    # on it (https://www.sqlite.org/howtocorrupt.html, section 2.2).
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _set_up(
    connection: sqlite3.Connection,
    place: Path | str,
    synchronous: Synchronous,
    kind: _Kind,
) -> None:
    version = _recognize(connection, place, kind)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(f"PRAGMA synchronous = {synchronous}")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    # Deleting a session removes its words from the file, not only from the index. Costs nothing measurable.
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute(f"PRAGMA journal_size_limit = {16 * 1024 * 1024}")
    if version < len(kind.layouts):
        _lay_out(connection, place, kind)


def _recognize(connection: sqlite3.Connection, place: Path | str, kind: _Kind) -> int:
    """The layout version of the file (0 when new); raises for files that are not ours. Changes nothing."""
    alone = not connection.in_transaction
    if alone:
        connection.execute("BEGIN")  # one view of the file: another program may be laying it out at this moment
    try:
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        application = int(connection.execute("PRAGMA application_id").fetchone()[0])
        # Reading the schema makes SQLite parse it: a damaged one shows here.
        tables = int(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
    finally:
        if alone and connection.in_transaction:
            connection.execute("COMMIT")
    if application != kind.application and (version or tables or application):
        raise errors.corrupt(place, "it is a database of another program", kind.what)
    supported = len(kind.layouts)
    if version > supported:
        message = f"The {kind.what} {str(place)!r} has layout {version}; the newest one known here is {supported}."
        raise NewerSchema(message, path=str(place), found=version, supported=supported)
    return version


def _lay_out(connection: sqlite3.Connection, place: Path | str, kind: _Kind) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Again under the lock: another program may have laid the file out meanwhile.
        version = _recognize(connection, place, kind)
        for statements in kind.layouts[version:]:
            for statement in statements:
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {kind.application}")
        connection.execute(f"PRAGMA user_version = {len(kind.layouts)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
