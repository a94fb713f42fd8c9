"""What memories said, taken out of the graph when they are deleted or put otherwise by hand."""

from __future__ import annotations

from collections.abc import Sequence

from harness.ports import Graph
from harness.ports.graphs import GraphFilter
from harness.state.graph import Edge
from harness.state.memory import MemoryItem

_PAGE = 200


async def unsay(graph: Graph | None, items: Sequence[MemoryItem], *, replaced: bool = False) -> None:
    """Remove from the graph what items said that are deleted, or ``replaced`` by other words: then also what these ended."""
    facts = {item.id: item.session for item in items if item.turn_id and item.attribute}
    if graph is None or not facts:
        return
    said: list[Edge] = []
    for session in sorted(set(facts.values())):
        where = GraphFilter(everything=True, session=session, hidden=True)
        after = ""
        while page := await graph.browse(where, after=after, limit=_PAGE):
            said += [edge for edge in page if edge.id.rpartition(".")[0] in facts]
            after = page[-1].id
    gone = {edge.id for edge in said}
    for edge in said if replaced else ():
        near = await graph.touching([edge.subject_key], GraphFilter(scope=edge.scope, hidden=True))
        same = (edge.subject_key, edge.relation, edge.scope)
        gone |= {one.id for one in near if edge.single and (one.subject_key, one.relation, one.scope) == same}
    if gone:
        await graph.delete(gone)
