"""Conversations that another system held by our scripts, read from a file to be graded here.

Either one conversation a line of JSON::

    {"suite": "three_rounds.en", "script": "moved", "persona": "ada", "turns": [{"user": "Where …?", "reply": "In …"}, …]}

or one pair a line, in JSON or CSV, with the columns ``conversation``, ``suite``, ``script``, ``persona``, ``user``, ``reply`` and, where
they are wanted, ``witness`` and ``repeat``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field, TypeAdapter, ValidationError, field_validator

from harness.blindtest.importing_words import mistakes, rows
from harness.errors import RunError
from harness.state.base import Frozen

MAX_BYTES = 256 * 1024 * 1024
_TOLD = 40
"""Mistakes that an error lists."""
_WHICH = ("suite", "script", "persona", "witness", "repeat", "seed", "slots")


class Pair(Frozen):
    """A message and its reply."""

    user: str
    reply: str


class Recorded(Frozen):
    """One conversation of another system.

    Attributes:
        suite: id, ``three_rounds.en``. ``persona``: id, name or path.
        slots: values that were drawn for the script; those that stand in the messages are found there.
        line: where it stands in its file.
    """

    suite: str = Field(min_length=1)
    script: str = Field(min_length=1)
    persona: str = Field(min_length=1)
    witness: str = Field(default="recorded", min_length=1)
    repeat: int = Field(default=0, ge=0)
    seed: int = Field(default=0, ge=0)
    slots: dict[str, str] = Field(default_factory=dict)
    turns: tuple[Pair, ...] = Field(min_length=1)
    line: int = 0

    @field_validator("turns", mode="before")
    @classmethod
    def _pairs(cls, value: Any) -> Any:
        if not isinstance(value, list):
            return value
        return [
            dict(zip(("user", "reply"), one, strict=True)) if isinstance(one, list) and len(one) == 2 else one
            for one in value
        ]


_FIELDS = (*_WHICH, "turns")
_READER: TypeAdapter[Recorded] = TypeAdapter(Recorded)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a file holds. ``problems``: (line, what is wrong, with its line)."""

    recorded: tuple[Recorded, ...]
    problems: tuple[tuple[int, str], ...] = ()


def read_recorded(path: Path | str, given: Mapping[str, str] | None = None) -> tuple[Recorded, ...]:
    """The conversations in a file (``.csv``, else JSON lines).

    Args:
        given: suite, script, persona, witness for lines that do not say.

    Raises:
        RunError: the file cannot be read, or something is wrong in it; every mistake is listed with its line.
    """
    found = recorded_in(path, given)
    if found.problems:
        raise refused(path, found.problems)
    return found.recorded


def recorded_in(path: Path | str, given: Mapping[str, str] | None = None) -> Reading:
    """Like :func:`read_recorded`, with what is wrong beside what is not, for who looks further. Raises RunError: the file cannot be read."""
    file = Path(path)
    try:
        if file.stat().st_size > MAX_BYTES:
            raise RunError(f"{file} is larger than {MAX_BYTES >> 20} MB.", remedy="Split it.")
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as failure:
        reason = getattr(failure, "strerror", None) or failure
        raise RunError(
            f"{file} cannot be read: {reason}.", remedy="Give a file of JSON lines or CSV in UTF-8."
        ) from failure
    problems: list[tuple[int, str]] = []
    lines = rows(text, problems) if file.suffix.casefold() == ".csv" else _json(text, problems)
    made: list[Recorded] = []
    for number, body in _grouped(lines, problems):
        whole = {**{name: value for name, value in (given or {}).items() if value}, **body, "line": number}
        try:
            made.append(_READER.validate_python(whole))
        except ValidationError as failure:
            problems += [(number, f"line {number}: {words}") for words in mistakes(failure, _FIELDS)]
    if not made and not problems:
        problems.append((0, "expected at least one conversation, found none"))
    return Reading(tuple(_numbered(made)), tuple(sorted(problems)))


def refused(path: Path | str, problems: Sequence[tuple[int, str]]) -> RunError:
    """The error that lists what is wrong in a file, by lines."""
    told = [text for _, text in sorted(problems)]
    more = [f"… and {len(told) - _TOLD} more"] if len(told) > _TOLD else []
    return RunError(
        f"{path} cannot be imported:\n" + "\n".join(f"  {one}" for one in (*told[:_TOLD], *more)),
        remedy="Correct these lines; docs/blindtests.md shows the two forms, `harness blindtest show SUITE --script ID` what a script says.",
        problems=tuple(told),
    )


def _json(text: str, problems: list[tuple[int, str]]) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            body = json.loads(line)
        except ValueError as failure:
            problems.append((number, f"line {number}: expected an object of JSON, got {line[:60]!r} ({failure})"))
            continue
        if isinstance(body, dict):
            yield number, body
        else:
            problems.append((number, f"line {number}: expected an object of JSON, got {line[:60]!r}"))


def _grouped(
    lines: Iterable[tuple[int, dict[str, Any]]], problems: list[tuple[int, str]]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Conversations: lines that have their turns, and pairs put together by what they belong to."""
    open_: dict[tuple[Any, ...], tuple[int, dict[str, Any]]] = {}
    for number, body in lines:
        if "turns" in body:
            yield number, body
            continue
        if "user" not in body or "reply" not in body:
            got = ", ".join(body) or "nothing"
            problems.append((number, f"line {number}: expected `turns`, or `user` and `reply`, got {got}"))
            continue
        which = {name: body[name] for name in _WHICH if name in body}
        key = (str(body.get("conversation", "")), *(str(which.get(name, "")) for name in _WHICH))
        _, whole = open_.setdefault(key, (number, {**which, "turns": []}))
        whole["turns"].append({"user": body["user"], "reply": body["reply"]})
    if (
        not problems or not open_
    ):  # a pair that cannot be read is missing in its conversation, which says nothing about the rest of it
        yield from open_.values()


def _numbered(found: list[Recorded]) -> Iterator[Recorded]:
    """Conversations of the same case are repeats of it."""
    seen: dict[tuple[str, str, str, str], set[int]] = {}
    for one in found:
        taken = seen.setdefault((one.suite, one.script, one.persona, one.witness), set())
        repeat = one.repeat
        while repeat in taken:
            repeat += 1
        taken.add(repeat)
        yield one.model_copy(update={"repeat": repeat})
