"""Reading suite files: everything that is wrong with one is said at once, each with line and column."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from harness.blindtest.checking import cross_check
from harness.blindtest.suite import Capture, Expect, Length, Round, Script, Slot, StateExpect, Statement, Step, Suite
from harness.errors import SuiteError
from harness.language import LanguagePacks, load_packs
from harness.yaml_strict import StrictLoader

SUFFIXES = (".yaml", ".yml")
SHIPPED = Path(__file__).parent / "suites"
MAX_BYTES = 4 * 1024 * 1024
Place = tuple[str | int, ...]
_UNPRINTED = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_MODELS: tuple[type[BaseModel], ...] = (
    Suite, Script, Round, Step, Expect, StateExpect, Statement, Length, Capture, Slot,
)  # fmt: skip
_PLAIN_TAGS = tuple(f"tag:yaml.org,2002:{kind}" for kind in ("str", "map", "seq"))


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing that is wrong with a suite file. ``line`` and ``column`` count from 1; 0 for the file as a whole."""

    line: int
    column: int
    message: str

    def __str__(self) -> str:
        """``line 3, column 5: expected …``."""
        return f"line {self.line}, column {self.column}: {self.message}" if self.line else self.message


def shipped_suites() -> tuple[Path, ...]:
    """The suite files of the package."""
    return tuple(sorted(SHIPPED.glob("*.yaml")))


def find_suites(name: str | Path, *, language: str = "") -> tuple[Path, ...]:
    """The files that a name stands for.

    Args:
        name: a suite of the package (``three_rounds``, ``three_rounds.zh``), the path of a file, or a folder of files.
        language: only files whose name ends in this language, where there are several.

    Raises:
        SuiteError: there is none.
    """
    path = Path(name)
    if path.is_file():
        return (path,)
    if path.is_dir():
        found = sorted(file for suffix in SUFFIXES for file in path.glob(f"*{suffix}"))
        if not found:
            raise SuiteError(
                f"Expected suite files (*.yaml) in {path}, found none.", remedy="Give a folder with suite files."
            )
    else:
        shipped = {file.stem: file for file in shipped_suites()}
        found = [file for stem, file in shipped.items() if str(name) in (stem, stem.partition(".")[0])]
        if not found:
            names = sorted({stem.partition(".")[0] for stem in shipped})
            near = difflib.get_close_matches(str(name), names, n=1)
            hint = f"Did you mean {near[0]!r}? " if near else ""
            raise SuiteError(
                f"Expected a suite of the package or the path of a suite file, got {str(name)!r}.",
                remedy=f"{hint}There are {', '.join(names)}.",
            )
    chosen = [file for file in found if not language or file.stem.endswith(f".{language}")] or found
    return tuple(chosen)


def load_suite(path: str | Path, *, packs: LanguagePacks | None = None) -> Suite:
    """Read one suite file.

    Args:
        path: the file, in UTF-8.
        packs: the languages there are; the built-in ones when None.

    Raises:
        SuiteError: the file cannot be read, or something is wrong in it; ``details``: ``source``, ``problems`` (every
            :class:`Problem`, by line).
    """
    path = Path(path)
    return parse_suite(_read(path), source=str(path), packs=packs)


def parse_suite(text: str, *, source: str = "suite", packs: LanguagePacks | None = None) -> Suite:
    """Like :func:`load_suite`, from the text of a file; ``source`` is how errors call it."""
    data, marks, problems = _composed(text)
    suite: Suite | None = None
    if isinstance(data, dict):
        try:
            suite = Suite.model_validate(data)
        except ValidationError as failure:
            problems += _explained(failure, marks)
    elif not problems:
        problems.append(Problem(1, 1, f"expected `key: value` lines such as `suite: drift`, got {_shown(data)}"))
    if isinstance(data, dict):
        known = packs or load_packs()
        problems += [Problem(*_mark(place, marks), message) for place, message in cross_check(data, known)]
    if problems or suite is None:
        ordered = tuple(sorted(set(problems)))
        shown = "\n".join(f"  {problem}" for problem in ordered)
        count = "1 mistake" if len(ordered) == 1 else f"{len(ordered)} mistakes"
        raise SuiteError(
            f"{source} has {count}:\n{shown}",
            remedy="Correct these lines; docs/blindtests.md lists what a suite may hold.",
            source=source,
            problems=ordered,
        )
    return suite


