"""Reading the answer of ``/v1/embeddings`` as the endpoints of the field give it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from harness.adapters.models.failures import Target
from harness.adapters.models.replies import raise_error_body
from harness.errors import MalformedReply

REMEDY = "See whether models.embedder names an embedding model that the endpoint serves."


def read_embeddings(body: Mapping[str, Any], target: Target, count: int) -> tuple[tuple[float, ...], ...]:
    """The vectors of an answer, in the order of the texts: entries may come in any order, and say which they are.

    Raises:
        MalformedReply: not one vector of finite numbers for each text.
    """
    raise_error_body(body, target)
    data = body.get("data")
    entries = data if isinstance(data, list) else []
    if len(entries) != count:
        message = f"Expected {count} vectors from {target.shown}, but {len(entries)} came."
        raise target.error(MalformedReply, message, REMEDY)
    placed: dict[int, tuple[float, ...]] = {}
    for position, entry in enumerate(entries):
        raw = entry.get("embedding") if isinstance(entry, Mapping) else None
        if not isinstance(raw, list) or not raw or not all(_is_number(value) for value in raw):
            message = (
                f"Expected a list of numbers as vector {position} from {target.shown}, but {str(raw)[:80]!r} came."
            )
            raise target.error(MalformedReply, message, REMEDY)
        index = entry.get("index", position)
        placed[index if isinstance(index, int) else position] = tuple(float(value) for value in raw)
    if set(placed) != set(range(count)):
        message = (
            f"Expected one vector for each of {count} texts from {target.shown}; their indexes are {sorted(placed)}."
        )
        raise target.error(MalformedReply, message, REMEDY)
    return tuple(placed[index] for index in range(count))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
