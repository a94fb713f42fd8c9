"""Checking a language file: what is wrong with it, what will not work without what it lacks, and which patterns are slow."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ValidationError

from harness.errors import LanguageError
from harness.language.classifier import find_classifier
from harness.language.pack import WEIGHTS_FOLDER, LanguagePack
from harness.language.scripts import HAN, KANA, script_of
from harness.yaml_strict import StrictLoader, load_yaml

Level = Literal["error", "warning"]
SLOW_MS = 100.0
"""Milliseconds on one text of ``SIZES`` from which a pattern is slow: a turn's rules have 3 in all."""
QUICK_MS = 1.0
"""Milliseconds on the wall up to which nothing more is measured."""
SIZES = (12, 14, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 27, 30, 34, 38, 42, 48, 54, 60, 70, 80, 100, 140, 240, 600)
"""Characters of the texts a pattern is timed on. They grow slowly, so that one that backtracks without end shows itself
before it takes long."""
LONG = 140
"""Size from which a pattern without end has shown itself; what is left are patterns whose time grows as a power of the size."""
POWER = 4
"""The highest power looked for: a pattern that would still be quick at the largest size if it grew so is not timed there."""
SEEDS = ("a", "a ", "1", "我", "我 ", "ab, ", " ", "a-'")
WITHOUT = {
    "text": "sentences are not parted into clauses and nothing is negated: no facts are read",
    "wording": "facts without an attribute of their own cannot be worded",
    "attributes": "no facts are read, and the persona's facts cannot be held against claims",
    "premise": "claims about what the character said are not noticed",
    "guards": "questions whether it is a bot and attempts to take it over are not noticed",
    "reply": "replies that give in or leave the role are not noticed",
    "grading": "blind tests take denials, jokes and corrections in a reply at their words",
    "called": "a wrong name that the character is called by is not noticed",
    "holding": "there is no reply of last resort, and no opener for a begun answer",
    "lines": "the engine's own lines are bare",
    "recall": "questions for what was told earlier are not noticed",
    "own_answers": "questions for what the persona tells are not noticed",
    "topics": "announced changes of the topic are not noticed",
    "emotion": "no moods are read",
    "entities": "nothing that is named is tracked, and no references are resolved",
    "commitments": "no promises are read",
    "task": "nothing is read about a task at hand",
    "constraints": "a reply may offer what the user must not have",
    "summary": "extractive summaries do not know what matters",
    "time": "no times are resolved",
    "relations": "how third persons stand to each other is not read, and the graph words relations by their keys",
    "examples": "nothing shows that the rules do what they are meant to",
}
"""Section → what does not work while it is empty."""
GROUPS = {
    "commitments": ({"what"}, ("promise", "intention", "plan", "request", "lasting_request", "offer", "of_others", "announced")),
    "task": ({"what"}, ("done", "todo", "ruled_out", "confirmed")),
    "topics": ({"label"}, ("open", "back")),
}  # fmt: skip
"""Section → the named groups its patterns must have, and the lists that hold such patterns."""
_ESCAPES = re.compile(r"\\.|\(\?(?:P<\w+>|<?[=!]|[:>]|-?[a-z]+:)")
_REPEATED = re.compile(r"([^\W\d_])[+*](?!\+)")
_LETTERS = 4
"""Of how many of a pattern's own letters hard texts are made; those it repeats come first."""
_WORDS = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class PackFinding:
    """One thing that a check found.

    Attributes:
        where: the field, as a path ("commitments.promise.2"); empty for the whole file.
        line: line of the file, from 1; 0 when unknown.
    """

    level: Level
    message: str
    where: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class PackReport:
    """What a check came to. ``pack`` is None when the file describes none."""

    file: Path
    pack: LanguagePack | None
    findings: tuple[PackFinding, ...]

    @property
    def ok(self) -> bool:
        """Whether there are no errors; warnings may be."""
        return all(finding.level != "error" for finding in self.findings)

    def line_of(self, *path: int | str) -> int:
        """The line of the field at a path of keys and indices."""
        return _Lines(self.file.read_text(encoding="utf-8-sig")).of_path(path)


