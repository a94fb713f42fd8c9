"""Checks of graphs."""

from __future__ import annotations

import asyncio
from typing import Any

from harness.errors import StoreError
from harness.ports.following import NamesFollowed
from harness.ports.graphs import Graph, GraphFilter
from harness.state.graph import ALIAS, name_key
from harness.state.memory import Scope
from harness.testing.conformance._graph_storage import (
    ANYTHING,
    BOB,
    NOON,
    OF_ANN,
    GraphCheck,
    GraphStorage,
    edge,
    later,
    seen,
)
from harness.testing.conformance._suite import CheckError, expect, expect_equal

HOSTILE = (
    "O'Brien", 'Ann "Q" Lee', "back\\slash\\", "a\nb\tc", "{x}", "$keys", "`tick`", "100%27%", "'}) DETACH DELETE n //",
    "张三", "李四（腾讯）", "Zoë 🌸", "=equals", "--", "a;b",
)  # fmt: skip
"""Names that end a string, name a parameter or a property, or begin a comment somewhere."""


async def follow_stores_and_notes(storage: GraphStorage) -> None:
    """followed() is None before, the turn after, and empty for the beginning; each session has its own."""
    graph = storage.graph
    expect_equal(await graph.followed("s1"), None, "followed() of a session that the graph never followed")
    said = edge("e1", "Li Si", "manager", "Zhang San", word="boss", quote="Zhang San is Li Si's boss.", single=True)
    await graph.follow("s1", "t1", put=[said])
    await graph.follow("s2", None)
    expect_equal((await graph.followed("s1"), await graph.followed("s2")), ("t1", ""), "followed()")
    expect_equal(await graph.browse(OF_ANN), (said,), "the stored statement")
    expect_equal(await graph.touching([name_key("li si")], OF_ANN), (said,), "found by its subject")
    expect_equal(await graph.touching([name_key("ZHANG  SAN")], OF_ANN), (said,), "found by its object")
    expect_equal(await graph.touching(["", "nobody"], OF_ANN), (), "found by what is not there")


async def a_deleted_session_is_not_followed(storage: GraphStorage) -> None:
    """unfollow() removes where the graph stands in these sessions, and nothing else; one that it never followed costs nothing."""
    graph = storage.graph
    said = edge("e1", "A", "friend", "B")
    await graph.follow("s1", "t1", put=[said])
    await graph.follow("s2", "t2")
    await graph.follow("会话 三", None)
    for _ in range(2):
        await graph.unfollow(["s1", "会话 三", "nobody"])
        if isinstance(graph, NamesFollowed):
            expect_equal(await graph.all_followed(), ("s2",), "all_followed() after unfollow()")
        stands = [await graph.followed(session) for session in ("s1", "s2", "会话 三", "nobody")]
        expect_equal(stands, [None, "t2", None, None], "followed() after unfollow()")
    await graph.unfollow([])
    expect_equal(await graph.browse(ANYTHING), (said,), "statements after unfollow()")
    await graph.follow("s1", "t3")
    expect_equal(await graph.followed("s1"), "t3", "followed() of a session that is followed again")


async def writing_again_changes_nothing(storage: GraphStorage) -> None:
    """The same statements twice are there once; one with the id of another takes its place, between other entities too."""
    graph = storage.graph
    one, two = edge("e1", "A", "friend", "B"), edge("e2", "A", "works_at", "C")
    for _ in range(2):
        await graph.follow("s1", "t1", put=[one, two], show=["t1"])
    expect_equal(await graph.browse(ANYTHING), (one, two), "statements")
    moved = edge("e1", "A", "friend", "D")
    await graph.follow("s1", "t1", put=[moved])
    expect_equal(await graph.browse(ANYTHING), (moved, two), "statements after one was replaced")
    expect_equal(await seen(graph, "B"), [], "what the replaced one was about")
    expect_equal(await seen(graph, "D"), [("A", "friend", "D")], "what the new one is about")


