"""A graph server that dies in mid-turn: the turn goes on, and once the server is back the graph says what the journal says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from harness.adapters.graphs import GRAPH_BACKENDS, GraphOptions
from harness.adapters.graphs.ram import InProcessGraph
from harness.app import Harness
from harness.errors import StoreError
from harness.ports import Graph, GraphFilter, ModelReply, ModelRequest
from harness.settings import Settings, load
from harness.state import TurnRecord
from harness.state.graph import Edge
from harness.testing.scripted_model import ScriptedModel
from tests._graph_server import GraphServer

PERSONAS = {"en": "mia", "zh": "lin"}
SAID = {
    "en": ["Zhang San is Li Si's boss.", "Li Si works at Tencent.", "Anna is Tom's sister.", "Tom works at Google."],
    "zh": ["张三是李四的领导。", "李四在腾讯上班。", "小红是小明的姐姐。", "小明在百度上班。"],
}
ASKED = {"en": "Who is Li Si's manager?", "zh": "李四的上级是谁？"}
SHOWN = GraphFilter(everything=True)


class Dying(ScriptedModel):
    """A model during whose answer something happens."""

    happens: Callable[[], None] | None = None

    async def complete(self, request: ModelRequest) -> ModelReply:
        answer = await super().complete(request)
        happens, self.happens = self.happens, None
        if happens is not None:
            await asyncio.to_thread(happens)
        return answer


@pytest.fixture(params=["falkordb", "neo4j"])
async def backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def server(backend: str, tmp_path: Path) -> AsyncIterator[GraphServer]:
    """One of this test's own: it will be killed."""
    server = GraphServer(tmp_path / "server", bolt=backend == "neo4j")
    server.start()
    yield server
    server.stop()


def settings(backend: str, server: GraphServer, folder: Path) -> Settings:
    return load(
        environ={},
        start=folder,
        overrides={
            "storage.path": str(folder / "sessions.db"),
            "harness.analysis": "rules",
            "harness.background": "false",
            "graph.backend": backend,
            "graph.url": server.url,
            "graph.timeout_s": 3,
        },
    ).settings


async def stored(graph: Graph) -> list[Edge]:
    return list(await graph.browse(SHOWN, limit=1000))


async def from_the_journal(harness: Harness, folder: Path, backend: str, server: GraphServer, code: str) -> list[Edge]:
    """What a new graph holds that goes along with the stored session."""
    fresh = InProcessGraph()
    async with Harness(settings(backend, server, folder), model=ScriptedModel("."), graph=fresh) as other:
        session = await other.open(PERSONAS[code], session="s1", user="nora")
        await session.say(ASKED[code])
        await session.undo()
        await session.settled()
        return await stored(fresh)


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_killed_in_mid_turn(backend: str, server: GraphServer, tmp_path: Path, code: str) -> None:
    model = Dying("Fine." if code == "en" else "好的。")
    async with Harness(settings(backend, server, tmp_path), model=model) as harness:
        session = await harness.open(PERSONAS[code], session="s1", user="nora")
        await session.say(SAID[code][0])
        model.happens = server.kill
        reply = await session.say(SAID[code][1])  # the server dies while the model answers
        assert reply.text
        await session.say(SAID[code][2])
        report: TurnRecord = await session.report()
        assert any("graph could not be read" in one and "cannot be reached" in one for one in report.context.warnings)
        await asyncio.to_thread(server.start)
        await session.say(SAID[code][3])
        await session.settled()
        assert len(await stored(harness.graphs().graph)) == 4
        asked = await (await harness.open(PERSONAS[code], session="s2", user="nora")).say(ASKED[code])
        assert asked.text
        found = [edge for edge in await stored(harness.graphs().graph) if edge.session == "s1"]
    assert found == await from_the_journal(harness, tmp_path, backend, server, code)
    assert {edge.object or edge.value for edge in found} >= {"Zhang San", "Tencent"} or code == "zh"
    assert len(found) == len({edge.id for edge in found}) == 4


async def test_a_server_that_answers_nothing_is_waited_for_no_longer_than_was_set(
    backend: str, server: GraphServer
) -> None:
    graph = GRAPH_BACKENDS[backend].open(GraphOptions(url=server.url, timeout_s=0.5))
    await graph.follow("s1", None)
    server.pause()
    try:
        async with asyncio.timeout(5):
            with pytest.raises(StoreError, match="no answer within"):
                await graph.followed("s1")
    finally:
        server.resume()
    await graph.close()


async def test_a_server_that_is_away_is_named_without_its_password(backend: str, server: GraphServer) -> None:
    server.stop()
    url = server.url.replace("://", "://ann:secret@")
    graph = GRAPH_BACKENDS[backend].open(GraphOptions(url=url, timeout_s=1))
    with pytest.raises(StoreError, match="cannot be reached") as raised:
        await graph.followed("s1")
    assert "secret" not in str(raised.value)
    assert "secret" not in raised.value.remedy
    await graph.close()