def check_file(file: Path) -> PackReport:
    """Everything that can be told of a language file without running the engine. Never raises for a bad file."""
    try:
        data = load_yaml(file, source=str(file), error=LanguageError)
    except LanguageError as error:
        line = error.details.get("line", 0)
        found = PackFinding("error", error.message, line=line if isinstance(line, int) else 0)
        return PackReport(file, None, (found,))
    lines = _Lines(file.read_text(encoding="utf-8-sig"))
    try:
        pack = LanguagePack.model_validate(data).from_folder(file.parent)
    except ValidationError as failure:
        return PackReport(file, None, tuple(_schema(failure, lines)))
    findings = [*_empty(pack), *_patterns(pack, lines), *_script(pack, lines), *_weights(pack, file)]
    return PackReport(file, pack, tuple(sorted(findings, key=lambda found: (found.level, found.line, found.where))))


class _Lines:
    """Where the fields of a YAML text stand."""

    def __init__(self, text: str) -> None:
        self._root = yaml.compose(text.removeprefix("\ufeff"), Loader=StrictLoader)
        self._scalars: dict[str, int] = {}
        self._collect(self._root)

    def _collect(self, node: yaml.Node | None) -> None:
        if isinstance(node, yaml.ScalarNode):
            self._scalars.setdefault(str(node.value), node.start_mark.line + 1)
        elif isinstance(node, yaml.SequenceNode):
            for child in node.value:
                self._collect(child)
        elif isinstance(node, yaml.MappingNode):
            for key, child in node.value:
                self._collect(key)
                self._collect(child)

    def of_value(self, value: str) -> int:
        """The line on which a text first stands as a value; 0 when it does not."""
        return self._scalars.get(value, 0)

    def of_path(self, path: tuple[int | str, ...]) -> int:
        """The line of the field at a path, or of the last part of it that is there."""
        node, line = self._root, 1
        for part in path:
            child: yaml.Node | None = None
            if isinstance(node, yaml.MappingNode):
                for key, value in node.value:
                    if key.value == str(part):
                        line, child = key.start_mark.line + 1, value
            elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
                child = node.value[part]
                line = child.start_mark.line + 1
            if child is None:
                break
            node = child
        return line


def _schema(failure: ValidationError, lines: _Lines) -> Iterator[PackFinding]:
    for item in failure.errors(include_url=False):
        path = item["loc"]
        where = ".".join(map(str, path))
        yield PackFinding("error", f"{item['msg']}; got {item.get('input')!r:.120}", where, lines.of_path(path))


def _empty(pack: LanguagePack) -> Iterator[PackFinding]:
    for name, consequence in WITHOUT.items():
        value = getattr(pack, name)
        empty = not value if isinstance(value, tuple) else value == type(value)()
        if empty:
            yield PackFinding("warning", f"the section is empty: {consequence}", name)


def _patterns(pack: LanguagePack, lines: _Lines) -> Iterator[PackFinding]:
    for where, source, expression in _expressions(pack):
        line = lines.of_value(source)
        if isinstance(expression, LanguageError):
            yield PackFinding("error", expression.message, where, line)
            continue
        section, _, field = where.partition(".")
        groups, fields = GROUPS.get(section, (set(), ()))
        missing = groups - expression.groupindex.keys() if field.partition(".")[0] in fields else set()
        if missing:
            yield PackFinding("error", f"the pattern {source!r} needs a group named {', '.join(missing)}", where, line)
        took = slowest(expression, source)
        if took >= SLOW_MS:
            message = f"the pattern {source!r:.160} took {took:.0f} ms on a text made to be hard"
            yield PackFinding("warning", message, where, line)