async def undo_and_redo(storage: GraphStorage) -> None:
    """Turns that are left are hidden and come back with their branch; turns of other sessions stay as they are."""
    graph = storage.graph
    await graph.follow("s1", "t1", put=[edge("a", "X", "friend", "Y")])
    await graph.follow("s1", "t2", put=[edge("b", "X", "friend", "Z", turn_id="t2")])
    await graph.follow("s2", "t2", put=[edge("c", "X", "friend", "W", session="s2", turn_id="t2")])
    for _ in range(2):
        await graph.follow("s1", "t1", hide=["t2"])
        expect_equal(await seen(graph, "X"), [("X", "friend", "W"), ("X", "friend", "Y")], "shown after undo")
        expect_equal((await graph.stats()).hidden, 1, "hidden statements")
    for _ in range(2):
        await graph.follow("s1", "t2", show=["t2"])
        expect_equal(len(await seen(graph, "X")), 3, "shown after redo")
    expect_equal(await graph.followed("s1"), "t2", "followed()")
    await graph.follow("s1", None, hide=["t1", "t2"])
    expect_equal(await seen(graph, "X"), [("X", "friend", "W")], "shown at the beginning")


async def nothing_crosses_a_scope(storage: GraphStorage) -> None:
    """What belongs to a user or a character is never reached for another one, nor over an entity that both know."""
    graph = storage.graph
    await graph.follow(
        "s1",
        "t1",
        put=[
            edge("ann", "Tom", "works_at", "Acme"),
            edge("bob", "Acme", "located_in", "Leeds", scope=BOB),
            edge("other", "Tom", "friend", "Ida", scope=Scope(persona="rex", user="ann")),
            edge("world", "Acme", "makes", "Rockets", scope=Scope()),
        ],
    )
    mine = [("Acme", "makes", "Rockets"), ("Tom", "works_at", "Acme")]
    expect_equal(await seen(graph, "Tom", depth=3), mine, "reached for Ann")
    his = [("Acme", "located_in", "Leeds"), ("Acme", "makes", "Rockets")]
    expect_equal(await seen(graph, "Acme", GraphFilter(scope=BOB), depth=3), his, "reached for Bob")
    expect_equal(await seen(graph, "Acme", GraphFilter(), depth=3), [mine[0]], "reached for nobody")
    expect_equal(await graph.paths("Tom", "Leeds", OF_ANN), (), "a way over another user's statement")
    expect_equal(
        len(await graph.browse(GraphFilter(scope=Scope(user="ann"), everything=True))), 2, "of Ann, for administration"
    )


async def one_user_ends_nothing_of_another(storage: GraphStorage) -> None:
    """A newer statement ends or takes back only those of its own scope."""
    graph = storage.graph
    job: dict[str, Any] = {"relation": "works_at", "single": True}
    await graph.follow(
        "s1", "t1", put=[edge("a", "Tom", other="Acme", **job), edge("b", "Tom", other="Acme", scope=BOB, **job)]
    )
    await graph.follow("s2", "t9", put=[
        edge("c", "Tom", other="Bolt", scope=BOB, at=later(1), session="s2", turn_id="t9", **job),
    ])  # fmt: skip
    expect_equal(await seen(graph, "Tom", at=later(2)), [("Tom", "works_at", "Acme")], "now, for Ann")
    expect_equal(
        await seen(graph, "Tom", GraphFilter(scope=BOB), at=later(2)), [("Tom", "works_at", "Bolt")], "now, for Bob"
    )


async def times_of_validity(storage: GraphStorage) -> None:
    """A single-valued relation holds its newest object; what it held before is found for its own time."""
    graph = storage.graph
    job: dict[str, Any] = {"relation": "works_at", "single": True}
    await graph.follow("s1", "t1", put=[edge("a", "Tom", other="Acme", **job)])
    await graph.follow("s2", "t2", put=[
        edge("b", "Tom", other="Bolt", at=later(10), session="s2", turn_id="t2", **job),
        edge("p", "Tom", "works_at", "Oldco", at=later(10), valid_from=None, valid_to=later(-9), session="s2", turn_id="t2"),
        edge("f", "Tom", "friend", "Ida"),
        edge("g", "Tom", "friend", "Jo", at=later(10)),
    ])  # fmt: skip
    friends = [("Tom", "friend", "Ida"), ("Tom", "friend", "Jo")]
    expect_equal(await seen(graph, "Tom", at=later(11)), [*friends, ("Tom", "works_at", "Bolt")], "now")
    expect_equal(await seen(graph, "Tom", at=later(5)), [friends[0], ("Tom", "works_at", "Acme")], "between")
    expect_equal(await seen(graph, "Tom", at=later(-20)), [("Tom", "works_at", "Oldco")], "long before")
    expect_equal(len(await seen(graph, "Tom")), 5, "at any time")
    ends = {one.edge.object: one.edge.valid_to for one in await graph.neighbours(["Tom"], OF_ANN)}
    expect_equal((ends["Acme"], ends["Bolt"], ends["Oldco"]), (later(10), None, later(-9)), "ends")
    await graph.follow("s2", None, hide=["t2"])
    expect_equal(await seen(graph, "Acme", at=later(11)), [("Tom", "works_at", "Acme")], "now, after undo")
    expect_equal(await seen(graph, "Bolt"), [], "what was undone")


