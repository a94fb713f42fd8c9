"""The tables of sessions in PostgreSQL."""

from __future__ import annotations

from harness.adapters.stores._postgres_server import Layout

# Ids are bytea: text in PostgreSQL holds no NUL and is ordered by the rules of some language; bytes are neither.
SESSIONS = Layout(
    kind="sessions",
    what="session store",
    steps=(
        (
            # changed: raised by each write, so that sessions can be listed last changed first. The document is stored out of
            # line where it is long, so that a turn does not write it again.
            """CREATE TABLE harness_sessions (
                id bytea PRIMARY KEY,
                version bigint NOT NULL,
                head bytea,
                turns bigint NOT NULL,
                updated_at text,
                changed bigint NOT NULL,
                document text NOT NULL
            )""",
            "CREATE SEQUENCE harness_sessions_changed OWNED BY harness_sessions.changed",
            # seq: order of appending; a parent's is lower than its children's.
            """CREATE TABLE harness_records (
                seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                session_id bytea NOT NULL REFERENCES harness_sessions (id) ON DELETE CASCADE,
                id bytea NOT NULL,
                parent bytea,
                number bigint NOT NULL,
                document text NOT NULL,
                UNIQUE (session_id, id),
                FOREIGN KEY (session_id, parent) REFERENCES harness_records (session_id, id)
            )""",
            "CREATE INDEX harness_records_parent ON harness_records (session_id, parent)",
            """CREATE TABLE harness_snapshots (
                session_id bytea NOT NULL,
                turn_id bytea NOT NULL,
                document text NOT NULL,
                PRIMARY KEY (session_id, turn_id),
                FOREIGN KEY (session_id, turn_id) REFERENCES harness_records (session_id, id) ON DELETE CASCADE
            )""",
        ),
    ),
)
