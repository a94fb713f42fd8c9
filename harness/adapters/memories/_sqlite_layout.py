"""The tables of a memory file, with the migrations of their layout."""

from __future__ import annotations

import sqlite3
from typing import Final

APPLICATION_ID: Final = 0x64686E6D
"""``dhnm`` in ASCII, in the file header."""
WHAT: Final = "memory store"

_STRICT = "STRICT" if sqlite3.sqlite_version_info >= (3, 37) else ""
_STRICT_WITHOUT_ROWID = "STRICT, WITHOUT ROWID" if _STRICT else "WITHOUT ROWID"

LAYOUTS: tuple[tuple[str, ...], ...] = (
    (
        # One row. items, tokens: of the whole store. next_doc: numbers are never given twice, so that what
        # another program remembers of a removed one means nothing else later. changes, removals: count vectors.
        f"""CREATE TABLE totals (
            one INTEGER PRIMARY KEY CHECK (one = 1),
            items INTEGER NOT NULL,
            tokens INTEGER NOT NULL,
            next_doc INTEGER NOT NULL,
            changes INTEGER NOT NULL,
            removals INTEGER NOT NULL,
            model TEXT,
            dimensions INTEGER
        ) {_STRICT}""",
        "INSERT INTO totals VALUES (1, 0, 0, 1, 0, 0, NULL, NULL)",
        # Items of one scope and layer. Words are indexed within a group, so that a query of one user reads nothing of others.
        f"""CREATE TABLE groups (
            grp INTEGER PRIMARY KEY,
            items INTEGER NOT NULL DEFAULT 0,
            layer TEXT NOT NULL,
            persona TEXT NOT NULL,
            user TEXT NOT NULL,
            session TEXT NOT NULL,
            task TEXT NOT NULL,
            project TEXT NOT NULL,
            world TEXT NOT NULL,
            UNIQUE (user, persona, session, task, project, world, layer)
        ) {_STRICT}""",
        # status, uses and last_used hold good, not what the document says. moment, expires: microseconds since 1970.
        # terms: number of the term (32 bits) and how often (32 bits), for each term of the item.
        f"""CREATE TABLE items (
            doc INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            grp INTEGER NOT NULL REFERENCES groups (grp),
            kind TEXT NOT NULL,
            status TEXT NOT NULL,
            pinned INTEGER NOT NULL,
            session TEXT NOT NULL,
            turn_id TEXT NOT NULL,
            place INTEGER NOT NULL,
            speaker TEXT NOT NULL,
            subject TEXT NOT NULL,
            moment INTEGER,
            expires INTEGER,
            slot TEXT,
            key TEXT,
            uses INTEGER NOT NULL,
            last_used TEXT,
            length INTEGER NOT NULL,
            terms BLOB NOT NULL,
            checksum INTEGER NOT NULL,
            document TEXT NOT NULL
        ) {_STRICT}""",
        # All that a filter asks about, so that a filter that few items pass is answered without reading them.
        """CREATE INDEX items_filter ON items
            (grp, kind, status, pinned, session, speaker, subject, moment, expires)""",
        "CREATE INDEX items_turn ON items (session, turn_id)",
        "CREATE INDEX items_place ON items (session, place) WHERE kind = 'message'",
        "CREATE INDEX items_slot ON items (slot) WHERE slot IS NOT NULL",
        "CREATE INDEX items_key ON items (key) WHERE key IS NOT NULL",
        # items: how many have the term, hidden ones included.
        f"""CREATE TABLE terms (
            term INTEGER PRIMARY KEY,
            word TEXT NOT NULL UNIQUE,
            items INTEGER NOT NULL
        ) {_STRICT}""",
        # entries: 64 bits for each item: its doc, how often it has the term, how many terms it has (32, 16 and 16 bits),
        # in order of doc, beginning with the doc ``first``.
        f"""CREATE TABLE postings (
            term INTEGER NOT NULL,
            grp INTEGER NOT NULL,
            first INTEGER NOT NULL,
            entries BLOB NOT NULL,
            PRIMARY KEY (term, grp, first)
        ) {_STRICT_WITHOUT_ROWID}""",
        # vector: 32-bit floats. change: the value of totals.changes when it was written.
        f"""CREATE TABLE vectors (
            doc INTEGER PRIMARY KEY REFERENCES items (doc) ON DELETE CASCADE,
            change INTEGER NOT NULL,
            vector BLOB NOT NULL
        ) {_STRICT}""",
        "CREATE INDEX vectors_change ON vectors (change)",
        # turn_id: empty for the beginning of the session.
        f"""CREATE TABLE followed (
            session TEXT NOT NULL PRIMARY KEY,
            turn_id TEXT NOT NULL
        ) {_STRICT}""",
    ),
    (
        # How many terms the items of a group have together: BM25 measures an item by those that the query may see.
        "ALTER TABLE groups ADD COLUMN tokens INTEGER NOT NULL DEFAULT 0",
        "UPDATE groups SET tokens = (SELECT coalesce(sum(length), 0) FROM items WHERE items.grp = groups.grp)",
    ),
)
"""Append only: entry ``n`` holds the statements that lead from layout ``n`` to ``n + 1``."""
