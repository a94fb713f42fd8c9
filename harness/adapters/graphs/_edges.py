"""Statements as stored documents."""

from __future__ import annotations

import json

from harness.errors import CorruptStore, NewerSchema, StateError, StoreError
from harness.state.graph import Edge
from harness.state.migrations import load


def dump(edge: Edge) -> str:
    """The document of a statement; whether it is hidden is kept beside it."""
    said = edge.model_dump(mode="json", exclude_defaults=True, exclude={"hidden"})
    return json.dumps({"schema_version": edge.schema_version, **said}, ensure_ascii=False, separators=(",", ":"))


def read(document: str, *, hidden: bool, place: str) -> Edge:
    """A stored statement. Raises NewerSchema, CorruptStore."""
    try:
        edge = load(Edge, document)
    except NewerSchema:
        raise
    except StateError as error:
        raise CorruptStore(
            f"A statement in the graph {place!r} cannot be read: {error.message}",
            remedy="Restore the graph from a backup, or delete it: it is made again from the sessions as they are used.",
            path=place,
        ) from error
    return edge.model_copy(update={"hidden": True}) if hidden else edge


def closed() -> StoreError:
    """The error for a call after close()."""
    return StoreError("The graph was closed.", remedy="Open another one.")
