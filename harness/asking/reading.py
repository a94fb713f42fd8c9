"""Reading a structured answer out of what a model wrote."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypeVar, cast

from pydantic import BaseModel, TypeAdapter, ValidationError

from harness.tolerant import Reading, readings

T = TypeVar("T")


def read(text: str, schema: TypeAdapter[T] | type[T]) -> tuple[T | None, str, str]:
    """The structured answer in a text: value, problem, note. Without a problem the value holds, even if it is None."""
    adapter = adapter_of(schema)
    shape = schema_of(adapter)
    problem = "there is no JSON in it" if text.strip() else "it is empty"
    found: list[tuple[T | None, str]] = []
    for reading in readings(text):
        for candidate in _shapes(reading, shape):
            value, wrong = _validated(candidate, adapter, shape)
            if not wrong:
                found.append((value, candidate.note))
                break
            problem = wrong
    if not found:
        return None, problem, ""
    value, note = found[0] if len(found) == 1 or not found[0][1] else found[-1]
    if len(found) > 1:
        note = "; ".join(filter(None, (note, f"{len(found)} different answers in the text, the last one taken")))
    return value, "", note


def _shapes(reading: Reading, shape: Mapping[str, Any]) -> list[Reading]:
    """A value as it is, and in the shapes it should have had: unwrapped from a list or key, wrapped into the only list."""
    value, note = reading.value, reading.note
    found = [reading]

    def add(other: Any, how: str) -> None:
        found.append(Reading(other, "; ".join(filter(None, (note, how)))))

    properties: Mapping[str, Any] = shape.get("properties", {})
    if shape.get("type") == "array":
        if isinstance(value, dict):
            lists = [item for item in value.values() if isinstance(item, list)]
            if len(lists) == 1:
                add(lists[0], "the list inside an object")
            add([value], "one element without its list")
        return found
    if isinstance(value, list):
        if len(value) == 1 and isinstance(value[0], dict):
            add(value[0], "the only element of a list")
        arrays = [name for name, part in properties.items() if part.get("type") == "array"]
        if len(arrays) == 1:
            add({arrays[0]: value}, f"a bare list taken as {arrays[0]!r}")
    elif len(value) == 1:
        key, inner = next(iter(value.items()))
        if key not in properties and isinstance(inner, dict):
            add(inner, f"unwrapped from {key!r}")
    return found


def _validated(reading: Reading, adapter: TypeAdapter[Any], shape: Mapping[str, Any]) -> tuple[Any, str]:
    """Value and problem. An object that shares no key with the schema is no answer, even if every key has a default."""
    value = reading.value
    properties: Mapping[str, Any] = shape.get("properties", {})
    if properties and isinstance(value, dict) and not properties.keys() & value.keys():
        return None, f"none of the keys {sorted(properties)!r} is in it"
    try:
        return adapter.validate_json(json.dumps(value)), ""
    except ValidationError as error:
        wrong = [
            f"{'.'.join(map(str, part['loc'])) or 'answer'}: {part['msg']}" for part in error.errors(include_url=False)
        ]
        return None, "; ".join(wrong[:3])


def adapter_of(schema: TypeAdapter[T] | type[T]) -> TypeAdapter[T]:
    """The adapter of a model, made once; an adapter is its own."""
    return (
        schema
        if isinstance(schema, TypeAdapter)
        else cast("TypeAdapter[T]", _adapter_of_model(cast("type[BaseModel]", schema)))
    )


@lru_cache(maxsize=128)
def _adapter_of_model(schema: type[BaseModel]) -> TypeAdapter[BaseModel]:
    return TypeAdapter(schema)


@lru_cache(maxsize=128)
def schema_of(adapter: TypeAdapter[Any]) -> dict[str, Any]:
    """The JSON schema of an adapter, made once."""
    return adapter.json_schema()
