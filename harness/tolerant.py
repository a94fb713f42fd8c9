"""Reading JSON as models write it: in prose, in fences, after thoughts, with other quotes, cut off.

Nothing here invents values. A text that was cut off loses its unfinished last element instead of having it completed, every
reading that is not plain JSON leaves a note, and the caller validates what was read.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

_THOUGHTS_END = re.compile(r"(?:</(?:think|thinking|reasoning|thought)>|\[/THINK\])", re.IGNORECASE)
_FENCE = re.compile(r"```[a-zA-Z0-9_-]*[ \t]*\r?\n?(.*?)(?:```|\Z)", re.DOTALL)
_CLOSERS = {"{": "}", "[": "]"}
_WIDE_PUNCTUATION = str.maketrans(
    {"\uff1a": ":", "\uff0c": ",", "\uff5b": "{", "\uff5d": "}", "\uff3b": "[", "\uff3d": "]", "\u3001": ","}
)
_QUOTE_ENDS = {
    '"': '"',
    "\u201c": "\u201d",
    "\u201d": "\u201d",
    "\uff02": "\uff02",
    "\u300c": "\u300d",
    "\u300e": "\u300f",
}
"""Opening quote to closing quote: straight, curly, full-width, and the two East Asian corner brackets."""

_CUT = "cut off: the unfinished last element was dropped"
_LIKE_JSON = re.compile(r"[{\[\uff5b]\s*[\"'{\[\u201c\u300c\uff02]")
_LONGEST = 200_000
_DEEPEST = 60
_MOST_STARTS = 24
_MOST_CUTS = 40
_MOST_REPAIRS = 6


@dataclass(frozen=True, slots=True)
class Reading:
    """One value found in a text. ``note`` says how it was got at; empty for plain JSON."""

    value: Any
    note: str = ""


def readings(text: str) -> Iterator[Reading]:
    """What the text may mean as JSON, most literal first. Values are objects or arrays with clean strings."""
    text = text.lstrip("\ufeff").strip()[:_LONGEST]
    seen: list[Any] = []
    for value, note in _all(text):
        clean = _cleaned(value)
        if isinstance(clean, dict | list) and clean not in seen:
            seen.append(clean)
            yield Reading(clean, note)


def _all(text: str) -> Iterator[tuple[Any, str]]:
    whole = _load(text)
    if whole is not None:
        yield whole, ""
        return
    answer, thoughts = _after_thoughts(text)
    note = "after reasoning" if thoughts else ""
    if thoughts and (value := _load(answer)) is not None:
        yield value, note
        return
    bodies = [(fenced.strip(), "in a fenced block") for fenced in _FENCE.findall(answer)]
    for fenced, how in bodies:
        if (value := _load(fenced)) is not None:
            yield value, how
    for body, how in (*bodies, (answer, note or "inside other text")):
        spans, unclosed = _spans(body)
        if unclosed and (value := _unfinished(unclosed)) is not None:
            yield value, _CUT
            return
        for span in spans:
            yield from _read_span(span, how)
        if unclosed and not spans:
            yield from _repaired(_end_at_last_closer(unclosed))


def _load(text: str) -> Any:
    """The value of strict JSON (raw line breaks in strings allowed), also when it is JSON inside a JSON string."""
    for _ in range(3):
        try:
            value = json.loads(text, strict=False)
        except (ValueError, RecursionError):
            return None
        if not isinstance(value, str):
            return value if isinstance(value, dict | list) else None
        text = value.strip()
    return None


def _after_thoughts(text: str) -> tuple[str, bool]:
    ends = list(_THOUGHTS_END.finditer(text))
    return (text[ends[-1].end() :].strip(), True) if ends else (text, False)


def _read_span(span: str, note: str) -> Iterator[tuple[Any, str]]:
    """One balanced object or array: as JSON, with its punctuation straightened, as a Python literal, repaired."""
    if (value := _load(span)) is not None:
        yield value, note
        return
    straight = _straightened(span)
    if straight != span and (value := _load(straight)) is not None:
        yield value, "with full-width or curly punctuation"
        return
    try:
        value = ast.literal_eval(span)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        yield from _repaired(straight)
    else:
        yield value, "as a Python literal"


def _repaired(text: str) -> Iterator[tuple[Any, str]]:
    """What json_repair makes of it, unless it had to guess too much."""
    if not text:
        return
    import json_repair

    try:
        value, log = cast("tuple[Any, list[Any]]", json_repair.loads(text, skip_json_loads=True, logging=True))
    except (ValueError, RecursionError):
        return
    if len(log) <= max(_MOST_REPAIRS, len(text) // 80):
        yield value, f"repaired in {len(log)} places"


def _spans(text: str) -> tuple[list[str], str]:
    """The balanced objects and arrays at top level, and the rest from one that never closes (empty without one).

    What is inside one that never closes is not looked at: a part taken for the whole would be a guess.
    """
    spans: list[str] = []
    position = 0
    for _ in range(_MOST_STARTS):
        start = _next_opening(text, position)
        if start < 0:
            break
        end = _closing(text, start)
        if end < 0:
            if _LIKE_JSON.match(text, start):
                return spans, text[start:]
            position = start + 1
        else:
            spans.append(text[start:end])
            position = end
    return spans, ""


def _next_opening(text: str, position: int) -> int:
    found = re.compile(r"[{\[\uff5b]").search(text, position)
    return found.start() if found else -1


def _closing(text: str, start: int) -> int:
    """One past the bracket that closes the one at ``start``; -1 when none does."""
    depth = 0
    for index, character, inside in _walk(text, start):
        if inside:
            continue
        if character in "{[\uff5b\uff3b":
            depth += 1
            if depth > _DEEPEST:
                return -1
        elif character in "}]\uff5d\uff3d":
            depth -= 1
            if depth == 0:
                return index + 1
    return -1


def _walk(text: str, start: int = 0) -> Iterator[tuple[int, str, bool]]:
    """Each character with whether it is part of a string. A single quote opens a string only where a value can begin."""
    end_quote = ""
    escaped = False
    before = ""
    for index in range(start, len(text)):
        character = text[index]
        if end_quote:
            yield index, character, True
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == end_quote:
                end_quote, before = "", character
            continue
        opens = character in _QUOTE_ENDS or (character == "'" and before in "{[,:\uff0c\uff1a\uff5b")
        if opens:
            end_quote = _QUOTE_ENDS.get(character, "'")
        yield index, character, opens
        if not character.isspace():
            before = character


def _straightened(text: str) -> str:
    """Full-width punctuation outside strings, and other quotes around them, as JSON has them."""
    out: list[str] = []
    opening = ""
    for _, character, inside in _walk(text):
        if not inside:
            out.append(character.translate(_WIDE_PUNCTUATION))
        elif not opening:
            opening = character
            out.append('"' if character in _QUOTE_ENDS else character)
        elif character == _QUOTE_ENDS.get(opening, "'") and not _is_escaped(out):
            out.append('"' if opening in _QUOTE_ENDS else character)
            opening = ""
        else:
            out.append('\\"' if character == '"' and opening != '"' and opening in _QUOTE_ENDS else character)
    return "".join(out)


def _is_escaped(out: list[str]) -> bool:
    count = 0
    while count < len(out) and out[-1 - count] == "\\":
        count += 1
    return count % 2 == 1


def _unfinished(text: str) -> Any:
    """The value of a text that was cut off, without its unfinished last element; None when nothing whole is left."""
    text = _straightened(text)
    stack: list[str] = []
    cuts: list[tuple[int, str]] = []
    inside = False
    for index, character, inside in _walk(text):
        if inside:
            continue
        if character in _CLOSERS:
            stack.append(character)
            if len(stack) > _DEEPEST:
                return None
        elif character in "}]" and stack:
            stack.pop()
            cuts.append((index + 1, "".join(stack)))
        elif character == ",":
            cuts.append((index, "".join(stack)))
    last = text.rstrip()[-1:]
    if last in {'"', "}", "]"} and not _open_string(text):
        cuts.append((len(text), "".join(stack)))
    for position, still_open in reversed(cuts[-_MOST_CUTS:]):
        closers = "".join(_CLOSERS[bracket] for bracket in reversed(still_open))
        if (value := _load(text[:position].rstrip().rstrip(",") + closers)) is not None:
            return value or None
    return None


def _open_string(text: str) -> bool:
    """Whether the text ends inside a string."""
    opening = ""
    escaped = False
    for _, character, inside in _walk(text):
        if not inside:
            continue
        if not opening:
            opening = character
        elif escaped:
            escaped = False
        elif character == "\\":
            escaped = True
        elif character == _QUOTE_ENDS.get(opening, "'"):
            opening = ""
    return bool(opening)


def _end_at_last_closer(text: str) -> str:
    """The text up to its last closing bracket: quotes inside strings can hide where it ends."""
    end = max(text.rfind("}"), text.rfind("]"))
    return text[: end + 1]


def _cleaned(value: Any) -> Any:
    """The value with lone surrogates replaced by U+FFFD, and only what JSON can hold."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return value
    if isinstance(value, dict):
        return {str(_cleaned(key)): _cleaned(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(item) for item in value]
    return value if isinstance(value, bool | int | float) or value is None else str(value)
