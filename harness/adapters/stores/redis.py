"""Sessions on a Redis server: shared between machines, each write whole."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import TYPE_CHECKING

from pydantic import ValidationError

from harness.adapters.redis.client import RedisClient, chunks
from harness.adapters.redis.failures import damaged
from harness.adapters.stores import _refusals
from harness.adapters.stores._documents import encode_info, encode_record, encode_state
from harness.errors import NewerSchema, StateError
from harness.ports import places
from harness.state.dialogue import SCHEMA_VERSION, DialogueState
from harness.state.migrations import Stored, load
from harness.state.record import SessionInfo, TurnRecord

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.adapters.redis.options import RedisOptions
    from harness.ports import TurnPlace

SCRIPT = "stores/_redis_sessions.lua"
_AT_ONCE = 100
"""Documents read in one call, so that a long session does not make the server and its other users wait."""


class RedisSessionStore:
    """A :class:`~harness.ports.SessionStore` on a Redis server. The keys are described in ``_redis_sessions.lua``.

    Writes are Lua scripts that compare the version first, so that of two writers, wherever they run, one wins. A write whose
    connection broke is repeated once the server answers, and is done once. Cancelling a call that has begun completes it.

    What a server without AOF or RDB holds is gone when it stops: ``harness doctor`` warns.

    Every method raises StoreError when the server does not answer in time, NewerSchema when a newer version of the package
    wrote what is read.
    """

    def __init__(self, options: RedisOptions) -> None:
        """Nothing is connected yet. Raises MissingExtra without the package redis."""
        self._client = RedisClient(options, closed=_refusals.closed)

    async def create(self, info: SessionInfo) -> None:
        """Store a new session (version 0, no head). Raises SessionExists."""
        document, fresh = encode_info(info)
        answer = await self._ask("create", fresh.id, document, _iso(fresh.updated_at), _write())
        if answer[0] == "exists":
            raise _refusals.session_exists(fresh.id)

    async def info(self, session_id: str) -> SessionInfo:
        """The session as it is now. Raises SessionNotFound."""
        found = await self._client.read(lambda client: client.hgetall(self._key("session", session_id)))
        if not found:
            raise _refusals.no_session(session_id)
        return self._info(session_id, found)

    async def version(self, session_id: str) -> int:
        """The stored version only. Raises SessionNotFound."""
        found = await self._client.read(lambda client: client.hget(self._key("session", session_id), "version"))
        if found is None:
            raise _refusals.no_session(session_id)
        return int(found)

    async def sessions(self) -> tuple[SessionInfo, ...]:
        """All sessions, last changed first; reads no records."""
        raw = await self._client.read(lambda client: client.zrevrange(self._client.key("sessions"), 0, -1))
        found: list[SessionInfo] = []
        for some in chunks([name.decode() for name in raw], _AT_ONCE):
            rows = await self._client.together(
                lambda pipeline, some=some: [pipeline.hgetall(self._key("session", name)) for name in some]  # type: ignore[misc]  # bound per portion
            )
            # One that was deleted meanwhile is left out.
            found += [self._info(name, row) for name, row in zip(some, rows, strict=True) if row]
        return tuple(found)

    async def delete(self, session_id: str) -> None:
        """Remove a session, and have the server write its files anew. Raises SessionNotFound."""
        self._refuse(session_id, await self._ask("delete", session_id, _write()))
        await self._client.tidy()

    async def append(
        self, session_id: str, record: TurnRecord, *, expected_version: int, move_head: bool = True
    ) -> int:
        """Add a record below its parent. Raises ConflictError, TurnNotFound, SessionNotFound, StoreError."""
        document, stored = encode_record(record)
        answer = await self._ask(
            "append",
            session_id,
            expected_version,
            _write(),
            stored.id,
            _signed(stored.parent),
            stored.number,
            document,
            int(move_head),
            _iso(stored.replied_at or stored.started_at),
        )
        if answer[0] == "turn":
            raise _refusals.turn_exists(session_id, stored.id, expected_version)
        return self._version(session_id, expected_version, answer)

    async def amend(self, session_id: str, record: TurnRecord, *, expected_version: int) -> int:
        """Replace a record; snapshots at it and below it are dropped, since they may no longer be true.

        Raises ConflictError, TurnNotFound, SessionNotFound; StoreError when the record names another parent.
        """
        document, stored = encode_record(record)
        answer = await self._ask(
            "amend",
            session_id,
            expected_version,
            _write(),
            stored.id,
            _signed(stored.parent),
            stored.number,
            document,
            _iso(stored.replied_at or stored.started_at),
        )
        if answer[0] == "moved":
            raise _refusals.moved(session_id, stored.id, _unsigned(answer[1]), stored.parent)
        return self._version(session_id, expected_version, answer)

    async def move_head(self, session_id: str, turn_id: str | None, *, expected_version: int) -> int:
        """Make another turn, or the beginning, the head. Raises ConflictError, TurnNotFound, SessionNotFound."""
        answer = await self._ask("move", session_id, expected_version, _write(), _signed(turn_id))
        return self._version(session_id, expected_version, answer)

    async def record(self, session_id: str, turn_id: str) -> TurnRecord:
        """One record. Raises TurnNotFound, SessionNotFound."""
        exists, document = await self._client.together(
            lambda pipeline: pipeline.exists(self._key("session", session_id)).hget(
                self._key("records", session_id), turn_id
            )
        )
        if not exists:
            raise _refusals.no_session(session_id)
        if document is None:
            raise _refusals.no_turn(session_id, turn_id)
        return self._record(session_id, turn_id, document)

    async def records(self, session_id: str) -> tuple[TurnRecord, ...]:
        """All records of all branches, oldest first. Raises SessionNotFound."""
        answer = self._refuse(session_id, await self._ask("turns", session_id))
        return await self._records(session_id, answer)

    async def branch(self, session_id: str, turn_id: str | None, *, after: str | None = None) -> tuple[TurnRecord, ...]:
        """The records from the root (or below ``after``) to ``turn_id``, oldest first.

        Raises TurnNotFound when there is no such turn, or when ``after`` is not on its branch; SessionNotFound.
        """
        rows = await self._path(session_id, turn_id, after)
        return await self._records(session_id, [row[0] for row in rows])

    async def path(self, session_id: str, turn_id: str | None) -> tuple[TurnPlace, ...]:
        """The places from the root to ``turn_id``, oldest first. Raises TurnNotFound, SessionNotFound."""
        return places(await self._path(session_id, turn_id, None))

    async def save_snapshot(self, session_id: str, turn_id: str, state: DialogueState) -> None:
        """Keep the state at a turn. Raises TurnNotFound, SessionNotFound, StoreError."""
        document, _ = encode_state(state, turn_id)
        self._refuse(session_id, await self._ask("snap", session_id, turn_id, document))

    async def snapshot(self, session_id: str, turn_id: str) -> tuple[str, DialogueState] | None:
        """The nearest readable snapshot at or above a turn, or None. Raises TurnNotFound, SessionNotFound."""
        for found in self._refuse(session_id, await self._ask("snapshots", session_id, turn_id)):
            document = await self._client.read(
                lambda client, found=found: client.hget(self._key("snapshots", session_id), found)  # type: ignore[misc]  # bound per turn
            )
            if document is not None and (state := _state(document)) is not None:
                return found, state
        return None

    async def close(self) -> None:
        """Finish what was begun and close the connections; later calls raise StoreError. May be called again."""
        await self._client.close()

    # --- asking -----------------------------------------------------------------------------------------------------

    def _key(self, kind: str, session_id: str) -> str:
        return self._client.key(kind, session_id)

    async def _ask(self, op: str, *values: str | int) -> list[str]:
        answer = await self._client.script(SCRIPT, op, *values)
        return [part.decode() for part in answer]

    async def _path(
        self, session_id: str, turn_id: str | None, after: str | None
    ) -> Sequence[tuple[str, str | None, int]]:
        """(turn, parent, number), oldest first."""
        answer = await self._ask("path", session_id, _signed(turn_id), _signed(after))
        if answer[0] == "apart" and after is not None:
            raise _refusals.not_above(session_id, turn_id, after)
        flat = self._refuse(session_id, answer)
        rows = [(flat[at], _unsigned(flat[at + 2]), int(flat[at + 1])) for at in range(0, len(flat), 3)]
        return rows[::-1]

    async def _records(self, session_id: str, turns: Sequence[str]) -> tuple[TurnRecord, ...]:
        found: list[TurnRecord] = []
        for some in chunks(turns, _AT_ONCE):
            documents = await self._client.read(
                lambda client, some=some: client.hmget(self._key("records", session_id), some)  # type: ignore[misc]  # bound per portion
            )
            for turn, document in zip(some, documents, strict=True):
                if document is None:  # deleted meanwhile; else its place would not have been found
                    await self.version(session_id)
                    raise damaged(self._client.place, f"turn {turn!r} of session {session_id!r} is missing")
                found.append(self._record(session_id, turn, document))
        return tuple(found)

    def _version(self, session_id: str, expected: int, answer: list[str]) -> int:
        if answer[0] == "stale":
            raise _refusals.stale(session_id, expected, int(answer[1]))
        return int(self._refuse(session_id, answer)[0])

    def _refuse(self, session_id: str, answer: list[str]) -> list[str]:
        """What follows the first word of an answer; raises for the refusals that all operations have."""
        match answer:
            case ["ok", *rest]:
                return rest
            case ["none"]:
                raise _refusals.no_session(session_id)
            case ["missing", turn]:
                raise _refusals.no_turn(session_id, turn)
            case ["cut", turn]:
                raise damaged(self._client.place, f"turn {turn!r} of session {session_id!r} is missing")
        raise AssertionError(answer)

    # --- reading ----------------------------------------------------------------------------------------------------

    def _info(self, session_id: str, row: dict[bytes, bytes]) -> SessionInfo:
        label = f"session {session_id!r}"
        try:
            info = self._load(SessionInfo, row[b"document"], label)
            head = _unsigned(row[b"head"].decode())
            version, turns, at = int(row[b"version"]), int(row[b"turns"]), row[b"updated_at"].decode()
            moment = datetime.fromisoformat(at) if at else None
        except (KeyError, ValueError) as error:
            raise damaged(self._client.place, f"the {label} there cannot be read ({error!r})") from error
        if info.id != session_id:
            raise damaged(self._client.place, f"the {label} there holds session {info.id!r}")
        return info.model_copy(update={"version": version, "head": head, "turns": turns, "updated_at": moment})

    def _record(self, session_id: str, turn_id: str, document: bytes) -> TurnRecord:
        label = f"turn {turn_id!r} of session {session_id!r}"
        record = self._load(TurnRecord, document, label)
        if record.id != turn_id:
            raise damaged(self._client.place, f"the {label} there holds turn {record.id!r}")
        return record

    def _load(self, model: type[Stored], document: bytes, label: str) -> Stored:
        try:
            return load(model, document)
        except NewerSchema as error:
            message = f"On the Redis server {self._client.place}, {label}: {error.message}"
            raise NewerSchema(message, remedy=error.remedy, url=self._client.place, **error.details) from error
        except StateError as error:
            raise damaged(self._client.place, f"the {label} there cannot be read ({error.message})") from error


def _state(document: bytes) -> DialogueState | None:
    """A snapshot's state; None when it is damaged or of another schema."""
    try:
        state = DialogueState.model_validate_json(document)
    except ValidationError:
        return None
    return state if state.schema_version == SCHEMA_VERSION else None


def _write() -> str:
    """A name for one write, by which it is known again when it is repeated."""
    return uuid.uuid4().hex


def _iso(at: datetime | None) -> str:
    return at.isoformat() if at is not None else ""


def _signed(turn_id: str | None) -> str:
    """An id that may be absent, as one text."""
    return "-" if turn_id is None else f"+{turn_id}"


def _unsigned(text: str) -> str | None:
    return text[1:] if text.startswith("+") else None
