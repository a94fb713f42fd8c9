"""A persona file as read: its data, and the line every part of it stands in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import yaml

from harness.errors import PersonaError
from harness.yaml_strict import StrictLoader, load_yaml

if TYPE_CHECKING:
    from pathlib import Path

MAX_BYTES = 256 * 1024
"""Far above any sensible persona; a larger file is some other file."""

_PLAIN_TAGS = tuple(f"tag:yaml.org,2002:{kind}" for kind in ("str", "map", "seq"))
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]")

Place = tuple[str | int, ...]
"""Where something stands: keys and list positions (from 0) from the top of the file down."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong (``error``: the file does not load) or doubtful (``warning``: it loads).

    Attributes:
        line: from 1; 0 when it concerns the whole file.
        hint: what to do about it; may be empty.
    """

    severity: Literal["error", "warning"]
    line: int
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """The content of one file.

    Attributes:
        data: the top mapping; every scalar is text.
        lines: line of each place, from 1.
    """

    path: Path
    data: dict[str, Any]
    lines: dict[Place, int]

    def line(self, place: Place) -> int:
        """The line of a place, or of the nearest place around it; 0 for the whole file."""
        while place:
            if place in self.lines:
                return self.lines[place]
            place = place[:-1]
        return 0


def read_source(path: Path) -> Source:
    """Read a file into a mapping with line numbers.

    Raises:
        PersonaError: the file is missing, too large, not UTF-8, not one YAML mapping; ``details`` has ``line``.
    """
    text = _read_text(path)
    try:
        data = load_yaml(text, source=str(path), error=PersonaError)
    except PersonaError as failure:
        raise _explained(failure, path, text) from failure.__cause__
    if not data:
        message = f"{path} is empty; expected at least a line `name:`."
        raise PersonaError(message, remedy="`harness persona new NAME` writes a start.", source=str(path), line=0)
    if not isinstance(data, dict):
        shown = "a list" if isinstance(data, list) else f"the text {data!r:.60}"
        message = f"{path}: expected `key: value` lines such as `name: Mia`, got {shown}."
        remedy = "Write one field per line, with a colon and a blank."
        raise PersonaError(message, remedy=remedy, source=str(path), line=1)
    return Source(path, data, _lines(path, text))


def _read_text(path: Path) -> str:
    # Read here, not in load_yaml: the text is needed for line numbers, and GB18030 deserves its own remedy.
    source = str(path)
    try:
        if path.exists() and not path.is_file():
            message = f"{path} cannot be read: it is no file."
            raise PersonaError(message, remedy="Give the path of a persona file.", source=source, line=0)
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except FileNotFoundError as failure:
        message = f"Expected a persona file at {path}, found none."
        raise PersonaError(message, remedy="Check the path.", source=source, line=0) from failure
    except OSError as failure:
        message = f"{path} cannot be read: {failure.strerror or failure}."
        raise PersonaError(message, remedy="Give the path of a readable file.", source=source, line=0) from failure
    if len(raw) > MAX_BYTES:
        message = f"{path} is larger than the {MAX_BYTES} bytes that a persona file may have."
        raise PersonaError(message, remedy="Give the path of a persona file.", source=source, line=0)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as failure:
        line = raw.count(b"\n", 0, failure.start) + 1
        guess = _guess_encoding(raw)
        message = f"{path}, line {line}: not UTF-8 text" + (f"; it looks like {guess}." if guess else ".")
        raise PersonaError(message, remedy="Save the file as UTF-8.", source=source, line=line) from failure
    if found := _FORBIDDEN.search(text):
        line = text.count("\n", 0, found.start()) + 1
        message = f"{path}, line {line}: holds the control character {found.group()!r}."
        raise PersonaError(message, remedy="Remove it.", source=source, line=line)
    return text


def _guess_encoding(raw: bytes) -> str:
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "UTF-16"
    try:
        raw.decode("gb18030")
    except UnicodeDecodeError:
        return ""
    return "GB18030 (GBK)"


def _explained(failure: PersonaError, path: Path, text: str) -> PersonaError:
    """Say the parser's complaint with the line it is about, and with the usual cause of such a complaint."""
    line = failure.details.get("line", 0)
    cause = failure.__cause__
    if not isinstance(line, int) or not line or not isinstance(cause, yaml.MarkedYAMLError):
        return failure
    said = " ".join(part for part in (cause.context, cause.problem) if part)
    rows = text.splitlines()
    if not "".join(rows[line - 1 : line]).strip():
        # The parser ran to the end; what matters is where the quote or bracket was opened.
        if cause.context_mark:
            line = cause.context_mark.line + 1
        while line > 1 and not "".join(rows[line - 1 : line]).strip():
            line -= 1
    shown = rows[line - 1]
    if "another document" in said:
        said, remedy = "a second document begins", "Keep one character per file; remove the line `---`."
    elif "\t" in shown[: len(shown) - len(shown.lstrip())]:
        said, remedy = "the line is indented with a tab", "Indent with blanks."
    elif "twice" in said:
        remedy = "Keep one of the two, or write the values as a list: `[a, b]`."
    else:
        remedy = "If the text holds `: ` or begins with a sign such as @ % ! & * [ { > |, put it in quotes."
    message = f"{path}, line {line}: {said}" + (f", at {shown.strip()!r:.80}." if shown.strip() else ".")
    return PersonaError(message, remedy=remedy, source=str(path), line=line)


def _refuse_tag(node: yaml.Node, path: Path) -> None:
    # The base loader drops `!Hola` from `greeting: !Hola amigo` without a word.
    if str(node.tag).startswith(_PLAIN_TAGS):
        return
    line = node.start_mark.line + 1
    message = f"{path}, line {line}: a text cannot begin with `!` here; YAML reads {node.tag!r} as a type."
    raise PersonaError(message, remedy="Put the text in quotes.", source=str(path), line=line)


def _lines(path: Path, text: str) -> dict[Place, int]:
    loader = StrictLoader(text)
    try:
        root = loader.get_single_node()
    finally:
        loader.dispose()
    lines: dict[Place, int] = {}
    pending: list[tuple[Place, yaml.Node]] = [((), root)] if root is not None else []
    open_nodes: set[int] = set()
    while pending:
        place, node = pending.pop()
        _refuse_tag(node, path)
        lines.setdefault(place, node.start_mark.line + 1)
        if isinstance(node, yaml.ScalarNode) or id(node) in open_nodes:
            continue
        open_nodes.add(id(node))
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                below = (*place, str(key.value))
                lines[below] = key.start_mark.line + 1
                pending.append((below, value))
        elif isinstance(node, yaml.SequenceNode):
            pending.extend(((*place, index), item) for index, item in enumerate(node.value))
    return lines
