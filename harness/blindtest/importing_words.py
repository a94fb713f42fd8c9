"""Rows of CSV, and what is wrong in a file of recorded conversations, in words for whoever wrote it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import ValidationError

_CELL = 1 << 28
"""Characters of a cell that are taken, as many as of a line of JSON."""
_SHOWN = 60
_NUMBERS = ("int_type", "int_parsing", "int_from_float", "greater_than_equal", "less_than_equal")


def rows(text: str, problems: list[tuple[int, str]]) -> list[tuple[int, dict[str, Any]]]:
    """(line, cells by column) of CSV; a cell that is empty is left out, but for message and reply. What is wrong goes to ``problems``."""
    before = csv.field_size_limit(_CELL)
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    found: list[tuple[int, dict[str, Any]]] = []
    begin = 1
    try:
        names = list(reader.fieldnames or ())
        if absent := [name for name in ("user", "reply") if name not in names]:
            problems.append((1, _columns(names, absent)))
            return found
        begin = reader.line_num + 1
        for body in reader:
            row, begin = begin, reader.line_num + 1
            if wrong := _cells(body):
                problems.append((row, f"line {row}: {wrong}"))
            else:
                found.append(
                    (row, {name: cell for name, cell in body.items() if name and (cell or name in ("user", "reply"))})
                )
    except csv.Error as failure:
        problems.append((begin, f"line {begin}: {_misquoted(failure)}"))
    finally:
        csv.field_size_limit(before)
    return found


def _columns(names: Sequence[str], absent: Sequence[str]) -> str:
    head = ", ".join(names)
    told = f"line 1: expected the columns user and reply, {' and '.join(absent)} not found; found {head[:_SHOWN] or 'nothing'}"
    other = next((mark for mark in (";", "\t", "|") if mark in head), "")
    shown = {"\t": "tabs"}.get(other, repr(other))
    return f"{told}; columns are parted by commas, these seem to be by {shown}" if other else told


def _cells(body: dict[Any, Any]) -> str:
    if absent := [name for name, cell in body.items() if name is not None and cell is None]:
        return f"the row ends before the columns {', '.join(absent)}"
    more = len(body.get(None, ()))
    return f"the row has {more} more cells than columns; put cells with commas into quotation marks" if more else ""


def _misquoted(failure: csv.Error) -> str:
    if "unexpected end" in str(failure):
        return "a quotation mark is opened in this row and never closed"
    return f"no CSV ({failure}); a quotation mark within a cell is written twice"


def mistakes(failure: ValidationError, fields: Sequence[str]) -> Iterator[str]:
    """What is wrong with a conversation. ``fields``: those that it may have."""
    errors = failure.errors()
    within = any(error["loc"][0] == "turns" and len(error["loc"]) > 1 for error in errors)
    for error in errors:
        if within and error["loc"] == ("turns",):
            continue  # turns that are wrong are counted as absent
        yield _mistake(error, fields)


def _mistake(error: Any, fields: Sequence[str]) -> str:
    kind, place, got = error["type"], _place(error["loc"]), json.dumps(error["input"], ensure_ascii=False, default=str)
    shown = got if len(got) <= _SHOWN else f"{got[:_SHOWN]}…"
    if kind == "missing":
        return f"{place} is missing"
    if kind == "extra_forbidden":
        return f"there is no {place}; there are {', '.join(fields)}"
    if kind in ("too_short", "string_too_short"):
        return f"{place} {'are' if place == '`turns`' else 'is'} empty"
    if kind in _NUMBERS:
        return f"expected a whole number from 0 as {place}, got {shown}"
    if kind == "string_type":
        return f"expected text as {place}, got {shown}"
    if kind in ("model_type", "model_attributes_type"):
        return f"expected a message and its reply as {place}, got {shown}"
    if kind in ("tuple_type", "list_type"):
        return f"expected a list of messages with their replies as {place}, got {shown}"
    if kind == "dict_type":
        return f"expected values by name as {place}, got {shown}"
    return f"{place}: {error['msg'][0].lower()}{error['msg'][1:]}"


def _place(loc: Sequence[str | int]) -> str:
    if loc[0] == "turns" and len(loc) > 1:
        turn = f"turn {int(loc[1]) + 1}"
        return f"`{loc[2]}` of {turn}" if len(loc) > 2 else turn
    return "`" + ".".join(str(part) for part in loc) + "`"
