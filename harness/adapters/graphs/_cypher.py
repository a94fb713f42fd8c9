"""A graph in a database that speaks Cypher. What differs between databases is how a query is run, and a few of its words.

Entities are nodes ``(:Entity {key})`` and statements are relationships ``[:RELATION]`` between them; a value hangs on a node of its
own, so that nothing leads over it. No text of anybody is ever part of a query: all of it goes in as parameters.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar, Final, TypeVar

from harness.adapters.graphs._edges import closed, dump, read
from harness.adapters.graphs._walking import Walking, named, scope_limits
from harness.ports.graphs import MOST_EDGES, GraphFilter, GraphStats
from harness.state.graph import Edge

Row = dict[str, Any]
Given = TypeVar("Given", Row, str)
SCOPE: Final = {
    "persona": "persona",
    "user": "user",
    "session": "only_session",
    "task": "task",
    "project": "project",
    "world": "world",
}
"""Field of a scope → property of a relationship."""
PROPERTIES: Final = ("relation", "session", "turn_id", *SCOPE.values(), "word", "document")
"""Texts of a relationship besides its id; ``word`` is for people who look at the graph."""
VALUE: Final = "="
"""Begins the key of the node that a value hangs on; no key of an entity is such a one, which would be its own."""
KEYS: Final = 100
"""Most keys or ids in one query."""

UNINDEXED: Final = "e.id + '' > $after"
"""FalkorDB's index puts ids of other scripts elsewhere than ``ORDER BY`` does; no index has an order of such a text."""
_EDGE = "MATCH (a:Entity)-[e:RELATION]->(b:Entity) WHERE"
_GIVE = "RETURN e.id AS id, e.document AS document, e.hidden AS hidden"
_PUT = (
    "UNWIND $rows AS row MERGE (a:Entity {key: row.subject}) MERGE (b:Entity {key: row.object}) "
    "MERGE (a)-[e:RELATION {id: row.id}]->(b) SET e.hidden = row.hidden, "
    + ", ".join(f"e.{name} = row.{name}" for name in PROPERTIES)
)
_MOVED = (
    "UNWIND $rows AS row MATCH (a:Entity)-[e:RELATION]->(b:Entity) "
    "WHERE e.id = row.id AND (a.key <> row.subject OR b.key <> row.object) DELETE e"
)
_HIDE = f"{_EDGE} e.session = $session AND e.turn_id IN $turns SET e.hidden = $hidden"
_STAND = "MERGE (f:Followed {session: $session}) SET f.turn_id = $turn"

_STANDS = "MATCH (f:Followed) WHERE f.session IN $sessions"


