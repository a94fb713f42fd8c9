"""When a user is forgotten with their journal, or a session deleted, no store has the ids of the sessions any more, on any backend; and
what still follows such a session writes none anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from harness.adapters.graphs._cypher import CypherGraph
from harness.app import Harness
from harness.ports import MemoryEntry
from harness.settings import Loaded, load
from harness.testing.scripted_model import ScriptedModel
from tests.conftest import Places

CODES = pytest.mark.parametrize("code", ["en", "zh"])
PERSONAS = {"en": "mia", "zh": "lin"}
NORA = {"en": "norabell", "zh": "诺拉贝尔"}
OTTO = {"en": "ottokar", "zh": "奥托卡"}
SAID = {
    "en": "My brother Torquil works at Zembrano.",
    "zh": "我的哥哥叫陶奎尔，他在赞布拉诺公司工作。",
}
BACKENDS: dict[str, dict[str, str]] = {
    "sqlite": {"graph.backend": "sqlite", "short_term.backend": "sqlite"},
    "faiss": {"memory.backend": "faiss", "memory.embedder": "hash", "graph.backend": "ladybug"},
    "postgres": {"storage.backend": "postgres", "memory.backend": "postgres", "graph.backend": "neo4j"},
    "redis": {
        "storage.backend": "redis",
        "memory.backend": "redis",
        "short_term.backend": "redis",
        "graph.backend": "falkordb",
    },
}


def _settings(request: pytest.FixtureRequest, places: Places, folder: Path, backend: str) -> Loaded:
    chosen = {
        "harness.analysis": "rules",
        "harness.background": "false",
        "paths.memory": "",
        **BACKENDS[backend],
    }
    if backend in ("sqlite", "faiss"):
        chosen["storage.path"] = str(folder / "sessions.db")
    else:
        place = places(backend, folder)
        graph = request.getfixturevalue("bolt_server" if backend == "postgres" else "falkordb_server")
        chosen |= {
            "storage.url": place["url"],
            "storage.key_prefix": place["key_prefix"],
            "storage.artifacts": str(folder / "artifacts"),
            "graph.url": graph.url,
        }
    return load(environ={}, overrides=chosen)


async def _kept(app: Harness, settings: Loaded, folder: Path) -> str:
    """Everything that the stores hold, as text."""
    found = [_of_files(folder)]
    if settings.settings.storage.backend == "postgres":
        found.append(_of_postgres(settings.settings.storage.url))
    if settings.settings.storage.backend == "redis":
        found.append(_of_redis(settings.settings.storage.url, settings.settings.storage.key_prefix))
    graph: Any = app._graph.graph()
    if isinstance(graph, CypherGraph):
        queries = (
            "MATCH (f:Followed) RETURN f.session AS one, f.turn_id AS other",
            "MATCH (n:Entity) RETURN n.key AS one, '' AS other",
            "MATCH (a:Entity)-[e:RELATION]->(b:Entity) RETURN e.session AS one, e.document AS other",
        )
        found.extend([str(await graph._run(query)) for query in queries])
    return "\n".join(found)


def _of_files(folder: Path) -> str:
    return "\n".join(file.read_bytes().decode(errors="replace") for file in folder.rglob("*") if file.is_file())


def _of_postgres(url: str) -> str:
    import psycopg
    import psycopg.sql

    with psycopg.connect(url) as sql:
        tables = sql.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()").fetchall()
        assert len(tables) > 8
        rows = [
            row
            for (table,) in tables
            for row in sql.execute(psycopg.sql.SQL("SELECT * FROM {}").format(psycopg.sql.Identifier(table))).fetchall()
        ]
    return "\n".join(
        one.decode(errors="replace") if isinstance(one, bytes) else str(one) for row in rows for one in row
    )


def _of_redis(url: str, prefix: str) -> str:
    import redis

    ways: Mapping[str, Any] = {
        "string": lambda client, key: client.get(key),
        "hash": lambda client, key: client.hgetall(key),
        "set": lambda client, key: client.smembers(key),
        "zset": lambda client, key: client.zrange(key, 0, -1),
        "list": lambda client, key: client.lrange(key, 0, -1),
    }
    found = []
    with redis.Redis.from_url(url, decode_responses=True, encoding_errors="replace") as client:
        for key in client.scan_iter(f"{prefix}:*"):
            found += [key, str(ways[client.type(key)](client, key))]
    return "\n".join(found)


@CODES
@pytest.mark.parametrize("whole", [True, False], ids=["user", "session"])
@pytest.mark.parametrize("backend", BACKENDS)
async def test_no_store_has_the_id_of_a_deleted_session(
    request: pytest.FixtureRequest, server_place: Places, tmp_path: Path, backend: str, whole: bool, code: str
) -> None:
    nora, otto = NORA[code], OTTO[code]
    settings = _settings(request, server_place, tmp_path, backend)
    async with Harness(settings, model=ScriptedModel("Mm, I see.")) as app:
        for user in (nora, otto):
            session = await app.open(PERSONAS[code], session=f"{user}-1", user=user)
            await session.say(SAID[code])
            await session.settled()
        held = await _kept(app, settings, tmp_path)
        assert nora in held
        assert otto in held
        memory, graph = app.memory_store(), app._graph.graph()
        assert memory is not None
        assert graph is not None
        assert await memory.followed(f"{nora}-1")
        assert await graph.followed(f"{nora}-1")
        if whole:
            assert (await app.forget_user(nora, journal=True)).sessions == (f"{nora}-1",)
        else:
            assert await app.delete(f"{nora}-1") == ()
        held = await _kept(app, settings, tmp_path)
        assert nora not in held
        assert otto in held
        assert await memory.followed(f"{otto}-1")
        assert await graph.followed(f"{otto}-1")
    if backend in ("sqlite", "faiss"):
        assert nora not in _of_files(tmp_path)


@CODES
@pytest.mark.parametrize("backend", BACKENDS)
async def test_what_an_earlier_version_left_of_deleted_sessions_goes(
    request: pytest.FixtureRequest, server_place: Places, tmp_path: Path, backend: str, code: str
) -> None:
    """Deleting a session did not remove where memory and the graph stood in it."""
    nora, otto = NORA[code], OTTO[code]
    settings = _settings(request, server_place, tmp_path, backend)
    async with Harness(settings, model=ScriptedModel("Mm, I see.")) as app:
        session = await app.open(PERSONAS[code], session=f"{otto}-1", user=otto)
        await session.say(SAID[code])
        await session.settled()
        memory, graph = app.memory_store(), app._graph.graph()
        assert memory is not None
        assert graph is not None
        items = [item async for item in app.memories().all()]
        held = [MemoryEntry(items[0].model_copy(update={"id": "of-another-program.1", "session": f"{otto}-2"}))]
        for store in (memory, graph):
            await store.follow(f"{nora}-1", "t1")
        await memory.follow(f"{otto}-2", "t1", put=held)
        assert nora in await _kept(app, settings, tmp_path)
        await app.forget_user("nobody", journal=True)
        assert nora not in await _kept(app, settings, tmp_path)
        assert await memory.followed(f"{otto}-1")
        assert await graph.followed(f"{otto}-1")
        assert await memory.followed(f"{otto}-2") == "t1", "something is remembered of it: it may be of another program"
    if backend in ("sqlite", "faiss"):
        assert nora not in _of_files(tmp_path)


@CODES
@pytest.mark.parametrize("graph", ["sqlite", "ladybug"])
@pytest.mark.parametrize("said", ["something to remember", "nothing"])
async def test_who_still_follows_a_deleted_session_leaves_no_id(
    tmp_path: Path, graph: str, said: str, code: str
) -> None:
    """The journal goes between the reply and what memory makes of it; a turn that leaves nothing but where memory stands, too."""
    nora, text = f"{NORA[code]}-1", SAID[code] if said != "nothing" else "ok"
    settings = load(
        environ={},
        overrides={
            "storage.path": str(tmp_path / "sessions.db"),
            "graph.backend": graph,
            "harness.analysis": "rules",
            "harness.background": "false",
            "paths.memory": "",
        },
    )
    async with Harness(settings, model=ScriptedModel("Mm, I see.")) as app:
        session = await app.open(PERSONAS[code], session=nora, user=NORA[code])
        await session.say(text)
        await session.settled()
        memory, beside = app.memory_store(), app._graph.graph()
        assert memory is not None
        assert beside is not None
        bound = session._runner._memory
        assert bound is not None
        branch = session._runner._branch
        record, after = branch.head, branch.state
        assert record is not None
        before = await branch.state_at(record.parent)
        await app.delete(nora)
        assert await memory.followed(nora) is None
        await bound.keep(record, before=before, after=after)
        assert (await memory.followed(nora), await beside.followed(nora)) == (None, None)
        assert not [item async for item in app.memories().all() if item.session == nora]
    assert NORA[code] not in _of_files(tmp_path)
