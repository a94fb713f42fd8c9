"""Taking the graph from one backend to another: statements with their times and where they come from, and which turns were followed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from dataclasses import dataclass

from harness.memory.moving import PAGE, OnMoved
from harness.ports.graphs import Graph, GraphFilter
from harness.state.graph import Edge

EVERYTHING = GraphFilter(everything=True, hidden=True)


@dataclass(frozen=True, slots=True)
class GraphMoved:
    """What was taken over.

    Attributes:
        edges: how many statements the source has. ``copied``: now; ``present``: were there already.
        different: ids that both have and that say something else; the target's were left as they are.
        missing: ids that the target still lacks: they were written meanwhile.
        followed: sessions whose place was taken over.
    """

    edges: int = 0
    copied: int = 0
    present: int = 0
    different: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    followed: int = 0

    @property
    def whole(self) -> bool:
        """Whether the target has all that the source has, in the same words."""
        return not self.missing and not self.different


async def move_graph(
    source: Graph,
    target: Graph,
    *,
    overwrite: bool = False,
    sessions: Collection[str] = (),
    progress: OnMoved | None = None,
) -> GraphMoved:
    """Copy every statement, hidden ones too, and compare afterwards. The source is not changed.

    What is in the target stays there; doing it again copies what is missing, so it may be interrupted at any moment. Where a
    session stands is noted last: until then the graph makes good what is missing from the journal.

    Args:
        overwrite: statements that differ are replaced, instead of left as the target has them.
        sessions: ids besides those that statements name, whose places are taken over too.

    Raises:
        StoreError: one of the graphs does not answer; what was copied stays.
    """
    total = (await source.stats()).edges
    seen: set[str] = set(sessions)
    done = copied = 0
    different: list[str] = []
    there = await _known(target)
    async for page in _pages(source):
        seen |= {edge.session for edge in page}
        other = [edge for edge in page if edge.id in there and hash(edge) != there[edge.id]]
        different += [] if overwrite else [edge.id for edge in other]
        fresh = [edge for edge in page if edge.id not in there] + (other if overwrite else [])
        await _put(target, fresh)
        copied += len(fresh)
        done += len(page)
        if progress is not None:
            progress(done, max(total, done))
    followed = 0
    for session in sorted(seen):
        stands = await source.followed(session)
        if stands and not await target.followed(session):
            await target.follow(session, stands)
            followed += 1
    there = await _known(target)
    missing = [edge.id async for page in _pages(source) for edge in page if edge.id not in there]
    return GraphMoved(done, copied, done - copied, tuple(different), tuple(missing), followed)


async def _put(target: Graph, edges: Sequence[Edge]) -> None:
    """Store statements without moving where their session stands."""
    by_session: dict[str, list[Edge]] = {}
    for edge in edges:
        by_session.setdefault(edge.session, []).append(edge)
    for session, own in by_session.items():
        await target.follow(session, await target.followed(session) or None, put=own)


async def _pages(graph: Graph) -> AsyncIterator[Sequence[Edge]]:
    after = ""
    while page := await graph.browse(EVERYTHING, after=after, limit=PAGE):
        yield page
        after = page[-1].id


async def _known(graph: Graph) -> dict[str, int]:
    """What a graph has: ids, and a digest of what each says. Read whole, since servers do not order ids alike."""
    return {edge.id: hash(edge) async for page in _pages(graph) for edge in page}