async def ended_and_taken_back(storage: GraphStorage) -> None:
    """What was taken back never held; what ended holds until then; both only of the same, and undone with their turn."""
    graph = storage.graph
    await graph.follow(
        "s1", "t1", put=[edge("a", "X", "friend", "Y"), edge("b", "X", "friend", "Z"), edge("c", "X", "neighbour", "Y")]
    )
    await graph.follow("s1", "t2", put=[edge("d", "X", "friend", "Y", stance="retracted", at=later(1), turn_id="t2")])
    await graph.follow("s1", "t3", put=[edge("e", "x", "friend", "z", stance="ended", at=later(2), turn_id="t3")])
    expect_equal(await seen(graph, "X", at=later(3)), [("X", "neighbour", "Y")], "now")
    expect_equal(await seen(graph, "X", at=later(1)), [("X", "friend", "Z"), ("X", "neighbour", "Y")], "before the end")
    expect_equal(await seen(graph, "Y"), [("X", "neighbour", "Y")], "from the other side")
    await graph.follow("s1", "t1", hide=["t2", "t3"])
    expect_equal(len(await seen(graph, "X", at=later(3))), 3, "after undo")


async def neighbours_by_distance(storage: GraphStorage) -> None:
    """Neighbours come nearest first, each once, over edges in both directions and other names; values lead nowhere."""
    graph = storage.graph
    await graph.follow("s1", "t1", put=[
        edge("1", "A", "friend", "B"), edge("2", "B", "friend", "C"), edge("3", "D", "friend", "C"), edge("4", "C", "friend", "A"),
        edge("5", "A", ALIAS, "Al"), edge("6", "Al", "works_at", "Acme"),
        edge("7", "B", "age", value="30"), edge("8", "Q", "age", value="30"),
    ])  # fmt: skip
    found = await graph.neighbours(["A"], OF_ANN, depth=1)
    expect_equal({one.edge.id for one in found}, {"1", "4", "5", "6"}, "one step away")
    expect_equal({(one.distance, one.origin) for one in found}, {(1, "a")}, "their distances and origins")
    deeper = await graph.neighbours(["a"], OF_ANN, depth=2)
    expect_equal(
        {one.edge.id: one.distance for one in deeper if one.distance == 2}, {"2": 2, "3": 2, "7": 2}, "two steps away"
    )
    expect_equal([one.distance for one in deeper], sorted(one.distance for one in deeper), "nearest first")
    expect_equal(len(await graph.neighbours(["A"], OF_ANN, depth=9)), 7, "all that can be reached")
    expect_equal(len(await graph.neighbours(["A"], OF_ANN, depth=9, limit=3)), 3, "with a limit")
    expect_equal(await graph.neighbours(["A"], OF_ANN, depth=0), (), "no step away")
    expect_equal(await graph.neighbours([], OF_ANN), (), "of nothing")
    expect_equal(
        {one.edge.id for one in await graph.neighbours(["al"], OF_ANN)}, {"1", "4", "5", "6"}, "of another name"
    )


async def shortest_paths(storage: GraphStorage) -> None:
    """Paths are the shortest ones, in both directions, no longer than allowed, and only over what holds then."""
    graph = storage.graph
    await graph.follow("s1", "t1", put=[
        edge("1", "A", "friend", "B"), edge("2", "C", "friend", "B"), edge("3", "C", "friend", "D"), edge("4", "A", "friend", "E"),
        edge("5", "E", "friend", "C", at=later(5)), edge("6", "A", "age", value="30"), edge("7", "D", "age", value="30"),
    ])  # fmt: skip
    expect_equal(await _ids(graph, "A", "C"), [["1", "2"], ["4", "5"]], "two ways of one length")
    found = await graph.paths("A", "C", OF_ANN, at=later(1))
    expect_equal([[one.id for one in way] for way in found], [["1", "2"]], "at a moment")
    expect_equal(sorted(map(len, await _ids(graph, "D", "A"))), [3, 3], "length from the other side")
    expect_equal(await graph.paths("A", "D", OF_ANN, max_length=2), (), "longer than allowed")
    expect_equal(await graph.paths("A", "A", OF_ANN), (), "to itself")
    expect_equal(await graph.paths("A", "nobody", OF_ANN), (), "to what is not there")


