"""What the graph is kept in, by the settings, and ``harness graph`` on it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.adapters.graphs.falkordb import literal
from harness.adapters.graphs.neo4j import marked, unmarked
from harness.adapters.graphs.sqlite import SQLiteGraph
from harness.app import Harness
from harness.app_graph import GraphParts
from harness.app_memory import MemoryParts
from harness.app_servers import check_servers, graph_options
from harness.errors import SettingsError
from harness.language import load_packs
from harness.ports import GraphFilter
from harness.settings import Settings, load
from harness.settings.foreign import translate
from harness.state.graph import Edge, name_key
from harness.state.memory import Scope
from harness.testing.scripted_model import ScriptedModel
from tests._commands import Run, runner
from tests._graph_server import GraphServer

BOSS = {"mia": "Zhang San is Li Si's boss. Li Si works at Tencent.", "lin": "张三是李四的领导，李四在腾讯上班。"}


def parts(tmp_path: Path, **overrides: Any) -> GraphParts:
    settings = load(environ={}, start=tmp_path, overrides=overrides).settings
    packs = load_packs(())
    memory = MemoryParts(
        settings, packs, given=None, durable=True, endpoint=lambda: pytest.fail("no endpoint is needed")
    )
    return GraphParts(settings, packs, memory, environ={"HOST": "127.0.0.1"})


@pytest.mark.parametrize(
    ("overrides", "backend"),
    [
        ({}, "sqlite"),
        ({"memory.backend": "off"}, "off"),
        ({"memory.backend": "memory"}, "memory"),
        ({"storage.backend": "memory"}, "memory"),
        ({"graph.backend": "off"}, "off"),
        ({"graph.backend": "ladybug"}, "ladybug"),
    ],
)
def test_auto_goes_with_memory(tmp_path: Path, overrides: dict[str, Any], backend: str) -> None:
    assert parts(tmp_path, **overrides).backend == backend


def test_the_file_stands_beside_the_memories(tmp_path: Path) -> None:
    assert parts(tmp_path).path("db").name == "graph.db"
    assert parts(tmp_path, **{"storage.path": "talk.db"}).path("lbug") == tmp_path / "talk-graph.lbug"
    assert parts(tmp_path, **{"graph.path": "deep/g.db"}).path("db") == tmp_path / "deep" / "g.db"


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"graph.backend": "neo4j"}, "graph.url is empty"),
        ({"graph.backend": "falkordb"}, "graph.url is empty"),
        ({"graph.backend": "sqlite", "memory.backend": "off"}, "needs memory"),
        ({"graph.backend": "neo4j", "graph.url": "bolt://${NOWHERE}:1"}, "NOWHERE"),
        ({"graph.backend": "neo4j", "graph.url": "http://ann:secret@${HOST}:1"}, "no address of a Bolt server"),
        ({"graph.backend": "falkordb", "graph.url": "http://ann:secret@${HOST}:1"}, "no address of a FalkorDB server"),
    ],
)
def test_a_graph_that_cannot_be_is_a_clear_error(tmp_path: Path, overrides: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message) as raised:
        parts(tmp_path, **overrides).graph()
    assert raised.value.remedy
    assert "secret" not in str(raised.value)


def test_a_password_is_no_name_of_a_variable(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="environment variable"):
        load(environ={}, start=tmp_path, overrides={"graph.password_env": "hunter2!"})


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HARNESS_STORAGE_PATH", str(tmp_path / "sessions.db"))

    return runner()


async def talk(folder: Path, persona: str) -> None:
    settings = load(environ={}, overrides={"storage.path": str(folder / "sessions.db"), "harness.analysis": "rules"})
    async with Harness(settings, model=ScriptedModel("Fine.")) as harness:
        session = await harness.open(persona, session="s1", user="nora", project="shop")
        await session.say(BOSS[persona])
        await session.settled()


@pytest.mark.parametrize(
    ("persona", "names", "line"),
    [
        ("mia", ("Li Si", "Zhang San", "Tencent"), "Li Si's boss is Zhang San"),
        ("lin", ("李四", "张三", "腾讯"), "李四的领导是张三"),
    ],
)
def test_commands(run: Run, tmp_path: Path, persona: str, names: tuple[str, str, str], line: str) -> None:
    import asyncio

    asyncio.run(talk(tmp_path, persona))
    one, other, place = names
    listed = json.loads(run("graph", "list", "--json").output)
    assert listed[0]["name"] == one
    assert {entry["name"] for entry in listed} == set(names)
    near = json.loads(run("graph", "show", one, "--user", "nora", "--json").output)
    assert line in [entry["text"] for entry in near]
    assert near[0]["edge"]["session"] == "s1"
    assert near[0]["edge"]["speaker"] == "user"
    assert one in run("graph", "show", one).output
    assert "→" in run("graph", "path", other, place, "--user", "nora").output
    assert len(json.loads(run("graph", "path", other, place, "--json").output)[0]) == 2
    assert json.loads(run("graph", "stats", "--json").output)["edges"] == 2
    assert "entities" in run("graph", "stats").output
    lines = run("graph", "export").output.splitlines()
    assert {Edge.model_validate_json(text).relation for text in lines} == {"manager", "works_at"}
    assert json.loads(run("graph", "show", one, "--at", "2020-01-01", "--json").output) == []
    assert "in shop" in run("graph", "show", one, "--project", "shop").output
    assert json.loads(run("graph", "list", "--world", "atlantis", "--json").output) == []
    for wrong in (
        ("show", "nobody"),
        ("show", one, "--project", "bank"),
        ("show", one, "--user", "paul"),
        ("show", one, "--at", "soon"),
    ):
        run("graph", *wrong, code=1)
    run("memory", "forget", "--user", "nora", "--yes")
    assert json.loads(run("graph", "stats", "--json").output)["edges"] == 0
    for name in names:
        for file in tmp_path.glob("sessions-graph*"):
            assert name.encode() not in file.read_bytes(), file.name


def _contents(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.iterdir())


async def test_forgotten_words_are_in_no_file(tmp_path: Path) -> None:
    graph = SQLiteGraph(tmp_path / "g.db")
    scope = Scope(persona="mia", user="nora")
    said = Edge(
        id="e1", relation="friend", subject="Quillfeather", object="张三丰", scope=scope, quote="a secret of mine"
    )
    await graph.follow("s1", "t1", put=[said])
    await graph.forget(GraphFilter(scope=Scope(user="nora")))
    await graph.close()
    everything = _contents(tmp_path)
    for word in ("quillfeather", "Quillfeather", "张三丰", "secret"):
        assert word.encode() not in everything


@pytest.mark.parametrize("text", ["Tom's", "a\\", "100%27", "张三", "", "%", "'; DROP", "a\nb"])
def test_marked_texts_come_back(text: str) -> None:
    assert unmarked(marked(text)) == text
    assert not set("'\\") & set(marked(text))


def test_no_text_ends_a_literal() -> None:
    assert literal('a"b\\') == '"a\\"b\\\\"'
    assert literal([1, True, None, {"k": "v"}]) == '[1,true,null,{k:"v"}]'
    with pytest.raises(TypeError, match="set"):
        literal({1})


@pytest.mark.parametrize(("one", "other"), [("Li  Si", "li si"), ("ＬＩ Si", "Li Si"), ("=x", "x"), ("张三", "张三")])
def test_names_that_are_one(one: str, other: str) -> None:
    assert name_key(one) == name_key(other)


FOREIGN: dict[str, dict[str, Any]] = {
    "variables": {
        "GRAPH_ENABLED": "true",
        "NEO4J_URI": "bolt://graph.example:7687",
        "NEO4J_USER": "ann",
        "NEO4J_PASSWORD": "opensesame",
        "NEO4J_DATABASE": "people",
    },
    "sections": {
        "long_term_graph_memory": {
            "enabled": True,
            "backend": "neo4j",
            "uri": "bolt://graph.example:7687",
            "user": "ann",
            "password": "opensesame",
            "database": "people",
        }
    },
}


@pytest.mark.parametrize("form", FOREIGN)
def test_settings_of_other_programs_lead_to_the_same_graph(form: str) -> None:
    found = translate(FOREIGN[form])
    url = "bolt://ann:${NEO4J_PASSWORD}@graph.example:7687"
    assert found.form == form
    assert found.values == {"graph": {"backend": "neo4j", "url": url, "database": "people"}}
    assert "opensesame" not in str(found)
    made = Settings.model_validate(found.values)
    options = graph_options(made, "neo4j", environ={"NEO4J_PASSWORD": "open@sesame"})
    assert options.url == "bolt://ann:open%40sesame@graph.example:7687"
    assert options.database == "people"


@pytest.mark.parametrize("form", FOREIGN)
def test_a_graph_that_is_off_elsewhere_is_off_here(form: str) -> None:
    raw = json.loads(json.dumps(FOREIGN[form]).replace('"true"', '"false"').replace("true", "false"))
    assert translate(raw).values["graph"]["backend"] == "off"


async def test_doctor_looks_after_the_server(falkordb_server: GraphServer) -> None:
    place = {"graph.backend": "falkordb", "graph.database": "doctor", "graph.url": falkordb_server.url}
    (check,) = await check_servers(load(environ={}, overrides=place).settings)
    assert (check.name, check.ok, check.remedy) == ("graph", True, "")
    assert check.detail == f"falkordb at {falkordb_server.url}, 0 entities and 0 relations"


@pytest.mark.parametrize(
    ("overrides", "detail"),
    [
        ({"graph.backend": "neo4j"}, "graph.url is empty"),
        ({"graph.backend": "neo4j", "graph.url": "bolt://ann:secret@127.0.0.1:1"}, "cannot be reached"),
        ({"graph.backend": "falkordb", "graph.url": "redis://ann:secret@127.0.0.1:1"}, "cannot be reached"),
        # A plain Redis for the sessions is no graph server.
        ({"graph.backend": "falkordb", "storage.url": "redis://127.0.0.1:1"}, "graph.url is empty"),
    ],
)
async def test_doctor_tells_of_a_server_that_is_away(overrides: dict[str, str], detail: str) -> None:
    (check,) = await check_servers(load(environ={}, overrides=overrides).settings)
    assert check.ok is False
    assert detail in check.detail
    assert check.remedy
    assert "secret" not in check.detail + check.remedy
