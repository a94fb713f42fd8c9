"""Whole stores against the journal: what sessions, memory, vectors, short-term messages, graph and artifacts hold is what the journal
says, nothing less and nothing twice.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.adapters.graphs.ram import InProcessGraph
from harness.adapters.memories.ram import InProcessMemoryStore
from harness.adapters.short_term.ram import InProcessShortTerm
from harness.app import Harness
from harness.ports import Graph, GraphFilter, MemoryFilter, MemoryStore, ShortTerm
from harness.session import initial_state, rebuild
from harness.state import TurnRecord
from harness.testing.scripted_model import ScriptedModel
from tests._owners import settings_for

EVERYTHING = MemoryFilter(everything=True, statuses=())
ALL_EDGES = GraphFilter(everything=True, hidden=True)
MOST = 10_000


async def memory_of(store: MemoryStore, sessions: list[str]) -> dict[str, Any]:
    """Items, words and vectors of a memory store, and where it stands; without how often it was read."""
    items = await store.browse(EVERYTHING, limit=MOST)
    vectors = await store.vectors([item.id for item in items])  # type: ignore[attr-defined]
    unread = {"uses": 0, "last_used_at": None}
    stats = await store.stats()
    return {
        "items": [item.model_copy(update=unread) for item in items],
        "vectors": {name: [round(value, 4) for value in vector] for name, vector in sorted(vectors.items())},
        "stands": {session: await store.followed(session) for session in sessions},
        "counts": (stats.items, stats.vectors),
    }


async def graph_of(graph: Graph, sessions: list[str]) -> dict[str, Any]:
    return {
        "edges": list(await graph.browse(ALL_EDGES, limit=MOST)),
        "stands": {session: await graph.followed(session) for session in sessions},
    }


async def short_term_of(store: ShortTerm, sessions: list[str]) -> dict[str, Any]:
    return {session: (await store.stands(session), await store.recent(session)) for session in sessions}


async def compare(folder: Path, overrides: Mapping[str, Any]) -> dict[str, list[TurnRecord]]:
    """Open the stores as a new program does, bring them up to date, and compare each of them with the journal, whole.

    Gives the branch of each session. Any difference is an AssertionError.
    """
    settings = settings_for(folder, overrides)
    async with Harness(settings, model=ScriptedModel("Mm.")) as app:
        infos = await app.store().sessions()
        sessions = sorted(info.id for info in infos)
        branches: dict[str, list[TurnRecord]] = {}
        for name in sessions:
            session = await app.open(session=name)
            await session.settled()
            branches[name] = list(await session.branch())
            await _session_agrees(app, name, branches[name])
        store = app.memory_store()
        assert store is not None
        memory, graph = await memory_of(store, sessions), await graph_of(app.graphs().graph, sessions)
        recent = await short_term_of(app.short_term(), sessions)
    # The same journal, read by stores that begin with nothing.
    fresh = (
        InProcessMemoryStore(),
        InProcessGraph(),
        InProcessShortTerm(max_tokens=settings.settings.short_term.max_tokens),
    )
    async with Harness(
        settings, model=ScriptedModel("Mm."), memory=fresh[0], graph=fresh[1], short_term=fresh[2]
    ) as app:
        for name in sessions:
            await (await app.open(session=name)).settled()
        await app.memories().reindex()
        expected = await memory_of(fresh[0], sessions)
        assert [item.id for item in memory["items"]] == [item.id for item in expected["items"]]
        assert memory == expected, "memory is what the journal says"
        assert graph == await graph_of(fresh[1], sessions), "the graph is what the journal says"
        assert recent == await short_term_of(fresh[2], sessions), "short-term messages are what the journal says"
    assert Counter(item.id for item in memory["items"]).most_common(1)[0][1] == 1
    assert [text for text in _said(branches) if not any(text in item.text for item in memory["items"])] == []
    return branches


async def _session_agrees(app: Harness, name: str, branch: list[TurnRecord]) -> None:
    session, store = await app.open(session=name), app.store()
    info, state = await store.info(name), await session.state()
    assert state.phase == "done"
    assert [record.phase for record in branch] == ["done"] * len(branch)
    assert [record.number for record in branch] == list(range(1, len(branch) + 1)), "each turn once, in order"
    assert [record.parent for record in branch] == [None, *(record.id for record in branch)][: len(branch)]
    assert info.head == (branch[-1].id if branch else None)
    assert rebuild(initial_state(info), branch) == state
    snapshot = await store.snapshot(name, info.head or "")
    if snapshot is not None:
        at, kept = snapshot
        place = [record.id for record in branch].index(at)
        assert rebuild(initial_state(info), branch[: place + 1]) == kept, "a snapshot is what the journal says"
    wanted = {one.ref: one.sha256 for one in await session.tool_results() if one.ref}
    held = await app.artifacts().held(name)
    assert set(wanted) <= set(held), "no long result is lost"
    for ref, sha256 in wanted.items():
        assert hashlib.sha256((await session.artifact(ref)).encode()).hexdigest() == sha256


def _said(branches: Mapping[str, list[TurnRecord]]) -> list[str]:
    """What the users said that memory must have: everything that tells something."""
    return [record.user_text for branch in branches.values() for record in branch if record.user_text.startswith(TELLS)]


TELLS = ("My cat", "I'm allergic", "I bought", "我的猫", "我对", "我买了")