async def any_text_is_data(storage: GraphStorage) -> None:
    """Names, quotes and ids may hold any text; none of it is run, lost or changed."""
    graph = storage.graph
    said = [
        edge(f"e{number:02}/{name}", name, "friend", f"{name} junior", quote=f"{name} said: {name}", session=f"s{name}")
        for number, name in enumerate(HOSTILE)
    ]
    for one in said:
        await graph.follow(one.session, one.turn_id, put=[one])
    stored = {one.id: one for one in await graph.browse(OF_ANN)}
    expect_equal(stored, {one.id: one for one in said}, "the stored statements")
    for one in said:
        expect_equal(await graph.touching([one.subject_key], OF_ANN), (one,), f"found by {one.subject!r}")
        expect_equal(await graph.followed(one.session), "t1", f"followed({one.session!r})")
        expect_equal(len(await graph.paths(one.subject, one.object, OF_ANN)), 1, f"ways from {one.subject!r}")


async def many_statements(storage: GraphStorage) -> None:
    """Many and long statements at once, looked through in pages."""
    graph = storage.graph
    said = [edge(f"e{number:03}", "Hub", "knows", f"N{number}", quote="字" * 300) for number in range(250)]
    await graph.follow("s1", "t1", put=said)
    pages: list[str] = []
    while page := await graph.browse(OF_ANN, after=pages[-1] if pages else "", limit=90):
        pages += [one.id for one in page]
    expect_equal(pages, [one.id for one in said], "ids in pages")
    expect_equal(len(await graph.touching(["hub"], OF_ANN, limit=40)), 40, "with a limit")
    keys = [f"n{number}" for number in range(250)]
    expect_equal(len(await graph.touching(keys, OF_ANN)), 250, "found by many keys")
    await graph.follow("s1", "t1", hide=[f"x{number}" for number in range(300)] + ["t1"])
    expect_equal(await graph.browse(OF_ANN), (), "shown after all were hidden")


async def pages_in_any_script(storage: GraphStorage) -> None:
    """Ids of any script come once each, page by page."""
    graph = storage.graph
    named = ["a", "é", "会话", "张三", "b😀", "Z"]
    await graph.follow(
        "s2",
        "t1",
        put=[edge(f"{name}-{number}", name, "knows", "O", session="s2") for name in named for number in range(3)],
    )
    pages: list[str] = []
    while page := await graph.browse(
        GraphFilter(everything=True, session="s2"), after=pages[-1] if pages else "", limit=4
    ):
        pages += [one.id for one in page]
        expect_equal(len(set(pages)), len(pages), "ids that were given twice")
    expect_equal(
        sorted(pages), sorted(f"{name}-{number}" for name in named for number in range(3)), "ids in any script"
    )


async def deleted_for_good(storage: GraphStorage) -> None:
    """What is deleted is in no answer, and entities without statements are gone."""
    graph = storage.graph
    await graph.follow(
        "s1", "t1", put=[edge("a", "X", "friend", "Y"), edge("b", "X", "friend", "Z"), edge("c", "Z", "age", value="9")]
    )
    expect_equal(await graph.delete(["b", "nothing"]), 1, "deleted")
    expect_equal(await graph.delete(["b"]), 0, "deleted again")
    expect_equal(await seen(graph, "X", depth=3), [("X", "friend", "Y")], "what is left near X")
    expect_equal((await graph.stats()).entities, 3, "entities")
    expect_equal(await graph.delete(["a", "c"]), 2, "deleted")
    stats = await graph.stats()
    expect_equal((stats.entities, stats.edges, dict(stats.by_relation)), (0, 0, {}), "what is left")
    expect_equal(await graph.followed("s1"), "t1", "followed() after the statements of the turn were deleted")


