"""The graph taken from one backend to another: times, origins and branches, resumable, never over what is there."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from itertools import product
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from harness.adapters.graphs import GRAPH_BACKENDS, GraphOptions
from harness.adapters.graphs.ram import InProcessGraph
from harness.adapters.graphs.sqlite import SQLiteGraph
from harness.app import Harness
from harness.app_moving import GRAPH_SCHEMES, Place, graph_at, place
from harness.cli.main import app
from harness.errors import SettingsError, StoreError
from harness.language import load_packs
from harness.memory.graph_moving import EVERYTHING, move_graph
from harness.ports import Graph
from harness.settings import load
from harness.state.graph import Edge
from harness.testing.scripted_model import ScriptedModel

PERSONAS = {"en": "mia", "zh": "lin"}
TALK = {
    "en": ("Zhang San is Li Si's boss. Li Si works at Tencent.", "Li Si now works at Baidu.", "My sister Anna lives in Leeds."),
    "zh": ("张三是李四的领导，李四在腾讯上班。", "李四现在在百度上班。", "我姐姐安娜住在上海。"),
}  # fmt: skip
SESSIONS = ("s1", "s2", "会话三")
OVERRIDES = {"storage.backend": "memory", "harness.analysis": "rules", "harness.background": "false"}
EMBEDDED = [name for name, backend in GRAPH_BACKENDS.items() if not backend.server]
SERVERS = [name for name, backend in GRAPH_BACKENDS.items() if backend.server]
PAIRS = [*product(EMBEDDED, repeat=2), *product(["sqlite"], SERVERS), *product(SERVERS, ["sqlite"])]


async def filled(graph: Graph, code: str) -> None:
    """Three sessions of two users, one of them gone back in."""
    async with Harness(load(environ={}, overrides=OVERRIDES), model=ScriptedModel("…"), graph=graph) as harness:
        for session, user in zip(SESSIONS, ("nora", "nora", "小明"), strict=True):
            opened = await harness.open(PERSONAS[code], session=session, user=user)
            for line in TALK[code]:
                await opened.say(line)
            if session == "s1":
                await opened.undo()
                await opened.say({"en": "Well, well.", "zh": "这样啊。"}[code])
            await opened.settled()


async def content(graph: Graph) -> list[object]:
    edges = await graph.browse(EVERYTHING, limit=1000)
    names = sorted({edge.subject for edge in edges})
    near = [(edge.edge, edge.distance) for edge in await graph.neighbours(names, EVERYTHING, depth=2)]
    return [edges, sorted(near, key=repr), [await graph.followed(session) for session in SESSIONS]]


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize(("source", "target"), PAIRS)
async def test_all_of_it_arrives(
    tmp_path: Path, code: str, source: str, target: str, request: pytest.FixtureRequest
) -> None:
    def opened(name: str, label: str) -> Graph:
        backend = GRAPH_BACKENDS[name]
        url = request.getfixturevalue(f"{backend.server}_server").url if backend.server else ""
        database = f"{tmp_path.name}{label}{name}".replace("-", "").replace("_", "")
        return backend.open(GraphOptions(path=tmp_path / label / f"g.{backend.suffix}", url=url, database=database))

    one, other = opened(source, "one"), opened(target, "other")
    try:
        await moved_and_compared(one, other, code)
    finally:
        await one.close()
        await other.close()


async def moved_and_compared(one: Graph, other: Graph, code: str) -> None:
    await filled(one, code)
    steps: list[tuple[int, int]] = []
    moved = await move_graph(one, other, sessions=SESSIONS, progress=lambda done, total: steps.append((done, total)))
    assert moved.whole
    before = await content(one)
    assert await content(other) == before
    edges = await one.browse(EVERYTHING, limit=1000)
    assert any(edge.hidden for edge in edges)
    assert any(edge.valid_from is not None for edge in edges)
    assert all(edge.quote and edge.turn_id and edge.session in SESSIONS for edge in edges)
    assert (moved.edges, moved.copied, moved.followed) == (len(edges), len(edges), 3)
    assert steps[-1] == (len(edges), len(edges))
    again = await move_graph(one, other)
    assert (again.copied, again.present, again.followed) == (0, len(edges), 0)


class Breaking(InProcessGraph):
    """A graph that fails at its n-th write."""

    left = 10**6

    async def follow(
        self,
        session: str,
        turn_id: str | None,
        *,
        put: Sequence[Edge] = (),
        hide: Collection[str] = (),
        show: Collection[str] = (),
    ) -> None:
        self.left -= 1
        if self.left < 0:
            raise StoreError("The graph is down.")
        await super().follow(session, turn_id, put=put, hide=hide, show=show)


@pytest.mark.parametrize("after", range(5))
@pytest.mark.parametrize("code", ["en", "zh"])
async def test_an_interrupted_move_is_completed(code: str, after: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.memory.graph_moving.PAGE", 2)
    source, target = InProcessGraph(), Breaking()
    await filled(source, code)
    target.left = after
    with pytest.raises(StoreError, match="down"):
        await move_graph(source, target, sessions=SESSIONS)
    stood = [await target.followed(session) for session in SESSIONS]
    assert not all(
        stood
    )  # what was not copied is made good from the journal, since the graph does not claim to be there
    target.left = 10**6
    assert (await move_graph(source, target, sessions=SESSIONS)).whole
    assert await content(target) == await content(source)


async def test_what_is_other_in_the_target_is_left_or_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.memory.graph_moving.PAGE", 2)
    source, target = InProcessGraph(), InProcessGraph()
    await filled(source, "zh")
    edges = await source.browse(EVERYTHING, limit=1000)
    changed = edges[0].model_copy(update={"object": "别人"})
    foreign = edges[0].model_copy(update={"id": "zz", "session": "elsewhere"})
    await target.follow("s1", "t-of-target", put=[changed])
    await target.follow("elsewhere", "t9", put=[foreign])
    moved = await move_graph(source, target)
    assert (moved.different, moved.whole) == ((changed.id,), False)
    assert await target.followed("s1") == "t-of-target"
    assert (await move_graph(source, target, overwrite=True)).whole
    there = {edge.id: edge for edge in await target.browse(EVERYTHING, limit=1000)}
    assert there == {edge.id: edge for edge in edges} | {"zz": foreign}


async def test_a_session_goes_on_with_the_graph_that_was_moved(tmp_path: Path) -> None:
    """Undo in the target hides what the source had written."""
    one, other = SQLiteGraph(tmp_path / "a.db"), SQLiteGraph(tmp_path / "b.db")
    overrides = OVERRIDES | {"storage.backend": "sqlite", "storage.path": str(tmp_path / "s.db")}
    async with Harness(load(environ={}, overrides=overrides), model=ScriptedModel("…"), graph=one) as harness:
        session = await harness.open("lin", session="s1", user="nora")
        for line in TALK["zh"]:
            await session.say(line)
    assert (await move_graph(one, other)).whole
    async with Harness(load(environ={}, overrides=overrides), model=ScriptedModel("…"), graph=other) as harness:
        session = await harness.open("lin", session="s1", user="nora")
        await session.undo()
        await session.settled()
        await session.say("嗯。")
        await session.settled()
    hidden = [edge.hidden for edge in await other.browse(EVERYTHING, limit=100) if edge.subject == "安娜" or edge.object == "安娜"]  # fmt: skip
    assert hidden
    assert all(hidden)
    await one.close()
    await other.close()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Place("sqlite")),
        ("ladybug", Place("ladybug")),
        ("sqlite:图/g.db", Place("sqlite", "图/g.db")),
        ("bolt://host:7687", Place("neo4j", "bolt://host:7687")),
        ("neo4j+s://host", Place("neo4j", "neo4j+s://host")),
        ("falkordb:redis://host:6379#图", Place("falkordb", "redis://host:6379#图")),
        ("redis://host:6379", Place("falkordb", "redis://host:6379")),
    ],
)
def test_a_graph_is_named_by_backend_and_place(text: str, expected: Place) -> None:
    assert place(text, GRAPH_BACKENDS, "sqlite", GRAPH_SCHEMES) == expected


@pytest.mark.parametrize(
    ("text", "write", "words"),
    [
        ("nothing", True, "There is no backend 'nothing'"),
        ("memory", True, "ends with the process"),
        ("sqlite:absent.db", False, "There is no file"),
        ("neo4j", True, "graph.url is empty"),
        ("sqlite:bolt://host", True, "is an address"),
    ],
)
def test_what_cannot_be_an_end_is_refused(text: str, write: bool, words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        graph_at(text, load(environ={}).settings, load_packs(), write=write)


Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HARNESS_STORAGE_PATH", str(tmp_path / "sessions.db"))

    def invoke(*arguments: str, code: int = 0) -> Result:
        result = CliRunner().invoke(app, ["graph", *arguments])
        assert result.exit_code == code, (result.output, result.exception)
        return result

    return invoke


async def test_the_command_moves_it(run: Run, tmp_path: Path) -> None:
    import asyncio

    overrides = {"storage.path": str(tmp_path / "sessions.db"), "harness.analysis": "rules", "harness.background": "false"}  # fmt: skip
    async with Harness(load(environ={}, overrides=overrides), model=ScriptedModel("…")) as harness:
        session = await harness.open("lin", session="s1", user="nora")
        await session.say(TALK["zh"][0])
        await session.settled()
    call = asyncio.to_thread
    done = json.loads((await call(run, "migrate", "--to", "ladybug:neu.lbug", "--json")).stdout)
    assert (done["whole"], done["copied"], done["followed"]) == (True, done["edges"], 1)
    assert done["edges"] > 0
    said = await call(run, "migrate", "--from", "ladybug:neu.lbug", "--to", "sqlite:again.db")
    assert f"{done['edges']} copied" in said.output
    assert "Where to is missing" in str((await call(run, "migrate", code=1)).output)
    assert "is both" in (await call(run, "migrate", "--from", "sqlite", "--to", "sqlite", code=1)).output