def _read(path: Path) -> str:
    try:
        raw = path.read_bytes()[: MAX_BYTES + 1]
    except OSError as failure:
        raise SuiteError(
            f"{path} cannot be read: {failure.strerror or failure}.", remedy="Give the path of a suite file."
        ) from failure
    if len(raw) > MAX_BYTES:
        raise SuiteError(f"{path} is larger than the {MAX_BYTES} bytes a suite may have.", remedy="Split it.")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as failure:
        line = raw.count(b"\n", 0, failure.start) + 1
        raise SuiteError(f"{path}, line {line}: not UTF-8 text.", remedy="Save the file as UTF-8.") from failure


def _composed(text: str) -> tuple[Any, dict[Place, tuple[int, int]], list[Problem]]:
    """The data of a YAML text, where each part of it stands, and what is wrong with it as YAML."""
    if (found := _UNPRINTED.search(text)) is not None:
        line = text.count("\n", 0, found.start()) + 1
        column = found.start() - text.rfind("\n", 0, found.start())
        return (
            None,
            {},
            [Problem(line, column, f"no valid YAML: the character U+{ord(found[0]):04X} cannot stand in it")],
        )
    loader = StrictLoader(text)
    try:
        root = loader.get_single_node()
    except yaml.MarkedYAMLError as failure:
        mark = failure.problem_mark or failure.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
        said = " ".join(part for part in (failure.context, failure.problem) if part)
        return None, {}, [Problem(line, column, f"no valid YAML: {said}{_hint(text, line, column)}")]
    except (yaml.YAMLError, RecursionError, ValueError) as failure:
        return None, {}, [Problem(0, 0, f"no valid YAML: {failure}")]
    finally:
        loader.dispose()
    walk = _Walk({}, [])
    return (walk.data(root, ()) if root is not None else ""), walk.marks, walk.problems


def _hint(text: str, line: int, column: int) -> str:
    """What often is behind a text that is no YAML."""
    if _begins_with_brace(text, line):
        return "; a text that begins with a brace stands in quotes"
    lines = text.split("\n")
    if 0 < line <= len(lines) and "\t" in (lines[line - 1][:column], lines[line - 1][column - 1 : column]):
        return "; it is a tab: indent with spaces"
    return ""


def _begins_with_brace(text: str, line: int) -> bool:
    """Whether a line has a value such as ``say: {name} left``, which YAML takes for a mapping."""
    lines = text.splitlines()
    return 0 < line <= len(lines) and re.search(r"(?:^|[-:]\s)\s*\{\w+\}\s*[^\s,}\]]", lines[line - 1]) is not None


@dataclass(slots=True)
class _Walk:
    """Turns nodes into dicts, lists and strings, and notes where everything stands."""

    marks: dict[Place, tuple[int, int]]
    problems: list[Problem]
    depth: int = 0

    def data(self, node: yaml.Node, place: Place) -> Any:
        mark = (node.start_mark.line + 1, node.start_mark.column + 1)
        self.marks.setdefault(place, mark)
        if not str(node.tag).startswith(_PLAIN_TAGS):
            message = f"a text cannot begin with `!`: YAML reads {node.tag!r} as a type; put it in quotes"
            self.problems.append(Problem(*mark, message))
            return ""
        if self.depth > 30:
            self.problems.append(Problem(*mark, "nested deeper than a suite can be, or an anchor inside itself"))
            return ""
        self.depth += 1
        try:
            if isinstance(node, yaml.MappingNode):
                return self._mapping(node, place)
            if isinstance(node, yaml.SequenceNode):
                return [self.data(item, (*place, index)) for index, item in enumerate(node.value)]
            return str(node.value)
        finally:
            self.depth -= 1

    def _mapping(self, node: yaml.MappingNode, place: Place) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for key_node, value in node.value:
            mark = (key_node.start_mark.line + 1, key_node.start_mark.column + 1)
            if not isinstance(key_node, yaml.ScalarNode):
                self.problems.append(Problem(*mark, "a key must be a plain word or a quoted text"))
                continue
            key = str(key_node.value)
            if key in made:
                first = self.marks[*place, key][0]
                self.problems.append(
                    Problem(*mark, f"the key {key!r} stands twice; it was first given in line {first}")
                )
                continue
            self.marks[*place, key] = mark
            made[key] = self.data(value, (*place, key))
        return made


