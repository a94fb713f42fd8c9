"""What is deleted from a graph is in no file of it: SQLite's log, a file of ladybug, the append-only file of a server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from harness.adapters.graphs.falkordb import FalkorGraph
from harness.adapters.graphs.ladybug import LadybugGraph
from harness.adapters.graphs.sqlite import SQLiteGraph
from harness.ports import Graph, GraphFilter, Overwrites
from harness.state.graph import Edge
from harness.state.memory import Scope
from tests._graph_server import GraphServer

NAMES = {"en": ("Torquil", "Zembrano"), "zh": ("托尔奎尔", "赞布拉诺公司")}
STAYS = {"en": ('Ottilie\'s "aunt",\n\\', "Ronsdorf"), "zh": ("奥蒂莉的“姨妈”，\n", "龙斯多夫")}
EMBEDDED: dict[str, Callable[[Path], Graph]] = {
    "sqlite": lambda folder: SQLiteGraph(folder / "graph.db"),
    "ladybug": lambda folder: LadybugGraph(folder / "graph.lbug"),
}


def edge(name: str, ends: tuple[str, str], user: str, session: str = "s") -> Edge:
    subject, other = ends
    return Edge(
        id=f"{name}.1",
        subject=subject,
        relation="works_at",
        object=other,
        scope=Scope(user=user),
        session=session,
        turn_id=f"{session}-t1",
        quote=f"{subject}: {other}",
    )


def holding(folder: Path, words: Sequence[str]) -> set[str]:
    """The names of files that hold one of the words, in whatever case."""
    return {
        str(file.relative_to(folder))
        for file in folder.rglob("*")
        if file.is_file()
        for content in [file.read_bytes().lower()]
        if any(word.lower().encode() in content for word in words)
    }


async def filled(graph: Graph, code: str) -> None:
    await graph.follow("s", "s-t1", put=[edge("gone", NAMES[code], "nora")])
    await graph.follow("o", "o-t1", put=[edge("stays", STAYS[code], "otto", "o")], hide=["o-t1"])


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize("way", ["forget", "delete"])
@pytest.mark.parametrize("backend", sorted(EMBEDDED))
async def test_no_file_has_what_was_deleted(backend: str, way: str, code: str, tmp_path: Path) -> None:
    graph = EMBEDDED[backend](tmp_path)
    beside = EMBEDDED[backend](tmp_path)  # a second one, as another harness of the same program has it
    await filled(graph, code)
    before = await beside.browse(GraphFilter(everything=True, scope=Scope(user="otto"), hidden=True))
    assert len(before) == 1
    assert before[0].hidden
    count = await graph.forget(GraphFilter(scope=Scope(user="nora"))) if way == "forget" else await graph.delete(["gone.1"])  # fmt: skip
    assert count == 1
    assert holding(tmp_path, NAMES[code]) == set()
    assert isinstance(graph, Overwrites)
    assert await graph.not_overwritten() == ()
    assert await beside.browse(GraphFilter(everything=True, hidden=True)) == before
    assert await beside.followed("o") == "o-t1"
    await beside.follow("o", "o-t2", show=["o-t1"])
    await beside.close()
    await graph.close()
    assert holding(tmp_path, NAMES[code]) == set()
    again = EMBEDDED[backend](tmp_path)
    assert [one.quote for one in await again.browse(GraphFilter(everything=True))] == [before[0].quote]
    await again.close()


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_a_file_that_could_not_be_written_anew_is_named_and_is_the_next_time(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from harness.adapters.graphs import ladybug
    from harness.errors import StoreError

    graph = LadybugGraph(tmp_path / "graph.lbug")
    await filled(graph, code)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ladybug, "rewrite", full)
    with pytest.raises(StoreError, match="could not be written"):
        await graph.forget(GraphFilter(scope=Scope(user="nora")))
    assert await graph.not_overwritten() == (str(tmp_path / "graph.lbug"),)
    assert len(await graph.browse(GraphFilter(everything=True, hidden=True))) == 1
    await graph.close()
    still = LadybugGraph(tmp_path / "graph.lbug")
    assert len(await still.browse(GraphFilter(everything=True, hidden=True))) == 1
    await still.close()
    assert holding(tmp_path, NAMES[code]) == {"graph.lbug"}
    monkeypatch.undo()
    again = LadybugGraph(tmp_path / "graph.lbug")
    assert len(await again.browse(GraphFilter(everything=True, hidden=True))) == 1
    assert holding(tmp_path, NAMES[code]) == set()
    assert await again.not_overwritten() == ()
    await again.close()


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_the_append_only_file_of_a_server_is_written_anew(code: str, tmp_path: Path) -> None:
    server = GraphServer(tmp_path / "server")
    server.start()
    try:
        graph = FalkorGraph(server.url)
        await filled(graph, code)
        assert holding(tmp_path, NAMES[code])
        assert await graph.forget(GraphFilter(scope=Scope(user="nora"))) == 1
        for _ in range(200):
            if not holding(tmp_path, NAMES[code]):
                break
            await asyncio.sleep(0.1)
        assert holding(tmp_path, NAMES[code]) == set()
        await graph.close()
    finally:
        server.stop()
