"""The graph of one session: it goes along with its turns, and says what stands near the entities of a message."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import structlog

from harness.errors import HarnessError
from harness.language import LanguagePacks
from harness.memory.bound import SessionMemory, Shared
from harness.memory.following import Tree, way_to
from harness.memory.forgetting import forgotten
from harness.memory.naming import (
    asked_relations,
    asks_for_past,
    is_unnamed,
    line,
    mentioned,
    owners_meant,
    possible_names,
)
from harness.memory.relating import edges_of_turn
from harness.memory.scopes import asked_scope, written_scope
from harness.ports import MemoryStore, Recalled, Remembered
from harness.ports.graphs import Graph, GraphFilter, Neighbour
from harness.state import USER
from harness.state.graph import Edge, name_key
from harness.state.memory import MemoryItem, MemoryLayer, MemoryWrite, Scope

if TYPE_CHECKING:
    from harness.state import DialogueState, Fact, TurnRecord

log = structlog.get_logger("harness.graph")

ASKED, NEAR, ON_PATH, FAR = 0.9, 0.6, 0.7, 0.4
"""Scores: an edge of a relation that the message asks for, one at an entity it names, one on a way between two, one farther off."""
CLEAR = 0.65
"""Score from which an edge is shown though memory shows the fact it stems from."""
LAYER: MemoryLayer = "L3"
"""Layer whose settings say whether edges are shown."""
MOST_NAMED = 6
"""Entities of a message between which ways are looked for."""
LONGEST_WAY = 3


@dataclass(frozen=True, slots=True)
class GraphPolicy:
    """How much of the graph goes into a prompt.

    Attributes:
        depth: steps away from the entities of the message, 1 to 4.
        top_k: most edges. ``max_tokens``: most tokens of them together.
        lasting: attributes of the user that hold in every project of theirs.
        left_out: why none is shown (``memory_l3.fields``); empty where they are.
    """

    depth: int = 2
    top_k: int = 6
    max_tokens: int = 150
    lasting: frozenset[str] = frozenset()
    left_out: str = ""


@dataclass(frozen=True, slots=True)
class SharedGraph:
    """What the graphs of all sessions share. ``items``: the memory store, which knows what was forgotten; None without one."""

    graph: Graph
    policy: GraphPolicy
    packs: LanguagePacks
    count_tokens: Callable[[str], int]
    items: MemoryStore | None = None


class SessionGraph:
    """Reads and writes the graph for one session. What it missed it makes from the journal."""

    def __init__(self, shared: SharedGraph, tree: Tree) -> None:
        self._shared = shared
        self._tree = tree
        self._stands: str | None = None

    async def recall(
        self, text: str, *, language: str, now: datetime, task: str = "", beside: Sequence[MemoryItem] = ()
    ) -> Recalled:
        """Neighbours of the entities in a self-contained message, and short ways between them, as items of memory.

        Args:
            beside: what memory shows already; an edge that one of these states is left out, unless it is what is asked for.

        Raises:
            StoreError: the graph cannot be read.
        """
        shared = self._shared
        pack = shared.packs.get(language)
        where = GraphFilter(scope=asked_scope(self._tree.info, task))
        at = None if asks_for_past(text, pack) else now
        forms = possible_names(text)
        named = mentioned(text, forms, await shared.graph.touching(list(forms), where)) if forms else ()
        asked = asked_relations(text, pack)
        owners = owners_meant(text, pack) if asked else ()
        scored: dict[str, Remembered] = {}

        def offer(edge: Edge, score: float, why: str) -> None:
            if is_unnamed(edge, shared.packs.get(edge.language or language)) and score < ASKED:
                return  # that there is a sister, what is known of her says
            known = scored.get(edge.id)
            if known is None or known.score < score:
                scored[edge.id] = Remembered(self._item(edge, line(edge, pack)), score, why)

        seeds = list(named)
        for one in await shared.graph.neighbours(owners, where, depth=1, at=at) if owners else ():
            if one.edge.relation in asked:
                offer(one.edge, ASKED, f"asks for {one.edge.relation} of {one.origin}")
                seeds += [key for key in one.edge.keys if key not in (one.origin, *seeds)]
        found = await shared.graph.neighbours(seeds, where, depth=shared.policy.depth, at=at) if seeds else ()
        for one in found:
            score = _score(one, asked)
            if score:
                offer(one.edge, score, _why(one, asked))
        for first, second in _pairs(named[:MOST_NAMED]):
            for way in await shared.graph.paths(first, second, where, max_length=LONGEST_WAY, at=at):
                for edge in way:
                    offer(edge, ON_PATH, f"on the way from {first} to {second}")
        return Recalled(self._fitted(list(scored.values()), beside), considered={LAYER: len(scored)})

    def _item(self, edge: Edge, text: str) -> MemoryItem:
        return MemoryItem(
            id=f"edge.{edge.id}",
            layer=LAYER,
            kind="relation",
            text=text,
            scope=edge.scope,
            speaker=edge.speaker,
            session=edge.session,
            turn_id=edge.turn_id,
            turn=edge.turn,
            quote=edge.quote,
            language=edge.language,
            at=edge.at,
            key=name_key(text),
        )

    def _fitted(self, found: list[Remembered], beside: Sequence[MemoryItem]) -> tuple[Remembered, ...]:
        policy = self._shared.policy
        found.sort(key=lambda one: (-one.score, -(one.item.at.timestamp() if one.item.at else 0.0), one.item.id))
        stated = {item.id for item in beside}
        kept: list[Remembered] = []
        shown: dict[str, str] = {}
        tokens = 0
        for one in found:
            cost = self._shared.count_tokens(one.item.text)
            fact = one.item.id.removeprefix("edge.").rpartition(".")[0]
            dropped = ""
            if policy.left_out:
                dropped = policy.left_out
            elif one.item.key in shown:
                dropped = f"says what {shown[one.item.key]} says"
            elif fact in stated and one.score < CLEAR:  # what is asked for is worth a line that says just that
                dropped = f"says what {fact} says"
            elif len(shown) >= policy.top_k:
                dropped = f"more than {policy.top_k} edges of the graph"
            elif tokens + cost > policy.max_tokens:
                dropped = f"over the {policy.max_tokens} tokens of the graph"
            else:
                shown[one.item.key] = one.item.id
                tokens += cost
            kept.append(replace(one, dropped=dropped))
        shown_first = [one for one in kept if not one.dropped]
        return (*shown_first, *[one for one in kept if one.dropped][: policy.top_k])

    async def follow(self, turn_id: str | None) -> None:
        """Go along to a turn of the tree, writing what was missed on the way there.

        Raises:
            StoreError: the graph stands where it stood.
        """
        if self._stands == (turn_id or ""):
            return
        graph, info = self._shared.graph, self._tree.info
        stands = await graph.followed(info.id)
        if stands == (turn_id or ""):
            self._stands = stands
            return
        if stands is None and turn_id is None:
            return
        way = await way_to(self._tree, stands, turn_id)
        found: list[Edge] = []
        async with aclosing(way.turns(self._tree)) as turns:
            async for record, before, after in turns:
                found += self._edges(record, before, after)
        put = await self._kept(found)
        await graph.follow(info.id, turn_id, put=put, hide=way.left, show=way.missed)
        await self._unless_forgotten(put)
        await self._unless_deleted()
        self._stands = turn_id or ""

    async def keep(self, record: TurnRecord, *, before: DialogueState | None, after: DialogueState) -> None:
        """Write what a turn says. Raises StoreError."""
        await self.follow(record.parent)
        before = before if before is not None else await self._tree.state_at(record.parent)
        found = await self._kept(self._edges(record, before, after))
        await self._shared.graph.follow(self._tree.info.id, record.id, put=found, show=[record.id])
        await self._unless_forgotten(found)
        await self._unless_deleted()
        self._stands = record.id

    async def _unless_forgotten(self, put: Sequence[Edge]) -> None:
        """Take back what was written after it was forgotten elsewhere, as memory does."""
        kept = {edge.id for edge in await self._kept(put)}
        gone = [edge.id for edge in put if edge.id not in kept]
        if gone:
            await self._shared.graph.delete(gone)

    async def _unless_deleted(self) -> None:
        """Leave no id of a session that is gone, as memory does."""
        if not await self._tree.exists():
            await self._shared.graph.unfollow([self._tree.info.id])

    def _edges(self, record: TurnRecord, before: DialogueState, after: DialogueState) -> tuple[Edge, ...]:
        info = self._tree.info
        lasting = self._shared.policy.lasting

        def scope(fact: Fact) -> Scope:
            about_user = fact.subject == USER and fact.attribute.casefold() in lasting
            return written_scope(info, lasting=about_user)

        return edges_of_turn(record, before=before, after=after, info=info, scope=scope, packs=self._shared.packs)

    async def _kept(self, found: Sequence[Edge]) -> Sequence[Edge]:
        """Edges without those whose facts were forgotten."""
        items = self._shared.items
        if items is None or not found:
            return found
        facts = {edge.id: _fact_of(edge) for edge in found}
        gone = await forgotten(list(facts.values()), items)
        return [edge for edge in found if facts[edge.id].id not in gone]


class GraphedMemory(SessionMemory):
    """A session's memory with a graph beside it. What the graph cannot do is a warning: the turn goes on."""

    def __init__(self, shared: Shared, tree: Tree, graph: SharedGraph) -> None:
        super().__init__(shared, tree)
        self._graph = SessionGraph(graph, tree)
        self._session = tree
        self._behind = ""
        self._keeping = False

    async def recall(self, text: str, *, language: str, now: datetime, before: int = 0, task: str = "") -> Recalled:
        """What memory knows, and what the graph adds to it."""
        found = await super().recall(text, language=language, now=now, before=before, task=task)
        warnings = (self._behind,) if self._behind else ()
        try:
            shown = [one.item for one in found.items if not one.dropped]
            near = await self._graph.recall(text, language=language, now=now, task=task, beside=shown)
        except HarnessError as error:
            log.warning("graph_failed", session=self._session.info.id, error=error.message)
            unread = f"the graph could not be read: {error.message}"
            return replace(found, warnings=(*found.warnings, *warnings, unread))
        considered = dict(Counter(found.considered) + Counter(near.considered))
        items, warnings = (*found.items, *near.items), (*found.warnings, *warnings)
        return replace(found, items=items, warnings=warnings, considered=considered)

    async def keep(
        self, record: TurnRecord, *, before: DialogueState | None, after: DialogueState
    ) -> tuple[MemoryWrite, ...]:
        """Write what a turn leaves behind, in memory and then in the graph. Raises StoreError for memory."""
        self._keeping = True  # which begins with following, in the graph as well
        try:
            written = await super().keep(record, before=before, after=after)
        finally:
            self._keeping = False
            await self._try(lambda: self._graph.keep(record, before=before, after=after))
        return written

    async def follow(self, turn_id: str | None) -> None:
        """Go along to a turn of the tree. Raises StoreError for memory."""
        try:
            await super().follow(turn_id)
        finally:
            if not self._keeping:
                await self._try(lambda: self._graph.follow(turn_id))

    async def _try(self, work: Callable[[], Any]) -> None:
        try:
            await work()
            self._behind = ""
        except HarnessError as error:
            log.warning("graph_failed", session=self._session.info.id, error=error.message)
            self._behind = f"the graph is behind, and catches up when it answers: {error.message}"