def _mark(place: Iterable[str | int], marks: dict[Place, tuple[int, int]]) -> tuple[int, int]:
    """Line and column of a place, or of the nearest one around it."""
    where = tuple(place)
    while where and where not in marks:
        where = where[:-1]
    return marks.get(where, (0, 0))


def _explained(failure: ValidationError, marks: dict[Place, tuple[int, int]]) -> list[Problem]:
    """The complaints of a validation in words, those about the alternatives of one place together."""
    found: dict[tuple[int, int], dict[str, None]] = {}
    for error in failure.errors(include_url=False):
        if error["type"] == "too_short" and error["input"]:
            continue  # the items are there; what is wrong with them is said of each
        place = tuple(part for part in error["loc"])
        message = _message(error, place)
        found.setdefault(_mark(place, marks), {})[message] = None
    return [Problem(*mark, " or: ".join(messages)) for mark, messages in found.items()]


def _message(error: Any, place: Place) -> str:
    kind, given = error["type"], error.get("input")
    if kind == "extra_forbidden":
        return _unknown_key(str(place[-1]), place)
    if kind == "missing":
        return f"expected `{place[-1]}`, which is missing"
    if kind == "value_error":
        return str(error["ctx"]["error"])
    if kind == "string_pattern_mismatch":
        return f"expected lower-case letters, digits and underscores, beginning with a letter, got {_shown(given)}"
    if kind in _PLAINLY:
        return f"expected {_PLAINLY[kind]}, got {_shown(given)}"
    said = str(error["msg"]).removeprefix("Input should be ").replace("Input ", "the value ")
    return f"expected {said[:1].lower()}{said[1:]}, got {_shown(given)}"


_PLAINLY = {
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_parsing": "a number",
    "bool_parsing": "true or false",
    "tuple_type": "a list",
    "dict_type": "`key: value` lines",
    "model_type": "`key: value` lines",
    "too_short": "at least one item",
    "string_too_short": "a text",
}
"""Kinds of complaints of pydantic -> what was expected."""


def _unknown_key(key: str, place: Place) -> str:
    model = _model_at(place[:-1])
    known = (
        sorted(name for field, info in model.model_fields.items() for name in {info.alias or field}) if model else []
    )
    near = difflib.get_close_matches(key, known, n=1)
    hint = f"; did you mean `{near[0]}`?" if near else (f"; there are {', '.join(known)}" if known else "")
    return f"there is no key `{key}` here{hint}"


_BELOW: dict[str, type[BaseModel]] = {
    "scripts": Script, "rounds": Round, "steps": Step, "expect": Expect, "state": StateExpect, "states": Statement,
    "fact": Statement, "no_fact": Statement, "length": Length, "capture": Capture, "slots": Slot,
}  # fmt: skip


def _model_at(place: Place) -> type[BaseModel] | None:
    """The model of the mapping at a place."""
    names = [part for part in place if isinstance(part, str) and part in _BELOW]
    if place and place[0] == "slots":
        return Slot
    if names:
        return _BELOW[names[-1]]
    return Suite if not place else None


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "several `key: value` lines"
    if isinstance(value, list | tuple):
        return "a list"
    if value in ("", None):
        return "nothing"
    return repr(value) if len(repr(value)) <= 60 else repr(value)[:57] + "…'"