class CypherGraph(Walking):
    """The part of a :class:`~harness.ports.graphs.Graph` that all of them share."""

    place: str = ""
    ORPHANS: ClassVar[str] = "MATCH (n:Entity) WHERE NOT (n)-[:RELATION]-() DELETE n"
    INDEXES: ClassVar[Sequence[str]] = (
        "CREATE INDEX FOR (n:Entity) ON (n.key)",
        "CREATE INDEX FOR (f:Followed) ON (f.session)",
        "CREATE INDEX FOR ()-[e:RELATION]-() ON (e.id)",
        "CREATE INDEX FOR ()-[e:RELATION]-() ON (e.session)",
    )
    """Each is made once, when the database is first used."""
    BEHIND: ClassVar[str] = "e.id > $after"
    """What follows an id in the order that ``ORDER BY`` gives."""
    ROWS: ClassVar[int] = 200
    """Most statements that one query stores."""
    SENT: ClassVar[int] = 64_000
    """About how many bytes of values one query may have."""

    _closed = False

    @abstractmethod
    async def _run(self, query: str, **values: Any) -> list[Row]:
        """The rows a query gives. Raises StoreError."""

    async def _write(self, queries: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
        """Run queries in order; those of one call are one transaction where the database can do that over this connection."""
        for query, values in queries:
            await self._run(query, **values)

    async def _erase(
        self,
        queries: Sequence[tuple[str, Mapping[str, Any]]],
        *,
        found: int | None = None,  # noqa: ARG002 - for databases whose files have to be seen to
    ) -> None:
        """Run queries that remove something, so that no file has it. ``found``: how many statements; None: that of old ones there may be
        something, too.
        """
        await self._write(queries)

    async def follow(
        self,
        session: str,
        turn_id: str | None,
        *,
        put: Sequence[Edge] = (),
        hide: Collection[str] = (),
        show: Collection[str] = (),
    ) -> None:
        """Store, hide and show statements, and after all that note the turn. Raises StoreError."""
        queries: list[tuple[str, Mapping[str, Any]]] = []
        for rows in _portions([_row(edge) for edge in {edge.id: edge for edge in put}.values()], self.ROWS, self.SENT):
            ends = [{name: row[name] for name in ("id", "subject", "object")} for row in rows]
            queries += [(_MOVED, {"rows": ends}), (_PUT, {"rows": rows})]
        for turns, hidden in ((hide, True), (show, False)):
            for some in _some(turns, self.SENT):
                queries.append((_HIDE, {"session": session, "turns": some, "hidden": hidden}))
        queries.append((_STAND, {"session": session, "turn": turn_id or ""}))
        await self._write(queries)

    async def followed(self, session: str) -> str | None:
        """The turn it stands at."""
        rows = await self._run(
            "MATCH (f:Followed) WHERE f.session = $session RETURN f.turn_id AS turn", session=session
        )
        return str(rows[0]["turn"]) if rows else None

    async def all_followed(self) -> tuple[str, ...]:
        """See :class:`~harness.ports.NamesFollowed`."""
        return tuple(str(row["session"]) for row in await self._run("MATCH (f:Followed) RETURN f.session AS session"))

    async def unfollow(self, sessions: Collection[str]) -> None:
        """Remove where the graph stands in sessions that were deleted."""
        for some in _some(set(sessions), self.SENT):
            rows = await self._run(f"{_STANDS} RETURN count(f) AS found", sessions=some)
            found = int(rows[0]["found"]) if rows else 0
            await self._erase(((f"{_STANDS} DELETE f", {"sessions": some}),), found=found)

    async def touching(self, keys: Collection[str], where: GraphFilter, *, limit: int = MOST_EDGES) -> tuple[Edge, ...]:
        """Statements about entities. Raises StoreError."""
        condition, values = _condition(where)
        found: dict[str, Edge] = {}
        for some in _some([key for key in keys if key and not key.startswith(VALUE)], self.SENT):
            for end in ("a", "b"):
                query = f"{_EDGE} {end}.key IN $keys{condition} {_GIVE} ORDER BY e.id LIMIT $limit"
                found |= self._edges(await self._run(query, keys=some, limit=max(limit, 0), **values))
        return tuple(found[name] for name in sorted(found))[: max(limit, 0)]

    async def _of_slots(self, slots: Collection[tuple[str, str]], where: GraphFilter) -> tuple[Edge, ...]:
        condition, values = _condition(where)
        wanted = set(slots)
        found: dict[str, Edge] = {}
        for some in _some({key for key, _ in wanted}, self.SENT):
            query = f"{_EDGE} a.key IN $keys AND e.relation IN $relations{condition} {_GIVE}"
            relations = sorted({relation for _, relation in wanted})
            found |= self._edges(await self._run(query, keys=some, relations=relations, **values))
        return tuple(edge for edge in found.values() if (edge.subject_key, edge.relation) in wanted)

    async def browse(self, where: GraphFilter, *, after: str = "", limit: int = 100) -> tuple[Edge, ...]:
        """Statements in order of their ids."""
        condition, values = _condition(where)
        query = f"{_EDGE} {self.BEHIND}{condition} {_GIVE} ORDER BY e.id LIMIT $limit"
        return tuple(self._edges(await self._run(query, after=after, limit=max(limit, 0), **values)).values())

    async def delete(self, ids: Collection[str]) -> int:
        """Remove statements, and entities that nothing is said of any more."""
        count = 0
        queries: list[tuple[str, Mapping[str, Any]]] = []
        for some in _some(set(ids), self.SENT):
            rows = await self._run(f"{_EDGE} e.id IN $ids RETURN count(e) AS found", ids=some)
            count += int(rows[0]["found"]) if rows else 0
            queries.append((f"{_EDGE} e.id IN $ids DELETE e", {"ids": some}))
        if queries:
            await self._erase((*queries, (self.ORPHANS, {})), found=count)
        return count

    async def forget(self, where: GraphFilter) -> int:
        """Remove what the filter, its scope taken exactly, holds for."""
        limits = named(where.scope)
        if where.session:
            limits = {**limits, "": where.session}
        if not limits and not where.everything:
            limits = dict.fromkeys(SCOPE, "")
        parts = [f"e.{SCOPE[name] if name else 'session'} = $f{number}" for number, name in enumerate(limits)]
        values = {f"f{number}": value for number, value in enumerate(limits.values())}
        condition = " AND ".join(parts) or "true"
        rows = await self._run(f"{_EDGE} {condition} RETURN count(e) AS found", **values)
        await self._erase(((f"{_EDGE} {condition} DELETE e", values), (self.ORPHANS, {})))
        return int(rows[0]["found"]) if rows else 0

    async def stats(self) -> GraphStats:
        """What it holds."""
        rows = await self._run(f"{_EDGE} true RETURN e.relation AS relation, e.hidden AS hidden, count(e) AS found")
        entities = await self._run(f"MATCH (n:Entity) WHERE NOT n.key STARTS WITH '{VALUE}' RETURN count(n) AS found")
        by_relation: dict[str, int] = {}
        for row in rows:
            by_relation[str(row["relation"])] = by_relation.get(str(row["relation"]), 0) + int(row["found"])
        return GraphStats(
            entities=int(entities[0]["found"]) if entities else 0,
            edges=sum(by_relation.values()),
            hidden=sum(int(row["found"]) for row in rows if row["hidden"]),
            by_relation=by_relation,
            size_bytes=self._size(),
        )

    def _size(self) -> int | None:
        return None

    def _edges(self, rows: Sequence[Row]) -> dict[str, Edge]:
        return {
            str(row["id"]): read(str(row["document"]), hidden=bool(row["hidden"]), place=self.place) for row in rows
        }

    def _check(self) -> None:
        if self._closed:
            raise closed()


def _row(edge: Edge) -> Row:
    scope = {column: getattr(edge.scope, name) for name, column in SCOPE.items()}
    return {
        "id": edge.id,
        "subject": edge.subject_key,
        "object": edge.object_key or f"{VALUE}{edge.id}",
        "relation": edge.relation,
        "session": edge.session,
        "turn_id": edge.turn_id,
        "hidden": edge.hidden,
        "word": edge.word,
        "document": dump(edge),
        **scope,
    }


def _condition(where: GraphFilter) -> tuple[str, Row]:
    """What a filter asks, to stand behind another condition, and its values."""
    parts: list[str] = []
    values: Row = {}
    if where.everything:
        for name, value in named(where.scope).items():
            parts.append(f"e.{SCOPE[name]} = $s_{name}")
            values[f"s_{name}"] = value
    else:
        for name, allowed in scope_limits(where.scope).items():
            parts.append(f"e.{SCOPE[name]} IN $s_{name}")
            values[f"s_{name}"] = allowed
    if where.session:
        parts.append("e.session = $of_session")
        values["of_session"] = where.session
    if not where.hidden:
        parts.append("e.hidden = false")
    return "".join(f" AND {part}" for part in parts), values


def _some(values: Collection[str], sent: int) -> list[list[str]]:
    """Values in portions that a server takes."""
    return _portions(sorted(values), KEYS, sent // 2)


def _portions(rows: Sequence[Given], most: int, sent: int) -> list[list[Given]]:
    """Rows in portions of at most so many and so many bytes, one row at least."""
    result: list[list[Given]] = []
    size = sent
    for row in rows:
        length = len(json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode(errors="replace"))
        if size + length > sent or len(result[-1]) >= most:
            result.append([])
            size = 0
        result[-1].append(row)
        size += length
    return result