async def forgetting(storage: GraphStorage) -> None:
    """Forgetting removes what belongs to a user, hidden statements too, and nothing else."""
    graph = storage.graph
    said = [
        edge("a", "X", "friend", "Y"), edge("b", "X", "friend", "Z", turn_id="t2"), edge("c", "X", "friend", "Y", scope=BOB),
        edge("w", "X", "friend", "W", scope=Scope()), edge("s", "X", "friend", "V", session="s2"),
    ]  # fmt: skip
    await graph.follow("s1", "t1", put=said, hide=["t2"])
    expect_equal(await graph.forget(GraphFilter(scope=Scope(user="nobody"))), 0, "forgotten of nobody")
    expect_equal(await graph.forget(GraphFilter(session="s2")), 1, "forgotten of a session")
    expect_equal(await graph.forget(GraphFilter(scope=Scope(user="ann"))), 2, "forgotten of Ann")
    expect_equal([one.id for one in await graph.browse(ANYTHING)], ["c", "w"], "what is left")
    expect_equal(await graph.forget(GraphFilter()), 1, "forgotten of what is for everybody")
    expect_equal(await graph.forget(GraphFilter(everything=True)), 1, "forgotten of everything")
    expect_equal(await graph.browse(ANYTHING), (), "what is left in the end")


async def counted(storage: GraphStorage) -> None:
    """stats() counts entities once, statements by relation, and hidden ones."""
    graph = storage.graph
    await graph.follow(
        "s1", "t1", put=[edge("a", "X", "friend", "Y"), edge("b", "Y", "friend", "X"), edge("c", "X", "age", value="9")]
    )
    stats = await graph.stats()
    expect_equal((stats.entities, stats.edges, stats.hidden), (2, 3, 0), "entities, statements, hidden ones")
    expect_equal(dict(stats.by_relation), {"friend": 2, "age": 1}, "by relation")
    expect(
        stats.size_bytes is None or stats.size_bytes > 0, f"a size of 1 byte or more, or None, not {stats.size_bytes!r}"
    )


async def two_at_once(storage: GraphStorage) -> None:
    """Two graphs on the same data see each other's statements, and write side by side."""
    graph, other = storage.graph, storage.second()
    await graph.follow("s0", "t1", put=[edge("first", "X", "friend", "Y", session="s0")])
    expect_equal(len(await other.browse(OF_ANN)), 1, "statements seen by the second")

    async def write(one: Graph, session: str) -> None:
        for number in range(8):
            said = edge(f"{session}{number}", "X", "knows", f"{session}{number}", session=session, turn_id=f"t{number}")
            await one.follow(session, f"t{number}", put=[said])

    await asyncio.gather(write(graph, "s1"), write(other, "s2"))
    expect_equal(len(await graph.touching(["x"], OF_ANN)), 17, "statements of both")
    expect_equal((await other.followed("s1"), await graph.followed("s2")), ("t7", "t7"), "followed()")


async def reopened(storage: GraphStorage) -> None:
    """What was stored is there when the graph is opened again."""
    said = edge("a", "X", "friend", "Y", at=later(1))
    await storage.graph.follow("s1", "t1", put=[said], hide=["t1"])
    if storage.open is None:
        return
    await storage.graph.close()
    again = storage.second()
    expect_equal(await again.browse(ANYTHING), (said.model_copy(update={"hidden": True}),), "stored statements")
    expect_equal(await again.followed("s1"), "t1", "followed()")


async def closed_is_closed(storage: GraphStorage) -> None:
    """close() may be called again; later calls raise StoreError."""
    graph = storage.graph
    await graph.follow("s1", "t1", put=[edge("a", "X", "friend", "Y", at=NOON)])
    await graph.close()
    await graph.close()
    try:
        await graph.browse(OF_ANN)
    except StoreError:
        return
    raise CheckError("expected a StoreError from browse() of a closed graph")


async def _ids(graph: Graph, first: str, second: str) -> list[list[str]]:
    return sorted([one.id for one in way] for way in await graph.paths(first, second, OF_ANN))


CHECKS: tuple[GraphCheck, ...] = (
    follow_stores_and_notes, a_deleted_session_is_not_followed, writing_again_changes_nothing, undo_and_redo,
    nothing_crosses_a_scope,
    one_user_ends_nothing_of_another, times_of_validity, ended_and_taken_back, neighbours_by_distance, shortest_paths,
    any_text_is_data, many_statements, deleted_for_good, forgetting, counted, two_at_once, reopened, closed_is_closed,
)  # fmt: skip