def _expressions(pack: LanguagePack) -> Iterator[tuple[str, str, re.Pattern[str] | LanguageError]]:
    """(field, source, compiled) of every pattern: those compiled already, and those with macros still in them."""
    for name in type(pack).model_fields:
        for where, found in _walk(getattr(pack, name), name):
            if isinstance(found, re.Pattern):
                yield where, found.pattern, found
    yield from ((f"guards.{name}", source, found) for name, source, found in pack.guards.expressions())
    for where, source in pack.sources():
        try:
            yield where, source, pack.pattern(source)
        except LanguageError as error:
            yield where, source, error


def _walk(value: object, where: str) -> Iterator[tuple[str, object]]:
    if isinstance(value, BaseModel):
        for name in type(value).model_fields:
            yield from _walk(getattr(value, name), f"{where}.{name}")
    elif isinstance(value, tuple | list):
        for index, item in enumerate(value):
            yield from _walk(item, f"{where}.{index}")
    else:
        yield where, value


def slowest(expression: re.Pattern[str], source: str) -> float:
    """The longest time a pattern takes on hard texts up to the longest sentence, in milliseconds.

    The texts repeat single letters (first those that the pattern repeats), blanks and numbers, and the pattern's own words
    without a proper end.
    """
    plain = _ESCAPES.sub(" ", source)
    own = _WORDS.findall(plain)
    letters = list(dict.fromkeys((*_REPEATED.findall(plain), *filter(str.isalpha, plain))))[:_LETTERS]
    seeds = (*SEEDS, *letters, *(f"{word} " for word in own[:2]), " ".join(own[:4]) + " ", "".join(own[:3]))
    worst = 0.0
    for seed in dict.fromkeys(seed for seed in seeds if seed):
        for size in SIZES:
            text = (seed * (size // len(seed) + 1))[:size] + "\u0001"
            start = time.perf_counter()
            expression.search(text)
            took = (time.perf_counter() - start) * 1000
            if (
                took >= QUICK_MS
            ):  # the clock of the thread, which stands still for others, costs as much as most searches
                at_work = time.thread_time()
                expression.search(text)
                took = min(took, (time.thread_time() - at_work) * 1000)
            worst = max(worst, took)
            if worst >= SLOW_MS:
                return worst
            if size >= LONG and took * (SIZES[-1] / size) ** POWER < SLOW_MS:
                break
    return worst


def _script(pack: LanguagePack, lines: _Lines) -> Iterator[PackFinding]:
    """Texts for readers that have letters, but none of the pack's script."""
    for name in ("holding", "recall", "own_answers", "lines", "attributes"):
        for where, text in _texts(getattr(pack, name), name):
            scripts = {script_of(char) for char in re.sub(r"\{\w*\}|\\\w", "", text)} - {""}
            if scripts and pack.script not in scripts and not (pack.script == KANA and HAN in scripts):
                message = f"{text!r:.80} has no letter of the script {pack.script}"
                yield PackFinding("warning", message, where, lines.of_value(text))


_FOR_READERS = ("lines", "begun", "untold", "statement", "denial", "session_ended", "promise_", "recalled", "disputed")
"""Beginnings of the names of fields that hold texts people read."""


def _texts(value: object, where: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, BaseModel):
        for name in type(value).model_fields:
            if name.startswith(_FOR_READERS):
                yield from _leaves(getattr(value, name), f"{where}.{name}")
    elif isinstance(value, tuple):
        for index, item in enumerate(value):
            yield from _texts(item, f"{where}.{index}")


def _leaves(value: object, where: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield where, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, f"{where}.{key}")
    elif isinstance(value, tuple):
        for index, item in enumerate(value):
            yield from _leaves(item, f"{where}.{index}")


def _weights(pack: LanguagePack, file: Path) -> Iterator[PackFinding]:
    folder = file.parent / WEIGHTS_FOLDER
    for weights in sorted(folder.glob(f"{pack.code}.*.weights")):
        name = weights.name.removeprefix(f"{pack.code}.").removesuffix(".weights")
        try:
            find_classifier(folder, pack.code, name)
        except LanguageError as error:
            yield PackFinding("error", error.message, f"{WEIGHTS_FOLDER}/{weights.name}")