def _fact_of(edge: Edge) -> MemoryItem:
    """The memory that the fact of an edge left, as far as forgetting asks for it."""
    return MemoryItem(
        id=edge.id.rstrip("-").rpartition(".")[0],
        layer=LAYER,
        kind="fact",
        text="",
        scope=edge.scope,
        session=edge.session,
        turn_id=edge.turn_id,
        at=edge.at,
    )


def _score(one: Neighbour, asked: frozenset[str]) -> float:
    """How much an edge has to do with a message; 0 for what is too far off to be told."""
    if one.edge.relation in asked:
        return ASKED / (1 + 0.25 * (one.distance - 1))
    if one.distance == 1:
        return NEAR
    return FAR / one.distance if not asked else 0.0


def _why(one: Neighbour, asked: frozenset[str]) -> str:
    what = f"asks for {one.edge.relation}" if one.edge.relation in asked else "neighbour"
    return f"{what} of {one.origin}" + (f", {one.distance} steps away" if one.distance > 1 else "")


def _pairs(named: Sequence[str]) -> list[tuple[str, str]]:
    return [(first, second) for at, first in enumerate(named) for second in named[at + 1 :]]


def remembering(shared: Shared, tree: Tree, graph: SharedGraph | None) -> SessionMemory:
    """The memory of a session, with the graph where there is one."""
    return SessionMemory(shared, tree) if graph is None else GraphedMemory(shared, tree, graph)


__all__ = ["GraphPolicy", "GraphedMemory", "SessionGraph", "SharedGraph", "remembering"]
